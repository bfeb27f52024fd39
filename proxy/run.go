package proxy

import (
	"os"
	"time"

	"reprise"
)

// run is one session under way.
type run struct {
	*Stdio
	grace            Grace
	hostIn, hostOut  *borrowed
	toServer, toHost *wire
	in, out, err     *pump
	hangUps          *hangUps

	ending reprise.Ending
	sent   map[os.Signal]bool // what the host has signalled
	still  [2]stillness       // of out and err

	// Zero when not due.
	termAt, killAt time.Time
	hangUpAt       time.Time // when the host is told that the server has closed its stdout and lives on
	delivering     uint64    // the state of in when termAt was set

	// An idle session has no ticker: time matters only once an ending has begun.
	ticker *time.Ticker
	tick   <-chan time.Time
	pause  time.Duration // between two ticks
}

func newRun(s *Stdio, tap reprise.Tap) *run {
	if tap == nil {
		tap = nobody{}
	}
	g := s.Grace.orUsual()
	r := &run{Stdio: s, grace: g, sent: map[os.Signal]bool{}}
	r.pause = max(min(g.Close, g.Term, g.Signal, g.Drain)/10, time.Millisecond)
	r.hostIn, r.hostOut = borrow(s.Host.In), borrow(s.Host.Out)
	r.toServer, r.toHost = newWire(s.server.In), newWire(r.hostOut.File)
	r.pumps(tap)
	r.hangUps = watchHangUps(r.hostIn, r.hostOut)
	r.running.Store(true)
	return r
}

func (r *run) pumps(tap reprise.Tap) {
	watch := newWatchdog()
	start := func(d reprise.Direction, src *os.File, to sink, size int) *pump {
		return &pump{direction: d, src: src, sink: to, size: size, atEnd: func() {},
			tap: tap, elapsed: r.Elapsed, watch: watch, done: make(chan struct{})}
	}
	r.in = start(reprise.ClientToServer, r.hostIn.File, r.toServer, bufferSize)
	r.in.atEnd = func() { r.server.In.Close() }
	r.out = start(reprise.ServerToClient, r.server.Out, r.toHost, bufferSize)
	r.out.atEnd = func() { r.server.Out.Close() }
	r.err = start(reprise.ServerLog, r.server.Err, r.log, logLimit/4)
	watch.watch(r.in, r.out, r.err)
	for _, p := range watch.pumps {
		go p.run()
	}
}

// close stops what still runs and gives everything back.
func (r *run) close() {
	r.hangUps.stop()
	for _, p := range []*pump{r.in, r.out, r.err} {
		p.stop()
	}
	r.running.Store(false)
	r.log.flush()
	r.server.close()
	r.hostIn.giveBack()
	r.hostOut.giveBack()
	if r.ticker != nil {
		r.ticker.Stop()
	}
}

// soon is the time after d, and makes sure that it is noticed.
func (r *run) soon(d time.Duration) time.Time {
	if r.ticker == nil {
		r.ticker = time.NewTicker(r.pause)
		r.tick = r.ticker.C
	}
	return time.Now().Add(d)
}

func (r *run) sleep() {
	r.ticker.Stop()
	r.ticker, r.tick = nil, nil
}

// stillness is how long a pump has not moved.
type stillness struct {
	state uint64
	since time.Time
}

func (s *stillness) of(state uint64, now time.Time) time.Duration {
	if state != s.state || s.since.IsZero() {
		s.state, s.since = state, now
	}
	return now.Sub(s.since)
}
