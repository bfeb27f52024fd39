package recorder

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"reprise"
)

// Rebuild derives a session's messages, calls and provenance anew from its frames, in one
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

// ErrSealed is a session that another version of Reprise has derived, in a database that can't be written to.
var ErrSealed = errors.New("another version has derived it, and the database can't be written to")

// Derive makes sure that what is derived of a session, or with "" of all of them, is what this version says of
// its frames: what another one has derived is rebuilt, and progress, which may be nil, told of each. Call it before provenance is
// read. It fails with the first error that is not ErrLive; with ErrLive when nothing else keeps it from a session.
func (db *DB) Derive(ctx context.Context, id string, progress func(n, of int)) error {
	others, err := db.derivedOtherwise(ctx, id)
	switch {
	case err != nil:
		return fmt.Errorf("find what another version has derived: %w", err)
	case len(others) > 0 && db.sealed:
		return ErrSealed
	}
	var live, failed error
	for i, id := range others {
		if progress != nil {
			progress(i+1, len(others))
		}
		if err := db.Rebuild(ctx, id); errors.Is(err, ErrLive) {
			live = err
		} else if failed == nil {
			failed = err
		}
	}
	return cmp.Or(failed, live)
}

// derivedOtherwise gives the id, or all ids with "", of sessions that other rules have derived. One that has just begun has nothing derived.
func (db *DB) derivedOtherwise(ctx context.Context, id string) (ids []string, err error) {
	const query = `SELECT id FROM sessions WHERE (?1 = '' OR id = ?1) AND ` + derivedOtherwise + ` AND (derived_seq > 0 OR ended_at IS NOT NULL)`
	err = db.each(ctx, query, []any{id, derivedVersion}, func(rows *sql.Rows) (bool, error) {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return true, err
	})
	return ids, err
}

// rederive replaces what is derived of s with what its frames say.
func (db *DB) rederive(ctx context.Context, run runner, s *reprise.Session) error {
	if err := run(`UPDATE sessions SET derived_version=0 WHERE id=?`, s.ID); err != nil {
		return err
	}
	return newDerivation(s.ID, db.read, run.within).finish(ctx, s.Ending, always, nil)
}
