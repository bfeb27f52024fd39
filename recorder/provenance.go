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
	const query = selectValues + `(v.seq, v.idx, v.n) > (?, ?, ?) ORDER BY v.seq, v.idx, v.n LIMIT ?`
	return paged(ctx, db, id, query, place{}, func(rows *sql.Rows, at *place) (*reprise.Value, error) {
		v, err := scanValue(rows)
		*at = place{v.Seq, int64(v.Index), v.N}
		return v, err
	})
}

// ValueOf gives the value that a use of the session is linked to, nil when there is none.
func (db *DB) ValueOf(ctx context.Context, id string, u *reprise.Use) (v *reprise.Value, err error) {
	if u.ValueN == 0 {
		return nil, nil
	}
	err = db.each(ctx, selectValues+`(v.seq, v.idx, v.n) = (?, ?, ?)`, []any{id, u.ValueSeq, u.ValueIndex, u.ValueN}, func(rows *sql.Rows) (bool, error) {
		v, err = scanValue(rows)
		return false, err
	})
	if err != nil {
		return nil, fmt.Errorf("read value %d of session %s: %w", u.ValueN, id, err)
	}
	return v, nil
}

const selectValues = `SELECT v.n, v.seq, v.idx, v.call_seq, v.call_idx, v.key, v.entity, v.value, v.path, v.echo, coalesce(c.rendered, '')
	FROM provenance_values v LEFT JOIN calls c ON c.session_id = v.session_id AND c.seq = v.call_seq AND c.idx = v.call_idx
	WHERE v.session_id = ? AND `

func scanValue(rows *sql.Rows) (*reprise.Value, error) {
	var v reprise.Value
	err := rows.Scan(&v.N, &v.Seq, &v.Index, &v.CallSeq, &v.CallIndex, &v.Key, &v.Entity, &v.JSON, &v.Path, &v.Echo, &v.From)
	return &v, err
}

// Uses gives the leaves of a session's arguments, in the order of the requests and answers that they stand in.
func (db *DB) Uses(ctx context.Context, id string) iter.Seq2[*reprise.Use, error] {
	const query = `SELECT seq, idx, n, ` + useColumns + ` FROM provenance_uses
		WHERE session_id = ? AND (seq, idx, n) > (?, ?, ?) ORDER BY seq, idx, n LIMIT ?`
	return paged(ctx, db, id, query, place{}, scanUse)
}

const useColumns = `seq, idx, call_seq, call_idx, tool, path, value, cut, source, ground, relation,
	coalesce(value_n, 0), coalesce(value_seq, 0), coalesce(value_idx, 0), value_path, value_entity, stale`

func scanUse(rows *sql.Rows, at *place) (*reprise.Use, error) {
	var u reprise.Use
	err := rows.Scan(&at.seq, &at.idx, &at.n, &u.Seq, &u.Index, &u.CallSeq, &u.CallIndex, &u.Tool, &u.Path, &u.JSON, &u.Cut, &u.Source, &u.Ground,
		&u.Relation, &u.ValueN, &u.ValueSeq, &u.ValueIndex, &u.ValuePath, &u.ValueEntity, &u.Stale)
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

// usesByCall hands out the uses of calls that are asked for in order. It begins at the first of them, and
// looks up one that stands far behind.
type usesByCall struct {
	from func(place) iter.Seq2[*reprise.Use, error]
	next func() (*reprise.Use, error, bool) // nil before the first call
	stop func()
	head *reprise.Use
	err  error
}

// near is how many uses of other calls are read rather than a call looked up.
const near = 50

func (db *DB) usesByCall(ctx context.Context, id string) *usesByCall {
	const query = `SELECT call_seq, call_idx, n, ` + useColumns + ` FROM provenance_uses
		WHERE session_id = ? AND (call_seq, call_idx, n) > (?, ?, ?) ORDER BY call_seq, call_idx, n LIMIT ?`
	return &usesByCall{from: func(at place) iter.Seq2[*reprise.Use, error] { return paged(ctx, db, id, query, at, scanUse) }}
}

// of gives the uses of a call. The calls before it have had their turn.
func (u *usesByCall) of(c *reprise.Call) (uses []*reprise.Use, err error) {
	if u.next == nil {
		u.seek(c)
	}
	for passed := 0; u.head != nil && u.order(c) < 0; passed++ {
		if passed == near {
			u.seek(c)
		} else {
			u.step()
		}
	}
	for u.head != nil && u.order(c) == 0 {
		uses = append(uses, u.head)
		u.step()
	}
	return uses, u.err
}

// order says how the next use stands to those of a call.
func (u *usesByCall) order(c *reprise.Call) int {
	return cmp.Or(cmp.Compare(u.head.CallSeq, c.Seq), cmp.Compare(u.head.CallIndex, c.Index))
}

// seek goes on with the uses of a call.
func (u *usesByCall) seek(c *reprise.Call) {
	u.close()
	u.next, u.stop = iter.Pull2(u.from(place{c.Seq, int64(c.Index), -1}))
	u.step()
}

func (u *usesByCall) step() {
	var more bool
	if u.head, u.err, more = u.next(); !more || u.err != nil {
		u.head = nil
	}
}

func (u *usesByCall) close() {
	if u.stop != nil {
		u.stop()
	}
}
