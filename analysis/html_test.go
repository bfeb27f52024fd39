package analysis

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reprise"

	"golang.org/x/net/html/atom"
)

func TestCountElements(t *testing.T) {
	for _, c := range []struct {
		name, page        string
		semantic, generic int
	}{
		{"structure", `<!doctype html><html><body><nav><a href=/>x</a></nav><main><section><h1>A</h1><button>b</button></section></main></body></html>`, 6, 0},
		{"soup", `<html><body><div><div><span>A</span></div></div></body></html>`, 0, 3},
		{"neither", `<html><body><img src=x><custom-card></custom-card></body></html>`, 0, 0},
		{"nothing", ``, 0, 0},
		{"capitals", `<DIV><Section></DIV>`, 1, 1},
		{"never closed", `<div><p>one<p>two`, 2, 1},
		{"a tag that is cut off", `<div><p`, 0, 1},
		{"self-closing", `<div/><p/>`, 1, 1},
		{"in a comment", `<!-- <div><p> --><p>`, 1, 0},
		{"in a script", `<script>"<div><p>"</script><p>`, 1, 0},
		{"in a script in a comment", `<script><!-- <script> <div> </script> <div> --></script><p>`, 1, 0},
		{"in a style", `<style>/* <div> */</style><p>`, 1, 0},
		{"in a title", `<title><div></title><p>`, 1, 0},
		{"in a text area", `<textarea><div></textarea><p>`, 2, 0},
		{"in noscript", `<noscript><div></div></noscript><p>`, 1, 0},
		{"in an attribute", `<p title="<div>"><iframe srcdoc="<div>"></iframe>`, 1, 0},
		{"in a template", `<template><div><template><div></template><p></template><p>`, 1, 0},
		{"behind a template that is closed twice", `<template></template></template><p>`, 1, 0},
		{"in a template that is never closed", `<p><template><div>`, 1, 0},
		{"in a drawing", `<svg><a><text>x</text></a><svg><a/></svg><title><p></title></svg><p>`, 1, 0},
		{"in a drawing's CDATA", `<svg><desc><![CDATA[<div>]]></desc></svg><p>`, 1, 0},
		{"empty elements of a drawing", `<svg><style/><a/></svg><p>`, 1, 0},
		{"an empty drawing", `<svg/><p>`, 1, 0},
		{"a drawing that is never closed", `<svg><path><div><p>`, 1, 1},
		{"a long tag", `<div class="` + strings.Repeat("x ", 4096) + `"><p>`, 1, 1},
		{"a long tag of a script", `<script data-x="` + strings.Repeat("x ", 4096) + `">"<div>"</script><p>`, 1, 0},
		{"a long tag in a drawing", `<svg><style x="` + strings.Repeat("x ", 4096) + `"/><a/></svg><p>`, 1, 0},
		{"a long end tag", `<p></p ` + strings.Repeat("x ", 4096) + `><p>`, 2, 0},
	} {
		semantic, generic := countElements(c.page)
		if semantic != c.semantic || generic != c.generic {
			t.Errorf("%s: %d semantic and %d generic, want %d and %d", c.name, semantic, generic, c.semantic, c.generic)
		}
	}
}

// TestHostilePages would not end if any of them took quadratic time, or blew the stack.
func TestHostilePages(t *testing.T) {
	const mb = 1 << 20
	attributes := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " a%d", i)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		page              string
		semantic, generic int
	}{
		"nested":          {strings.Repeat("<div>", mb/5), 0, mb / 5},
		"nested, closed":  {strings.Repeat("<div>", mb/11) + strings.Repeat("</div>", mb/11), 0, mb / 11},
		"misnested":       {strings.Repeat("<a><p><b><table>", mb/16), mb / 16 * 3, 0},
		"one tag":         {"<div" + attributes(mb/8) + "><p>", 1, 1},
		"one, then many":  {"<div" + attributes(mb/8) + ">" + strings.Repeat("<p a>", mb/5), mb / 5, 1},
		"a script's tag":  {"<script" + attributes(mb/8) + "></script>" + strings.Repeat("<p a>", mb/5), mb / 5, 0},
		"an end tag":      {"</div" + attributes(mb/8) + ">" + strings.Repeat("<p a>", mb/5), mb / 5, 0},
		"open tags":       {strings.Repeat("<div ", mb/5), 0, 0},
		"open comments":   {strings.Repeat("<!--", mb/4), 0, 0},
		"open scripts":    {strings.Repeat("<script><!--<script>", mb/20), 0, 0},
		"less-than signs": {strings.Repeat("<", mb), 0, 0},
		"open CDATA":      {"<svg>" + strings.Repeat("<![CDATA[", mb/9), 0, 0},
		"NULs":            {strings.Repeat("<div\x00>", mb/6), 0, 0},
		"no UTF-8":        {strings.Repeat("<p \xff\xfe>", mb/6), mb / 6, 0},
		"too long":        {strings.Repeat("<p> ", maxMarkup/4) + "<p>", maxMarkup / 4, 0},
	} {
		semantic, generic := countElements(c.page)
		if semantic != c.semantic || generic != c.generic {
			t.Errorf("%s: %d semantic and %d generic, want %d and %d", name, semantic, generic, c.semantic, c.generic)
		}
	}
}

func TestTagsAreElementsOfHTML(t *testing.T) {
	list := slices.Concat(SemanticTags(), GenericTags())
	for i, name := range list {
		if name != "search" && atom.Lookup([]byte(name)) == 0 || slices.Contains(list[:i], name) {
			t.Errorf("%q is no element of HTML, or is listed twice", name)
		}
	}
}

// quoted is text as JSON.
func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

func TestPagesAreFound(t *testing.T) {
	const page = `<!DOCTYPE html><html><nav></nav><div></div></html>`
	blob := base64.StdEncoding.EncodeToString([]byte(page))
	text := func(s string) []string {
		return call("render", `{}`, `"result":{"content":[{"type":"text","text":`+quoted(s)+`}]}`)
	}
	embedded := func(members string) []string {
		return call("render", `{}`, `"result":{"content":[{"type":"resource","resource":{"uri":"ui://cards/one",`+members+`}}]}`)
	}
	read := func(uri, members string) []string {
		return []string{`> {"id":1,"method":"resources/read","params":{"uri":"` + uri + `"}}`, `< {"id":1,"result":{"contents":[{"uri":"` + uri + `",` + members + `}]}}`}
	}
	tool := Page{Seq: 1, Tool: "render", Mode: ModeResult, Semantic: 1, Generic: 1, Ratio: .5}
	card := Page{Seq: 1, Tool: "render", URI: "ui://cards/one", Mode: ModeUI, Semantic: 1, Generic: 1, Ratio: .5}
	ui := Page{Seq: 1, URI: "ui://board", Mode: ModeUI, Semantic: 1, Generic: 1, Ratio: .5}
	file := Page{Seq: 1, URI: "file:///a.html", Mode: ModeResult, Semantic: 1, Generic: 1, Ratio: .5}
	empty := Page{Seq: 1, URI: "ui://board", Mode: ModeUI, Ratio: -1}
	for _, c := range []struct {
		name  string
		lines []string
		want  []Page
	}{
		{"a text", text(page), []Page{tool}},
		{"a text behind white space", text("\ufeff\n  " + page), []Page{tool}},
		{"a text that begins with html", text(`<html lang=en><nav></nav><div></div>`), []Page{tool}},
		{"an embedded resource", embedded(`"mimeType":"text/html;profile=mcp-app","text":` + quoted(page)), []Page{card}},
		{"an older one", embedded(`"mimeType":"text/html+skybridge","text":"<nav></nav><div></div>"`), []Page{card}},
		{"a blob", embedded(`"mimeType":"Text/HTML","blob":"` + blob + `"`), []Page{card}},
		{"a resource", read("ui://board", `"mimeType":"text/html","text":`+quoted(page)), []Page{ui}},
		{"a resource of another kind", read("file:///a.html", `"mimeType":"text/html","text":`+quoted(page)), []Page{file}},
		{"one that declares nothing", read("file:///a.html", `"text":`+quoted(page)), []Page{file}},
		{"one with nothing to count", read("ui://board", `"mimeType":"text/html","text":"hello"`), []Page{empty}},
		{"a blob that is none", read("ui://board", `"mimeType":"text/html","blob":"!!"`), []Page{empty}},
		{"prose about tags", text("Use <html> to begin, as in <!doctype html>."), nil},
		{"prose in a fence", text("```html\n" + page + "\n```"), nil},
		{"a fragment", text("<div>html</div>"), nil},
		{"another element", text("<htmlx><div>"), nil},
		{"another type", read("file:///a.html", `"mimeType":"text/html-template","text":"<div>"`), nil},
		{"a failure", call("render", `{}`, `"result":{"isError":true,"content":[{"type":"text","text":`+quoted(page)+`}]}`), nil},
		{"an argument", call("render", `{"page":`+quoted(page)+`}`, `"result":{"content":[]}`), nil},
		{"a prompt", []string{`> {"id":1,"method":"prompts/get","params":{"name":"x"}}`, `< {"id":1,"result":{"messages":[{"role":"user","content":{"type":"text","text":` + quoted(page) + `}}]}}`}, nil},
		{"no shape", call("render", `{}`, `"result":{"content":"html"}`), nil},
	} {
		if got := judge(t, c.lines...).Pages; !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestManyPages(t *testing.T) {
	var lines []string
	for i := range maxPages + 7 {
		id := strconv.Itoa(i)
		lines = append(lines, `> {"id":`+id+`,"method":"resources/read","params":{"uri":"ui://`+id+strings.Repeat("é", maxAddress)+`"}}`,
			`< {"id":`+id+`,"result":{"contents":[{"mimeType":"text/html","text":"<p>"}]}}`)
	}
	r := judge(t, lines...)
	if len(r.Pages) != maxPages || r.Unseen.Pages != 7 {
		t.Errorf("%d pages are kept, %d are not", len(r.Pages), r.Unseen.Pages)
	}
	if uri := r.Pages[0].URI; len(uri) > maxAddress || strings.Contains(uri, "\ufffd") || !strings.HasPrefix(uri, "ui://0é") {
		t.Errorf("an address of %d bytes is kept", len(uri))
	}
}

func TestRatios(t *testing.T) {
	pages := []Page{
		{Mode: ModeUI, Semantic: 1, Generic: 1, Ratio: .5},
		{Mode: ModeResult, Ratio: -1},
		{Mode: ModeUI, Semantic: 8, Generic: 0, Ratio: 1},
	}
	want := []ModeRatio{{Mode: ModeResult, Pages: 1, Ratio: -1}, {Mode: ModeUI, Pages: 2, Semantic: 9, Generic: 1, Ratio: .9}}
	if got := Ratios(pages); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Ratios(nil); got != nil {
		t.Errorf("no pages have %+v", got)
	}
}

func TestPagesOfOtherSideAreNotLookedAt(t *testing.T) {
	r := judgeAs(t, &reprise.Session{}, Options{}, `< {"id":1,"method":"sampling/createMessage","params":{}}`,
		`> {"id":1,"result":{"content":[{"type":"text","text":"<html><div>"}]}}`)
	if r.Pages != nil {
		t.Errorf("%+v", r.Pages)
	}
}

func TestDocumentNamesTheTags(t *testing.T) {
	doc, err := os.ReadFile("../docs/html-signal.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(SemanticTags(), GenericTags()) {
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/html-signal.md does not name %s", name)
		}
	}
}
