package replay

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sync"
)

// converse joins the state machine to a connection: one goroutine reads lines, one writes them, and both have ended when it returns.
func (v *verifier) converse(ctx context.Context, conn io.ReadWriteCloser) error {
	w := wire{conn: conn, lines: make(chan []byte), written: make(chan []byte), failed: make(chan struct{}), quit: make(chan struct{})}
	w.both.Add(2)
	go w.read()
	go w.write()
	err := v.run(ctx, &w)
	close(w.quit)
	conn.Close()
	w.both.Wait()
	return err
}

// wire is a connection that is read and written beside the state machine.
type wire struct {
	conn    io.ReadWriteCloser
	lines   chan []byte   // closed at the end of what the server says
	written chan []byte   // to be written
	failed  chan struct{} // closed when the server reads no more
	quit    chan struct{} // closed when nobody listens any more
	both    sync.WaitGroup
}

func (v *verifier) run(ctx context.Context, w *wire) error {
	failed := w.failed
	lines := w.lines
	for !v.advance() {
		var next []byte
		var to chan []byte
		if len(v.out) > 0 {
			next, to = v.out[0], w.written
		}
		select {
		case line, ok := <-lines:
			if !ok {
				v.end(EndedExit)
				lines, to, v.out = nil, nil, nil
				continue
			}
			v.hear(line)
		case to <- next:
			v.out = v.out[1:]
		case <-failed: // what it has said before is still read, up to its end
			failed, v.out = nil, nil
			v.deafAt = v.now() + v.Settle
		case <-v.After(max(v.due-v.now(), 0)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (w *wire) read() {
	defer w.both.Done()
	defer close(w.lines)
	in := bufio.NewReaderSize(w.conn, 64<<10)
	for {
		line, err := readWhole(in)
		if len(line) > 0 {
			select {
			case w.lines <- bytes.Clone(line):
			case <-w.quit:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) write() {
	defer w.both.Done()
	for {
		select {
		case line := <-w.written:
			if _, err := w.conn.Write(line); err != nil {
				close(w.failed)
				return
			}
		case <-w.quit:
			return
		}
	}
}
