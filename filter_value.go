package reprise

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Pattern is the value of a filter's term.
type Pattern struct {
	Text string
	// Wild says that * stands for any text in Text and ? for any one character.
	Wild bool
}

// Match says whether the whole text fits. Case counts.
func (p Pattern) Match(text string) bool {
	if !p.Wild {
		return p.Text == text
	}
	return glob(p.Text, text)
}

// MatchToken says whether a raw JSON token fits as it stands, or as the string that it is. An absent one does not.
func (p Pattern) MatchToken(raw string) bool {
	if raw == "" {
		return false
	}
	return p.Match(raw) || raw[0] == '"' && p.Match(content(raw))
}

// String is the pattern as a filter spells it.
func (p Pattern) String() string {
	if op, _ := cutOp(p.Text); !p.Wild && (op != Equal || p.Text == "" || wordEnd(p.Text) < len(p.Text) || strings.ContainsAny(p.Text, "*?")) {
		return quoted(p.Text)
	}
	return p.Text
}

func (p Pattern) matchesAny(texts []string) bool {
	for _, text := range texts {
		if p.Match(text) {
			return true
		}
	}
	return false
}

// glob goes back to the latest star only, which is enough and never explodes.
func glob(pattern, text string) bool {
	star, resume := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, resume = p, t
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, n := utf8.DecodeRuneInString(text[t:])
			p, t = p+1, t+n
		case p < len(pattern) && pattern[p] == text[t]:
			p, t = p+1, t+1
		case star >= 0:
			_, n := utf8.DecodeRuneInString(text[resume:])
			resume += n
			p, t = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// ContainsFold says whether text stands in data, whatever the case of ASCII letters.
func ContainsFold(data []byte, text string) bool {
	if text == "" {
		return true
	}
	first := [2]byte{lower(text[0]), upper(text[0])}
	next := [2]int{-1, -1} // where they stand next
	for i := 0; i+len(text) <= len(data); i++ {
		for k := range next {
			if next[k] < i {
				next[k] = indexFrom(data, i, first[k])
			}
		}
		i = min(next[0], next[1])
		if i+len(text) <= len(data) && beginsFold(data[i:], text) {
			return true
		}
	}
	return false
}

// indexFrom is where c stands in data from i on, or len(data).
func indexFrom(data []byte, i int, c byte) int {
	if n := bytes.IndexByte(data[i:], c); n >= 0 {
		return i + n
	}
	return len(data)
}

func beginsFold(data []byte, text string) bool {
	for i := range len(text) {
		if lower(data[i]) != lower(text[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// HasValue says whether a scalar in one message of a frame fits the pattern: a string by its content,
// all else by its raw token. It looks into the arguments of a tools/call, the params of other methods, and
// results; and, where a string under the key "text" is JSON itself, as in content blocks, into that, once.
func HasValue(data []byte, index int, p Pattern) bool {
	if p.cantBeIn(data) {
		return false
	}
	messages := ReadMessages(data)
	if len(data) >= PartSize && messages[0].Kind == KindInvalid { // cut
		messages[0] = ReadLong(data, nil)
	}
	if index >= len(messages) {
		return false
	}
	m := &messages[index]
	params := m.Params
	if m.Method == "tools/call" {
		arguments, _ := lookUp(params, "arguments")
		params = arguments.Raw
	}
	return hasLeaf(params, p) || hasLeaf(m.Result, p)
}

// cantBeIn says, without reading the JSON, that no value in it is the pattern's text: most lines
// don't have its bytes, and in JSON it has other bytes only where it is escaped.
func (p Pattern) cantBeIn(data []byte) bool {
	escapable := strings.ContainsFunc(p.Text, func(r rune) bool { return r < ' ' || strings.ContainsRune(`"\/`, r) })
	return !p.Wild && !escapable && !bytes.Contains(data, []byte(p.Text)) && !bytes.Contains(data, []byte(`\u`))
}

func hasLeaf(text string, p Pattern) bool {
	for key, raw := range leaves(text) {
		if fits(p, raw) || key == `"text"` && hasLeafInside(raw, p) {
			return true
		}
	}
	return false
}

func hasLeafInside(raw string, p Pattern) bool {
	if raw[0] != '"' {
		return false
	}
	text := content(raw)
	if depthOf([]byte(text)) > MaxDepth || !gjson.Valid(text) {
		return false
	}
	for _, leaf := range leaves(text) {
		if fits(p, leaf) {
			return true
		}
	}
	return false
}

func fits(p Pattern, raw string) bool {
	if raw[0] == '"' {
		return p.Match(content(raw))
	}
	return p.Match(raw)
}

// content is what a raw JSON string means.
func content(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 && len(raw) >= 2 {
		return raw[1 : len(raw)-1]
	}
	return gjson.Parse(raw).Str
}

// leaves gives the raw scalars of a JSON text, each with the raw key that it stands under, if any.
// It does not recurse, and stops where the text is cut.
func leaves(text string) iter.Seq2[string, string] {
	return func(yield func(key, raw string) bool) {
		key := ""
		for i := 0; i < len(text); {
			switch text[i] {
			case ' ', '\t', '\r', '\n', ':':
				i++
				continue
			case '{', '}', '[', ']', ',':
				key = ""
				i++
				continue
			}
			n := scalarEnd(text[i:])
			if n < 0 {
				return
			}
			raw := text[i : i+n]
			i += n
			if raw[0] == '"' && strings.HasPrefix(strings.TrimLeft(text[i:], " \t\r\n"), ":") {
				key = raw
			} else if !yield(key, raw) {
				return
			}
		}
	}
}

// scalarEnd is how long the scalar at the beginning of text is, or -1 when a string is cut.
func scalarEnd(text string) int {
	if text[0] != '"' {
		if n := strings.IndexAny(text, " \t\r\n:{}[],\""); n >= 0 {
			return n
		}
		return len(text)
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}
