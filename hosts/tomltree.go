package hosts

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlTree builds the tree. The library's parser gives the places of keys, strings and the like. Those of
// brackets and commas it leaves out, but between values nothing else stands than space and comments.
type tomlTree struct {
	src     []byte
	lineEnd string
	root    *node
	table   *node                    // whose members the lines are that follow
	at      map[*node]map[string]int // where a mapping has a key among its members
	keys    int
}

// placeTOML gives the tree of a text that may still break a rule of TOML: that a table is not defined twice, say.
func placeTOML(src []byte) (*node, error) {
	plain, err := withoutMark(src)
	if err != nil {
		return nil, err
	}
	root := openTable()
	t := tomlTree{src: src, lineEnd: firstLineEnd(src), root: root, table: root, at: map[*node]map[string]int{}}
	var p unstable.Parser
	p.Reset(plain)
	for p.NextExpression() {
		if err := t.add(p.Expression()); err != nil {
			return nil, err
		}
	}
	if err := p.Error(); err != nil {
		return nil, parserError(err, plain)
	}
	return root, nil
}

// openTable is a mapping whose members may stand anywhere.
func openTable() *node { return &node{kind: mapping, start: -1, end: -1} }

func (t *tomlTree) add(e *unstable.Node) error {
	if e.Kind != unstable.KeyValue {
		return t.header(e)
	}
	return t.member(t.table, e, t.lineEnd+t.indent(int(e.Raw.Offset)))
}

// indent is the space in front of the first thing in a line.
func (t *tomlTree) indent(end int) string {
	start := end
	for start > 0 && tomlSpace(t.src[start-1]) {
		start--
	}
	return string(t.src[start:end])
}

func tomlSpace(b byte) bool { return b == ' ' || b == '\t' }

// header goes to the table that a line in brackets names.
func (t *tomlTree) header(e *unstable.Node) (err error) {
	key := e.Key()
	t.table = t.root
	for start := -1; key.Next(); {
		part := key.Node()
		if start < 0 {
			start = int(part.Raw.Offset)
		}
		if key.IsLast() && e.Kind == unstable.ArrayTable {
			t.table, err = t.element(t.table, part, start)
		} else {
			t.table, err = t.inner(t.table, part, start)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inner goes from a mapping down to the one of that key, which comes to be if need be. Of an array of tables it is the last.
func (t *tomlTree) inner(n *node, part *unstable.Node, start int) (*node, error) {
	m, err := t.find(n, part)
	if err != nil {
		return nil, err
	}
	if m == nil {
		m = t.put(n, member{key: string(part.Data), keyStart: start, keyEnd: tomlEnd(part), value: openTable()})
	}
	v := m.value
	if v.kind == list && v.start < 0 {
		v = v.items[len(v.items)-1].value
	}
	if v.kind != mapping || v.start >= 0 {
		return nil, t.wrong(part)
	}
	return v, nil
}

// element adds a mapping to the array of tables of that key. No item can be put into such a list, but its mappings are like others.
func (t *tomlTree) element(n *node, part *unstable.Node, start int) (*node, error) {
	m, err := t.find(n, part)
	if err != nil {
		return nil, err
	}
	if m == nil {
		value := &node{kind: list, start: -1, end: -1, locked: "it is written as an array of tables"}
		m = t.put(n, member{key: string(part.Data), keyStart: start, keyEnd: tomlEnd(part), value: value})
	}
	v := m.value
	if v.kind != list || v.start >= 0 {
		return nil, t.wrong(part)
	}
	added := openTable()
	v.items = append(v.items, item{value: added, start: -1, end: -1, after: -1})
	return added, nil
}

// find looks a key up, which is what is counted: it is this that costs the decoder time.
func (t *tomlTree) find(n *node, part *unstable.Node) (*member, error) {
	if err := t.count(); err != nil {
		return nil, err
	}
	if i, ok := t.at[n][string(part.Data)]; ok {
		return &n.members[i], nil
	}
	return nil, nil
}

func (t *tomlTree) count() error {
	if t.keys++; t.keys > maxKeys {
		return errManyKeys
	}
	return nil
}

func (t *tomlTree) put(n *node, m member) *member {
	if t.at[n] == nil {
		t.at[n] = map[string]int{}
	}
	t.at[n][m.key] = len(n.members)
	n.members = append(n.members, m)
	return &n.members[len(n.members)-1]
}

// wrong is for a key that stands for two things.
func (t *tomlTree) wrong(part *unstable.Node) error {
	return tomlErrorAt(lineAt(t.src, int(part.Raw.Offset)))
}

func tomlEnd(n *unstable.Node) int { return int(n.Raw.Offset + n.Raw.Length) }

// member adds a key with its value, which may stand in a mapping further down: `env.HOME = "/"`.
//
//	lead is what begins a further member behind it, but for the dotted part.
func (t *tomlTree) member(n *node, e *unstable.Node, lead string) (err error) {
	key, start := e.Key(), int(e.Raw.Offset)
	for key.Next() && !key.IsLast() {
		if n, err = t.inner(n, key.Node(), start); err != nil {
			return err
		}
	}
	part := key.Node()
	known, err := t.find(n, part)
	if err != nil {
		return err
	}
	if known != nil {
		return t.wrong(part)
	}
	end := tomlEnd(part)
	at := t.behindSign(end)
	value, err := t.value(e.Value(), at)
	if err != nil {
		return err
	}
	if value.end != tomlEnd(e) {
		return errTwoMinds
	}
	t.put(n, member{
		key: string(part.Data), keyStart: start, keyEnd: end, value: value,
		lead: lead + string(t.src[start:part.Raw.Offset]), colon: string(t.src[end:at]),
	})
	return nil
}

// behindSign is where the value begins whose key ends there.
func (t *tomlTree) behindSign(at int) int {
	for at < len(t.src) && (tomlSpace(t.src[at]) || t.src[at] == '=') {
		at++
	}
	return at
}

// value builds the node of a value that begins there.
func (t *tomlTree) value(v *unstable.Node, start int) (*node, error) {
	n := &node{start: start, end: tomlEnd(v)}
	switch v.Kind {
	case unstable.Array:
		return n, t.array(n, v)
	case unstable.InlineTable:
		return n, t.inline(n, v)
	case unstable.String:
		n.kind, n.text = text, string(v.Data)
	}
	if int(v.Raw.Offset) != start {
		return nil, errTwoMinds
	}
	return n, nil
}

func (t *tomlTree) array(n *node, v *unstable.Node) error {
	n.kind = list
	if err := t.count(); err != nil {
		return err
	}
	at := n.start + 1
	for each := v.Children(); each.Next(); {
		value, err := t.value(each.Node(), t.behindSpace(at))
		if err != nil {
			return err
		}
		at = t.behindComma(value.end)
		n.items = append(n.items, item{value: value, start: value.start, end: value.end, after: at})
	}
	return t.closed(n, at, '[', ']')
}

func (t *tomlTree) inline(n *node, v *unstable.Node) error {
	n.kind = mapping
	if err := t.count(); err != nil {
		return err
	}
	at := n.start + 1
	for each := v.Children(); each.Next(); {
		e := each.Node()
		if err := t.member(n, e, ", "); err != nil {
			return err
		}
		at = t.behindComma(tomlEnd(e))
	}
	return t.closed(n, at, '{', '}')
}

// closed ends an array or an inline table, and sees that its brackets are where they should be.
func (t *tomlTree) closed(n *node, at int, open, shut byte) error {
	at = t.behindSpace(at)
	if at >= len(t.src) || t.src[at] != shut || t.src[n.start] != open {
		return errTwoMinds
	}
	n.end = at + 1
	return nil
}

// behindComma is behind the comma that follows, or where it was when none does.
func (t *tomlTree) behindComma(end int) int {
	if at := t.behindSpace(end); at < len(t.src) && t.src[at] == ',' {
		return at + 1
	}
	return end
}

// behindSpace skips space, line ends and comments.
func (t *tomlTree) behindSpace(at int) int {
	for at < len(t.src) {
		switch t.src[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			if length := bytes.IndexByte(t.src[at:], '\n'); length >= 0 {
				at += length
			} else {
				at = len(t.src)
			}
		default:
			return at
		}
	}
	return at
}
