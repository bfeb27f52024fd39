package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

// TestDatabaseExamples runs the SQL of docs/database.md: each statement finds something in a database with a session in it.
func TestDatabaseExamples(t *testing.T) {
	doc, err := os.ReadFile("../../docs/database.md")
	if err != nil {
		t.Fatal(err)
	}
	var statements []string
	for _, m := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllSubmatch(doc, -1) {
		statements = append(statements, strings.SplitAfter(strings.TrimSpace(string(m[1])), ";")...)
	}
	for _, m := range regexp.MustCompile(`sqlite3 -readonly "[^"]+" '([^']+)'`).FindAllSubmatch(doc, -1) {
		statements = append(statements, string(m[1]))
	}
	db, err := sql.Open("sqlite3", "file:"+sampleDatabase(t)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ran := 0
	for _, statement := range statements {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		rows, err := db.Query(statement)
		if err != nil {
			t.Errorf("%s\n%v", statement, err)
			continue
		}
		found := 0
		for ; rows.Next(); found++ {
			filled(t, statement, rows)
		}
		if err := rows.Err(); found == 0 || err != nil {
			t.Errorf("%s\nfinds nothing, %v", statement, err)
		}
		ran++
	}
	if ran < 3 {
		t.Errorf("only %d statements were found", ran)
	}
}

// filled complains of a row that does not name what it is about.
func filled(t *testing.T, statement string, rows *sql.Rows) {
	t.Helper()
	names, _ := rows.Columns()
	row, into := make([]any, len(names)), make([]any, len(names))
	for i := range row {
		into[i] = &row[i]
	}
	if err := rows.Scan(into...); err != nil {
		t.Fatal(err)
	}
	for i, value := range row {
		if value == nil || value == "" {
			t.Errorf("%s\nhas no %s in %v", statement, names[i], row)
		}
	}
}

// sampleDatabase has one session of today, with calls that failed: a tool's and one without a name.
func sampleDatabase(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	text := fmt.Sprintf(`{"reprise":"capture","version":1,"session":{"id":"01a22d37-524b-7321-a9e1-834bf10bd1e8","server":"tracker","started_at":%q}}
{"seq":1,"t":1,"dir":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_issue","arguments":{"issueId":"ISS-7"}}}}
{"seq":2,"t":2,"dir":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}}
{"seq":3,"t":3,"dir":"c2s","frame":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}
{"seq":4,"t":4,"dir":"s2c","frame":{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no tools"}}}
`, time.Now().Format(time.RFC3339))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.db")
	if code := quietProgram().run([]string{"import", "--db", path, file}); code != 0 {
		t.Fatalf("import exits with %d", code)
	}
	return path
}
