package recorder

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"

	"reprise"
)

// derivation reads the frames of one session from the database, in order, and stores what a Deriver
// says of them. It is the same machine for a live session, for the journal of a dead process and
// for a rebuild. What a failed transaction did not store stays in rows and is tried again.
type derivation struct {
	id      string
	in      *sql.DB // where the frames stand
	tx      transaction
	derive  reprise.Deriver
	uses    int64                      // given so far
	changed map[*reprise.Call]struct{} // since they were put into rows
	derived int64                      // seq of the last frame that was derived

	ahead []*reprise.Frame // read, and not derived yet
	read  frameKey         // the last frame that was read
	whole bool             // no more frames will come

	rows    []row
	stored  int                // of rows
	began   bool               // what other rules have derived is gone
	ended   bool               // the open calls are closed
	pending bool               // something is not stored
	closing func(runner) error // goes with the last transaction; may be nil
}

// frameKey is the place of a frame, or of a part of a long one.
type frameKey struct {
	seq  int64
	part int
}

// transaction runs f in a transaction of its own, or in a larger one.
type transaction func(f func(runner) error) error

// row stores one row.
type row func(runner) error

const (
	// batchRows bounds a transaction: for so long whoever stores facts has to wait.
	batchRows = 1000
	// pageBytes bounds what is read at once, but for a single frame that is larger.
	pageBytes = 1 << 20
)

func newDerivation(id string, in *sql.DB, tx transaction) *derivation {
	d := &derivation{id: id, in: in, tx: tx, read: frameKey{seq: -1}, changed: map[*reprise.Call]struct{}{}}
	d.derive.Session = &reprise.Session{ID: id}
	d.derive.Call = func(c *reprise.Call) { d.changed[c] = struct{}{} }
	d.derive.Message = d.message
	d.derive.Value = func(v *reprise.Value) {
		d.rows = append(d.rows, func(run runner) error { return run.value(id, v) })
	}
	d.derive.Use = func(u *reprise.Use) {
		d.uses++
		n := d.uses
		d.rows = append(d.rows, func(run runner) error { return run.use(id, n, u) })
	}
	return d
}

// message keeps a copy: m is a part of the frame's data.
func (d *derivation) message(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	r := messageRow{seq: f.Seq, call: c, Message: reprise.Message{Index: m.Index, Kind: m.Kind,
		ID: strings.Clone(m.ID), Method: strings.Clone(m.Method), Name: strings.Clone(m.Name), Flags: m.Flags}}
	d.rows = append(d.rows, func(run runner) error { return run.message(d.id, &r) })
}

// step derives and stores what there is, for as long as goOn says. It reports whether
// all that the frames in the database say is stored.
func (d *derivation) step(ctx context.Context, goOn func() bool) (done bool, err error) {
	for {
		tired := !goOn()
		if d.pending && (tired || len(d.ahead) == 0 || d.full()) {
			if err := d.store(); err != nil {
				return false, err
			}
		}
		if tired {
			return false, nil
		}
		if len(d.ahead) == 0 {
			if err := d.readAhead(ctx); err != nil || len(d.ahead) == 0 {
				return err == nil, err
			}
		}
		f := d.ahead[0]
		d.ahead[0], d.ahead = nil, d.ahead[1:] // it may be large
		d.add(f)
	}
}

// readAhead reads a page of the frames behind the last one. A line that goes on is left for later, and so is
// all that stands behind it: a rebuild finds it whole there.
func (d *derivation) readAhead(ctx context.Context) error {
	rows, err := d.in.QueryContext(ctx, framesQuery, d.id, d.read.seq, d.read.part, page)
	if err != nil {
		return err
	}
	defer rows.Close()
	d.ahead = nil
	for size := 0; size < pageBytes && rows.Next(); {
		f, err := scanFrame(rows)
		if err != nil {
			return err
		}
		if goesOn := !f.More && f.EOL == "" && len(f.Data) == reprise.PartSize; goesOn && !d.whole {
			break
		}
		size += len(f.Data)
		d.ahead = append(d.ahead, f)
		d.read = frameKey{f.Seq, f.Part}
	}
	return rows.Err()
}

// add derives one frame.
func (d *derivation) add(f *reprise.Frame) {
	d.derive.Add(f)
	d.derived = f.Seq
	d.pending = true
}

// full says whether there is enough for a transaction.
func (d *derivation) full() bool { return len(d.rows)-d.stored+len(d.changed) >= batchRows }

// store stores the rows. The last transaction tells how far the session is derived.
func (d *derivation) store() error {
	for _, c := range inOrder(d.changed) {
		d.rows = append(d.rows, func(run runner) error { return run.call(d.id, c) })
	}
	clear(d.changed)
	for d.pending {
		upTo := min(d.stored+batchRows, len(d.rows))
		if err := d.tx(func(run runner) error { return d.put(run, upTo) }); err != nil {
			return err
		}
		d.began, d.stored, d.pending = true, upTo, upTo < len(d.rows)
	}
	clear(d.rows)
	if d.rows, d.stored = d.rows[:0], 0; cap(d.rows) > 8*batchRows {
		d.rows = nil // a rare frame has so many
	}
	return nil
}

// put stores the rows that are not, up to one.
func (d *derivation) put(run runner, upTo int) error {
	if !d.began {
		if err := run.forget(d.id); err != nil {
			return err
		}
	}
	for _, row := range d.rows[d.stored:upTo] {
		if err := row(run); err != nil {
			return err
		}
	}
	if upTo < len(d.rows) {
		return nil
	}
	if d.closing != nil {
		if err := d.closing(run); err != nil {
			return err
		}
	}
	return run.read(d.derive.Session, d.derived)
}

// inOrder sorts calls by their place.
func inOrder(calls map[*reprise.Call]struct{}) []*reprise.Call {
	return slices.SortedFunc(maps.Keys(calls), func(a, b *reprise.Call) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Index, b.Index))
	})
}

var errOutOfTime = errors.New("out of time")

// whole takes a step that came to no end for an error.
func whole(done bool, err error) error {
	if err == nil && !done {
		return errOutOfTime
	}
	return err
}

// finish derives the rest, all of whose frames are in the database, and closes what is still open as the
// ending says. closing, which may be nil, goes into the last transaction: a session that has ended is derived.
func (d *derivation) finish(ctx context.Context, how reprise.Ending, goOn func() bool, closing func(runner) error) error {
	d.whole = true
	if err := whole(d.step(ctx, goOn)); err != nil {
		return err
	}
	return d.end(how, closing)
}

func (d *derivation) end(how reprise.Ending, closing func(runner) error) error {
	if !d.ended {
		d.ended = true
		d.derive.Session.Ending = how
		d.derive.End()
	}
	d.closing, d.pending = closing, true
	return d.store()
}

func always() bool { return true }
