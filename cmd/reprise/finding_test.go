package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise/analysis"
)

// TestFingerprintsAreResolved: a beginning stands for the one that it begins, a whole one for itself.
func TestFingerprintsAreResolved(t *testing.T) {
	known := []string{"aaaa00000001", "aaaa00000002", "bbbb00000001"}
	for typed, want := range map[string]string{
		"bbbb":                        "bbbb00000001",
		"BBBB0":                       "bbbb00000001",
		"aaaa00000002":                "aaaa00000002",
		"cccc00000001":                "cccc00000001",
		"bbbb bbbb0 bbbb00000001":     "bbbb00000001",
		"bbbb cccc00000001":           "bbbb00000001 cccc00000001",
		"aaaa":                        "aaaa begins 2 findings",
		"cccc":                        "no finding begins with cccc",
		"bbbb cccc":                   "no finding begins with cccc",
		"bbb":                         `"bbb" is no fingerprint`,
		"bbbb000000010":               `"bbbb000000010" is no fingerprint`,
		"nope":                        `"nope" is no fingerprint`,
		"bbbb00000001\n":              `is no fingerprint`,
		strings.Repeat("bbbb", 1<<10): "is no fingerprint",
	} {
		words := strings.Split(typed, " ")
		refs, err := fingerprintRefs(words)
		var got []string
		if err == nil {
			got, err = resolve(refs, known, "")
		}
		if err == nil && !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q stands for %v, want %s", typed, got, want)
		}
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", typed, err, want)
		}
	}
}

// TestClaimByTheBeginning of a fingerprint that a session of the last 90 days shows. Older ones are not looked at.
func TestClaimByTheBeginning(t *testing.T) {
	var out, complaints bytes.Buffer
	p := quietProgram()
	p.stdout, p.stderr, p.now = &out, &complaints, func() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) }
	path := filepath.Join(t.TempDir(), "x.db")
	for server, day := range map[string]string{"tracker": "2026-11-30", "ancient": "2026-08-30"} {
		if code := p.run([]string{"import", "--db", path, "--quiet", vagueCapture(t, server, day)}); code != 0 {
			t.Fatalf("import exits with %d: %s", code, &complaints)
		}
	}
	found := findingsIn(t, p, path)
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	for fingerprint, f := range found {
		out.Reset()
		code := p.run([]string{"finding", "claim", fingerprint[:6], "--db", path})
		if want := fingerprint + " is claimed: " + f.Rule; code != 0 || !strings.HasPrefix(out.String(), want) || complaints.Len() > 0 {
			t.Errorf("exits with %d, says %s%s, not %s", code, &out, &complaints, want)
		}
	}
	p.now = func() time.Time { return time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC) }
	then := findingsIn(t, p, path)
	if len(then) != 2*len(found) {
		t.Errorf("%d findings when both sessions are young, %d when one is", len(then), len(found))
	}
}

// vagueCapture is a session with a server that says little of its tools.
func vagueCapture(t *testing.T, server, day string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), server+".capture.jsonl")
	text := fmt.Sprintf(`{"reprise":"capture","version":1,"session":{"server":%q,"transport":"stdio","started_at":"%sT00:00:00Z","complete":true}}
{"seq":1,"t":1,"dir":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}
{"seq":2,"t":2,"dir":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"get_issue","inputSchema":{"type":"object"}}]}}}
{"end":{"t":5,"ending":"client closed","gaps":[]}}
`, server, day)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func findingsIn(t *testing.T, p *program, path string) map[string]analysis.Finding {
	t.Helper()
	o := shared{db: path, dbGiven: true}
	db, err := p.openThere(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found, err := p.findings(context.Background(), o, db)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
