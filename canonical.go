package reprise

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Canonical writes a JSON value in the one way that all its spellings share: members in the order of
// their names, the last of duplicates only, no blanks, no needless escapes, and numbers as CanonicalNumber
// writes them. So two values are the same when their canonical texts are. Half surrogate pairs stay
// what they are. What is no JSON, or is nested deeper than MaxDepth, comes back as it is.
func Canonical(raw string) []byte {
	if tooDeep(bytesOf(raw)) || !gjson.Valid(raw) {
		return []byte(raw)
	}
	return AppendCanonical(make([]byte, 0, len(raw)), raw)
}

// AppendCanonical adds the canonical text of what is known to be valid JSON and not too deep, such as a part of a Message.
func AppendCanonical(b []byte, raw string) []byte {
	c := canon{raw: raw, out: b}
	c.value()
	if c.mixed == nil {
		return c.out
	}
	slices.SortFunc(c.mixed, func(a, b mixed) int { return cmp.Compare(a.from, b.from) })
	return append(c.out[:len(b)], c.arrange(make([]byte, 0, len(c.out)-len(b)), len(b), len(c.out), c.mixed)...)
}

// canon goes once over valid JSON, and once more over what it wrote where members have to change places:
// a value is not gone over again for each level above it, as gjson would.
type canon struct {
	raw     string
	pos     int // in raw
	out     []byte
	members []place // of the objects that are being read
	mixed   []mixed
}

// place is where a member of an object stands in canon.out.
type place struct{ from, colon, to int }

// mixed is an object whose members stand in another order than that of their names, or twice.
type mixed struct {
	from, to int     // of its braces
	members  []place // as they should stand
}

func (c *canon) value() {
	switch c.peek() {
	case '{':
		c.object()
	case '[':
		c.array()
	case '"':
		c.text()
	case 't', 'f', 'n':
		c.out = append(c.out, c.token()...)
	default:
		c.out = append(c.out, canonicalNumber(c.token())...)
	}
}

// peek is the next byte that is no blank.
func (c *canon) peek() byte {
	for strings.IndexByte(" \t\r\n", c.raw[c.pos]) >= 0 {
		c.pos++
	}
	return c.raw[c.pos]
}

// token takes a number, true, false or null.
func (c *canon) token() string {
	start := c.pos
	for c.pos < len(c.raw) && strings.IndexByte(",]} \t\r\n", c.raw[c.pos]) < 0 {
		c.pos++
	}
	return c.raw[start:c.pos]
}

func (c *canon) array() {
	c.out = append(c.out, '[')
	c.pos++
	for c.peek() != ']' {
		if c.raw[c.pos] == ',' {
			c.out = append(c.out, ',')
			c.pos++
		}
		c.value()
	}
	c.out = append(c.out, ']')
	c.pos++
}

func (c *canon) object() {
	start, base, ordered := len(c.out), len(c.members), true
	c.out = append(c.out, '{')
	c.pos++
	for c.peek() != '}' {
		if c.raw[c.pos] == ',' {
			c.out = append(c.out, ',')
			c.pos++
			c.peek()
		}
		m := c.member()
		if n := len(c.members); n > base && bytes.Compare(c.name(c.members[n-1]), c.name(m)) >= 0 {
			ordered = false
		}
		c.members = append(c.members, m)
	}
	if !ordered {
		c.mixed = append(c.mixed, mixed{start, len(c.out), c.inOrder(c.members[base:])})
	}
	c.members = c.members[:base]
	c.out = append(c.out, '}')
	c.pos++
}

func (c *canon) member() place {
	m := place{from: len(c.out)}
	c.text()
	m.colon = len(c.out)
	c.peek()
	c.out = append(c.out, ':')
	c.pos++
	c.value()
	m.to = len(c.out)
	return m
}

func (c *canon) name(m place) []byte { return c.out[m.from:m.colon] }

// inOrder sorts members by their names, and drops all but the last of each.
func (c *canon) inOrder(members []place) []place {
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, func(a, b place) int {
		return cmp.Or(bytes.Compare(c.name(a), c.name(b)), b.from-a.from)
	})
	return slices.CompactFunc(sorted, func(a, b place) bool { return bytes.Equal(c.name(a), c.name(b)) })
}

// arrange writes out[from:to] with the members of the mixed objects in it, which are the first of those given, in order.
func (c *canon) arrange(b []byte, from, to int, objects []mixed) []byte {
	for len(objects) > 0 && objects[0].from < to {
		o := objects[0]
		rest := after(objects, o.to)
		inner := objects[1 : len(objects)-len(rest)]
		b = append(b, c.out[from:o.from+1]...)
		for i, m := range o.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = c.arrange(b, m.from, m.to, after(inner, m.from))
		}
		from, objects = o.to, rest
	}
	return append(b, c.out[from:to]...)
}

// after skips the objects that begin before a place.
func after(objects []mixed, at int) []mixed {
	i, _ := slices.BinarySearchFunc(objects, at, func(o mixed, at int) int { return cmp.Compare(o.from, at) })
	return objects[i:]
}

func (c *canon) text() {
	end := c.pos + 1
	for c.raw[end] != '"' {
		if c.raw[end] != '\\' {
			end++
			continue
		}
		c.out = append(c.out, c.raw[c.pos:end]...)
		c.pos = end + c.escape(c.raw[end:])
		end = c.pos
	}
	c.out = append(c.out, c.raw[c.pos:end+1]...)
	c.pos = end + 1
}

// escape writes the character that the text begins with and returns how many bytes stood for it.
func (c *canon) escape(text string) int {
	switch text[1] {
	case '/':
		c.out = append(c.out, '/')
		return 2
	case 'u':
		r, n := escaped(text)
		c.character(r)
		return n
	}
	c.out = append(c.out, text[:2]...)
	return 2
}

// escaped reads \u1234, or the two that make one character.
func escaped(text string) (r rune, n int) {
	r = unit(text)
	if utf16.IsSurrogate(r) && strings.HasPrefix(text[6:], `\u`) {
		if pair := utf16.DecodeRune(r, unit(text[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

func unit(text string) rune {
	n, _ := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n)
}

func (c *canon) character(r rune) {
	if r == '"' || r == '\\' {
		c.out = append(c.out, '\\', byte(r))
		return
	}
	if i := strings.IndexRune("\b\f\n\r\t", r); i >= 0 {
		c.out = append(c.out, '\\', "bfnrt"[i])
		return
	}
	if r < ' ' || utf16.IsSurrogate(r) {
		c.out = fmt.Appendf(c.out, `\u%04x`, r)
		return
	}
	c.out = utf8.AppendRune(c.out, r)
}

// wholeDigits is up to which length a number is written without an exponent, as JavaScript does.
const wholeDigits = 21

// CanonicalNumber writes a JSON number in the one way that all its spellings share: 1 for 1.0 and 10e-1,
// 0 for -0, 1e999999999 as it is. It computes with the digits of the exponent, so that no precision
// is lost and no exponent costs more than its own length. What is no number comes back as it is.
func CanonicalNumber(token string) string {
	if token == "" || token[0] != '-' && (token[0] < '0' || token[0] > '9') || !gjson.Valid(token) {
		return token
	}
	return canonicalNumber(token)
}

func canonicalNumber(token string) string {
	if len(token) < wholeDigits && token != "-0" && !strings.ContainsAny(token, ".eE") {
		return token
	}
	unsigned := strings.TrimPrefix(token, "-")
	mantissa, exponent := unsigned, "0"
	if i := strings.IndexAny(unsigned, "eE"); i >= 0 {
		mantissa, exponent = unsigned[:i], unsigned[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	short := strings.TrimRight(digits, "0")
	number := scaled(short, addTo(exponent, len(digits)-len(short)-len(fraction)))
	return token[:len(token)-len(unsigned)] + number
}

// scaled writes digits × 10^exponent.
func scaled(digits, exponent string) string {
	if shift, err := strconv.Atoi(exponent); err == nil {
		switch point := len(digits) + shift; {
		case shift >= 0 && shift <= wholeDigits && point <= wholeDigits:
			return digits + strings.Repeat("0", shift)
		case shift < 0 && point > 0:
			return digits[:point] + "." + digits[point:]
		case shift < 0 && point > -6:
			return "0." + strings.Repeat("0", -point) + digits
		}
	}
	return digits + "e" + exponent
}

// addTo adds n, a length, to a decimal number of any length.
func addTo(decimal string, n int) string {
	digits := strings.TrimLeft(decimal, "+-0")
	negative := decimal[0] == '-'
	if len(digits) <= 15 {
		v, _ := strconv.ParseInt("0"+digits, 10, 64)
		if negative {
			v = -v
		}
		return strconv.FormatInt(v+int64(n), 10)
	}
	if negative {
		n = -n
	}
	sum := []byte(digits)
	for i := len(sum) - 1; i >= 0 && n != 0; i-- {
		n += int(sum[i] - '0')
		digit := (n%10 + 10) % 10
		sum[i], n = byte('0'+digit), (n-digit)/10
	}
	text := strings.TrimLeft(string(sum), "0")
	if n > 0 {
		text = strconv.Itoa(n) + string(sum)
	}
	if negative {
		text = "-" + text
	}
	return text
}
