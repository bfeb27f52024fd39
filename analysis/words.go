package analysis

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuote is how many characters of a stranger's text a finding repeats.
const maxQuote = 80

// quote repeats what came from a server or an agent in a sentence of ours: in quotation marks, at most maxQuote characters of it, on one
// line, and with nothing in it that a terminal would obey or a reader not see.
func quote(text string) string {
	var b strings.Builder
	b.WriteString("“")
	n := 0
	for _, r := range text {
		if n++; n > maxQuote {
			b.WriteString("…")
			break
		}
		b.WriteRune(shown(r))
	}
	b.WriteString("”")
	return b.String()
}

// shown is a character as it may be printed: a space for white space, a replacement for what controls.
func shown(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
		return '\ufffd'
	}
	return r
}

// thousands writes a count so that its size is seen: 71,234.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// plural counts things: 1 block, 2 blocks.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// hasWord says whether a text has a word, with no letter, digit or underscore at either side of it. Both are in the same case.
func hasWord(text, word string) bool {
	for at := 0; word != ""; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(word):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		at += i + len(word)
	}
	return false
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
