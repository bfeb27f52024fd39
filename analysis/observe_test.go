package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"reprise"
)

// checksOf gives what the checks say of a session, a line for each tool and type.
func checksOf(t *testing.T, lines ...string) []string {
	t.Helper()
	r := judgeAs(t, &reprise.Session{Server: "tracker"}, Options{Analyzers: []*Analyzer{}}, lines...)
	var list []string
	for _, c := range r.Checks {
		if c.Type != "succeeds" {
			list = append(list, fmt.Sprintf("%s %s %d %d %d %d", c.Tool, c.Type, c.Passed, c.Failed, c.Skipped, c.Untestable))
		}
		if c.Failed > 0 && (len(c.Evidence) == 0 || c.Reason == "") {
			t.Errorf("%+v fails without evidence", c)
		}
	}
	return list
}

const (
	reader = `{"name":"read","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`
	look   = `{"name":"look","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`
	writer = `{"name":"write","inputSchema":{"type":"object"}}`
	setter = `{"name":"set","annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true},"inputSchema":{"type":"object"}}`
)

func answerBody(body string) string {
	return `"result":{"structuredContent":` + body + `,"content":[]}`
}

func TestObservedChecks(t *testing.T) {
	listed := tools(reader, look, writer, setter)
	a, b := answerBody(`{"a":1}`), answerBody(`{"a":2}`)
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"the same again", story(listed, call("read", `{"x":1,"y":2}`, a), call("read", `{"y":2,"x":1.0}`, a)), []string{"read idempotent 1 0 0 0"}},
		{"another result proves nothing", story(listed, call("read", `{}`, a), call("read", `{}`, b)), []string{"read idempotent 0 0 0 1"}},
		{"other arguments", story(listed, call("read", `{}`, a), call("read", `{"x":1}`, b)), nil},
		{"a write in between", story(listed, call("read", `{}`, a), call("write", `{}`, a), call("read", `{}`, a)), nil},
		{"a write on its way", story(listed, []string{`> {"id":9,"method":"tools/call","params":{"name":"write","arguments":{}}}`},
			call("read", `{}`, a), call("read", `{}`, a), []string{`< {"id":9,"result":{"content":[]}}`}), nil},
		{"idempotentHint", story(listed, call("set", `{"v":1}`, a), call("set", `{"v":1}`, a)), []string{"set idempotent 1 0 0 0"}},
		{"no hint", story(listed, call("write", `{}`, a), call("write", `{}`, a)), nil},
		{"not listed", story(call("read", `{}`, a), call("read", `{}`, a)), nil},
		{"a witness", story(listed, call("look", `{}`, a), call("read", `{}`, b), call("look", `{}`, a)), []string{"look idempotent 1 0 0 0", "read no_mutation 1 0 0 0"}},
		{"a witness that differs", story(listed, call("look", `{}`, a), call("read", `{}`, b), call("look", `{}`, b)),
			[]string{"look idempotent 0 0 0 1", "read no_mutation 0 0 0 1"}},
		{"a failure", story(listed, call("read", `{}`, `"result":{"isError":true,"content":[]}`), call("read", `{}`, `"error":{"code":1,"message":"x"}`)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checksOf(t, c.lines...); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestObservedOutputSchema(t *testing.T) {
	tool := `{"name":"read","annotations":{"readOnlyHint":true},"outputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`
	changed := []string{`< {"method":"notifications/tools/list_changed"}`}
	got := checksOf(t, story(tools(tool, look), call("read", `{"n":1}`, answerBody(`{"a":"x"}`)), call("read", `{"n":2}`, answerBody(`{"a":1}`)),
		call("read", `{"n":3}`, `"result":{"content":[]}`), call("read", `{"n":4}`, `"result":{"content":[],"isError":true}`), call("look", `{}`, answerBody(`{}`)),
		changed, call("read", `{"n":5}`, answerBody(`{"a":1}`)))...)
	if want := []string{"read output_schema 1 2 1 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// page is a call of a list with its answer.
func pageOf(arguments, items, next string) []string {
	body := `{"items":[` + items + `]`
	if next != "" {
		body += `,"nextCursor":"` + next + `"`
	}
	return call("read", arguments, answerBody(body+"}"))
}

func TestObservedPagination(t *testing.T) {
	listed := tools(reader, writer)
	first := pageOf(`{"q":"x"}`, `{"id":1},{"id":2}`, "b")
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"it ends", story(listed, first, pageOf(`{"q":"x","cursor":"b"}`, `{"id":3}`, "")), []string{"read pagination_terminates 1 0 0 0"}},
		{"three pages", story(listed, first, pageOf(`{"q":"x","after":"b"}`, `{"id":3}`, "c"), pageOf(`{"q":"x","after":"c"}`, `{"id":4}`, "")),
			[]string{"read pagination_terminates 1 0 0 0"}},
		{"an item twice", story(listed, first, pageOf(`{"q":"x","cursor":"b"}`, `{"id":2}`, "")), []string{"read pagination_terminates 0 1 0 0"}},
		{"an item twice, after a write", story(listed, first, call("write", `{}`, answerBody(`{}`)), pageOf(`{"q":"x","cursor":"b"}`, `{"id":2}`, "")),
			[]string{"read pagination_terminates 0 0 0 1"}},
		{"an item twice, much later", story(listed, first, []string{"+5m"}, pageOf(`{"q":"x","cursor":"b"}`, `{"id":2}`, "")),
			[]string{"read pagination_terminates 0 0 0 1"}},
		{"not followed", story(listed, first), nil},
		{"not followed to the end", story(listed, first, pageOf(`{"q":"x","cursor":"b"}`, `{"id":3}`, "c")), []string{"read pagination_terminates 0 0 0 1"}},
		{"another question", story(listed, first, pageOf(`{"q":"y","cursor":"b"}`, `{"id":2}`, "")), nil},
		{"the same cursor all along", story(listed, first, pageOf(`{"q":"x","cursor":"b"}`, `{"id":3}`, "b"), pageOf(`{"q":"x","cursor":"b"}`, `{"id":4}`, "")),
			[]string{"read pagination_terminates 1 0 0 0", "read idempotent 0 0 0 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checksOf(t, c.lines...); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// heldOf watches a session for the cases of a file, and says in a line what came of each.
func heldOf(t *testing.T, file string, lines ...string) []string {
	t.Helper()
	r := judgeAs(t, &reprise.Session{Server: "tracker"}, Options{Analyzers: []*Analyzer{}, Cases: readCases(t, file)}, lines...)
	var list []string
	for _, c := range r.Cases {
		var b strings.Builder
		fmt.Fprintf(&b, "%s %d:", c.Case.Tool, c.Seq)
		for _, h := range c.Held {
			fmt.Fprintf(&b, " %s %s", h.Type, h.Result)
			if h.Result == Failed && (len(h.Evidence) == 0 || len(h.Evidence[0].Seqs) == 0) {
				t.Errorf("%+v fails without evidence", h)
			}
		}
		list = append(list, b.String())
	}
	return list
}

func TestObservedCases(t *testing.T) {
	listed := tools(reader, look, writer)
	a, b := answerBody(`{"items":[{"id":"ISS-1"}]}`), answerBody(`{"items":[{"id":"ISS-2"}]}`)
	one := func(checks string) string {
		return wrap("tool: read\nargs: [{name: q, json: '\"x\"', source: literal}]\nchecks: [" + checks + "]")
	}
	born := wrap("tool: look\nargs: [{name: issueId, from: {tool: read, args: [], path: 'items[0].id'}}]\nchecks: [{type: succeeds}]")
	for _, c := range []struct {
		name, file string
		lines      []string
		want       []string
	}{
		{"it is there", one("{type: succeeds}, {type: max_items, limit: 1}, {type: latency_under, ms: 1}"), story(listed, call("read", `{"q":"x"}`, a)),
			[]string{"read 3: succeeds passed max_items passed latency_under failed"}},
		{"it is not", one("{type: succeeds}, {type: is_error}"), story(listed, call("read", `{"q":"y"}`, a), call("read", `{"q":"x","n":1}`, a), call("read", ``, a)[:0]),
			[]string{"read 0: succeeds skipped is_error skipped"}},
		{"again", one("{type: idempotent}"), story(listed, call("read", `{"q":"x"}`, a), call("read", `{"q":"x"}`, b)),
			[]string{"read 3: idempotent failed", "read 5: idempotent untestable"}},
		{"again after a write", one("{type: idempotent}"), story(listed, call("read", `{"q":"x"}`, a), call("write", `{}`, a), call("read", `{"q":"x"}`, b)),
			[]string{"read 3: idempotent untestable", "read 7: idempotent untestable"}},
		{"a witness", one("{type: no_mutation, witness: {tool: look}}"), story(listed, call("look", `{}`, a), call("read", `{"q":"x"}`, a), call("look", `{}`, a)),
			[]string{"read 5: no_mutation passed"}},
		{"a witness that differs", one("{type: no_mutation, witness: {tool: look}}"), story(listed, call("look", `{}`, a), call("read", `{"q":"x"}`, a), call("look", `{}`, b)),
			[]string{"read 5: no_mutation failed"}},
		{"no witness", one("{type: no_mutation, witness: {tool: look}}"), story(listed, call("read", `{"q":"x"}`, a), call("look", `{}`, b)),
			[]string{"read 3: no_mutation untestable"}},
		{"pages", one("{type: pagination_terminates}"), story(listed, pageOf(`{"q":"x"}`, `{"id":1}`, "b"), pageOf(`{"q":"x","cursor":"b"}`, `{"id":1}`, "")),
			[]string{"read 3: pagination_terminates failed"}},
		{"an argument from a result", born, story(listed, call("read", `{}`, a), call("look", `{"issueId":"ISS-1"}`, b)), []string{"look 5: succeeds passed"}},
		{"an argument from nowhere", born, story(listed, call("read", `{}`, a), call("look", `{"issueId":"ISS-9"}`, b)), []string{"look 0: succeeds skipped"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := heldOf(t, c.file, c.lines...); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// What is remembered stays bounded, whatever a session holds.
func TestObservedIsBounded(t *testing.T) {
	lines := tools(reader)
	for i := range 3000 {
		lines = append(lines, pageOf(fmt.Sprintf(`{"n":%d}`, i), `{"id":1}`, fmt.Sprintf("c%d", i))...)
	}
	j := NewJudge(&reprise.Session{}, Options{Analyzers: []*Analyzer{}})
	p := j.pass(nil)
	changes := watchChangers(p)
	again := &againWatch{changes: changes, tallies: &tallies{byKey: map[tallyKey]*CheckTally{}}, latest: map[askedFor]*askedOnce{}}
	walks := &walkWatch{changes: changes, tallies: again.tallies, next: map[namedCursor]*observedWalk{}}
	p.Calls(func(e *Exchange) {
		if e.Tool() != "" {
			began := changes.end(e)
			again.see(e, began)
			walks.see(e, began)
		}
	})
	for _, f := range framesOf(t, lines) {
		j.Add(&reprise.CaptureItem{Frame: f})
	}
	if len(again.latest) > maxAsked || len(again.order) > maxAsked || len(again.passing) > maxPassing || len(walks.order) > maxObservedWalks || len(walks.next) > maxObservedWalks ||
		len(changes.began) > 1 {
		t.Errorf("%d calls, %d passing, %d walks, %d cursors, %d begun", len(again.latest), len(again.passing), len(walks.order), len(walks.next), len(changes.began))
	}
}
