package replay

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"reprise"
)

// scripted is a real server that answers each request with what f gives; nothing for "".
func scripted(f func(m *reprise.Message) string) func() (io.ReadWriteCloser, error) {
	return func() (io.ReadWriteCloser, error) {
		client, server := net.Pipe()
		go func() {
			in := bufio.NewReader(server)
			for {
				line, err := readLine(in)
				if err != nil {
					return
				}
				m := reprise.ReadMessages(line)[0]
				if text := f(&m); text != "" {
					fmt.Fprintf(server, "%s\n", text)
				}
			}
		}()
		return client, nil
	}
}

// TestAddedCallsAreFoundAgain: what is added has ids of its own, so that no call that was never answered gets the answer.
func TestAddedCallsAreFoundAgain(t *testing.T) {
	c := clientCapture(t, ">"+callLine(1, "silent", `{}`))
	var saved *reprise.Capture
	s := NewServer(c)
	s.OnMiss = OnMissPassthrough
	s.Upstream = &Upstream{Update: kept(c, &saved), Dial: scripted(func(m *reprise.Message) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"live":true}}`, m.ID)
	})}
	served(t, s, []string{callLine(1, "new", `{}`)})
	s.Upstream.Close()
	wants(t, NewServer(saved), []string{callLine(1, "new", `{}`)}, resultLine(1, `{"live":true}`))
	wants(t, NewServer(saved), []string{callLine(1, "silent", `{}`)})
}

func TestACancelledCallIsCancelledAtTheRealServer(t *testing.T) {
	told := make(chan string, 1)
	asked := make(chan string, 1)
	s := NewServer(clientCapture(t, ">"+callLine(1, "a", `{}`), "<"+resultLine(1, `{}`)))
	s.OnMiss = OnMissPassthrough
	s.Upstream = &Upstream{Update: func(func(*reprise.Capture)) error { t.Error("added"); return nil }, Dial: scripted(func(m *reprise.Message) string {
		if m.Kind == reprise.KindRequest {
			asked <- strings.Clone(m.ID)
		} else {
			told <- strings.Clone(reprise.Member(m.Params, "requestId").Raw)
		}
		return ""
	})}
	client, server := net.Pipe()
	done := make(chan *Report, 1)
	go func() {
		report, _ := s.Serve(context.Background(), server)
		done <- report
	}()
	fmt.Fprintln(client, callLine(5, "slow", `{}`))
	id := <-asked
	fmt.Fprintln(client, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	if got := <-told; got != id {
		t.Errorf("the real server was told of %s, asked as %s", got, id)
	}
	client.Close()
	if report := <-done; report.PassFailed != 0 {
		t.Errorf("%+v", report)
	}
	s.Upstream.Close()
}

func TestOneCursorForEveryPage(t *testing.T) {
	page := func(n int, more bool) string {
		if more {
			return fmt.Sprintf(`{"tools":[{"name":"t%d"}],"nextCursor":"more"}`, n)
		}
		return fmt.Sprintf(`{"tools":[{"name":"t%d"}]}`, n)
	}
	first, next := requestLine(1, "tools/list", `{}`), requestLine(1, "tools/list", `{"cursor":"more"}`)
	s := NewServer(clientCapture(t, ">"+first, "<"+resultLine(1, page(1, true)), ">"+next, "<"+resultLine(1, page(2, true)), ">"+next, "<"+resultLine(1, page(3, false))))
	walk := []string{first, next, next}
	want := []string{resultLine(1, page(1, true)), resultLine(1, page(2, true)), resultLine(1, page(3, false))}
	wants(t, s, append(walk, walk...), append(want, want...)...)
}

// TestAnEndWithAnErrorIsADeath: files that people write need not say how the session ended.
func TestAnEndWithAnErrorIsADeath(t *testing.T) {
	c := captureOf(t, "", ">"+callLine(1, "crash", `{}`))
	if got, report := played(NewServer(c), []string{callLine(1, "crash", `{}`)}); len(got) != 1 || report.Lost != 1 {
		t.Errorf("%q %+v", got, report)
	}
	s := NewServer(c)
	s.Faithful = true
	report, err := s.Serve(t.Context(), &conversation{Reader: strings.NewReader(callLine(1, "crash", `{}`) + "\n")})
	if err != nil || !report.Died || report.Code != 3 {
		t.Errorf("%+v %v", report, err)
	}
}

// TestServeEndsThoughSomethingIsDue: an answer that is far off holds nobody back who wants to end.
func TestServeEndsThoughSomethingIsDue(t *testing.T) {
	s := NewServer(clientCapture(t, ">"+callLine(1, "a", `{}`), "<"+resultLine(1, `{}`)))
	s.Speed = 1e-9
	ctx, cancel := context.WithCancel(t.Context())
	client, server := net.Pipe()
	defer client.Close()
	go func() {
		fmt.Fprintln(client, callLine(1, "a", `{}`))
		cancel()
	}()
	done := make(chan bool)
	go func() {
		_, _ = s.Serve(ctx, server)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Error("it goes on")
	}
}

// TestALargeMissIsNotComparedForEver bounds what one request costs that nothing answers.
func TestALargeMissIsNotComparedForEver(t *testing.T) {
	var lines []string
	for i := range 400 {
		lines = append(lines, ">"+callLine(i, "a", fmt.Sprintf(`{"n":%d}`, i)), "<"+resultLine(i, `{}`))
	}
	s := NewServer(clientCapture(t, lines...))
	wide := "{" + strings.TrimPrefix(strings.Repeat(`,"k":1`, 50_000), ",") + "}"
	deep := strings.Repeat(`{"a":`, 900) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}", 900)
	done := make(chan []string, 1)
	go func() {
		got, _ := played(s, []string{callLine(1, "a", wide), callLine(2, "a", deep)})
		done <- got
	}()
	select {
	case got := <-done:
		if len(got) != 2 || !refused(got[0]) || !refused(got[1]) {
			t.Errorf("%d lines", len(got))
		}
	case <-time.After(60 * time.Second):
		t.Error("it takes too long")
	}
}
