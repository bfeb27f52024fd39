package recorder

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"reprise"
)

// Rebuild derives a session's messages and calls anew from its frames, in one
// transaction. The result is the same as what was derived live.
// Sessions that are still recorded can't be rebuilt: ErrLive.
func (db *DB) Rebuild(ctx context.Context, id string) error {
	if _, err := os.Stat(filepath.Join(journalDir(db.path), id)); err == nil {
		return ErrLive
	}
	s, err := db.Find(ctx, id)
	if err != nil {
		return err
	}
	w, err := openWriterPatiently(ctx, db.path)
	if err != nil {
		return err
	}
	defer w.Close()
	st := &store{w}
	err = retry(ctx, patience, func() error {
		return st.inTx(ctx, func(run runner) error { return db.rederive(ctx, run, s) })
	})
	if err != nil {
		return fmt.Errorf("rebuild session %s: %w", id, err)
	}
	return nil
}

// ErrLive is a session that is still being recorded.
var ErrLive = errors.New("the session is still being recorded")

// ErrOld is a session that an older Reprise has derived, in a database that can't be written to.
var ErrOld = errors.New("an older Reprise has derived the session, and the database can't be written to")

// Derive makes sure that what is derived of a session, or with "" of all of them, is what this version says of
// its frames: what an older one has recorded is rebuilt. Call it before provenance is read. ErrLive is
// a session that an older Reprise is recording now, ErrOld one that may not be written.
func (db *DB) Derive(ctx context.Context, id string) error {
	var old []string
	err := db.each(ctx, `SELECT id FROM sessions WHERE derived_version < ?1 AND (?2 = '' OR id = ?2) AND (derived_seq > 0 OR ended_at IS NOT NULL)`,
		[]any{derivedVersion, id}, func(rows *sql.Rows) (bool, error) {
			var id string
			err := rows.Scan(&id)
			old = append(old, id)
			return true, err
		})
	for i := 0; i < len(old) && err == nil; i++ {
		if db.sealed {
			return ErrOld
		}
		err = db.Rebuild(ctx, old[i])
	}
	return err
}

// rederive replaces what is derived of s with what its frames say.
func (db *DB) rederive(ctx context.Context, run runner, s *reprise.Session) error {
	for _, table := range []string{"messages", "calls", "provenance_values", "provenance_uses"} {
		if err := run(`DELETE FROM `+table+` WHERE session_id=?`, s.ID); err != nil {
			return err
		}
	}
	d := newDerivation(run, s)
	var last int64
	for f, err := range db.Frames(ctx, s.ID) {
		if err != nil {
			return err
		}
		last = f.Seq
		if err := d.add(f); err != nil {
			return err
		}
	}
	return d.finish(last)
}

// derivation stores what a Deriver says of frames that are stored already.
type derivation struct {
	run          runner
	session      *reprise.Session
	derive       reprise.Deriver
	changed      map[*reprise.Call]struct{}
	values, uses int64
	err          error // of the first row that could not be stored
}

func newDerivation(run runner, s *reprise.Session) *derivation {
	d := &derivation{run: run, session: s, changed: map[*reprise.Call]struct{}{}}
	d.derive.Session = &reprise.Session{ID: s.ID, Ending: s.Ending}
	d.derive.Call = func(c *reprise.Call) { d.changed[c] = struct{}{} }
	d.derive.Message = func(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
		if d.err == nil {
			d.err = run.message(s.ID, &messageRow{*m, f.Seq, c})
		}
	}
	d.derive.Value = func(v *reprise.Value) {
		if d.values++; d.err == nil {
			d.err = run.value(s.ID, d.values, v)
		}
	}
	d.derive.Use = func(u *reprise.Use) {
		if d.uses++; d.err == nil {
			d.err = run.use(s.ID, d.uses, u)
		}
	}
	return d
}

func (d *derivation) add(f *reprise.Frame) error {
	d.derive.Add(f)
	if d.err != nil || len(d.changed) < batchFrames {
		return d.err
	}
	return d.calls()
}

func (d *derivation) calls() error {
	for _, c := range inOrder(d.changed) {
		if err := d.run.call(d.session.ID, c); err != nil {
			return err
		}
	}
	clear(d.changed)
	return nil
}

// inOrder sorts calls by their place.
func inOrder(calls map[*reprise.Call]struct{}) []*reprise.Call {
	return slices.SortedFunc(maps.Keys(calls), func(a, b *reprise.Call) int {
		if a.Seq != b.Seq {
			return int(a.Seq - b.Seq)
		}
		return a.Index - b.Index
	})
}

func (d *derivation) finish(last int64) error {
	d.derive.End()
	if err := d.calls(); err != nil {
		return err
	}
	return d.run.read(d.derive.Session, last)
}
