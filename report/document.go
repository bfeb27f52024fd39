package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Document is a report for people. Its texts may hold anything: the writers show
// what a page or a terminal would obey, and obey none of it. What stands in titles, facts and tables is cut where it is long.
type Document struct {
	Title  string
	Lead   string  // what came out, in a sentence
	Facts  []Fact  // the few that one looks for first
	Shares []Share // parts of one whole, drawn as a bar
	// Sections are linked to at the top.
	Sections []Section
	Footer   string
}

// Fact is a value with its name.
type Fact struct {
	Name, Value string
	Tone        Tone
}

// Share is one part of a whole.
type Share struct {
	Name  string
	Count int
	Tone  Tone
}

// Section is a chapter. Its ID is what a link to it ends in.
type Section struct {
	ID, Title string
	Lead      string // what it shows, in a sentence
	Tables    []Table
	Findings  []Finding
	Rest      string // what is left out of it, in words
}

// Table is rows of cells under named columns. The first cell of a row names it.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
	Rest    string // what is left out of it, in words
}

// Column is the head of one. Numbers stand at its right edge.
type Column struct {
	Title  string
	Number bool
}

// Finding is something that was noticed, with what proves it. Its ID is what a link to it ends in.
type Finding struct {
	ID       string
	Title    string
	Badge    string
	Tone     Tone
	About    string // the name of what it is about, shown as code; "" of nothing in particular
	Texts    []Fact // sentences with their names; a nameless one stands alone
	Evidence []Evidence
}

// Evidence is a text of any length that is folded away.
type Evidence struct{ Title, Text string }

// Cell is one place of a table: see Text, Number, Badge and Code. Its zero value is empty.
type Cell struct {
	kind cellKind
	text string
	tone Tone
	link string
}

type cellKind int

const (
	textCell cellKind = iota
	numberCell
	badgeCell
	codeCell
)

// Text is words.
func Text(s string) Cell { return Cell{text: s} }

// Number is a number as it is to be shown, with its unit.
func Number(v any) Cell { return Cell{kind: numberCell, text: fmt.Sprint(v)} }

// Badge is a word that stands out.
func Badge(s string, tone Tone) Cell { return Cell{kind: badgeCell, text: s, tone: tone} }

// Code is a name or value as it crossed.
func Code(s string) Cell { return Cell{kind: codeCell, text: s} }

// Link is the cell as a link to the section or finding with that ID.
func (c Cell) Link(id string) Cell {
	c.link = id
	return c
}

// Toned is the cell in a tone.
func (c Cell) Toned(tone Tone) Cell {
	c.tone = tone
	return c
}

// Tone is how good or bad something is. The zero value is neither.
type Tone string

// The tones.
const (
	Good    Tone = "good"
	Bad     Tone = "bad"
	Warning Tone = "warning"
	Notice  Tone = "notice"
)

// Rewrite puts every text of the document through a function, such as one that masks secrets.
func (d *Document) Rewrite(f func(string) string) {
	each(f, &d.Title, &d.Lead, &d.Footer)
	rewriteFacts(d.Facts, f)
	for i := range d.Shares {
		each(f, &d.Shares[i].Name)
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		each(f, &s.Title, &s.Lead, &s.Rest)
		for n := range s.Tables {
			s.Tables[n].rewrite(f)
		}
		for n := range s.Findings {
			s.Findings[n].rewrite(f)
		}
	}
}

func each(f func(string) string, texts ...*string) {
	for _, text := range texts {
		*text = f(*text)
	}
}

func rewriteFacts(list []Fact, f func(string) string) {
	for i := range list {
		each(f, &list[i].Name, &list[i].Value)
	}
}

func (t *Table) rewrite(f func(string) string) {
	each(f, &t.Caption, &t.Rest)
	for i := range t.Columns {
		each(f, &t.Columns[i].Title)
	}
	for _, row := range t.Rows {
		for i := range row {
			each(f, &row[i].text)
		}
	}
}

func (n *Finding) rewrite(f func(string) string) {
	each(f, &n.Title, &n.Badge, &n.About)
	rewriteFacts(n.Texts, f)
	for i := range n.Evidence {
		each(f, &n.Evidence[i].Title, &n.Evidence[i].Text)
	}
}

// anchors gives every ID a form of its own that is safe in a link and an attribute.
type anchors struct{ taken map[string]int }

func (a *anchors) of(id string) string {
	if a.taken == nil {
		a.taken = map[string]int{}
	}
	safe := anchor(id)
	name := safe
	for a.taken[name] > 0 {
		a.taken[safe]++
		name = fmt.Sprintf("%s-%d", safe, a.taken[safe])
	}
	a.taken[name] = 1
	return name
}

// anchor is an ID as far as it is letters, digits and dashes.
func anchor(id string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return unicode.ToLower(r)
		}
		return -1
	}, id)
	if len(safe) > 64 {
		safe = safe[:64]
	}
	if safe == "" {
		return "part"
	}
	return safe
}

// mostShown is how many characters of a name or a cell are shown: strangers may have named it. It is cut when it is
// written, for what masks secrets has to see it whole.
const mostShown = 200

func brief(text string) string {
	n := 0
	for at := range text {
		if n++; n > mostShown {
			return text[:at] + "…"
		}
	}
	return text
}

// visible is a text in one line in which everything can be seen: what has no shape, turns the direction of what follows, stands on
// its neighbours or is no UTF-8 is written as an escape.
func visible(text string) string { return shown(text, "") }

// visibleLines is visible, with line ends and tabs as they are.
func visibleLines(text string) string {
	return shown(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n\t")
}

// maxMarks is how many marks a letter may carry: more of them reach into the lines around.
const maxMarks = 3

func shown(text, plain string) string {
	var b strings.Builder
	marks := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		mark := unicode.In(r, unicode.Mn, unicode.Me)
		if mark {
			marks++
		} else {
			marks = 0
		}
		switch raw := text[i : i+size]; {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, raw[0])
		case strings.ContainsRune(plain, r), unicode.IsPrint(r) && marks <= maxMarks:
			b.WriteString(raw)
		default:
			b.WriteString(escape(r))
		}
		i += size
	}
	return b.String()
}

func escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	case '\r':
		return `\r`
	}
	if r < 0x80 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
