package recorder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"reprise"
)

// filler turns the records of one journal into facts. What a failed transaction did not
// store stays in the batch and is tried again. It is the same machine for a live
// session and for one whose process is gone.
type filler struct {
	store *store
	in    reader

	session *reprise.Session
	framer  reprise.Framer
	lines   int64 // stderr rows
	gaps    []reprise.Gap
	bytes   int64
	frames  int64
	at      time.Duration
	rested  bool // has what the journal could not take
	changed bool // since the last flush: without it there is nothing to store

	batch batch
}

// batch is what has been read and is not stored yet.
type batch struct {
	frames []reprise.Frame
	stderr []reprise.Chunk
	gaps   int // how many of filler.gaps are stored
	size   int
}

const (
	batchBytes  = 1 << 20
	batchFrames = 8192
)

func newFiller(s *store, in io.ReaderAt) *filler {
	f := &filler{store: s, in: reader{file: in}}
	f.framer.Emit = func(fr reprise.Frame) {
		f.changed = true
		fr.Data = bytes.Clone(fr.Data)
		f.batch.frames = append(f.batch.frames, fr)
		f.batch.size += len(fr.Data)
		f.bytes += int64(len(fr.Data) + len(fr.EOL))
		if fr.Part == 0 {
			f.frames++
		}
	}
	return f
}

// step reads and stores until the journal has no more, the deadline is over or something fails.
// It reports whether everything that stands in the journal is stored.
func (f *filler) step(ctx context.Context, deadline time.Time) (done bool, err error) {
	for {
		done, err = f.collect()
		if err != nil {
			return false, err
		}
		if err := f.flush(ctx); err != nil {
			return false, err
		}
		if done || time.Now().After(deadline) {
			return done, nil
		}
	}
}

// collect reads records into the batch until it is full. It reports whether there is no more.
func (f *filler) collect() (done bool, err error) {
	for f.batch.size < batchBytes && len(f.batch.frames) < batchFrames {
		rec, err := f.in.next()
		if err != nil {
			return errors.Is(err, io.EOF), ignoreEOF(err)
		}
		if err := f.take(rec); err != nil {
			return false, err
		}
	}
	return false, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// take applies one record.
func (f *filler) take(rec record) error {
	f.changed = true
	f.at = max(f.at, rec.at)
	switch rec.kind {
	case kindSession:
		f.session = &reprise.Session{}
		return json.Unmarshal(rec.data, f.session)
	case kindChunk:
		f.chunk(rec)
	case kindReduced:
		if fr, ok := unpackReduced(rec); ok {
			f.framer.Pass(fr)
		}
	case kindLoss:
		var l loss
		if err := json.Unmarshal(rec.data, &l); err != nil {
			return err
		}
		f.lose(l)
	}
	return nil
}

func (f *filler) chunk(rec record) {
	c := reprise.Chunk{Direction: rec.dir, Stream: rec.stream, At: rec.at, Data: rec.data, Withheld: rec.flags&flagWithheld != 0}
	if c.Direction != reprise.ServerLog {
		f.framer.Add(c)
		return
	}
	c.Data = bytes.Clone(c.Data)
	f.batch.stderr = append(f.batch.stderr, c)
	f.batch.size += len(c.Data)
}

func (f *filler) lose(l loss) {
	for _, lane := range l.Lanes {
		gap := reprise.Gap{From: f.framer.Last() + 1, To: f.framer.Last(), Bytes: lane.Bytes, At: l.At}
		if lane.Direction != reprise.ServerLog {
			gap = f.framer.Lose(lane.Direction, lane.Stream, lane.Lines, lane.Bytes, lane.MidLine, l.At)
		}
		gap.Reason = l.Reason
		f.gap(gap)
	}
}

func (f *filler) gap(g reprise.Gap) {
	f.gaps = append(f.gaps, g)
	f.changed = true
}

// finish stores the rest of the facts but for the end, which it gives with the session:
// it is stored when all is derived. Without a session there is nothing to end.
func (f *filler) finish(ctx context.Context, e ending) (*reprise.Session, error) {
	f.framer.Flush(e.At)
	if err := f.flush(ctx); err != nil || f.session == nil {
		return nil, err
	}
	s := *f.session
	s.EndedAt, s.Ending, s.ExitCode = endAt(&s, e.At), e.Ending, e.ExitCode
	s.Complete = len(f.gaps) == 0
	return &s, nil
}

// flush stores the batch, if there is anything new.
func (f *filler) flush(ctx context.Context) error {
	if f.session == nil {
		if len(f.batch.frames) > 0 {
			return errNoSession
		}
		return nil
	}
	if !f.changed {
		return nil
	}
	if err := f.store.inTx(ctx, f.storeFacts); err != nil {
		return err
	}
	f.lines += int64(len(f.batch.stderr))
	clear(f.batch.frames) // their data may be large
	f.batch = batch{gaps: len(f.gaps), frames: f.batch.frames[:0]}
	f.changed = false
	return nil
}

func (f *filler) storeFacts(run runner) error {
	id := f.session.ID
	if err := run.session(f.session); err != nil {
		return err
	}
	for i := range f.batch.frames {
		if err := run.frame(id, &f.batch.frames[i]); err != nil {
			return err
		}
	}
	for i := range f.batch.stderr {
		if err := run.stderr(id, f.lines+int64(i)+1, &f.batch.stderr[i]); err != nil {
			return err
		}
	}
	for i := f.batch.gaps; i < len(f.gaps); i++ {
		if err := run.gap(id, i+1, &f.gaps[i]); err != nil {
			return err
		}
	}
	s := f.session
	s.Frames, s.Bytes, s.Gaps, s.LostFrames = f.frames, f.bytes, int64(len(f.gaps)), 0
	for _, g := range f.gaps {
		s.LostFrames += g.Frames
	}
	return run.facts(s)
}
