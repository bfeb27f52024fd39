package recorder

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"reprise"
)

// pollEvery is how often a follower asks SQLite whether anybody has written. It is one page read.
const pollEvery = 100 * time.Millisecond

// Follow calls f for every entry of the query that is stored from now on, by whichever
// process, until ctx is done or f fails. Calls come when they have ended, messages as they come.
// SQLite's data_version is the only thing it watches.
func (db *DB) Follow(ctx context.Context, q Query, f func(*reprise.Entry) error) error {
	conn, err := db.read.Conn(ctx) // data_version counts what others than this connection write
	if err != nil {
		return err
	}
	defer conn.Close()
	t := &tailer{db: db, query: q, each: f, seen: map[string]mark{}}
	if err := t.start(ctx); err != nil {
		return err
	}
	var last int64 = -1
	for {
		var version int64
		err := conn.QueryRowContext(ctx, `SELECT data_version FROM pragma_data_version`).Scan(&version)
		if err == nil && version != last {
			last = version
			err = t.look(ctx)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !busy(err) {
			return fmt.Errorf("follow sessions: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollEvery):
		}
	}
}

// tailer remembers how far each session has been shown.
type tailer struct {
	db    *DB
	query Query
	each  func(*reprise.Entry) error
	seen  map[string]mark
	since int64 // the start of the oldest session that was open when we began
}

type mark struct {
	seq   int64
	ended bool
}

// start notes where every session is that can still change.
func (t *tailer) start(ctx context.Context) error {
	err := t.db.read.QueryRowContext(ctx, `SELECT coalesce(min(started_at), ?) FROM sessions WHERE ended_at IS NULL`, time.Now().UnixNano()).Scan(&t.since)
	if err != nil {
		return err
	}
	return t.sessions(ctx, func(s *reprise.Session, derived int64) error {
		t.seen[s.ID] = mark{derived, !s.EndedAt.IsZero()}
		return nil
	})
}

func (t *tailer) look(ctx context.Context) error {
	return t.sessions(ctx, func(s *reprise.Session, derived int64) error {
		from := t.seen[s.ID]
		if err := t.between(ctx, s, from.seq, derived); err != nil {
			return err
		}
		if !from.ended && !s.EndedAt.IsZero() && !t.query.Frames {
			if err := t.unanswered(ctx, s); err != nil {
				return err
			}
		}
		t.seen[s.ID] = mark{derived, !s.EndedAt.IsZero()}
		return nil
	})
}

// sessions calls f for each session that is open or was, oldest first, with the seq up to which it is derived.
// They are read first: whoever shows them may be slow, and a transaction must not stay open (see page).
func (t *tailer) sessions(ctx context.Context, f func(*reprise.Session, int64) error) error {
	var list []*reprise.Session
	var derived []int64
	err := t.db.each(ctx, `SELECT `+sessionColumns+` FROM sessions s
		WHERE s.ended_at IS NULL OR s.started_at >= ? ORDER BY s.started_at, s.id`, []any{t.since}, func(rows *sql.Rows) (bool, error) {
		s, seq, err := scanSession(rows)
		list, derived = append(list, s), append(derived, seq)
		return true, err
	})
	for i := 0; i < len(list) && err == nil; i++ {
		if t.query.Session == "" || t.query.Session == list[i].ID {
			err = f(list[i], derived[i])
		}
	}
	return err
}

// between shows what stands behind after and up to upTo: messages, or the calls that they ended.
func (t *tailer) between(ctx context.Context, s *reprise.Session, after, upTo int64) error {
	if upTo <= after {
		return nil
	}
	q := t.query
	if q.Frames {
		q.After, q.UpTo = after, upTo
	} else {
		q.only = restriction{`c.seq IN (SELECT m.call_seq FROM messages m WHERE m.session_id = c.session_id
			AND m.seq > ? AND m.seq <= ? AND m.kind = 'response')`, []any{after, upTo}}
	}
	return t.show(ctx, s, q)
}

// unanswered shows the calls that no response ended.
func (t *tailer) unanswered(ctx context.Context, s *reprise.Session) error {
	q := t.query
	q.only = restriction{`c.response_seq IS NULL`, nil}
	return t.show(ctx, s, q)
}

func (t *tailer) show(ctx context.Context, s *reprise.Session, q Query) (failed error) {
	err := t.db.entriesOf(ctx, s, q, func(e *reprise.Entry) bool {
		failed = t.each(e)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
