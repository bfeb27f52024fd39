package replay

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"reprise"
)

// captureOf makes a capture of lines that begin with > (the client's) or < (the server's).
func captureOf(t testing.TB, ending reprise.Ending, lines ...string) *reprise.Capture {
	t.Helper()
	c := &reprise.Capture{Header: &reprise.CaptureHeader{Session: reprise.Session{ID: "made", Transport: "stdio"}}}
	for i, l := range lines {
		d := reprise.ClientToServer
		if l[0] == '<' {
			d = reprise.ServerToClient
		}
		data := []byte(l[1:])
		c.Items = append(c.Items, reprise.CaptureItem{Frame: &reprise.Frame{Seq: int64(i + 1), At: time.Duration(i) * time.Millisecond,
			Direction: d, Data: data, EOL: "\n", Size: int64(len(data))}})
	}
	code := 3
	c.Items = append(c.Items, reprise.CaptureItem{End: &reprise.CaptureEnd{Ended: true, Ending: ending, ExitCode: &code}})
	return c
}

// requestLine, callLine and resultLine spell messages.
func requestLine(id any, method, params string) string {
	raw, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, raw, method, params)
}

func callLine(id any, tool, args string) string {
	return requestLine(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
}

func resultLine(id any, result string) string {
	raw, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, raw, result)
}

func textResult(text string) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, text)
}

// wants plays lines and compares what comes back.
func wants(t *testing.T, s *Server, client []string, want ...string) Report {
	t.Helper()
	got, report := played(s, client)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return report
}

// refused says whether a line refuses a request as one that nothing answers.
func refused(line string) bool { return strings.Contains(line, fmt.Sprintf(`"code":%d`, codeMiss)) }

func TestIdsAreTheClientsOwn(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient, ">"+callLine(1, "a", "{}"), `<{"id" : 1,  "result":{"x":1.0,"y":"\u00e9","id":1},"jsonrpc":"2.0","extra":[1]}`))
	wants(t, s, []string{callLine("abc", "a", "{}")}, `{"id" : "abc",  "result":{"x":1.0,"y":"\u00e9","id":1},"jsonrpc":"2.0","extra":[1]}`)
	wants(t, s, []string{callLine(json.Number("9007199254740993"), "a", "{}")}, `{"id" : 9007199254740993,  "result":{"x":1.0,"y":"\u00e9","id":1},"jsonrpc":"2.0","extra":[1]}`)
}

func TestEqualCallsComeInOrder(t *testing.T) {
	recorded := []string{">" + callLine(1, "a", `{"x":1}`), "<" + resultLine(1, textResult("first")), ">" + callLine(2, "a", `{"x":1}`), "<" + resultLine(2, textResult("second"))}
	again := []string{callLine(7, "a", `{"x":1.0}`), callLine(8, "a", `{ "x" : 1 }`), callLine(9, "a", `{"x":1}`), callLine(10, "a", `{"x":1}`), callLine(11, "a", `{"x":1}`)}
	for policy, want := range map[Policy][]string{
		PolicyLast: {"first", "second", "second", "second", "second"},
		PolicyLoop: {"first", "second", "first", "second", "first"},
	} {
		s := NewServer(captureOf(t, reprise.EndedByClient, recorded...))
		s.Exhausted = policy
		var answers []string
		for i, text := range want {
			answers = append(answers, resultLine(7+i, textResult(text)))
		}
		wants(t, s, again, answers...)
	}
	s := NewServer(captureOf(t, reprise.EndedByClient, recorded...))
	got, report := played(s, again[:3])
	if !refused(got[2]) || len(report.Misses) != 1 || !strings.Contains(report.Misses[0].Reason, "all 2 recorded calls") {
		t.Errorf("used up: %s, %+v", got[2], report.Misses)
	}
}

func TestAMissNamesTheNearest(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient, ">"+callLine(1, "get", `{"id":"ISS-1","deep":{"a":[1,2]}}`), "<"+resultLine(1, textResult("one")),
		">"+callLine(2, "get", `{"id":"ISS-2","deep":{"a":[1,2]}}`), "<"+resultLine(2, textResult("two"))))
	got, report := played(s, []string{callLine(1, "get", `{"id":"ISS-2","deep":{"a":[1,3]}}`)})
	var answer struct {
		Error struct {
			Code    int
			Message string
			Data    struct {
				Nearest              int64
				Path, Recorded, Live string
			}
		}
		Result any
	}
	if err := json.Unmarshal([]byte(got[0]), &answer); err != nil || answer.Result != nil {
		t.Fatal(err, got[0])
	}
	d := answer.Error.Data
	if d.Nearest != 3 || d.Path != "arguments.deep.a[1]" || d.Recorded != "2" || d.Live != "3" || answer.Error.Code >= -32768 && answer.Error.Code <= -32000 {
		t.Errorf("%s", got[0])
	}
	if report.Misses[0].Nearest != 3 || len(report.Unused) != 2 {
		t.Errorf("%+v", report)
	}
	got, _ = played(s, []string{callLine(1, "other", `{}`)})
	if !strings.Contains(got[0], "never called") || !strings.Contains(got[0], `"path":"name"`) {
		t.Errorf("%s", got[0])
	}
}

func TestLevels(t *testing.T) {
	recorded := []string{">" + callLine(1, "a", `{"x":1}`), "<" + resultLine(1, textResult("a1")), ">" + callLine(2, "b", `{"x":1}`), "<" + resultLine(2, textResult("b1")),
		">" + callLine(3, "a", `{"x":2}`), "<" + resultLine(3, textResult("a2"))}
	ask := []string{callLine(1, "a", `{"x":9}`), callLine(2, "a", `{"x":1}`), callLine(3, "b", `{"x":2}`)}
	for level, want := range map[Level][]string{LevelExact: {"", "a1", ""}, LevelArguments: {"", "a1", ""}, LevelTool: {"a1", "a2", "b1"}, LevelSequence: {"a1", "b1", "a2"}} {
		s := NewServer(captureOf(t, reprise.EndedByClient, recorded...))
		s.Match = level
		got, _ := played(s, ask)
		for i := range want {
			if want[i] == "" != refused(got[i]) || want[i] != "" && got[i] != resultLine(i+1, textResult(want[i])) {
				t.Errorf("%s: %s, want %q", level, got[i], want[i])
			}
		}
	}
}

func TestMetaNeverCounts(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient, `>{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"old","t":1},"name":"a","arguments":{}}}`,
		`<{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"old","progress":1}}`, "<"+resultLine(1, textResult("x"))))
	wants(t, s, []string{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"arguments":{},"name":"a","_meta":{"progressToken":77}}}`},
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":1}}`, resultLine(5, textResult("x")))
	wants(t, s, []string{callLine(5, "a", "{}")}, resultLine(5, textResult("x")))                       // no token, no progress
	wants(t, s, []string{requestLine(5, "tools/call", `{"name":"a"}`)}, resultLine(5, textResult("x"))) // no arguments are empty ones
}

func TestIgnoredPlacesMayDiffer(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient, ">"+callLine(1, "a", `{"at":"now","x":1}`), "<"+resultLine(1, textResult("x"))))
	s.Ignore = &reprise.Ignore{}
	rule, err := reprise.ParseIgnore("a:at")
	if err != nil {
		t.Fatal(err)
	}
	s.Ignore.Add(rule)
	wants(t, s, []string{callLine(1, "a", `{"at":"later","x":1}`)}, resultLine(1, textResult("x")))
	wants(t, s, []string{callLine(1, "a", `{"x":1}`)}, resultLine(1, textResult("x")))
	if got, _ := played(s, []string{callLine(1, "a", `{"at":"later","x":2}`)}); !refused(got[0]) {
		t.Error(got[0])
	}
}

func TestListsAreWalkedAsOftenAsOneLikes(t *testing.T) {
	page := func(tool, next string) string {
		if next != "" {
			next = fmt.Sprintf(`,"nextCursor":%q`, next)
		}
		return fmt.Sprintf(`{"tools":[{"name":%q}]%s}`, tool, next)
	}
	s := NewServer(captureOf(t, reprise.EndedByClient, ">"+requestLine(1, "tools/list", "{}"), "<"+resultLine(1, page("a", "c1")),
		">"+requestLine(2, "tools/list", `{"cursor":"c1"}`), "<"+resultLine(2, page("b", "c2")), `<{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		">"+callLine(3, "a", "{}"), "<"+resultLine(3, textResult("x"))))
	walk := []string{requestLine(1, "tools/list", "{}"), requestLine(2, "tools/list", `{"cursor":"c1"}`), requestLine(3, "tools/list", `{"cursor":"c2"}`)}
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	once := []string{resultLine(1, page("a", "c1")), resultLine(2, page("b", "c2")), changed, resultLine(3, `{"tools":[]}`)}
	report := wants(t, s, append(walk, walk...), append(once, resultLine(1, page("a", "c1")), resultLine(2, page("b", "c2")), resultLine(3, `{"tools":[]}`))...)
	if report.MissedCalls() != 1 {
		t.Errorf("%+v", report.Unused)
	}
	// One that caches leaves lists out: what came with them comes all the same.
	report = wants(t, s, []string{callLine(3, "a", "{}")}, changed, resultLine(3, textResult("x")))
	if report.MissedCalls() != 0 || len(report.Unused) != 2 {
		t.Errorf("%+v", report.Unused)
	}
	if got, _ := played(s, []string{requestLine(1, "tools/list", `{"cursor":"made up"}`)}); !refused(got[0]) {
		t.Error(got[0])
	}
}

func TestQuestionsWaitForTheirAnswers(t *testing.T) {
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c"}}}`
	question := requestLine(0, "elicitation/create", `{"message":"sure?"}`)
	c := captureOf(t, reprise.EndedByClient, ">"+hello, "<"+resultLine(0, "{}"), ">"+callLine(1, "del", "{}"), "<"+question,
		">"+resultLine(0, `{"action":"accept"}`), "<"+resultLine(1, textResult("gone")))
	s := NewServer(c)
	wants(t, s, []string{hello, callLine(1, "del", "{}")}, resultLine(0, "{}"), question)
	report := wants(t, s, []string{hello, callLine(4, "del", "{}"), resultLine(0, `{"action":"decline"}`)}, resultLine(0, "{}"), question, resultLine(4, textResult("gone")))
	if report.Differently != 1 {
		t.Errorf("%+v", report)
	}
	// A client that does not take such questions is not asked.
	plain := strings.Replace(hello, `"elicitation":{}`, "", 1)
	report = wants(t, s, []string{plain, callLine(4, "del", "{}")}, resultLine(0, "{}"), resultLine(4, textResult("gone")))
	if report.Unasked != 1 {
		t.Errorf("%+v", report)
	}
	// Asked again, it is under another id.
	s.Exhausted = PolicyLast
	got, _ := played(s, []string{hello, callLine(1, "del", "{}"), resultLine(0, `{"action":"accept"}`), callLine(2, "del", "{}"), resultLine(1000000, `{"action":"accept"}`)})
	if len(got) != 5 || got[3] != requestLine(1000000, "elicitation/create", `{"message":"sure?"}`) || got[4] != resultLine(2, textResult("gone")) {
		t.Errorf("%q", got)
	}
}

func TestDeath(t *testing.T) {
	c := captureOf(t, reprise.EndedByServer, ">"+callLine(1, "a", "{}"), "<"+resultLine(1, textResult("x")), ">"+callLine(2, "crash", "{}"))
	s := NewServer(c)
	got, report := played(s, []string{callLine(1, "a", "{}"), callLine(2, "crash", "{}")})
	if len(got) != 2 || !strings.Contains(got[1], fmt.Sprint(codeLost)) || report.Lost != 1 || len(report.Misses) != 0 {
		t.Errorf("%q %+v", got, report)
	}
	s.Faithful = true
	wants(t, s, []string{callLine(1, "a", "{}"), callLine(2, "crash", "{}"), callLine(3, "a", "{}")}, resultLine(1, textResult("x")))
}

func TestEras(t *testing.T) {
	legacy := NewServer(captureOf(t, reprise.EndedByClient, ">"+requestLine(1, "initialize", `{"protocolVersion":"2025-06-18"}`), "<"+resultLine(1, `{"protocolVersion":"2025-06-18","capabilities":{"logging":{}}}`)))
	got, report := played(legacy, []string{requestLine("d", "server/discover", "{}"), requestLine(1, "initialize", `{"protocolVersion":"2024-11-05"}`),
		requestLine(2, "ping", "{}"), requestLine(3, "logging/setLevel", `{"level":"error"}`), requestLine(4, "resources/subscribe", `{"uri":"x"}`)})
	if !strings.Contains(got[0], "-32601") || got[1] != resultLine(1, `{"protocolVersion":"2025-06-18","capabilities":{"logging":{}}}`) ||
		got[2] != resultLine(2, "{}") || got[3] != resultLine(3, "{}") || !refused(got[4]) || len(report.Misses) != 1 {
		t.Errorf("%q", got)
	}
	meta := `{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	modern := NewServer(captureOf(t, reprise.EndedByClient, ">"+requestLine(1, "tools/call", meta), "<"+resultLine(1, textResult("x"))))
	got, _ = played(modern, []string{requestLine(1, "initialize", `{"protocolVersion":"2025-11-25"}`), requestLine(2, "server/discover", "{}"), requestLine(3, "tools/call", meta)})
	if !strings.Contains(got[0], `-32022`) || !strings.Contains(got[0], `"supported":["2026-07-28"]`) || !strings.Contains(got[1], `"tools":{}`) || got[2] != resultLine(3, textResult("x")) {
		t.Errorf("%q", got)
	}
}

func TestSecretsMatchConsistently(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient,
		">"+callLine(1, "login", `{"token":"«redacted:api-key:1»"}`), "<"+resultLine(1, textResult("in")),
		">"+callLine(2, "get", `{"auth":"Bearer «redacted:api-key:1»","x":1}`), "<"+resultLine(2, textResult("one")),
		">"+callLine(3, "get", `{"auth":"Bearer «redacted:api-key:2»","x":1}`), "<"+resultLine(3, textResult("two"))))
	wants(t, s, []string{callLine(1, "login", `{"token":"s3cret"}`), callLine(2, "get", `{"auth":"Bearer other","x":1}`), callLine(3, "get", `{"auth":"Bearer s3cret","x":1}`)},
		resultLine(1, textResult("in")), resultLine(2, textResult("two")), resultLine(3, textResult("one")))
	got, _ := played(s, []string{callLine(1, "login", `{"token":"s3cret"}`), callLine(2, "get", `{"auth":"Basic s3cret","x":1}`)})
	if !refused(got[1]) {
		t.Errorf("%q", got)
	}
	wants(t, s, []string{callLine(2, "get", `{"auth":"Bearer «redacted:api-key:2»","x":1}`)}, resultLine(2, textResult("two")))
}

func TestSecretsAreUsedUpAsOthers(t *testing.T) {
	c := captureOf(t, reprise.EndedByClient,
		">"+callLine(1, "get", `{"token":"«redacted:api-key:1»"}`), "<"+resultLine(1, textResult("first")),
		">"+callLine(2, "get", `{"token":"«redacted:api-key:1»"}`), "<"+resultLine(2, textResult("second")))
	ask := []string{callLine(1, "get", `{"token":"x"}`), callLine(2, "get", `{"token":"x"}`), callLine(3, "get", `{"token":"x"}`), callLine(4, "get", `{"token":"x"}`)}
	for policy, want := range map[Policy][]string{PolicyLast: {"first", "second", "second", "second"}, PolicyLoop: {"first", "second", "first", "second"}} {
		s := NewServer(c)
		s.Exhausted = policy
		var lines []string
		for i, text := range want {
			lines = append(lines, resultLine(i+1, textResult(text)))
		}
		if report := wants(t, s, ask, lines...); report.Repeated != 2 {
			t.Errorf("%s: %d repeated", policy, report.Repeated)
		}
	}
}

// TestValuesOfTheClientStandForTheRecordedOnes: the client makes its ids up anew each time, the server says them back.
func TestValuesOfTheClientStandForTheRecordedOnes(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient,
		">"+callLine(1, "start", `{"run_id":"run-7f3a21","x":1}`), "<"+resultLine(1, `{"structuredContent":{"run_id":"run-7f3a21"}}`),
		">"+callLine(2, "step", `{"run_id":"run-7f3a21","n":1}`), "<"+resultLine(2, textResult("stepped")),
		">"+callLine(3, "step", `{"run_id":"run-7f3a21","n":2}`), "<"+resultLine(3, textResult("stepped on"))))
	s.Ignore = &reprise.Ignore{}
	rule, _ := reprise.ParseIgnore("start:run_id")
	s.Ignore.Add(rule)
	wants(t, s, []string{callLine(1, "start", `{"run_id":"run-0b99c4","x":1}`), callLine(2, "step", `{"run_id":"run-0b99c4","n":1}`), callLine(3, "step", `{"run_id":"run-7f3a21","n":2}`)},
		resultLine(1, `{"structuredContent":{"run_id":"run-7f3a21"}}`), resultLine(2, textResult("stepped")), resultLine(3, textResult("stepped on")))
	got, _ := played(s, []string{callLine(2, "step", `{"run_id":"run-0b99c4","n":1}`)})
	if !refused(got[0]) {
		t.Error(got[0])
	}
}

func TestNearestAnswersAloud(t *testing.T) {
	s := NewServer(captureOf(t, reprise.EndedByClient, ">"+callLine(1, "a", `{"x":1}`), "<"+resultLine(1, textResult("x"))))
	s.OnMiss = OnMissNearest
	report := wants(t, s, []string{callLine(1, "a", `{"x":2}`)}, resultLine(1, textResult("x")))
	if len(report.Nearest) != 1 || report.Nearest[0].Path != "arguments.x" || len(report.Misses) != 0 {
		t.Errorf("%+v", report)
	}
	if got, _ := played(s, []string{callLine(1, "b", `{}`)}); !refused(got[0]) {
		t.Error(got[0]) // another tool's answer would be made up
	}
}
