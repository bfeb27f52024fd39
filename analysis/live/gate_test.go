package live

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"reprise"
	"reprise/analysis"
)

// TestS64_OnlyWhatIsDeclaredReadOnlyIsCalled, and the rest by name (S67): the name itself has no authority (S68).
func TestS64_OnlyWhatIsDeclaredReadOnlyIsCalled(t *testing.T) {
	tools := strings.Join([]string{tool("get", readOnly), tool("list_and_purge", ""), tool("drop", `"annotations":{"destructiveHint":true}`),
		tool("both", `"annotations":{"readOnlyHint":true,"destructiveHint":true}`), tool("twice", readOnly), tool("twice", ""),
		tool("one", `"Name":"two",`+readOnly)}, ",")
	for _, c := range []struct {
		tool   string
		gate   Gate
		safety reprise.Safety // "" where it is called
	}{
		{"get", Gate{}, ""},
		{"list_and_purge", Gate{}, reprise.SafetyUnknown},
		{"drop", Gate{}, reprise.SafetyDestructive},
		{"both", Gate{}, reprise.SafetyUnknown},
		{"twice", Gate{}, reprise.SafetyUnknown},
		{"one", Gate{}, reprise.SafetyUnknown},
		{"two", Gate{}, reprise.SafetyUnknown},
		{"nowhere", Gate{}, reprise.SafetyUnknown},
		{"drop", Gate{Tools: []string{"drop"}}, ""},
		{"drop", Gate{Tools: []string{"d*"}}, ""},
		{"drop", Gate{Tools: []string{"get"}}, reprise.SafetyDestructive},
		{"list_and_purge", Gate{Writes: true}, ""},
	} {
		s := &server{tools: tools, call: ok}
		o := options()
		o.Gate = c.gate
		a := opened(t, s, o).call(context.Background(), c.tool, "{}")
		got := reprise.Safety("")
		if a.refusal != nil {
			got = a.refusal.Safety
		}
		if got != c.safety || (len(s.calls()) == 1) != (c.safety == "") {
			t.Errorf("%s, %+v: %q, called %v", c.tool, c.gate, got, s.calls())
		}
		if a.refusal != nil && (a.refusal.Reason == "" || a.refusal.Advice == "") {
			t.Errorf("%s: no explanation (S66)", c.tool)
		}
	}
}

// TestS64_AListThatCannotBeTrustedAllowsNothing.
func TestS64_AListThatCannotBeTrustedAllowsNothing(t *testing.T) {
	page := func(more string) string { return `"result":{"tools":[` + tool("get", readOnly) + `]` + more + `}` }
	for name, list := range map[string]func(*server, *reprise.Message) string{
		"error":    func(*server, *reprise.Message) string { return `"error":{"code":-32603,"message":"later"}` },
		"circle":   func(*server, *reprise.Message) string { return page(`,"nextCursor":"a"`) },
		"no end":   func(_ *server, m *reprise.Message) string { return page(`,"nextCursor":` + quote(m.ID)) },
		"twice":    func(*server, *reprise.Message) string { return page(`,"tools":[` + tool("get", readOnly) + `]`) },
		"case":     func(*server, *reprise.Message) string { return page(`,"Tools":[]`) },
		"cursor":   func(*server, *reprise.Message) string { return page(`,"nextCursor":7`) },
		"no list":  func(*server, *reprise.Message) string { return `"result":{"tools":{}}` },
		"changing": func(s *server, _ *reprise.Message) string { s.say(changed); return page("") },
		"2nd page destroys": func(_ *server, m *reprise.Message) string {
			if !reprise.Member(m.Params, "cursor").Exists() {
				return page(`,"nextCursor":""`)
			}
			return `"result":{"tools":[` + tool("get", `"annotations":{"destructiveHint":true}`) + `]}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{call: ok, on: map[string]func(*server, *reprise.Message) string{"tools/list": list}}
			a := opened(t, s, options()).call(context.Background(), "get", "{}")
			if a.refusal == nil || len(s.calls()) > 0 {
				t.Errorf("%+v, called %v", a, s.calls())
			}
		})
	}
}

const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"

// TestS64_ToolsThatHaveChangedAreLookedAtAgain before the next call.
func TestS64_ToolsThatHaveChangedAreLookedAtAgain(t *testing.T) {
	n := 0
	s := &server{call: func(s *server, _, _ string) string { s.say(changed); return text("fine") },
		on: map[string]func(*server, *reprise.Message) string{"tools/list": func(*server, *reprise.Message) string {
			if n++; n == 1 {
				return fmt.Sprintf(`"result":{"tools":[%s]}`, tool("get", readOnly))
			}
			return fmt.Sprintf(`"result":{"tools":[%s]}`, tool("get", ""))
		}}}
	c := opened(t, s, options())
	if a := c.call(context.Background(), "get", "{}"); a.refusal != nil {
		t.Fatal(a.refusal)
	}
	if a := c.call(context.Background(), "get", "{}"); a.refusal == nil || len(s.calls()) != 1 {
		t.Errorf("called %v", s.calls())
	}
}

// TestS63_CallsAreMadeToSucceed: a call that a check makes really happens, so that of a tool which destroys none is made unasked, however good its arguments.
func TestS63_CallsAreMadeToSucceed(t *testing.T) {
	c := directCase("delete_issue", "succeeds")
	c.Args = []analysis.Arg{{Name: "issueId", JSON: `"ISS-1"`, Source: "literal"}}
	s := &server{tools: trackerTools, call: tracker}
	if out := checked(t, s, c, options()); out.Result() != analysis.Skipped || len(s.calls()) > 0 {
		t.Errorf("%s, called %v", out.Result(), s.calls())
	}
	s, o := &server{tools: trackerTools, call: tracker}, options()
	o.Gate = Gate{Tools: []string{"delete_issue"}}
	if out := checked(t, s, c, o); out.Result() == analysis.Skipped || len(s.calls()) != 1 {
		t.Errorf("%s, called %v", out.Result(), s.calls())
	}
}
