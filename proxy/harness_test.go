package proxy

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures/fixturetest"
)

// hangGuard is when a test gives up. Nothing else is timed.
const hangGuard = 60 * time.Second

// never is a ladder of which no step may be needed.
var never = Grace{Close: time.Hour, Term: time.Hour, Signal: time.Hour, Drain: time.Hour}

// host is a session, held by its ends.
type host struct {
	t       *testing.T
	stdio   *Stdio
	in      *os.File // to the server
	out     *os.File // from the server
	err     *os.File
	signals chan os.Signal
	exit    chan Exit
}

// link makes one stream, as os.Pipe does.
type link func() (r, w *os.File, err error)

// dial starts a command behind a proxy.
func dial(t *testing.T, grace Grace, tap reprise.Tap, command ...string) *host {
	t.Helper()
	return dialOver(t, os.Pipe, grace, tap, command...)
}

func dialOver(t *testing.T, link link, grace Grace, tap reprise.Tap, command ...string) *host {
	t.Helper()
	h := &host{t: t, signals: make(chan os.Signal, 8), exit: make(chan Exit, 1)}
	theirs, ours := twoWays(t, link)
	h.in, h.out, h.err = ours.In, ours.Out, ours.Err
	h.stdio = &Stdio{Command: command, Host: theirs, Signals: h.signals, Grace: grace}
	if err := h.stdio.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		exit := h.stdio.Run(tap)
		theirs.close() // what the end of the process does otherwise
		h.exit <- exit
	}()
	return h
}

// evil starts a scripted server behind a proxy.
func evil(t *testing.T, grace Grace, tap reprise.Tap, script string) *host {
	t.Helper()
	return dial(t, grace, tap, evilCommand(t, script)...)
}

func evilCommand(t *testing.T, script string) []string {
	return []string{fixturetest.Bin(t, "fixture"), "evil", "-timeout", "1m", "-e", script}
}

// twoWays makes the standard streams of a proxy, and the host's ends of them.
func twoWays(t *testing.T, link link) (theirs, ours Files) {
	t.Helper()
	for _, p := range []struct{ r, w **os.File }{
		{&theirs.In, &ours.In}, {&ours.Out, &theirs.Out}, {&ours.Err, &theirs.Err},
	} {
		var err error
		if *p.r, *p.w, err = link(); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range theirs.each() {
		f.Fd() // makes it blocking, as hosts hand it over
	}
	t.Cleanup(theirs.close)
	t.Cleanup(ours.close)
	return theirs, ours
}

func (h *host) send(data string) {
	h.t.Helper()
	_ = h.in.SetWriteDeadline(time.Now().Add(hangGuard))
	if _, err := io.WriteString(h.in, data); err != nil {
		h.t.Errorf("send: %v", err)
	}
}

// expect reads exactly these bytes.
func (h *host) expect(want string) {
	h.t.Helper()
	got := make([]byte, len(want))
	_ = h.out.SetReadDeadline(time.Now().Add(hangGuard))
	if n, err := io.ReadFull(h.out, got); string(got) != want {
		h.t.Fatalf("got %q, want %q: %v", got[:n], want, err)
	}
}

// rest reads a stream to its end.
func (h *host) rest(f *os.File) []byte {
	h.t.Helper()
	_ = f.SetReadDeadline(time.Now().Add(hangGuard))
	data, err := io.ReadAll(f)
	if err != nil {
		h.t.Errorf("read: %v", err)
	}
	return data
}

// ends waits for the end of the session.
func (h *host) ends() Exit {
	h.t.Helper()
	select {
	case exit := <-h.exit:
		return exit
	case <-time.After(hangGuard):
		h.t.Fatal("the session does not end")
		return Exit{}
	}
}

func (h *host) endsWith(want Exit) {
	h.t.Helper()
	if got := h.ends(); got != want {
		h.t.Errorf("ended with %+v, want %+v", got, want)
	}
}

// eventually waits for what another process or goroutine does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(hangGuard); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// memory is a tap that keeps everything, in the order of its times: what it
// is told to miss may overtake a chunk that it is still being shown.
type memory struct {
	mu       sync.Mutex
	chunks   []reprise.Chunk
	missed   int
	withheld int
}

func (m *memory) Observe(c reprise.Chunk) {
	c.Data = bytes.Clone(c.Data)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.chunks = append(m.chunks, c)
	if c.Withheld {
		m.withheld += len(c.Data)
	}
}

func (m *memory) Miss(c reprise.Chunk) {
	m.Observe(c)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.missed++
}

func (m *memory) bytes(d reprise.Direction) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	slices.SortStableFunc(m.chunks, func(a, b reprise.Chunk) int { return cmp.Compare(a.At, b.At) })
	var all []byte
	for _, c := range m.chunks {
		if c.Direction == d {
			all = append(all, c.Data...)
		}
	}
	return all
}

// first fails the test at the first byte that differs.
func first(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.Errorf("%s: %d bytes, want %d; they differ at %d: got %.40q, want %.40q", what, len(got), len(want), at, got[at:], want[at:])
}
