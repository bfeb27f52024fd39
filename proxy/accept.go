package proxy

import (
	"io"
	"os"
	"sync"
	"time"
)

// Accept takes the host that started us, at the far end of our own stdin and
// stdout, as a connection: Read comes from it, Write goes to it. That the host
// reads no more is an error of Write, never our death by SIGPIPE.
//
// Close gives the streams back as they were, open; a pending Read or Write comes
// back, but for one of a terminal or on Windows.
func Accept(in, out *os.File) io.ReadWriteCloser {
	return &accepted{in: borrow(in), out: borrow(out)}
}

// attention is how long a Read looks before it sleeps: about what waking takes.
const attention = 50 * time.Microsecond

type accepted struct {
	in, out *borrowed
	closed  sync.Once
}

// Read looks for a moment before it sleeps: a client that has just got an answer often asks again at once, and to be woken
// on another processor takes longer than all else.
func (a *accepted) Read(b []byte) (int, error) { return a.in.readSoon(b, attention) }

func (a *accepted) Write(b []byte) (int, error) { return a.out.Write(b) }

// SetWriteDeadline bounds how long a Write waits for the host to read. What is no pipe or socket has none: os.ErrNoDeadline.
func (a *accepted) SetWriteDeadline(t time.Time) error { return a.out.SetWriteDeadline(t) }

func (a *accepted) Close() error {
	a.closed.Do(func() {
		a.in.giveBack()
		a.out.giveBack()
	})
	return nil
}
