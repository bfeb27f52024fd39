package live

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
)

func bounds() HarvestOptions {
	return HarvestOptions{Options: options(), MaxCalls: 50, MaxTime: time.Minute}
}

// takes is a tool with parameters, of which those with a * are required.
func takes(name, more string, parameters ...string) string {
	var properties, needed []string
	for _, p := range parameters {
		p, schema, _ := strings.Cut(p, "=")
		p, must := strings.CutSuffix(p, "*")
		if must {
			needed = append(needed, quote(p))
		}
		if schema == "" {
			schema = `{"type":"string"}`
		}
		properties = append(properties, quote(p)+":"+schema)
	}
	return fmt.Sprintf(`{"name":%q,%s,"inputSchema":{"type":"object","properties":{%s},"required":[%s]}}`, name, more, strings.Join(properties, ","), strings.Join(needed, ","))
}

// TestS29_OnlyReadOnlyToolsAreHarvestedFrom, whatever the gate of the options says.
func TestS29_OnlyReadOnlyToolsAreHarvestedFrom(t *testing.T) {
	s := &server{tools: trackerTools, call: tracker}
	o := bounds()
	o.Gate = Gate{Writes: true}
	h := Reap(context.Background(), s.start(t), o)
	for _, call := range s.calls() {
		if strings.HasPrefix(call, "list_and_purge") || strings.HasPrefix(call, "delete_issue") {
			t.Errorf("called %s", call)
		}
	}
	reasons := map[string]Skip{}
	for _, skip := range h.Skips {
		reasons[skip.Tool] = skip
	}
	if reasons["delete_issue"].Safety != reprise.SafetyDestructive || reasons["list_and_purge"].Safety != reprise.SafetyUnknown || reasons["list_and_purge"].Advice == "" {
		t.Errorf("%+v", h.Skips)
	}
}

// TestS30_ListsComeFirst, and among them those that need least; the order of the list decides the rest.
func TestS30_ListsComeFirst(t *testing.T) {
	enum := `={"enum":["x"]}`
	s := &server{call: ok, tools: strings.Join([]string{takes("get_all_of_it", readOnly, "a*"+enum), takes("status", readOnly), takes("list_two", readOnly, "a*"+enum, "b*"+enum),
		takes("search", readOnly, "a*"+enum), takes("list_none", readOnly), takes("list_other", readOnly, "a")}, ",")}
	Reap(context.Background(), s.start(t), bounds())
	want := []string{`list_none{}`, `list_other{}`, `get_all_of_it{"a":"x"}`, `search{"a":"x"}`, `list_two{"a":"x","b":"x"}`, `status{}`}
	if got := s.calls(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestS31_NothingIsInvented: a tool is called with what its schema fixes, or with what identifies the same entity (S25).
func TestS31_NothingIsInvented(t *testing.T) {
	world := func(_ *server, name, args string) string {
		switch name {
		case "list_issues":
			return structured(`{"issues":[{"id":"ISS-1","title":"One","assignee":{"id":"USR-8"}}],"total":1}`)
		case "list_teams":
			return structured(`{"teams":[{"id":77,"name":"Red"}]}`)
		}
		return text("fine")
	}
	for name, c := range map[string]struct{ tool, want string }{
		"harvested":        {takes("get_issue", readOnly, "issueId*"), `get_issue{"issueId":"ISS-1"}`},
		"the tool's noun":  {takes("get_issue", readOnly, "id*"), `get_issue{"id":"ISS-1"}`},
		"another entity":   {takes("get_project", readOnly, "projectId*"), ""},
		"another type":     {takes("get_team", readOnly, "teamId*"), ""},
		"number":           {takes("get_team", readOnly, `teamId*={"type":"integer"}`), `get_team{"teamId":77}`},
		"another key":      {takes("get_team", readOnly, "teamName*"), `get_team{"teamName":"Red"}`},
		"const":            {takes("get_x", readOnly, `a*={"const":5}`), `get_x{"a":5}`},
		"default":          {takes("get_x", readOnly, `a*={"enum":["u","v"],"default":"v"}`), `get_x{"a":"v"}`},
		"enum":             {takes("get_x", readOnly, `a*={"enum":[null,"u","v"]}`), `get_x{"a":"u"}`},
		"by reference":     {`{"name":"get_x",` + readOnly + `,"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"$defs":{"A":{"enum":["u"]}}}}`, `get_x{"a":"u"}`},
		"free text":        {takes("ask", readOnly, "question*"), ""},
		"boolean":          {takes("get_x", readOnly, `deep*={"type":"boolean"}`), ""},
		"one is missing":   {takes("get_issue", readOnly, "issueId*", "reason*"), ""},
		"no schema":        {`{"name":"get_x",` + readOnly + `,"inputSchema":{"type":"object","required":["a"]}}`, ""},
		"optional are out": {takes("get_issue", readOnly, "issueId*", "projectId", `depth={"default":2}`), `get_issue{"issueId":"ISS-1"}`},
		"a cursor":         {takes("get_x", readOnly, "cursor*"), ""},
	} {
		s := &server{call: world, tools: tool("list_issues", readOnly) + "," + tool("list_teams", readOnly) + "," + tool("list_projects", "") + "," + c.tool}
		h := Reap(context.Background(), s.start(t), bounds())
		got := strings.Join(s.calls()[2:], " ")
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if last := h.Skips[len(h.Skips)-1]; c.want == "" && (last.Safety != reprise.SafetyReadOnly || !strings.HasPrefix(last.Reason, "needs ")) {
			t.Errorf("%s: %+v", name, last)
		}
	}
}

// TestS33_AValueHasItsFourFields, and leads on from call to call.
func TestS33_AValueHasItsFourFields(t *testing.T) {
	s := &server{tools: trackerTools, call: tracker}
	h := Reap(context.Background(), s.start(t), bounds())
	v := h.Values[0]
	if v.Key != "id" || v.JSON != `"ISS-1"` || v.From != "list_issues({})" || v.Path != "items[0].id" || v.Entity != "issue" {
		t.Errorf("%+v", v)
	}
}

// TestS28_PagesAreRead to their end, round a circle once, and no more than ten of them.
func TestS28_PagesAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		next  func(cursor string) string
		calls int
	}{
		"two":    {func(cursor string) string { return map[string]string{"": `"a"`}[cursor] }, 2},
		"circle": {func(string) string { return `"a"` }, 2},
		"many":   {func(cursor string) string { return quote(cursor + "x") }, maxFollowed},
	} {
		s := &server{tools: takes("list_issues", readOnly, "status", "cursor"), call: func(_ *server, _, args string) string {
			next := c.next(reprise.Member(args, "cursor").String())
			if next == "" {
				return structured(`{"items":[{"id":"ISS-2"}]}`)
			}
			return structured(`{"items":[{"id":"ISS-1"}],"nextCursor":` + next + `}`)
		}}
		h := Reap(context.Background(), s.start(t), bounds())
		if got := s.calls(); len(got) != c.calls || !strings.HasPrefix(got[1], `list_issues{"cursor":`) {
			t.Errorf("%s: %v", name, got)
		}
		if p := h.Calls[0].Pages; p == nil || *p != (Pagination{"nextCursor", "cursor", "items"}) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestS28_AHarvestIsBounded in calls, in time and in bytes, and by a server that dies or is silent.
func TestS28_AHarvestIsBounded(t *testing.T) {
	var tools []string
	for i := range 20 {
		tools = append(tools, tool(fmt.Sprintf("list_%d", i), readOnly))
	}
	for ended, c := range map[string]struct {
		set   func(*HarvestOptions)
		call  func(*server, string, string) string
		calls int
	}{
		"":                      {func(*HarvestOptions) {}, ok, 20},
		"5 calls are made":      {func(o *HarvestOptions) { o.MaxCalls = 5 }, ok, 5},
		"it has taken 30m0s":    {func(o *HarvestOptions) { o.Now, o.MaxTime = clock(time.Minute), 30*time.Minute }, ok, -1},
		"said more than it may": {func(o *HarvestOptions) { o.MaxBytes = 22_000 }, func(*server, string, string) string { return text("%s", strings.Repeat("x", 6000)) }, 4},
		"the server ended":      {func(*HarvestOptions) {}, func(s *server, name, _ string) string { s.conn.Close(); return "" }, 1},
		"it has taken 300ms":    {func(o *HarvestOptions) { o.MaxTime = 300 * time.Millisecond }, func(*server, string, string) string { return "" }, 1},
	} {
		s := &server{tools: strings.Join(tools, ","), call: c.call}
		o := bounds()
		c.set(&o)
		h := Reap(context.Background(), s.start(t), o)
		if !strings.Contains(h.Ended, ended) || (h.Ended == "") != (ended == "") || c.calls >= 0 && len(h.Calls) != c.calls {
			t.Errorf("%q: %q after %d calls", ended, h.Ended, len(h.Calls))
		}
		if c.calls != 20 && (len(h.Skips) == 0 || h.Skips[len(h.Skips)-1].Reason != h.Ended) {
			t.Errorf("%q: nobody says that tools were left: %+v", ended, h.Skips)
		}
	}
}

// clock goes on by a step whenever it is read.
func clock(step time.Duration) func() time.Time {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

// TestACaseOfAHarvestPassesRightAway: its arguments by their births, its pages by their cursor.
func TestACaseOfAHarvestPassesRightAway(t *testing.T) {
	world := func(_ *server, name, args string) string {
		switch {
		case name == "list_issues" && args == "{}":
			return structured(`{"items":[{"key":"x"}],"nextCursor":"p2"}`)
		case name == "list_issues":
			return structured(`{"items":[{"id":"ISS-1"}]}`)
		case args == `{"issueId":"ISS-1"}`:
			return structured(`{"id":"ISS-1"}`)
		}
		return `"error":{"code":-32602,"message":"no"}`
	}
	tools := takes("list_issues", readOnly, "cursor") + "," + takes("get_issue", readOnly+`,"outputSchema":{"type":"object"}`, "issueId*") + "," + tool("list_broken", readOnly)
	h := Reap(context.Background(), (&server{tools: tools, call: world}).start(t), bounds())
	cases := h.Cases()
	if len(cases.Cases) != 2 || len(cases.Cases[0].Checks) != 2 || len(cases.Cases[1].Checks) != 2 {
		t.Fatalf("%+v", cases)
	}
	birth := cases.Cases[1].Args[0]
	if birth.JSON != "" || birth.Source != "harvested" || birth.From.Path != "items[0].id" || birth.From.Args[0].From.Path != "nextCursor" {
		t.Errorf("%+v", birth)
	}
	for i := range cases.Cases {
		out := checked(t, &server{tools: tools, call: world}, &cases.Cases[i], options())
		for _, held := range out.Held {
			if held.Result != "passed" {
				t.Errorf("%s: %+v", out.Case.Name, held)
			}
		}
	}
}

// TestAHarvestIsTheSameEachTime.
func TestAHarvestIsTheSameEachTime(t *testing.T) {
	var before []byte
	for range 3 {
		h := Reap(context.Background(), (&server{tools: trackerTools, call: tracker}).start(t), bounds())
		var b []byte
		for _, m := range h.Calls {
			b = fmt.Appendln(b, m.Text, m.Response)
		}
		for _, v := range h.Values {
			b = fmt.Appendln(b, *v)
		}
		if before != nil && !bytes.Equal(before, b) {
			t.Errorf("%s\nwas\n%s", b, before)
		}
		before = b
	}
}

// TestAServerWithoutToolsIsSaid.
func TestAServerWithoutToolsIsSaid(t *testing.T) {
	s := &server{on: map[string]func(*server, *reprise.Message) string{"tools/list": func(*server, *reprise.Message) string { return `"error":{"code":-32601,"message":"no"}` }}}
	if h := Reap(context.Background(), s.start(t), bounds()); h.Failed != "its server does not list its tools" {
		t.Errorf("%+v", h)
	}
}
