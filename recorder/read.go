package recorder

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"reprise"
)

// ErrNotFound is a session that does not exist.
var ErrNotFound = errors.New("no such session")

// AmbiguousError is a prefix that several sessions share.
type AmbiguousError struct {
	Ref     string
	Matches []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q may be any of %d sessions", e.Ref, len(e.Matches))
}

const sessionColumns = `s.id, s.host, s.server, s.command, s.url, s.transport, s.started_at, s.ended_at, s.ending, s.exit_code, s.complete,
	s.cwd, s.parent, s.metadata_only, s.purpose, s.pinned, s.imported,
	CASE WHEN json_valid(s.redaction) THEN coalesce(json_extract(s.redaction, '$.placeholders') > 0, 0) ELSE 0 END, s.protocol_version, s.client_name, s.client_version, s.server_name,
	s.server_version, s.frames, s.bytes, s.calls, s.errors, s.noise, s.invalid, s.orphans, s.gaps, s.lost_frames,
	s.value_count, s.unsourced, s.left_out, s.derived_seq`

// scanner is a row.
type scanner interface{ Scan(...any) error }

// scanSession reads sessionColumns, and what follows them into more.
func scanSession(row scanner, more ...any) (*reprise.Session, int64, error) {
	var s reprise.Session
	var command, parent string
	var started, derived int64
	var ended, exit sql.NullInt64
	err := row.Scan(append([]any{&s.ID, &s.Host, &s.Server, &command, &s.URL, &s.Transport, &started, &ended, &s.Ending, &exit, &s.Complete,
		&s.Cwd, &parent, &s.MetadataOnly, &s.Purpose, &s.Pinned, &s.Imported, &s.Redacted, &s.ProtocolVersion, &s.Client.Name, &s.Client.Version, &s.Peer.Name,
		&s.Peer.Version, &s.Frames, &s.Bytes, &s.Calls, &s.Errors, &s.Noise, &s.Invalid, &s.Orphans, &s.Gaps, &s.LostFrames,
		&s.Values, &s.Unsourced, &s.LeftOut, &derived}, more...)...)
	if err != nil {
		return nil, 0, err
	}
	json.Unmarshal([]byte(command), &s.Command) // ours; whatever it is, the rest is still good
	json.Unmarshal([]byte(parent), &s.Parent)
	s.StartedAt = time.Unix(0, started).UTC()
	if ended.Valid {
		s.EndedAt = time.Unix(0, ended.Int64).UTC()
	}
	if exit.Valid {
		code := int(exit.Int64)
		s.ExitCode = &code
	}
	return &s, derived, nil
}

// Sessions gives the sessions that the filter lets through, newest first.
func (db *DB) Sessions(ctx context.Context, f *reprise.Filter) iter.Seq2[*reprise.Session, error] {
	where, args := compileFilter(f, sessionsListing)
	query := `SELECT ` + sessionColumns + ` FROM sessions s WHERE ` + where + ` ORDER BY s.started_at DESC, s.id DESC`
	return func(yield func(*reprise.Session, error) bool) {
		err := db.each(ctx, query, args, func(rows *sql.Rows) (bool, error) {
			s, _, err := scanSession(rows)
			return err == nil && yield(s, nil), err
		})
		if err != nil {
			yield(nil, fmt.Errorf("read sessions: %w", err))
		}
	}
}

// each runs the query and calls f for each row until it says stop.
func (db *DB) each(ctx context.Context, query string, args []any, f func(*sql.Rows) (more bool, err error)) error {
	var rows *sql.Rows
	err := retry(ctx, patience, func() (err error) {
		rows, err = db.read.QueryContext(ctx, query, args...)
		return err
	})
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if more, err := f(rows); err != nil || !more {
			return err
		}
	}
	return rows.Err()
}

// Find gives the session that ref names: its id, an unambiguous prefix of it, or "last": the
// newest that is an agent's work, or a harvest.
func (db *DB) Find(ctx context.Context, ref string) (*reprise.Session, error) {
	query, args := `SELECT `+sessionColumns+` FROM sessions s WHERE substr(s.id, 1, ?) = ? ORDER BY s.id = ? DESC, s.id LIMIT 20`,
		[]any{len(ref), strings.ToLower(ref), strings.ToLower(ref)}
	if ref == "last" {
		query, args = `SELECT `+sessionColumns+` FROM sessions s WHERE s.purpose IN ('', 'harvest') ORDER BY s.started_at DESC, s.id DESC LIMIT 1`, nil
	}
	var found []*reprise.Session
	err := db.each(ctx, query, args, func(rows *sql.Rows) (bool, error) {
		s, _, err := scanSession(rows)
		found = append(found, s)
		return true, err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("find session: %w", err)
	case len(found) == 0 || ref == "":
		return nil, fmt.Errorf("%w: %q", ErrNotFound, ref)
	case len(found) > 1 && found[0].ID != strings.ToLower(ref):
		ambiguous := &AmbiguousError{Ref: ref}
		for _, s := range found {
			ambiguous.Matches = append(ambiguous.Matches, s.ID)
		}
		return nil, ambiguous
	}
	return found[0], nil
}

// Query says which entries to read.
type Query struct {
	Session string // "" for all of them, newest first
	Filter  *reprise.Filter
	Frames  bool // messages in raw order, rather than calls
	Data    bool // with the frames' bytes: Frame.Data, or Request and Response
	Uses    bool // of calls: with the sources of their arguments
	// After and UpTo bound Seq when they are not 0: After is exclusive.
	After, UpTo int64

	only restriction
}

// restriction is a part of a WHERE clause.
type restriction struct {
	sql  string
	args []any
}

// Entries gives the entries of a query in order of Seq, as they are read. One Session is shared by its entries.
func (db *DB) Entries(ctx context.Context, q Query) iter.Seq2[*reprise.Entry, error] {
	return func(yield func(*reprise.Entry, error) bool) {
		for s, err := range db.sessionsOf(ctx, q) {
			if err != nil {
				yield(nil, err)
				return
			}
			more := true
			err := db.entriesOf(ctx, s, q, func(e *reprise.Entry) bool {
				more = yield(e, nil)
				return more
			})
			if err != nil {
				yield(nil, fmt.Errorf("read session %s: %w", s.ID, err))
				return
			}
			if !more {
				return
			}
		}
	}
}

func (db *DB) sessionsOf(ctx context.Context, q Query) iter.Seq2[*reprise.Session, error] {
	if q.Session == "" {
		return db.Sessions(ctx, nil)
	}
	return func(yield func(*reprise.Session, error) bool) { yield(db.Find(ctx, q.Session)) }
}

// page is how many rows one statement reads: a reader at a pager must not hold a
// transaction open, which would keep the write-ahead log from being reset.
const page = 2000

func (db *DB) entriesOf(ctx context.Context, s *reprise.Session, q Query, yield func(*reprise.Entry) bool) error {
	query, scan := entriesQuery(q)
	where, args := compileFilter(q.Filter, listingOf(q))
	if q.only.sql != "" {
		where, args = where+") AND ("+q.only.sql, append(args, q.only.args...)
	}
	query = fmt.Sprintf(query, where)
	if q.UpTo == 0 {
		q.UpTo = 1<<63 - 1
	}
	uses := func(*reprise.Call) ([]*reprise.Use, error) { return nil, nil }
	if q.Uses && !q.Frames {
		all := db.usesByCall(ctx, s.ID)
		defer all.close()
		uses = all.of
	}
	seq, idx, more := q.After, int64(1<<62), true
	for n := page; more && n == page; {
		n = 0
		all := append([]any{s.ID, seq, idx, q.UpTo}, args...)
		err := db.each(ctx, query, all, func(rows *sql.Rows) (bool, error) {
			e, err := scan(rows, &seq, &idx)
			if err != nil {
				return false, err
			}
			n++
			e.Session = s
			if e.Uses, err = uses(e.Call); err != nil {
				return false, err
			}
			more = yield(e)
			return more, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func listingOf(q Query) listing {
	if q.Frames {
		return messagesListing
	}
	return callsListing
}

func entriesQuery(q Query) (query string, scan func(*sql.Rows, *int64, *int64) (*reprise.Entry, error)) {
	query, alias, scan := callsQuery(q), "c", scanCall
	if q.Frames {
		query, alias, scan = messagesQuery(q), "m", scanMessage
	}
	return query + fmt.Sprintf(` WHERE %[1]s.session_id = ? AND (%[1]s.seq, %[1]s.idx) > (?, ?) AND %[1]s.seq <= ? AND (%%s)
		ORDER BY %[1]s.seq, %[1]s.idx LIMIT %[2]d`, alias, page), scan
}

const callColumns = `c.seq, c.idx, c.direction, c.stream, c.rpc_id, c.method, c.name, c.status, c.code, c.started_ns, c.ended_ns,
	c.response_seq, c.response_idx, c.request_size, c.response_size, c.cancelled_seq, c.late, c.progress, c.host_ids, c.flags,
	c.link, c.of_seq, c.of_idx, c.rendered, c.partial`

func callsQuery(q Query) string {
	data := `NULL, NULL`
	if q.Data {
		data = `q.data, r.data`
	}
	return `SELECT ` + callColumns + `, ` + data + ` FROM calls c JOIN sessions s ON s.id = c.session_id
		LEFT JOIN frames q ON q.session_id = c.session_id AND q.seq = c.seq AND q.part = 0
		LEFT JOIN frames r ON r.session_id = c.session_id AND r.seq = c.response_seq AND r.part = 0`
}

func messagesQuery(q Query) string {
	data := `NULL`
	if q.Data {
		data = `f.data`
	}
	return `SELECT m.idx, m.kind, m.rpc_id, m.method, m.name, m.flags,
		f.seq, f.at_ns, f.direction, f.stream, l.eol, f.truncated, l.size, ` + data + `, c.seq IS NOT NULL, ` + callColumns + `
		FROM messages m JOIN frames f ON f.session_id = m.session_id AND f.seq = m.seq AND f.part = 0
		JOIN frames l ON l.session_id = m.session_id AND l.seq = m.seq
			AND l.part = (SELECT max(part) FROM frames p WHERE p.session_id = m.session_id AND p.seq = m.seq)
		JOIN sessions s ON s.id = m.session_id
		LEFT JOIN calls c ON c.session_id = m.session_id AND c.seq = m.call_seq AND c.idx = m.call_idx`
}

// callRow receives callColumns, which may all be NULL.
type callRow struct {
	seq, idx, direction, stream, code, started, ended, response, responseIdx, requestSize, responseSize, cancelled, progress, flags, of, ofIdx sql.NullInt64
	id, method, name, status, hostIDs, link, rendered                                                                                          sql.NullString
	late, partial                                                                                                                              sql.NullBool
}

func (r *callRow) into() []any {
	return []any{&r.seq, &r.idx, &r.direction, &r.stream, &r.id, &r.method, &r.name, &r.status, &r.code, &r.started, &r.ended,
		&r.response, &r.responseIdx, &r.requestSize, &r.responseSize, &r.cancelled, &r.late, &r.progress, &r.hostIDs, &r.flags,
		&r.link, &r.of, &r.ofIdx, &r.rendered, &r.partial}
}

func (r *callRow) call() *reprise.Call {
	c := &reprise.Call{Seq: r.seq.Int64, Index: int(r.idx.Int64), Direction: reprise.Direction(r.direction.Int64), Stream: r.stream.Int64,
		ID: r.id.String, Method: r.method.String, Name: r.name.String, Status: reprise.Status(r.status.String),
		Response: r.response.Int64, ResponseIndex: int(r.responseIdx.Int64), Started: time.Duration(r.started.Int64), Ended: time.Duration(r.ended.Int64),
		RequestSize: r.requestSize.Int64, ResponseSize: r.responseSize.Int64, Cancelled: r.cancelled.Int64, Late: r.late.Bool,
		Progress: int(r.progress.Int64), HostIDs: r.hostIDs.String, Flags: reprise.Flag(r.flags.Int64),
		Link: reprise.Link(r.link.String), Of: r.of.Int64, OfIndex: int(r.ofIdx.Int64), Rendered: r.rendered.String, Partial: r.partial.Bool}
	if r.code.Valid {
		c.Code = &r.code.Int64
	}
	return c
}

func scanCall(rows *sql.Rows, seq, idx *int64) (*reprise.Entry, error) {
	var row callRow
	var e reprise.Entry
	if err := rows.Scan(append(row.into(), &e.Request, &e.Response)...); err != nil {
		return nil, err
	}
	e.Call = row.call()
	*seq, *idx = e.Call.Seq, int64(e.Call.Index)
	return &e, nil
}

func scanMessage(rows *sql.Rows, seq, idx *int64) (*reprise.Entry, error) {
	var row callRow
	var hasCall bool
	m, f := &reprise.Message{}, &reprise.Frame{}
	into := []any{&m.Index, &m.Kind, &m.ID, &m.Method, &m.Name, &m.Flags,
		&f.Seq, &f.At, &f.Direction, &f.Stream, &f.EOL, &f.Truncated, &f.Size, &f.Data, &hasCall}
	if err := rows.Scan(append(into, row.into()...)...); err != nil {
		return nil, err
	}
	*seq, *idx = f.Seq, int64(m.Index)
	e := &reprise.Entry{Frame: f, Message: m}
	if hasCall {
		e.Call = row.call()
	}
	return e, nil
}
