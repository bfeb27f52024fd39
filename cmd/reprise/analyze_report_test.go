package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/analysis"
	"reprise/report"
)

// judgedSession is a report with something of every kind. hostile stands wherever a stranger's text may.
func judgedSession(id, hostile string) *analysis.Report {
	call := func(seq int64, kind analysis.Kind, reason string) analysis.Judged {
		return analysis.Judged{Seq: seq, Method: "tools/call", Name: "get_issue" + hostile, Text: "get_issue(id: \"T-1\")" + hostile, Status: reprise.StatusToolError,
			Assessment: analysis.Assessment{Kind: kind, Reason: reason + hostile, Evidence: []int64{4, 5, seq, seq + 1}},
			Sources:    []analysis.Source{{Path: "id" + hostile, Source: reprise.SourceHarvested, Relation: reprise.RelationSame, ValueSeq: 5}}}
	}
	fine := analysis.Judged{Seq: 4, Method: "tools/call", Name: "list_issues", Status: reprise.StatusOK, Assessment: analysis.Assessment{Kind: analysis.OK}}
	return &analysis.Report{
		Session: &reprise.Session{ID: id, Host: "claude-code", Peer: reprise.Peer{Name: "tracker" + hostile, Version: "1.4.0"}, StartedAt: time.Date(2026, 7, 28, 10, 0, 0, 0, time.UTC)},
		Outcome: analysis.Outcome{Verdict: analysis.VerdictTooManyCalls, Reason: "4 calls, 3 allowed for" + hostile, Calls: 4, Budget: 3},
		Calls: []analysis.Judged{fine, call(6, analysis.ConfirmedDefect, "id is what list_issues gave at items[0].id, and get_issue does not find it"),
			call(8, analysis.RightlyRejected, "id is a number, not a string"), call(10, analysis.Untestable, "id is synthesized: it comes from nowhere that the session shows")},
		Findings: []analysis.Finding{
			{Rule: "invented-identifier", Severity: analysis.High, Tool: "get_issue" + hostile, Place: "id" + hostile, What: "id “T-99” was given by no result." + hostile,
				Consequence: "The agent guesses." + hostile, Suggestion: "Say which tool gives ids." + hostile, Evidence: []int64{10}, Count: 2, Fingerprint: "aaaaaaaaaaaa"},
			{Rule: "unannotated-tool", Severity: analysis.Low, Tool: "get_issue" + hostile, What: "It declares nothing.", Evidence: []int64{2}, Count: 1, Fingerprint: "bbbbbbbbbbbb"}},
		Tools: []analysis.ToolUse{
			{Name: "get_issue" + hostile, Listed: true, Calls: 3, Failed: 3, Took: []time.Duration{2e6, 3e6, 4e6}, Sizes: []int64{100, 200, 71234},
				Assessed: map[analysis.Kind]int{analysis.ConfirmedDefect: 1, analysis.RightlyRejected: 1, analysis.Untestable: 1}},
			{Name: "list_issues", Listed: true, Safety: reprise.ToolSafety{Safety: reprise.SafetyReadOnly}, Calls: 1, Took: []time.Duration{1e6}, Sizes: []int64{900}, Assessed: map[analysis.Kind]int{analysis.OK: 1}},
			{Name: "purge", Listed: true, Safety: reprise.ToolSafety{Safety: reprise.SafetyDestructive}, Assessed: map[analysis.Kind]int{}}},
		Checks:   []analysis.CheckTally{{Tool: "list_issues", Type: "succeeds", Passed: 1}, {Tool: "get_issue" + hostile, Type: "output_schema", Failed: 1, Reason: "title is missing" + hostile, Evidence: []int64{6, 7}}},
		Pages:    []analysis.Page{{Seq: 5, Tool: "list_issues", URI: "ui://board" + hostile, Mode: "ui", Semantic: 3, Generic: 9, Ratio: 0.25}, {Seq: 7, Tool: "x", Mode: "result", Ratio: -1}},
		Coverage: &analysis.Coverage{Tools: []analysis.ToolCoverage{{Tool: "get_issue" + hostile, Calls: 3, Parameters: []analysis.ParameterCoverage{{Name: "id", Calls: 3}, {Name: "fields" + hostile, Enum: map[string]int{`"all"`: 0}}}, Errors: map[string]int{"tool_error": 3}}}},
		Unseen:   analysis.Unseen{Gaps: 1, LostFrames: 12},
	}
}

func markdownOf(t *testing.T, d *report.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteMarkdown(&b, d); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteHTML(io.Discard, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func holds(t *testing.T, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%.9000s", want, got)
		}
	}
}

func TestDocumentOfOneSession(t *testing.T) {
	r := judgedSession("01980000-0000-7000-8000-000000000001", "")
	holds(t, markdownOf(t, analysisDocument([]*analysis.Report{r}, nil, nil)),
		"# Analysis of tracker", "1 of 4 calls is a confirmed defect:", "🔴 **too many calls, 4 calls, 3 allowed for**", "**1 high, 1 low**", "🟢 **1** ok · 🔴 **1** confirmed defect",
		"id is what `list_issues` gave at `items[0].id`", "seqs: 4 5 6 7\nid: harvested, from #5, entity same", // the source of each argument is shown
		"| 8 | tool error | 🔵 rightly rejected | id is a number, not a string |", "| 10 | tool error | untestable |",
		"### 🔴 high: invented-identifier `get_issue`", "**Suggestion:** Say which tool gives ids.", "🟠 unknown | 3 | 3 | 100 (44–100 %) | 3.0ms | 4.0ms | 4.0ms | 200B | 70kB |",
		"1 more tool listed and never called.", "| `get_issue` | `output_schema` | 0 | 1 |", "| `ui://board` | 5 | ui | 3 | 9 | 0.25 |", "| `x` | 7 | result | 0 | 0 | no element of either |",
		"| `get_issue` | 3 | 1 of 2 | 0 of 1 | fields | tool error ×3 |", "1 × gap in the record, 12 × frame lost.")
}

func TestDocumentOfSeveralSessions(t *testing.T) {
	var reports []*analysis.Report
	for i := range 230 {
		r := judgedSession(fmt.Sprintf("s%03d", i), "")
		r.Calls[1].Reason += fmt.Sprintf(" (%d)", i%115)
		reports = append(reports, r)
	}
	got := markdownOf(t, analysisDocument(reports, nil, nil))
	holds(t, got, "# Analysis of 230 sessions", "230 of 920 calls are confirmed defects", "65 more are not shown here: --json has them all.", "**Seen:** 2 times in 2 sessions", "**Latest session:** s229", "30 more are not shown here",
		"**Seen:** 460 times in 230 of the 230 sessions that could show it", "| `get_issue` | tracker | 230 |", "| `s229` |", "230 × gap in the record")
	if strings.Contains(got, "| `s029` |") || strings.Count(got, "### 🔴 defect:") != 50 {
		t.Error("a document has no end")
	}
}

// TestS35_NothingButAConfirmedDefectFails: to a machine that reads tests, what proves nothing is skipped, and a finding is no test.
func TestS35_NothingButAConfirmedDefectFails(t *testing.T) {
	cases, err := analysisCases([]*analysis.Report{judgedSession("s1", ""), judgedSession("s2", "")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var junit, sarif bytes.Buffer
	if err := report.WriteJUnit(&junit, cases); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteSARIF(&sarif, cases); err != nil {
		t.Fatal(err)
	}
	holds(t, junit.String(), `tests="8" failures="2" errors="0" skipped="4"`, `<testsuite name="tracker s1"`, `<failure message="id is what list_issues gave`, `type="confirmed-defect">get_issue(id:`,
		`<skipped message="untestable: id is synthesized`, `<skipped message="rightly rejected: id is a number`, "id: harvested, from #5", "error: invented-identifier: get_issue: id “T-99”")
	holds(t, sarif.String(), `"ruleId": "confirmed-defect"`, `"repriseFinding/v1": "aaaaaaaaaaaa"`, `"level": "note"`, `The agent guesses. Say which tool gives ids.`, `"sessions": "2"`)
	if n := strings.Count(sarif.String(), `"ruleId"`); n != 4 { // two defects, and two findings that both sessions show
		t.Errorf("%d results", n)
	}
}

func TestCasesStandInTheirFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.capture.jsonl")
	text := "{}\n"
	for seq := range 11 {
		text += fmt.Sprintf("{\"seq\":%d}\n", seq+1)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := judgedSession("s", "")
	cases, err := analysisCases([]*analysis.Report{r}, map[*analysis.Report]string{r: file})
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range []int{5, 7, 9, 11, 11, 3} {
		if c := cases.Cases[i]; c.File != file || c.Line != line {
			t.Errorf("%s stands at %s:%d, want line %d", c.Name, c.File, c.Line, line)
		}
	}
	if _, err := analysisCases([]*analysis.Report{r}, map[*analysis.Report]string{r: file + "x"}); err == nil {
		t.Error("a file that is not there is none")
	}
}

// TestCasesOfAChecksFileAreTests: each check passes, fails or is skipped, beside the calls.
func TestCasesOfAChecksFileAreTests(t *testing.T) {
	r := judgedSession("s", "")
	r.Cases = []analysis.CaseHeld{{Case: &analysis.Case{Name: "opens"}, Seq: 4, Held: []analysis.Held{{Type: "succeeds", Result: analysis.Passed},
		{Type: "max_items", Result: analysis.Failed, Reason: "51 items, 50 allowed", Evidence: []analysis.Answer{{Request: "{}", Trouble: "no answer"}}},
		{Type: "idempotent", Result: analysis.Skipped, Reason: "called once"}}}}
	cases, err := analysisCases([]*analysis.Report{r}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var junit bytes.Buffer
	if err := report.WriteJUnit(&junit, cases); err != nil {
		t.Fatal(err)
	}
	holds(t, junit.String(), `<testsuite name="tracker checks" timestamp="2026-07-28T10:00:00Z" tests="3" failures="1" errors="0" skipped="1"`,
		`<testcase name="max_items of opens"`, "request: {}\nresponse: no answer", `<skipped message="skipped: called once"`)
	holds(t, markdownOf(t, analysisDocument([]*analysis.Report{r}, nil, nil)), "| `opens` | 4 | `max_items` | 🔴 failed | 51 items, 50 allowed |")
}

// TestReportsHoldNoSecret: files leave the machine, whatever a stranger has put into a name or an error.
func TestReportsHoldNoSecret(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE", 8)
	dir := t.TempDir()
	files := reportFiles{html: filepath.Join(dir, "r.html"), markdown: filepath.Join(dir, "r.md"), junit: filepath.Join(dir, "r.xml"), sarif: filepath.Join(dir, "r.sarif")}
	reports := []*analysis.Report{judgedSession("s", strings.Repeat(" x", 90)+" "+secret+" <b>\x1b[31m\xff\u202e")}
	cases, err := analysisCases(reports, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{stdout: io.Discard}
	for range 2 { // over what is there, too
		if err := p.writeReports(files, &reprise.Redactor{}, analysisDocument(reports, nil, nil), cases); err != nil {
			t.Fatal(err)
		}
		if err := files.check(); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range files.list() {
		data, err := os.ReadFile(one.path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(secret[:8])) || !bytes.Contains(data, []byte("redacted")) {
			t.Errorf("%s holds a secret", one.path)
		}
	}
}

func TestReportFilesSpareWhatIsThere(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"page.html": "<!doctype html><html></html>", "README.md": "# Mine\n", "ours.html": "<!doctype html>\n" + report.HTMLMark + "\n",
		"ours.md": report.MarkdownMark + "\n", "s.capture.jsonl": "{}", "quoted.md": "See " + report.MarkdownMark + "\n", "empty": ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		files reportFiles
		want  string
	}{
		{reportFiles{html: "new.html", markdown: "new.md"}, ""}, {reportFiles{html: "ours.html", markdown: "ours.md"}, ""}, {reportFiles{html: "empty"}, ""}, {reportFiles{html: "-"}, ""},
		{reportFiles{html: "page.html"}, "is no report of ours"}, {reportFiles{markdown: "README.md"}, "is no report of ours"}, {reportFiles{markdown: "quoted.md"}, "is no report of ours"},
		{reportFiles{html: "ours.md"}, "is no report of ours"}, {reportFiles{html: "./s.capture.jsonl"}, "would overwrite"}, {reportFiles{junit: "tasks.yaml"}, "would overwrite"},
		{reportFiles{html: "x", sarif: "./x"}, "name the same file"},
	} {
		err := c.files.check("s.capture.jsonl", "last", "tasks.yaml", "")
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %v, want %q", c.files, err, c.want)
		}
	}
}
