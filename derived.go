package reprise

import "strings"

// derived finds the value that an argument was made from: the same in another JSON type, a part cut out, or
// several put together. It gives the last of them.
func (u *uses) derived(v *used) (*known, *birth) {
	if k := u.retyped(v); k != nil {
		return k, u.best(k, v)
	}
	for _, find := range []func(*used) *known{u.cutOut, u.composed} {
		if k := find(v); k != nil {
			return k, u.latest(k)
		}
	}
	return nil, nil
}

// latest is the last birth of all.
func (u *uses) latest(k *known) *birth { return u.best(k, &used{key: &keyInfo{}}) }

// retyped finds the number that a string spells, and the other way round.
func (u *uses) retyped(v *used) *known {
	switch v.token[0] {
	case 'n':
		return u.matching(appendTextToken(nil, v.raw), v)
	case 's':
		if v.text != "" && classes(v.text) == isDigit {
			return u.matching(appendToken(nil, v.text), v)
		}
	}
	return nil
}

// shortDigest is how many digits abbreviate a digest at least.
const shortDigest = 7

// cutOut finds the value that an argument is a part of: the directory of a path, a word of a text, the first
// digits of a digest.
func (u *uses) cutOut(v *used) *known {
	if k, ok := u.parts.get([]byte(v.text)); ok && v.text != "" {
		return k
	}
	if k, ok := u.cuts.get(v.token); ok {
		return k
	}
	if len(v.text) < shortDigest || !isHex(v.text) {
		return nil
	}
	k, ok := u.parts.get([]byte(v.text[:shortDigest]))
	if ok && strings.HasPrefix(k.text, v.text) {
		return k
	}
	return nil
}

// remember gives the key under which a new value is kept, and notes what may be cut out of it.
func (t *Tracer) remember(k *known, key []byte) string {
	kept := string(key)
	text, _, _ := strings.Cut(kept[1:], "\x00")
	switch key[0] {
	case 'n':
		k.number = text
		return kept
	case 's':
		k.text = text
	default:
		return kept
	}
	switch shape := shapeOf(k.text); shape {
	case shapeHex:
		if len(k.text) > shortDigest {
			t.parts.put(k.text[:shortDigest], k)
		}
	case shapePath, shapeURL:
		t.cut(k)
	}
	return kept
}

// maxAbove is how many directories above a path are remembered.
const maxAbove = 8

// cut notes the parts of a path or URL: its name, the directories above it, and what stands before a template's first
// variable.
func (t *Tracer) cut(k *known) {
	text := k.text
	if i := strings.IndexByte(text, '{'); i > 0 {
		t.part(strings.TrimSuffix(text[:i], "/"), k)
		return
	}
	if strings.HasPrefix(text, "a/") || strings.HasPrefix(text, "b/") { // the two sides of a diff
		t.part(text[2:], k)
	}
	end := strings.LastIndexByte(text, '/')
	if name := text[end+1:]; !commonText(name) {
		t.part(name, k)
	}
	for n := 0; n < maxAbove && end > 1 && text[end-1] != '/'; n++ {
		t.part(text[:end], k)
		end = strings.LastIndexByte(text[:end], '/')
	}
}

func (t *Tracer) part(text string, k *known) {
	if len(text) > 3 && !strings.HasSuffix(text, ":/") {
		t.parts.put(text, k)
	}
}

// longComposed is the longest string that is taken apart.
const longComposed = 1 << 10

// composed takes a string apart: into known values and what stands between them, separators only. One of
// them at least must mean something by itself.
func (u *uses) composed(v *used) (last *known) {
	text := v.text
	if len(text) > longComposed || len(text) < 4 {
		return nil
	}
	text = strings.TrimPrefix(text, "file://")
	for pos := 0; pos < len(text); {
		if k, n, common := u.longest(text[pos:]); k != nil {
			if pos += n; !common {
				last = k
			}
			continue
		}
		if !separates(text[pos]) {
			return nil
		}
		pos++
	}
	return last
}

// maxPieces is how many ends are tried for one part of a composed string.
const maxPieces = 32

// longest finds the longest known value that a text begins with and that ends where a name does.
func (u *uses) longest(text string) (k *known, length int, common bool) {
	var ends [maxPieces]int
	n := 0
	for i := 1; i <= len(text) && n < maxPieces; i++ {
		if i == len(text) || separates(text[i]) && !separates(text[i-1]) {
			ends[n] = i
			n++
		}
	}
	for n--; n >= 0; n-- {
		if k, common := u.piece(text[:ends[n]]); k != nil {
			return k, ends[n], common
		}
	}
	return nil, 0, false
}

// piece finds a part of a composed string: a string or number, a part cut out of a value, or a common name.
func (u *uses) piece(text string) (k *known, isCommon bool) {
	u.token = appendTextToken(u.token[:0], text)
	if !common(u.token) && len(text) <= longText {
		if k, ok := u.values.get(u.token); ok {
			return k, false
		}
		if k, ok := u.cuts.get(u.token); ok {
			return k, false
		}
	}
	if k, ok := u.parts.get([]byte(text)); ok {
		return k, false
	}
	if u.token = append(append(u.token[:0], 'n'), text...); classes(text) == isDigit && !common(u.token) {
		if k, ok := u.values.get(u.token); ok {
			return k, false
		}
	}
	k, _ = u.names.get([]byte(text))
	return k, true
}

func separates(b byte) bool { return b < 0x80 && classOf[b]&(isLower|isUpper|isDigit) == 0 }
