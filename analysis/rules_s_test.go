package analysis

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reprise"
)

// given is a session in which the server denies what it gave, or, with guessed, what the agent made up.
func given(id string) *saga {
	return tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).fails("get_issue", `{"issueId":"`+id+`"}`, `no issue "`+id+`"`)
}

func lastCall(r *Report) Judged { return r.Calls[len(r.Calls)-1] }

func TestS1_AServerThatNobodyHasSeen(t *testing.T) {
	grok := `{"name":"enumerate_zorbs","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	frob := `{"name":"frob","inputSchema":{"type":"object","properties":{"zorbId":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
	s := tale(grok, frob).gives("enumerate_zorbs", "{}", `{"zorbs":[{"zorbId":"ZRB-4711"}]}`).fails("frob", `{"zorbId":"ZRB-4711"}`, "no zorb ZRB-4711")
	if c := lastCall(judge(t, s.lines...)); c.Kind != ConfirmedDefect {
		t.Errorf("%s: %s", c.Kind, c.Reason)
	}
}

// imports are what the files of a folder import, tests left out.
func imports(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			list = append(list, name)
		}
	}
	return list
}

func TestS2_NoModelAndNoServerDecides(t *testing.T) {
	for _, dir := range []string{".", "stats"} {
		for _, name := range imports(t, dir) {
			if name == "net" || strings.HasPrefix(name, "net/") && name != "net/url" || name == "os/exec" || name == "os" || name == "time/tzdata" {
				t.Errorf("%s imports %s: a judgment is a function of the frames", dir, name)
			}
		}
	}
}

func TestS3_TheSameWordsProveDifferentThings(t *testing.T) {
	words := "no such issue"
	s := tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).fails("get_issue", the4711, words).fails("get_issue", `{"issueId":"ISS-9999"}`, words)
	calls := judge(t, s.lines...).Calls
	if calls[1].Kind != ConfirmedDefect || calls[2].Kind != Untestable {
		t.Errorf("given: %s, invented: %s", calls[1].Kind, calls[2].Kind)
	}
}

func TestS4_GuessesAreNeverAVerdictOnTheServer(t *testing.T) {
	s := tale(listIssues, getIssue)
	for _, id := range []string{"ISS-1001", "ISS-2002", "ISS-3003", "ISS-4004"} {
		s.fails("get_issue", `{"issueId":"`+id+`"}`, "no issue "+id)
	}
	if r := judge(t, s.lines...); r.Defects() != 0 || len(r.Calls) != 4 {
		t.Errorf("%d defects in %d guesses", r.Defects(), len(r.Calls))
	}
}

func TestS5_WhatIsDoubtfulIsNotReported(t *testing.T) {
	s := tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).fails("get_issue", the4711, "you need the role of a viewer")
	if c := lastCall(judge(t, s.lines...)); c.Kind != Untestable || c.Reason == "" {
		t.Errorf("%s: %q", c.Kind, c.Reason)
	}
}

func TestS6_ScriptedChecksCountWhereTheDataIsKnown(t *testing.T) {
	known := Trial{Args: []Arg{{Name: "issueId", JSON: `"ISS-1"`, Source: "literal"}}, Call: Answer{Response: "{}", Error: `{"code":-32000,"message":"no"}`}}
	if held := (&Check{Type: "succeeds"}).Judge(&known); held.Result != Failed {
		t.Errorf("%s: %s", held.Result, held.Reason)
	}
}

func TestS7_RulesStandAlone(t *testing.T) {
	r := judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: "y", Judged: &Judgment{Correct: false}}}, given("ISS-4711").lines...)
	if c := lastCall(r); c.Kind != ConfirmedDefect {
		t.Errorf("a judge's no made a confirmed defect %s", c.Kind)
	}
}

func TestS32_ResultsAreWalkedToEveryDepth(t *testing.T) {
	s := tale(listIssues, getIssue).gives("list_issues", "{}", `{"data":{"groups":[{"members":[{"issue":{"id":"ISS-4711"}}]}]}}`).fails("get_issue", the4711, noIssue)
	if c := lastCall(judge(t, s.lines...)); c.Kind != ConfirmedDefect {
		t.Errorf("%s: %s, %v", c.Kind, c.Reason, c.Sources)
	}
}

func TestS38_TheSourceOfEachArgumentIsThere(t *testing.T) {
	s := tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).fails("get_issue", `{"issueId":"ISS-4711","projectId":"PRJ-77"}`, noIssue)
	c := lastCall(judge(t, s.lines...))
	of := func(path string) (source reprise.Source) {
		for _, x := range c.Sources {
			if x.Path == path {
				source = x.Source
			}
		}
		return source
	}
	if of("issueId") != reprise.SourceHarvested || of("projectId") != reprise.SourceSynthesized {
		t.Errorf("%v", c.Sources)
	}
}

func TestS42_OnceIsNotAlways(t *testing.T) {
	var v Survey
	v.Add(judge(t, given("ISS-4711").lines...))
	if tool := v.Tools()[0]; tool.Failed != 1 || tool.Upper-tool.Lower < 0.5 {
		t.Errorf("one failure of one call is told as sure: %v to %v", tool.Lower, tool.Upper)
	}
}

func TestS43_CoverageIsWhatWasExercised(t *testing.T) {
	r := judge(t, tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).lines...)
	calls := map[string]int{}
	for _, c := range r.Coverage.Tools {
		calls[c.Tool] = c.Calls
	}
	if n, listed := calls["get_issue"]; n != 0 || !listed || calls["list_issues"] != 1 {
		t.Errorf("%v", calls)
	}
}

// outcomeOf judges a session of three calls of tools that has a task.
func outcomeOf(t *testing.T, s *reprise.Session, task Task) Outcome {
	t.Helper()
	lines := tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).fails("get_issue", the4711, noIssue).gives("list_issues", "{}", twoIssues).lines
	return judgeAs(t, s, Options{Task: &task}, lines...).Outcome
}

func TestS46_NoAnswerIsFailedAnswer(t *testing.T) {
	for _, answer := range []string{"", " \n\t"} {
		if o := outcomeOf(t, &reprise.Session{}, Task{Text: "x", Budget: 9, Answer: answer}); o.Verdict != VerdictFailedAnswer || o.Reason != ReasonNoAnswer {
			t.Errorf("%q: %+v", answer, o)
		}
	}
}

func TestS47_OverTheBudgetIsTooManyCalls(t *testing.T) {
	if o := outcomeOf(t, &reprise.Session{}, Task{Text: "x", Budget: 2, Answer: "y"}); o.Verdict != VerdictTooManyCalls || o.Calls != 3 || o.Budget != 2 {
		t.Errorf("%+v", o)
	}
}

func TestS48_WithinItIsAPass(t *testing.T) {
	for _, budget := range []int{0, 3, 4} {
		if o := outcomeOf(t, &reprise.Session{}, Task{Text: "x", Budget: budget, Answer: "y"}); o.Verdict != VerdictPass {
			t.Errorf("%d: %+v", budget, o)
		}
	}
}

func TestS50_TroubleComesBeforeAllElse(t *testing.T) {
	code := 1
	for name, s := range map[string]*reprise.Session{"it never started": {Ending: reprise.NeverStarted}, "it crashed": {Ending: reprise.EndedByServer, ExitCode: &code}} {
		if o := outcomeOf(t, s, Task{Text: "x", Budget: 1}); o.Verdict != VerdictUntestable {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if o := outcomeOf(t, &reprise.Session{}, Task{Text: "x", Budget: 1, Trouble: "API error 529"}); o.Verdict != VerdictUntestable || o.Reason != "API error 529" {
		t.Errorf("%+v", o)
	}
	never := judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: "sure"}}, tale().lines...).Outcome
	if never.Verdict != VerdictUntestable {
		t.Errorf("an agent without tools: %+v", never)
	}
}

func TestS51_AJudgeIsHeardOnTheAnswerOnly(t *testing.T) {
	right, wrong := Task{Text: "x", Answer: "y", Judged: &Judgment{Correct: true}}, Task{Text: "x", Answer: "y", Judged: &Judgment{}}
	if o := outcomeOf(t, &reprise.Session{}, right); o.Verdict != VerdictPass || o.Unjudged {
		t.Errorf("%+v", o)
	}
	if o := outcomeOf(t, &reprise.Session{}, wrong); o.Verdict != VerdictFailedAnswer || o.Reason != ReasonJudgedWrong {
		t.Errorf("%+v", o)
	}
}

func TestS52_TheCeilingStandsAboveTheBudget(t *testing.T) {
	for text, fine := range map[string]bool{"task: x\nbudget: 4\nceiling: 5": true, "task: x\nbudget: 4\nceiling: 4": false, "task: x\nbudget: 4\nceiling: 3": false, "task: x\nbudget: 4": true} {
		if _, err := ReadTask(strings.NewReader(text)); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestS53_OverTheBudgetIsNotNoAnswer(t *testing.T) {
	over := outcomeOf(t, &reprise.Session{}, Task{Text: "x", Budget: 1, Ceiling: 10, Answer: "y"})
	silent := outcomeOf(t, &reprise.Session{}, Task{Text: "x", Budget: 1, Ceiling: 10})
	if over.Verdict != VerdictTooManyCalls || silent.Verdict != VerdictFailedAnswer {
		t.Errorf("over: %s, silent: %s", over.Verdict, silent.Verdict)
	}
}

func TestS54_TheBudgetIsTheTasks(t *testing.T) {
	task, err := ReadTask(strings.NewReader("task: x\nbudget: 2\nanswer: y"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"claude", "codex"} {
		if o := outcomeOf(t, &reprise.Session{Host: host}, *task); o.Budget != 2 || o.Verdict != VerdictTooManyCalls {
			t.Errorf("%s: %+v", host, o)
		}
	}
}

func TestS55_WhatIsMeasuredIsThere(t *testing.T) {
	for _, task := range []Task{{Text: "x", Answer: "y"}, {Text: "x", Budget: 1, Answer: "y"}, {Text: "x"}} {
		if o := outcomeOf(t, &reprise.Session{}, task); o.Calls != 3 {
			t.Errorf("%+v has %d calls", task, o.Calls)
		}
	}
}

// TestEveryRuleHasItsPlace holds the table against the tests: a rule is tested by a test that is named after it, or is about what comes later.
func TestEveryRuleHasItsPlace(t *testing.T) {
	doc, err := os.ReadFile("../docs/eval-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := testedRules(t)
	rows := map[string][]string{}
	for line := range strings.Lines(string(doc)) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) == 4 && cells[0] != "rule" {
			rows[cells[0]] = cells
		}
	}
	for _, part := range []struct {
		letter string
		n      int
	}{{"S", 81}, {"W", 54}} {
		for n := 1; n <= part.n; n++ {
			rule := part.letter + strconv.Itoa(n)
			switch row := rows[rule]; {
			case row == nil:
				t.Errorf("%s has no row", rule)
			case row[3] == "yes" && !tested[rule]:
				t.Errorf("no test is named after %s", rule)
			case row[3] != "yes" && row[3] != "later", row[2] == "":
				t.Errorf("%s: %q", rule, row)
			}
		}
	}
}

// testedRules are those that a test of the module is named after.
func testedRules(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, dir := range []string{"*.go", "*/*.go", "*/*/*.go"} {
		files, err := filepath.Glob("../" + dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range slices.DeleteFunc(files, func(p string) bool { return !strings.HasSuffix(p, "_test.go") }) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(data)) {
				if name, ok := strings.CutPrefix(line, "func Test"); ok {
					rule, _, _ := strings.Cut(name, "_")
					found[rule] = true
				}
			}
		}
	}
	return found
}
