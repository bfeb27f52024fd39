package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"

	"reprise"
	"reprise/recorder"
)

// capture is a capture file, read and derived in memory. It answers as the database does.
type capture struct {
	session  *reprise.Session
	frames   map[int64]*reprise.Frame
	calls    []*reprise.Entry
	messages []*reprise.Entry
	values   []*reprise.Value
	uses     []*reprise.Use
	log      []reprise.Chunk
	gaps     []reprise.Gap
}

// openCapture reads a capture file.
func (p *program) openCapture(path string) (*capture, error) {
	f, err := p.openInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := readCapture(f)
	if err != nil {
		return nil, captureHint(fmt.Errorf("%s: %w", path, err))
	}
	return c, nil
}

func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint(usage(fmt.Errorf("no such file: %s", path)), "%s", makeCapture)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(hint(usage(fmt.Errorf("%s is a directory", path)), "%s", makeCapture), f.Close())
	}
	return f, nil
}

const makeCapture = "`reprise export S -o FILE` makes a capture file of a session S"

// captureHint says what to do about a capture file that can't be read.
func captureHint(err error) error {
	if errors.Is(err, reprise.ErrNewerCapture) {
		return usage(err)
	}
	return hint(usage(err), "%s; each of its lines is one JSON object", makeCapture)
}

func readCapture(r io.Reader) (*capture, error) {
	header, items, err := reprise.ReadCapture(r)
	if err != nil {
		return nil, err
	}
	c := &capture{session: &header.Session, frames: map[int64]*reprise.Frame{}}
	derive := reprise.Deriver{Session: c.session, Message: c.message, Call: func(*reprise.Call) {}, Value: c.value, Use: c.use}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		c.take(&derive, item)
	}
	derive.End() // as an import does: nobody answers any more
	c.complete()
	return c, nil
}

// complete gives the calls their frames and the sources of their arguments, and puts the values in order: a later
// use gives the generation that it is linked to.
func (c *capture) complete() {
	slices.SortStableFunc(c.values, func(a, b *reprise.Value) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), a.Index-b.Index) })
	uses := map[callRef][]*reprise.Use{}
	for _, u := range c.uses {
		ref := callRef{u.CallSeq, u.CallIndex}
		uses[ref] = append(uses[ref], u)
	}
	for _, e := range c.calls {
		e.Request, e.Response = c.data(e.Call.Seq), c.data(e.Call.Response)
		e.Uses = uses[callRef{e.Call.Seq, e.Call.Index}]
	}
	for _, e := range c.messages {
		if e.Call != nil { // for source: in filters
			e.Uses = uses[callRef{e.Call.Seq, e.Call.Index}]
		}
	}
}

func (c *capture) take(derive *reprise.Deriver, item reprise.CaptureItem) {
	switch {
	case item.Frame != nil:
		f := *item.Frame
		f.Data = slices.Clone(f.Data)
		for part := range f.Parts() {
			if part.Part == 0 {
				first := part
				first.Size, first.EOL = f.Size, f.EOL
				c.frames[f.Seq] = &first
			}
			derive.Add(&part)
		}
	case item.Log != nil:
		c.log = append(c.log, reprise.Chunk{Direction: reprise.ServerLog, Data: slices.Clone(item.Log.Data), At: item.Log.At, Withheld: item.Log.Withheld})
	case item.End != nil:
		item.End.Apply(c.session)
		c.gaps = item.End.Gaps
		for _, g := range c.gaps {
			c.session.Gaps++
			c.session.LostFrames += g.Frames
		}
	}
}

// message is told of every message as it is derived. Its strings are parts of the frame's data, which we keep.
func (c *capture) message(f *reprise.Frame, m *reprise.Message, call *reprise.Call) {
	kept := *m
	c.messages = append(c.messages, &reprise.Entry{Session: c.session, Frame: c.frames[f.Seq], Message: &kept, Call: call})
	if m.Kind == reprise.KindRequest {
		c.calls = append(c.calls, &reprise.Entry{Session: c.session, Call: call})
	}
}

// value and use are told of provenance as it is derived, as message is.
func (c *capture) value(v *reprise.Value) {
	kept := *v
	c.values = append(c.values, &kept)
}

func (c *capture) use(u *reprise.Use) {
	kept := *u
	c.uses = append(c.uses, &kept)
}

// data gives the bytes of a frame, the first part of a long one.
func (c *capture) data(seq int64) []byte {
	if f := c.frames[seq]; f != nil {
		return f.Data
	}
	return nil
}

func (c *capture) Find(context.Context, string) (*reprise.Session, error) { return c.session, nil }

func (c *capture) Entries(_ context.Context, q recorder.Query) iter.Seq2[*reprise.Entry, error] {
	return func(yield func(*reprise.Entry, error) bool) {
		list := c.calls
		if q.Frames {
			list = c.messages
		}
		for _, e := range list {
			outside := e.Seq() <= q.After || q.UpTo != 0 && e.Seq() > q.UpTo
			if !outside && q.Filter.Match(e) && !yield(e, nil) {
				return
			}
		}
	}
}

func (c *capture) Stderr(context.Context, string) iter.Seq2[reprise.Chunk, error] { return each(c.log) }

func (c *capture) Values(context.Context, string) iter.Seq2[*reprise.Value, error] {
	return each(c.values)
}

func (c *capture) ValueOf(_ context.Context, _ string, u *reprise.Use) (*reprise.Value, error) {
	i := slices.IndexFunc(c.values, func(v *reprise.Value) bool { return v.N == u.ValueN })
	if i < 0 {
		return nil, nil
	}
	return c.values[i], nil
}

func (c *capture) Uses(context.Context, string) iter.Seq2[*reprise.Use, error] { return each(c.uses) }

// each gives what is there already as a database would, whose reading may fail.
func each[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}

func (c *capture) Gaps(context.Context, string) ([]reprise.Gap, error) { return c.gaps, nil }

func (c *capture) Close() error { return nil }
