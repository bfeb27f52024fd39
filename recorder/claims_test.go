package recorder

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"testing"
	"time"
)

// TestClaims are kept to the nanosecond, one of each finding, until they are taken back; another process sees them.
func TestClaims(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "reprise.db")
	db, other := open(t, path), open(t, path)
	first, second := time.Unix(1_796_000_000, 123_456_789).UTC(), time.Unix(1_796_000_000, 123_456_790).UTC()
	for i, step := range []struct {
		do   func() error
		want map[string]time.Time
	}{
		{func() error { return nil }, map[string]time.Time{}},
		{func() error { return db.Claim(ctx, "0123456789ab", first) }, map[string]time.Time{"0123456789ab": first}},
		{func() error { return db.Claim(ctx, "0123456789ab", second) }, map[string]time.Time{"0123456789ab": second}},
		{func() error { return db.Claim(ctx, "ffffffffffff", first) }, map[string]time.Time{"0123456789ab": second, "ffffffffffff": first}},
		{func() error { return db.Unclaim(ctx, "0123456789ab") }, map[string]time.Time{"ffffffffffff": first}},
		{func() error { return db.Unclaim(ctx, "0123456789ab") }, map[string]time.Time{"ffffffffffff": first}},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if got, err := other.Claims(ctx); err != nil || !maps.Equal(got, step.want) {
			t.Errorf("step %d: claims %v, %v; want %v", i, got, err, step.want)
		}
	}
}

// TestClaimsOfOldDatabases: those from before there were claims have none, also where they may not be written to.
func TestClaimsOfOldDatabases(t *testing.T) {
	for version := 1; version <= schemaNewest; version++ {
		db, err := openSealed(fmt.Sprintf("testdata/v%d.db", version), fs.ErrPermission)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		claims, err := db.Claims(context.Background())
		if err != nil || (len(claims) == 0) != (version < 4) {
			t.Errorf("version %d: claims %v, %v", version, claims, err)
		}
	}
}
