package proxy

import (
	"bytes"
	"os"
	"sync"
	"time"
)

const (
	// logLimit is how much of the server's stderr may wait for the host to read it.
	logLimit = 256 << 10
	// logPatience is how long the server waits, once, when its stderr outruns a
	// host that reads it. A host that has not read any for so long does not read it,
	// and what does not fit is withheld until it does.
	logPatience = 500 * time.Millisecond
	// flushPatience is how long our end waits for such a host.
	flushPatience = 200 * time.Millisecond
	// logPiece is how much is written at once: each piece that is taken shows that the host reads.
	logPiece = 16 << 10
)

// hostLog is the host's stderr: a sink that does not wait for ever. Its
// descriptor is often shared with the host itself, or with a terminal, and must stay as it
// is (never O_NONBLOCK); so what waits, waits in memory, and one goroutine
// does blocking writes while there is something to write.
type hostLog struct {
	file *os.File

	mu      sync.Mutex
	moved   chan struct{} // closed, and replaced, when a write comes back
	queue   [][]byte
	used    int // bytes admitted and not yet written
	writing bool
	stalled bool // the host does not read
	broken  bool // the host has closed it
	midLine bool
	waiting []byte // our own lines, until the server's line ends
}

func newHostLog(f *os.File) *hostLog {
	return &hostLog{file: f, moved: make(chan struct{})}
}

// admit reserves room for n bytes. False means that the host does not read.
func (l *hostLog) admit(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.used+n > logLimit && !l.stalled && !l.broken {
		l.stalled = !l.await(logPatience)
	}
	fits := l.used+n <= logLimit && !l.broken
	if fits {
		l.used += n
	}
	return fits
}

// pass queues a copy of bytes that were admitted, and behind a line end our own lines.
func (l *hostLog) open() bool { return true }

func (l *hostLog) pass(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if end := bytes.LastIndexByte(b, '\n') + 1; end > 0 && len(l.waiting) > 0 {
		l.push(bytes.Clone(b[:end]))
		l.pushWaiting()
		b = b[end:]
	}
	if len(b) > 0 {
		l.push(bytes.Clone(b))
		l.midLine = b[len(b)-1] != '\n'
	}
}

func (l *hostLog) cut() bool { return true }

// warn queues a line of our own, whether there is room or not.
func (l *hostLog) warn(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(append(l.waiting, line...), '\n')
	if !l.midLine {
		l.pushWaiting()
	}
}

func (l *hostLog) pushWaiting() {
	l.used += len(l.waiting)
	l.push(l.waiting)
	l.waiting, l.midLine = nil, false
}

func (l *hostLog) push(b []byte) {
	l.queue = append(l.queue, b)
	if !l.writing {
		l.writing = true
		go l.write()
	}
}

// write empties the queue.
func (l *hostLog) write() {
	for {
		b := l.next()
		if b == nil {
			return
		}
		err := writeBlocking(l.file, b)
		l.mu.Lock()
		l.used -= len(b)
		l.stalled, l.broken = false, err != nil
		close(l.moved)
		l.moved = make(chan struct{})
		l.mu.Unlock()
	}
}

func (l *hostLog) next() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		l.queue, l.used = nil, 0
	}
	if len(l.queue) == 0 {
		l.writing = false
		return nil
	}
	b := l.queue[0]
	if len(b) > logPiece {
		l.queue[0], b = b[logPiece:], b[:logPiece]
		return b
	}
	l.queue[0] = nil
	l.queue = l.queue[1:]
	return b
}

// await gives up the lock until a write comes back, or for d.
func (l *hostLog) await(d time.Duration) bool {
	moved := l.moved
	l.mu.Unlock()
	defer l.mu.Lock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-moved:
		return true
	case <-timer.C:
		return false
	}
}

// flush writes what waits, as long as the host takes it. A write that is
// blocked for longer is left behind: nothing can call it back.
func (l *hostLog) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 {
		l.used++
		l.push([]byte("\n")) // the server's last line has no end
		l.pushWaiting()
	}
	for l.used > 0 && l.await(flushPatience) {
	}
}
