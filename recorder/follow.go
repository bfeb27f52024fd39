package recorder

import (
	"context"
	"database/sql"
	"os"
	"time"
)

// The follower's times. A pause of quiet is between two messages at human
// rates; without one, facts are stored for at most slice of every period, and as much is derived, so
// that recording takes a tenth of one core from the traffic at most.
const (
	tick   = 3 * time.Millisecond
	quiet  = 2 * time.Millisecond
	slice  = 25 * time.Millisecond
	period = 500 * time.Millisecond
	resume = 100 * time.Millisecond // after trouble with the database, and twice as long each time up to
	giveUp = 5 * time.Second        // … where others do not merely hold it

	settled = 25 * time.Millisecond // the server starts first
	idle    = 24 * time.Hour        // until somebody wakes us
)

// pace is how a goroutine gives way to the traffic.
type pace struct {
	stepped time.Time
	trouble time.Duration // how long the last trouble made us wait
}

// due says whether it may work: the traffic pauses, or has not for a period.
func (p *pace) due(r *Recorder) bool {
	return r.elapsed()-time.Duration(r.pulse.last.Load()) >= quiet || time.Since(p.stepped) >= period
}

// wait says how long after a step.
func (p *pace) wait(caughtUp bool, err error) time.Duration {
	switch {
	case busy(err):
		return resume
	case err != nil:
		p.trouble = min(max(2*p.trouble, resume), giveUp)
		return p.trouble
	case caughtUp:
		p.trouble = 0
		return idle
	}
	return tick
}

// follower fills the database from the journal of a live session.
type follower struct {
	recorder *Recorder
	file     os.FileInfo // the database as it was opened
	db       *sql.DB
	looked   time.Time
	taking            // filler is nil until there is something to fill from
	deriver  *deriver // runs the derivation, until the end
	pace
	rest   []*item // what the journal could not take, at the end
	pruned bool    // the bounds were looked after, or will be by another
}

// follow runs until the session has ended. It sleeps while there is nothing to store.
func (r *Recorder) follow() {
	defer close(r.done)
	f := &follower{recorder: r}
	defer f.close()
	ctx := context.Background()
	for wait := settled; ; wait = f.next(ctx) {
		select {
		case e := <-r.ended:
			f.end(ctx, e)
			return
		case <-r.pulse.wake:
		case <-time.After(wait):
		}
	}
}

// next does what there is to do, and says how long to wait afterwards.
func (f *follower) next(ctx context.Context) (wait time.Duration) {
	if wait = f.wait(f.step(ctx)); wait == idle {
		return f.sleep()
	}
	return wait
}

// sleep lets the next chunk wake us, unless one has come in between.
func (f *follower) sleep() time.Duration {
	p := &f.recorder.pulse
	before := p.last.Load()
	p.asleep.Store(true)
	if p.last.Load() != before || f.behind() {
		p.asleep.Store(false)
		return tick
	}
	return idle
}

// behind says whether the journal has more than the filler has read.
func (f *follower) behind() bool {
	f.recorder.mu.Lock()
	defer f.recorder.mu.Unlock()
	j := f.recorder.journal
	return j != nil && (f.filler == nil || f.filler.in.off < j.size)
}

// step stores what there is when the traffic pauses, or a slice of it when it does not.
func (f *follower) step(ctx context.Context) (caughtUp bool, err error) {
	r := f.recorder
	if !f.due(r) {
		return false, nil
	}
	if r.late.some.Load() && !r.paused.Load() {
		r.mu.Lock()
		r.settle()
		r.mu.Unlock()
	}
	if err := f.open(ctx); err != nil || f.filler == nil {
		return err == nil, err
	}
	caughtUp, err = f.filler.step(ctx, time.Now().Add(slice))
	f.stepped = time.Now()
	r.filling.Store(!caughtUp && err == nil)
	if err == nil && f.session != nil {
		f.wakeDeriver(ctx)
	}
	if caughtUp && !f.pruned {
		f.pruned = true
		f.store.pruneDaily(r.unhurried, f.stepped) // what fails here is tried again, by another session
	}
	return caughtUp, err
}

// open makes sure that the database is there and still the file that the path names.
// SQLite does not notice that its file was deleted.
func (f *follower) open(ctx context.Context) error {
	r := f.recorder
	if f.db != nil && time.Since(f.looked) > time.Second {
		f.looked = time.Now()
		if now, err := os.Stat(r.dbPath); err != nil || !os.SameFile(now, f.file) {
			f.close()
		}
	}
	if f.db == nil {
		stepBack()
		db, err := openWriter(ctx, r.dbPath)
		if err != nil {
			return err
		}
		f.db = db
		if f.file, err = os.Stat(r.dbPath); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.filler == nil && r.journal != nil {
		f.filler = newFiller(&store{f.db}, r.journal.file)
	}
	if f.filler != nil && r.journal != nil {
		f.in.limit = r.journal.size
	}
	return nil
}

// wakeDeriver tells that facts were stored. A database of its own begins with a derivation of its own.
func (f *follower) wakeDeriver(ctx context.Context) {
	if f.deriver == nil {
		f.deriver = startDeriver(f.recorder, f.derive(ctx))
	}
	f.deriver.tell()
}

// stopDeriver leaves the derivation to us.
func (f *follower) stopDeriver() {
	if f.deriver != nil {
		f.deriver.stop()
		f.deriver = nil
	}
}

func (f *follower) close() {
	f.stopDeriver()
	if f.db != nil {
		f.db.Close()
	}
	f.db, f.taking = nil, taking{}
}

// end stores the rest and the ending, as long as patience lasts, and removes the journal when nothing of it is needed any more.
func (f *follower) end(ctx context.Context, e ending) {
	start := time.Now()
	for {
		err := f.finish(ctx, e, start.Add(f.recorder.patience*whileFilling))
		if !busy(err) || time.Since(start) > f.recorder.patience {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (f *follower) finish(ctx context.Context, e ending, deadline time.Time) error {
	if err := f.open(ctx); err != nil {
		return err
	}
	r := f.recorder
	if f.filler == nil { // there never was a journal: at least the loss is told
		f.filler = newFiller(&store{f.db}, nil)
		f.take(*r.sessionRecord())
	} else if err := whole(f.filler.step(ctx, deadline)); err != nil {
		return err
	}
	f.unwritten()
	f.stopDeriver()
	if err := f.taking.finish(ctx, e, func() bool { return time.Now().Before(deadline) }); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal != nil {
		r.journal.remove()
	}
	return nil
}

// unwritten gives the filler what the journal could not take. A filler after this one gets it again.
func (f *follower) unwritten() {
	r := f.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	for item := r.late.take(); item != nil; item = r.late.take() {
		f.rest = append(f.rest, item)
	}
	if f.rested {
		return
	}
	f.rested = true
	for _, item := range f.rest {
		c := item.chunk
		switch {
		case item.loss != nil:
			f.lose(*item.loss)
		case r.reduce != nil: // its lines may have begun in the reducer
			l := loss{At: c.At, Reason: errNoJournal.Error()}
			l.add(c, linesIn(c))
			f.lose(l)
		default:
			f.take(record{kind: kindChunk, dir: c.Direction, at: c.At, stream: c.Stream, data: c.Data})
		}
	}
}
