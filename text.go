package reprise

import "strings"

// tokens finds the words of a text that look like identifiers, addresses or paths. Where the word before
// names it ("Commit: 3f2a91c", "issue #42"), that is its key. In plain text, which has no other form for its values, they
// are values; in a JSON string they are parts of one.
func (h *harvest) tokens(at *leaf, text string, plain bool) {
	s := wordScanner{text: text}
	for s.next() {
		if h.left == 0 {
			h.t.leftOut++
			return
		}
		if s.named || !s.plain() {
			h.word(at, &s, plain)
		}
		s.pass()
	}
	if plain || strings.IndexByte(text, '\n') >= 0 {
		h.lines(at, text, plain)
	}
}

// maxLines is how many lines of a text are looked at as such.
const maxLines = 100_000

// lines finds lines that are one name: paths with blanks in them, and what is listed alone on its line, as branches
// and files are. The latter has no shape of its own, and is only cut out.
func (h *harvest) lines(at *leaf, text string, plain bool) {
	n := 0
	for line := range strings.Lines(text) {
		if n++; h.left == 0 || n > maxLines {
			h.t.leftOut++
			return
		}
		if len(line) > longLeaf || len(line) < 4 {
			continue
		}
		line = strings.TrimLeft(strings.TrimSpace(line), "*-•+ ")
		if strings.HasPrefix(line, "[") { // [FILE] my notes.txt
			_, line, _ = strings.Cut(line, "] ")
		}
		if strings.IndexByte(line, ' ') < 0 {
			if isListed(line) {
				h.part(&finding{leaf: at, text: line})
			}
			continue
		}
		switch shapeOfLine(line) {
		case shapePath:
			h.said(&finding{leaf: at, text: line}, plain)
		case shapeFile:
			h.part(&finding{leaf: at, text: line})
		}
	}
}

// shapeOfLine is that of a line with blanks in it. Most are prose.
func shapeOfLine(line string) wordShape {
	switch end := line[max(0, len(line)-9):]; {
	case line[0] == '/', len(line) > 3 && line[1] == ':':
		return shapeOf(line)
	case strings.IndexByte(end, '.') >= 0 && strings.IndexByte(end, ' ') < 0:
		return shapeOf(line)
	}
	return shapeNone
}

// isListed says whether a line of one word is a name, and no piece of code or of a table.
func isListed(word string) bool {
	return len(word) > 2 && isName(word) && classes(word[len(word)-1:])&(isLower|isUpper|isDigit|isOdd) != 0
}

// said takes a word, as a value or as a part.
func (h *harvest) said(f *finding, plain bool) {
	if plain {
		h.takeText(f)
	} else {
		h.part(f)
	}
}

// word takes the scanner's word when its shape says that it is more than one of the language, or when the word before
// says that it names something: id 42, issue #42, ref=e12, 'id': 'billing'.
func (h *harvest) word(at *leaf, s *wordScanner, plain bool) {
	label, word := s.parts()
	named := s.named || label != ""
	shape, all := shapeOf(word), classes(word)
	mixed := all == isDigit || all&isDigit != 0 && all&(isLower|isUpper) != 0
	if shape == shapeNone && !mixed && !named || word == "" || len(word) > longLeaf {
		return
	}
	f := finding{leaf: at, text: word, key: h.label(s, label)}
	if shape == shapeNone && !s.hash && (f.key == nil || !f.key.identifies || f.key.norm == "name" || !isName(word)) {
		return
	}
	if f.entity = h.t.entity(f.key, "", h.origin.noun); f.entity == "" && f.key == nil && s.first && shape.identifies() {
		f.entity = h.origin.noun
	}
	h.said(&f, plain)
}

// label is what stands before a word's colon, or else the word before: with the one before it, where that is no more than "id": Message ID.
func (h *harvest) label(s *wordScanner, label string) *keyInfo {
	if label != "" {
		return h.t.keys.named(label)
	}
	if label = labelIn(s.text[s.labelStart:s.labelEnd]); label == "" {
		return nil
	}
	key := h.t.keys.named(label)
	if prior := labelIn(s.text[s.priorStart:s.priorEnd]); key.plain && prior != "" {
		return h.t.keys.named(prior + " " + label)
	}
	return key
}

// wordScanner cuts a text into words.
type wordScanner struct {
	text       string
	start, end int
	all        uint8 // the classes of the word's bytes
	first      bool  // nothing but a bullet or a number stands before it on its line
	hash       bool  // a # stands before it
	pos        int

	// The word before, if it may name this one, and the one before that.
	labelStart, labelEnd int
	priorStart, priorEnd int
	named                bool // a colon or an equals sign stands between
}

// next moves to the next word.
func (s *wordScanner) next() bool {
	i, text := s.pos, s.text
	s.first = s.first || i == 0
	for ; i < len(text) && classOf[text[i]] == 0; i++ {
		switch text[i] {
		case '\n':
			s.first = true
			s.forget()
		case ',', ';':
			s.forget()
		}
	}
	s.start = i
	var all uint8
	for ; i < len(text); i++ {
		class := classOf[text[i]]
		if class == 0 {
			break
		}
		all |= class
	}
	s.end, s.pos, s.all, s.hash = i, i, all, false
	return s.start < len(text)
}

// plain says whether the word is one of the language, at the end of a sentence perhaps. Most are.
func (s *wordScanner) plain() bool {
	if s.all&(isDigit|isSlash|isOdd) != 0 {
		return false
	}
	if s.all&(isDot|isColon) == 0 {
		return true
	}
	for i := s.start; i < s.end; i++ {
		if class := classOf[s.text[i]]; class&(isDot|isColon) != 0 {
			return i == s.end-1
		}
	}
	return true
}

// pass goes behind the word: it may be the label of the next. A bullet or a number is none.
func (s *wordScanner) pass() {
	last := s.text[s.end-1]
	if s.all&(isLower|isUpper|isDigit) == 0 { // a sign between
		s.named = s.named || s.labelEnd > 0 && (last == ':' || last == '=')
		return
	}
	s.priorStart, s.priorEnd = s.labelStart, s.labelEnd
	s.labelStart, s.labelEnd, s.named = s.start, s.end, last == ':' || last == '='
	if s.all&(isLower|isUpper) != 0 {
		s.first = false
	}
}

func (s *wordScanner) forget() {
	s.labelStart, s.labelEnd, s.priorStart, s.priorEnd, s.named = 0, 0, 0, 0, false
}

// labelIn is a word that may name what follows it, if it is made of letters.
func labelIn(word string) string {
	for word != "" && strings.IndexByte(":=#", word[len(word)-1]) >= 0 {
		word = word[:len(word)-1]
	}
	if all := classes(word); len(word) > 32 || all&(isLower|isUpper) == 0 || all&^(isLower|isUpper|isDash) != 0 {
		return ""
	}
	return word
}

// parts is the word without the punctuation around it, and what stands before its colon or equals sign.
func (s *wordScanner) parts() (label, word string) {
	start, end := s.start, s.end
	for end > start && strings.IndexByte(".:=?&", s.text[end-1]) >= 0 {
		end--
	}
	word = s.text[start:end]
	if s.all&(isColon|isOdd) == 0 {
		return "", word
	}
	if !strings.Contains(word, "://") && word != "" && classOf[word[0]] != isSlash {
		if i := strings.LastIndexAny(word, ":="); i > 1 {
			label, word = strings.Trim(word[:i], ":=#"), word[i+1:]
		}
	}
	s.hash = strings.HasPrefix(word, "#")
	return label, strings.TrimLeft(word, "#@=&?+")
}
