package reprise

import "strings"

// pairs walks a recorded value and a live one together, and gives what stands at the same place in both.
//
// Members are paired by name, elements by index, those of lists of different lengths by what they are (see
// alike), and the entries of tools, prompts and resources by name. The JSON in a text is walked on.
type pairs struct {
	leaf func(r, l *tree)  // two values, not both objects or both lists; the one that is missing is nil
	key  func(r, l string) // names of members that stand for each other; may be nil

	b     *Bindings   // what recorded names and values are today; nil when nothing is bound
	adopt func() bool // whether members whose names differ are paired in order at this place; may be nil
	done  func() bool // whether to stop; may be nil
	binds bool        // the bindings are being made
	plain bool        // by index, and no JSON in texts

	steps []segment
	text  bool // within the JSON of a text
}

func (p *pairs) walk(r, l *tree) {
	switch {
	case p.done != nil && p.done():
	case r.isBranch() && r.raw[0] == l.raw[0] && r.raw[0] == '{':
		p.object(r, l)
	case r.isBranch() && r.raw[0] == l.raw[0]:
		p.list(r, l)
	case !p.embedded(r, l):
		p.leaf(r, l)
	}
}

// at walks what stands one step below.
func (p *pairs) at(s segment, r, l *tree) {
	p.steps = append(p.steps, s)
	switch {
	case p.done != nil && p.done():
	case r == nil || l == nil:
		p.leaf(r, l)
	default:
		p.walk(r, l)
	}
	p.steps = p.steps[:len(p.steps)-1]
}

// path spells the place that the walk is at.
func (p *pairs) path() string {
	var b []byte
	for _, s := range p.steps {
		switch {
		case len(b) > maxPath:
			return string(append(b, "…"...))
		case s.index >= 0:
			b = appendIndex(b, s.index)
		default:
			b = appendKey(b, s.key)
		}
	}
	return string(b)
}

func (p *pairs) object(r, l *tree) {
	if p.sameNames(r, l) {
		for i := range r.parts {
			p.member(&r.parts[i], &l.parts[i])
		}
		return
	}
	partner, extra := p.members(r, l)
	for i := range r.parts {
		p.member(&r.parts[i], partner[i])
	}
	for _, n := range extra {
		p.at(segment{n.key, -1}, nil, &n.tree)
	}
}

// member walks a member and its partner, nil where it has none.
func (p *pairs) member(r, l *part) {
	if l == nil {
		p.at(segment{r.key, -1}, &r.tree, nil)
		return
	}
	if p.key != nil {
		p.key(r.key, l.key)
	}
	p.at(segment{r.key, -1}, &r.tree, &l.tree)
}

// sameNames says whether the members go together one by one, as most often.
func (p *pairs) sameNames(r, l *tree) bool {
	if len(r.parts) != len(l.parts) {
		return false
	}
	for i := range r.parts {
		if name := l.parts[i].key; r.parts[i].key != name || p.b.Translate(name) != name {
			return false
		}
	}
	return true
}

// members finds the partner of each member, by its name today; then those whose names are identifiers, in order.
func (p *pairs) members(r, l *tree) (partner []*part, extra []*part) {
	byName := make(map[string]*part, len(l.parts))
	for i := range l.parts {
		byName[l.parts[i].key] = &l.parts[i]
	}
	partner = make([]*part, len(r.parts))
	var left []int
	for i := range r.parts {
		name := p.b.Name(r.parts[i].key)
		if byName[name] == nil { // a common one may be no identifier here
			name = p.b.Translate(r.parts[i].key)
		}
		if partner[i] = byName[name]; partner[i] != nil {
			delete(byName, name)
		} else if p.adopts(r.parts[i].key) {
			left = append(left, i)
		}
	}
	for i := range l.parts {
		n := &l.parts[i]
		if byName[n.key] == nil {
			continue
		}
		if len(left) > 0 && plausible(r.parts[left[0]].key, n.key) {
			partner[left[0]], left = n, left[1:]
			continue
		}
		extra = append(extra, n)
	}
	return partner, extra
}

// adopts says whether a member may stand for one of another name: where names are keys of the protocol's, and
// while the bindings are made, when the name is an identifier.
func (p *pairs) adopts(key string) bool {
	id := p.b.identifier(key)
	return p.adopt != nil && p.adopt() || p.binds && id != nil && (!id.common || id.isNumber() || id.isSlug())
}

// plausible says whether a live text can stand for a recorded identifier: prose does not stand for a word.
func plausible(recorded, live string) bool {
	return live != "" && len(live) <= 4*len(recorded)+64 && (strings.ContainsAny(recorded, " \n") || !strings.ContainsAny(live, " \n"))
}

// embedded walks the JSON in two texts.
func (p *pairs) embedded(r, l *tree) bool {
	if p.plain || p.text || r.kind() != '"' || l.kind() != '"' || len(p.steps) == 0 || p.steps[len(p.steps)-1].key != "text" {
		return false
	}
	recorded, ok := jsonIn(r.raw)
	live, too := jsonIn(l.raw)
	if !ok || !too || recorded.raw[0] != live.raw[0] {
		return false
	}
	p.text = true
	p.walk(&recorded, &live)
	p.text = false
	return true
}

func jsonIn(raw string) (tree, bool) {
	text := strings.TrimSpace(unquote(raw))
	if !isJSON(text) {
		return tree{}, false
	}
	return readTree(text)
}
