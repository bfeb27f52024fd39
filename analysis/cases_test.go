package analysis

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func readCases(t testing.TB, text string) *Cases {
	t.Helper()
	c, err := ReadCases(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return c
}

// full is the file that shows everything.
func full(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cases", "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestS8_CaseIsData(t *testing.T) {
	c := readCases(t, full(t))
	code, limit := int64(-32602), 50
	issue := &Birth{Plan: Plan{Tool: "list_issues", Args: []Arg{{Name: "status", JSON: `"open"`, Source: "literal"}}}, Path: "items[0].id"}
	want := &Cases{Version: 1, Cases: []Case{
		{Kind: "direct", Plan: Plan{Tool: "list_issues", Args: []Arg{{Name: "status", JSON: `"open"`, Source: "literal"}}}, Checks: []Check{
			{Type: "succeeds"}, {Type: "output_schema"}, {Type: "max_items", Path: "items", Limit: &limit}, {Type: "latency_under", MS: 2000},
			{Type: "pagination_terminates", Cursor: "nextCursor", Argument: "cursor", Items: "items", MaxPages: 50}, {Type: "idempotent"},
			{Type: "no_mutation", Witness: &Plan{Tool: "list_issues"}}}},
		{Kind: "direct", Plan: Plan{Tool: "get_issue", Args: []Arg{{Name: "issueId", JSON: `"nope"`, Source: "synthesized"}}},
			Checks: []Check{{Type: "is_error"}, {Type: "error_code", Code: &code}}},
		{Kind: "direct", Name: "The first open issue", Plan: Plan{Tool: "get_issue", Args: []Arg{{Name: "issueId", Source: "harvested", From: issue}}},
			Checks: []Check{{Type: "succeeds"}, {Type: "pagination_terminates", Cursor: "nextCursor", Argument: "cursor", MaxPages: 50}}},
	}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

// wrap makes a file of the members of one case.
func wrap(members string) string {
	return "version: 1\ncases:\n  - kind: direct\n    " + strings.ReplaceAll(members, "\n", "\n    ") + "\n"
}

func TestS9_ValueIsJSONText(t *testing.T) {
	for json, want := range map[string]string{
		`'"open"'`: `"open"`, `'5'`: `5`, `'true'`: `true`, `'null'`: `null`, `'{"a":[1,"x"]}'`: `{"a":[1,"x"]}`, `"\"o\\u00e9\""`: `"o\u00e9"`, `'9007199254740993'`: `9007199254740993`,
	} {
		c := readCases(t, wrap("tool: t\nargs: [{name: a, json: "+json+", source: literal}]\nchecks: [{type: succeeds}]"))
		if got := c.Cases[0].Args[0].JSON; got != want {
			t.Errorf("%s: %s, want %s", json, got, want)
		}
	}
}

func TestReadCasesSaysWhatIsWrong(t *testing.T) {
	with := func(arg string) string { return wrap("tool: t\nargs:\n  - " + arg + "\nchecks: [{type: succeeds}]") }
	check := func(check string) string { return wrap("tool: t\nchecks:\n  - " + check) }
	for _, c := range []struct{ file, want string }{
		{"", "line 1: the file is empty"},
		{"# nothing", "the file is empty"},
		{"- 1", "line 1: the file is a list: it has to be a mapping of version, cases"},
		{"cases: []", "says no version: it begins with version: 1"},
		{"version: 2\ncases: []", "line 1: version 2 is newer than what this reprise reads, which is 1: please update it"},
		{"version: '1'\ncases: []", "line 1: version has to be a whole number"},
		{"version: 1", "the file has no cases"},
		{"version: 1\ncase: []", "line 2: the file has no “case”: it has version, cases"},
		{"version: 1\ncases: {}", "line 2: cases is a mapping: it has to be a list"},
		{"version: 1\ncases: []\n---\nversion: 1", "line 4: a second document"},
		{"version: 1\nversion: 1\ncases: []", "line 2"},
		{"version: 1\ncases: [", "line 2"},
		{"version: 1\ncases: &a [*a]", "no anchors"},
		{"version: 1\ncases:\n  - tool: t", "line 3: the case has no kind: it has to say kind: direct"},
		{"version: 1\ncases:\n  - kind: agentic\n    tool: t", "line 3: there is no kind “agentic”: it has to be direct"},
		{wrap("checks: [{type: succeeds}]"), "names no tool"},
		{wrap("tool: 5\nchecks: [{type: succeeds}]"), "line 4: tool is a number: it has to be a text"},
		{wrap("tool: t"), "line 3: the case has no checks"},
		{wrap("tool: t\ntimeout: 5\nchecks: [{type: succeeds}]"), "line 5: a case has no “timeout”"},
		{with("{json: '1', source: literal}"), "line 6: the argument has no name"},
		{with("{name: a, json: '1'}"), "line 6: the argument “a” says no source: harvested, synthesized or literal"},
		{with("{name: a, source: literal}"), "has no value: json with a source, or from"},
		{with("{name: a, json: 1, source: literal}"), "line 6: json is a number: it has to be JSON in quotes"},
		{with("{name: a, json: open, source: literal}"), `line 6: json is no JSON: “open”; a text has quotes of its own, such as '"open"'`},
		{with("{name: a, json: '1', source: guessed}"), "there is no source “guessed”: it is harvested, synthesized or literal"},
		{with("{name: a, json: '1', source: literal}\n  - {name: a, json: '2', source: literal}"), "line 7: the argument “a” stands twice"},
		{with("{name: a, json: '1', source: literal, from: {tool: l, path: x}}"), "has json and from"},
		{with("{name: a, source: synthesized, from: {tool: l, path: x}}"), "leave the source out"},
		{with("{name: a, from: {tool: l}}"), "from has no path"},
		{with("{name: a, from: {path: x}}"), "from names no tool"},
		{check("{limit: 5}"), "line 6: the check has no type: succeeds, is_error"},
		{check("{type: works}"), "there is no check “works”: there are succeeds, is_error"},
		{check("{type: succeeds, limit: 5}"), "line 6: succeeds has no “limit”: it has type"},
		{check("{type: max_items}"), "max_items needs a limit"},
		{check("{type: max_items, limit: many}"), "limit has to be a whole number"},
		{check("{type: max_items, limit: -1}"), "limit has to be a whole number"},
		{check("{type: error_code}"), "error_code needs a code"},
		{check("{type: latency_under}"), "latency_under needs a ms"},
		{check("{type: latency_under, ms: 0}"), "ms has to be a number over 0"},
		{check("{type: latency_under, ms: .inf}"), "ms has to be a number over 0"},
		{check("{type: pagination_terminates, max_pages: 0}"), "max_pages has to be a whole number"},
		{check("{type: no_mutation}"), "no_mutation needs a witness"},
		{check("{type: no_mutation, witness: {args: []}}"), "witness names no tool"},
		{check("succeeds"), "a check is text: it has to be a mapping such as {type: succeeds}"},
		{"{\n\"version\": 1,\n\"cases\": [\n{\"kind\": \"other\", \"tool\": \"t\"}]}", "line 4: there is no kind “other”"},
		{"version: 1\ncases: " + strings.Repeat("[", 10_000), "nested too deep"},
		{"version: 1\ncases:\n" + strings.Repeat("- ", 100_000), "line 3"},
		{"version: 1\ncases:\n" + strings.Repeat("  k: v\n", 100_000), "line 1003: this is nested too deep, or there is too much of one kind"},
		{"version: 1\ncases: [" + strings.Repeat("{},\n", 100_000), "too much of one kind"},
		{"version: 1\ncases: '" + strings.Repeat(" ", maxCasesYAML) + "'", "a longer one has to be JSON"},
		{"\xff", "not UTF-8"},
	} {
		cases, err := ReadCases(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || cases != nil {
			t.Errorf("%.90q:\n got %v\nwant %s", c.file, err, c.want)
		}
	}
}

func TestReadCasesReadsJSON(t *testing.T) {
	c := readCases(t, `{"version":1,"cases":[{"kind":"direct","tool":"\ud83d\ude00/","args":[{"name":"a","json":"\"\\u0041\"","source":"literal"}],"checks":[{"type":"succeeds"}]}]}`)
	if got := c.Cases[0]; got.Tool != "😀/" || got.Args[0].JSON != `"\u0041"` {
		t.Errorf("%+v", got)
	}
}

func TestWrittenCasesAreReadBack(t *testing.T) {
	for _, text := range []string{full(t), "version: 1\ncases: []"} {
		c := readCases(t, text)
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		if again := readCases(t, b.String()); !reflect.DeepEqual(again, c) {
			t.Errorf("%s\n got %+v\nwant %+v", b.String(), again, c)
		}
	}
	odd := &Cases{Version: 1}
	for _, name := range []string{"null", "5", "a: b", "#x", "it's", "\"q\"", "\u2028\n\t", "- a", "{", " x ", "\x00\u0085", "true", "é\U000e0001", "\\", "~", "1e5", "=", "<<"} {
		one := Case{Kind: "direct", Name: name, Plan: Plan{Tool: name, Args: []Arg{{Name: name, JSON: `"` + "\n" + `"`, Source: "literal"}}}, Checks: []Check{{Type: "succeeds"}}}
		one.Args[0].JSON = `[1,` + "\n\t" + `2]`
		odd.Cases = append(odd.Cases, one)
	}
	var b bytes.Buffer
	if err := odd.Write(&b); err != nil {
		t.Fatal(err)
	}
	if again := readCases(t, b.String()); !reflect.DeepEqual(again, odd) {
		t.Errorf("%s\n got %+v\nwant %+v", b.String(), again, odd)
	}
}

func FuzzReadCases(f *testing.F) {
	f.Add(full(f))
	f.Add(`{"version":1,"cases":[{"kind":"direct","tool":"t","args":[{"name":"a","json":"1","source":"literal"}],"checks":[{"type":"succeeds"}]}]}`)
	f.Add("version: 1\ncases:\n  - kind: direct\n    tool: |\n      t\n    checks: [{type: latency_under, ms: 1.5}]\n")
	f.Add("version: 1\ncases: !!x &a [<<: *a]\n? a\n: b")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadCases(strings.NewReader(text))
		if err != nil {
			if c != nil || strings.Contains(err.Error(), "runtime error") {
				t.Errorf("%v %v", c, err)
			}
			return
		}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadCases(&b)
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%v\n%q\n got %+v\nwant %+v", err, text, again, c)
		}
	})
}
