package reprise

import "github.com/tidwall/gjson"

// tree is a JSON text, read once.
type tree struct {
	raw   string
	parts []part // members in their order, the last of duplicates only; or elements
}

// part is a member, or an element.
type part struct {
	key string
	tree
}

// readTree reads a JSON text. ok is false where it is none, or nested deeper than MaxDepth.
func readTree(raw string) (t tree, ok bool) {
	if tooDeep(bytesOf(raw)) || !gjson.Valid(raw) {
		return tree{}, false
	}
	w := walker{text: raw}
	return w.tree(), true
}

func (w *walker) tree() (t tree) {
	if !w.skip() {
		return t
	}
	start := w.pos
	switch w.text[start] {
	case '{':
		w.members(func(key string) { t.parts = append(t.parts, part{key, w.tree()}) })
		t.parts = lastOfEach(t.parts)
	case '[':
		w.elements(func(int) { t.parts = append(t.parts, part{"", w.tree()}) })
	default:
		w.token()
	}
	t.raw = w.text[start:w.pos]
	return t
}

// lastOfEach drops all but the last of duplicate members.
func lastOfEach(parts []part) []part {
	if len(parts) < 2 {
		return parts
	}
	last := make(map[string]int, len(parts))
	for i := range parts {
		last[parts[i].key] = i
	}
	if len(last) == len(parts) {
		return parts
	}
	kept := parts[:0]
	for i, p := range parts {
		if last[p.key] == i {
			kept = append(kept, p)
		}
	}
	return kept
}

// kind is what a tree is: '{', '[', '"', 'n' for a number and 'l' for another literal.
func (t *tree) kind() byte {
	switch c := t.raw[0]; {
	case c == '{', c == '[', c == '"':
		return c
	case c == '-', c >= '0' && c <= '9':
		return 'n'
	}
	return 'l'
}

// isBranch says whether it is an object or a list.
func (t *tree) isBranch() bool { return t.raw[0] == '{' || t.raw[0] == '[' }

// member finds one by its name, or nil.
func (t *tree) member(key string) *tree {
	if t.raw[0] == '{' {
		for i := range t.parts {
			if t.parts[i].key == key {
				return &t.parts[i].tree
			}
		}
	}
	return nil
}

// scalarText is how a string or a number is written where it is a part of a text: the one without its
// quotes, the other in the spelling that all of its have in common. Other values have none.
func scalarText(raw string) (text string, ok bool) {
	if raw == "" {
		return "", false
	}
	switch t := (&tree{raw: raw}); t.kind() {
	case '"':
		return unquote(raw), true
	case 'n':
		return CanonicalNumber(raw), true
	}
	return "", false
}
