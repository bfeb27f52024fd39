package analysis

import (
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
