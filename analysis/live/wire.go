package live

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// wire is a connection that one goroutine reads and another one writes. Both have ended when close returns.
type wire struct {
	conn    io.ReadWriteCloser
	lines   chan []byte   // with their line ends; closed behind the last one
	written chan []byte   // to be written
	failed  chan struct{} // closed when the server reads no more
	quit    chan struct{} // closed when nobody listens any more
	both    sync.WaitGroup
	limit   int64 // of bytes that are read
	err     error // why reading ended: valid when lines is closed
}

// errFlood says that a server has said more than it may.
var errFlood = errors.New("the server said more than it may")

func connect(conn io.ReadWriteCloser, limit int64) *wire {
	w := &wire{conn: conn, lines: make(chan []byte), written: make(chan []byte), failed: make(chan struct{}), quit: make(chan struct{}), limit: limit}
	w.both.Add(2)
	go w.read()
	go w.write()
	return w
}

func (w *wire) close() {
	close(w.quit)
	w.conn.Close()
	w.both.Wait()
}

func (w *wire) read() {
	defer w.both.Done()
	defer close(w.lines)
	in := bufio.NewReaderSize(w.conn, 64<<10)
	for {
		line, err := w.line(in)
		if len(line) > 0 {
			select {
			case w.lines <- line:
			case <-w.quit:
				return
			}
		}
		if err != nil {
			w.err = err
			return
		}
	}
}

// line reads one line of any length, as far as the limit goes: of a longer one nothing is given.
func (w *wire) line(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		if w.limit -= int64(len(piece)); w.limit < 0 {
			return nil, errFlood
		}
		if line = append(line, piece...); !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.Clone(line), err
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

// ended says in words why there is no more to read.
func (w *wire) ended() string {
	switch {
	case errors.Is(w.err, errFlood):
		return w.err.Error()
	case errors.Is(w.err, io.EOF):
		return "the server ended"
	}
	return fmt.Sprintf("the connection broke: %v", w.err)
}
