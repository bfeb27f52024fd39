package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the documents in testdata anew")

// paper is a document with everything that one can have.
func paper() *Document {
	return &Document{
		Title: "Analysis of tracker", Lead: "1 of 48 calls is a confirmed defect; 5 findings are worth a look.",
		Facts: []Fact{{"Server", "tracker 1.4.0", ""}, {"Host", "claude-code 2.1", ""}, {"Began", "2026-07-28 10:00 UTC", ""},
			{"Confirmed defects", "1", Bad}, {"Findings", "1 high · 2 medium", Warning}},
		Shares: []Share{{"ok", 39, Good}, {"confirmed defect", 1, Bad}, {"rightly rejected", 3, Notice}, {"untestable", 5, ""}, {"none", 0, Warning}},
		Sections: []Section{
			{ID: "defects", Title: "Confirmed defects", Lead: "The server rejected what it had given out itself, a moment before.", Findings: []Finding{{
				ID: "call-42", Title: "failed on what the server had given", Badge: "confirmed defect", Tone: Bad, About: "get_issue",
				Texts:    []Fact{{"", "issueId is what list_issues gave at items[0].id, and get_issue does not find it.", ""}},
				Evidence: []Evidence{{"Evidence: seqs 12, 13, 42 and 43", "issueId   harvested from seq 13, same entity\nverbose   literal, fixed by the schema"}},
			}}},
			{ID: "findings", Title: "Findings", Lead: "What the owner of a tool can change. A finding is never pass or fail.", Findings: []Finding{
				{ID: "a1b2c3d4e5f6", Title: "invented-identifier", Badge: "high", Tone: Bad, About: "get_issue", Texts: []Fact{
					{"What", "issueId “PROJ-9999” was given by no result.", ""}, {"Consequence", "The agent guesses, and may change the wrong issue.", ""},
					{"Suggestion", "Say in the description which tool gives the ids: list_issues.", ""}}, Evidence: []Evidence{{"Seen 3 times: seqs 20 and 24", "seqs 20 21 24 25"}}},
				{ID: "b1b2c3d4e5f6", Title: "oversized-result", Badge: "medium", Tone: Warning, About: "export_all", Texts: []Fact{{"What", "It returns 71,234 bytes.", ""}}},
				{ID: "a1b2c3d4e5f6", Title: "late-answer", Badge: "low", Tone: Notice},
			}, Rest: "12 more are not shown."},
			{ID: "tools", Title: "Tools", Lead: "How they were used.", Tables: []Table{{Caption: "2 tools",
				Columns: []Column{{Title: "Tool"}, {Title: "Safety"}, {"Calls", true}, {"Errors", true}, {"95 % interval", true}, {"p50", true}, {"p99", true}},
				Rows: [][]Cell{
					{Code("list_issues"), Badge("read only", Good), Number(31), Number(0), Text("0–11 %"), Number("12.3ms"), Number("99.1ms")},
					{Code("get_issue").Link("call-42"), Badge("unknown", ""), Number(17), Number(9).Toned(Bad), Text("31–74 %"), Number("4.1ms"), Number("1.20s")},
				}, Rest: "10 more tools were listed and never called."}}},
		},
		Footer: "reprise (devel). Findings and assessments are made in code, from the recorded traffic alone.",
	}
}

type documentWriter struct {
	name  string
	write func(io.Writer, *Document) error
}

var documentWriters = []documentWriter{{"document.html", WriteHTML}, {"document.md", WriteMarkdown}}

func writeDocument(t *testing.T, write func(io.Writer, *Document) error, d *Document) string {
	t.Helper()
	var b, again bytes.Buffer
	if err := write(&b, d); err != nil {
		t.Fatal(err)
	}
	if err := write(&again, d); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("written again it is another one, %v", err)
	}
	return b.String()
}

func TestDocuments(t *testing.T) {
	for _, w := range documentWriters {
		got, file := writeDocument(t, w.write, paper()), filepath.Join("testdata", w.name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is another one: look at it, and run the test with -update\n%s", file, got)
		}
	}
}

// hostileText is what may have crossed, beside what hostile has.
var hostileText = append([]string{
	"<img src=x onerror=alert(1)>", "</style><script>alert(1)</script>", "</pre></details><h1>x", "javascript:alert(1)", "\"><b>", "-->", "{{.}}", "&lt;b&gt; &amp;",
	"| a | b |", "a\\|b", "`code` ``` ````", "*a* _b_ ~~c~~ **d**", "[x](http://evil.example)", "![x](http://evil.example/y.png)", "<http://evil.example>",
	"http://evil.example www.evil.example", "@octocat please", "me@evil.example", "see #123, octo/cat#1 or GH-12", "!12 $1 ~bug &3 %1", ":tada:", "/close", "- [ ] task",
	"1. list", "+ x", "# h", "> quote", "---", "===", "```\n</details>\n@octocat", "    indented", "$x$ $$y$$", "[^1]: note", "d6fde92930d4715a2b49857d24b940956b26d2d3",
	"\u202eabc\u2066", "\u05e9\u05dc\u05d5\u05dd", "z" + strings.Repeat("\u0301", 40), "\u200b\u200d\ufeff", strings.Repeat("long ", 2000), "a\n\n| b |\n|---|\n",
}, hostile...)

// papers with one hostile text in every place at once.
func papers(t *testing.T, try func(t *testing.T, s string, d *Document)) {
	for _, s := range hostileText {
		s = s[:min(len(s), 4096)]
		t.Run(fmt.Sprintf("%.20q", s), func(t *testing.T) {
			try(t, s, filled(s))
		})
	}
}

// TestHTMLObeysNothing: whatever stands in the document, the page has the elements and attributes that it has without it.
func TestHTMLObeysNothing(t *testing.T) {
	plain := structure(t, writeDocument(t, WriteHTML, filled("word")))
	papers(t, func(t *testing.T, s string, d *Document) {
		got := writeDocument(t, WriteHTML, d)
		checkUnseen(t, got)
		if got := structure(t, got); s != "" && got != plain {
			t.Error("it has become another page")
		}
	})
}

// filled is the paper with the same text everywhere.
func filled(text string) *Document {
	d := paper()
	d.Rewrite(func(string) string { return text })
	for i := range d.Sections {
		d.Sections[i].ID = text
		for n := range d.Sections[i].Findings {
			d.Sections[i].Findings[n].ID, d.Sections[i].Findings[n].Tone = text, Tone(text)
		}
	}
	d.Shares[0].Tone = Tone(text)
	rows := d.Sections[2].Tables[0].Rows
	rows[0][1], rows[1][0] = Badge(text, Tone(text)).Link(text), Code(text)
	return d
}

// structure are the tags of a page that is well formed, without what we make of IDs and tones.
func structure(t *testing.T, html string) string {
	t.Helper()
	var b strings.Builder
	var open []string
	ids, links := map[string]bool{}, []string{}
	d := xml.NewDecoder(strings.NewReader(regexp.MustCompile(`<meta [^<>]*`).ReplaceAllString(html, "$0/"))) // the only elements without an end
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			b.WriteString("<" + token.Name.Local)
			for _, a := range token.Attr {
				b.WriteString(" " + a.Name.Local)
				switch {
				case a.Name.Local == "id" && ids[a.Value]:
					t.Errorf("two have the id %q", a.Value)
				case a.Name.Local == "id":
					ids[a.Value] = true
				case a.Name.Local == "href":
					links = append(links, a.Value)
				}
			}
			open = append(open, token.Name.Local)
		case xml.EndElement:
			b.WriteString("/")
			open = open[:len(open)-1]
		}
	}
	for _, link := range links {
		if !ids[strings.TrimPrefix(link, "#")] || link[0] != '#' {
			t.Errorf("the link %q leads nowhere", link)
		}
	}
	return b.String()
}

// checkUnseen looks for what nobody sees, or what turns the direction of a text.
func checkUnseen(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Error("it is no UTF-8")
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			t.Fatalf("%U stands in it", r)
		}
	}
}

// TestHTMLPolicy: the page may use its own style and nothing else, and asks for nothing.
func TestHTMLPolicy(t *testing.T) {
	html := writeDocument(t, WriteHTML, paper())
	_, rest, _ := strings.Cut(html, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "default-src &#39;none&#39;; style-src &#39;sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "&#39;; base-uri"
	if !strings.Contains(strings.ReplaceAll(html, "&#43;", "+"), want) {
		t.Errorf("the policy is not %s", want)
	}
	for _, word := range []string{"<script", " style=", " on", "src=", "url(", "@import", "http:", "https:"} {
		if body := strings.ReplaceAll(html, style, ""); strings.Contains(strings.ReplaceAll(body, "-src", ""), word) && word != " on" || strings.Contains(style, word) && word != " on" {
			t.Errorf("%q stands in it", word)
		}
	}
	if regexp.MustCompile(`<[^>]* on[a-z]+=`).MatchString(html) {
		t.Error("it has a handler of events")
	}
}

// TestMarkdownIsMarkupOfOursOnly: outside of code, no character of a text is one that Markdown, HTML or a forge could take for something.
func TestMarkdownIsMarkupOfOursOnly(t *testing.T) {
	plain := strings.Count(writeDocument(t, WriteMarkdown, filled("word")), "\n")
	papers(t, func(t *testing.T, s string, d *Document) {
		got := writeDocument(t, WriteMarkdown, d)
		checkUnseen(t, got)
		outside := withoutCode(t, got)
		if !strings.Contains(visibleLines(s), "\n") && s != "" && strings.Count(got, "\n") != plain {
			t.Errorf("it has other lines:\n%.2000s", got)
		}
		for _, line := range strings.Split(outside, "\n") {
			if cells := strings.Count(line, "|"); cells != 0 && cells != 3 && cells != 8 {
				t.Errorf("a row is another one: %.200s", line)
			}
		}
		outside = strings.NewReplacer(MarkdownMark, "", "<details><summary>", "SUMMARY ", "</summary>", "", "</details>", "", "<sub>", "", "</sub>", "").Replace(outside)
		if bad := regexp.MustCompile("[<>`@\\[\\]{}$~_^!]|://|&|(?i:www\\.|gh-[0-9])|#[0-9]|:tada|(?m:^(/| {4}|===|>|- |\\+ |1\\. ))").FindString(outside); bad != "" {
			t.Errorf("%q stands outside of code:\n%.2000s", bad, outside)
		}
	})
}

// withoutCode takes out what is code, as CommonMark tells it: fenced blocks first, then spans, then elements with nothing but entities in them.
func withoutCode(t *testing.T, text string) string {
	var kept []string
	fence := ""
	for _, line := range strings.Split(text, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3 && line == ticks+"text":
			fence = ticks
		case fence != "" && line == fence:
			fence = ""
		case fence == "":
			kept = append(kept, line)
		case len(ticks) >= len(fence) && strings.TrimSpace(line[len(ticks):]) == "":
			t.Errorf("a fence ends too soon: %q", line)
		}
	}
	if fence != "" {
		t.Error("a fence does not end")
	}
	text = regexp.MustCompile("`[^`\n|]+`").ReplaceAllString(strings.Join(kept, "\n"), "CODE")
	text = regexp.MustCompile(`<code>([^<>\n|]|&#[0-9]+;)*</code>`).ReplaceAllString(text, "CODE")
	return text
}

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"a plain sentence, with (some) “marks”: 5 % of 1/2.": "a plain sentence, with (some) “marks”: 5 % of 1/2.",
		"call list_issues, then get_issue.":                  "call `list_issues`, then `get_issue`.",
		"ask @octocat (#12) at http://x.example!":            "ask `@octocat` (`#12`) at `http://x.example`!",
		"“<b>|</b>”": "“<code>&#60;b&#62;&#124;&#60;&#47;b&#62;</code>”",
		"at 10:00":   "at 10:00",
		"a`b":        "<code>a&#96;b</code>",
		"1. x":       `1\. x`, "1.5 x": "1.5 x", "- x": `\- x`, "-1": `\-1`, "": "", " \n ": `\n`, "/close": "`/close`", "GH-12": "`GH-12`", ":tada:": "`:tada`:", "deadbeef1": "`deadbeef1`",
	} {
		if got := prose(text); got != want && text != " \n " {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestNamesAreCut: a name may be of any length; what a finding says is shown whole.
func TestNamesAreCut(t *testing.T) {
	long := strings.Repeat("ä", 300)
	for _, w := range documentWriters {
		got := writeDocument(t, w.write, filled(long))
		if !strings.Contains(got, long) || !strings.Contains(got, long[:2*mostShown]+"…") {
			t.Errorf("%s cuts all or nothing", w.name)
		}
	}
}

func TestAnchors(t *testing.T) {
	var a anchors
	long := strings.Repeat("x", 100)
	for _, c := range [][2]string{{"Calls", "calls"}, {"calls", "calls-2"}, {"calls-2", "calls-2-2"}, {"<ä>", "part"}, {"", "part-2"}, {long, long[:64]}, {long, long[:64] + "-2"}} {
		if got := a.of(c[0]); got != c[1] {
			t.Errorf("%q: got %s, want %s", c[0], got, c[1])
		}
	}
}

func TestDocumentMarks(t *testing.T) {
	for _, d := range []*Document{{}, paper()} {
		if got := writeDocument(t, WriteHTML, d); !strings.Contains(got[:100], HTMLMark) {
			t.Error("a page has no mark")
		}
		if got := writeDocument(t, WriteMarkdown, d); !strings.HasPrefix(got, MarkdownMark) {
			t.Error("a Markdown file has no mark")
		}
	}
}

func TestDocumentWriteErrors(t *testing.T) {
	for _, w := range documentWriters {
		if err := w.write(&full{}, paper()); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

// TestRewriteReachesEveryText: no text of a document escapes what masks secrets.
func TestRewriteReachesEveryText(t *testing.T) {
	d := paper()
	d.Rewrite(func(s string) string {
		if s == "" {
			return ""
		}
		return "masked"
	})
	for _, w := range documentWriters {
		for _, word := range []string{"tracker", "issue", "seq", "medium", "Calls", "Footer", "devel", "12.3ms"} {
			if strings.Contains(writeDocument(t, w.write, d), word) {
				t.Errorf("%s still has %q", w.name, word)
			}
		}
	}
}
