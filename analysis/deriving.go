package analysis

import (
	"iter"

	"reprise"
)

// step is one thing that deriving a session gives: a message, the source of an argument, or, behind the last frame, how a call ended.
type step struct {
	frame   reprise.Frame // of the message; its Kind is "" of other steps
	message reprise.Message
	// call says which call the message belongs to, or which one has ended, nil of none. It goes on changing, and is not read: state is as it was.
	call  *reprise.Call
	state reprise.Call
	use   *reprise.Use
}

// deriving turns the items of a session into steps. The judge sees nothing but these, and its own session: so the two may run side by side.
type deriving struct {
	derive    reprise.Deriver
	emit      func(*step)
	ending    bool
	end       *reprise.CaptureEnd
	truncated []int64 // frames of which a part is missing
}

func newDeriving(s *reprise.Session, emit func(*step)) *deriving {
	d := &deriving{emit: emit}
	d.derive = reprise.Deriver{Session: unread(s), Message: d.message, Call: d.changed, Value: func(*reprise.Value) {}, Use: d.source}
	return d
}

func (d *deriving) add(item *reprise.CaptureItem) {
	switch {
	case item.Frame != nil:
		d.frame(item.Frame)
	case item.End != nil:
		d.end = item.End
		item.End.Apply(d.derive.Session)
	}
}

func (d *deriving) frame(f *reprise.Frame) {
	if f.Part == 0 && f.Truncated {
		d.truncated = append(d.truncated, f.Seq)
	}
	if f.Part > 0 || f.More { // the database gives parts
		d.derive.Add(f)
		return
	}
	for part := range f.Parts() {
		d.derive.Add(&part)
	}
}

func (d *deriving) message(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	s := step{frame: *f, message: *m, call: c}
	if c != nil {
		s.state = *c
	}
	d.emit(&s)
}

// source is told of the origin of an argument, behind its message.
func (d *deriving) source(u *reprise.Use) {
	kept := *u
	d.emit(&step{use: &kept})
}

// changed is told of a call whenever it changes. What matters comes with its messages, but for its end without an answer.
func (d *deriving) changed(c *reprise.Call) {
	if d.ending {
		d.emit(&step{call: c, state: *c})
	}
}

// finish closes the calls that are still open.
func (d *deriving) finish() {
	d.ending = true
	d.derive.End()
}

// A batch is what goes from one side to the other at once: so many steps, or such frames.
const (
	batchSteps = 256
	batchBytes = 1 << 20
	batches    = 4
)

// batch collects steps.
type batch struct {
	steps []step
	bytes int
	to    chan<- []step
}

func (b *batch) add(s *step) {
	if b.steps == nil {
		b.steps = make([]step, 0, batchSteps)
	}
	b.steps = append(b.steps, *s)
	if b.bytes += len(s.frame.Data); len(b.steps) == batchSteps || b.bytes >= batchBytes {
		b.flush()
	}
}

func (b *batch) flush() {
	b.to <- b.steps
	b.steps, b.bytes = nil, 0
}

// deriveAll derives a session in a goroutine of its own. What it has come to is read when the channel is closed.
func deriveAll(s *reprise.Session, items iter.Seq2[reprise.CaptureItem, error]) (steps <-chan []step, d *deriving, failed *error) {
	to := make(chan []step, batches)
	b := &batch{to: to}
	d, failed = newDeriving(s, b.add), new(error)
	go func() {
		defer close(to)
		for item, err := range items {
			if err != nil {
				*failed = err
				return
			}
			d.add(&item)
		}
		d.finish()
		b.flush()
	}()
	return to, d, failed
}
