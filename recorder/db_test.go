package recorder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"reprise"
)

// TestOldDatabases opens one database of every version there was, and reads what it has.
func TestOldDatabases(t *testing.T) {
	for version := 1; version <= schemaNewest; version++ {
		data, err := os.ReadFile(fmt.Sprintf("testdata/v%d.db", version))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "reprise.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		db := open(t, path)
		h, err := db.Health(context.Background())
		if err != nil || h.Check != "ok" || h.Schema != schemaNewest || h.Sessions != 1 {
			t.Errorf("version %d: %+v, %v", version, h, err)
		}
		s := find(t, db, "last")
		if s.Server != "everything" || s.Client.Name != "opencode" || !s.Complete || s.Calls == 0 {
			t.Errorf("version %d: session = %+v", version, s)
		}
		if got := wire(t, db, s.ID, reprise.ClientToServer); len(got) == 0 {
			t.Errorf("version %d: no frames", version)
		}
		if err := db.Derive(context.Background(), s.ID, nil); err != nil {
			t.Errorf("version %d: derived anew: %v", version, err)
		}
		var derived int
		if err := db.read.QueryRow(`SELECT derived_version FROM sessions`).Scan(&derived); err != nil || derived != derivedVersion {
			t.Errorf("version %d: derived by version %d, %v", version, derived, err)
		}
	}
}

// TestSealed reads a database that may not be written to, as it is.
func TestSealed(t *testing.T) {
	data, err := os.ReadFile("testdata/v1.db")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "reprise.db")
	if err := os.WriteFile(path, data, 0o400); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
		f.Close()
		t.Skip("this user may write to everything")
	}
	if s := find(t, open(t, path), "last"); s.Server != "everything" {
		t.Errorf("session = %+v", s)
	}
}

// TestSealedOld reads databases of every version as they are: what they lack is empty, and what is not derived yet is said.
func TestSealedOld(t *testing.T) {
	for version := 1; version <= schemaNewest; version++ {
		db, err := openSealed(fmt.Sprintf("testdata/v%d.db", version), fs.ErrPermission)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		s := find(t, db, "last")
		for _, q := range []Query{{Session: s.ID, Data: true, Uses: true}, {Session: s.ID, Frames: true}} {
			n := 0
			for e, err := range db.Entries(context.Background(), q) {
				if err != nil || e.Call != nil && e.Call.Link != "" && version == 1 {
					t.Fatalf("version %d: %+v, %v", version, e.Call, err)
				}
				n++
			}
			if n == 0 {
				t.Errorf("version %d: %+v has no entries", version, q)
			}
		}
		for _, err := range db.Uses(context.Background(), s.ID) {
			if err != nil || version == 1 {
				t.Fatalf("version %d: has uses, %v", version, err)
			}
		}
		if err := db.Derive(context.Background(), s.ID, nil); errors.Is(err, ErrSealed) != (version == 1) {
			t.Errorf("version %d: derived anew: %v", version, err)
		}
	}
}
