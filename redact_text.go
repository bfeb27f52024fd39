package reprise

import (
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"slices"
	"strings"
)

// inText finds the secrets in text that is no JSON: prose, output, a URL, a header.
func (r *Redactor) inText(text string) []secret {
	spans := r.known.find(text)
	done := 0
	for _, p := range append(placeholders(text), secret{from: len(text), to: len(text)}) {
		t := textScan{text: text[done:p.from], base: done}
		t.scan()
		spans, done = append(spans, t.spans...), p.to
	}
	for _, p := range r.Patterns {
		for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
			from, to := m[0], m[1]
			if len(m) > 2 {
				from, to = m[2], m[3]
			}
			if from >= 0 && from < to {
				r.use("/" + p.String() + "/")
				spans = append(spans, secret{from: from, to: to, kind: "own", value: text[from:to]})
			}
		}
	}
	return r.settle(text, spans)
}

// textScan looks at text between placeholders a byte at a time. No regular expression: it runs at
// each start of record, over the command line.
type textScan struct {
	text  string
	base  int // where the text begins
	spans []secret
}

func (t *textScan) add(from, to int, kind, value string) {
	t.spans = append(t.spans, secret{from: t.base + from, to: t.base + to, kind: kind, value: value})
}

func (t *textScan) scan() {
	inWord := false
	for i := range len(t.text) {
		c := t.text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		switch {
		case letter && !inWord:
			t.word(i)
		case c == ':' && strings.HasPrefix(t.text[i:], "://"):
			t.userinfo(i + 3)
		case c == ':' || c == '=':
			t.assignment(i)
		case c == '-' && strings.HasPrefix(t.text[i:], "-----B"):
			if n := pemLength(t.text[i:]); n > 0 {
				t.add(i, i+n, "private-key", t.text[i:i+n])
			}
		}
		inWord = letter
	}
}

// word looks at where a word begins: tokens have their shape, and schemes their credentials.
func (t *textScan) word(i int) {
	rest := t.text[i:]
	for s := range tokenShapes {
		if tokenShapes[s].prefix[0] == rest[0] {
			if n := tokenShapes[s].length(rest); n > 0 {
				t.add(i, i+n, tokenShapes[s].kind, rest[:n])
				return
			}
		}
	}
	if n := jwtLength(rest); n > 0 {
		t.add(i, i+n, "token", rest[:n])
		return
	}
	if rest[0]|0x20 != 'b' {
		return
	}
	t.scheme(i, "bearer", random)
	t.scheme(i, "basic", isUserAndPassword)
}

// scheme masks what follows the scheme of an Authorization header.
func (t *textScan) scheme(i int, name string, fits func(string) bool) {
	rest := t.text[i:]
	if len(rest) <= len(name) || !strings.EqualFold(rest[:len(name)], name) {
		return
	}
	from := len(name) + run(rest[len(name):], " ")
	n := run(rest[from:], base64url+".~+/=")
	if from > len(name) && fits(rest[from:from+n]) {
		t.add(i+from, i+from+n, "token", rest[from:from+n])
	}
}

// isUserAndPassword says whether the text is what follows Basic in an Authorization header.
func isUserAndPassword(s string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil && strings.Contains(view(plain), ":")
}

// random says whether the text looks made by no person: long, or with signs of two classes.
func random(s string) bool {
	lower, upper, digit, other := 0, 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			lower = 1
		case c >= 'A' && c <= 'Z':
			upper = 1
		case c >= '0' && c <= '9':
			digit = 1
		default:
			other = 1
		}
	}
	return len(s) >= 16 || len(s) >= 8 && lower+upper+digit+other >= 2
}

// userinfo masks the password in scheme://user:password@host.
func (t *textScan) userinfo(from int) {
	authority := t.text[from:]
	if n := strings.IndexAny(authority, "/?#\\\"'<> \t\r\n"); n >= 0 {
		authority = authority[:n]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return
	}
	kind, start := "password", strings.IndexByte(authority[:at], ':')+1
	if start == 0 {
		kind = "token" // a name alone is no secret unless it looks like one
	}
	if kind == "token" && (at < 20 || !random(authority[:at])) || start == at || isReference(authority[start:at]) {
		return
	}
	t.add(from+start, from+at, kind, unquery(authority[start:at]))
}

func unquery(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// assignment looks at name=value, name: value and "name": "value", escaped or not, and
// masks the value when the name is a secret's and the value could be one.
func (t *textScan) assignment(sign int) {
	end := sign - min(4, sign-len(strings.TrimRight(t.text[:sign], ` "'\`)))
	from := end
	for from > 0 && end-from < 64 && strings.IndexByte(nameChars, t.text[from-1]) >= 0 {
		from--
	}
	name := t.text[from:end]
	if name == "" {
		return
	}
	query := t.text[sign] == '=' && end == sign && from > 0 && strings.IndexByte("?&#", t.text[from-1]) >= 0
	kind, ok := secretName(strings.TrimLeft(name, "-."))
	if query {
		kind, ok = secretParameter(name)
	}
	if !ok {
		return
	}
	stops := " \t\r\n\"'`\\,;&<>()[]{}|#"
	line := kind == "cookie" || strings.HasSuffix(strings.ToLower(name), "authorization")
	switch {
	case query:
		stops = " \t\r\n\"'`\\&<>#"
	case line:
		stops = "\r\n\"'`\\"
	}
	v := valueAt(t.text, sign+1, stops)
	value := t.text[v.from:v.to]
	tight := t.text[sign] == '=' && end == sign && v.from == sign+1
	switch {
	case value == "" || isReference(value):
	case query:
		t.add(v.from, v.to, kind, unquery(value))
	case v.to < len(t.text) && t.text[v.to] == '(' && !v.quoted: // a call in some source text
	case line || v.quoted || tight && len(value) >= 4 || len(value) >= 6 && strings.ContainsAny(value, digits):
		for _, c := range credential(value, kind) {
			t.add(v.from+c.from, v.from+c.to, kind, c.value)
		}
	}
}

// textValue is the place of a value in text.
type textValue struct {
	from, to int
	quoted   bool
}

// valueAt finds the value that stands behind a sign: in quotes, or up to one of the stops.
func valueAt(text string, at int, stops string) textValue {
	from := at + min(4, run(text[at:], "> "))
	slashes := run(text[from:], `\`)
	if q := from + slashes; q < len(text) && slashes < 4 && (text[q] == '"' || text[q] == '\'') {
		v := textValue{from: q + 1, quoted: true}
		v.to = v.from + endOfQuoted(text[v.from:], text[q], slashes)
		return v
	}
	n := strings.IndexAny(text[from:], stops)
	if n < 0 {
		n = len(text) - from
	}
	return textValue{from: from, to: from + n}
}

// endOfQuoted finds the closing quote: the one with as many backslashes before it as the
// opening one, or with escaped backslashes more.
func endOfQuoted(text string, quote byte, slashes int) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			return i
		case quote:
			before := i - len(strings.TrimRight(text[:i], `\`))
			if before >= slashes && (before-slashes)%(2*slashes+2) == 0 {
				return i - slashes
			}
		}
	}
	return len(text)
}

// knownValues finds secrets that were seen before, wherever they stand bare: as they
// are, escaped for a URL, escaped once or twice for JSON. Short and plain ones are not
// searched for: they would be found everywhere.
type knownValues struct {
	byStart map[uint64][]knownValue // by the first eight bytes
	bits    []uint64                // a filter over those
}

type knownValue struct{ form, value string }

const (
	startLength = 8
	filterBits  = 16
)

func (k *knownValues) add(value string) {
	if len(value) < startLength || !random(value) {
		return
	}
	once := string(appendString(nil, value))
	once = once[1 : len(once)-1]
	twice := string(appendString(nil, once))
	forms := []string{value, once, twice[1 : len(twice)-1], url.QueryEscape(value), url.PathEscape(value)}
	slices.Sort(forms)
	for _, form := range slices.Compact(forms) {
		k.addForm(knownValue{form, value})
	}
}

func (k *knownValues) addForm(v knownValue) {
	if k.byStart == nil {
		k.byStart, k.bits = map[uint64][]knownValue{}, make([]uint64, 1<<filterBits/64)
	}
	start := startOf(v.form)
	bit := filterBit(start)
	k.bits[bit/64] |= 1 << (bit % 64)
	all := append(k.byStart[start], v)
	slices.SortStableFunc(all, func(a, b knownValue) int { return len(b.form) - len(a.form) })
	k.byStart[start] = all
}

func startOf(s string) uint64 { return binary.LittleEndian.Uint64([]byte(s[:startLength])) }

func filterBit(start uint64) uint64 { return start * 0x9E3779B97F4A7C15 >> (64 - filterBits) }

func (k *knownValues) find(text string) (spans []secret) {
	if k.byStart == nil {
		return nil
	}
	for i := 0; i+startLength <= len(text); i++ {
		start := startOf(text[i:])
		bit := filterBit(start)
		if k.bits[bit/64]&(1<<(bit%64)) == 0 {
			continue
		}
		for _, v := range k.byStart[start] {
			if strings.HasPrefix(text[i:], v.form) {
				spans = append(spans, secret{from: i, to: i + len(v.form), kind: "secret", value: v.value})
				i += len(v.form) - 1
				break
			}
		}
	}
	return spans
}
