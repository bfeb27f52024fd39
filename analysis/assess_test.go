package analysis

import (
	"fmt"
	"strings"
	"testing"

	"reprise"
)

// Tools of a server that lists and reads things.
const (
	listIssues = `{"name":"list_issues","inputSchema":{"type":"object","properties":{"status":{"enum":["open","closed"]},"projectId":{"type":"string"},"cursor":{"type":"string"},"limit":{"type":"integer","default":10}}},"annotations":{"readOnlyHint":true}}`
	getIssue   = `{"name":"get_issue","inputSchema":{"type":"object","properties":{"issueId":{"type":"string","description":"like ISS-1"},"projectId":{"type":"string"}},"required":["issueId"]},"annotations":{"readOnlyHint":true}}`
	getComment = `{"name":"get_comment","inputSchema":{"type":"object","properties":{"issueId":{"type":"string"},"commentId":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
	listNotes  = `{"name":"list_comments","inputSchema":{"type":"object","properties":{"issueId":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
	delIssue   = `{"name":"delete_issue","inputSchema":{"type":"object","properties":{"issueId":{"type":"string"}}},"annotations":{"destructiveHint":true}}`
	newIssue   = `{"name":"create_issue","inputSchema":{"type":"object","properties":{"title":{"type":"string"}}}}`
	listTeams  = `{"name":"list_teams","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	getProject = `{"name":"get_project","inputSchema":{"type":"object","properties":{"projectId":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
)

// saga writes the lines of a session: a list of tools, and calls with what came of them.
type saga struct {
	lines []string
	id    int
}

func tale(tools ...string) *saga {
	s := &saga{}
	s.exchange(`"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`,
		`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"1"}}`)
	if len(tools) > 0 {
		s.exchange(`"method":"tools/list"`, `"result":{"tools":[`+strings.Join(tools, ",")+`]}`)
	}
	return s
}

func (s *saga) exchange(request, answer string) *saga {
	s.id++
	s.lines = append(s.lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,%s}`, s.id, request), fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,%s}`, s.id, answer))
	return s
}

func (s *saga) say(lines ...string) *saga {
	s.lines = append(s.lines, lines...)
	return s
}

// gives is a call that succeeds with a structured result.
func (s *saga) gives(tool, arguments, result string) *saga {
	return s.exchange(asks(tool, arguments), `"result":{"content":[],"structuredContent":`+result+`}`)
}

// fails is a call that ends in a tool's error.
func (s *saga) fails(tool, arguments, text string) *saga {
	return s.exchange(asks(tool, arguments), fmt.Sprintf(`"result":{"isError":true,"content":[{"type":"text","text":%q}]}`, text))
}

// errs is a call that ends in a JSON-RPC error.
func (s *saga) errs(tool, arguments string, code int, text string) *saga {
	return s.exchange(asks(tool, arguments), fmt.Sprintf(`"error":{"code":%d,"message":%q}`, code, text))
}

func asks(tool, arguments string) string {
	return fmt.Sprintf(`"method":"tools/call","params":{"name":%q,"arguments":%s}`, tool, arguments)
}

const (
	twoIssues = `{"issues":[{"id":"ISS-4711","projectId":"PRJ-10"},{"id":"ISS-4712","projectId":"PRJ-20"}]}`
	the4711   = `{"issueId":"ISS-4711"}`
	noIssue   = `no issue "ISS-4711"`
)

func TestAssessment(t *testing.T) {
	listed := func(tools ...string) *saga {
		return tale(append([]string{listIssues, getIssue}, tools...)...).gives("list_issues", "{}", twoIssues)
	}
	for name, c := range map[string]struct {
		s      *saga
		want   Kind
		reason string // a part of it
	}{
		"a listed issue":                               {listed().fails("get_issue", the4711, noIssue), ConfirmedDefect, "list_issues"},
		"a listed issue, by a JSON-RPC error":          {listed().errs("get_issue", the4711, -32602, noIssue), ConfirmedDefect, "list_issues"},
		"an invented issue":                            {listed().fails("get_issue", `{"issueId":"ISS-9999"}`, `no issue "ISS-9999"`), Untestable, "synthesized"},
		"one of the two invented":                      {listed().fails("get_issue", `{"issueId":"ISS-4711","projectId":"PRJ-77"}`, noIssue), Untestable, "projectId is synthesized"},
		"an argument of a wrong type":                  {listed().fails("get_issue", `{"issueId":4711}`, "expected string"), RightlyRejected, "issueId"},
		"a required one missing":                       {listed().errs("get_issue", `{}`, -32602, "invalid"), RightlyRejected, "issueId"},
		"an enum's value invented":                     {listed().errs("list_issues", `{"status":"us-west-3"}`, -32602, "invalid status"), RightlyRejected, "status"},
		"an enum's value rejected":                     {listed().fails("list_issues", `{"status":"closed"}`, `unknown status "closed"`), ConfirmedDefect, "schema"},
		"no schema":                                    {tale().gives("list_issues", "{}", twoIssues).fails("get_issue", the4711, noIssue), Untestable, "schema was not seen"},
		"a rate limit":                                 {listed().fails("get_issue", the4711, "429 Too Many Requests"), Untestable, "limit"},
		"a rate limit beside a parameter of that name": {tale(listIssues).fails("list_issues", `{"status":"open","limit":10}`, "rate limit reached, unknown status"), Untestable, "limit"},
		"a permission":                                 {listed().fails("get_issue", the4711, "403 Forbidden"), Untestable, "permission"},
		"a time-out":                                   {listed().fails("get_issue", the4711, "upstream request timed out"), Untestable, "time"},
		"a connection":                                 {listed().fails("get_issue", the4711, "connect ECONNREFUSED 127.0.0.1:5432"), Untestable, "connection"},
		"a state":                                      {listed().fails("get_issue", the4711, "the index is not ready"), Untestable, "state"},
		"an id of another entity": {tale(listTeams, getProject).gives("list_teams", "{}", `{"teams":[{"id":"TEAM-77"}]}`).
			fails("get_project", `{"projectId":"TEAM-77"}`, "not found"), Untestable, "another entity"},
		"deleted in between": {listed(delIssue).gives("delete_issue", the4711, `{"ok":true}`).fails("get_issue", the4711, noIssue), Untestable, "stale"},
		"said by its own deletion": {listed(delIssue).gives("delete_issue", the4711, `{"id":"ISS-4711"}`).
			fails("get_issue", the4711, noIssue), Untestable, ""},
		"created and lost":   {tale(newIssue, getIssue).gives("create_issue", `{"title":"A"}`, `{"id":"ISS-4711"}`).fails("get_issue", the4711, noIssue), ConfirmedDefect, "create_issue"},
		"listed as archived": {tale(listIssues, getIssue).gives("list_issues", "{}", `{"issues":[{"id":"ISS-4711","archived":true}]}`).fails("get_issue", the4711, noIssue), Untestable, "gone"},
		"an old value":       {listed().say("+20m").fails("get_issue", the4711, noIssue), Untestable, "minutes"},
		"not quite as old":   {listed().say("+10m").fails("get_issue", the4711, noIssue), ConfirmedDefect, ""},
		"a list that has changed": {listed().say(`< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`).
			fails("get_issue", the4711, noIssue), Untestable, "changed"},
		"of two different issues": {listed().fails("get_issue", `{"issueId":"ISS-4711","projectId":"PRJ-20"}`, noIssue), Untestable, "belong together"},
		"of the same record":      {listed().fails("get_issue", `{"issueId":"ISS-4711","projectId":"PRJ-10"}`, noIssue), ConfirmedDefect, ""},
		"a comment of another issue": {listed(listNotes, getComment).gives("list_comments", the4711, `{"comments":[{"id":"CMT-8001"}]}`).
			fails("get_comment", `{"issueId":"ISS-4712","commentId":"CMT-8001"}`, "not found"), Untestable, "belong together"},
		"a comment of its issue": {listed(listNotes, getComment).gives("list_comments", the4711, `{"comments":[{"id":"CMT-8001"}]}`).
			fails("get_comment", `{"issueId":"ISS-4711","commentId":"CMT-8001"}`, "not found"), ConfirmedDefect, ""},
		"nothing to prove with": {listed().fails("list_issues", "{}", "something is wrong"), Untestable, "no argument"},
		"a server that breaks":  {listed().fails("list_issues", "{}", "TypeError: cannot read properties of undefined"), ConfirmedDefect, "broke"},
		"a tool that it listed": {listed().errs("list_issues", "{}", -32602, "Unknown tool: list_issues"), ConfirmedDefect, "denies"},
		"a quoted example":      {listed().fails("get_issue", `{"issueId":"ISS-1"}`, `no issue "ISS-1"`), Untestable, "description"},
		"a name like a trouble": {tale(listIssues, getIssue).gives("list_issues", "{}", `{"issues":[{"id":"network-timeout-77"}]}`).
			fails("get_issue", `{"issueId":"network-timeout-77"}`, "no issue network-timeout-77"), ConfirmedDefect, ""},
		"a rule of the domain":      {listed().fails("get_issue", the4711, "ISS-4711 has 2 unresolved children"), Untestable, "reason"},
		"another language":          {listed().fails("get_issue", the4711, "Accès refusé"), Untestable, "reason"},
		"nothing said":              {listed().fails("get_issue", the4711, ""), ConfirmedDefect, ""},
		"something else is missing": {listed().fails("get_issue", the4711, "no attachment found for ISS-4711"), Untestable, "reason"},
		"its own cursor":            {tale(listIssues).gives("list_issues", `{}`, `{"issues":[],"nextCursor":"b2Zmc2V0PTI="}`).fails("list_issues", `{"cursor":"b2Zmc2V0PTI="}`, "bad cursor"), ConfirmedDefect, ""},
		"a cursor of other arguments": {tale(listIssues).gives("list_issues", `{"status":"open"}`, `{"issues":[],"nextCursor":"b2Zmc2V0PTI="}`).
			fails("list_issues", `{"status":"closed","cursor":"b2Zmc2V0PTI="}`, "bad cursor"), Untestable, "other arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			r := judge(t, c.s.lines...)
			last := r.Calls[len(r.Calls)-1]
			if last.Kind != c.want || !strings.Contains(last.Reason, c.reason) {
				t.Errorf("%s: %q, want %s with %q; sources %v", last.Kind, last.Reason, c.want, c.reason, last.Sources)
			}
			if last.Kind == ConfirmedDefect && len(last.Evidence) < 3 {
				t.Errorf("evidence %v", last.Evidence)
			}
		})
	}
}

// TestEvidenceIsBothCalls: the one that gave the value, and the one that rejected it, each with its answer.
func TestEvidenceIsBothCalls(t *testing.T) {
	s := tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).fails("get_issue", the4711, noIssue)
	calls := judge(t, s.lines...).Calls
	if got := fmt.Sprint(calls[1].Evidence); got != "[5 6 7 8]" {
		t.Errorf("evidence %s", got)
	}
}

// TestOneThatNeverAnswersProvesNothing, whoever it was that left.
func TestOneThatNeverAnswersProvesNothing(t *testing.T) {
	for _, ending := range []reprise.Ending{reprise.EndedByClient, reprise.EndedByServer, reprise.EndedByKill, ""} {
		s := tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).say(`> {"jsonrpc":"2.0","id":99,` + asks("get_issue", the4711) + `}`)
		r := judgeAs(t, &reprise.Session{Server: "tracker", Ending: ending}, Options{}, s.lines...)
		if last := r.Calls[len(r.Calls)-1]; last.Kind != Untestable {
			t.Errorf("%q: %s", ending, last.Kind)
		}
	}
}

// TestAWriteAtTheSameTimeExcuses: the answers of two calls in flight may come in any order.
func TestAWriteAtTheSameTimeExcuses(t *testing.T) {
	s := tale(listIssues, getIssue, delIssue).gives("list_issues", "{}", twoIssues).say(
		`> {"jsonrpc":"2.0","id":50,`+asks("get_issue", the4711)+`}`,
		`> {"jsonrpc":"2.0","id":51,`+asks("delete_issue", the4711)+`}`,
		`< {"jsonrpc":"2.0","id":51,"result":{"content":[]}}`,
		`< {"jsonrpc":"2.0","id":50,"result":{"isError":true,"content":[{"type":"text","text":"no issue"}]}}`)
	if c := judge(t, s.lines...).Calls[1]; c.Kind != Untestable {
		t.Errorf("%s: %s", c.Kind, c.Reason)
	}
}

// TestAGapBetweenExcuses: what was lost may have been a deletion.
func TestAGapBetweenExcuses(t *testing.T) {
	s := tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).fails("get_issue", the4711, noIssue)
	for _, c := range []struct {
		from int64
		want Kind
	}{{3, ConfirmedDefect}, {7, Untestable}, {100, ConfirmedDefect}} {
		j := NewJudge(&reprise.Session{}, Options{})
		for _, f := range framesOf(t, s.lines) {
			j.Add(&reprise.CaptureItem{Frame: f})
		}
		j.Add(&reprise.CaptureItem{End: &reprise.CaptureEnd{Gaps: []reprise.Gap{{From: c.from, To: c.from, Frames: 1}}}})
		if got := j.End().Calls[1]; got.Kind != c.want {
			t.Errorf("a gap at %d: %s, %s", c.from, got.Kind, got.Reason)
		}
	}
}

// TestOrdinaryWordsOfADefect: what servers say when they do not find what they have given, or break.
func TestOrdinaryWordsOfADefect(t *testing.T) {
	for _, words := range []string{"boom", "internal error", `no issue "ISS-4711"`, "Issue ISS-4711 does not exist", "404 Not Found", "ISS-4711: no such issue", "database error", "db lookup failed",
		"Cannot read properties of undefined (reading 'id')", "unexpected error while loading ISS-4711", "issue not in index", `{"error":"not_found"}`, `{"code":"E_NOENT","message":"no such issue"}`, "",
		"Failed to fetch issue ISS-4711", "ValueError: Issue 'ISS-4711' not found", "KeyError: 'ISS-4711'", "Error executing tool get_issue: Issue not found", "sql: no rows in result set",
		"Object reference not set to an instance of an object.", "Issue ISS-4711 was not found in the database", "Request failed with status code 404", "HTTP 500", "panic: runtime error: index out of range"} {
		for _, s := range []*saga{tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).fails("get_issue", the4711, words),
			tale(listIssues, getIssue).gives("list_issues", "{}", twoIssues).errs("get_issue", the4711, -32602, words)} {
			if c := lastCall(judge(t, s.lines...)); c.Kind != ConfirmedDefect {
				t.Errorf("%q: %s, %s", words, c.Kind, c.Reason)
			}
		}
	}
}
