package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// conversation is a connection whose client has written everything at once and reads nothing before.
type conversation struct {
	io.Reader
	bytes.Buffer
}

func (c *conversation) Read(b []byte) (int, error) { return c.Reader.Read(b) }
func (c *conversation) Close() error               { return nil }

func served(t *testing.T, s *Server, client []string) string {
	t.Helper()
	conn := &conversation{Reader: strings.NewReader(strings.Join(client, "\n"))}
	if _, err := s.Serve(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	return conn.String()
}

// TestTwiceTheSame: the same client bytes give the same server bytes.
func TestTwiceTheSame(t *testing.T) {
	for _, name := range fixtures.Names() {
		c := captured(t, name)
		s := NewServer(c)
		client := framesOf(c, reprise.ClientToServer)
		first := served(t, s, client)
		for range 5 {
			if again := served(t, s, client); again != first {
				t.Errorf("%s differs", name)
			}
		}
		if other := served(t, NewServer(captured(t, name)), client); other != first {
			t.Errorf("%s differs on another server", name)
		}
	}
}

// independent is a session of calls that have nothing to do with each other.
func independent(n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, ">"+callLine(i, "get", fmt.Sprintf(`{"n":%d}`, i)), "<"+resultLine(i, textResult(fmt.Sprint("answer ", i))))
	}
	return lines
}

func TestShuffledRequestsGetTheirOwnAnswers(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient, independent(200)...))
	for seed := range uint64(5) {
		var client, want []string
		for i, n := range rand.New(rand.NewPCG(seed, 1)).Perm(200) {
			client = append(client, callLine(i, "get", fmt.Sprintf(`{"n":%d}`, n)))
			want = append(want, resultLine(i, textResult(fmt.Sprint("answer ", n))))
		}
		wants(t, s, client, want...)
	}
}

// TestAThousandCallsAtOnce: all are in flight before the first answer is read, from many goroutines.
func TestAThousandCallsAtOnce(t *testing.T) {
	const n = 1000
	s := NewServer(captureOf(t, reprise.EndedByClient, independent(n)...))
	client, server := net.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Serve(context.Background(), server)
		done <- err
	}()
	var writing sync.WaitGroup
	for i := range n {
		writing.Go(func() {
			if _, err := io.WriteString(client, callLine(i, "get", fmt.Sprintf(`{"n":%d}`, i))+"\n"); err != nil {
				t.Error(err)
			}
		})
	}
	writing.Wait() // the server takes them all before anybody reads
	got := map[string]bool{}
	in := bufio.NewReader(client)
	for range n {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		got[strings.TrimSpace(line)] = true
	}
	for i := range n {
		if want := resultLine(i, textResult(fmt.Sprint("answer ", i))); !got[want] {
			t.Errorf("no %s", want)
		}
	}
	client.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestSeveralClientsAtOnce: each has the whole session to itself.
func TestSeveralClientsAtOnce(t *testing.T) {
	c := captured(t, "plans/claude-tracker")
	s := NewServer(c)
	client := framesOf(c, reprise.ClientToServer)
	want := served(t, s, client)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got := served(t, s, client); got != want {
				t.Error("differs")
			}
		})
	}
	all.Wait()
}

func TestServeEndsWithItsContext(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient, independent(1)...))
	ctx, cancel := context.WithCancel(t.Context())
	client, server := net.Pipe()
	defer client.Close()
	time.AfterFunc(10*time.Millisecond, cancel)
	report, err := s.Serve(ctx, server)
	if !errors.Is(err, context.Canceled) || report == nil || len(report.Unused) != 1 {
		t.Error(report, err)
	}
}

// clock is a time that passes when somebody waits for it.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	waited []time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waited = append(c.waited, d)
	ch := make(chan time.Time, 1)
	ch <- c.now
	return ch
}

// TestTimeIsKept: with a speed, answers come as long after their calls as recorded, those of calls in flight together
// in the order of then.
func TestTimeIsKept(t *testing.T) {
	c := captureOf(t, reprise.EndedByClient, ">"+callLine(1, "slow", "{}"), ">"+callLine(2, "quick", "{}"),
		"<"+resultLine(2, textResult("quick")), "<"+resultLine(1, textResult("slow")))
	s := NewServer(c)
	both := []string{callLine(1, "slow", "{}"), callLine(2, "quick", "{}")}
	slow, quick := resultLine(1, textResult("slow")), resultLine(2, textResult("quick"))
	if got := served(t, s, both); got != slow+"\n"+quick+"\n" {
		t.Errorf("instantly: %s", got)
	}
	together := []string{"[" + strings.Join(both, ",") + "]"} // so that no time passes between them
	for speed, first := range map[float64]time.Duration{1: time.Millisecond, 0.5: 2 * time.Millisecond} {
		at := &clock{now: time.Unix(0, 0)}
		s.Speed, s.Now, s.After = speed, at.Now, at.After
		if got := served(t, s, together); got != quick+"\n"+slow+"\n" {
			t.Errorf("%gx: %s", speed, got)
		}
		if len(at.waited) == 0 || at.waited[0] > 3*first {
			t.Errorf("%gx: waited %v", speed, at.waited)
		}
	}
}

// upstream is a real server that knows more than the capture.
func upstream(t *testing.T, name string) (dial func() (io.ReadWriteCloser, error)) {
	return scripted(func(m *reprise.Message) string {
		switch {
		case m.Method == "initialize":
			return fmt.Sprintf(`{"id":%s,"jsonrpc":"2.0","result":{"serverInfo":{"name":%q}}}`, m.ID, name)
		case m.Kind == reprise.KindRequest:
			return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}` + "\n" +
				fmt.Sprintf(`{"result":{"content":[{"type":"text","text":"live, api_key=Zq8vT3nLw0Rk5Yp2Xc7Jd1"}]},"jsonrpc":"2.0","id":%s}`, m.ID)
		}
		return ""
	})
}

// kept keeps a changed copy of a capture.
func kept(c *reprise.Capture, saved **reprise.Capture) func(func(*reprise.Capture)) error {
	return func(change func(*reprise.Capture)) error {
		now := *c
		if *saved != nil {
			now = **saved
		}
		now.Items = slices.Clone(now.Items)
		change(&now)
		*saved = &now
		return nil
	}
}

func TestPassthroughAsksAndAdds(t *testing.T) {
	hello := requestLine(0, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{}}`)
	c := captureOf(t, reprise.EndedByClient, ">"+hello, `<{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"real"}}}`, ">"+callLine(1, "a", "{}"), "<"+resultLine(1, textResult("recorded")))
	var saved *reprise.Capture
	s := NewServer(c)
	s.OnMiss = OnMissPassthrough
	s.Upstream = &Upstream{Dial: upstream(t, "real"), Update: kept(c, &saved)}
	ask := `{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"a","arguments":{"new":1},"_meta":{"progressToken":"p"}}}`
	got := strings.Split(served(t, s, []string{hello, callLine(1, "a", "{}"), ask}), "\n")
	if err := s.Upstream.Close(); err != nil {
		t.Fatal(err)
	}
	live := `{"result":{"content":[{"type":"text","text":"live, api_key=Zq8vT3nLw0Rk5Yp2Xc7Jd1"}]},"jsonrpc":"2.0","id":"q"}`
	if !slices.Contains(got, live) || !slices.Contains(got, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`) {
		t.Fatalf("%q", got)
	}
	// What was added is played from then on, without the server.
	wants(t, NewServer(saved), []string{ask}, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, live)
	if n := len(c.Items); n != 5 {
		t.Errorf("the capture that is played has grown to %d items", n)
	}
	var file bytes.Buffer
	if err := saved.Write(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := reprise.LoadCapture(&file); err != nil {
		t.Error(err)
	}
}

// TestPassthroughRedactsAsTheFileDoes: what is added to a redacted capture has the file's own placeholders, and new ones for new secrets.
func TestPassthroughRedactsAsTheFileDoes(t *testing.T) {
	c := captureOf(t, reprise.EndedByClient, ">"+callLine(1, "login", `{"token":"«redacted:api-key:1»"}`), "<"+resultLine(1, textResult("in")))
	c.Header.Redaction = `{"rules":"default","placeholders":1}`
	var saved *reprise.Capture
	s := NewServer(c)
	s.OnMiss = OnMissPassthrough
	s.Upstream = &Upstream{Dial: upstream(t, "real"), Update: kept(c, &saved)}
	got := served(t, s, []string{callLine(1, "login", `{"token":"hunter2hunter2"}`), callLine(2, "more", `{"token":"hunter2hunter2","x":1}`)})
	s.Upstream.Close()
	var file bytes.Buffer
	if err := saved.Write(&file); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, "Zq8vT3nLw0Rk5Yp2Xc7Jd1") {
		t.Error("the client got something else than the server said:", got)
	}
	if text := file.String(); strings.Contains(text, "hunter2") || strings.Contains(text, "Zq8vT3nLw0Rk5Yp2Xc7Jd1") || strings.Count(text, "«redacted:api-key:1»") != 2 {
		t.Error(text)
	}
}

// TestPassthroughShakesHandsFirst: of many misses at once none reaches the real server before it has answered the handshake.
func TestPassthroughShakesHandsFirst(t *testing.T) {
	hello := requestLine(0, "initialize", `{}`)
	s := NewServer(captureOf(t, reprise.EndedByClient, ">"+hello, `<{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"real"}}}`))
	s.OnMiss = OnMissPassthrough
	saved := 0
	s.Upstream = &Upstream{Update: func(func(*reprise.Capture)) error { saved++; return nil }, Dial: func() (io.ReadWriteCloser, error) {
		client, server := net.Pipe()
		go func() {
			in := bufio.NewReader(server)
			first, _ := readLine(in)
			id := string(reprise.ReadMessages(first)[0].ID)
			more := make(chan string, 1)
			go func() {
				line, _ := readLine(in)
				more <- string(line)
			}()
			select {
			case line := <-more:
				t.Error("asked before the handshake: ", line)
			case <-time.After(50 * time.Millisecond):
			}
			fmt.Fprintf(server, `{"jsonrpc":"2.0","id":%s,"result":{"serverInfo":{"name":"stranger"}}}`+"\n", id)
		}()
		return client, nil
	}}
	got := served(t, s, []string{callLine(1, "a", "{}"), callLine(2, "b", "{}"), callLine(3, "c", "{}")})
	s.Upstream.Close()
	if saved != 0 || strings.Count(got, "stranger") != 3 {
		t.Errorf("saved %d times, sent %s", saved, got)
	}
}

// TestPassthroughToTheSilent: a real server that answers nothing, or reads nothing, is not waited for without end.
func TestPassthroughToTheSilent(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient, independent(1)...))
	s.OnMiss, s.grace = OnMissPassthrough, 20*time.Millisecond
	s.Upstream = &Upstream{Update: func(func(*reprise.Capture)) error { return nil }, Dial: func() (io.ReadWriteCloser, error) {
		client, _ := net.Pipe()
		return client, nil
	}}
	if got := served(t, s, []string{callLine(1, "a", "{}")}); !refused(got) {
		t.Error(got)
	}
}

func TestPassthroughToAStrangerAddsNothing(t *testing.T) {
	hello := requestLine(0, "initialize", `{}`)
	s := NewServer(captureOf(t, reprise.EndedByClient, ">"+hello, `<{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"real"}}}`))
	s.OnMiss = OnMissPassthrough
	s.Upstream = &Upstream{Dial: upstream(t, "another"), Update: func(func(*reprise.Capture)) error { t.Error("saved"); return os.ErrInvalid }}
	got := served(t, s, []string{callLine(1, "a", "{}")})
	if !refused(got) || !strings.Contains(got, "another") {
		t.Error(got)
	}
	s.Upstream.Close()
}

func TestACancelledCallIsAnsweredNoMore(t *testing.T) {
	c := captured(t, "made/cancel-silent")
	if sent, _ := played(NewServer(c), framesOf(c, reprise.ClientToServer)); len(sent) == 0 {
		t.Error("nothing was played")
	}
	question := requestLine(0, "roots/list", `{}`)
	s := NewServer(captureOf(t, reprise.EndedByClient, ">"+callLine(1, "a", "{}"), "<"+question, ">"+resultLine(0, `{"roots":[]}`), "<"+resultLine(1, textResult("x"))))
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	wants(t, s, []string{callLine(7, "a", "{}"), cancel, resultLine(0, `{"roots":[]}`)}, question)
}
