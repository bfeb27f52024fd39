package recorder

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"reprise"
)

// derivedVersion numbers the rules by which sessions are derived.
const derivedVersion = 1

// derivedOtherwise is true of a session that other rules have derived, older ones or newer: it is done again (see DB.Derive),
// and its rows are never mixed with ours. ?2 is derivedVersion.
const derivedOtherwise = `derived_version <> ?2`

// store writes the rows of sessions. Everything it inserts may be there already:
// whoever takes a journal in again writes the same rows.
type store struct{ db *sql.DB }

const (
	insertFrame = `INSERT OR IGNORE INTO frames (session_id, seq, part, at_ns, direction, stream, data, eol, size, truncated)
		VALUES (?,?,?,?,?,?,?,?,?,?)`
	insertStderr  = `INSERT OR IGNORE INTO stderr (session_id, n, at_ns, data, withheld) VALUES (?,?,?,?,?)`
	insertGap     = `INSERT OR IGNORE INTO gaps (session_id, n, from_seq, to_seq, frames, bytes, at_ns, reason) VALUES (?,?,?,?,?,?,?,?)`
	insertMessage = `INSERT OR REPLACE INTO messages (session_id, seq, idx, kind, rpc_id, method, name, flags, call_seq, call_idx)
		VALUES (?,?,?,?,?,?,?,?,?,?)`
	insertCall = `INSERT OR REPLACE INTO calls (session_id, seq, idx, direction, stream, rpc_id, method, name, status, code,
		started_ns, ended_ns, duration_ns, response_seq, response_idx, request_size, response_size, cancelled_seq, late, progress, host_ids, flags,
		link, of_seq, of_idx, rendered, partial)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	insertValue = `INSERT OR REPLACE INTO provenance_values (session_id, seq, idx, n, call_seq, call_idx, key, entity, value, path, echo)
		VALUES (?,?,?,?,?,?,?,?,?,?,?)`
	insertUse = `INSERT OR REPLACE INTO provenance_uses (session_id, seq, idx, n, call_seq, call_idx, tool, path, value, cut, source, ground,
		relation, value_n, value_seq, value_idx, value_path, value_entity, stale)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	insertSession = `INSERT OR IGNORE INTO sessions (id, host, server, command, url, transport, started_at, cwd, parent, metadata_only, purpose)
		VALUES (?,?,?,?,?,?,?,?,?,?,?)`
	updateFacts = `UPDATE sessions SET frames=?2, bytes=?3, gaps=?4, lost_frames=?5, ended_at=?6, ending=?7, exit_code=?8, complete=?9 WHERE id=?1`
	updateRead  = `UPDATE sessions SET host=CASE host WHEN '' THEN ?2 ELSE host END, protocol_version=?3, client_name=?4, client_version=?5,
		server_name=?6, server_version=?7, calls=?8, errors=?9, noise=?10, invalid=?11, orphans=?12, value_count=?13, unsourced=?14, left_out=?15,
		derived_seq=max(derived_seq, ?16), derived_version=?17 WHERE id=?1`
)

// inTx runs f in one transaction.
func (s *store) inTx(ctx context.Context, f func(run runner) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(s.runner(ctx, tx)); err != nil {
		return err
	}
	return tx.Commit()
}

// transaction gives each f a transaction of its own.
func (s *store) transaction(ctx context.Context) transaction {
	return func(f func(runner) error) error { return s.inTx(ctx, f) }
}

// within gives f the transaction that there is.
func (run runner) within(f func(runner) error) error { return f(run) }

// runner executes one of the statements above in a transaction.
type runner func(query string, args ...any) error

func (s *store) runner(ctx context.Context, tx *sql.Tx) runner {
	bound := map[string]*sql.Stmt{}
	return func(query string, args ...any) error {
		stmt := bound[query]
		if stmt == nil {
			var err error
			if stmt, err = tx.PrepareContext(ctx, query); err != nil {
				return err
			}
			bound[query] = stmt
		}
		_, err := stmt.ExecContext(ctx, args...)
		return err
	}
}

func (run runner) session(s *reprise.Session) error {
	command, err := json.Marshal(s.Command)
	if err != nil {
		return err
	}
	parent, err := json.Marshal(s.Parent)
	if err != nil {
		return err
	}
	return run(insertSession, s.ID, s.Host, s.Server, string(command), s.URL, s.Transport, s.StartedAt.UnixNano(),
		s.Cwd, string(parent), s.MetadataOnly, s.Purpose)
}

// facts stores what is known of the session from its frames alone.
func (run runner) facts(s *reprise.Session) error {
	var ended any
	if !s.EndedAt.IsZero() {
		ended = s.EndedAt.UnixNano()
	}
	return run(updateFacts, s.ID, s.Frames, s.Bytes, s.Gaps, s.LostFrames, ended, string(s.Ending), s.ExitCode, s.Complete)
}

// read stores what was read from the messages up to derived.
func (run runner) read(s *reprise.Session, derived int64) error {
	return run(updateRead, s.ID, s.Client.Name, s.ProtocolVersion, s.Client.Name, s.Client.Version, s.Peer.Name, s.Peer.Version,
		s.Calls, s.Errors, s.Noise, s.Invalid, s.Orphans, s.Values, s.Unsourced, s.LeftOut, derived, derivedVersion)
}

func (run runner) frame(id string, f *reprise.Frame) error {
	return run(insertFrame, id, f.Seq, f.Part, int64(f.At), int64(f.Direction), f.Stream, notNil(f.Data), f.EOL, f.Size, f.Truncated)
}

func (run runner) stderr(id string, n int64, c *reprise.Chunk) error {
	return run(insertStderr, id, n, int64(c.At), notNil(c.Data), c.Withheld)
}

func (run runner) gap(id string, n int, g *reprise.Gap) error {
	return run(insertGap, id, n, g.From, g.To, g.Frames, g.Bytes, int64(g.At), g.Reason)
}

// forget deletes what other rules have derived of the session.
func (run runner) forget(id string) error {
	for _, table := range []string{"messages", "calls", "provenance_values", "provenance_uses"} {
		if err := run(`DELETE FROM `+table+` WHERE session_id = (SELECT id FROM sessions WHERE id = ?1 AND `+derivedOtherwise+`)`, id, derivedVersion); err != nil {
			return err
		}
	}
	return nil
}

// messageRow is a message with its place, and the call that it belongs to or nil.
type messageRow struct {
	reprise.Message
	seq  int64
	call *reprise.Call
}

func (run runner) message(id string, m *messageRow) error {
	var callSeq, callIndex any
	if m.call != nil {
		callSeq, callIndex = m.call.Seq, m.call.Index
	}
	return run(insertMessage, id, m.seq, m.Index, string(m.Kind), m.ID, m.Method, m.Name, int64(m.Flags), callSeq, callIndex)
}

func (run runner) call(id string, c *reprise.Call) error {
	var ended, duration, response, index, size, cancelled, of, ofIndex any
	if c.Response != 0 {
		ended, duration = int64(c.Ended), int64(c.Duration())
		response, index, size = c.Response, c.ResponseIndex, c.ResponseSize
	}
	if c.Cancelled != 0 {
		cancelled = c.Cancelled
	}
	if c.Link != "" {
		of, ofIndex = c.Of, c.OfIndex
	}
	return run(insertCall, id, c.Seq, c.Index, int64(c.Direction), c.Stream, c.ID, c.Method, c.Name, string(c.Status), c.Code,
		int64(c.Started), ended, duration, response, index, c.RequestSize, size, cancelled, c.Late, c.Progress, c.HostIDs, int64(c.Flags),
		string(c.Link), of, ofIndex, c.Rendered, c.Partial)
}

func (run runner) value(id string, v *reprise.Value) error {
	return run(insertValue, id, v.Seq, v.Index, v.N, v.CallSeq, v.CallIndex, v.Key, v.Entity, v.JSON, v.Path, v.Echo)
}

func (run runner) use(id string, n int64, u *reprise.Use) error {
	var born, seq, index any
	if u.ValueN != 0 {
		born, seq, index = u.ValueN, u.ValueSeq, u.ValueIndex
	}
	return run(insertUse, id, u.Seq, u.Index, n, u.CallSeq, u.CallIndex, u.Tool, u.Path, u.JSON, u.Cut, string(u.Source), string(u.Ground),
		string(u.Relation), born, seq, index, u.ValuePath, u.ValueEntity, u.Stale)
}

// notNil is an empty blob, not NULL, for no bytes.
func notNil(p []byte) []byte {
	if p == nil {
		return []byte{}
	}
	return p
}

// endAt is the moment of an offset in the session.
func endAt(s *reprise.Session, at time.Duration) time.Time { return s.StartedAt.Add(at) }

var errNoSession = errors.New("the journal does not begin with its session")
