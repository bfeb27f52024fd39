package recorder

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Claim notes that the finding with this fingerprint is said to be mended since a moment. A later claim takes the place of an earlier one.
func (db *DB) Claim(ctx context.Context, fingerprint string, at time.Time) error {
	const set = `INSERT INTO claims (fingerprint, claimed_at) VALUES (?1, ?2) ON CONFLICT (fingerprint) DO UPDATE SET claimed_at = ?2`
	return db.claiming(ctx, set, fingerprint, at.UnixNano())
}

// Unclaim forgets a claim, if there is one.
func (db *DB) Unclaim(ctx context.Context, fingerprint string) error {
	return db.claiming(ctx, `DELETE FROM claims WHERE fingerprint = ?1`, fingerprint)
}

func (db *DB) claiming(ctx context.Context, statement string, args ...any) error {
	w, err := openWriterPatiently(ctx, db.path)
	if err != nil {
		return err
	}
	defer w.Close()
	err = retry(ctx, patience, func() error {
		return (&store{w}).inTx(ctx, func(run runner) error { return run(statement, args...) })
	})
	if err != nil {
		return fmt.Errorf("write claim: %w", err)
	}
	return nil
}

// Claims gives the moment of every claim by its fingerprint. A database from before there were claims has none.
func (db *DB) Claims(ctx context.Context) (map[string]time.Time, error) {
	claims := map[string]time.Time{}
	err := db.each(ctx, `SELECT fingerprint, claimed_at FROM claims`, nil, func(rows *sql.Rows) (bool, error) {
		var fingerprint string
		var at int64
		err := rows.Scan(&fingerprint, &at)
		claims[fingerprint] = time.Unix(0, at).UTC()
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("read claims: %w", err)
	}
	return claims, nil
}
