package main

import (
	"strings"
	"testing"

	"reprise"
)

// TestMarksStandInFrontOfValues so that a value that is cut does not hide its source.
func TestMarksStandInFrontOfValues(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_issue","arguments":{"issueId":"ISS-4","odd key":{"a":7},"status":"open","":true,"all":["x","y"],"plain":1,"note":"a long one that is cut"}}}`
	harvested := func(path string) *reprise.Use {
		return &reprise.Use{Seq: 9, Path: path, Source: reprise.SourceHarvested, Relation: reprise.RelationSame, ValueSeq: 4}
	}
	other := harvested(`["odd key"].a`)
	other.Relation = reprise.RelationOther
	uses := []*reprise.Use{harvested("issueId"), other,
		{Seq: 9, Path: "status", Source: reprise.SourceLiteral}, {Seq: 9, Path: `[""]`, Source: reprise.SourceTold},
		harvested("all[0]"), {Seq: 9, Path: "all[1]", Source: reprise.SourceSynthesized},
		{Seq: 10, Path: "plain", Source: reprise.SourceTold}, // in the answer
		{Seq: 9, Path: "note", Source: reprise.SourceSynthesized}}
	e := &reprise.Entry{Session: &reprise.Session{}, Call: &reprise.Call{Seq: 9, Method: "tools/call", Name: "get_issue"}, Request: []byte(request), Uses: uses}
	r := rows{screen: quietProgram().screen(shared{})}
	const want = ` get_issue issueId: ↑4 "ISS-4", odd key: ↑4! {"a":7}, status: ="open", "": »true, all: ?["x","y"], plain: 1, note: ?"a long one that is cut"`
	for columns := range len(want) {
		c := r.cell(columns)
		r.addRequest(c, e)
		got := strings.TrimSuffix(strings.TrimRight(c.String(), " "), "…")
		if columnsOf(c.String()) != columns || !strings.HasPrefix(want, got) {
			t.Errorf("%d columns: %q", columns, c.String())
		}
	}
}

// TestMarkOfAResource stands in front of its address, which is all that the call asks for.
func TestMarkOfAResource(t *testing.T) {
	e := &reprise.Entry{Call: &reprise.Call{Seq: 9, Method: "resources/read", Name: "x://1"},
		Uses: []*reprise.Use{{Seq: 9, Path: "uri", Source: reprise.SourceDerived, ValueSeq: 4}}}
	r := rows{screen: quietProgram().screen(shared{})}
	c := r.cell(20)
	if r.addRequest(c, e); c.trimmed() != " ~4 x://1" {
		t.Errorf("%q", c)
	}
}

func TestMemberIn(t *testing.T) {
	for path, want := range map[string]string{"id": "id", "ids[0]": "ids", "a.b[1]": "a", `["odd.key [x]"].size`: "odd.key [x]", `["a\"b"][0]`: `a"b`, "": "", `[""].a`: `""`} {
		if got := memberIn(path); got != want {
			t.Errorf("memberIn(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestLegendExplainsEveryMark in one line of the narrowest usual terminal.
func TestLegendExplainsEveryMark(t *testing.T) {
	for source, m := range signs {
		if !strings.Contains(legend, m.text) {
			t.Errorf("the legend does not explain %s", source)
		}
	}
	for _, line := range []string{legend, linkLegend} {
		if columnsOf(line) > 80 {
			t.Errorf("a line of the legend has %d columns: %s", columnsOf(line), line)
		}
	}
}
