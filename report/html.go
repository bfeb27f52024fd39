package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
)

// HTMLMark stands in the first lines of every page that WriteHTML has written, so that it can be told from a stranger's.
const HTMLMark = "<!-- reprise: report, html -->"

//go:embed document.css
var pageStyle string

//go:embed document.tmpl
var pageText string

// page is the template, which is read when the first page is written.
var page = sync.OnceValues(func() (*template.Template, error) {
	short := func(text string) string { return visible(brief(text)) }
	return template.New("page").Funcs(template.FuncMap{"text": visible, "brief": short, "lines": visibleLines, "tone": toneClass}).Parse(pageText)
})

// WriteHTML writes the document as one page that needs nothing else: no script, no font, no picture. Its policy forbids the browser
// to fetch or run anything, whatever has found its way into it.
func WriteHTML(w io.Writer, d *Document) error {
	t, err := page()
	if err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	var b bytes.Buffer
	b.WriteString("<!doctype html>\n" + HTMLMark + "\n")
	if err := t.Execute(&b, htmlOf(d)); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// What the template shows: the document with its links and drawings worked out.
type (
	htmlPage struct {
		*Document
		Policy   string
		Style    template.CSS
		Bars     []htmlBar
		Sections []htmlSection
	}
	htmlBar struct {
		Share
		X, Width string // in hundredths of the whole
	}
	htmlSection struct {
		Section
		Anchor   string
		Count    string
		Tables   []htmlTable
		Findings []htmlFinding
	}
	htmlTable struct {
		Table
		Rows [][]htmlCell
	}
	htmlCell struct {
		Kind, Text, Link string
		Tone             Tone
		Number           bool
	}
	htmlFinding struct {
		Finding
		Anchor string
	}
)

func htmlOf(d *Document) *htmlPage {
	sum := sha256.Sum256([]byte(pageStyle))
	p := &htmlPage{Document: d, Style: template.CSS(pageStyle), Bars: barsOf(d.Shares),
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"}
	names := anchors{taken: map[string]int{"top": 1}}
	for _, s := range d.Sections { // sections first: a finding cannot take their names
		p.Sections = append(p.Sections, htmlSection{Section: s, Anchor: names.of(s.ID), Count: countOf(&s)})
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		for _, f := range s.Section.Findings {
			s.Findings = append(s.Findings, htmlFinding{f, names.of(f.ID)})
		}
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		for _, t := range s.Section.Tables {
			s.Tables = append(s.Tables, htmlTable{t, cellsOf(t, names.taken)})
		}
	}
	return p
}

// countOf is how many findings a section shows, and that it leaves some out; "" of none.
func countOf(s *Section) string {
	switch {
	case len(s.Findings) == 0:
		return ""
	case s.Rest != "":
		return fmt.Sprintf("%d+", len(s.Findings))
	}
	return fmt.Sprint(len(s.Findings))
}

// barsOf places each share that is not empty on a line of a hundred units.
func barsOf(shares []Share) (bars []htmlBar) {
	whole, before := 0, 0
	for _, s := range shares {
		whole += max(s.Count, 0)
	}
	for _, s := range shares {
		if s.Count <= 0 {
			continue
		}
		at := func(n int) float64 { return 100 * float64(n) / float64(whole) }
		bars = append(bars, htmlBar{s, fmt.Sprintf("%.3f", at(before)), fmt.Sprintf("%.3f", at(s.Count))})
		before += s.Count
	}
	return bars
}

// cellsOf drops links that lead nowhere: what they name may have been left out.
func cellsOf(t Table, anchors map[string]int) [][]htmlCell {
	rows := make([][]htmlCell, len(t.Rows))
	for n, row := range t.Rows {
		for i, c := range row {
			one := htmlCell{Kind: [...]string{"text", "number", "badge", "code"}[c.kind], Text: c.text, Tone: c.tone}
			one.Number = c.kind == numberCell || i < len(t.Columns) && t.Columns[i].Number
			if to := anchor(c.link); c.link != "" && anchors[to] > 0 {
				one.Link = to
			}
			rows[n] = append(rows[n], one)
		}
	}
	return rows
}

// toneClass is the class of a tone: one of ours, whatever was put there.
func toneClass(t Tone) string {
	switch t {
	case Good, Bad, Warning, Notice:
		return strings.ToLower(string(t))
	}
	return "plain"
}
