package reprise

import (
	"slices"
	"strings"
	"testing"
)

func TestIgnore(t *testing.T) {
	for _, c := range []struct{ rule, path, want string }{
		{"items[0].id", "items[0].id", "has"},
		{"items[0].id", "items[1].id", "not"},
		{"items[*].id", "items[12].id", "has"},
		{"items[*].id", "items.a.id", "not"},
		{"items.*.id", "items[12].id", "has"},
		{"items.*.id", "items.a.id", "has"},
		{"items.*.x?", "items.a.x1", "has"},
		{"items.*.x?", "items.a.x", "not"},
		{"*_at", "created_at", "has"},
		{"**.updated_at", "a.b[3].updated_at", "has"},
		{"**.updated_at", "updated_at", "has"},
		{"**.updated_at", "a.b[3].updated", "not"},
		{"a.**.z", "a.b.c.z", "has"},
		{"items", "items[0].id", "has"},
		{"items", "items2", "not"},
		{`["odd key"].x`, `["odd key"].x`, "has"},
		{`["a.b"]`, `["a.b"][0]`, "has"},
		{`["a*"]`, `["a*"].x`, "has"},
		{`["a*"]`, `abc`, "not"},
		{`[""]`, `[""]`, "has"},
		{`[""]`, `[0]`, "not"},
		{`["a\"b"]`, `["a\"b"]`, "has"},
		{"$.items", "items", "has"},
		{"$", "items", "has"},
		{"params.since", "arguments.since", "has"},
		{"since", "arguments.since", "has"},
		{"arguments.since", "arguments.since", "has"},
		{"result.items[*].at", "structuredContent.items[0].at", "has"},
		{"structuredContent.items[*].at", "structuredContent.items[0].at", "has"},
		{"items[*].at", "content[0].text.items[0].at", "has"},
		{"content[0].text", "content[0].text.items[0].at", "has"},
		{"items[*].at", "other.items[0].at", "not"},
		{"get_*:at", "at", "has"},
		{"tools/call:at", "at", "has"},
		{"list_*:at", "at", "not"},
		{`get_time:["a:b"]`, `["a:b"]`, "has"},
	} {
		rule, err := ParseIgnore(c.rule)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		var g Ignore
		g.Add(rule)
		got := "not"
		if g.Has([]string{"tools/call", "get_time"}, c.path) {
			got = "has"
		}
		if got != c.want || (len(g.Unused()) == 0) != (got == "has") {
			t.Errorf("%s: %s %s, unused %v, want %s", c.rule, got, c.path, g.Unused(), c.want)
		}
	}
	if (&Ignore{}).Has(nil, "a") {
		t.Error("no rules ignore something")
	}
}

func TestParseIgnoreErrors(t *testing.T) {
	for _, rule := range []string{"", "x:", "a..b", "a.", "a[", "a[x]", "a[-1]", `["a`, ".a..b"} {
		if _, err := ParseIgnore(rule); err == nil {
			t.Errorf("%q is taken", rule)
		}
	}
}

func TestIgnoreLoad(t *testing.T) {
	var g Ignore
	file := "\ufeff# times\n\n items[*].at   # of items\r\nget_time: [\"a # b\"]\n"
	if err := g.Load(strings.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	if got, want := g.Unused(), []string{"items[*].at", `get_time: ["a # b"]`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := g.Load(strings.NewReader("a\nb[")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v does not name the line", err)
	}
}

// A difference that a rule ignores is counted, and is none.
func TestCompareIgnored(t *testing.T) {
	rule, err := ParseIgnore("items[*].at")
	if err != nil {
		t.Fatal(err)
	}
	var g Ignore
	g.Add(rule)
	got := CompareMessages(`{"structuredContent":{"items":[{"at":1,"n":1},{"at":2}]}}`, `{"structuredContent":{"items":[{"at":3,"n":1},{"n":4}]}}`, nil, nil, &g)
	if text := classed(got); text != "changed structuredContent.items[1].n" || got.Ignored != 2 {
		t.Errorf("got %s, %d ignored", text, got.Ignored)
	}
}
