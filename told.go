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
	texts   []telling
	size    int
	budget  int // of what may still be read for this message
	leftOut int64
}

type telling struct {
	text   string // decoded; of an answer's leaf the token
	ground Ground
	tool   string // that failed
	key    string // of an answer's leaf
	seq    int64
}

// add remembers the texts in a piece of JSON: what says how to read them apart (level, type) they are what is told.
func (t *told) add(raw string, s telling) {
	var b []byte
	var keys keys
	w := walker{keys: &keys, leaf: func(l *leaf) {
		switch {
		case len(b) > maxTold, l.key != nil && formal[l.key.name], l.raw[0] == '{' || l.raw[0] == '[' || l.raw[0] == 'n':
		case l.raw[0] == '"' && !l.cut:
			b = append(append(b, unquote(l.raw)...), '\n')
		case l.raw[0] != '"':
			b = append(append(b, l.raw...), '\n')
		}
	}}
	if raw != "" {
		w.walk(raw, nil, nil)
	}
	if len(b) > maxTold {
		b = b[:maxTold]
		t.leftOut++
	}
	s.text = string(b)
	t.keep(s)
}

// formal are the members that say how to read a message, and nothing of what it is about.
var formal = set("level logger type role mimeType method mode progressToken progress total jsonrpc _meta isError code")

func (t *told) keep(s telling) {
	if s.text == "" {
		return
	}
	t.texts = append(t.texts, s)
	for t.size += len(s.text) + perTelling; t.size > maxToldAll; t.texts = t.texts[1:] {
		t.size -= len(t.texts[0].text) + perTelling
		t.leftOut++
	}
}

// find looks for what was last told of a value, before the client ever invented it: later it is only said back. A
// common value counts when it is quoted, when the same tool's failure named it, or when it was the answer to a question of the same key.
func (t *told) find(v *used, invented int64) Ground {
	word, ok := v.spelled()
	for i := len(t.texts) - 1; i >= 0 && ok && t.budget > 0; i-- {
		s := &t.texts[i]
		t.budget -= len(s.text) + perTelling
		switch {
		case invented != 0 && s.seq > invented:
		case s.key != "" && (s.text == v.raw && s.key == v.key.norm || !v.common && mentions(unquote(s.text), word, false)),
			s.key == "" && mentions(s.text, word, v.common && (s.tool == "" || s.tool != v.tool)):
			return s.ground
		}
	}
	return ""
}

// maxMentions is how many places of a text are looked at for one word.
const maxMentions = 64

// mentions says whether a text says a word: the whole of it, and in quotes when it has to be.
func mentions(text, word string, quoted bool) bool {
	from := 0
	for n := 0; n < maxMentions && len(word) > 1; n++ {
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
	}
	return classOf[next]&(isLower|isUpper|isDigit) == 0 && next != '_'
}

// isQuoted says whether quotes stand on both sides: ', `, " and typographic ones.
func isQuoted(before, after string) bool {
	for _, q := range [][2]string{{"'", "'"}, {"`", "`"}, {`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}} {
		if strings.HasSuffix(before, q[0]) && strings.HasPrefix(after, q[1]) {
			return true
		}
	}
	return false
}
