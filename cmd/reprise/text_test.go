package main

import (
	"strings"
	"testing"
	"time"
)

func TestVisibleLetsNothingThroughThatATerminalObeys(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain — 読む 🎉", "plain — 読む 🎉"},
		{"\x1b[31mred\x1b]0;title\x07", `\x1b[31mred\x1b]0;title\x07`},
		{"a\r\nb\tc\x00\x7f", `a\r\nb\tc\x00\x7f`},
		{"\u009b31m", `\u009b31m`},               // C1 control sequence introducer
		{"\u202eevil\u2066", `\u202eevil\u2066`}, // direction overrides
		{"\u2028\u200b\ufeff", `\u2028\u200b\ufeff`},
		{"bad \xff\xfe utf-8", `bad \xff\xfe utf-8`},
		{"\ufffd", "\ufffd"}, // itself, not an error
	} {
		if got := visible(c.in); got != c.want {
			t.Errorf("visible(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestFitNeverTakesMoreColumns(t *testing.T) {
	for _, text := range []string{"", "a", "hello world", "読読読読読", "é\u0301e\u0301", "a\x1b[0mb", strings.Repeat("x", 1000)} {
		for columns := range 20 {
			shown, width, whole := fit(text, columns)
			if got := columnsOf(shown); got > columns || got != width {
				t.Errorf("fit(%q, %d) = %q, of %d columns, says %d", text, columns, shown, got, width)
			}
			if whole == strings.HasSuffix(shown, "…") && columns > 0 && text != "" {
				t.Errorf("fit(%q, %d) = %q: whole is %v", text, columns, shown, whole)
			}
		}
	}
}

func TestNumbersKeepToTheirColumns(t *testing.T) {
	for _, d := range []time.Duration{0, 999, time.Microsecond * 999, time.Millisecond * 99, 99950 * time.Microsecond, time.Millisecond * 999,
		time.Second * 59, 59999 * time.Millisecond, time.Hour - 1, 24*time.Hour - 1, 99 * 24 * time.Hour, 99_999 * 24 * time.Hour} {
		if got := took(d); columnsOf(got) > tookWidth {
			t.Errorf("took(%v) = %q takes more than %d columns", d, got, tookWidth)
		}
		if got := offset(d); columnsOf(got) > timeWidth {
			t.Errorf("offset(%v) = %q takes more than %d columns", d, got, timeWidth)
		}
	}
	for n := int64(1); n > 0; n *= 3 {
		if got := bytesOf(n); columnsOf(got) > sizeWidth {
			t.Errorf("bytesOf(%d) = %q takes more than %d columns", n, got, sizeWidth)
		}
	}
	for n, want := range map[int64]string{0: "0B", 999: "999B", 1000: "1.0kB", 1024: "1.0kB", 65536: "64kB", 999 << 10: "999kB", 1000 << 10: "1.0MB", 5 << 30: "5.0GB"} {
		if got := bytesOf(n); got != want {
			t.Errorf("bytesOf(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		lines int
		want  string
	}{
		{"", 9, ""},
		{"one two", 9, "one two"},
		{"one two three four", 9, "one two|three|four"},
		{"one two three four", 2, "one two|three four"},
		{"a word-without-a-blank b", 9, "a|word-without-a-blank|b"},
		{"読む 読む 読む", 9, "読む|読む|読む"},
	} {
		if got := strings.Join(wrap(c.text, 8, c.lines), "|"); got != c.want {
			t.Errorf("wrap(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
