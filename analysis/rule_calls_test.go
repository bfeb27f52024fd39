package analysis

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// callRules are the rules about what agents do with tools.
func callRules() []*Analyzer {
	return []*Analyzer{batchWish, changedArgument, changedEcho, crossEntity, inventedIdentifier, lateAnswer, paginationDuplicates, paginationIgnored,
		refusedArguments, repeatedFailure, sameListAgain, unansweredCall}
}

// callCase is a session, and where a rule finds something in it: "tool place".
type callCase struct {
	name    string
	session *reprise.Session
	lines   []string
	want    []string
}

func checkCalls(t *testing.T, rule *Analyzer, cases []callCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := c.session
			if s == nil {
				s = &reprise.Session{Server: "tracker", Ending: reprise.EndedByClient}
			}
			r := judgeAs(t, s, Options{Analyzers: []*Analyzer{rule}}, c.lines...)
			var got []string
			for _, f := range r.Findings {
				got = append(got, strings.TrimSpace(f.Tool+" "+f.Place))
				checkSentences(t, f)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s finds %q, not %q", rule.Name, got, c.want)
			}
		})
	}
}

// checkSentences holds a finding to what its readers are promised: three sentences, and evidence in order.
func checkSentences(t *testing.T, f Finding) {
	t.Helper()
	for _, sentence := range []string{f.What, f.Consequence, f.Suggestion} {
		if !strings.HasSuffix(sentence, ".") || strings.Contains(sentence, "%!") || len(sentence) > 700 {
			t.Errorf("%s: not a sentence: %q", f.Rule, sentence)
		}
	}
	if len(f.Evidence) == 0 || !slices.IsSorted(f.Evidence) {
		t.Errorf("%s: evidence is %v", f.Rule, f.Evidence)
	}
	t.Logf("%s [%s] %v x%d\n  %s\n  %s\n  %s", f.Rule, f.Severity, f.Evidence, f.Count, f.What, f.Consequence, f.Suggestion)
}

// The lines of sessions. Each call has the id "call", for none of them overlap.
const (
	hintsReadOnly = `"annotations":{"readOnlyHint":true}`
	hintsWriting  = `"annotations":{"readOnlyHint":false}`
)

func listedTool(name, members string, properties string) string {
	return fmt.Sprintf(`{"name":%q,%s,"inputSchema":{"type":"object","properties":{%s}}}`, name, members, properties)
}

func saysText(s string) string {
	return fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, s)
}

func saysError(s string) string {
	return fmt.Sprintf(`"result":{"isError":true,"content":[{"type":"text","text":%q}]}`, s)
}

func refusesWith(code int, s string) string {
	return fmt.Sprintf(`"error":{"code":%d,"message":%q}`, code, s)
}

func givesJSON(json string) string { return `"result":{"content":[],"structuredContent":` + json + `}` }

// TestCallRulesOnCaptures says what the rules find in all captures. Each was looked at by eye.
func TestCallRulesOnCaptures(t *testing.T) {
	want := map[string][]string{
		"made/server-dies": {"unanswered crash tools/call"},
		// us-west-3 is no region: the error lists them, the schema does not.
		"plans/claude-shop": {"changed-argument move_customer region"},
		// USR-2 and ISS-404.
		"plans/claude-tracker": {"cross-entity get_issue issueId", "invented-identifier get_issue issueId"},
		// pump-9.
		"plans/codex-memory": {"invented-identifier add_observations observations[].entityName"},
		// The id of a customer.
		"plans/codex-shop": {"cross-entity ship_order warehouse_id"},
		// The id of an issue.
		"plans/codex-tracker":    {"cross-entity get_user userId"},
		"plans/opencode-tracker": {"cross-entity get_user userId"},
		// cus_X0000000.
		"plans/opencode-shop": {"invented-identifier move_customer customer_id"},
	}
	for _, name := range fixtures.Names() {
		var got []string
		for _, f := range judgeCapture(t, name).Findings {
			got = append(got, strings.Join(strings.Fields(f.Rule+" "+f.Tool+" "+f.Place), " "))
			checkSentences(t, f)
		}
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s: found %q, not %q", name, got, want[name])
		}
	}
}

// TestCallRulesOnJudged says what the rules find in the sessions of healthy and of broken servers that a careless judge would accuse.
func TestCallRulesOnJudged(t *testing.T) {
	want := map[string][]string{
		"s25-parent-as-self":      {"cross-entity get_issue issueId"},
		"s25-team-as-project":     {"cross-entity get_project projectId"},
		"s26-enum-together":       {"changed-argument search query"},
		"s36-nested":              {"invented-identifier bulk_get query.ids[]"},
		"s36-two-ids":             {"invented-identifier link_issues to"},
		"tracker-denies-users":    {"invented-identifier get_user userId"},
		"tracker-ok-guesses":      {"invented-identifier get_issue issueId", "invented-identifier get_user userId"},
		"tracker-ok-other-entity": {"cross-entity get_issue issueId", "cross-entity get_user userId"},
		"trouble-server-dies":     {"unanswered get_issue tools/call"},
	}
	for _, name := range []string{"batch", "modern-guess", "parallel-reads", "s35-case", "s35-error-text",
		"s35-next-number", "schema-none", "tracker-denies-listed-guessed", "tracker-ok-unlisted"} {
		want[name] = []string{"invented-identifier get_issue issueId"}
	}
	paths, err := filepath.Glob("../fixtures/judged/*.capture.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no captures", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".capture.jsonl")
		if got := rulesFound(t, path); !slices.Equal(got, want[name]) {
			t.Errorf("%s: found %q, not %q", name, got, want[name])
		}
	}
}

func rulesFound(t *testing.T, path string) (list []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, items, err := reprise.ReadCapture(f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Analyze(&h.Session, items, Options{Analyzers: callRules()})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		list = append(list, strings.Join(strings.Fields(f.Rule+" "+f.Tool+" "+f.Place), " "))
		checkSentences(t, f)
	}
	return list
}

func judgeCapture(t *testing.T, name string) *Report {
	t.Helper()
	lines, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	s := &reprise.Session{Server: name, StartedAt: time.Unix(0, 0)}
	var frames []*reprise.Frame
	for _, line := range lines {
		at := time.Duration(line.US) * time.Microsecond
		switch line.Dir {
		case "c2s", "s2c":
			dir := reprise.ClientToServer
			if line.Dir == "s2c" {
				dir = reprise.ServerToClient
			}
			frames = append(frames, &reprise.Frame{Seq: int64(len(frames) + 1), At: at, Direction: dir, Data: []byte(line.Raw), EOL: "\n", Size: int64(len(line.Raw))})
		case "ctl":
			endAs(s, line.Raw, at)
		}
	}
	j := NewJudge(s, Options{Analyzers: callRules()})
	for _, f := range frames {
		j.Add(&reprise.CaptureItem{Frame: f})
	}
	return j.End()
}

// endAs notes what a capture's control line says of the end.
func endAs(s *reprise.Session, line string, at time.Duration) {
	s.EndedAt = s.StartedAt.Add(at)
	switch {
	case s.Ending != "":
	case line == "close stdin":
		s.Ending = reprise.EndedByClient
	case strings.HasPrefix(line, "signal"):
		s.Ending = reprise.EndedBySignal
	default:
		s.Ending = reprise.EndedByServer // of itself
	}
}

// TestCallRulesAreBounded: names of tools, keys and values are the agent's, and a session may have any number of them.
func TestCallRulesAreBounded(t *testing.T) {
	var lines []string
	for i := range 1200 {
		lines = append(lines, call(fmt.Sprint("tool", i), fmt.Sprintf(`{"key%d":"AB-%d","cursor":"c%d"}`, i, i, i), saysError(fmt.Sprintf("AB-%d not found", i)))...)
		lines = append(lines, call(fmt.Sprint("tool", i), fmt.Sprintf(`{"key%d":"AB-%d"}`, i, i), givesJSON(fmt.Sprintf(`{"items":[{"id":%d}],"nextCursor":"n%d"}`, i, i)))...)
	}
	r := judgeAs(t, &reprise.Session{Ending: reprise.EndedByClient}, Options{Analyzers: callRules()}, lines...)
	if n := len(r.Findings); n == 0 || n > len(callRules())*maxRulePlaces {
		t.Errorf("%d findings", n)
	}
}

// TestCallRulesOnDeepTexts: a text may be nested as deeply as its length lets it, and no reader may follow it down.
func TestCallRulesOnDeepTexts(t *testing.T) {
	deep := saysText(`{"nextCursor":"x","items":` + strings.Repeat("[", 12<<20))
	page := call("list_all", `{}`, deep)
	r := judgeAs(t, &reprise.Session{Ending: reprise.EndedByClient}, Options{Analyzers: callRules()}, story(page, page, page)...)
	if len(found(r, "pagination-ignored")) > 0 || len(r.Calls) != 3 {
		t.Errorf("%d calls, findings %v", len(r.Calls), r.Findings)
	}
}

// BenchmarkCallRules judges a session of 100,000 calls, with the rules about calls and without.
func BenchmarkCallRules(b *testing.B) {
	for name, rules := range map[string][]*Analyzer{"none": {}, "all": callRules()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				judgeMany(rules, 100_000)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/call")
		})
	}
}

// judgeMany judges a session in which lists are read, walked, written to and failed at.
func judgeMany(rules []*Analyzer, calls int) *Report {
	j := NewJudge(&reprise.Session{Server: "tracker"}, Options{Analyzers: rules})
	seq := int64(0)
	add := func(dir reprise.Direction, text string) {
		seq++
		j.Add(&reprise.CaptureItem{Frame: &reprise.Frame{Seq: seq, At: time.Duration(seq) * time.Millisecond, Direction: dir, Data: []byte(text), EOL: "\n", Size: int64(len(text))}})
	}
	for _, line := range tools(listedTool("get_issue", hintsReadOnly, `"issueId":{"type":"string"}`), listedTool("list", hintsReadOnly, ""), listedTool("set", hintsWriting, "")) {
		add(map[byte]reprise.Direction{'>': reprise.ClientToServer, '<': reprise.ServerToClient}[line[0]], `{"jsonrpc":"2.0",`+line[3:])
	}
	for i := range calls {
		request, answer := `"name":"get_issue","arguments":{"issueId":"ISS-%[1]d","fields":["title","status"]}`, `{"content":[{"type":"text","text":"{\"issueId\":\"ISS-%[1]d\",\"title\":\"a title\",\"status\":\"open\"}"}]}`
		switch i % 10 {
		case 0:
			request, answer = `"name":"list","arguments":{"cursor":"c%[1]d"}`, `{"content":[],"structuredContent":{"items":[{"issueId":"ISS-%[1]d","title":"x"}],"nextCursor":"c%[2]d"}}`
		case 1:
			request, answer = `"name":"set","arguments":{"issueId":"ISS-%[1]d","title":"hero"}`, `{"content":[],"structuredContent":{"issueId":"ISS-%[1]d","title":"hero"}}`
		case 2:
			answer = `{"isError":true,"content":[{"type":"text","text":"no issue ISS-%[1]d"}]}`
		}
		id := fmt.Sprint(i)
		add(reprise.ClientToServer, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{`+fmt.Sprintf(request+"%.0[2]d", i, i+10)+`}}`)
		add(reprise.ServerToClient, `{"jsonrpc":"2.0","id":`+id+`,"result":`+fmt.Sprintf(answer+"%.0[2]d", i, i+10)+`}`)
	}
	return j.End()
}
