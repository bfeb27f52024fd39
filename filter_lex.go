package reprise

import (
	"strings"
	"unicode"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenOpen
	tokenClose
	tokenAnd
	tokenOr
	tokenNot
	tokenTerm
	tokenText
	tokenRegexp
)

func (k tokenKind) beginsUnit() bool {
	return k == tokenOpen || k == tokenNot || k == tokenTerm || k == tokenText || k == tokenRegexp
}

type token struct {
	kind   tokenKind
	at     int   // where it begins in the text
	field  Field // of a term
	text   string
	quoted bool
}

// lexer cuts the text of a filter into tokens.
type lexer struct {
	text string
	pos  int
}

func (l *lexer) rest() string { return l.text[l.pos:] }

func (l *lexer) next() (token, error) {
	l.pos = len(l.text) - len(strings.TrimLeftFunc(l.rest(), unicode.IsSpace))
	t := token{at: l.pos}
	var err error
	switch c := l.peek(); c {
	case 0:
		if l.pos < len(l.text) { // a NUL is text like any other
			return l.word(t)
		}
	case '(', ')':
		t.kind = tokenOpen
		if c == ')' {
			t.kind = tokenClose
		}
		l.pos++
	case '"':
		t.kind, t.quoted = tokenText, true
		t.text, err = l.quotation()
	case '/':
		t.kind = tokenRegexp
		t.text, err = l.delimited("regexp", `close it with /; inside, \/ is a slash; put text with slashes in quotes: "/usr/bin"`)
	default:
		return l.word(t)
	}
	return t, err
}

// peek is the next byte, or 0 at the end.
func (l *lexer) peek() byte {
	if l.pos == len(l.text) {
		return 0
	}
	return l.text[l.pos]
}

// word reads a keyword, a term, or a word of free text.
func (l *lexer) word(t token) (token, error) {
	n := wordEnd(l.rest())
	text := l.rest()[:n]
	l.pos += n
	name, value, isTerm := cutField(text)
	if next := l.peek(); next == '"' && isTerm && value == "" {
		t.kind, t.field, t.quoted = tokenTerm, name, true
		var err error
		t.text, err = l.quotation()
		return t, err
	}
	t.text = text
	switch strings.ToLower(text) {
	case "and":
		t.kind = tokenAnd
	case "or":
		t.kind = tokenOr
	case "not":
		t.kind = tokenNot
	default:
		return l.plain(t)
	}
	return t, nil
}

// plain classes a word that is no keyword.
func (l *lexer) plain(t token) (token, error) {
	if next := l.peek(); next == '"' || next == '(' {
		return t, l.errorAt(l.pos, "a blank is missing before "+string(next), "put the whole value in quotes when it is a part of it")
	}
	if name, op, ok := cutComparison(t.text); ok {
		return t, l.errorAt(t.at, "a colon is missing after "+name, "write "+name+":"+strings.TrimPrefix(op, "=")+", or put the text in quotes")
	}
	if name, value, ok := cutField(t.text); ok {
		t.kind, t.field, t.text = tokenTerm, name, value
		return t, nil
	}
	t.kind = tokenText
	return t, nil
}

func (l *lexer) quotation() (string, error) {
	return l.delimited("quoted text", `close it with "; inside, \" is a quote and \\ a backslash`)
}

// delimited reads from one delimiter to the next of its kind. A backslash keeps a delimiter
// from ending it, and in quoted text a backslash from being one; elsewhere it stays what it is.
func (l *lexer) delimited(what, hint string) (string, error) {
	start, delimiter := l.pos, l.text[l.pos]
	var b strings.Builder
	for l.pos++; l.pos < len(l.text); l.pos++ {
		c := l.text[l.pos]
		if c == delimiter {
			l.pos++
			return b.String(), l.separate(what)
		}
		if c == '\\' && l.pos+1 < len(l.text) {
			l.pos++
			next := l.text[l.pos]
			if next != delimiter && (next != '\\' || delimiter == '/') {
				b.WriteByte('\\')
			}
			c = next
		}
		b.WriteByte(c)
	}
	return "", l.errorAt(start, "the "+what+" does not end", hint)
}

// separate sees that nothing is glued to the end of what was delimited.
func (l *lexer) separate(what string) error {
	if r := l.rest(); r == "" || r[0] == ')' || strings.IndexFunc(r, unicode.IsSpace) == 0 {
		return nil
	}
	return l.errorAt(l.pos, "a blank is missing after the "+what, `put text with slashes or quotes in quotes: "/usr/bin", "say \"hi\""`)
}

// wordEnd is how long the word at the beginning of text is.
func wordEnd(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`()"`, r) })
	if n < 0 {
		return len(text)
	}
	return n
}

// cutField cuts a word into field and value when it begins with letters and a colon.
func cutField(word string) (Field, string, bool) {
	name, value, ok := strings.Cut(word, ":")
	if !ok || name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz_") != "" {
		return "", "", false
	}
	return Field(name), value, true
}

// cutComparison finds dur>5s, which would be free text that nobody means.
func cutComparison(word string) (name, rest string, ok bool) {
	i := strings.IndexAny(word, "<>=")
	if i < 0 || fieldNamed(Field(word[:i])) == nil {
		return "", "", false
	}
	return word[:i], word[i:], true
}
