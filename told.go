package reprise

import "strings"

// Bounds of what is remembered of texts: of one, and of all together, in bytes. The oldest make way.
const (
	maxTold    = 16 << 10
	maxToldAll = 1 << 20
	// perTelling is what one takes beside its text.
	perTelling = 96
	// maxToldRead is how much is read through for the arguments of one message.
	maxToldRead = 64 << 20
)

// told is what was said outside of results, newest last.
type told struct {
	texts  []telling
	size   int
	budget int // of what may still be read for this message
}

type telling struct {
	text   string // JSON
	ground Ground
	tool   string // that failed
	// invented are the arguments of the failed call that came from nowhere: its error says them back.
	invented map[string]bool
	key      string // of an answer's leaf: the text is the value's token then
}

// add remembers what a piece of JSON says.
func (t *told) add(raw string, ground Ground) { t.keep(telling{text: beginning(raw), ground: ground}) }

func beginning(raw string) string { return strings.Clone(raw[:min(len(raw), maxTold)]) }

func (t *told) keep(s telling) {
	if s.text == "" {
		return
	}
	t.texts = append(t.texts, s)
	for t.size += len(s.text) + perTelling; t.size > maxToldAll; t.texts = t.texts[1:] {
		t.size -= len(t.texts[0].text) + perTelling
	}
}

// find looks for what was last told of a value. A common value counts when it is quoted, when the
// same tool's failure named it, or when it was the answer to a question of the same key.
func (t *told) find(v *used) Ground {
	word, ok := v.spelled()
	for i := len(t.texts) - 1; i >= 0 && ok && t.budget > 0; i-- {
		s := &t.texts[i]
		t.budget -= len(s.text) + perTelling
		if s.invented[string(v.token)] {
			continue
		}
		if s.key != "" {
			if s.text == v.raw && s.key == v.key.norm || !v.common && mentions(s.text, word, false) {
				return s.ground
			}
			continue
		}
		if mentions(s.text, word, v.common && (s.tool == "" || s.tool != v.tool)) {
			return s.ground
		}
	}
	return ""
}

// mentions says whether JSON text says a word: the whole of it, and in quotes when it has to be.
func mentions(text, word string, quoted bool) bool {
	for from := 0; len(word) > 1; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, after := text[:i], text[i+len(word):]
		if quoted && isQuoted(before, after) || !quoted && apart(before, word[0], true) && apart(after, word[len(word)-1], false) {
			return true
		}
		from = i + 1
	}
	return false
}

// apart says whether a word does not go on beyond its edge.
func apart(rest string, edge byte, before bool) bool {
	if rest == "" || classOf[edge]&(isLower|isUpper|isDigit|isOdd) == 0 {
		return true
	}
	next := rest[0]
	if before {
		next = rest[len(rest)-1]
		if len(rest) > 1 && rest[len(rest)-2] == '\\' && strings.IndexByte("nrt", next) >= 0 {
			return true // \n
		}
	}
	return classOf[next]&(isLower|isUpper|isDigit) == 0 && next != '_'
}

// isQuoted says whether quotes stand on both sides: ', `, ", the escaped ", and typographic ones.
func isQuoted(before, after string) bool {
	for _, q := range [][2]string{{"'", "'"}, {"`", "`"}, {`\"`, `\"`}, {`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}} {
		if strings.HasSuffix(before, q[0]) && strings.HasPrefix(after, q[1]) {
			return true
		}
	}
	return false
}
