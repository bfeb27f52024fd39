package recorder

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"iter"

	"reprise"
)

// place is where a row of provenance stands: at a message or a call, and there in the order in which it was found.
type place struct{ seq, idx, n int64 }

// Values gives the values that a session's results generated, in the order of the results.
func (db *DB) Values(ctx context.Context, id string) iter.Seq2[*reprise.Value, error] {
	const query = `SELECT v.seq, v.idx, v.n, v.call_seq, v.call_idx, v.key, v.entity, v.value, v.path, v.echo, coalesce(c.rendered, '')
		FROM provenance_values v LEFT JOIN calls c ON c.session_id = v.session_id AND c.seq = v.call_seq AND c.idx = v.call_idx
		WHERE v.session_id = ? AND (v.seq, v.idx, v.n) > (?, ?, ?) ORDER BY v.seq, v.idx, v.n LIMIT ?`
	return paged(ctx, db, id, query, place{}, func(rows *sql.Rows, at *place) (*reprise.Value, error) {
		var v reprise.Value
		err := rows.Scan(&at.seq, &at.idx, &at.n, &v.CallSeq, &v.CallIndex, &v.Key, &v.Entity, &v.JSON, &v.Path, &v.Echo, &v.From)
		v.Seq, v.Index = at.seq, int(at.idx)
		return &v, err
	})
}

// Uses gives the leaves of a session's arguments, in the order of the requests and answers that they stand in.
func (db *DB) Uses(ctx context.Context, id string) iter.Seq2[*reprise.Use, error] {
	const query = `SELECT seq, idx, n, ` + useColumns + ` FROM provenance_uses
		WHERE session_id = ? AND (seq, idx, n) > (?, ?, ?) ORDER BY seq, idx, n LIMIT ?`
	return paged(ctx, db, id, query, place{}, scanUse)
}

const useColumns = `seq, idx, call_seq, call_idx, tool, path, value, cut, source, ground, relation,
	coalesce(value_seq, 0), coalesce(value_idx, 0), value_path, value_entity, stale`

func scanUse(rows *sql.Rows, at *place) (*reprise.Use, error) {
	var u reprise.Use
	err := rows.Scan(&at.seq, &at.idx, &at.n, &u.Seq, &u.Index, &u.CallSeq, &u.CallIndex, &u.Tool, &u.Path, &u.JSON, &u.Cut, &u.Source, &u.Ground,
		&u.Relation, &u.ValueSeq, &u.ValueIndex, &u.ValuePath, &u.ValueEntity, &u.Stale)
	return &u, err
}

// paged reads what a query has behind a place, a page at a time: see page.
func paged[T any](ctx context.Context, db *DB, id, query string, at place, scan func(*sql.Rows, *place) (*T, error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		at, more := at, true
		for n := page; more && n == page; {
			n = 0
			err := db.each(ctx, query, []any{id, at.seq, at.idx, at.n, page}, func(rows *sql.Rows) (bool, error) {
				row, err := scan(rows, &at)
				if err != nil {
					return false, err
				}
				n++
				more = yield(row, nil)
				return more, nil
			})
			if err != nil {
				yield(nil, fmt.Errorf("read provenance of session %s: %w", id, err))
				return
			}
		}
	}
}

// usesByCall hands out the uses of calls that are asked for in order.
type usesByCall struct {
	next func() (*reprise.Use, error, bool)
	head *reprise.Use
	err  error
}

// usesByCall begins at the first call above after. stop has to be called.
func (db *DB) usesByCall(ctx context.Context, id string, after int64) (u *usesByCall, stop func()) {
	const query = `SELECT call_seq, call_idx, n, ` + useColumns + ` FROM provenance_uses
		WHERE session_id = ? AND (call_seq, call_idx, n) > (?, ?, ?) ORDER BY call_seq, call_idx, n LIMIT ?`
	u = &usesByCall{}
	u.next, stop = iter.Pull2(paged(ctx, db, id, query, place{seq: after, idx: 1 << 62}, scanUse))
	u.step()
	return u, stop
}

func (u *usesByCall) step() {
	var more bool
	if u.head, u.err, more = u.next(); !more || u.err != nil {
		u.head = nil
	}
}

// of gives the uses of a call. The calls before it have had their turn.
func (u *usesByCall) of(c *reprise.Call) (uses []*reprise.Use, err error) {
	for u.head != nil {
		order := cmp.Or(cmp.Compare(u.head.CallSeq, c.Seq), cmp.Compare(u.head.CallIndex, c.Index))
		if order > 0 {
			break
		}
		if order == 0 {
			uses = append(uses, u.head)
		}
		u.step()
	}
	return uses, u.err
}
