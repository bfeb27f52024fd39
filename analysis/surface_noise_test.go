package analysis

import (
	"slices"
	"strings"
	"testing"

	"reprise"
)

func TestNoiseOnStdout(t *testing.T) {
	runCases(t, "noise-on-stdout", []ruleCase{
		{"a banner", []string{"< Starting server...", "< Listening"}, []string{"noise"}},
		{"an npm notice behind messages", story(tools(plainTool), []string{"< npm notice new version"}), []string{"noise"}},
		{"JSON of another kind", []string{`< {"jsonrpc":"2.0","level":"info"}`}, []string{"invalid"}},
		{"cut JSON", []string{`< {"jsonrpc":"2.0","id":1,"result":{"a`}, []string{"invalid"}},

		{"blank lines", []string{"< ", "<  \t"}, nil},
		{"messages", story(client("x", "2025-06-18"), tools(plainTool)), nil},
		{"of the client", []string{"> hello", `> {"jsonrpc":"2.0","id":`}, nil},
		{"deeper than we read", []string{`< {"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 1200) + strings.Repeat("]", 1200) + `}`}, nil},
	})
}

func TestNoiseIsCountedAndQuoted(t *testing.T) {
	r := judge(t, "< \x1b[31m"+strings.Repeat("long ", 100), "< second", "< third")
	f := found(r, "noise-on-stdout")[0]
	if f.Count != 3 || !slices.Equal(f.Evidence, []int64{1, 2, 3}) {
		t.Errorf("got %d times at %v, want 3 at 1, 2 and 3", f.Count, f.Evidence)
	}
	if strings.Contains(f.What, "\x1b") || len(f.What) > 200 {
		t.Errorf("finding quotes %q", f.What)
	}
}

// TestNoiseInDoubt cuts a line: by the server's end, and by a gap in the record.
func TestNoiseInDoubt(t *testing.T) {
	for name, f := range map[string]reprise.Frame{
		"at the end":     {Seq: 1, Direction: reprise.ServerToClient, Data: []byte(`{"jsonrpc":"2.0","id":1,"res`)},
		"behind a gap":   {Seq: 1, Direction: reprise.ServerToClient, Data: []byte(`lt":{}}`), EOL: "\n", Truncated: true},
		"in an exchange": {Seq: 1, Direction: reprise.ServerToClient, Data: []byte("Bad gateway"), EOL: "\n", Stream: 3},
	} {
		j := NewJudge(&reprise.Session{}, Options{Analyzers: []*Analyzer{noiseOnStdout}})
		j.Add(&reprise.CaptureItem{Frame: &f})
		if got := j.End().Findings; len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
