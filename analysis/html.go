package analysis

import (
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// maxMarkup is how much of a page is looked at: what is longer is judged by its beginning.
const maxMarkup = 4 << 20

// SemanticTags are the elements that count as semantic: to HTML each of them means something that a <div> could be styled to look like.
// docs/html-signal.md has the reasons.
func SemanticTags() []string {
	return strings.Fields(`main nav header footer aside section article search address form
		h1 h2 h3 h4 h5 h6 hgroup
		p blockquote pre code em strong mark time abbr cite q dfn kbd samp var sub sup ins del
		ul ol menu li dl dt dd
		table caption thead tbody tfoot tr th td
		figure figcaption details summary dialog
		a button label input select optgroup option datalist textarea fieldset legend output progress meter`)
}

// GenericTags are those that mean nothing.
func GenericTags() []string { return []string{"div", "span"} }

// tag is what a start tag counts as.
type tag struct {
	semantic, generic bool
	// endsDrawing says that the tag cannot stand in a drawing: whoever wrote it there forgot to close it (HTML, 13.2.6.5).
	endsDrawing bool
}

var tags = sync.OnceValue(func() map[string]tag {
	known := map[string]tag{}
	for _, name := range SemanticTags() {
		known[name] = tag{semantic: true}
	}
	for _, name := range GenericTags() {
		known[name] = tag{generic: true}
	}
	for _, name := range strings.Fields(`blockquote body code dd div dl dt em h1 h2 h3 h4 h5 h6 head li menu ol p pre span strong sub sup table ul var`) {
		t := known[name]
		t.endsDrawing = true
		known[name] = t
	}
	return known
})

// markup counts the elements of a page as it is written. It goes by tokens, not by a tree: no nesting is too deep for it,
// and it takes as long as the page is.
type markup struct {
	semantic, generic int
	// templates and drawings are the open <template> and <svg> elements: what is in them is not on the page, or no structure of it.
	templates, drawings int
}

// countElements counts the semantic and the generic elements of a page.
func countElements(page string) (semantic, generic int) {
	page = page[:min(len(page), maxMarkup)]
	var m markup
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		z.AllowCDATA(m.drawings > 0)
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return m.semantic, m.generic
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := z.TagName()
			m.see(kind, name)
			if m.drawings > 0 && kind == html.SelfClosingTagToken { // <style/>, <script/> and <title/> hold no text there
				z.NextIsNotRawText()
			}
		}
	}
}

// see counts a tag.
func (m *markup) see(kind html.TokenType, name []byte) {
	switch string(name) {
	case "template":
		open(&m.templates, kind)
		return
	case "svg":
		open(&m.drawings, kind)
		return
	}
	if kind == html.EndTagToken || m.templates > 0 {
		return
	}
	t := tags()[string(name)]
	if t.endsDrawing {
		m.drawings = 0
	}
	if m.drawings > 0 {
		return
	}
	if t.semantic {
		m.semantic++
	}
	if t.generic {
		m.generic++
	}
}

// open counts how deep in elements of a kind we are.
func open(depth *int, kind html.TokenType) {
	switch kind {
	case html.StartTagToken:
		*depth++
	case html.EndTagToken:
		*depth = max(0, *depth-1)
	}
}
