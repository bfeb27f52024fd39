package live

import (
	"context"
	"io"
	"strings"
	"testing"

	"reprise"
	"reprise/analysis"
)

const issues = `{"items":[{"id":"ISS-1"},{"id":"ISS-3"}]}`

// tracker lists two issues, and denies one of them.
func tracker(_ *server, name, args string) string {
	switch {
	case name == "list_issues":
		return structured(issues)
	case strings.Contains(args, "ISS-1"):
		return structured(`{"id":"ISS-1"}`)
	}
	return `"result":{"isError":true,"content":[{"type":"text","text":"no such issue"}]}`
}

var trackerTools = strings.Join([]string{tool("list_issues", readOnly), tool("get_issue", readOnly), tool("delete_issue", `"annotations":{"destructiveHint":true}`), tool("list_and_purge", "")}, ",")

func born(path string) analysis.Arg {
	return analysis.Arg{Name: "issueId", Source: "harvested", From: &analysis.Birth{Plan: analysis.Plan{Tool: "list_issues"}, Path: path}}
}

func checked(t *testing.T, s *server, c *analysis.Case, o Options) *Outcome {
	t.Helper()
	return Check(context.Background(), s.start(t), c, o)
}

// TestS34_AFailureOnAHarvestedValueIsADefect with both calls as its evidence, as they crossed (S12).
func TestS34_AFailureOnAHarvestedValueIsADefect(t *testing.T) {
	s := &server{tools: trackerTools, call: tracker}
	c := directCase("get_issue", "succeeds")
	c.Args = []analysis.Arg{born("items[1].id")}
	out := checked(t, s, c, options())
	if out.Result() != analysis.Failed || len(out.Held[0].Evidence) != 2 {
		t.Fatalf("%s: %+v", out.Result(), out.Held)
	}
	first, second := out.Held[0].Evidence[0], out.Held[0].Evidence[1]
	if !strings.Contains(first.Response, issues) || !strings.Contains(second.Request, `"arguments":{"issueId":"ISS-3"}`) || !strings.Contains(second.Response, "no such issue") {
		t.Errorf("%+v", out.Held[0].Evidence)
	}
	if g := out.Args[0]; g.JSON != `"ISS-3"` || g.Source != reprise.SourceHarvested || g.From != "list_issues({})" || g.Path != "items[1].id" {
		t.Errorf("%+v (S33)", g)
	}
	c.Args = []analysis.Arg{born("items[0].id")}
	if out := checked(t, &server{tools: trackerTools, call: tracker}, c, options()); out.Result() != analysis.Passed {
		t.Errorf("%+v", out.Held)
	}
}

// TestS35_AFailureOnAnInventedValueProvesNothing, nor one that a file calls harvested and gives no birth of; the weakest decides (S36).
func TestS35_AFailureOnAnInventedValueProvesNothing(t *testing.T) {
	for _, args := range [][]analysis.Arg{
		{{Name: "issueId", JSON: `"ISS-9"`, Source: "synthesized"}},
		{{Name: "issueId", JSON: `"ISS-9"`, Source: "harvested"}},
		{born("items[1].id"), {Name: "depth", JSON: "7", Source: "synthesized"}},
	} {
		c := directCase("get_issue", "succeeds")
		c.Args = args
		out := checked(t, &server{tools: trackerTools, call: tracker}, c, options())
		if out.Result() != analysis.Unsure || out.Held[0].Reason == "" {
			t.Errorf("%+v: %+v", args, out.Held)
		}
	}
	c := directCase("get_issue", "succeeds")
	c.Args = []analysis.Arg{{Name: "issueId", JSON: `"ISS-9"`, Source: "literal"}}
	if out := checked(t, &server{tools: trackerTools, call: tracker}, c, options()); out.Result() != analysis.Failed {
		t.Errorf("literal: %+v", out.Held)
	}
}

// TestS34_WhatCannotBeHarvestedIsUntestable, and the call is not made.
func TestS34_WhatCannotBeHarvestedIsUntestable(t *testing.T) {
	failing := born("items[0].id")
	failing.From.Tool = "get_issue"
	deep := born("items[0].id")
	for range maxBirths + 1 {
		next := born("items[0].id")
		next.From.Args, deep = []analysis.Arg{deep}, next
	}
	for reason, arg := range map[string]analysis.Arg{"list_issues gave nothing at items[7].id": born("items[7].id"), "get_issue failed: no such issue": failing, "rests on too many calls": deep} {
		c := directCase("get_issue", "succeeds")
		c.Args = []analysis.Arg{arg}
		s := &server{tools: trackerTools, call: tracker}
		out := checked(t, s, c, options())
		if out.Result() != analysis.Unsure || !strings.Contains(out.Trouble, reason) || out.Call.Request != "" {
			t.Errorf("%q: %+v", out.Trouble, out.Held)
		}
	}
}

// TestS49_TroubleIsUntestable and never a failure, whichever call it comes in the way of.
func TestS49_TroubleIsUntestable(t *testing.T) {
	die := func(s *server, _ *reprise.Message) string { s.conn.Close(); return "" }
	silent := func(*server, *reprise.Message) string { return "" }
	for method := range map[string]bool{"initialize": true, "tools/list": true, "tools/call": true} {
		for _, on := range []func(*server, *reprise.Message) string{die, silent} {
			s := &server{tools: trackerTools, call: tracker, on: map[string]func(*server, *reprise.Message) string{method: on}}
			out := checked(t, s, directCase("list_issues", "succeeds", "latency_under"), soon())
			if out.Result() != analysis.Unsure || out.Trouble == "" || len(out.Held) != 2 {
				t.Errorf("%s: %+v", method, out)
			}
		}
	}
}

// TestAFailureAfterAQuestionProvesNothing: the server wanted what this client has not.
func TestAFailureAfterAQuestionProvesNothing(t *testing.T) {
	s := &server{tools: trackerTools, call: func(s *server, _, _ string) string {
		s.say(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}` + "\n")
		return `"error":{"code":-32603,"message":"no model"}`
	}}
	out := checked(t, s, directCase("list_issues", "succeeds"), options())
	if out.Result() != analysis.Unsure || !strings.Contains(out.Held[0].Reason, "sampling/createMessage") {
		t.Errorf("%+v", out.Held)
	}
}

// TestS64_ACaseIsSkippedWhole when any tool that it would call is not declared read-only: nothing is called then.
func TestS64_ACaseIsSkippedWhole(t *testing.T) {
	from := born("items[0].id")
	from.From.Tool = "list_and_purge"
	withWitness := directCase("list_issues")
	withWitness.Checks = []analysis.Check{{Type: "no_mutation", Witness: &analysis.Plan{Tool: "list_and_purge"}}}
	withBirth := directCase("get_issue", "succeeds")
	withBirth.Args = []analysis.Arg{born("items[0].id"), from}
	for tool, c := range map[string]*analysis.Case{"delete_issue": directCase("delete_issue", "succeeds", "idempotent"), "list_and_purge": withWitness, "list_and_purge ": withBirth, "nowhere": directCase("nowhere", "is_error")} {
		s := &server{tools: trackerTools, call: tracker}
		out := checked(t, s, c, options())
		if out.Result() != analysis.Skipped || out.Refusal == nil || out.Refusal.Tool != strings.TrimSpace(tool) || len(s.calls()) > 0 || len(out.Held) != len(c.Checks) {
			t.Errorf("%s: %+v, called %v", tool, out, s.calls())
		}
	}
}

// TestS65_UnknownAndDestructiveReadDifferently.
func TestS65_UnknownAndDestructiveReadDifferently(t *testing.T) {
	one := checked(t, &server{tools: trackerTools, call: tracker}, directCase("delete_issue", "succeeds"), options()).Refusal
	other := checked(t, &server{tools: trackerTools, call: tracker}, directCase("list_and_purge", "succeeds"), options()).Refusal
	if one.Safety != reprise.SafetyDestructive || other.Safety != reprise.SafetyUnknown || one.Reason == other.Reason || other.Advice == "" {
		t.Errorf("%+v, %+v", one, other)
	}
}

// TestS67_AnExcludedToolCanBeAllowed by its name.
func TestS67_AnExcludedToolCanBeAllowed(t *testing.T) {
	o := options()
	o.Gate.Tools = []string{"list_and_*"}
	s := &server{tools: trackerTools, call: ok}
	if out := checked(t, s, directCase("list_and_purge", "succeeds"), o); out.Result() != analysis.Passed || len(s.calls()) != 1 {
		t.Errorf("%+v", out)
	}
}

// TestS75_EachCaseHasAConnectionOfItsOwn with its own handshake: one that dies takes no other with it.
func TestS75_EachCaseHasAConnectionOfItsOwn(t *testing.T) {
	var servers []*server
	cases := []analysis.Case{*directCase("list_issues", "succeeds"), *directCase("get_issue", "succeeds"), *directCase("list_issues", "succeeds")}
	dial := func(*analysis.Case) (io.ReadWriteCloser, error) {
		s := &server{tools: trackerTools, call: func(s *server, name, args string) string {
			if name == "get_issue" {
				s.conn.Close()
			}
			return tracker(s, name, args)
		}}
		servers = append(servers, s)
		return s.start(t), nil
	}
	var results []analysis.Result
	err := CheckAll(context.Background(), cases, options(), dial, func(o *Outcome) error {
		results = append(results, o.Result())
		return nil
	})
	if err != nil || len(servers) != 3 || results[0] != analysis.Passed || results[1] != analysis.Unsure || results[2] != analysis.Passed {
		t.Fatalf("%v: %d connections, %v", err, len(servers), results)
	}
	for i, s := range servers {
		if !s.has("initialize") || len(s.calls()) != 1 {
			t.Errorf("connection %d: %v", i, s.heard)
		}
	}
}

// TestAWitnessIsCalledAroundTheCall, and one that never says the same twice proves nothing.
func TestAWitnessIsCalledAroundTheCall(t *testing.T) {
	n := 0
	for _, volatile := range []bool{false, true} {
		s := &server{tools: trackerTools, call: func(s *server, name, args string) string {
			if n++; volatile && name == "list_issues" {
				return text("%d", n)
			}
			return tracker(s, name, args)
		}}
		c := directCase("get_issue")
		c.Args = []analysis.Arg{{Name: "issueId", JSON: `"ISS-1"`, Source: "literal"}}
		c.Checks = []analysis.Check{{Type: "no_mutation", Witness: &analysis.Plan{Tool: "list_issues"}}}
		out := checked(t, s, c, options())
		want := analysis.Passed
		if volatile {
			want = analysis.Unsure
		}
		if got := strings.Join(s.calls(), " "); got != `list_issues{} list_issues{} get_issue{"issueId":"ISS-1"} list_issues{}` || out.Result() != want {
			t.Errorf("%s: %+v", got, out.Held)
		}
	}
}

// TestPagesAreFollowed to their end, round a circle only once, and no further than the check wants.
func TestPagesAreFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		next  map[string]string // by cursor
		calls int
	}{
		"ends":   {map[string]string{"": `"a"`, `"a"`: `"b"`, `"b"`: "null"}, 3},
		"circle": {map[string]string{"": `"a"`, `"a"`: `"b"`, `"b"`: `"a"`}, 3},
		"many":   {map[string]string{"": `1`, "1": "2", "2": "3", "3": "4", "4": "5", "5": "6"}, 4},
	} {
		s := &server{tools: trackerTools, call: func(_ *server, _, args string) string {
			return structured(`{"items":[],"page":{"next":` + c.next[reprise.Member(args, "after").Raw] + `}}`)
		}}
		one := directCase("list_issues")
		one.Args = []analysis.Arg{{Name: "status", JSON: `"open"`, Source: "literal"}}
		one.Checks = []analysis.Check{{Type: "pagination_terminates", Cursor: "page.next", Argument: "after", Items: "items", MaxPages: 4}}
		checked(t, s, one, options())
		if got := s.calls(); len(got) != c.calls || got[1] != `list_issues{"status":"open","after":`+c.next[""]+`}` {
			t.Errorf("%s: %v", name, got)
		}
	}
}
