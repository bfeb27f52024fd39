package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// surfaceRules are the rules about what a server shows, and how large, slow and well-formed its answers are.
func surfaceRules() []*Analyzer {
	return []*Analyzer{badSchema, contradictoryHints, duplicateTool, largeResult, longDescription, noiseOnStdout, outputSchema,
		protocolErrorForToolError, slowCall, toolNeverOffered, unannotatedTool, uselessDescription}
}

// captured is the report of some rules on a captured session.
func captured(t *testing.T, name string, rules []*Analyzer) *Report {
	t.Helper()
	lines, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	j := NewJudge(&reprise.Session{Server: name}, Options{Analyzers: rules})
	seq := int64(0)
	for _, line := range lines {
		dir, ok := map[string]reprise.Direction{"c2s": reprise.ClientToServer, "s2c": reprise.ServerToClient}[line.Dir]
		if !ok {
			continue
		}
		seq++
		j.Add(&reprise.CaptureItem{Frame: &reprise.Frame{Seq: seq, At: time.Duration(line.US) * time.Microsecond, Direction: dir,
			Data: []byte(line.Raw), EOL: "\n", Size: int64(len(line.Raw))}})
	}
	return j.End()
}

// TestSurfaceOfCaptures has all that these rules find in captured sessions. Each was looked at: the tools of the tracker, of azure, time and
// pdf do declare nothing (three of pdf's six are its app's alone), time does print a banner, and the lines of made/failures are noise on purpose.
func TestSurfaceOfCaptures(t *testing.T) {
	want := strings.Fields(`
		made/failures:noise-on-stdout::noise
		plans/claude-tracker:unannotated-tool:get_user:
		plans/claude-tracker:unannotated-tool:import_issues:
		plans/claude-tracker:unannotated-tool:search_issues:
		plans/codex-tracker:unannotated-tool:get_user:
		plans/codex-tracker:unannotated-tool:import_issues:
		plans/codex-tracker:unannotated-tool:search_issues:
		plans/codex-tracker-resources:unannotated-tool:get_user:
		plans/codex-tracker-resources:unannotated-tool:import_issues:
		plans/codex-tracker-resources:unannotated-tool:search_issues:
		plans/opencode-tracker:unannotated-tool:get_user:
		plans/opencode-tracker:unannotated-tool:import_issues:
		plans/opencode-tracker:unannotated-tool:search_issues:
		servers/azure:unannotated-tool::
		servers/pdf:unannotated-tool:display_pdf:
		servers/pdf:unannotated-tool:interact:
		servers/pdf:unannotated-tool:list_pdfs:
		servers/time:noise-on-stdout::noise
		servers/time:unannotated-tool::`)
	var got []string
	for _, name := range fixtures.Names() {
		for _, f := range captured(t, name, surfaceRules()).Findings {
			got = append(got, fmt.Sprintf("%s:%s:%s:%s", name, f.Rule, f.Tool, f.Place))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("found, and not looked at: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("not found: %s", line)
		}
	}
}
