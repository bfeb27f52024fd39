package hosts

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// yamlPlace is where a token stands.
type yamlPlace struct {
	start, end int
	odd        string // why its bytes are not simply its value, "" when they are
	used       bool   // it stands in the tree
}

const (
	oddLines = "it is written over several lines"
	oddQuote = "it is quoted in an unusual way"
	oddText  = "it is written in an unusual way"
)

// yamlPlacer goes through the text with the tokens. The library's own places are not to be relied on, so none is asked:
// the tokens in their order, with nothing but space and comments between them, must spell the whole text.
type yamlPlacer struct {
	src   []byte
	at    int
	last  *token.Token // the last one that is no comment
	flow  []*token.Token
	ended bool // a document's end was seen
}

func (doc *yamlDoc) place(tokens token.Tokens) error {
	p := &yamlPlacer{src: doc.src}
	if bytes.HasPrefix(p.src, []byte(byteOrderMark)) {
		p.at = len(byteOrderMark)
	}
	for _, tk := range tokens {
		if tk.Type == token.CommentType {
			continue
		}
		place, ok := p.next(tk)
		if !ok || !p.bracket(tk, doc.closer) {
			return doc.notYAMLAt(p.at)
		}
		if err := p.document(tk); err != nil {
			return err
		}
		doc.places[tk], p.last = &place, tk
	}
	if p.skip(); p.at < len(p.src) || len(p.flow) > 0 {
		return doc.notYAMLAt(p.at)
	}
	return nil
}

// document refuses what makes a file more than one document.
func (p *yamlPlacer) document(tk *token.Token) error {
	switch {
	case tk.Type == token.DirectiveType:
		return errors.New("it has YAML directives")
	case p.ended, tk.Type == token.DocumentHeaderType && p.last != nil:
		return errors.New("it has several documents")
	case tk.Type == token.DocumentEndType:
		p.ended = true
	}
	return nil
}

// bracket keeps account of what is open.
func (p *yamlPlacer) bracket(tk *token.Token, closer map[*token.Token]*token.Token) bool {
	switch tk.Type {
	case token.SequenceStartType, token.MappingStartType:
		p.flow = append(p.flow, tk)
	case token.SequenceEndType, token.MappingEndType:
		last := len(p.flow) - 1
		if last < 0 || (p.flow[last].Type == token.SequenceStartType) != (tk.Type == token.SequenceEndType) {
			return false
		}
		closer[p.flow[last]] = tk
		p.flow = p.flow[:last]
	}
	return true
}

// next finds a token at the first byte that is neither space nor comment.
func (p *yamlPlacer) next(tk *token.Token) (yamlPlace, bool) {
	if p.last != nil && (p.last.Type == token.LiteralType || p.last.Type == token.FoldedType) {
		place, ok := p.spelt(tk.Value) // what looks like a comment there is text
		place.odd = oddLines
		return place, ok && p.lineEnds()
	}
	if p.skip(); !p.indented() {
		return yamlPlace{}, false
	}
	switch tk.Type {
	case token.SingleQuoteType, token.DoubleQuoteType:
		return p.quoted(tk)
	case token.LiteralType, token.FoldedType:
		place, ok := p.spelt(tk.Value)
		return place, ok && p.header()
	case token.MappingValueType:
		place, ok := p.spelt(":")
		return place, ok && (p.spaceFollows() || len(p.flow) > 0 && p.last != nil && isQuoted(p.last))
	case token.SequenceEntryType, token.MappingKeyType, token.DocumentHeaderType, token.DocumentEndType, token.TagType:
		place, ok := p.spelt(tk.Value)
		return place, ok && (p.spaceFollows() || tk.Type == token.TagType)
	case token.SequenceStartType, token.SequenceEndType, token.MappingStartType, token.MappingEndType,
		token.CollectEntryType, token.AnchorType, token.AliasType, token.DirectiveType:
		return p.spelt(tk.Value)
	}
	return p.plain(tk.Value)
}

// plain finds a text or number without quotes. Only this library takes some.
func (p *yamlPlacer) plain(value string) (yamlPlace, bool) {
	place, ok := p.spelt(value)
	switch {
	case !ok || place.start == place.end, !p.spaceFollows() && strings.IndexByte(":,[]{}", p.src[p.at]) < 0,
		strings.Contains(value+" ", ": "), strings.Contains(value, ":\t"), strings.Contains(value, " #"),
		strings.IndexByte("%@`&*!|>'\"#,[]{}", value[0]) >= 0,
		len(p.flow) > 0 && (strings.ContainsAny(value, ",[]{}") || value[0] == '?' || value[0] == ':'):
		return place, false
	case value == "-", value == "?", strings.HasPrefix(value, "..."), strings.HasPrefix(value+" ", "--- "):
		place.odd = oddText // where it begins a line it has another meaning
	}
	return place, true
}

func isQuoted(tk *token.Token) bool {
	return tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType
}

// skip goes over space and comments. A comment has space in front of it.
func (p *yamlPlacer) skip() {
	for start := p.at; p.at < len(p.src); p.at++ {
		switch c := p.src[p.at]; {
		case isYAMLSpace(c):
		case c == '#' && (p.at == 0 || p.at > start || isYAMLSpace(p.src[p.at-1]) || p.last == nil) && p.indented():
			p.at = lineEnd(p.src, p.at) - 1
		default:
			return
		}
	}
}

// indented says whether no tab stands in front of the line's first text, outside of brackets.
func (p *yamlPlacer) indented() bool {
	before := p.src[:p.at]
	space := before[len(bytes.TrimRight(before, " \t")):]
	first := len(space) == len(before) || before[len(before)-len(space)-1] == '\n'
	return len(p.flow) > 0 || !first || bytes.IndexByte(space, '\t') < 0
}

func isYAMLSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// lineEnd is the place of the next line end, or the text's end.
func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

func (p *yamlPlacer) spaceFollows() bool {
	return p.at == len(p.src) || isYAMLSpace(p.src[p.at])
}

// lineEnds says whether nothing more stands in the line.
func (p *yamlPlacer) lineEnds() bool {
	rest := p.src[p.at:lineEnd(p.src, p.at)]
	return p.at == 0 || p.src[p.at-1] == '\n' || len(bytes.TrimSpace(rest)) == 0
}

// header goes to the line behind the sign of a block of text.
func (p *yamlPlacer) header() bool {
	rest := bytes.TrimSpace(p.src[p.at:lineEnd(p.src, p.at)])
	if len(rest) > 0 && (rest[0] != '#' || !p.spaceFollows()) {
		return false
	}
	p.at = min(lineEnd(p.src, p.at)+1, len(p.src))
	return true
}

// spelt goes along a value that is not quoted. Its space may be written otherwise: then it is odd.
func (p *yamlPlacer) spelt(value string) (yamlPlace, bool) {
	place := yamlPlace{start: p.at, end: p.at}
	for i := range len(value) {
		if isYAMLSpace(value[i]) {
			continue
		}
		for p.at < len(p.src) && isYAMLSpace(p.src[p.at]) {
			p.at++
		}
		if p.at == len(p.src) || p.src[p.at] != value[i] {
			return place, false
		}
		if place.start == place.end {
			place.start = p.at
		}
		p.at++
		place.end = p.at
	}
	if string(p.src[place.start:place.end]) != value {
		place.odd = oddLines
	}
	return place, true
}

// quoted finds the closing quote, and looks whether what stands between is the value.
func (p *yamlPlacer) quoted(tk *token.Token) (yamlPlace, bool) {
	quote := byte('"')
	if tk.Type == token.SingleQuoteType {
		quote = '\''
	}
	place := yamlPlace{start: p.at}
	if p.at == len(p.src) || p.src[p.at] != quote {
		return place, false
	}
	place.end = closingQuote(p.src, p.at)
	if place.end < 0 {
		return place, false
	}
	p.at = place.end
	spelt := string(p.src[place.start:place.end])
	said, ok := unquoteYAML(spelt)
	switch {
	case strings.Contains(spelt, "\n"):
		place.odd = oddLines
	case said != tk.Value, strings.Contains(spelt, "\t"): // the library miscounts columns behind a tab
		place.odd = oddQuote
	}
	return place, ok
}

// closingQuote gives the place behind the quote that closes the one at a place, or -1.
func closingQuote(src []byte, at int) int {
	quote := src[at]
	for at++; at < len(src); at++ {
		switch {
		case src[at] == '\\' && quote == '"':
			at++
		case src[at] != quote:
		case quote == '\'' && at+1 < len(src) && src[at+1] == quote:
			at++
		default:
			return at + 1
		}
	}
	return -1
}

// yamlEscape is made when it is needed: every wrapped server waits for the start of this program.
var yamlEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(?s:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.|$)`)
})

// yamlShort are the escapes of one letter, each with what it stands for.
const yamlShort = "0\x00a\ab\bt\tn\nv\vf\fr\re\x1b  \"\"//\\\\N\u0085_\u00a0L\u2028P\u2029\t\t"

// unquoteYAML reads a quoted text of one line, and says whether its escapes are such.
func unquoteYAML(quoted string) (string, bool) {
	inner := quoted[1 : len(quoted)-1]
	if quoted[0] == '\'' {
		return strings.ReplaceAll(inner, "''", "'"), true
	}
	ok := true
	said := yamlEscape().ReplaceAllStringFunc(inner, func(escape string) string {
		if len(escape) > 3 {
			r, _ := strconv.ParseUint(escape[2:], 16, 32)
			ok = ok && utf8.ValidRune(rune(r))
			return string(rune(r))
		}
		short := []rune(yamlShort)
		for i := 0; i < len(short); i += 2 {
			if escape[1:] == string(short[i]) {
				return string(short[i+1])
			}
		}
		ok = ok && (escape == "\\\n" || escape == "\\\r") // a line end is no text
		return ""
	})
	return said, ok
}
