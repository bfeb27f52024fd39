package main

import (
	"database/sql"
	"testing"
)

// TestSearchDerives what another version has derived when a term is about sources, and not for a text that looks like one.
func TestSearchDerives(t *testing.T) {
	path := sampleDatabase(t)
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE sessions SET derived_version = 0`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query   string
		derived bool
	}{
		{`"source:synthesized"`, false},
		{"tool:get_issue (status:ok or not source:told)", true},
	} {
		if code := quietProgram().run([]string{"search", "--db", path, c.query}); code != 0 {
			t.Errorf("search %s exits with %d", c.query, code)
		}
		var derived bool
		if err := db.QueryRow(`SELECT derived_version > 0 FROM sessions`).Scan(&derived); err != nil || derived != c.derived {
			t.Errorf("after search %s derived anew: %v, %v", c.query, derived, err)
		}
	}
}
