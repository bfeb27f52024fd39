package hosts

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const gooseYAML = `# my settings
GOOSE_PROVIDER: anthropic
extensions:
  # the files
  files:
    enabled: true
    type: stdio
    name: files
    cmd: npx # not a path
    args:
      - -y
      # where
      - "@modelcontextprotocol/server-filesystem"
      - 'C:\Users\A B\x'
    envs: {}
    env_keys: [] # none
    timeout: 300
  fetch: {type: stdio, cmd: uvx, args: [mcp-server-fetch, "--x"], enabled: true, timeout: 300}
  none:
    args: []
    cmd: C:\Program Files\node.exe
    description:
  web:
    type: sse
    uri: https://example.com/sse#top
`

const continueYAML = `name: my assistant
version: 0.0.1
schema: v1
mcpServers:
- name: one
  command: npx
  args:
  - -y
  - some: thing
  - key#word
- name: "zwei"
  command: 'it''s'
  args: [ "-y", # why not
    two ]
-
  name: three
  command:
    npx
  env: {TOKEN: "${{ secrets.TOKEN }}"}
`

// yamlFiles are odd in one way each, and those on which fuzzing found a fault.
var yamlFiles = []string{
	gooseYAML,
	continueYAML,
	"\ufeff" + gooseYAML,
	strings.ReplaceAll(gooseYAML, "\n", "\r\n"),
	"\ufeff" + strings.ReplaceAll(continueYAML, "\n", "\r\n"),
	"---\n" + gooseYAML,
	"--- # one\n" + continueYAML + "...\n",
	"# Grüße, 世界 😀\t tabs\na: \"é世\" # ü\nb: [ä, \"ö\", 'ü😀', x]\n\"schlüssel\": wört er\n",
	"a: &x {b: c}\nd: *x\ne: {<<: *x, f: g}\nh: [*x, y]\n",
	"a: &x\n  b: c\nd:\n  <<: *x\n  e: f\n",
	"a: !!str 1\nb: !t {c: d}\ne: !!seq [f]\ng: h\n",
	"a: |\n  # no comment\n  b\nc: >-\n  d\n  e\n\nf: g\n# h: i\nj: |+\n\n  k\n\nl: m\n",
	"a: b c\n  d\ne: \"f\n  g\"\nh: 'i\n\n  j'\nk: l\n",
	"- a\n- - b\n  - c\n- d: e\n  f: g\n-\n- [h, [i]]\n",
	"{a: b, \"c\":\"d\", 'e': [f,g ,\"h\"], i: {}, j: [], k: , l}",
	"[\n  # first\n  a, # one\n  b\n  # last\n]\n",
	"[a: b, {c: d}]", "[#x\na]", "[ #x\na]",
	"? a\n: b\n? [c]\n: d\n", "? - a\n: - b\n",
	"1: a\ntrue: b\n~: c\n\"2\": d\n0x10: e\n",
	"a: 'x''y'\nb: \"\\u00e9\\x41\\e\"\nc: \"\\\"#\"\nd: \"\\ud83d\\ude00\"\n",
	"a: x#y\nb: x:y\nc: http://h:1/?q={z}\nd: -x\ne: --\nf: .\ng: a, b]\n",
	"a : b\n\"c\" : d\ne:    f   \ng:\t h\t# i\nj: [k ,\tl\t]\n",
	"a:\n  b:\n    - c\n  d:\n  - e\nf:\n- g\n",
	"a: ''\nb: \"\"\nc: ' '\nd: [\"\", '']\n",
	"a:\r\n  - b\r\n  - c # d\r\n", "a", "'a'", "", "# only\n", "---\n", "\n\na: b", "a:", "- ", "-", "[]", "{}", "~",
	"a: [b, c,]\nd: {e: f,}\n", "a: [\n]\nb: [\nc\n]\n",
	"a: 1_0\nb: 0o7\nc: .inf\nd: .nan\ne: 2020-01-01\nf: 1e3\ng: Null\nh: yes\n",
	"a.b: c\n\"d.e\": f\ng: {h.i: j}\n",
	"- &a b\n- c: &d e\n- *a\n", "&a b: c\n", "a: &b\nc: d\n", "[&a b: c]", "[? a : b]", "? a\n: b\n",
	"1c: \"\t\t\t\t\t\t\t\t\t\t\t\t\\\"#\"\n", "\r<", " ...", "- ...x", "--- ---", " %%%", "a: @b", "- , a", "[}, a]", "[-]", "[a:.\n  k: c]", "{d: : d}", "{a: b: c}", "{a:b}", "{a}",
	"0\n : e\n", "\ta: b", "a: b\n\t\n", "a: \"\\x4:\"", "a: \"\\ud83d\"", "a: \"\\U0001f600\\/\\\ta\"", "a: \"b\\\n  c\"",
	"a: b\n c: d\n", "a:\n  - b\n - c\n", "a:\n    b: c\n  d: e\n", "a: 'b' c\n", "a: b\na: c\n", "{a: b, \"a\": c}", "~: a\nnull: b\n",
	"- &a [*a]\n- *a\n", "- !!binary YQ==\n", "- !!timestamp 2020-01-01\n", "a: !x", "a: !<x> b\n", "<<: a", "a: <<\n", "- |\n- a\n", "a: |2\n   b\nc: d\n", "a: | # b\n  c\nd: e\n",
}

func TestYAMLEdits(t *testing.T) {
	for i, src := range yamlFiles {
		t.Run(fmt.Sprint(i), func(t *testing.T) { checkYAML(t, []byte(src)) })
	}
}

func FuzzYAML(f *testing.F) {
	for _, src := range yamlFiles {
		if len(src) < 200 { // the others are slow, and have nothing that these have not
			f.Add([]byte(src))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkYAML(t, src) })
}

func TestYAMLPlaces(t *testing.T) {
	const ä = "# Grüße, 世界 😀\t tabs\r\na: \"é世\" # ü\r\n\"schlüssel\":   wört er\r\nl:\r\n  - \"ö\" # ü\r\n  -  'ü😀'\r\n"
	const marks = "a: &x {b: c}\nd: *x\ne: {<<: *x, f: g}\nh: !t i\nj: |\n  k\nl: m\n  n\no: \"p\n  q\"\n? r\n: s\n"
	tests := []struct {
		file string
		way  string
		want string // its bytes
		text string
		lock string
	}{
		{gooseYAML, "extensions.files.cmd", "npx", "npx", ""},
		{gooseYAML, "extensions.files.args.2", `'C:\Users\A B\x'`, `C:\Users\A B\x`, ""},
		{gooseYAML, "extensions.files.args.0", "-y", "-y", ""},
		{gooseYAML, "extensions.files.env_keys", "[]", "", ""},
		{gooseYAML, "extensions.files.enabled", "true", "", ""},
		{gooseYAML, "extensions.fetch.args", `[mcp-server-fetch, "--x"]`, "", ""},
		{gooseYAML, "extensions.fetch.args.1", `"--x"`, "--x", ""},
		{gooseYAML, "extensions.none.cmd", `C:\Program Files\node.exe`, `C:\Program Files\node.exe`, ""},
		{gooseYAML, "extensions.none.description", "", "", ""},
		{gooseYAML, "extensions.web.uri", "https://example.com/sse#top", "https://example.com/sse#top", ""},
		{continueYAML, "mcpServers.0", "name: one\n  command: npx\n  args:\n  - -y\n  - some: thing\n  - key#word", "", ""},
		{continueYAML, "mcpServers.0.args", "- -y\n  - some: thing\n  - key#word", "", ""},
		{continueYAML, "mcpServers.1.name", `"zwei"`, "zwei", ""},
		{continueYAML, "mcpServers.1.command", "'it''s'", "it's", ""},
		{continueYAML, "mcpServers.1.args", "[ \"-y\", # why not\n    two ]", "", ""},
		{continueYAML, "mcpServers.2.command", "npx", "npx", ""},
		{ä, "a", `"é世"`, "é世", ""},
		{ä, "schlüssel", "wört er", "wört er", ""},
		{ä, "l.1", "'ü😀'", "ü😀", ""},
		{byteOrderMark + ä, "l", "- \"ö\" # ü\r\n  -  'ü😀'", "", ""},
		{"a: \"\\u00e9\\x41\\n\\U0001f600\"", "a", `"\u00e9\x41\n\U0001f600"`, "éA\n😀", ""},
		{marks[:strings.Index(marks, "?")], "a", "&x {b: c}", "", lockAnchor},
		{marks[:strings.Index(marks, "?")], "a.b", "c", "c", lockAnchor},
		{marks[:strings.Index(marks, "?")], "d", "*x", "", lockAlias},
		{marks[:strings.Index(marks, "?")], "e", "{<<: *x, f: g}", "", lockMerge},
		{marks[:strings.Index(marks, "?")], "e.f", "g", "g", lockMerge},
		{marks[:strings.Index(marks, "?")], "h", "!t i", "i", lockTag},
		{marks[:strings.Index(marks, "?")], "j", "|\n  k", "k\n", oddLines},
		{marks[:strings.Index(marks, "?")], "l", "m\n  n", "m n", oddLines},
		{marks[:strings.Index(marks, "?")], "o", "\"p\n  q\"", "p q", oddLines},
		{"1: a\n", "1", "a", "a", lockKey},
		{"a: [b: c]\n", "a", "[b: c]", "", lockPair},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i, " ", tt.way), func(t *testing.T) {
			n := along(t, tt.file, tt.way)
			if got := bytesOf(tt.file, n); got != tt.want || n.text != tt.text || n.locked != tt.lock {
				t.Errorf("got %q saying %q, locked %q", got, n.text, n.locked)
			}
		})
	}
}

// along parses a file and goes down by keys and indexes.
func along(t *testing.T, file, way string) *node {
	t.Helper()
	n, err := parseYAML([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	for step := range strings.SplitSeq(way, ".") {
		if i, err := strconv.Atoi(step); err == nil && n.kind == list {
			n = n.items[i].value
		} else if n = n.get(step); n == nil {
			t.Fatalf("there is no %s", step)
		}
	}
	return n
}

func bytesOf(file string, n *node) string { return file[n.start:n.end] }

func TestYAMLLeads(t *testing.T) {
	for _, tt := range []struct{ file, way, lead string }{
		{gooseYAML, "extensions.files", "\n    "},
		{gooseYAML, "extensions", "\n  "},
		{gooseYAML, "extensions.fetch", ", "},
		{continueYAML, "mcpServers.0", "\n  "},
		{continueYAML, "mcpServers.0.args.1", "\n    "},
		{"a:\r\n  - - b: c\r\n", "a.0.0", "\r\n      "},
		{byteOrderMark + "a: {b: c}", "a", ", "},
	} {
		if m := along(t, tt.file, tt.way).members[0]; m.lead != tt.lead || m.colon != ": " {
			t.Errorf("%s: got %q %q, want %q", tt.way, m.lead, m.colon, tt.lead)
		}
	}
	root, err := parseYAML([]byte(byteOrderMark + "a: b"))
	if err != nil || root.members[0].lead != "\n" {
		t.Errorf("behind a byte order mark: %v, %v", root, err)
	}
}

func TestYAMLItems(t *testing.T) {
	const file = "a: [ b ,'c' # d\n , e]\nf:\n- g # h\n-\n- {i: j}\n"
	for _, tt := range []struct {
		way   string
		block bool
		items string
		after string
	}{
		{"a", false, `b|'c'|e`, ` ,| # d` + "\n" + ` ,|`},
		{"f", true, `- g|-|- {i: j}`, `||`},
	} {
		n := along(t, file, tt.way)
		var items, after []string
		for _, item := range n.items {
			items, after = append(items, file[item.start:item.end]), append(after, file[item.end:item.after])
		}
		if n.block != tt.block || strings.Join(items, "|") != tt.items || strings.Join(after, "|") != tt.after {
			t.Errorf("%s: %q, %q, block %v", tt.way, items, after, n.block)
		}
	}
}

func TestYAMLRefused(t *testing.T) {
	for name, tt := range map[string]struct{ file, want string }{
		"open bracket":    {"a: secret\nb: [secret\n", "it is not YAML at line"},
		"open quote":      {"a: b\nc: \"secret", "it is not YAML at line 2"},
		"twice":           {"a: secret\na: secret\n", "it is not YAML at line 2"},
		"unknown alias":   {"a: b\nc: *secret\n", "it is not YAML at line 2"},
		"layout":          {"a:\n  b: secret\n c: d\n", "it is not YAML at line 3"},
		"two documents":   {"a: b\n---\nc: d\n", "several documents"},
		"empty document":  {"---\n---\nc: d\n", "several documents"},
		"after the end":   {"a: b\n...\nc: d\n", "several documents"},
		"directive":       {"%YAML 1.2\n---\na: b\n", "directives"},
		"not UTF-8":       {"a: \xff", "not UTF-8"},
		"control":         {"a: b\nc: \x00", "does not allow at line 2"},
		"carriage return": {"a: b\rc: d\n", "does not allow at line 1"},
		"line separator":  {"a: b\u2028c: d\n", "does not allow at line 1"},
		"tab":             {"a:\n\tb: c\n", "it is not YAML at line"},
		"large":           {"#" + strings.Repeat("a", maxYAMLBytes), "larger"},
		"deep list":       {strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "nested too deeply"},
		"deep dashes":     {strings.Repeat("- ", 10_000), "nested too deeply"},
		"keys":            {manyKeys(maxYAMLKeys + 1), "too many keys"},
		"empty values":    {"{" + strings.Repeat("a,", 1<<15) + "}", "too many empty values"},
		"blank lines":     {"a: |\n  b" + strings.Repeat("\n", 1000), "too much of one kind"},
		"tabs":            {"a: \"" + strings.Repeat("\t", 2000) + "\"", "too much of one kind"},
		"aliases":         {laughs(20), "aliases"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseYAML([]byte(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("parse: got %v, want %s", err, tt.want)
			}
			if said, err := meanYAML([]byte(tt.file)); err == nil && name != "layout" || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("mean: got %v, %v", said, err)
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: v\n", i)
	}
	return b.String()
}

// laughs are mappings of which each has two merged that were there before.
func laughs(n int) string {
	s := "- &a {x: 1}\n"
	for i := range n {
		s += fmt.Sprintf("- &%c {<<: [*%c, *%c]}\n", 'b'+i, 'a'+i, 'a'+i)
	}
	return s
}

func TestYAMLMeans(t *testing.T) {
	for _, tt := range []struct {
		file string
		want any
	}{
		{"", nil},
		{"# only\n", nil},
		{"a: .nan\nb: [1, -1, 1.5, true, ~]\nc: {}\nd: []\n", map[string]any{"a": notANumber{}, "b": []any{uint64(1), int64(-1), 1.5, true, nil}, "c": map[string]any{}, "d": []any{}}},
		{"a: &x {b: c}\nd: *x\ne: {<<: *x, f: g}\n", map[string]any{"a": map[string]any{"b": "c"}, "d": map[string]any{"b": "c"}, "e": map[string]any{"b": "c", "f": "g"}}},
		{"a: |\r\n  b\r\n  c\r\n", map[string]any{"a": "b\nc\n"}},
		{"1: a\n", map[string]any{"1": "a"}},
	} {
		if got, err := meanYAML([]byte(tt.file)); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q says %#v (%v), want %#v", tt.file, got, err, tt.want)
		}
	}
}

func TestYAMLQuotes(t *testing.T) {
	for _, s := range []string{
		"", "a", "-", "- a", "a: b", "a #b", "true", "null", "~", "1", `C:\Users\A B`, `"`, "'", "it's", "&a", "*a", "!a", "[a]", "{a}", "${{ x }}", "@", "`", "%",
		"\x00\x01\a\b\t\n\v\f\r\x1b\x7f", "\u0085\u00a0\u00ad\u200b\u2028\u2029\ufeff\ufffe\uffff", "é世😀\U000e0001\U0010ffff", " a ", "---", "...",
	} {
		quoted, key := quoteYAML(s), keyYAML(s)
		if strings.ContainsFunc(quoted+key, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q is written as %q", s, quoted)
		}
		for file, want := range map[string]any{
			quoted:                                 s,
			"- " + quoted + " # a\n":               []any{s},
			"[" + quoted + "," + quoted + "]":      []any{s, s},
			"a: {b: " + quoted + "}\n":             map[string]any{"a": map[string]any{"b": s}},
			key + ": a\n":                          map[string]any{s: "a"},
			"- b: c\n  " + key + ": [" + key + "]": []any{map[string]any{"b": "c", s: []any{s}}},
			"{" + key + ": a}":                     map[string]any{s: "a"},
		} {
			root, err := parseYAML([]byte(file))
			got, _ := meanYAML([]byte(file))
			if err != nil || root.locked != "" || !reflect.DeepEqual(got, want) {
				t.Errorf("%q in %q says %#v (%v)", s, file, got, err)
			}
		}
	}
}

func TestYAMLPlainKeys(t *testing.T) {
	for s, want := range map[string]string{"args": "args", "env_keys": "env_keys", "yes": `"yes"`, "Null": `"Null"`, "a b": `"a b"`, "1": `"1"`, "inf": `"inf"`, "é": `"é"`, "": `""`, "a.b": `"a.b"`} {
		if got := keyYAML(s); got != want {
			t.Errorf("%q is written as %s, want %s", s, got, want)
		}
	}
}
