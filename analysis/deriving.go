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
	steps     steps
	ending    bool
	end       *reprise.CaptureEnd
	truncated []int64 // frames of which a part is missing
}

// steps takes steps: next is the place for one, to be filled in, and push says that it is.
type steps interface {
	next() *step
	push()
}

func newDeriving(s *reprise.Session, to steps) *deriving {
	d := &deriving{steps: to}
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
	if f.Part > 0 || f.More || len(f.Data) <= reprise.PartSize { // the database gives parts
		d.derive.Add(f)
		return
	}
	for part := range f.Parts() {
		d.derive.Add(&part)
	}
}

func (d *deriving) message(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	s := d.steps.next()
	s.frame, s.message, s.call = *f, *m, c
	if c != nil {
		s.state = *c
	}
	d.steps.push()
}

// source is told of the origin of an argument, behind its message.
func (d *deriving) source(u *reprise.Use) {
	d.steps.next().use = u
	d.steps.push()
}

// changed is told of a call whenever it changes. What matters comes with its messages, but for its end without an answer.
func (d *deriving) changed(c *reprise.Call) {
	if d.ending {
		s := d.steps.next()
		s.call, s.state = c, *c
		d.steps.push()
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
	free  <-chan []step // that were read, for use again
}

func (b *batch) next() *step {
	if b.steps == nil {
		select {
		case b.steps = <-b.free:
			clear(b.steps)
			b.steps = b.steps[:0]
		default:
			b.steps = make([]step, 0, batchSteps)
		}
	}
	b.steps = b.steps[:len(b.steps)+1]
	return &b.steps[len(b.steps)-1]
}

func (b *batch) push() {
	if b.bytes += len(b.steps[len(b.steps)-1].frame.Data); len(b.steps) == batchSteps || b.bytes >= batchBytes {
		b.flush()
	}
}

func (b *batch) flush() {
	b.to <- b.steps
	b.steps, b.bytes = nil, 0
}

// deriveAll derives a session in a goroutine of its own, and gives each batch of steps to f. It returns when all is done.
func deriveAll(s *reprise.Session, items iter.Seq2[reprise.CaptureItem, error], f func(*step)) (*deriving, error) {
	to, free := make(chan []step, batches), make(chan []step, batches)
	b := &batch{to: to, free: free}
	d := newDeriving(s, b)
	var failed error
	go func() {
		defer close(to)
		if failed = readAhead(items, d.add); failed == nil {
			d.finish()
			b.flush()
		}
	}()
	for list := range to {
		for i := range list {
			f(&list[i])
		}
		select {
		case free <- list:
		default:
		}
	}
	return d, failed
}

// readAhead gives the items to f, and reads further ones meanwhile.
func readAhead(items iter.Seq2[reprise.CaptureItem, error], f func(*reprise.CaptureItem)) error {
	ahead := make(chan []reprise.CaptureItem, batches)
	var failed error
	go func() {
		defer close(ahead)
		list, bytes := []reprise.CaptureItem(nil), 0
		for item, err := range items {
			if err != nil {
				failed = err
				return
			}
			if list = append(list, item); item.Frame != nil {
				bytes += len(item.Frame.Data)
			}
			if len(list) == batchSteps || bytes >= batchBytes {
				ahead <- list
				list, bytes = make([]reprise.CaptureItem, 0, batchSteps), 0
			}
		}
		ahead <- list
	}()
	for list := range ahead {
		for i := range list {
			f(&list[i])
		}
	}
	return failed
}
