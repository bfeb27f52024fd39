package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

var jsonSyntax = syntax{parse: parseJSON, mean: meanJSON, quote: quoteJSON, key: quoteJSON}

// maxDepth bounds the nesting of what is parsed by functions that call themselves.
const maxDepth = 10_000

var (
	errNotUTF8 = errors.New("it is not UTF-8")
	errDeep    = errors.New("it is nested too deeply")
)

const byteOrderMark = "\ufeff"

func parseJSON(src []byte) (*node, error) {
	plain, err := plainJSON(src)
	if err != nil {
		return nil, err
	}
	value, err := hujson.Parse(plain)
	if err != nil {
		return nil, jsonError(err)
	}
	return jsonNode(src, value), nil
}

// plainJSON is the text as the library wants it, every byte in its old place: without a byte
// order mark, and with a line end behind a comment that ends the file.
func plainJSON(src []byte) ([]byte, error) {
	plain, err := withoutMark(src)
	if err == nil && tooDeep(src) {
		err = errDeep
	}
	return append(plain, '\n'), err
}

// withoutMark is the text with blanks in the place of a byte order mark, which libraries do not read.
func withoutMark(src []byte) ([]byte, error) {
	if !utf8.Valid(src) {
		return nil, errNotUTF8
	}
	plain := bytes.Clone(src)
	if bytes.HasPrefix(plain, []byte(byteOrderMark)) {
		copy(plain, "   ")
	}
	return plain, nil
}

// tooDeep counts brackets, those in strings too: more than enough either way.
func tooDeep(src []byte) bool {
	depth := 0
	for _, b := range src {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// jsonError keeps the place and leaves out the rest, which quotes the file.
func jsonError(err error) error {
	place, _, ok := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), ": ")
	if !ok || !strings.HasPrefix(place, "line ") {
		return errors.New("it is not JSON")
	}
	return fmt.Errorf("it is not JSON at %s", place)
}

func jsonNode(src []byte, v hujson.Value) *node {
	n := &node{start: v.StartOffset, end: v.EndOffset}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.kind = mapping
		for _, m := range value.Members {
			n.members = append(n.members, jsonMember(src, m))
		}
	case *hujson.Array:
		n.kind = list
		for _, e := range value.Elements {
			n.items = append(n.items, item{value: jsonNode(src, e), start: e.StartOffset, end: e.EndOffset, after: jsonComma(src, e)})
		}
	case hujson.Literal:
		if value.Kind() == '"' {
			n.kind, n.text = text, value.String()
		}
	}
	return n
}

// jsonComma is the place behind the comma that follows an element, or the element's end when a bracket follows.
func jsonComma(src []byte, element hujson.Value) int {
	if at := element.EndOffset + len(element.AfterExtra); at < len(src) && src[at] == ',' {
		return at + 1
	}
	return element.EndOffset
}

func jsonMember(src []byte, m hujson.ObjectMember) member {
	colon := colonOf(src[m.Name.EndOffset:m.Value.StartOffset], ":", ": ")
	gap := lastLine(string(m.Name.BeforeExtra))
	if gap == "" && colon != ":" {
		gap = " "
	}
	return member{
		key: m.Name.Value.(hujson.Literal).String(), keyStart: m.Name.StartOffset, keyEnd: m.Name.EndOffset,
		value: jsonNode(src, m.Value),
		lead:  "," + gap,
		colon: colon,
	}
}

// lastLine gives the white space at the end of a text, from its last line end on.
func lastLine(s string) string {
	space := s[len(strings.TrimRight(s, " \t\r\n")):]
	if at := strings.LastIndex(space, "\n"); at > 0 && space[at-1] == '\r' {
		return space[at-1:]
	} else if at >= 0 {
		return space[at:]
	}
	return space
}

// colonOf gives what stands between a key and its value, or the usual where a comment or a line end is part of it.
func colonOf(between []byte, sign, usual string) string {
	if s := string(between); strings.Trim(s, " \t") == sign {
		return s
	}
	return usual
}

func meanJSON(src []byte) (any, error) {
	plain, err := plainJSON(src)
	if err != nil {
		return nil, err
	}
	if plain, err = hujson.Standardize(plain); err != nil {
		return nil, jsonError(err)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber() // a number keeps its spelling
	if err := d.Decode(&v); err != nil {
		return nil, errors.New("it is not JSON")
	}
	return v, nil
}

func quoteJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be written
	return strings.TrimSuffix(b.String(), "\n")
}
