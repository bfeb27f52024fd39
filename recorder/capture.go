package recorder

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"reprise"
)

// ErrExists is an import of a session that is there already.
var ErrExists = errors.New("the session is in the database already")

// Capture gives a session as a capture file holds it (reprise.WriteCapture).
func (db *DB) Capture(ctx context.Context, s *reprise.Session) (*reprise.CaptureHeader, iter.Seq2[reprise.CaptureItem, error], error) {
	h := &reprise.CaptureHeader{Session: *s}
	err := db.read.QueryRowContext(ctx, `SELECT redaction, extra FROM sessions WHERE id = ?`, s.ID).Scan(&h.Redaction, &h.Extra)
	if err != nil {
		return nil, nil, fmt.Errorf("read session: %w", err)
	}
	gaps, err := db.Gaps(ctx, s.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("read gaps: %w", err)
	}
	return h, reprise.CaptureItems(byValue(db.Frames(ctx, s.ID)), db.Stderr(ctx, s.ID), db.captureLines(ctx, s.ID), reprise.EndOf(s, gaps)), nil
}

func byValue(frames iter.Seq2[*reprise.Frame, error]) iter.Seq2[reprise.Frame, error] {
	return func(yield func(reprise.Frame, error) bool) {
		for f, err := range frames {
			if err != nil {
				yield(reprise.Frame{}, err)
				return
			}
			if !yield(*f, nil) {
				return
			}
		}
	}
}

func (db *DB) captureLines(ctx context.Context, id string) iter.Seq2[reprise.CaptureLine, error] {
	return func(yield func(reprise.CaptureLine, error) bool) {
		err := db.each(ctx, `SELECT after_seq, line FROM capture_lines WHERE session_id = ? ORDER BY n`, []any{id},
			func(rows *sql.Rows) (bool, error) {
				var l reprise.CaptureLine
				err := rows.Scan(&l.After, &l.Text)
				return err == nil && yield(l, nil), err
			})
		if err != nil {
			yield(reprise.CaptureLine{}, err)
		}
	}
}

// Import takes a capture in, as a whole or not at all.
func (db *DB) Import(ctx context.Context, h *reprise.CaptureHeader, items iter.Seq2[reprise.CaptureItem, error]) error {
	if _, err := db.Find(ctx, h.Session.ID); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = ErrExists
		}
		return err
	}
	w, err := openWriterPatiently(ctx, db.path)
	if err != nil {
		return err
	}
	defer w.Close()
	// What is busy is busy at the beginning, before an item is read: they come once.
	return retry(ctx, patience, func() error {
		return (&store{w}).inTx(ctx, func(run runner) error { return takeCapture(run, h, items) })
	})
}

func takeCapture(run runner, h *reprise.CaptureHeader, items iter.Seq2[reprise.CaptureItem, error]) error {
	i := newImporter(run, h)
	if err := i.begin(h); err != nil {
		return err
	}
	for item, err := range items {
		if err == nil {
			err = i.item(&item)
		}
		if err != nil {
			return err
		}
	}
	return i.end()
}

// importer stores the items of one capture.
type importer struct {
	run     runner
	session reprise.Session
	derive  *derivation
	logs    int64
	lines   int
	bytes   int64
	frames  int64
}

func newImporter(run runner, h *reprise.CaptureHeader) *importer {
	i := &importer{run: run, session: h.Session}
	i.derive = newDerivation(h.Session.ID, nil, run.within) // frames come as they are stored
	return i
}

func (i *importer) begin(h *reprise.CaptureHeader) error {
	if err := i.run.session(&i.session); err != nil {
		return err
	}
	return i.run(`UPDATE sessions SET imported=1, redaction=?2, extra=?3 WHERE id=?1`, i.session.ID, h.Redaction, h.Extra)
}

func (i *importer) item(item *reprise.CaptureItem) error {
	switch {
	case item.Frame != nil:
		return i.frame(item.Frame)
	case item.Log != nil:
		i.logs++
		return i.run.stderr(i.session.ID, i.logs, item.Log)
	case item.Line != nil:
		i.lines++
		return i.run(`INSERT INTO capture_lines (session_id, n, after_seq, line) VALUES (?,?,?,?)`,
			i.session.ID, i.lines, item.Line.After, notNil(item.Line.Text))
	case item.End != nil:
		item.End.Apply(&i.session)
		return i.gaps(item.End.Gaps)
	}
	return nil
}

func (i *importer) frame(f *reprise.Frame) error {
	i.frames++
	i.bytes += int64(len(f.Data) + len(f.EOL))
	for part := range f.Parts() {
		if err := i.run.frame(i.session.ID, &part); err != nil {
			return err
		}
		i.derive.add(&part)
	}
	if i.derive.full() {
		return i.derive.store()
	}
	return nil
}

func (i *importer) gaps(gaps []reprise.Gap) error {
	i.session.Gaps = int64(len(gaps))
	for n := range gaps {
		i.session.LostFrames += gaps[n].Frames
		if err := i.run.gap(i.session.ID, n+1, &gaps[n]); err != nil {
			return err
		}
	}
	return nil
}

func (i *importer) end() error {
	i.session.Frames, i.session.Bytes = i.frames, i.bytes
	if err := i.run.facts(&i.session); err != nil {
		return err
	}
	return i.derive.end(i.session.Ending, nil)
}
