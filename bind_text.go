package reprise

import (
	"cmp"
	"slices"
	"strings"
)

// occurrence is where an identifier stands in a text.
type occurrence struct {
	from, to int
	wild     bool // a placeholder
}

// index finds texts within others. It goes by the word that they begin with.
type index struct {
	starts map[string][]int // lengths of the texts that begin with a word, the longest first
	texts  map[string]bool
}

func (x *index) add(text string) {
	if x.texts == nil {
		x.starts, x.texts = map[string][]int{}, map[string]bool{}
	}
	if x.texts[text] {
		return
	}
	x.texts[text] = true
	start := firstWord(text)
	lengths := x.starts[start]
	at, found := slices.BinarySearchFunc(lengths, len(text), func(have, n int) int { return cmp.Compare(n, have) })
	if !found {
		x.starts[start] = slices.Insert(lengths, at, len(text))
	}
}

// firstWord is what a text begins with: a word, or one separator.
func firstWord(text string) string {
	if text == "" || separates(text[0]) {
		return text[:min(len(text), 1)]
	}
	n := 1
	for n < len(text) && !separates(text[n]) {
		n++
	}
	return text[:n]
}

// find gives the occurrences in a text that begin and end where words do, the longest at each place, none in another one.
func (x *index) find(text string) []occurrence { return x.search(text, len(text)) }

// within finds the parts that a text is put together of, though it may be in the index itself.
func (x *index) within(text string) []occurrence { return x.search(text, len(text)-1) }

func (x *index) search(text string, most int) (found []occurrence) {
	if len(x.texts) == 0 {
		return nil
	}
	for at := 0; at < len(text); {
		word := firstWord(text[at:])
		n := 0
		if at == 0 || separates(text[at-1]) {
			n = x.longest(text[at:], word, most)
		}
		if n > 0 {
			found = append(found, occurrence{from: at, to: at + n})
		}
		at += max(n, len(word))
	}
	return found
}

func (x *index) longest(text, word string, most int) int {
	for _, n := range x.starts[word] {
		if n <= min(len(text), most) && (n == len(text) || separates(text[n]) || separates(text[n-1])) && x.texts[text[:n]] {
			return n
		}
	}
	return 0
}

// contextOf is the word before a place on its line, with what stands between: "issue #".
func contextOf(text string, at int) string {
	from := at
	for from > 0 && separates(text[from-1]) && text[from-1] != '\n' {
		from--
	}
	for from > 0 && !separates(text[from-1]) {
		from--
	}
	return strings.ToLower(text[from:at])
}

// isPartOf says whether a use has cut its value out of another one.
func isPartOf(part, whole string) bool {
	return strings.Contains(whole, part) || bare(whole) == bare(part)
}

// cutLike cuts out of a live text what a part is of the recorded one.
func cutLike(recorded, part, live string) (string, bool) {
	switch {
	case len(recorded) == len(live) && bare(recorded) == bare(part):
		return bare(live), true
	case isHex(recorded) && isHex(live) && strings.HasPrefix(recorded, part) && len(live) >= len(part):
		return live[:len(part)], true
	}
	if cut, ok := cutSegments(recorded, part, live); ok {
		return cut, true
	}
	at := strings.Index(recorded, part)
	if at < 0 {
		return "", false
	}
	found, whole := alignText(recorded, live, []occurrence{{from: at, to: at + len(part)}})
	if !whole || len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// maxSegments is how many segments a path has that is taken apart.
const maxSegments = 256

// cutSegments cuts between the same separators: the name that a path ends in, or the directories above it.
func cutSegments(recorded, part, live string) (string, bool) {
	for _, between := range []string{"/", `\`} {
		all, mine, today := strings.Split(recorded, between), strings.Split(part, between), strings.Split(live, between)
		if len(all) < 2 || len(all) > maxSegments || len(all) != len(today) {
			continue
		}
		for from := range len(all) - len(mine) + 1 {
			if slices.Equal(all[from:from+len(mine)], mine) {
				return strings.Join(today[from:from+len(mine)], between), true
			}
		}
	}
	return "", false
}

// sameText says whether a live text differs from a recorded one in bound identifiers alone.
func (b *Bindings) sameText(recorded, live string) bool {
	at, done := 0, 0
	for _, o := range b.bound(recorded) {
		rest, ok := strings.CutPrefix(live[at:], recorded[done:o.from])
		if !ok {
			return false
		}
		n := b.begins(rest, recorded, o)
		if n < 0 {
			return false
		}
		at, done = len(live)-len(rest)+n, o.to
	}
	return live[at:] == recorded[done:]
}

// begins is the length of what a live text begins with in the place of an identifier, the longest that it can be; -1 when it can't be.
func (b *Bindings) begins(live, recorded string, o occurrence) int {
	longest := -1
	try := func(text string) {
		if n := len(text); n > longest && strings.HasPrefix(live, text) && (n == len(live) || n == 0 || separates(live[n]) || separates(live[n-1])) {
			longest = n
		}
	}
	id := b.ids[recorded[o.from:o.to]]
	sure := !id.common || len(id.live) == 1 && id.contexts[contextOf(recorded, o.from)]
	if !sure || !id.isBound() {
		try(id.text)
	}
	if sure || id.mayBe(recorded, o) {
		for _, bound := range id.live {
			try(bound)
		}
	}
	return longest
}

// withoutPercents reads the bytes that stand in a URL as %3A.
func withoutPercents(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	var b []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && hexDigit(text[i+1]) && hexDigit(text[i+2]) {
			b = append(b, hexByte(text[i+1])<<4|hexByte(text[i+2]))
			i += 2
			continue
		}
		b = append(b, text[i])
	}
	return string(b)
}

func hexByte(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
