package recorder

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Bounds are what a database may grow to. Oldest sessions go first, and never
// one that is open or pinned.
type Bounds struct {
	Age   time.Duration
	Bytes int64
}

// DefaultBounds hold where nobody says otherwise.
var DefaultBounds = Bounds{Age: 90 * 24 * time.Hour, Bytes: 5 << 30}

// Pruned is what a Prune has deleted, or would delete.
type Pruned struct {
	Sessions []string
	Bytes    int64 // size of the database afterwards; of now in a dry run
}

// Prune deletes the sessions beyond the bounds. A dry run only says which are too old.
func (db *DB) Prune(ctx context.Context, b Bounds, now time.Time, dryRun bool) (Pruned, error) {
	w, err := openWriterPatiently(ctx, db.path)
	if err != nil {
		return Pruned{}, err
	}
	defer w.Close()
	if dryRun {
		return (&store{w}).prunable(ctx, b, now)
	}
	return (&store{w}).prune(ctx, b, now)
}

// Pin keeps a session from being pruned, or lets it be.
func (db *DB) Pin(ctx context.Context, id string, pinned bool) error {
	w, err := openWriterPatiently(ctx, db.path)
	if err != nil {
		return err
	}
	defer w.Close()
	return retry(ctx, patience, func() error {
		return (&store{w}).inTx(ctx, func(run runner) error { return run(`UPDATE sessions SET pinned=?2 WHERE id=?1`, id, pinned) })
	})
}

const mayGo = `(ended_at IS NOT NULL OR imported) AND NOT pinned`

func (s *store) prune(ctx context.Context, b Bounds, now time.Time) (p Pruned, err error) {
	for {
		if p.Bytes, err = s.used(ctx); err != nil {
			return p, err
		}
		cutoff := now.Add(-b.Age).UnixNano()
		if p.Bytes > b.Bytes {
			cutoff = now.UnixNano()
		}
		id, err := s.oldest(ctx, cutoff)
		if id == "" || err != nil {
			return p, errors.Join(err, s.shrink(ctx))
		}
		if err := s.remove(ctx, id); err != nil {
			return p, err
		}
		p.Sessions = append(p.Sessions, id)
	}
}

// prunable lists what prune would delete, with the size estimated from the frames' bytes.
func (s *store) prunable(ctx context.Context, b Bounds, now time.Time) (p Pruned, err error) {
	if p.Bytes, err = s.used(ctx); err != nil {
		return p, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT id, started_at, bytes FROM sessions WHERE `+mayGo+` ORDER BY started_at`)
	if err != nil {
		return p, err
	}
	defer rows.Close()
	left := p.Bytes
	for rows.Next() {
		var id string
		var started, size int64
		if err := rows.Scan(&id, &started, &size); err != nil {
			return p, err
		}
		if started >= now.Add(-b.Age).UnixNano() && left <= b.Bytes {
			break
		}
		left -= size
		p.Sessions = append(p.Sessions, id)
	}
	return p, rows.Err()
}

// used is the size of the database without its free pages.
func (s *store) used(ctx context.Context) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&n)
	return n, err
}

func (s *store) oldest(ctx context.Context, before int64) (id string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT id FROM sessions WHERE `+mayGo+` AND started_at < ? ORDER BY started_at LIMIT 1`, before).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// remove deletes a session, a large one in pieces: others wait for the lock. Until
// it is gone it counts as incomplete, and the next prune goes on with it.
func (s *store) remove(ctx context.Context, id string) error {
	for more := true; more; {
		var upTo sql.NullInt64
		err := s.db.QueryRowContext(ctx, `SELECT seq FROM frames WHERE session_id = ? ORDER BY seq LIMIT 1 OFFSET 20000`, id).Scan(&upTo)
		if more = err == nil; !more && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		err = retry(ctx, patience, func() error {
			return s.inTx(ctx, func(run runner) error {
				if !more {
					return run(`DELETE FROM sessions WHERE id = ?`, id)
				}
				return errors.Join(run(`UPDATE sessions SET complete = 0 WHERE id = ?`, id),
					run(`DELETE FROM provenance_values WHERE session_id = ? AND seq < ?`, id, upTo),
					run(`DELETE FROM provenance_uses WHERE session_id = ? AND seq < ?`, id, upTo),
					run(`DELETE FROM calls WHERE session_id = ? AND seq < ?`, id, upTo),
					run(`DELETE FROM messages WHERE session_id = ? AND seq < ?`, id, upTo),
					run(`DELETE FROM frames WHERE session_id = ? AND seq < ?`, id, upTo))
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// shrink gives free pages back to the file system, some at a time.
func (s *store) shrink(ctx context.Context) error {
	for {
		err := retry(ctx, patience, func() error {
			rows, err := s.db.QueryContext(ctx, `PRAGMA incremental_vacuum(4000)`)
			if err != nil {
				return err
			}
			for rows.Next() { // each step frees a page
			}
			return errors.Join(rows.Err(), rows.Close())
		})
		var free int64
		if err == nil {
			err = s.db.QueryRowContext(ctx, `SELECT freelist_count FROM pragma_freelist_count`).Scan(&free)
		}
		if err != nil || free == 0 {
			return err
		}
	}
}

// pruneDaily keeps the default bounds, at most once a day for all processes together. Where it
// fails or its process ends, another one goes on ten minutes later.
func (s *store) pruneDaily(ctx context.Context, now time.Time) error {
	const set = `INSERT INTO settings (key, value) VALUES ('prune_at', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1`
	var due int64
	err := s.db.QueryRowContext(ctx, set+` WHERE CAST(value AS INTEGER) <= ?2 RETURNING 1`,
		now.Add(10*time.Minute).Unix(), now.Unix()).Scan(&due)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := s.prune(ctx, DefaultBounds, now); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, set, now.Add(24*time.Hour).Unix())
	return err
}
