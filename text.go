package reprise

import "strings"

// tokens harvests the words of a text that look like identifiers, addresses or paths. Where the word before
// names it ("Commit: 3f2a91c", "issue #42"), that is its key.
func (h *harvest) tokens(place *leaf, text string) {
	s := wordScanner{text: text}
	for s.next() {
		if s.all&(isDigit|isSlash|isDot|isOdd|isColon) == 0 {
			s.pass()
			continue
		}
		h.word(place, &s)
		s.pass()
	}
	h.lines(place, text)
}

// lines takes whole lines that are paths with blanks in them.
func (h *harvest) lines(place *leaf, text string) {
	if strings.IndexByte(text, '/') < 0 && strings.IndexByte(text, '\\') < 0 {
		return
	}
	for line := range strings.Lines(text) {
		if line[0] != '/' && (len(line) < 3 || line[1] != ':') || len(line) > longLeaf || strings.IndexByte(line, ' ') < 0 {
			continue
		}
		if line = strings.TrimSpace(line); line != "" && shapeOf(line) == shapePath {
			h.take(&finding{place: place, text: line}, appendTextToken(h.token[:0], line))
		}
	}
}

// word takes the scanner's word when its shape says that it is more than one of the language.
func (h *harvest) word(place *leaf, s *wordScanner) {
	label, word := s.labelled()
	shape := shapeOf(word)
	var key *keyInfo
	if label != "" {
		key = h.keys.named(label)
	}
	counted := classes(word) == isDigit && key != nil && (key.identifies || s.hash)
	if shape == shapeNone && !counted || len(word) > longLeaf {
		return
	}
	f := finding{place: place, key: key, text: word}
	f.entity = h.labelEntity(key)
	if f.entity == "" && key == nil && s.first && shape.identifies() {
		f.entity = h.origin.noun
	}
	h.take(&f, appendTextToken(h.token[:0], word))
}

// labelEntity is the entity that the word before a token names.
func (h *harvest) labelEntity(key *keyInfo) string {
	switch {
	case key == nil:
		return ""
	case key.entity != "":
		return key.entity
	case key.plain:
		return h.origin.noun
	case h.nouns[key.bare] || key.bare == h.origin.noun:
		return key.bare
	}
	return ""
}

// wordScanner cuts a text into words.
type wordScanner struct {
	text       string
	start, end int
	all        uint8 // the classes of the word's bytes
	first      bool  // nothing but a bullet or a number stands before it on its line
	before     string
	hash       bool // a # stands before it

	pos int
}

// next moves to the next word.
func (s *wordScanner) next() bool {
	i, text := s.pos, s.text
	for ; i < len(text) && classOf[text[i]] == 0; i++ {
		if text[i] == '\n' {
			s.first, s.before = true, ""
		} else if text[i] == ',' || text[i] == ';' {
			s.before = ""
		}
	}
	if s.pos == 0 {
		s.first = true
	}
	s.start, s.all = i, 0
	for ; i < len(text) && classOf[text[i]] != 0; i++ {
		s.all |= classOf[text[i]]
	}
	s.end, s.pos = i, i
	return s.start < len(text)
}

// pass goes behind the word: it may be the label of the next.
func (s *wordScanner) pass() {
	word := s.text[s.start:s.end]
	s.before = ""
	if s.all&(isLower|isUpper) == 0 {
		return // a bullet, a number
	}
	s.first = false
	if word = strings.TrimRight(word, ":=#"); len(word) <= 32 && classes(word)&^(isLower|isUpper|isDash) == 0 {
		s.before = word
	}
}

// labelled is the word without the punctuation around it, and what names it: the word before, or what
// stands before its colon or equals sign.
func (s *wordScanner) labelled() (label, word string) {
	label, word = s.before, strings.TrimRight(s.text[s.start:s.end], ".:=?&")
	if !strings.Contains(word, "://") && word != "" && classOf[word[0]] != isSlash {
		if i := strings.LastIndexAny(word, ":="); i > 1 {
			label, word = strings.Trim(word[:i], ":=#"), word[i+1:]
		}
	}
	bare := strings.TrimLeft(word, "#@=&?+")
	s.hash = strings.HasPrefix(word, "#")
	return label, bare
}
