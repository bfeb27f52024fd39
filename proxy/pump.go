package proxy

import (
	"os"
	"sync/atomic"
	"time"

	"reprise"
)

// bufferSize is as much as a grown pipe holds.
const bufferSize = 256 << 10

// A sink is where a pump's bytes go on.
type sink interface {
	// admit is asked first, once for each chunk: a chunk that is not admitted is withheld.
	admit(n int) bool
	// pass hands on a chunk that was admitted.
	pass(b []byte)
	// open is asked between two chunks: a pump whose sink is not open reads no more, so that its source sees that nobody listens.
	open() bool
	// cut makes a pass that is blocked return, now and from now on. It says whether it can.
	cut() bool
}

// pump moves one direction: read, show to the tap, hand on.
//
// Its loop has one owner at a time, in whose turn state is counted up. Should the
// owner be stuck in the tap, the watchdog takes the turn from it (takeOver).
type pump struct {
	direction reprise.Direction
	src       *os.File
	sink      sink
	atEnd     func() // called when all has been handed on
	size      int    // of a read
	tap       reprise.Tap
	elapsed   func() time.Duration
	watch     *watchdog

	state atomic.Uint64 // turn + phase; a turn is a multiple of phases, a new one for each chunk
	held  reprise.Chunk // what the owner shows to the tap while it is observing
	done  chan struct{} // closed when all has been handed on
}

// The phases of a turn. They only go up, and so does state.
const (
	reading   = iota // waiting for the source
	admitting        // holding a chunk
	observing        // in the tap
	passing          // waiting for the sink
	phases
)

func (p *pump) run() { p.loop(0, make([]byte, p.size)) }

func (p *pump) loop(turn uint64, buf []byte) {
	for p.sink.open() {
		n, err := p.src.Read(buf)
		if n > 0 {
			if !p.move(turn, buf[:n]) {
				return
			}
			turn += phases
		}
		if err != nil {
			break
		}
	}
	close(p.done) // first: a server that exits for want of stdin did not leave by itself
	p.atEnd()
}

// move shows a chunk to the tap and hands it on. It says whether it is still the caller's turn.
func (p *pump) move(turn uint64, data []byte) bool {
	p.state.Store(turn + admitting)
	c := reprise.Chunk{Direction: p.direction, Data: data, At: p.elapsed()}
	c.Withheld = !p.sink.admit(len(data))
	if !p.show(turn, c) {
		return false
	}
	p.handOn(turn, c)
	return true
}

func (p *pump) show(turn uint64, c reprise.Chunk) bool {
	if p.watch.hung.Load() > 0 {
		p.tap.Miss(c)
		p.state.Store(turn + passing)
		return true
	}
	p.held = c
	p.state.Store(turn + observing)
	p.watch.wake()
	p.tap.Observe(c)
	if p.state.CompareAndSwap(turn+observing, turn+passing) {
		return true
	}
	p.watch.hung.Add(-1) // it came back, too late: another goroutine goes on from here
	return false
}

func (p *pump) handOn(turn uint64, c reprise.Chunk) {
	if !c.Withheld {
		p.sink.pass(c.Data)
	}
	p.state.Store(turn + phases)
}

// takeOver goes on in place of an owner that was seen stuck in the tap. The
// stuck chunk is handed on from the owner's buffer, which both only read.
func (p *pump) takeOver(seen uint64) {
	turn := seen - observing
	if !p.state.CompareAndSwap(seen, turn+passing) {
		return
	}
	p.watch.hung.Add(1)
	c := p.held
	go func() {
		p.handOn(turn, c)
		p.loop(turn+phases, make([]byte, p.size))
	}()
}

func (p *pump) ended() bool { return isClosed(p.done) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// stop ends a pump that has nothing more to do, and waits for it unless it is
// blocked where it cannot be reached, as on a terminal.
func (p *pump) stop() {
	read := p.src.SetReadDeadline(longAgo) == nil
	if write := p.sink.cut(); read && write {
		<-p.done
	}
}

var longAgo = time.Unix(1, 0)

// wire is a sink that makes its pump wait: that is the backpressure. What
// cannot be delivered because nobody reads it any more is dropped.
type wire struct {
	file   *os.File
	broken chan struct{} // closed at the first write that failed
	dead   bool          // the owner's
}

func newWire(f *os.File) *wire { return &wire{file: f, broken: make(chan struct{})} }

func (w *wire) admit(int) bool { return true }

func (w *wire) pass(b []byte) {
	if _, err := w.file.Write(b); err != nil {
		w.dead = true
		close(w.broken)
	}
}

func (w *wire) open() bool { return !w.dead }

func (w *wire) cut() bool { return w.file.SetWriteDeadline(longAgo) == nil }

// nobody is the tap of a session that is not recorded.
type nobody struct{}

func (nobody) Observe(reprise.Chunk) {}
func (nobody) Miss(reprise.Chunk)    {}
