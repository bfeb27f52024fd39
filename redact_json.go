package reprise

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxNesting is how deep JSON inside text inside JSON is followed.
const maxNesting = 6

// inJSON finds the secrets in text that is one JSON object or array, or several in a row.
func (r *Redactor) inJSON(text string, nesting int) ([]secret, bool) {
	start := strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n")
	if start == "" || start[0] != '{' && start[0] != '[' || nesting > maxNesting || depthOf(bytesOf(start)) > MaxDepth {
		return nil, false
	}
	w := walk{redactor: r, text: text, nesting: nesting}
	for at := len(text) - len(start); at < len(text); {
		var s scanner
		end := at + s.feed(bytesOf(text[at:]), true)
		if !s.closed || !gjson.Valid(text[at:end]) {
			return nil, false
		}
		w.value(at, end)
		at = len(text) - len(strings.TrimLeft(text[end:], " \t\r\n"))
	}
	return w.spans, true
}

// walk goes over the tokens of valid JSON without recursion and collects the secrets in its strings.
type walk struct {
	redactor *Redactor
	text     string
	nesting  int
	open     []container
	spans    []secret
}

// container is an object or array that the walk is in.
type container struct {
	array  bool
	key    string // of the member at hand
	index  int    // of the element at hand
	inKey  bool   // a key comes next
	kind   string // what the member at hand is, or every element is, when it is a secret
	all    string // what everything inside is, when a path of the user's names it
	sister string // what the member "value" is, as "name" says
}

func (w *walk) value(at, end int) {
	for at < end {
		switch c := w.text[at]; c {
		case '{', '[':
			w.push(c == '[')
		case '}', ']':
			w.open = w.open[:len(w.open)-1]
		case ',':
			w.next()
		case '"':
			n := 1 + endOfString(w.text[at+1:end])
			w.token(at+1, at+n)
			at += n
		case ':', ' ', '\t', '\r', '\n':
		default:
			n := len(w.text[at:end]) - len(strings.TrimLeft(w.text[at:end], "+-.0123456789truefalsnE"))
			w.bare(at, at+n)
			at += max(0, n-1)
		}
		at++
	}
}

// endOfString is the place of the quote that ends the string.
func endOfString(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

func (w *walk) push(array bool) {
	c := container{array: array, inKey: !array, all: w.named()}
	if top := w.top(); top != nil && array {
		c.kind = top.kind
	}
	w.open = append(w.open, c)
}

func (w *walk) next() {
	top := w.top()
	top.inKey = !top.array
	top.index++
}

func (w *walk) top() *container {
	if len(w.open) == 0 {
		return nil
	}
	return &w.open[len(w.open)-1]
}

// named is what the user's paths say of the value at hand.
func (w *walk) named() string {
	if top := w.top(); top != nil && top.all != "" {
		return top.all
	}
	if w.nesting == 0 && w.redactor.pathMatches(w.open) {
		return "own"
	}
	return ""
}

// token looks at the string between two quotes.
func (w *walk) token(from, to int) {
	raw := w.text[from:to]
	s := raw
	if strings.IndexByte(raw, '\\') >= 0 {
		s, _ = unescape(raw, false)
	}
	spans := w.secrets(s)
	if len(spans) > 0 && len(s) != len(raw) {
		_, places := unescape(raw, true)
		for i := range spans {
			spans[i].from, spans[i].to = places[spans[i].from], places[spans[i].to]
		}
	}
	for _, found := range spans {
		found.from, found.to, found.bare = found.from+from, found.to+from, false
		w.spans = append(w.spans, found)
	}
}

// secrets finds the secrets in a decoded string, by what it is or by what is in it.
func (w *walk) secrets(s string) []secret {
	top := w.top()
	if !top.array && top.inKey {
		top.inKey, top.key = false, s
		top.kind, _ = secretName(s)
		return w.redactor.inText(s)
	}
	kind := w.named()
	switch {
	case kind != "":
	case top.array || top.kind != "":
		kind = top.kind
	case top.key == "value":
		kind = top.sister
	case top.key == "name" || top.key == "key":
		top.sister, _ = secretName(s)
	case w.envelope() && (top.key == "method" || top.key == "jsonrpc"):
		return nil
	}
	if kind != "" {
		return w.redactor.settle(s, credential(s, kind))
	}
	if spans, ok := w.redactor.inJSON(s, w.nesting+1); ok {
		return spans
	}
	return w.redactor.inText(s)
}

// envelope says whether the member at hand is one of the JSON-RPC object's own.
func (w *walk) envelope() bool {
	return w.nesting == 0 && (len(w.open) == 1 || len(w.open) == 2 && w.open[0].array)
}

// bare masks a number or literal, where a path of the user's names it.
func (w *walk) bare(from, to int) {
	if kind := w.named(); kind != "" && w.nesting == 0 {
		w.spans = append(w.spans, secret{from: from, to: to, kind: kind, value: w.text[from:to], bare: true})
	}
}

// credential is the secret part of a value that is a secret by its name: the
// whole, or the word behind the scheme of an Authorization header. A reference to a variable is none.
func credential(s, kind string) []secret {
	from, to := 0, len(s)
	if scheme, rest, ok := strings.Cut(s, " "); ok && slices.Contains([]string{"bearer", "basic", "token", "apikey"}, strings.ToLower(scheme)) {
		from = to - len(strings.TrimLeft(rest, " "))
		if n := strings.IndexAny(s[from:], " \t\r\n"); n >= 0 {
			to = from + n
		}
	}
	if from == to || isReference(s[from:to]) {
		return nil
	}
	return []secret{{from: from, to: to, kind: kind, value: s[from:to]}}
}

// isReference says whether the text names a variable or a blank to be filled in: ${TOKEN}, $TOKEN, <token>, {{token}}, %TOKEN%.
func isReference(s string) bool {
	inner := strings.Trim(s, "${}<>%")
	if len(inner) > 64 || strings.Trim(inner, nameChars+" :") != "" {
		return false
	}
	variable := s[0] == '$' && strings.ToUpper(s) == s
	for _, wrap := range []string{"${ }", "{ }", "< >", "% %"} {
		start, end, _ := strings.Cut(wrap, " ")
		variable = variable || strings.HasPrefix(s, start) && strings.HasSuffix(s, end)
	}
	return variable
}

const nameChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."

// pathMatches says whether a path of the user's names the value at hand.
func (r *Redactor) pathMatches(open []container) bool {
	if len(r.Paths) == 0 || len(open) == 0 {
		return false
	}
	var at []string
	for _, c := range open {
		if c.array {
			at = append(at, strconv.Itoa(c.index))
		} else {
			at = append(at, c.key)
		}
	}
	matches := false
	for _, path := range r.Paths {
		if segmentsMatch(strings.Split(path, "."), at) {
			r.use(path)
			matches = true
		}
	}
	return matches
}

func segmentsMatch(path, at []string) bool {
	for i, segment := range path {
		if segment == "**" {
			for j := i; j <= len(at); j++ {
				if segmentsMatch(path[i+1:], at[j:]) {
					return true
				}
			}
			return false
		}
		if i >= len(at) || segment != "*" && segment != at[i] {
			return false
		}
	}
	return len(path) == len(at)
}

// unescape decodes what stands between the quotes of a JSON string. When asked to,
// it gives the place in raw of each byte, and of the end.
func unescape(raw string, wanted bool) (string, []int) {
	b := make([]byte, 0, len(raw))
	var places []int
	for i := 0; i < len(raw); {
		n := 1
		if raw[i] != '\\' || i+1 == len(raw) {
			b = append(b, raw[i])
		} else {
			b, n = appendEscaped(b, raw[i:])
		}
		for wanted && len(places) < len(b) {
			places = append(places, i)
		}
		i += n
	}
	return string(b), append(places, len(raw))
}

// appendEscaped decodes the escape that text begins with, and gives its length.
func appendEscaped(b []byte, text string) ([]byte, int) {
	switch text[1] {
	case 'n':
		return append(b, '\n'), 2
	case 'r':
		return append(b, '\r'), 2
	case 't':
		return append(b, '\t'), 2
	case 'b':
		return append(b, '\b'), 2
	case 'f':
		return append(b, '\f'), 2
	case 'u':
		first, second := hexRune(text), rune(-1)
		if utf16.IsSurrogate(first) && len(text) > 6 {
			second = hexRune(text[6:])
		}
		if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
			return utf8.AppendRune(b, pair), 12
		}
		return utf8.AppendRune(b, first), min(6, len(text))
	}
	return append(b, text[1]), 2
}

// hexRune reads \uXXXX, or gives -1.
func hexRune(text string) rune {
	if len(text) < 6 || text[:2] != `\u` {
		return -1
	}
	n, err := strconv.ParseUint(text[2:6], 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}
