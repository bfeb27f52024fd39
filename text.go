package reprise

import "strings"

// tokens finds the words of a text that look like identifiers, addresses or paths. Where the word before
// names it ("Commit: 3f2a91c", "issue #42"), that is its key.
func (h *harvest) tokens(at *leaf, text string, take func(*finding)) {
	s := wordScanner{text: text}
	for s.next() {
		if !s.plain() {
			h.word(at, &s, take)
		}
		s.pass()
	}
	if strings.IndexByte(text, '\n') >= 0 {
		h.lines(at, text, take)
	}
}

// lines finds lines that are one name: paths with blanks in them, and what is listed alone on its line, as branches
// and files are. The latter has no shape of its own, and is only cut out.
func (h *harvest) lines(at *leaf, text string, take func(*finding)) {
	for line := range strings.Lines(text) {
		if len(line) > longLeaf || len(line) < 4 {
			continue
		}
		line = strings.TrimLeft(strings.TrimSpace(line), "*-•+ ")
		if strings.HasPrefix(line, "[") { // [FILE] my notes.txt
			_, line, _ = strings.Cut(line, "] ")
		}
		if strings.IndexByte(line, ' ') < 0 {
			if isListed(line) {
				h.cut(&finding{leaf: at, text: line})
			}
			continue
		}
		switch shapeOfLine(line) {
		case shapePath:
			take(&finding{leaf: at, text: line})
		case shapeFile:
			h.cut(&finding{leaf: at, text: line})
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

// word takes the scanner's word when its shape says that it is more than one of the language.
func (h *harvest) word(at *leaf, s *wordScanner, take func(*finding)) {
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
	f := finding{leaf: at, key: key, text: word}
	f.entity = h.labelEntity(key)
	if f.entity == "" && key == nil && s.first && shape.identifies() {
		f.entity = h.origin.noun
	}
	take(&f)
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
	case key.bare != "" && (key.bare == h.origin.noun || h.isNoun(key)):
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
	hash       bool  // a # stands before it
	pos        int

	labelStart, labelEnd int // the word before, if it may name this one
}

// next moves to the next word.
func (s *wordScanner) next() bool {
	i, text := s.pos, s.text
	s.first = s.first || i == 0
	for ; i < len(text) && classOf[text[i]] == 0; i++ {
		switch text[i] {
		case '\n':
			s.first, s.labelEnd = true, 0
		case ',', ';':
			s.labelEnd = 0
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
	s.end, s.pos, s.all = i, i, all
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
	end := s.end
	for end > s.start && (s.text[end-1] == '.' || s.text[end-1] == ':') {
		end--
	}
	return classes(s.text[s.start:end])&(isDot|isColon) == 0
}

// pass goes behind the word: it may be the label of the next. A bullet or a number is none.
func (s *wordScanner) pass() {
	s.labelStart, s.labelEnd = s.start, s.end
	if s.all&(isLower|isUpper) != 0 {
		s.first = false
	}
}

// before is the word before, if it is made of letters and names what follows.
func (s *wordScanner) before() string {
	if s.labelEnd == 0 || s.labelEnd-s.labelStart > 32 {
		return ""
	}
	word := strings.TrimRight(s.text[s.labelStart:s.labelEnd], ":=#")
	if all := classes(word); all&(isLower|isUpper) == 0 || all&^(isLower|isUpper|isDash) != 0 {
		return ""
	}
	return word
}

// labelled is the word without the punctuation around it, and what names it: the word before, or what
// stands before its colon or equals sign.
func (s *wordScanner) labelled() (label, word string) {
	label, word = s.before(), strings.TrimRight(s.text[s.start:s.end], ".:=?&")
	if !strings.Contains(word, "://") && word != "" && classOf[word[0]] != isSlash {
		if i := strings.LastIndexAny(word, ":="); i > 1 {
			label, word = strings.Trim(word[:i], ":=#"), word[i+1:]
		}
	}
	bare := strings.TrimLeft(word, "#@=&?+")
	s.hash = strings.HasPrefix(word, "#")
	return label, bare
}
