package replay

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"reprise"
)

func TestServeBatchTwice(t *testing.T) {
	list := func(id any) string { return requestLine(id, "tools/list", `{}`) }
	s := NewServer(clientCapture(t, ">["+list(1)+","+requestLine(2, "prompts/list", `{}`)+"]", "<["+resultLine(1, `{"tools":[]}`)+","+resultLine(2, `{"prompts":[]}`)+"]"))
	got, _ := played(s, []string{"[" + list(11) + "," + list(12) + "]"})
	for _, id := range []string{`"id":11`, `"id":12`} {
		if n := strings.Count(strings.Join(got, "\n"), id); n != 1 {
			t.Errorf("%s answered %d times: %q", id, n, got)
		}
	}
}

func TestServeIdBehindResult(t *testing.T) {
	m := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	l := func(id any) string {
		return requestLine(id, "subscriptions/listen", `{`+m+`,"notifications":{"toolsListChanged":true}}`)
	}
	ack := `{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":1}},"jsonrpc":"2.0"}`
	fin := `{"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1}},"jsonrpc":"2.0","id":1}`
	s := NewServer(clientCapture(t, ">"+l(1), "<"+ack, "<"+fin, ">"+requestLine(2, "ping", `{`+m+`}`), "<"+resultLine(2, `{}`)))
	got, _ := played(s, []string{l(7), requestLine(2, "ping", `{`+m+`}`)})
	if !strings.Contains(strings.Join(got, "\n"), `subscriptionId":7}},"jsonrpc":"2.0","id":7}`) {
		t.Errorf("%q", got)
	}
}

func TestServeHeardKeyIsKept(t *testing.T) {
	one := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":98}}`
	two := `{"method":"notifications/cancelled","jsonrpc":"2.0","params":{"requestId":99}}`
	n := func(s string) string { return `<{"jsonrpc":"2.0","method":"notifications/` + s + `"}` }
	// other notifications are tied to what is nobody's call
	s := NewServer(clientCapture(t, ">"+one, ">"+requestLine(1, "tools/list", `{}`), "<"+resultLine(1, `{"tools":[]}`), n("tools/list_changed"), ">"+two, ">"+requestLine(2, "ping", `{}`), "<"+resultLine(2, `{}`)))
	client := []string{one, two}
	a, _ := servedBy(s, client, true)
	b, _ := servedBy(s, client, false)
	if strings.Join(a, "\n") != strings.Join(b, "\n") {
		t.Errorf("a byte at a time %q, at once %q", a, b)
	}
}

// With --timing, an answer that is not due yet does not come once its call was cancelled.
func TestServeCancelOfADelayedAnswer(t *testing.T) {
	s := NewServer(clientCapture(t, ">"+callLine(1, "a", `{}`), "<"+resultLine(1, textResult("x"))))
	s.Speed = 1
	r := s.newRun()
	r.receive([]byte(callLine(7, "a", `{}`)))
	lines := r.receive([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`))
	if len(lines) != 1 || !lines[0].drop {
		t.Errorf("the answer is not dropped: %+v", lines)
	}
}

// An answer of the real server's that can't be saved is not followed by an error under the same id.
func TestServeOneAnswerThoughNotSaved(t *testing.T) {
	real := NewServer(clientCapture(t, ">"+callLine(1, "b", `{}`), "<"+resultLine(1, textResult("live"))))
	s := NewServer(clientCapture(t, ">"+callLine(1, "a", `{}`), "<"+resultLine(1, textResult("A"))))
	s.OnMiss = OnMissPassthrough
	s.Upstream = &Upstream{
		Dial: func() (io.ReadWriteCloser, error) {
			a, b := net.Pipe()
			go real.Serve(context.Background(), b)
			return a, nil
		},
		Update: func(func(*reprise.Capture)) error { return errors.New("disk full") },
	}
	got, _ := servedBy(s, []string{callLine(5, "b", `{}`)}, false)
	s.Upstream.Close()
	if len(got) != 1 {
		t.Errorf("answered %d times: %q", len(got), got)
	}
}
