package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"reprise"
)

type fixedConn struct {
	io.Reader
	*bytes.Buffer
}

func (c fixedConn) Read(p []byte) (int, error) { return c.Reader.Read(p) }
func (fixedConn) Close() error                 { return nil }

type byOne struct{ r io.Reader }

func (b byOne) Read(p []byte) (int, error) {
	if len(p) > 1 {
		p = p[:1]
	}
	return b.r.Read(p)
}

func servedBy(s *Server, client []string, slow bool) ([]string, *Report) {
	var r io.Reader = strings.NewReader(strings.Join(client, "\n") + "\n")
	if slow {
		r = byOne{r}
	}
	c := fixedConn{r, &bytes.Buffer{}}
	report, err := s.Serve(context.Background(), c)
	if err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimRight(c.Buffer.String(), "\n"), "\n"), report
}

const hi = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"c","version":"1"}}}`
const hiAnswer = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`

func shake(caps string) string { return fmt.Sprintf(hi, caps) }

func clientCapture(t *testing.T, lines ...string) *reprise.Capture {
	return captureOf(t, reprise.EndedByClient, lines...)
}

// two objects on one line of the server's
func TestServeJoined(t *testing.T) {
	c := clientCapture(t, ">"+callLine(1, "a", `{}`), ">"+callLine(2, "b", `{}`), "<"+resultLine(1, textResult("A"))+resultLine(2, textResult("B")))
	s := NewServer(c)
	got, r := servedBy(s, []string{callLine(11, "a", `{}`), callLine(12, "b", `{}`)}, false)
	t.Log(strings.Join(got, "\n"), r.Answered)
	if !strings.Contains(strings.Join(got, "\n"), `"id":12`) {
		t.Error("12 unanswered")
	}
}

// miss names after buffer reuse
func TestServeMissNames(t *testing.T) {
	s := NewServer(clientCapture(t, ">"+callLine(1, "a", `{}`), "<"+resultLine(1, textResult("A"))))
	var lines []string
	for i := range 20 {
		lines = append(lines, callLine(i, fmt.Sprintf("tool%d", i), `{"x":"`+strings.Repeat("y", 9000+i*13)+`"}`))
	}
	_, r := servedBy(s, lines, false)
	for i, m := range r.Misses {
		if m.Method != "tools/call" || m.Name != fmt.Sprintf("tool%d", i) {
			t.Errorf("%d: %q %q", i, m.Method, m.Name)
		}
	}
}

// cancelled notifications key
func TestServeHeardKey(t *testing.T) {
	var cap []string
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99,"reason":"x"}}`
	for range 30 {
		cap = append(cap, ">"+cancel, ">"+callLine(1, "a", `{}`), "<"+resultLine(1, textResult("A")))
	}
	s := NewServer(clientCapture(t, cap...))
	var lines []string
	for range 30 {
		lines = append(lines, cancel, callLine(1, "a", `{}`))
		lines = append(lines, strings.Repeat(" ", 7001))
	}
	_, r := servedBy(s, lines, false)
	t.Log(r.Unknown)
	if r.Unknown != 30 {
		t.Error("want 30 (blank lines)")
	}
}

// tasks/result blocks until the question was answered
func TestServeTaskResultWaits(t *testing.T) {
	create := requestLine(1, "tools/call", `{"name":"a","arguments":{},"task":{"ttl":1000}}`)
	q := `{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T1"}}}}`
	ans := `{"jsonrpc":"2.0","id":"q1","result":{"action":"accept","content":{}}}`
	lines := []string{">" + shake(`{"elicitation":{}}`), "<" + hiAnswer,
		">" + create, "<" + resultLine(1, `{"task":{"taskId":"T1","status":"working","createdAt":"2025-11-25T00:00:00Z","ttl":1000}}`),
		">" + requestLine(2, "tasks/result", `{"taskId":"T1"}`), "<" + q, ">" + ans, "<" + resultLine(2, textResult("done"))}
	s := NewServer(clientCapture(t, lines...))
	got, _ := played(s, []string{shake(`{"elicitation":{}}`), create, requestLine(2, "tasks/result", `{"taskId":"T1"}`)})
	t.Log(strings.Join(got, "\n"))
	if strings.Contains(strings.Join(got, "\n"), "done") {
		t.Error("tasks/result answered before the question was")
	}
}

// out-of-order answers to two questions at once
func TestServeTwoQuestions(t *testing.T) {
	q := func(id string) string {
		return `{"jsonrpc":"2.0","id":"` + id + `","method":"elicitation/create","params":{"message":"` + id + `","requestedSchema":{"type":"object","properties":{}}}}`
	}
	ans := func(id string) string { return `{"jsonrpc":"2.0","id":"` + id + `","result":{"action":"decline"}}` }
	s := NewServer(clientCapture(t, ">"+shake(`{"elicitation":{}}`), "<"+hiAnswer, ">"+callLine(1, "a", `{}`), "<"+q("q1"), "<"+q("q2"), ">"+ans("q1"), ">"+ans("q2"), "<"+resultLine(1, textResult("done"))))
	got, _ := played(s, []string{shake(`{"elicitation":{}}`), callLine(1, "a", `{}`), ans("q2")})
	t.Log(strings.Join(got, "\n"))
	if strings.Contains(strings.Join(got, "\n"), "done") {
		t.Error("answered with q1 open")
	}
}

// skipped question keeps order
func TestServeSkippedOrder(t *testing.T) {
	call := requestLine(1, "tools/call", `{"name":"a","arguments":{},"_meta":{"progressToken":"p"}}`)
	q := `{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`
	ans := `{"jsonrpc":"2.0","id":"q1","result":{"action":"decline"}}`
	pr := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	s := NewServer(clientCapture(t, ">"+shake(`{"elicitation":{}}`), "<"+hiAnswer, ">"+call, "<"+q, "<"+pr, ">"+ans, "<"+resultLine(1, textResult("done"))))
	got, _ := played(s, []string{shake(`{}`), call})
	t.Log(strings.Join(got, "\n"))
	if !strings.Contains(got[len(got)-1], "done") {
		t.Error("progress after response")
	}
}

// the same recorded call for two live ones at once
func TestServeRepeatedConcurrent(t *testing.T) {
	q := `{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`
	ans := `{"jsonrpc":"2.0","id":"q1","result":{"action":"decline"}}`
	s := NewServer(clientCapture(t, ">"+shake(`{"elicitation":{}}`), "<"+hiAnswer, ">"+callLine(1, "a", `{}`), "<"+q, ">"+ans, "<"+resultLine(1, textResult("done"))))
	s.Exhausted = PolicyLast
	got, _ := played(s, []string{shake(`{"elicitation":{}}`), callLine(1, "a", `{}`), callLine(2, "a", `{}`), ans, strings.Replace(ans, `"q1"`, "1000000", 1)})
	t.Log(strings.Join(got, "\n"))
	if !strings.Contains(strings.Join(got, "\n"), `"id":1,`) {
		t.Error("1 unanswered")
	}
}

// unknown log level
func TestServeLogLevel(t *testing.T) {
	l := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warn","data":"x"}}`
	s := NewServer(clientCapture(t, ">"+shake(`{}`), "<"+hiAnswer, ">"+callLine(1, "a", `{}`), "<"+l, "<"+resultLine(1, textResult("done"))))
	got, _ := played(s, []string{shake(`{}`), callLine(1, "a", `{}`)})
	if !strings.Contains(strings.Join(got, "\n"), "warn") {
		t.Error("log lost", got)
	}
}

// redacted + ignore
func TestServeRedactedIgnore(t *testing.T) {
	s := NewServer(clientCapture(t, ">"+callLine(1, "a", `{"token":"«redacted:api-key:1»","rid":"x1"}`), "<"+resultLine(1, textResult("done"))))
	s.Ignore = &reprise.Ignore{}
	rule, _ := reprise.ParseIgnore("rid")
	s.Ignore.Add(rule)
	_, r := played(s, []string{callLine(1, "a", `{"token":"secret-secret","rid":"x2"}`)})
	if len(r.Misses) > 0 {
		t.Error(r.Misses)
	}
}

// redacted + loop
func TestServeRedactedLoop(t *testing.T) {
	s := NewServer(clientCapture(t, ">"+callLine(1, "a", `{"token":"«redacted:api-key:1»"}`), "<"+resultLine(1, textResult("done"))))
	s.Exhausted = PolicyLoop
	_, r := played(s, []string{callLine(1, "a", `{"token":"secret-secret"}`), callLine(2, "a", `{"token":"secret-secret"}`)})
	if len(r.Misses) > 0 {
		t.Error(r.Misses)
	}
}

// secret twice in a string, lazy match
func TestServeFillBacktrack(t *testing.T) {
	s := NewServer(clientCapture(t, ">"+callLine(1, "a", `{"u":"postgres://«redacted:user:1»:«redacted:password:1»@h/db"}`), "<"+resultLine(1, textResult("done"))))
	_, r := played(s, []string{callLine(1, "a", `{"u":"postgres://u:p@ss@h/db"}`)})
	if len(r.Misses) > 0 {
		t.Error(r.Misses)
	}
}

// redacted list cursor / elicitation inputResponses
func TestServeRedactedInputResponses(t *testing.T) {
	s := NewServer(clientCapture(t, ">"+requestLine(1, "tools/call", `{"name":"a","arguments":{"k":"«redacted:api-key:1»"}}`), "<"+resultLine(1, `{"resultType":"input_required","inputRequests":{"x":{"method":"elicitation/create","params":{}}},"requestState":"S"}`),
		">"+requestLine(2, "tools/call", `{"name":"a","arguments":{"k":"«redacted:api-key:1»"},"inputResponses":{"x":{"action":"accept","content":{"p":"«redacted:password:1»"}}},"requestState":"S"}`), "<"+resultLine(2, textResult("done"))))
	_, r := played(s, []string{requestLine(1, "tools/call", `{"name":"a","arguments":{"k":"kkkkkkkk"}}`), requestLine(2, "tools/call", `{"name":"a","arguments":{"k":"kkkkkkkk"},"inputResponses":{"x":{"action":"decline"}},"requestState":"S"}`)})
	if len(r.Misses) > 0 {
		t.Error(r.Misses)
	}
}

// I: listen with a subset
func TestServeListenSubset(t *testing.T) {
	m := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	l := func(n string) string {
		return requestLine("L", "subscriptions/listen", `{`+m+`,"notifications":`+n+`}`)
	}
	ack := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}`
	s := NewServer(clientCapture(t, ">"+l(`{"toolsListChanged":true,"promptsListChanged":true}`), "<"+ack))
	got, r := played(s, []string{l(`{"toolsListChanged":true}`)})
	if len(r.Misses) > 0 {
		t.Error(r.Misses, got)
	}
}

// J: lost listen
func TestServeLostListen(t *testing.T) {
	m := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	l := requestLine("L", "subscriptions/listen", `{`+m+`,"notifications":{"toolsListChanged":true}}`)
	ack := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}`
	s := NewServer(captureOf(t, reprise.EndedByServer, ">"+l, "<"+ack, ">"+requestLine(2, "tools/call", `{`+m+`,"name":"a"}`), "<"+resultLine(2, textResult("x")), ">"+requestLine(3, "tools/call", `{`+m+`,"name":"b"}`)))
	got, r := played(s, []string{l, requestLine(2, "tools/call", `{`+m+`,"name":"a"}`), requestLine(3, "tools/call", `{`+m+`,"name":"b"}`)})
	t.Log(strings.Join(got, "\n"), r.Lost)
}

// K: server polls a client's task
func TestServeClientTask(t *testing.T) {
	q := `{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"task":{"ttl":1}}}`
	ans := func(task string) string {
		return `{"jsonrpc":"2.0","id":"q1","result":{"task":{"taskId":"` + task + `","status":"working"}}}`
	}
	poll := func(task string) string {
		return `{"jsonrpc":"2.0","id":"q2","method":"tasks/result","params":{"taskId":"` + task + `"}}`
	}
	caps := `{"sampling":{},"tasks":{"requests":{"sampling":{"createMessage":{}}}}}`
	s := NewServer(clientCapture(t, ">"+shake(caps), "<"+hiAnswer, ">"+callLine(1, "a", `{}`), "<"+q, ">"+ans("c1"), "<"+poll("c1"), `>{"jsonrpc":"2.0","id":"q2","result":{"role":"assistant"}}`, "<"+resultLine(1, textResult("done"))))
	got, _ := played(s, []string{shake(caps), callLine(1, "a", `{}`), ans("LIVE")})
	t.Log(strings.Join(got, "\n"))
	if !strings.Contains(strings.Join(got, "\n"), `"taskId":"LIVE"`) {
		t.Error("server polls the recorded client's task")
	}
}
func TestServeSkipMutual(t *testing.T) {
	q := func(id, m string) string {
		return `{"jsonrpc":"2.0","id":"` + id + `","method":"` + m + `","params":{}}`
	}
	ans := func(id string) string { return `{"jsonrpc":"2.0","id":"` + id + `","result":{"x":1}}` }
	s := NewServer(clientCapture(t, ">"+shake(`{"sampling":{},"roots":{}}`), "<"+hiAnswer, ">"+callLine(1, "a", `{}`), "<"+q("q1", "roots/list"), "<"+q("q2", "sampling/createMessage"), ">"+ans("q2"), ">"+ans("q1"), "<"+resultLine(1, textResult("done"))))
	got, _ := played(s, []string{shake(`{"sampling":{}}`), callLine(1, "a", `{}`), ans("q2")})
	t.Log(strings.Join(got, "\n"))
	if !strings.Contains(got[len(got)-1], "done") || strings.Contains(got[1], "done") {
		t.Error("answered before q2 was")
	}
}
