package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"reprise"
	"reprise/analysis/stats"
)

func TestS57_AJudgmentHasNoSayInACall(t *testing.T) {
	for _, correct := range []bool{true, false} {
		task := &Task{Text: "x", Answer: "y", Expectation: "z", Judged: &Judgment{Correct: correct}}
		if c := lastCall(judgeAs(t, &reprise.Session{}, Options{Task: task}, given("ISS-9999").lines...)); c.Kind != Untestable {
			t.Errorf("judged %v: %s", correct, c.Kind)
		}
	}
}

func TestS58_AJudgeRescuesNothing(t *testing.T) {
	yes := &Judgment{Correct: true}
	for name, c := range map[string]struct {
		task Task
		want Verdict
	}{
		"no answer":      {Task{Text: "x", Judged: yes}, VerdictFailedAnswer},
		"too many calls": {Task{Text: "x", Budget: 1, Answer: "y", Judged: yes}, VerdictTooManyCalls},
		"trouble":        {Task{Text: "x", Answer: "y", Trouble: "rate limit", Judged: yes}, VerdictUntestable},
	} {
		if o := outcomeOf(t, &reprise.Session{}, c.task); o.Verdict != c.want {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestS59_NoVerdictLeavesAPass(t *testing.T) {
	if o := outcomeOf(t, &reprise.Session{}, Task{Text: "x", Answer: "y"}); o.Verdict != VerdictPass || !o.Unjudged {
		t.Errorf("%+v", o)
	}
}

func TestS60_AMissingJudgeIsNoRedRow(t *testing.T) {
	var v Survey
	for range 5 {
		v.Add(judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: "y"}}, tale(listIssues).gives("list_issues", "{}", twoIssues).lines...))
	}
	for _, s := range v.Sessions() {
		if s.Outcome.Verdict != VerdictPass || !s.Outcome.Unjudged {
			t.Errorf("%+v", s.Outcome)
		}
	}
}

func TestS62_OpenOnGradersClosedOnEffects(t *testing.T) {
	if o := outcomeOf(t, &reprise.Session{}, Task{Text: "x", Answer: "y"}); o.Verdict != VerdictPass {
		t.Errorf("a judge that is not there: %+v", o)
	}
	if s := reprise.SafetyOf(`{"name":"x"}`); s.Safety == reprise.SafetyReadOnly {
		t.Error("a tool that declares nothing counts as read-only")
	}
}

func TestS66_AnExcludedToolSaysWhatToDo(t *testing.T) {
	for _, tool := range []string{`{"name":"a"}`, `{"name":"a","annotations":{}}`, `{"name":"a","annotations":{"destructiveHint":true}}`, `{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":true}}`, ""} {
		if s := reprise.SafetyOf(tool); s.Safety == reprise.SafetyReadOnly || s.Reason == "" || s.Advice == "" {
			t.Errorf("%s: %+v", tool, s)
		}
	}
}

func TestS68_ANameHasNoAuthority(t *testing.T) {
	for _, name := range []string{"list_and_purge", "get_everything", "search", "read_only_delete"} {
		if s := reprise.SafetyOf(`{"name":"` + name + `"}`); s.Safety != reprise.SafetyUnknown {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s := reprise.SafetyOf(`{"name":"delete_all","annotations":{"readOnlyHint":true}}`); s.Safety != reprise.SafetyReadOnly {
		t.Errorf("delete_all: %+v", s)
	}
}

// wandering is a session that ends well, on a path that is worth a look.
func wandering() []string {
	return tale(listIssues, getIssue).fails("get_issue", `{"issueId":"ISS-9999"}`, `no issue "ISS-9999"`).gives("list_issues", "{}", twoIssues).gives("get_issue", the4711, `{"id":"ISS-4711"}`).lines
}

func TestW14_OutcomeAndPathAreApart(t *testing.T) {
	r := judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: "y"}}, wandering()...)
	if r.Outcome.Verdict != VerdictPass || len(found(r, "invented-identifier")) != 1 {
		t.Errorf("%+v, %v", r.Outcome, r.Findings)
	}
}

func TestW15_AChangeIsLookedAt(t *testing.T) {
	same, other := Answer{Response: "{}", Result: `{"structuredContent":{"n":1}}`}, Answer{Response: "{}", Result: `{"structuredContent":{"n":2}}`}
	check := &Check{Type: "no_mutation", Witness: &Plan{Tool: "count"}}
	for _, c := range []struct {
		after Answer
		want  Result
	}{{same, Passed}, {other, Failed}} {
		if held := check.Judge(&Trial{Call: Answer{Response: "{}", Result: `{"content":[]}`}, Before: &same, After: &c.after}); held.Result != c.want {
			t.Errorf("%s: %s, %s", c.after.Result, held.Result, held.Reason)
		}
	}
}

func TestW16_WhatDestroysIsTold(t *testing.T) {
	r := judge(t, tale(listIssues, delIssue).gives("list_issues", "{}", twoIssues).gives("delete_issue", the4711, `{}`).lines...)
	for _, u := range r.Tools {
		if u.Name == "delete_issue" && (u.Safety.Safety != reprise.SafetyDestructive || u.Calls != 1) {
			t.Errorf("%+v", u)
		}
	}
}

func TestW17_ADifficultPathIsAFinding(t *testing.T) {
	s := tale(listIssues, getIssue)
	for range 3 {
		s.fails("get_issue", `{"issueId":"ISS-9999"}`, `no issue "ISS-9999"`)
	}
	if r := judge(t, s.lines...); len(found(r, "repeated-failure")) != 1 {
		t.Errorf("%v", r.Findings)
	}
}

func TestW18_AnotherPathIsNotWrong(t *testing.T) {
	straight := judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: "y"}}, tale(listIssues).gives("list_issues", "{}", twoIssues).lines...)
	round := judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: "y"}}, wandering()...)
	if straight.Outcome.Verdict != round.Outcome.Verdict {
		t.Errorf("%+v, %+v", straight.Outcome, round.Outcome)
	}
}

func TestW20_OneReadingGivesBoth(t *testing.T) {
	r := judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x"}}, wandering()...)
	if r.Outcome.Verdict == "" || len(r.Findings) == 0 || len(r.Calls) == 0 {
		t.Errorf("%+v", r)
	}
}

func TestW21_FindingsWhetherOrNotItPassed(t *testing.T) {
	for _, answer := range []string{"", "y"} {
		r := judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: answer}}, wandering()...)
		if len(found(r, "invented-identifier")) != 1 {
			t.Errorf("%s: %v", r.Outcome.Verdict, r.Findings)
		}
	}
}

func TestW22_KindsOfFindings(t *testing.T) {
	names := map[string]bool{}
	for _, a := range All() {
		names[a.Name] = true
	}
	for _, kind := range []string{"repeated-failure", "changed-argument", "batch-wish"} { // failed, worked around, missing
		if !names[kind] {
			t.Errorf("there is no rule %s", kind)
		}
	}
}

func TestW23_RootsOneByOne(t *testing.T) {
	insert := `{"name":"insert_element","description":"Insert an element into the page.","inputSchema":{"type":"object","properties":{"parentId":{"type":"string"},"html":{"type":"string"}}},"annotations":{"readOnlyHint":false}}`
	s := tale(insert).fails("insert_element", `{"parentId":"body-1","html":"<h1>a</h1><p>b</p><p>c</p>"}`, "only one root element per call")
	for _, html := range []string{"<p>c</p>", "<p>b</p>", "<h1>a</h1>"} {
		s.gives("insert_element", `{"parentId":"body-1","html":"`+html+`"}`, `{"ok":true}`)
	}
	if r := judge(t, s.lines...); len(found(r, "batch-wish")) != 1 {
		t.Errorf("%v", r.Findings)
	}
}

func TestW23_MoreThanHostsShow(t *testing.T) {
	s := tale(listIssues).exchange(asks("list_issues", "{}"), fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, strings.Repeat("word ", 72_000/5)))
	s.lines[0] = strings.Replace(s.lines[0], `"name":"t"`, `"name":"claude-code"`, 1)
	if r := judge(t, s.lines...); len(found(r, "large-result")) != 1 {
		t.Errorf("%v", r.Findings)
	}
}

func TestW23_RenamedWithoutAWord(t *testing.T) {
	class := `{"name":"create_class","description":"Create a CSS class.","inputSchema":{"type":"object","properties":{"name":{"type":"string"}}},"annotations":{"readOnlyHint":false}}`
	s := tale(class).gives("create_class", `{"name":"hero"}`, `{"name":"hero-1-2-3"}`)
	if r := judge(t, s.lines...); len(found(r, "changed-echo")) != 1 {
		t.Errorf("%v", r.Findings)
	}
}

func TestW25_AFindingSaysAllFour(t *testing.T) {
	for _, f := range judge(t, wandering()...).Findings {
		if f.What == "" || f.Consequence == "" || f.Suggestion == "" || f.Rule == "invented-identifier" && f.Tool != "get_issue" {
			t.Errorf("%+v", f)
		}
	}
}

func TestW27_AHandfulIsADiagnostic(t *testing.T) {
	if _, ok := stats.MeanInterval([]float64{0.4, 0.8, 0.85}); ok {
		t.Error("three runs give an interval")
	}
	if c := stats.ClassOf(stats.Tally{Passed: 2, Runs: 2}); c != stats.Insufficient {
		t.Errorf("two runs are %s", c)
	}
}

func TestW28_FortyEightyEightyFive(t *testing.T) {
	quality := []float64{0.40, 0.80, 0.85}
	mean, _ := stats.Mean(quality)
	sd, _ := stats.SampleSD(quality)
	if math.Abs(mean-0.683333) > 1e-6 || math.Abs(sd-0.246644) > 1e-6 || stats.ClassOf(stats.Tally{Passed: 3, Runs: 3}) != stats.StablePass {
		t.Errorf("mean %v, deviation %v", mean, sd)
	}
}

func TestW29_NothingIsAveragedAcrossDimensions(t *testing.T) {
	var v Survey
	v.Add(judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: "y"}}, wandering()...))
	s := v.Sessions()[0]
	if s.Outcome.Verdict != VerdictPass || s.Calls != 3 || s.Untestable != 1 || s.Defects != 0 || s.Findings[Medium] == 0 {
		t.Errorf("%+v", s)
	}
}

func TestW31_TheSameDataForRegressions(t *testing.T) {
	if c, ok := stats.Newcombe(stats.Tally{Passed: 10, Runs: 10}, stats.Tally{Passed: 6, Runs: 10}, 0); !ok || c.Verdict != stats.Regression {
		t.Errorf("%+v", c)
	}
}

func TestW32_FlakyIsShownAsFlaky(t *testing.T) {
	runs := []bool{true, false, true, false, true}
	rate, _ := stats.FlipRate(runs)
	if c := stats.ClassOf(stats.TallyOf(runs)); c != stats.Flaky || rate != 1 {
		t.Errorf("%s, flip rate %v", c, rate)
	}
}

// pagesOf are the pages of a session in which a tool gives HTML.
func pagesOf(t *testing.T, pages ...string) []Page {
	t.Helper()
	s := tale(listIssues)
	for _, page := range pages {
		s.exchange(asks("list_issues", "{}"), fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, "<!doctype html><html><body>"+page+"</body></html>"))
	}
	return judge(t, s.lines...).Pages
}

func TestW33_SemanticHTMLRatio(t *testing.T) {
	p := pagesOf(t, "<nav></nav><section><button>x</button></section><div></div>")
	if len(p) != 1 || p[0].Semantic != 3 || p[0].Generic != 1 || p[0].Ratio != 0.75 {
		t.Errorf("%+v", p)
	}
}

func TestW34_ASignalAndNoGate(t *testing.T) {
	soup := strings.Repeat("<div></div>", 9) + "<nav></nav>"
	pages := pagesOf(t, soup, "<main></main>")
	if list := Ratios(pages); len(list) != 1 || list[0].Pages != 2 || math.Abs(list[0].Ratio-2.0/11) > 1e-9 {
		t.Errorf("%+v", list)
	}
	s := tale(listIssues).exchange(asks("list_issues", "{}"), fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, "<!doctype html>"+soup))
	r := judgeAs(t, &reprise.Session{}, Options{Task: &Task{Text: "x", Answer: "y"}}, s.lines...)
	if r.Outcome.Verdict != VerdictPass || r.Calls[0].Kind != OK {
		t.Errorf("%+v, %s", r.Outcome, r.Calls[0].Kind)
	}
}

func TestW35_AlikeInAPictureOnly(t *testing.T) {
	p := pagesOf(t, "<header><h1>Shop</h1></header><main><p>Hello</p></main>", "<div><div>Shop</div></div><div><div>Hello</div></div>")
	if len(p) != 2 || p[0].Ratio != 1 || p[1].Ratio != 0 {
		t.Errorf("%+v", p)
	}
}
