package reprise

import (
	"cmp"
	"crypto/sha256"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// origin is the result that values are harvested from.
type origin struct {
	seq   int64
	index int
	made  callRef // the call that produced it
	from  string  // the call as people write it
	noun  string  // the entity that its method or tool is about
	// invented are the arguments of the call that came from nowhere: what repeats them is an echo.
	invented map[string]bool
}

// birth is the latest generation of a value under one key and entity.
type birth struct {
	origin *origin
	key    *keyInfo // nil in plain text
	entity string
	spot   spot
	echo   bool
	n      int64 // the Value's, once it was given
}

// owner is the entity that the value is an attribute of, as far as its surroundings say.
func (b *birth) owner() string {
	if b.spot.at == nil || b.spot.at.inside == "" {
		return b.origin.noun
	}
	return b.spot.at.inside
}

func (b *birth) keyName() string {
	if b.key == nil {
		return ""
	}
	return b.key.name
}

// known is a value with its births.
type known struct {
	text   string // of a string, unless it is a long leaf
	number string // of a number
	births []*birth
}

// maxBirths is how many keys and entities of one value are told apart; then the oldest makes way.
const maxBirths = 8

// birth finds the one under a key and entity.
func (k *known) birth(key *keyInfo, entity string) *birth {
	for _, b := range k.births {
		if b.entity == entity && (b.key == key || b.key != nil && key != nil && b.key.name == key.name) {
			return b
		}
	}
	return nil
}

// add puts a birth in the place of the one under its key and entity, or behind the others.
func (k *known) add(b *birth) {
	switch old := k.birth(b.key, b.entity); {
	case old != nil:
		k.births[slices.Index(k.births, old)] = b
	case len(k.births) < maxBirths:
		k.births = append(k.births, b)
	default:
		oldest := slices.MinFunc(k.births, func(a, b *birth) int { return cmp.Compare(a.origin.seq, b.origin.seq) })
		k.births[slices.Index(k.births, oldest)] = b
	}
}

// latest is the last birth of all.
func (k *known) latest() (last *birth) {
	for _, b := range k.births {
		if last == nil || b.origin.seq >= last.origin.seq {
			last = b
		}
	}
	return last
}

// json is the value itself, "" of a string that is long.
func (k *known) json() string {
	switch {
	case k.number != "":
		return k.number
	case k.text != "":
		return string(appendString(nil, k.text))
	}
	return ""
}

// MaxValues is how many distinct values a session keeps at least for the arguments to come; it never
// holds more than twice as many. The latest and the used ones stay.
const MaxValues = 32_768

// memory keeps the values of a session: the young ones, and the generation before them. When the
// young are MaxValues, the old ones that nothing asked for since are forgotten.
type memory[T any] struct {
	young, old map[string]T
	forgotten  int64
}

func (m *memory[T]) get(key []byte) (v T, ok bool) {
	if v, ok = m.young[string(key)]; ok {
		return v, true
	}
	if v, ok = m.old[string(key)]; ok {
		kept := string(key)
		delete(m.old, kept)
		m.put(kept, v)
	}
	return v, ok
}

func (m *memory[T]) put(key string, v T) {
	if m.young == nil {
		m.young = map[string]T{}
	}
	if len(m.young) >= MaxValues {
		m.forgotten += int64(len(m.old))
		m.old, m.young = m.young, map[string]T{}
	}
	m.young[key] = v
}

// appendUnder spells the key of a common value: it is found under a name only.
func appendUnder(b []byte, name string, token []byte) []byte {
	return append(append(append(append(b, 'c'), name...), 0), token...)
}

// longText is from where on a string is remembered by its hash.
const longText = 128

// appendToken spells a scalar so that two spellings are equal when the JSON values are: 1.0 and 1, but
// not "1". The first byte says the type.
func appendToken(b []byte, raw string) []byte {
	switch c := raw[0]; {
	case c == '"':
		return appendTextToken(b, unquote(raw))
	case c == '-' || c >= '0' && c <= '9':
		b = append(b, 'n')
		if len(raw) <= 15 && classes(raw) == isDigit && (raw[0] != '0' || len(raw) == 1) {
			return append(b, raw...)
		}
		return append(b, CanonicalNumber(raw)...)
	}
	return append(append(b, 'l'), raw...)
}

// appendToken spells the leaf's scalar. A string is decoded once, however often it is asked for.
func (l *leaf) appendToken(b []byte) []byte {
	if l.raw[0] != '"' {
		return appendToken(b, l.raw)
	}
	if l.text == "" {
		l.text = unquote(l.raw)
	}
	return appendTextToken(b, l.text)
}

func appendTextToken(b []byte, text string) []byte {
	if len(text) <= longText {
		return append(append(b, 's'), text...)
	}
	sum := sha256.Sum256(bytesOf(text))
	return append(append(b, 'h'), sum[:16]...)
}

// common says whether a value is too common to mean anything by itself: literals, numbers of four
// digits and less, short words, dates. It counts only under a key that matches.
func common(token []byte) bool {
	text := view(token[1:])
	switch token[0] {
	case 'n':
		return significant(text) < 5 || isPowerOfTwo(text)
	case 's':
		return commonText(text)
	}
	return token[0] == 'l'
}

// significant counts the digits of a number from the first to the last that is not 0.
func significant(number string) int {
	mantissa, _, _ := strings.Cut(number, "e")
	digits := strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(mantissa, "-"), ".", ""), "0")
	return len(strings.TrimRight(digits, "0"))
}

// isPowerOfTwo: buffers, limits and bits are so many.
func isPowerOfTwo(number string) bool {
	n, err := strconv.ParseUint(number, 10, 64)
	return err == nil && bits.OnesCount64(n) == 1
}

// How long what is joined of words, and one word alone, has to be to mean something by itself.
const (
	longWord    = 13
	longestWord = 24
)

func commonText(text string) bool {
	n := len(text)
	if n > longestWord {
		return false
	}
	all := classes(text)
	switch {
	case n < 4:
		return true
	case all&isDigit == 0:
		alone := all&^(isLower|isUpper) == 0 && strings.IndexByte(text, ' ') < 0
		return alone || n < longWord && isWord(text, all)
	case all == isDigit:
		return significant(text) < 5 || isPowerOfTwo(text)
	}
	return isFigure(text, all) || n <= longestSaid && isSaidByAnybody(text)
}

// saidByAnybody are texts that look as if they meant something, and mean the same everywhere.
var saidByAnybody = set("utf-8 utf8 utf-16 utf-32 iso-8859-1 iso-8859-15 windows-1252 us-ascii base64 sha-1 sha1 sha-256 sha256 sha-512 md5 http/1.1 http/2 head~1 head~2 h264 mp3 mp4 ipv4 ipv6 oauth2 x86_64 amd64 arm64 win32")

// longestSaid is the length of the longest of them.
const longestSaid = 12

func isSaidByAnybody(text string) bool {
	var small [longestSaid]byte // without a copy for each: this is asked of every leaf
	for i := range len(text) {
		if small[i] = text[i]; classOf[text[i]] == isUpper {
			small[i] |= 0x20
		}
	}
	return saidByAnybody[string(small[:len(text)])]
}

// isFigure: dates, times, versions, addresses and shares are made of figures, and equal each other by chance.
func isFigure(text string, all uint8) bool {
	if all&(isLower|isUpper) != 0 || strings.Trim(text, "0123456789-/.:%+") != "" {
		return len(text) >= len("2006-01-02T00:00:00") && isMidnight(text)
	}
	if point := len(text) - 3; text[point] == '.' && all == isDigit|isDot && strings.IndexByte(text, '.') == point {
		return false // an amount of money
	}
	digits := 0
	for i := range len(text) {
		if classOf[text[i]] == isDigit {
			digits++
		}
	}
	return digits < 9 || digits <= 12 && strings.Count(text, ".") == 3
}

// isMidnight knows a day that is written as a moment.
func isMidnight(text string) bool {
	day, rest, ok := strings.Cut(text, "T00:00:00")
	return ok && len(day) == 10 && strings.Trim(rest, ".0Z+:") == ""
}

// isWord says whether a text without digits is a word or two: open, in_progress, Ada, to do.
func isWord(text string, all uint8) bool {
	if all&(isSlash|isColon|isDot) != 0 || strings.ContainsAny(text, "@#=?&%~+$") {
		return false
	}
	return len(text) < 8 || !strings.ContainsAny(strings.TrimSpace(text), " \t\n")
}
