package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// visible makes text safe for a terminal: whatever a terminal obeys or does not
// show (control characters, escape sequences, direction marks, broken UTF-8) is
// written as an escape.
func visible(text string) string {
	text, _, _ = fit(text, 1<<62)
	return text
}

// fit is visible, cut with an ellipsis to a number of columns. It looks at no
// more of the text than it returns.
func fit(text string, columns int) (shown string, width int, whole bool) {
	var b strings.Builder
	end, endWidth := 0, 0 // as much of b as leaves room for the ellipsis
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		piece, w := glyph(r, text[i:i+size])
		if width+w > columns {
			return ellipsis(b.String()[:end], endWidth, columns)
		}
		b.WriteString(piece)
		width += w
		if width <= columns-1 {
			end, endWidth = b.Len(), width
		}
		i += size
	}
	return b.String(), width, true
}

func ellipsis(text string, width, columns int) (string, int, bool) {
	if columns < 1 {
		return "", 0, false
	}
	return text + "…", width + 1, false
}

// endOf is as much of the end of a text as fits into so many columns.
func endOf(text string, columns int) string {
	text = text[max(0, len(text)-max(columns, 0)*utf8.UTFMax):]
	for {
		if _, _, whole := fit(text, columns); whole {
			return text
		}
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
}

// glyph is how one character is written, and how many columns that takes.
func glyph(r rune, raw string) (string, int) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0]), 4
	case r >= ' ' && r < 0x7f:
		return raw, 1
	case r == '\n':
		return `\n`, 2
	case r == '\t':
		return `\t`, 2
	case r == '\r':
		return `\r`, 2
	case r < 0x20 || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r), 4
	case unicode.In(r, unicode.Mn, unicode.Me):
		return raw, 0
	case !unicode.IsPrint(r): // C1, direction marks, zero-width and line separators, private use
		text := fmt.Sprintf(`\u%04x`, r)
		return text, len(text)
	case isWide(r):
		return raw, 2
	}
	return raw, 1
}

// isWide says whether terminals give a character two columns (UAX 11: W and F, and emoji).
func isWide(r rune) bool {
	return r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf && r != 0x303f || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd
}

// wrap breaks text at blanks into at most so many lines. What is longer than its
// columns is a word without a blank, or the last line.
func wrap(text string, columns, lines int) []string {
	var list []string
	for len(list) < lines-1 {
		end := breakIn(text, columns)
		if end < 0 {
			break
		}
		list = append(list, text[:end])
		text = text[end+1:]
	}
	return append(list, text)
}

// breakIn is the last blank before which the text fits, else the first one; -1 when there is nothing to break.
func breakIn(text string, columns int) int {
	if _, _, whole := fit(text, columns); whole {
		return -1
	}
	end := -1
	for i := range len(text) {
		if text[i] != ' ' {
			continue
		}
		_, _, whole := fit(text[:i], columns)
		if !whole && end >= 0 {
			return end
		}
		if end = i; !whole {
			return end
		}
	}
	return end
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

// took writes a duration in at most six columns: 850µs, 12.3ms, 4.56s, 2m03s, 5h07m, 3d04h.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%dµs", d.Microseconds())
	case d < 99950*time.Microsecond: // what rounds to 99.9
		return fmt.Sprintf("%.1fms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.2fs", d.Truncate(10*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d < 100*24*time.Hour:
		return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}

// offset writes a time since the session's start in nine columns.
func offset(d time.Duration) string {
	if d < 1000*time.Second {
		return fmt.Sprintf("+%.3fs", float64(d.Milliseconds())/1000)
	}
	return "+" + took(d)
}

// bytesOf writes a size in at most six columns: 999B, 1.2kB, 64kB, 3.1MB. Units are powers of 1024, as in the filter language.
func bytesOf(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%dB", n)
	}
	size, units := float64(n), "kMGTPE"
	i := -1
	for size >= 1000 || i < 0 {
		size /= 1024
		i++
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f%cB", size, units[i])
	}
	return fmt.Sprintf("%.0f%cB", size, units[i])
}

// ago writes how long before now a time was: one unit is enough.
func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "ahead" // the clock was set back
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours())/24)
}

// count writes a number with its noun: 1 call, 3 calls.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}
