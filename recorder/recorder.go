package recorder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"reprise"
)

// Recorder is the tap of one live session. Observe writes the journal; a
// goroutine of its own fills the database from it when traffic pauses.
// Trouble of either never reaches the traffic: what can't be written waits in
// memory, and beyond lateBytes it is counted as a gap.
type Recorder struct {
	warn    func(string) // told once when something is not recorded; may be nil
	dbPath  string
	elapsed func() time.Duration
	session reprise.Session
	warned  atomic.Bool
	telling sync.WaitGroup
	pulse   pulse
	filling atomic.Bool // the follower has facts to store, which go first

	mu      sync.Mutex // orders chunks across directions; held while the journal is written
	journal *journal   // nil while it can't be made
	reduce  *reducer   // not nil in metadata-only sessions
	at      time.Duration
	looked  time.Duration
	paused  atomic.Bool
	noted   tally // in the journal's header
	late    late

	unhurried context.Context // done when the session ends
	hurry     context.CancelFunc

	patience time.Duration // of End
	ended    chan ending   // to the follower, once
	done     chan struct{} // the follower is gone
}

// lateBytes is how much waits in memory while the journal can't be written.
const lateBytes = 8 << 20

// Start begins the record of a session. elapsed is the time since the session's start,
// the clock of its chunks. It neither fails nor waits for the disk: warn, which may be nil, is told once when
// something is not recorded. Call it after the server has been started.
func Start(dbPath string, s reprise.Session, elapsed func() time.Duration, warn func(string)) *Recorder {
	r := &Recorder{warn: warn, dbPath: dbPath, session: s, elapsed: elapsed,
		ended: make(chan ending, 1), done: make(chan struct{})}
	r.unhurried, r.hurry = context.WithCancel(context.Background())
	r.pulse.wake = make(chan struct{}, 1)
	if s.MetadataOnly {
		r.reduce = newReducer(r)
	}
	r.mu.Lock() // until the journal is there: the first chunk waits for it
	go func() {
		r.look(0)
		r.mu.Unlock()
		r.follow()
	}()
	return r
}

// Observe writes the chunk to the journal before it moves on.
func (r *Recorder) Observe(c reprise.Chunk) {
	var place *item
	if !r.mu.TryLock() {
		if !r.paused.Load() {
			place = r.late.wait(c)
		}
		r.mu.Lock()
	}
	if c.At-r.looked > time.Second {
		r.look(c.At)
	}
	r.keep(c, place)
	r.mu.Unlock()
	r.pulse.beat(c.At)
}

// Miss keeps a copy of a chunk that moves on while an Observe hangs.
func (r *Recorder) Miss(c reprise.Chunk) {
	if !r.late.add(c, errSlow) {
		r.tell(errSlow)
	}
	r.pulse.beat(c.At)
}

var (
	errSlow      = errors.New("the journal took over 50 ms to write")
	errPaused    = errors.New("recording is paused")
	errNoJournal = errors.New("there is no journal")
)

// keep writes one chunk behind all that came before it. One that had to wait has its place among that.
func (r *Recorder) keep(c reprise.Chunk, place *item) {
	var err error
	switch {
	case r.paused.Load() && place != nil:
		r.late.own(place, errPaused)
		return
	case r.paused.Load():
		r.late.lose(c, errPaused)
		return
	case place != nil:
		if err = r.settle(); err != nil {
			r.late.own(place, err)
		}
	default:
		if err = r.settle(); err == nil {
			err = r.write(c)
		}
		if err != nil {
			r.late.add(c, err)
		}
	}
	if err != nil {
		r.trouble(err)
	}
}

// write appends a chunk. Times never go back in a journal, whichever pump was quicker here.
func (r *Recorder) write(c reprise.Chunk) error {
	r.at = max(r.at, c.At)
	c.At = r.at
	if r.reduce != nil {
		return r.reduce.write(c)
	}
	rec := record{kind: kindChunk, dir: c.Direction, at: c.At, stream: c.Stream, data: c.Data}
	if c.Withheld {
		rec.flags = flagWithheld
	}
	return r.journal.append(&rec)
}

// settle writes what was late. r.mu is held.
func (r *Recorder) settle() error {
	if r.journal == nil {
		return errNoJournal
	}
	if !r.late.some.Load() {
		return nil
	}
	for {
		item := r.late.take()
		if item == nil {
			r.noteLoss()
			return nil
		}
		if err := r.writeItem(item); err != nil {
			r.late.giveBack(item)
			return err
		}
	}
}

func (r *Recorder) writeItem(i *item) error {
	if i.loss == nil {
		return r.write(i.chunk)
	}
	if r.reduce != nil {
		r.reduce.lose(i.loss)
	}
	data, err := json.Marshal(i.loss)
	if err != nil {
		return err
	}
	return r.journal.append(&record{kind: kindLoss, at: max(i.loss.At, 0), data: data})
}

// trouble says once that something is not recorded, and notes the losses where that is still possible.
func (r *Recorder) trouble(err error) {
	r.noteLoss()
	r.tell(err)
}

// tell warns, and does not wait: the host may not read its stderr.
func (r *Recorder) tell(err error) {
	if r.warn != nil && !r.warned.Swap(true) {
		r.telling.Go(func() {
			r.warn(fmt.Sprintf("reprise: warning: the record of %q may have a gap: %v; traffic goes on, see `reprise doctor`", r.session.Server, err))
		})
	}
}

// noteLoss keeps the count in the journal's header up to date.
func (r *Recorder) noteLoss() {
	if total := r.late.total(); r.journal != nil && total != r.noted {
		r.journal.noteLoss(total)
		r.noted = total
	}
}

// look sees once a second whether recording is paused, and makes the journal where there is none.
func (r *Recorder) look(at time.Duration) {
	r.looked = at
	r.paused.Store(Paused(r.dbPath))
	if r.journal != nil {
		r.noteLoss()
		return
	}
	j, err := createJournal(r.dbPath, r.session.ID)
	if err == nil {
		if err = j.append(r.sessionRecord()); err != nil {
			j.remove()
		}
	}
	if err != nil {
		r.trouble(fmt.Errorf("make journal: %w", err))
		return
	}
	r.journal = j
}

func (r *Recorder) sessionRecord() *record {
	data, _ := json.Marshal(r.session) // strings, numbers and times only
	return &record{kind: kindSession, data: data}
}

// ending is how the session ended.
type ending struct {
	At       time.Duration
	Ending   reprise.Ending
	ExitCode *int
}

// whileFilling is how many times its patience End waits for a database that is there and being filled.
const whileFilling = 5

// End closes the record and waits until all of it is in the database: up to patience for
// one that another process holds, five times as long while it is filled. If it is not by
// then, the journal stays and the next command takes it in.
func (r *Recorder) End(how reprise.Ending, exitCode *int, patience time.Duration) {
	r.patience = patience
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.end(ending{At: r.elapsed(), Ending: how, ExitCode: exitCode})
		<-r.done
		r.telling.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(patience*whileFilling + 100*time.Millisecond): // the disk hangs: we do not
	}
}

func (r *Recorder) end(e ending) {
	r.hurry()
	r.mu.Lock()
	e.At = max(e.At, r.at)
	if r.reduce != nil {
		r.reduce.framer.Flush(e.At)
	}
	if r.journal == nil {
		r.look(e.At)
	}
	if err := r.settle(); err != nil {
		r.trouble(err)
	}
	if r.journal != nil {
		r.journal.noteEnd(e)
	}
	r.mu.Unlock()
	r.ended <- e
}

// pulse tells the follower that there is traffic without waking it for every chunk.
type pulse struct {
	wake   chan struct{}
	asleep atomic.Bool
	last   atomic.Int64 // time.Duration of the latest chunk
}

func (p *pulse) beat(at time.Duration) {
	p.last.Store(int64(at))
	if p.asleep.Load() && p.asleep.CompareAndSwap(true, false) {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
}
