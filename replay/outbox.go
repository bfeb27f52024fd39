package replay

import (
	"fmt"
	"io"
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
	closed bool
	wake   chan struct{}
	done   chan struct{}
	err    error // sticky; of the writer alone until done
}

// due is a line with its time.
type due struct {
	line
	at time.Time
}

func newOutbox(conn io.Writer, s *Server) *outbox {
	o := &outbox{conn: conn, Server: s, wake: make(chan struct{}, 1), done: make(chan struct{})}
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
		if l.ask {
			continue
		}
		if l.drop {
			o.queue = slices.DeleteFunc(o.queue, func(d due) bool { return d.op == l.op && !d.kept && d.at.After(now) })
			continue
		}
		d := due{line: l}
		if o.Speed > 0 {
			d.at = now.Add(time.Duration(float64(l.after) / o.Speed))
		}
		i, _ := slices.BinarySearchFunc(o.queue, d, func(a, b due) int {
			if a.at.After(b.at) {
				return 1
			}
			return -1
		})
		o.queue = slices.Insert(o.queue, i, d)
	}
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
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
		for _, l := range lines {
			o.write(l)
		}
		switch {
		case len(lines) > 0:
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

// take gives what is due; else how long it is until something is, and whether anything may still come.
func (o *outbox) take() (lines []due, wait time.Duration, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
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
	return lines, 0, !o.closed || len(o.queue) > 0
}

// write writes one message at a time: clients have races when several arrive in one read.
func (o *outbox) write(l due) {
	if o.err != nil {
		return
	}
	if _, err := o.conn.Write(l.data); err != nil {
		o.err = fmt.Errorf("write client: %w", err)
	}
	runtime.Gosched()
}
