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
// back, but for a Write to a terminal or on Windows.
func Accept(in, out *os.File) io.ReadWriteCloser {
	a := &accepted{in: borrow(in), out: borrow(out)}
	if !interruptible(a.in) {
		a.awaited = await(a.in)
	}
	return a
}

// attention is how long a Read looks before it sleeps: about what waking takes.
const attention = 50 * time.Microsecond

type accepted struct {
	in, out *borrowed
	awaited *awaited // what comes from in, where a Read of that can't be ended
	closed  sync.Once
}

// Read looks for a moment before it sleeps: a client that has just got an answer often asks again at once, and to be woken
// on another processor takes longer than all else.
func (a *accepted) Read(b []byte) (int, error) {
	if a.awaited != nil {
		return a.awaited.Read(b)
	}
	return a.in.readSoon(b, attention)
}

func (a *accepted) Write(b []byte) (int, error) { return a.out.Write(b) }

// SetWriteDeadline bounds how long a Write waits for the host to read. What is no pipe or socket has none: os.ErrNoDeadline.
func (a *accepted) SetWriteDeadline(t time.Time) error { return a.out.SetWriteDeadline(t) }

func (a *accepted) Close() error {
	a.closed.Do(func() {
		if a.awaited != nil {
			close(a.awaited.quit)
		}
		a.in.giveBack()
		a.out.giveBack()
	})
	return nil
}

// awaited reads a file of which a pending Read can't be ended: a terminal, and anything on Windows.
type awaited struct {
	got  chan []byte
	rest []byte
	err  error // when got is closed
	quit chan struct{}
}

// await starts the reading. Its goroutine is the one that nobody waits for: it may be blocked in our own stdin until the process ends.
func await(f io.Reader) *awaited {
	a := &awaited{got: make(chan []byte), quit: make(chan struct{})}
	go func() {
		defer close(a.got)
		for {
			b := make([]byte, bufferSize/4)
			n, err := f.Read(b)
			if n > 0 {
				select {
				case a.got <- b[:n]:
				case <-a.quit:
					return
				}
			}
			if err != nil {
				a.err = err
				return
			}
		}
	}()
	return a
}

func (a *awaited) Read(b []byte) (int, error) {
	if len(a.rest) == 0 {
		select {
		case got, ok := <-a.got:
			if a.rest = got; !ok {
				return 0, a.err
			}
		case <-a.quit:
			return 0, os.ErrClosed
		}
	}
	n := copy(b, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}
