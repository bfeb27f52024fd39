package reprise

import (
	"slices"
	"strings"
)

// list pairs the elements of two lists.
func (p *pairs) list(r, l *tree) {
	if !p.plain {
		if key := p.entryKey(); key != "" && allNamed(r, key) && allNamed(l, key) {
			p.entries(r, l, key)
			return
		}
		if len(r.parts) != len(l.parts) {
			p.alike(r, l)
			return
		}
		if partner := p.sorted(r, l); partner != nil {
			for i := range r.parts {
				p.at(segment{index: i}, &r.parts[i].tree, partner[i])
			}
			return
		}
	}
	for i := range max(len(r.parts), len(l.parts)) {
		p.at(segment{index: i}, elementOf(r, i), elementOf(l, i))
	}
}

// elementOf is an element, or nil behind the last.
func elementOf(t *tree, i int) *tree {
	if i >= len(t.parts) {
		return nil
	}
	return &t.parts[i].tree
}

// entryKeys are the lists whose order does not count, with what their entries are known by.
var entryKeys = map[string]string{"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}

// entryKey is what the entries of the list at hand are known by, "" of other lists.
func (p *pairs) entryKey() string {
	if len(p.steps) != 1 {
		return ""
	}
	return entryKeys[p.steps[0].key]
}

func allNamed(t *tree, key string) bool {
	return !slices.ContainsFunc(t.parts, func(e part) bool {
		name := e.member(key)
		return name == nil || name.kind() != '"'
	})
}

// entries pairs those of the same name; of those with one name in their order.
func (p *pairs) entries(r, l *tree, key string) {
	open := map[string][]int{}
	for i := range l.parts {
		name := unquote(l.parts[i].member(key).raw)
		open[name] = append(open[name], i)
	}
	paired := make([]bool, len(l.parts))
	for i := range r.parts {
		name := p.b.Translate(unquote(r.parts[i].member(key).raw))
		var partner *tree
		if queue := open[name]; len(queue) > 0 {
			partner, open[name], paired[queue[0]] = &l.parts[queue[0]].tree, queue[1:], true
		}
		p.at(segment{index: i}, &r.parts[i].tree, partner)
	}
	for i := range l.parts {
		if !paired[i] {
			p.at(segment{index: i}, nil, &l.parts[i].tree)
		}
	}
}

// sorted pairs the elements of two lists that stand in the order of their identifiers, all of which are bound. Those are made
// at random, and so is their order then; nil for any other lists.
func (p *pairs) sorted(r, l *tree) []*tree {
	if p.b == nil || !p.b.moved || len(r.parts) < 2 {
		return nil
	}
	for _, key := range markKeys {
		then, _ := namesBy(r, key)
		now, elements := namesBy(l, key)
		if !inOrder(then) || !inOrder(now) {
			continue
		}
		partner := make([]*tree, len(then))
		for i, name := range then {
			id := p.b.ids[name]
			if id == nil || !id.isBound() {
				return nil
			}
			if partner[i] = elements[p.b.today(name)]; partner[i] == nil {
				return nil
			}
		}
		return partner
	}
	return nil
}

// namesBy are the strings by which the elements of a list are known, and the elements by them.
func namesBy(list *tree, key string) (names []string, elements map[string]*tree) {
	elements = make(map[string]*tree, len(list.parts))
	for i := range list.parts {
		e := &list.parts[i].tree
		if m := e.member(key); m != nil && m.kind() == '"' {
			name := unquote(m.raw)
			names, elements[name] = append(names, name), e
		}
	}
	if len(elements) < len(list.parts) {
		return nil, nil
	}
	return names, elements
}

// inOrder says whether names rise, or fall.
func inOrder(names []string) bool {
	falling := slices.Clone(names)
	slices.Reverse(falling)
	return len(names) > 0 && (slices.IsSorted(names) || slices.IsSorted(falling))
}

// alike pairs the elements of lists of different lengths: those that are the same by their marks as anchors, what stands
// between two of them by index. So an element that was put in is one difference.
func (p *pairs) alike(r, l *tree) {
	i, j := 0, 0
	for _, anchor := range append(p.anchors(r, l), [2]int{len(r.parts), len(l.parts)}) {
		for i < anchor[0] || j < anchor[1] {
			var one, other *tree
			index := i
			if i < anchor[0] {
				one = &r.parts[i].tree
				i++
			} else {
				index = j
			}
			if j < anchor[1] {
				other = &l.parts[j].tree
				j++
			}
			p.at(segment{index: index}, one, other)
		}
		if i < len(r.parts) && j < len(l.parts) {
			p.at(segment{index: i}, &r.parts[i].tree, &l.parts[j].tree)
		}
		i, j = i+1, j+1
	}
}

// anchors are elements with the same mark, as many as keep their order: the longest rising run of
// the live indices. The nth with a mark is that with the nth of the same on the other side.
func (p *pairs) anchors(r, l *tree) [][2]int {
	type nth struct {
		mark string
		n    int
	}
	seen, live := map[string]int{}, map[nth]int{}
	for j := range l.parts {
		m := l.parts[j].mark(nil)
		live[nth{m, seen[m]}] = j
		seen[m]++
	}
	clear(seen)
	var matched [][2]int
	for i := range r.parts {
		m := r.parts[i].mark(p.b)
		if j, ok := live[nth{m, seen[m]}]; ok {
			matched = append(matched, [2]int{i, j})
		}
		seen[m]++
	}
	return rising(matched)
}

// rising is the longest subsequence whose second numbers rise.
func rising(pairs [][2]int) [][2]int {
	var ends []int // ends[n] is the pair with the least end among the runs of n+1
	before := make([]int, len(pairs))
	for i := range pairs {
		n, _ := slices.BinarySearchFunc(ends, pairs[i][1], func(k, j int) int { return pairs[k][1] - j })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	run := make([][2]int, len(ends))
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
		run[n] = pairs[i]
	}
	return run
}

// markKeys are members by which an object is known among others, the best first.
var markKeys = []string{"id", "key", "uri", "name", "path", "url"}

// longMark is up to which length a spelling does not count: a list in a list in a list would be read again for each.
const longMark = 16 << 10

// mark is what an element is known by: an object by a member that names it, else all of it.
func (t *tree) mark(b *Bindings) string {
	for _, key := range markKeys {
		m := t.member(key)
		if m == nil || m.isBranch() {
			continue
		}
		if text, ok := scalarText(m.raw); ok && text != "" {
			return key + "=" + b.today(text)
		}
	}
	switch {
	case len(t.raw) > longMark:
		return t.raw
	case t.kind() == '"':
		return b.today(unquote(t.raw))
	case t.kind() == 'n':
		return CanonicalNumber(t.raw)
	}
	return string(Canonical(t.raw))
}

// alignText reads a live text by a recorded one in which identifiers stand: what is between them has to be
// the same. It gives what stands for each, as far as the texts go together; whole says that they do to the end.
func alignText(recorded, live string, ids []occurrence) (found []string, whole bool) {
	at := 0
	for i, o := range ids {
		from := 0
		if i > 0 {
			from = ids[i-1].to
		}
		end := len(recorded)
		if i+1 < len(ids) {
			end = ids[i+1].from
		}
		rest, ok := strings.CutPrefix(live[at:], recorded[from:o.from])
		if !ok {
			return found, false
		}
		id := standIn(rest, recorded[o.from:o.to], recorded[o.to:end], o.wild)
		if id == "" {
			return found, false
		}
		found = append(found, id)
		at = len(live) - len(rest) + len(id)
	}
	return found, len(ids) > 0 && live[at:] == recorded[ids[len(ids)-1].to:]
}

// nearby is how much of what follows an identifier has to be the same.
const nearby = 16

// standIn is what a text begins with in the place of an identifier: made of such bytes as that is, and followed by what
// follows that. wild is a placeholder, for which any secret may stand.
func standIn(text, id, next string, wild bool) string {
	if wild {
		return secretBefore(text, next)
	}
	within := id
	if strings.ContainsAny(id, "+/=") && classes(id)&^(isLower|isUpper|isDigit|isSlash|isOdd) == 0 {
		within += "+/=" // base64 has them here or there
	}
	n := 0
	for n < len(text) && n < 4*len(id)+64 && (!separates(text[n]) || strings.IndexByte(within, text[n]) >= 0) {
		n++
	}
	next = next[:min(len(next), nearby)]
	for end := n; end > 0; end-- {
		borders := !separates(text[end-1]) && (end == len(text) || separates(text[end]))
		if borders && (next != "" && strings.HasPrefix(text[end:], next) || next == "" && end == len(text)) {
			return resembling(id, text[:end])
		}
	}
	for n > 0 && separates(text[n-1]) {
		n--
	}
	return resembling(id, text[:n])
}

// secretBefore is what stands for a masked secret: up to what follows it, and no further than a blank or a quote.
func secretBefore(text, next string) string {
	end := strings.IndexAny(text, " \t\r\n\"'`")
	if end < 0 {
		end = len(text)
	}
	if next != "" {
		end = min(end, max(0, strings.Index(text, next)))
	}
	return text[:end]
}

// resembling gives the live text back if it can stand for an identifier: one with digits in it is no word.
func resembling(id, live string) string {
	if live == "" || classes(id)&isDigit != 0 && classes(live)&isDigit == 0 {
		return ""
	}
	return live
}
