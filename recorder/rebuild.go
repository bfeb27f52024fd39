package recorder

import (
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
	if len(old) > 0 && db.sealed {
		return ErrOld
	}
	for _, id := range old {
		err = errors.Join(err, db.Rebuild(ctx, id))
	}
	return err
}

// rederive replaces what is derived of s with what its frames say.
func (db *DB) rederive(ctx context.Context, run runner, s *reprise.Session) error {
	if err := run(`UPDATE sessions SET derived_version=0 WHERE id=?`, s.ID); err != nil {
		return err
	}
	return newDerivation(s.ID, db.read, run.within).finish(ctx, s.Ending, always, nil)
}
