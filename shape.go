package reprise

import "strings"

// wordShape is what a word of text looks like.
type wordShape uint8

const (
	shapeNone   wordShape = iota
	shapeUUID             // 123e4567-e89b-12d3-a456-426614174000
	shapeULID             // 01ARZ3NDEKTSV4RRFFQ69G5FAV
	shapeHex              // a digest, whole or abbreviated
	shapeOpaque           // C024BE91L, 1BxiMVs0XRA5nFMdKvBd: letters and digits mixed
	shapeTicket           // ABC-123
	shapePrefix           // cus_N3xY4, node-17
	shapeNumber           // 48217
	shapeURL
	shapePath
	shapeFile // notes.txt, and host.example
	shapeMail
)

// identifies says that words of this shape name one thing wherever they stand.
func (s wordShape) identifies() bool { return s != shapeNone && s <= shapePrefix }

// Classes of bytes in words, as bits.
const (
	isLower = 1 << iota
	isUpper
	isDigit
	isDash  // - and _
	isSlash // / and \
	isColon
	isDot
	isOdd // @ # = ? & % ~ + $ and bytes beyond ASCII
)

var classOf = func() (table [256]uint8) {
	for b := range table {
		switch {
		case b >= 'a' && b <= 'z':
			table[b] = isLower
		case b >= 'A' && b <= 'Z':
			table[b] = isUpper
		case b >= '0' && b <= '9':
			table[b] = isDigit
		case b >= 0x80:
			table[b] = isOdd
		}
	}
	for set, class := range map[string]uint8{"-_": isDash, `/\`: isSlash, ":": isColon, ".": isDot, "@#=?&%~+$": isOdd} {
		for i := range len(set) {
			table[set[i]] = class
		}
	}
	return table
}()

func classes(word string) (all uint8) {
	for i := range len(word) {
		all |= classOf[word[i]]
	}
	return all
}

// shapeOf classes one word. What has blanks or the like in it is none, unless it is a path.
func shapeOf(word string) wordShape {
	var all uint8
	whole := true
	for i := range len(word) {
		class := classOf[word[i]]
		all |= class
		whole = whole && class != 0
	}
	shape := shapeBy(word, all)
	if !whole && shape != shapePath && shape != shapeFile {
		return shapeNone
	}
	return shape
}

func shapeBy(word string, all uint8) wordShape {
	n := len(word)
	switch {
	case n < 3 || n > 2048:
		return shapeNone
	case all&isSlash != 0 || all&(isColon|isOdd) != 0:
		return shapeOfAddress(word, all)
	case all&isDigit == 0 && all&isDot == 0:
		return shapeNone // by far the most
	case all == isDigit|isDot:
		return decimalShape(word)
	case all == isDigit:
		return numberShape(n)
	case n == 36 && isUUID(word):
		return shapeUUID
	case n == 26 && all&^(isUpper|isDigit) == 0 && all&isUpper != 0 && !strings.ContainsAny(word, "ILOU"):
		return shapeULID
	case n >= 7 && n <= 128 && isHex(word):
		return shapeHex
	case all&isDot != 0:
		return fileShape(word)
	case all&isDash != 0:
		return dashedShape(word)
	case n >= 8 && isMixed(word, all):
		return shapeOpaque
	}
	return shapeNone
}

// decimalShape: a number with a point and many digits is a moment or an id.
func decimalShape(word string) wordShape {
	if strings.Count(word, ".") == 1 {
		return numberShape(len(word) - 5) // ten digits at least
	}
	return shapeNone
}

// isMixed: capitals and digits, or many digits among small letters.
func isMixed(word string, all uint8) bool {
	digits := 0
	for i := range len(word) {
		if classOf[word[i]] == isDigit {
			digits++
		}
	}
	return all&isUpper != 0 && digits > 0 && digits < len(word)-1 || digits >= 3 && len(word)-digits >= 3 && len(word) >= 10
}

// numberShape: four digits and less are too common to be looked for (years, sizes, ports).
func numberShape(n int) wordShape {
	if n >= 5 && n <= 32 {
		return shapeNumber
	}
	return shapeNone
}

func shapeOfAddress(word string, all uint8) wordShape {
	switch scheme, rest, ok := strings.Cut(word, "://"); {
	case ok && rest != "" && isName(scheme):
		return shapeURL
	case ok:
		return shapeNone
	case all&isSlash != 0:
		return pathShape(word)
	}
	if user, host, ok := strings.Cut(word, "@"); ok && user != "" && fileShape(host) == shapeFile {
		return shapeMail
	}
	if all&isColon != 0 { // urn:isbn:1, tracker:7; not 12:30
		return shapeNone
	}
	if all&isDot != 0 && fileShape(word) == shapeFile {
		return shapeFile // Grüße.txt
	}
	return shapeNone
}

// pathShape knows absolute paths, ~/x, ./x, C:\x, and relative ones whose parts are names.
func pathShape(word string) wordShape {
	switch {
	case word[0] == '/' && word[1] != '/', strings.HasPrefix(word, "~/"), strings.HasPrefix(word, "./"), strings.HasPrefix(word, "../"),
		word[1] == ':' && (word[2] == '\\' || word[2] == '/') && classOf[word[0]]&(isLower|isUpper) != 0:
		return shapePath
	}
	for part := range strings.SplitSeq(word, "/") {
		if all := classes(part); all&(isLower|isUpper|isOdd) == 0 || all&isColon != 0 {
			return shapeNone // 12/11/2026, a//b
		}
	}
	return shapePath
}

// fileShape wants a short ending of lower-case letters and digits (or all capitals) that begins with a letter.
func fileShape(word string) wordShape {
	dot := strings.LastIndexByte(word, '.')
	if dot < 1 || classes(word[:dot])&(isLower|isUpper|isOdd) == 0 {
		return shapeNone
	}
	end := word[dot+1:]
	all := classes(end)
	if len(end) < 1 || len(end) > 8 || len(word) < 4 || classOf[end[0]]&(isLower|isUpper) == 0 || all&^(isLower|isDigit) != 0 && all&^(isUpper|isDigit) != 0 {
		return shapeNone
	}
	return shapeFile
}

// dashedShape knows ABC-123 and prefixed ids.
func dashedShape(word string) wordShape {
	cut := strings.IndexAny(word, "-_")
	head, tail := word[:cut], word[cut+1:]
	if head == "" || tail == "" || classOf[head[0]]&(isLower|isUpper) == 0 {
		return shapeNone
	}
	all := classes(tail)
	switch {
	case word[cut] == '-' && all == isDigit && classes(head)&^(isUpper|isDigit) == 0:
		return shapeTicket
	case all&isDigit != 0 && all&^(isLower|isUpper|isDigit|isDash) == 0 && classes(head)&^(isLower|isUpper|isDigit) == 0:
		return shapePrefix
	}
	return shapeNone
}

func isName(word string) bool {
	return word != "" && classes(word)&^(isLower|isUpper|isDigit|isDash|isDot|isOdd) == 0
}

func isUUID(word string) bool {
	for i := range len(word) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (word[i] == '-') || !dash && !hexDigit(word[i]) {
			return false
		}
	}
	return true
}

func hexDigit(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f' }

// isHex wants letters of one case and digits both: neither 1234567 nor defaced.
func isHex(word string) bool {
	var all uint8
	for i := range len(word) {
		if !hexDigit(word[i]) {
			return false
		}
		all |= classOf[word[i]]
	}
	return all == isLower|isDigit || all == isUpper|isDigit
}
