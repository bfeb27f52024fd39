package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reprise"
	"reprise/replay"
)

func differs(name, path, recorded, live string) *replay.Verified {
	return &replay.Verified{Method: "tools/call", Name: name, Class: reprise.ClassChanged,
		Changed: []reprise.Difference{{Path: path, Recorded: recorded, Live: live}}}
}

func TestRulesForNoise(t *testing.T) {
	const id = "0f8fad5b-d9cb-469f-a165-70867728950e"
	for _, c := range []struct{ tool, path, recorded, live, want string }{
		{"get", "structuredContent.items[3].at", "1", "2", "get:items[*].at"},
		{"get", "content[0].text.items[3].at", "1", "2", "get:items[*].at"},
		{"get", `structuredContent.by["` + id + `"]`, "", `{"n":1}`, "get:by.*"},
		{"get", `structuredContent.by["` + id + `"].n`, "1", "", "get:by.*.n"},
		{"get", `structuredContent["` + id + `"]`, "1", "", "get:*"},
		{"get", `structuredContent.by["` + id + `"].n`, "1", "2", `get:by["` + id + `"].n`},
		{"get", `structuredContent.by["4711"]`, "1", "", "get:by.*"},
		{"get", `structuredContent.by["content-type"]`, "1", "", `get:by["content-type"]`},
		{"get", `structuredContent["a #b"]`, "1", "2", `get:structuredContent["a #b"]`},
		{"get", `structuredContent["x*"]`, "1", "2", `get:structuredContent["x*"]`},
		{`g"t`, "a", "1", "2", `g?t:a`},
		{"g #t", "a", "1", "2", `g ?t:a`},
		{" get: ", `a`, "1", "2", `?get:?:a`},
		{`\`, `["a:b"]`, "1", "2", `?:["a:b"]`},
		{"get", "", "1", "2", ""},
	} {
		got := ""
		for _, n := range noiseIn([]*replay.Verified{differs(c.tool, c.path, c.recorded, c.live)}) {
			got += n.rule
		}
		if got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.path, c.tool, got, c.want)
		}
	}
}

// TestLearnedRulesReadBack: what was written once is known the next time.
func TestLearnedRulesReadBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.ignore")
	rules := noiseIn([]*replay.Verified{differs(`g"t`, `["a #b"]`, "1", "2"), differs("a #b", `["x*"].y`, "1", "2"), differs("c", "d", "1", "2")})
	if len(rules) != 3 {
		t.Fatalf("%d rules", len(rules))
	}
	var first string
	for range 2 {
		if err := addRules(file, rules); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if first != "" && string(data) != first {
			t.Errorf("then\n%s\nand\n%s", first, data)
		}
		first = string(data)
	}
	var g reprise.Ignore
	if err := g.Load(strings.NewReader(first)); err != nil {
		t.Fatal(err)
	}
	for _, n := range rules {
		if !slices.Contains(g.Unused(), n.rule) {
			t.Errorf("%s is not in\n%s", n.rule, first)
		}
	}
}

// TestReportsOverwriteReportsOnly: a slip of the hand costs no capture.
func TestReportsOverwriteReportsOnly(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"s.capture.jsonl": `{"reprise":"capture","version":1}`, "s.capture.ignore": "a\n", "junit.xml": "\ufeff<?xml version=\"1.0\"?>\n<testsuites/>",
		"pom.xml": "<?xml version=\"1.0\"?><project/>", "r.sarif": `{"$schema":"https://x.example/sarif-2.1.0.json"}`, "notes.json": `{"runs":[1]}`, "empty": "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("s.capture.jsonl", "linked.xml"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		junit, sarif string
		ok           bool
	}{
		{"new.xml", "new.sarif", true}, {"junit.xml", "r.sarif", true}, {"empty", "", true}, {"", "empty", true}, {"-", "", true},
		{"s.capture.jsonl", "", false}, {"", "s.capture.jsonl", false}, {"./s.capture.jsonl", "", false}, {"linked.xml", "", false},
		{"s.capture.ignore", "", false}, {"pom.xml", "", false}, {"", "notes.json", false}, {"r.sarif", "", false}, {"", "junit.xml", false},
		{"new.xml", "./new.xml", false},
	} {
		o := verifyOptions{session: "s.capture.jsonl", junit: c.junit, sarif: c.sarif}
		if err := o.checkReports(); (err == nil) != c.ok {
			t.Errorf("--junit %q --sarif %q: %v", c.junit, c.sarif, err)
		}
	}
}

// TestLinesOfCaptures: blank lines and lines that a frame shares with nothing count.
func TestLinesOfCaptures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.capture.jsonl")
	text := "{\"reprise\":\"capture\"}\n\n{\"seq\":1}\n{\"stderr\":\"x\"}\n \n{\"seq\":2,\"part\":0}\n{\"seq\":2,\"part\":1}\n{\"seq\":3}"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, err := linesOf(file)
	if err != nil || lines[1] != 3 || lines[2] != 6 || lines[3] != 8 {
		t.Errorf("%v, %v", lines, err)
	}
}
