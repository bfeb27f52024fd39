package reprise

import "strings"

// derived finds the value that an argument was made from: the same in another JSON type, a part cut out, or
// several put together. It gives the last of them.
func (u *uses) derived(v *used) (*known, *birth) {
	if k := u.retyped(v); k != nil {
		return k, u.best(k, v)
	}
	for _, find := range []func(*used) *known{u.partOf, u.composed} {
		if k := find(v); k != nil {
			return k, k.latest()
		}
	}
	return nil, nil
}

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

// partOf finds the value that an argument is a part of: the directory of a path, a word of a text, the first
// digits of a digest.
func (u *uses) partOf(v *used) *known {
	if k, ok := u.t.fragments.get([]byte(v.text)); ok {
		return k
	}
	if k, ok := u.t.words.get(v.token); ok {
		return k
	}
	if v.token[0] == 'n' && !v.common { // issues/13478
		k, _ := u.t.fragments.get([]byte(v.raw))
		return k
	}
	if n := len(v.text); n == 32 && isHex(v.text) || n == 36 && isUUID(v.text) {
		if k, ok := u.t.fragments.get([]byte(bare(v.text))); ok {
			return k
		}
	}
	if len(v.text) < shortDigest || !isHex(v.text) {
		return nil
	}
	k, ok := u.t.fragments.get([]byte(v.text[:shortDigest]))
	if ok && strings.HasPrefix(k.text, v.text) {
		return k
	}
	return nil
}

// spell notes how a new value is written, and what may be cut out of it. token is its part of the key that it is kept under:
// what is cut out of it takes no further memory.
func (t *Tracer) spell(k *known, token string, f *finding) {
	switch token[0] {
	case 'n':
		k.number = token[1:]
		return
	case 's':
		k.text = token[1:]
	case 'h':
		if f.raw == "" { // a word: of a leaf the use has all of it
			k.text = strings.Clone(f.text)
		}
	}
	switch shape := shapeOf(k.text); {
	case shape == shapeHex && len(k.text) > shortDigest:
		t.fragments.put(k.text[:shortDigest], k)
	case shape == shapePath, shape == shapeURL, isTemplate(k.text):
		t.splitPath(k)
	case shape == shapeUUID:
		t.fragments.put(bare(k.text), k)
	}
}

// bare is a UUID as some write it: without dashes, in small letters.
func bare(uuid string) string { return strings.ToLower(strings.ReplaceAll(uuid, "-", "")) }

// isTemplate says whether a text is an address with variables in it (RFC 6570).
func isTemplate(text string) bool {
	scheme := strings.Index(text, "://")
	return scheme > 0 && strings.IndexByte(text, '{') > scheme && strings.IndexByte(text, ' ') < 0
}

// maxAbove is how many directories above a path are remembered.
const maxAbove = 8

// splitPath notes the parts of a path or URL: its name, the directories above it, and what stands before a template's first
// variable.
func (t *Tracer) splitPath(k *known) {
	text := k.text
	if i := strings.IndexByte(text, '{'); i > 0 {
		t.fragment(strings.TrimSuffix(text[:i], "/"), k)
		return
	}
	if strings.HasPrefix(text, "a/") || strings.HasPrefix(text, "b/") { // the two sides of a diff
		t.fragment(text[2:], k)
	}
	between := "/"
	if strings.IndexByte(text, '/') < 0 {
		between = `\`
	}
	end := len(text)
	for n := 0; n < maxAbove && end > 1; n++ {
		begin := strings.LastIndex(text[:end], between)
		t.name(text[begin+1:end], k)
		if begin < 1 || text[begin-1] == '/' {
			return
		}
		end = begin
		t.fragment(text[:end], k)
	}
}

// name notes one name of a path, and the digest that it ends in: Roadmap-1429989fe8ac4effbc8f57f56486db54.
func (t *Tracer) name(name string, k *known) {
	name, _, _ = strings.Cut(name, "?")
	if !commonText(name) {
		t.fragment(name, k)
	}
	if tail := name[strings.LastIndexByte(name, '-')+1:]; len(tail) < len(name) && len(tail) >= 32 && isHex(tail) {
		t.fragment(tail, k)
	}
}

func (t *Tracer) fragment(text string, k *known) {
	if len(text) > 3 && !strings.HasSuffix(text, ":/") {
		t.fragments.put(text, k)
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
	u.t.token = appendTextToken(u.t.token[:0], text)
	if !common(u.t.token) {
		if k, ok := u.t.values.get(u.t.token); ok {
			return k, false
		}
		if k, ok := u.t.words.get(u.t.token); ok {
			return k, false
		}
	}
	if k, ok := u.t.fragments.get([]byte(text)); ok {
		return k, false
	}
	if u.t.token = append(append(u.t.token[:0], 'n'), text...); classes(text) == isDigit && !common(u.t.token) {
		if k, ok := u.t.values.get(u.t.token); ok {
			return k, false
		}
	}
	k, _ = u.t.names.get([]byte(text))
	return k, true
}

func separates(b byte) bool { return b < 0x80 && classOf[b]&(isLower|isUpper|isDigit) == 0 }
