package analysis

import (
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "“”",
		"npm notice":             "“npm notice”",
		"a\x1b[1mb\nc\td":        "“a\ufffd[1mb c d”",
		"\xff\u202eevil":         "“\ufffd\ufffdevil”",
		strings.Repeat("ä", 80):  "“" + strings.Repeat("ä", 80) + "”",
		strings.Repeat("ä", 200): "“" + strings.Repeat("ä", 80) + "…”",
	} {
		if got := quote(text); got != want {
			t.Errorf("quote(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{0: "0 blocks", 1: "1 block", 999: "999 blocks", 1000: "1,000 blocks", 1234567: "1,234,567 blocks"} {
		if got := plural(n, "block"); got != want {
			t.Errorf("plural(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestHasWord(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"the id of it", "id", true}, {"id", "id", true}, {"args:\n id: it", "id", true}, {"`id`", "id", true}, {"valid, id", "id", true},
		{"valid", "id", false}, {"user_id", "id", false}, {"idée", "id", false}, {"anything", "", false}, {"", "id", false},
	} {
		if got := hasWord(c.text, c.word); got != c.want {
			t.Errorf("hasWord(%q, %q) = %v", c.text, c.word, got)
		}
	}
}
