package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// MarkdownMark begins every file that WriteMarkdown has written, so that it can be told from a stranger's.
const MarkdownMark = "<!-- reprise: report, markdown -->"

// WriteMarkdown writes the document as Markdown in GitHub's flavour, for a pull request or a job's summary. No text in it is
// markup, a link, or a reference that would notify anybody.
func WriteMarkdown(w io.Writer, d *Document) error {
	m := &markdown{}
	m.document(d)
	if _, err := io.WriteString(w, m.String()); err != nil {
		return fmt.Errorf("write Markdown: %w", err)
	}
	return nil
}

// markdown writes blocks with an empty line between.
type markdown struct{ strings.Builder }

// block writes one if there is something in it.
func (m *markdown) block(text string) {
	if text != "" {
		m.WriteString("\n" + text + "\n")
	}
}

func (m *markdown) document(d *Document) {
	m.WriteString(MarkdownMark + "\n")
	m.block(heading("#", d.Title))
	m.block(prose(d.Lead))
	m.block(factRows(d.Facts))
	m.block(shareLine(d.Shares))
	for _, s := range d.Sections {
		m.section(&s)
	}
	if d.Footer != "" {
		m.block("---")
		m.block("<sub>" + prose(d.Footer) + "</sub>")
	}
}

func (m *markdown) section(s *Section) {
	m.block(heading("##", s.Title))
	m.block(prose(s.Lead))
	for _, t := range s.Tables {
		m.table(&t)
	}
	for _, f := range s.Findings {
		m.finding(&f)
	}
	m.block(prose(s.Rest))
}

func heading(level, title string) string {
	if title == "" {
		return ""
	}
	return level + " " + prose(brief(title))
}

func factRows(facts []Fact) string {
	if len(facts) == 0 {
		return ""
	}
	rows := []string{"| | |", "|---|---|"}
	for _, f := range facts {
		rows = append(rows, fmt.Sprintf("| %s | %s%s |", prose(brief(f.Name)), mark(f.Tone), strong(prose(brief(f.Value)))))
	}
	return strings.Join(rows, "\n")
}

func shareLine(shares []Share) string {
	var parts []string
	for _, s := range shares {
		if s.Count > 0 {
			parts = append(parts, fmt.Sprintf("%s**%d** %s", mark(s.Tone), s.Count, prose(brief(s.Name))))
		}
	}
	return strings.Join(parts, " · ")
}

func (m *markdown) table(t *Table) {
	if len(t.Columns) == 0 {
		return
	}
	m.block(strong(prose(brief(t.Caption))))
	head, rule := "|", "|"
	for _, c := range t.Columns {
		head += " " + prose(brief(c.Title)) + " |"
		if c.Number {
			rule += "---:|"
		} else {
			rule += "---|"
		}
	}
	rows := []string{head, rule}
	for _, cells := range t.Rows {
		row := "|"
		for _, c := range cells[:min(len(cells), len(t.Columns))] {
			row += " " + c.markdown() + " |"
		}
		rows = append(rows, row)
	}
	m.block(strings.Join(rows, "\n"))
	m.block(prose(t.Rest))
}

func (c Cell) markdown() string {
	switch {
	case c.text == "":
		return ""
	case c.kind == codeCell:
		return code(brief(c.text))
	case c.kind == badgeCell:
		return mark(c.tone) + prose(brief(c.text))
	}
	return prose(brief(c.text))
}

func (m *markdown) finding(f *Finding) {
	title := prose(brief(f.Title))
	if f.Badge != "" {
		title = prose(brief(f.Badge)) + ": " + title
	}
	if f.About != "" {
		title = strings.TrimSpace(title) + " " + code(brief(f.About))
	}
	m.block("### " + mark(f.Tone) + title)
	for _, t := range f.Texts {
		if t.Name == "" {
			m.block(prose(t.Value))
			continue
		}
		m.block(strong(prose(t.Name)+":") + " " + prose(t.Value))
	}
	for _, e := range f.Evidence {
		m.block("<details><summary>" + inCode(brief(e.Title), element) + "</summary>")
		m.block(fenced(e.Text))
		m.block("</details>")
	}
}

// strong is a text in bold, if there is one.
func strong(text string) string {
	if text == "" {
		return ""
	}
	return "**" + text + "**"
}

// mark is a tone where there are no colours.
func mark(t Tone) string {
	return map[Tone]string{Good: "🟢 ", Bad: "🔴 ", Warning: "🟠 ", Notice: "🔵 "}[t]
}

// fenced is a text as it is, between fences longer than any in it.
func fenced(text string) string {
	text = visibleLines(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + text + "\n" + fence
}

// code is a text in which nothing is markup, and no forge looks for names, numbers or links: it looks at what has been rendered, so
// that no backslash keeps it from a name; but never into code.
func code(text string) string {
	text = visible(text)
	if text == "" || strings.ContainsAny(text, "`|\\") || strings.TrimSpace(text) != text {
		return element(text)
	}
	return "`" + text + "`"
}

// element is code as HTML, with entities for all that Markdown or HTML could find in it.
func element(text string) string {
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range text {
		if r > unicode.MaxASCII || r == ' ' || isWord(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "&#%d;", r)
	}
	b.WriteString("</code>")
	return b.String()
}

// prose is a text with every word in code that is more than a word: a name, a path, markup, a reference.
func prose(text string) string { return unlist(inCode(text, code)) }

// inCode puts the words of a text that are more than that into code of some form.
func inCode(text string, code func(string) string) string {
	words := strings.Fields(visible(text))
	for i, word := range words {
		before, core, after := bare(word)
		if !plainWord(core) {
			words[i] = before + code(core) + after
		}
	}
	return strings.Join(words, " ")
}

// unlist keeps a line's beginning from being that of a list, a rule or an underline.
func unlist(line string) string {
	at := len(line) - len(strings.TrimLeft(line, "0123456789"))
	rest := line[at:]
	if rest == "" || !strings.ContainsRune("-+=.)", rune(rest[0])) || at == 0 == strings.ContainsRune(".)", rune(rest[0])) {
		return line
	}
	if at > 0 && len(rest) > 1 && rest[1] != ' ' {
		return line // a number with a fraction
	}
	return line[:at] + `\` + rest
}

// bare takes the punctuation around a word off, unless there is nothing else.
func bare(word string) (before, core, after string) {
	inner := strings.TrimLeft(word, `("'“„`)
	core = strings.TrimRight(inner, `.,;:!?)"'”`)
	if core == "" {
		return "", word, ""
	}
	return word[:len(word)-len(inner)], core, inner[len(core):]
}

// plainWord says whether a word has nothing in it that Markdown, HTML or a forge could take for something else: no mark that opens
// anything, no scheme or emoji, no commit, no issue as in GH-12, no command to the forge as in /close.
func plainWord(word string) bool {
	if strings.Trim(word, "0123456789:.") == "" {
		return true // a time, too
	}
	for _, r := range word {
		if r <= unicode.MaxASCII && !isWord(r) && !strings.ContainsRune(`.,;()'"/?-=%+`, r) {
			return false
		}
	}
	lower := strings.ToLower(word)
	return !strings.HasPrefix(word, "/") && !strings.Contains(lower, "www.") && !strings.Contains(lower, "gh-") && !isHash(lower)
}

// isHash says whether a word may be the name of a commit.
func isHash(lower string) bool {
	return len(lower) >= 7 && strings.Trim(lower, "0123456789abcdef") == "" && strings.ContainsAny(lower, "0123456789") && strings.ContainsAny(lower, "abcdef")
}

func isWord(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
