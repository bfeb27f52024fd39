package recorder

import (
	"context"
	"fmt"
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
