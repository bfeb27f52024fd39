package proxy

import (
	"sync/atomic"
	"time"
)

// tickLength is how often the watchdog looks while there is traffic.
const tickLength = 25 * time.Millisecond

// patience is at how many ticks more a call must still be seen before it counts as hung: it is 50 to 75 ms old then.
const patience = 2

// watchdog notices when a pump is stuck in its tap, as on a disk that stalls,
// and has it taken over. While any such call has not come back, all pumps tell
// the tap of what it misses instead of showing it (reprise.Tap.Miss).
//
// Nothing is timed per chunk: traffic wakes it up when it sleeps, and it falls
// asleep when there is no more. An idle proxy causes no wake-ups.
type watchdog struct {
	pumps []*pump
	hung  atomic.Int32 // calls that were taken over and have not come back
	awake atomic.Bool
	timer *time.Timer

	// Whoever is awake owns these.
	seen   []sighting
	looked time.Time
}

type sighting struct {
	state uint64
	ticks int
}

func newWatchdog() *watchdog {
	w := &watchdog{}
	w.timer = time.AfterFunc(time.Hour, w.look)
	w.timer.Stop()
	return w
}

func (w *watchdog) watch(pumps ...*pump) {
	w.pumps = pumps
	w.seen = make([]sighting, len(pumps))
}

// wake is called when a pump has entered the tap.
func (w *watchdog) wake() {
	if !w.awake.Load() && w.awake.CompareAndSwap(false, true) {
		w.timer.Reset(tickLength)
	}
}

func (w *watchdog) look() {
	now := time.Now()
	// A tick that is late shows that we were not running ourselves: then a call in progress proves nothing.
	late := now.Sub(w.looked) > 2*tickLength
	w.looked = now
	if w.lookAround(late) {
		w.timer.Reset(tickLength)
		return
	}
	var seen, states uint64
	for _, s := range w.seen {
		seen += s.state
	}
	w.awake.Store(false)
	for _, p := range w.pumps {
		states += p.state.Load()
	}
	if states != seen { // they only grow: a pump has gone on, and may have found us awake
		w.wake()
	}
}

// lookAround says whether there is traffic.
func (w *watchdog) lookAround(late bool) (traffic bool) {
	for i, p := range w.pumps {
		s := &w.seen[i]
		state := p.state.Load()
		switch {
		case state != s.state:
			*s = sighting{state: state}
			traffic = true
		case state%phases == observing:
			traffic = true
			if late {
				continue
			}
			if s.ticks++; s.ticks >= patience {
				p.takeOver(state)
			}
		}
	}
	return traffic
}
