package reprise

import (
	"slices"
	"strings"
	"testing"
)

// plainScan is the scanner as one would write it first: a byte at a time.
func plainScan(p []byte) scanner {
	var s scanner
	for _, c := range p {
		switch {
		case s.quoted && s.escaped:
			s.escaped = false
		case s.quoted && c == '\\':
			s.escaped = true
		case s.quoted:
			s.quoted = c != '"'
		case c == '"':
			s.quoted, s.closed = true, false
		case c == '{' || c == '[':
			s.depth++
			s.deepest, s.closed = max(s.deepest, s.depth), false
		case c == '}' || c == ']':
			s.depth = max(0, s.depth-1)
			s.closed = s.closed || s.depth == 0
			s.object = s.object || s.depth == 0 && c == '}'
		case s.depth == 0 && !strings.ContainsRune(" \t\r\n", rune(c)):
			s.closed = false
		}
	}
	return s
}

func TestScannerStops(t *testing.T) {
	for text, want := range map[string]int{
		`{} {}`: 2, `{"a":"}"}x`: 9, `[[]]`: 4, `{"a":"\"}"}{`: 11, `{"\\"}{`: 6, `]`: 1, `{`: 1, `x`: 1,
	} {
		var s scanner
		if got := s.feed([]byte(text), true); got != want {
			t.Errorf("%s: stopped after %d bytes, want %d", text, got, want)
		}
	}
}

func TestDepthOf(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `"[[["`: 0, `[]`: 1, `[[],{"a":[1]}]`: 3, strings.Repeat("[", 5000): 5000,
	} {
		if got := depthOf([]byte(text)); got != want {
			t.Errorf("%.20s: depth %d, want %d", text, got, want)
		}
	}
}

// Any chunks give the state that single bytes give.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"a":"\\\"}\\"}x[1]`, `"\`, `"\\\\"`, `{}}]{"`, "[\"\\\"\"]\r\n", `\"{`} {
		f.Add([]byte(s), 1)
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, chunk int) {
		var s scanner
		for c := range slices.Chunk(data, max(1, chunk)) {
			s.feed(c, false)
		}
		if want := plainScan(data); s != want {
			t.Fatalf("%q by %d: %+v, want %+v", data, chunk, s, want)
		}
	})
}
