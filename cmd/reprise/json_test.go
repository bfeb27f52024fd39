package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"reprise"

	"github.com/tidwall/gjson"
)

// TestEveryKeyIsDocumented compares the rows with docs/json.md, where each table's keys stand in the rows' order.
func TestEveryKeyIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	s := &reprise.Session{}
	call := &reprise.Entry{Session: s, Call: &reprise.Call{}}
	message := &reprise.Entry{Session: s, Frame: &reprise.Frame{Data: []byte("{}")}, Message: &reprise.Message{}}
	argument := newObject()
	argument.set("seq", 1)
	argument.argument(&reprise.Use{JSON: "1"})
	trail := &trail{view: &view{session: s}}
	for heading, row := range map[string]*object{
		"## The arguments of a call":          argument,
		"## `reprise provenance S --json`":    trail.row(),
		"## A value in it":                    birthRow(&reprise.Value{JSON: "1"}),
		"## `reprise sessions --json`":        sessionRow(s),
		"## `reprise show S --json`":          callRow(call),
		"## `reprise show S --frames --json`": messageRow(message),
		"## `reprise hosts --json`":           (&hostList{}).row(looked{}),
		"## `reprise wrap HOST --json`":       (&wrapRun{}).row(wrapped{}, nil),
	} {
		_, section, ok := strings.Cut(string(doc), heading)
		if !ok {
			t.Fatalf("docs/json.md has no %s", heading)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		want := documented(section)
		got := keysOf(t, row)
		if heading == "## `reprise show S --frames --json`" {
			got = append(got[:len(got)-1], "frame", "text", "base64") // one of them
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s\n rows %v\n docs %v", heading, got, want)
		}
	}
}

// TestUsesHaveTheKeysOfArguments, and their own around them.
func TestUsesHaveTheKeysOfArguments(t *testing.T) {
	argument := newObject()
	argument.argument(&reprise.Use{JSON: "1"})
	want := append([]string{"seq", "tool"}, keysOf(t, argument)...)
	want = append(want, "value_from", "call_seq")
	if got := keysOf(t, (&trail{}).useRow(&reprise.Use{JSON: "1"})); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("keys %v, want %v", got, want)
	}
}

// documented are the keys in the first column of a table.
func documented(section string) (keys []string) {
	for line := range strings.Lines(section) {
		if cell, ok := strings.CutPrefix(line, "| `"); ok {
			cell, _, _ = strings.Cut(cell, " |")
			keys = append(keys, regexp.MustCompile("[a-z_0-9]+").FindAllString(strings.ReplaceAll(cell, " or ", " "), -1)...)
		}
	}
	return keys
}

func keysOf(t *testing.T, o *object) (keys []string) {
	t.Helper()
	text := o.String() + "}"
	if !gjson.Valid(text) {
		t.Fatalf("invalid row: %s", text)
	}
	gjson.Parse(text).ForEach(func(k, _ gjson.Result) bool {
		keys = append(keys, k.Str)
		return true
	})
	return keys
}

// TestRowsStayValidJSON whatever crossed.
func TestRowsStayValidJSON(t *testing.T) {
	for _, data := range []string{`{"a":1.50,  "a":2}`, "", "\xff\xfe", "{", "[]", "\ufeff{}", `{"a":"\u2028` + "\u2028" + `"}`, "42", `"x"`, "a\rb", "{\r\"a\":1}",
		strings.Repeat("[", 1<<20), strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		e := &reprise.Entry{Session: &reprise.Session{Host: "\xff\n", Command: []string{"\x00"}}, Call: &reprise.Call{ID: data, HostIDs: data}, Request: []byte(data),
			Frame: &reprise.Frame{Data: []byte(data)}, Message: &reprise.Message{ID: data, Name: data}}
		for _, o := range []*object{sessionRow(e.Session), callRow(e), messageRow(e)} {
			var b strings.Builder
			if err := o.writeTo(&b); err != nil {
				t.Fatal(err)
			}
			line, ok := strings.CutSuffix(b.String(), "\n")
			if !ok || strings.ContainsAny(line, "\n\r") || !json.Valid([]byte(line)) {
				t.Errorf("%.40q gives the row %.200q", data, b.String())
			}
		}
	}
}
