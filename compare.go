package reprise

import "strings"

// Difference is one place where two JSON values differ.
type Difference struct {
	// Path is its place in the values, as provenance spells places: content[0].text, items[0].id. The place in a JSON text that
	// stands in a string goes on behind the string's: content[0].text.items[0].id. "" is the whole value.
	Path string
	// Recorded and Live are the raw JSON on both sides; "" where there is none.
	Recorded, Live string
}

// Class is what has become of one recorded message.
type Class string

const (
	ClassEqual    Class = "equal"
	ClassVolatile Class = "volatile" // it differs only in what may differ between two runs
	ClassChanged  Class = "changed"
	ClassMissing  Class = "missing" // recorded, and not there
	ClassExtra    Class = "extra"   // there, and not recorded
)

// MaxDifferences is how many differences of one message are listed.
const MaxDifferences = 1000

// Comparison is how a live message differs from the recorded one.
type Comparison struct {
	Class Class
	// Changed are the differences that count, at most MaxDifferences.
	Changed []Difference
	// Volatile are identifiers that are bound, and what the protocol makes anew in each run.
	Volatile []Difference
	Ignored  int // differences that the rules ignore
}

// CompareMessages compares a recorded result, error or notification's params with the live one. "" is none. The
// names are the call's: its method, and its tool or prompt.
//
// The spelling never counts: blanks, escapes, the order of members, 1.0 for 1; nor does the order of lists of tools, prompts
// and resources. Nor do identifiers that are bound to each other, nor what the protocol makes anew in each run,
// at its place (protocol.md §7). Every other difference does, unless a rule ignores its place. Absent is not null.
func CompareMessages(recorded, live string, names []string, b *Bindings, g *Ignore) Comparison {
	switch {
	case recorded == live && (b == nil || !b.moved):
		return Comparison{Class: ClassEqual}
	case live == "":
		return Comparison{Class: ClassMissing}
	case recorded == "":
		return Comparison{Class: ClassExtra}
	}
	r, ok := readTree(recorded)
	l, too := readTree(live)
	if !ok || !too {
		return compareBytes(recorded, live)
	}
	c := comparing{b: b, g: g, names: names, places: volatilePlaces(names, &r)}
	c.pairs = pairs{b: b, leaf: c.leaf, key: c.key, adopt: c.renamed, done: c.full}
	c.pairs.walk(&r, &l)
	switch {
	case len(c.out.Changed) > 0:
		c.out.Class = ClassChanged
	case len(c.out.Volatile) > 0:
		c.out.Class = ClassVolatile
	default:
		c.out.Class = ClassEqual
	}
	return c.out
}

// compareBytes compares what is no JSON.
func compareBytes(recorded, live string) Comparison {
	if recorded == live {
		return Comparison{Class: ClassEqual}
	}
	return Comparison{Class: ClassChanged, Changed: []Difference{{Recorded: recorded, Live: live}}}
}

// comparing is one comparison.
type comparing struct {
	b      *Bindings
	g      *Ignore
	names  []string
	places []volatilePlace
	pairs  pairs
	out    Comparison
}

func (c *comparing) full() bool { return len(c.out.Changed) >= MaxDifferences }

func (c *comparing) leaf(r, l *tree) {
	switch {
	case r != nil && l != nil && sameLeaf(r, l):
		if !c.strays(r) {
			return
		}
	case r != nil && l != nil && (c.bound(r, l) || c.volatile(r, l)):
		c.differ(&c.out.Volatile, r.raw, l.raw)
		return
	}
	if path := c.pairs.path(); c.g.Has(c.names, path) {
		c.out.Ignored++
		return
	}
	c.differ(&c.out.Changed, rawOf(r), rawOf(l))
}

func (c *comparing) differ(list *[]Difference, recorded, live string) {
	if len(*list) < MaxDifferences {
		*list = append(*list, Difference{c.pairs.path(), recorded, live})
	}
}

// key notes that a member stands for one of another name.
func (c *comparing) key(r, l string) {
	if r != l {
		c.differ(&c.out.Volatile, string(appendString(nil, r)), string(appendString(nil, l)))
	}
}

func rawOf(t *tree) string {
	if t == nil {
		return ""
	}
	return t.raw
}

// sameLeaf compares two scalars, or empty containers, whatever their spelling.
func sameLeaf(r, l *tree) bool {
	switch {
	case r.raw == l.raw:
		return true
	case r.kind() != l.kind() || r.isBranch():
		return false
	}
	return string(Canonical(r.raw)) == string(Canonical(l.raw))
}

// strays says whether a recorded leaf, that is the same today, should have become another one.
func (c *comparing) strays(r *tree) bool {
	if c.b == nil || !c.b.moved {
		return false
	}
	text, ok := scalarText(r.raw)
	if !ok {
		return false
	}
	if id := c.b.ids[text]; id != nil && id.common && id.isBound() {
		return id.strays(standingOf(c.pairs.steps, c.names))
	}
	plain := withoutPercents(text)
	return c.b.Translate(text) != text || c.b.Translate(plain) != plain
}

// bound says whether two leaves differ in identifiers alone.
func (c *comparing) bound(r, l *tree) bool {
	text, ok := scalarText(r.raw)
	live, too := scalarText(l.raw)
	if c.b == nil || !c.b.moved || r.kind() != l.kind() || !ok || !too {
		return false
	}
	id := c.b.ids[text]
	switch {
	case id != nil && id.common && id.isBound() && !id.isSlug():
		return id.is(live, standingOf(c.pairs.steps, c.names))
	case r.kind() == 'n':
		return id != nil && !id.common && id.live[""] == live
	case c.b.sameText(text, live):
		return true
	}
	return strings.IndexByte(text, '%') >= 0 && strings.IndexByte(live, '%') >= 0 && c.b.sameText(withoutPercents(text), withoutPercents(live))
}

// FirstDifference is the first place, in the recorded order, where two JSON values differ. Nothing is bound, and elements
// are compared by their indices.
func FirstDifference(recorded, live string) (d Difference, differ bool) {
	r, ok := readTree(recorded)
	l, too := readTree(live)
	if !ok || !too {
		return Difference{Recorded: recorded, Live: live}, recorded != live
	}
	p := pairs{plain: true, done: func() bool { return differ }}
	p.leaf = func(r, l *tree) {
		if !differ && (r == nil || l == nil || !sameLeaf(r, l)) {
			d, differ = Difference{p.path(), strings.Clone(rawOf(r)), strings.Clone(rawOf(l))}, true
		}
	}
	p.walk(&r, &l)
	return d, differ
}
