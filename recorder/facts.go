package recorder

import (
	"context"
	"database/sql"
	"iter"

	"reprise"
)

// Frames gives the frames of a session in order, long ones in their parts.
func (db *DB) Frames(ctx context.Context, id string) iter.Seq2[*reprise.Frame, error] {
	return func(yield func(*reprise.Frame, error) bool) {
		seq, part, more := int64(-1), -1, true
		for n := page; more && n == page; {
			n = 0
			err := db.each(ctx, framesQuery, []any{id, seq, part, page}, func(rows *sql.Rows) (bool, error) {
				f, err := scanFrame(rows)
				if err != nil {
					return false, err
				}
				n, seq, part = n+1, f.Seq, f.Part
				more = yield(f, nil)
				return more, nil
			})
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// framesQuery reads a page of the frames of a session behind a place.
const framesQuery = `SELECT f.seq, f.part, f.at_ns, f.direction, f.stream, f.data, f.eol, f.size, f.truncated,
	length(f.data) >= 16777216 AND EXISTS (SELECT 1 FROM frames p WHERE p.session_id = f.session_id AND p.seq = f.seq AND p.part = f.part + 1)
	FROM frames f WHERE f.session_id = ? AND (f.seq, f.part) > (?, ?) ORDER BY f.seq, f.part LIMIT ?`

func scanFrame(rows *sql.Rows) (*reprise.Frame, error) {
	var f reprise.Frame
	err := rows.Scan(&f.Seq, &f.Part, &f.At, &f.Direction, &f.Stream, &f.Data, &f.EOL, &f.Size, &f.Truncated, &f.More)
	return &f, err
}

// Stderr gives what the server wrote to its standard error, as it came.
func (db *DB) Stderr(ctx context.Context, id string) iter.Seq2[reprise.Chunk, error] {
	return func(yield func(reprise.Chunk, error) bool) {
		err := db.each(ctx, `SELECT at_ns, data, withheld FROM stderr WHERE session_id = ? ORDER BY n`, []any{id},
			func(rows *sql.Rows) (bool, error) {
				c := reprise.Chunk{Direction: reprise.ServerLog}
				err := rows.Scan(&c.At, &c.Data, &c.Withheld)
				return err == nil && yield(c, nil), err
			})
		if err != nil {
			yield(reprise.Chunk{}, err)
		}
	}
}

// Gaps gives what is missing from a session.
func (db *DB) Gaps(ctx context.Context, id string) ([]reprise.Gap, error) {
	var gaps []reprise.Gap
	err := db.each(ctx, `SELECT from_seq, to_seq, frames, bytes, at_ns, reason FROM gaps WHERE session_id = ? ORDER BY n`, []any{id},
		func(rows *sql.Rows) (bool, error) {
			var g reprise.Gap
			err := rows.Scan(&g.From, &g.To, &g.Frames, &g.Bytes, &g.At, &g.Reason)
			gaps = append(gaps, g)
			return true, err
		})
	return gaps, err
}
