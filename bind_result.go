package reprise

import (
	"slices"
	"strings"
)

// Result binds what a recorded result and the live one show at the same places. seq and index are those of the recorded
// response. A live failure in the place of a success binds nothing.
func (b *Bindings) Result(seq int64, index int, recorded, live string) {
	if len(b.ids) == 0 && !strings.Contains(recorded, PlaceholderStart) {
		return
	}
	r, ok := readTree(recorded)
	l, too := readTree(live)
	if !ok || !too || failed(&r) != failed(&l) {
		return
	}
	x := binder{b: b, seq: seq, live: &l, places: map[string][]valuePlace{}}
	for _, v := range b.places[callRef{seq: seq, index: index}] {
		if id := b.ids[v.text]; id != nil && id.common {
			x.places[v.path] = append(x.places[v.path], v)
		}
	}
	x.pairs = pairs{b: b, binds: true, leaf: x.leaf, key: x.key}
	x.pairs.walk(&r, &l)
}

func failed(result *tree) bool {
	is := result.member("isError")
	return is != nil && is.raw == "true"
}

// binder binds the leaves of one result.
type binder struct {
	b      *Bindings
	seq    int64 // of the recorded result
	pairs  pairs
	live   *tree
	leaves map[string]bool         // of live, with their places; made when it is asked for
	places map[string][]valuePlace // of the common identifiers that the result generated
}

func (x *binder) key(r, l string) {
	if id := x.b.ids[r]; id != nil && !id.common && x.mayShow(id) {
		x.b.bind(id, "", l)
	}
}

func (x *binder) leaf(r, l *tree) {
	if r == nil || l == nil || r.kind() != l.kind() {
		return
	}
	text, ok := scalarText(r.raw)
	if !ok || text == "" {
		return
	}
	live, _ := scalarText(l.raw)
	if live != "" && isPlaceholder(text) { // a masked leaf may have been anything
		x.b.bind(x.b.placeholder(text), "", live)
		return
	}
	id := x.b.ids[text]
	switch {
	case id != nil && !id.common:
		if !x.mayShow(id) {
			return
		}
		if x.stays(r) {
			live = text
		}
		if plausible(text, live) {
			x.b.bind(id, "", live)
		}
		return
	case id != nil:
		for _, v := range x.generated() {
			if entity, ok := id.entityFor(v.entity); ok && v.text == text && plausible(text, live) {
				x.b.bind(id, entity, live)
				return
			}
		}
	}
	if r.kind() == '"' {
		x.text(text, live)
	}
}

// mayShow says whether the result may be where an identifier is from: one that was from nowhere had not been said before.
func (x *binder) mayShow(id *identifier) bool { return id.shown || x.seq < id.guess }

func isPlaceholder(text string) bool {
	all := placeholders(text)
	return len(all) == 1 && all[0].from == 0 && all[0].to == len(text)
}

// generated are the common identifiers that the place at hand generated.
func (x *binder) generated() (all []valuePlace) {
	if len(x.places) == 0 {
		return nil
	}
	path := x.pairs.path()
	for {
		all = append(all, x.places[path]...)
		inside, ok := withinResult(path)
		if !ok {
			return all
		}
		path = inside
	}
}

// withinResult drops what provenance leaves out of its paths.
func withinResult(path string) (string, bool) {
	for _, root := range []string{"structuredContent", "result"} {
		if inside, ok := strings.CutPrefix(path, root); ok && inside != "" && strings.IndexByte(".[", inside[0]) >= 0 {
			return strings.TrimPrefix(inside, "."), true
		}
	}
	if strings.HasPrefix(path, "content") {
		if _, inside, ok := strings.Cut(path, "].text"); ok && inside != "" && strings.IndexByte(".[", inside[0]) >= 0 {
			return strings.TrimPrefix(inside, "."), true
		}
	}
	return "", false
}

// stays says whether an element's identifier stands in another element of the live value: then the order has changed, and
// not the identifier.
func (x *binder) stays(r *tree) bool {
	if !slices.ContainsFunc(x.pairs.steps, func(s segment) bool { return s.index >= 0 }) {
		return false
	}
	if x.leaves == nil {
		x.leaves = map[string]bool{}
		all := pairs{}
		all.leaf = func(l, _ *tree) {
			if text, ok := scalarText(l.raw); ok && x.b.ids[text] != nil {
				x.leaves[all.spread()+text] = true
			}
		}
		all.walk(x.live, x.live)
	}
	text, _ := scalarText(r.raw)
	return x.leaves[x.pairs.spread()+text]
}

// spread spells a place without the numbers of its elements.
func (p *pairs) spread() string {
	var b []byte
	for _, s := range p.steps {
		b = append(append(b, s.key...), '\x00')
	}
	return string(b)
}

// window is how many lines around its own place a line of a text is looked for.
const window = 32

// text binds identifiers within two texts: line by line where there are several.
func (x *binder) text(recorded, live string) {
	common := x.generated()
	if !x.open(&boundLine{text: recorded, ids: x.expected(recorded, common)}) {
		return
	}
	from, to := strings.Split(recorded, "\n"), strings.Split(live, "\n")
	same := map[string]bool{}
	if len(from) > 1 {
		for _, line := range to {
			same[line] = true
		}
	}
	for i, text := range from {
		line := boundLine{text, x.expected(text, common), common}
		switch {
		case !x.open(&line):
		case same[text]:
			x.line(&line, text, true)
		default:
			_ = x.nearest(&line, i, to, true) || x.nearest(&line, i, to, false)
		}
	}
}

// boundLine is a recorded line with the identifiers that count in it: the distinctive ones, and those that its text generated.
type boundLine struct {
	text   string
	ids    []occurrence
	common []valuePlace
}

func (x *binder) id(line *boundLine, i int) *identifier {
	return x.b.ids[line.text[line.ids[i].from:line.ids[i].to]]
}

// open says whether there is anything left to bind.
func (x *binder) open(line *boundLine) bool {
	for i := range line.ids {
		if len(x.id(line, i).live) == 0 {
			return true
		}
	}
	return false
}

// nearest binds a line with the next one to its place that goes together with it.
func (x *binder) nearest(line *boundLine, at int, live []string, wholly bool) bool {
	for away := range window {
		for _, i := range []int{at + away, at - away} {
			if i >= 0 && i < len(live) && x.line(line, live[i], wholly) {
				return true
			}
		}
	}
	return false
}

// line binds what stands for the identifiers in one line. The two have to go together to the end, or else from their beginning on,
// with a word in front.
func (x *binder) line(line *boundLine, live string, wholly bool) bool {
	found, whole := alignText(line.text, live, line.ids)
	if n := x.others(line, found); n < len(found) {
		found, whole = found[:n], false
	}
	if !whole && (wholly || len(found) == 0 || !hasWord(line.text[:line.ids[0].from])) || x.contradicted(line, found) {
		return false
	}
	for i, l := range found {
		id := x.id(line, i)
		if !id.common {
			x.b.bind(id, "", l)
			continue
		}
		context := contextOf(line.text, line.ids[i].from)
		if !line.generated(id) && !id.isBound() && x.b.bind(id, "", l) {
			id.behind(context)
		}
		for _, v := range line.common {
			if entity, ok := id.entityFor(v.entity); ok && v.text == id.text && x.b.bind(id, entity, l) {
				id.behind(context)
			}
		}
	}
	return true
}

// generated says whether the text of a line generated a common identifier.
func (l *boundLine) generated(id *identifier) bool {
	return slices.ContainsFunc(l.common, func(v valuePlace) bool { return v.text == id.text })
}

// others is how many of what was found stand for their identifiers: a common one that was bound elsewhere is itself, or what
// it was bound to.
func (x *binder) others(line *boundLine, found []string) int {
	for i, live := range found {
		id := x.id(line, i)
		if id.common && id.isBound() && !line.generated(id) && live != id.text && !id.mayBeBoundTo(live) {
			return i
		}
	}
	return len(found)
}

func (id *identifier) mayBeBoundTo(text string) bool {
	for _, live := range id.live {
		if live == text {
			return true
		}
	}
	return false
}

// contradicted says whether an identifier that is bound already stands for something else here: these are two other lines.
func (x *binder) contradicted(line *boundLine, found []string) bool {
	for i, l := range found {
		id := x.id(line, i)
		if live, ok := id.live[""]; ok && !id.common && live != l {
			return true
		}
	}
	return false
}

// behind notes a word that a common identifier stands behind in texts.
func (id *identifier) behind(context string) {
	if hasWord(context) {
		if id.contexts == nil {
			id.contexts = map[string]bool{}
		}
		id.contexts[context] = true
	}
}

func hasWord(text string) bool { return classes(text)&(isLower|isUpper) != 0 }

// expected are the occurrences of identifiers that count in a text: the distinctive ones, those that it generated, those that
// are bound, and those that it may have shown.
func (x *binder) expected(text string, common []valuePlace) []occurrence {
	return slices.DeleteFunc(x.b.occurrences(text), func(o occurrence) bool {
		id := x.b.ids[text[o.from:o.to]]
		switch {
		case id.isBound(), slices.ContainsFunc(common, func(v valuePlace) bool { return v.text == id.text }):
			return false
		case !id.common:
			return !x.mayShow(id)
		}
		return x.seq >= id.guess || !id.isCalled(text, o, true)
	})
}
