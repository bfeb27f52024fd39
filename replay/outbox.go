package replay

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
)

// outbox writes lines when they are due. It takes any number of them, so that a client which writes much before it
// reads anything is not waited for.
type outbox struct {
	conn io.Writer
	*Server

	mu     sync.Mutex
	queue  []due
	busy   bool // somebody writes
	slow   bool // the client has kept us waiting: the writer writes from now on
	closed bool
	gone   bool // nobody reads any more
	wake   chan struct{}
	done   chan struct{}
	err    error // sticky; of who is busy

	patient  deadliner // conn, where its writes can be bounded
	deadline time.Time
}

// deadliner is a connection whose writes need not wait for ever.
type deadliner interface{ SetWriteDeadline(time.Time) error }

// patience is about how long a write may take before it is left to the writer, and the client is heard again.
const patience = time.Second

// due is a line with its time.
type due struct {
	line
	at time.Time
}

func newOutbox(conn io.Writer, s *Server) *outbox {
	o := &outbox{conn: conn, Server: s, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if d, ok := conn.(deadliner); ok && d.SetWriteDeadline(time.Time{}) == nil {
		o.patient = d
	}
	go o.run()
	return o
}

// put takes lines to be written. What is due at the same time is written in the order in which it came.
func (o *outbox) put(lines []line) {
	if len(lines) == 0 {
		return
	}
	o.mu.Lock()
	now := time.Time{}
	if o.Speed > 0 {
		now = o.Now()
	}
	for _, l := range lines {
		if l.ask || o.gone {
			continue
		}
		if l.drop {
			o.queue = slices.DeleteFunc(o.queue, func(d due) bool { return d.op == l.op && !d.kept && d.at.After(now) })
			continue
		}
		if o.Speed == 0 {
			o.queue = append(o.queue, due{line: l})
			continue
		}
		d := due{l, now.Add(time.Duration(float64(l.after) / o.Speed))}
		i, _ := slices.BinarySearchFunc(o.queue, d, func(a, b due) int {
			if a.at.After(b.at) {
				return 1
			}
			return -1
		})
		o.queue = slices.Insert(o.queue, i, d)
	}
	direct := o.patient != nil && o.Speed == 0 && !o.busy && !o.slow && len(o.queue) == len(lines) && !o.gone
	o.busy = o.busy || direct
	o.mu.Unlock()
	if direct {
		o.direct()
		return
	}
	o.signal()
}

// direct writes what is there at once: waking the writer takes longer than most writes. What the client does not
// take in time is left to the writer.
func (o *outbox) direct() {
	if now := time.Now(); o.deadline.Sub(now) < patience/2 {
		o.bound(now.Add(patience))
	}
	o.mu.Lock()
	lines := o.queue
	o.queue = nil
	o.mu.Unlock()
	for i := range lines {
		if i > 0 {
			runtime.Gosched()
		}
		n := o.write(lines[i])
		if !errors.Is(o.err, os.ErrDeadlineExceeded) {
			continue
		}
		o.err = nil
		lines[i].data = lines[i].data[n:]
		o.mu.Lock()
		o.queue, o.slow = append(lines[i:], o.queue...), true
		o.mu.Unlock()
		break
	}
	o.mu.Lock()
	o.busy = false
	if len(o.queue) == 0 && !o.slow {
		o.queue = lines[:0]
	}
	more := len(o.queue) > 0 || o.closed
	o.mu.Unlock()
	if more {
		o.signal()
	}
}

// bound bounds the writes from now on.
func (o *outbox) bound(t time.Time) {
	o.deadline = t
	_ = o.patient.SetWriteDeadline(t)
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// drop lets go of what has not been written: nobody is there to read it.
func (o *outbox) drop() {
	o.mu.Lock()
	o.queue, o.closed, o.gone = nil, true, true
	o.mu.Unlock()
	o.signal()
}

// close waits until everything is written.
func (o *outbox) close() error {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.signal()
	<-o.done
	return o.err
}

func (o *outbox) run() {
	defer close(o.done)
	for {
		lines, wait, more := o.take()
		if len(lines) > 0 && !o.deadline.IsZero() {
			o.bound(time.Time{})
		}
		for i, l := range lines {
			if i > 0 {
				runtime.Gosched()
			}
			o.write(l)
		}
		switch {
		case len(lines) > 0:
			o.rest()
		case wait > 0:
			select {
			case <-o.After(wait):
			case <-o.wake:
			}
		case !more:
			return
		default:
			<-o.wake
		}
	}
}

// rest lets others write.
func (o *outbox) rest() {
	o.mu.Lock()
	o.busy = false
	o.mu.Unlock()
}

// take gives what is due; else how long it is until something is, and whether anything may still come.
func (o *outbox) take() (lines []due, wait time.Duration, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy {
		return nil, 0, true
	}
	n := len(o.queue)
	if o.Speed > 0 && n > 0 {
		now := o.Now()
		n = 0
		for n < len(o.queue) && !o.queue[n].at.After(now) {
			n++
		}
		if n == 0 {
			return nil, o.queue[0].at.Sub(now), true
		}
	}
	lines = o.queue[:n:n]
	o.queue = o.queue[n:]
	o.busy = n > 0
	return lines, 0, !o.closed || len(o.queue) > 0
}

// write writes one message. Each goes by itself: clients have races when several arrive in one read.
func (o *outbox) write(l due) (n int) {
	if o.err != nil {
		return 0
	}
	n, err := o.conn.Write(l.data)
	if err != nil {
		o.err = fmt.Errorf("write client: %w", err)
	}
	return n
}
