package hosts

import (
	"bytes"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// brackets gives the node of what stands between two brackets, which must be those that belong together.
func (doc *yamlDoc) brackets(k kind, first, last *token.Token, in around) (*node, error) {
	from, to := doc.use(first), doc.use(last)
	if from == nil || to == nil || doc.closer[first] != last {
		return nil, doc.notYAMLAt(max(in.line, 0))
	}
	return &node{kind: k, start: from.start, end: to.end, locked: in.why}, doc.begins(from.start, in, false)
}

func (doc *yamlDoc) flowList(n *ast.SequenceNode, in around) (*node, error) {
	for _, value := range n.Values {
		if pair, ok := bare(value).(*ast.MappingNode); ok && !pair.IsFlowStyle && in.why == "" {
			in.why = lockPair
		}
	}
	made, err := doc.brackets(list, n.Start, n.End, in)
	if err != nil {
		return nil, err
	}
	in.flow, in.list, in.after = true, true, made.start+1
	for _, value := range n.Values {
		v, err := doc.node(value, in)
		if err != nil {
			return nil, err
		}
		in.after = doc.comma(v.end)
		made.items = append(made.items, item{value: v, start: v.start, end: v.end, after: in.after})
	}
	return doc.ordered(made)
}

// bare is a value without its anchors and tags.
func bare(n ast.Node) ast.Node {
	for {
		switch marked := n.(type) {
		case *ast.AnchorNode:
			n = marked.Value
		case *ast.TagNode:
			n = marked.Value
		default:
			return n
		}
	}
}

// comma is the place behind the comma that follows a value, or the value's end.
func (doc *yamlDoc) comma(end int) int {
	p := &yamlPlacer{src: doc.src, at: end, last: &token.Token{}, flow: []*token.Token{nil}}
	if p.skip(); p.at < len(p.src) && p.src[p.at] == ',' {
		return p.at + 1
	}
	return end
}

func (doc *yamlDoc) blockList(n *ast.SequenceNode, in around) (*node, error) {
	made := &node{kind: list, block: true, start: -1, locked: in.why}
	for i, entry := range n.Entries {
		dash := doc.use(entry.Start)
		if dash == nil || in.flow {
			return nil, doc.notYAMLAt(max(in.line, 0))
		}
		if i == 0 {
			if err := doc.opens(made, dash.start, &in, true); err != nil {
				return nil, err
			}
		} else if !doc.only(dash.start, "") || doc.column(dash.start) != in.column {
			return nil, doc.notYAMLAt(dash.start)
		}
		in.after, in.line = dash.end, dash.start
		v, err := doc.node(entry.Value, in)
		if err != nil {
			return nil, err
		}
		made.items = append(made.items, item{value: v, start: dash.start, end: v.end, after: v.end})
		made.end = v.end
	}
	return doc.ordered(made)
}

// opens begins a block at its first dash or key, from whose column the others follow.
func (doc *yamlDoc) opens(made *node, at int, in *around, isList bool) error {
	if err := doc.begins(at, *in, isList); err != nil {
		return err
	}
	if made.locked == "" && !doc.only(at, "-") {
		made.locked = lockLayout
	}
	in.why, in.list, in.column = made.locked, isList, doc.column(at)
	made.start = at
	return nil
}

// keyLock says why a mapping's keys forbid changes in it, or "".
func (doc *yamlDoc) keyLock(n *ast.MappingNode) string {
	for _, v := range n.Values {
		switch v.Key.(type) {
		case *ast.MergeKeyNode:
			return lockMerge
		case *ast.AnchorNode:
			return lockAnchor
		case *ast.MappingKeyNode, *ast.TagNode, *ast.AliasNode:
			return lockKey
		}
		if place := doc.places[v.Key.GetToken()]; place == nil || place.odd != "" {
			return lockKey
		}
		if v.Start == nil || v.Start.Type != token.MappingValueType {
			return lockKey // {name}
		}
	}
	return ""
}

func (doc *yamlDoc) flowMapping(n *ast.MappingNode, in around) (*node, error) {
	if in.why == "" {
		in.why = doc.keyLock(n)
	}
	made, err := doc.brackets(mapping, n.Start, n.End, in)
	if err != nil {
		return nil, err
	}
	in.flow, in.list = true, false
	for _, v := range n.Values {
		m, err := doc.member(v, in)
		if err != nil {
			return nil, err
		}
		m.lead = ", "
		made.members = append(made.members, m)
	}
	return doc.ordered(made)
}

func (doc *yamlDoc) blockMapping(n *ast.MappingNode, in around) (*node, error) {
	if in.why == "" {
		in.why = doc.keyLock(n)
	}
	if in.why == "" && in.flow {
		return nil, doc.notYAMLAt(in.line) // {a: b: c}
	}
	made := &node{kind: mapping, start: -1, locked: in.why}
	lead := ""
	for i, v := range n.Values {
		at, err := doc.keyStart(v.Key)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if err := doc.opens(made, at, &in, false); err != nil {
				return nil, err
			}
			lead = firstLineEnd(doc.src) + strings.Repeat(" ", in.column)
		} else if !in.flow && (!doc.only(at, "") || doc.column(at) != in.column) {
			return nil, doc.notYAMLAt(at)
		}
		m, err := doc.member(v, in)
		if err != nil {
			return nil, err
		}
		m.lead = lead
		made.members = append(made.members, m)
		made.end = m.value.end
	}
	return doc.ordered(made)
}

// keyStart is the first byte of a key with all that belongs to it.
func (doc *yamlDoc) keyStart(key ast.Node) (int, error) {
	if p := doc.places[key.GetToken()]; p != nil {
		return p.start, nil
	}
	return 0, errKeyLost
}

func (doc *yamlDoc) member(v *ast.MappingValueNode, in around) (member, error) {
	key, err := doc.node(keyOf(v.Key), around{column: -1, flow: in.flow})
	if err != nil {
		return member{}, err
	}
	start, err := doc.keyStart(v.Key)
	if err != nil {
		return member{}, err
	}
	doc.use(v.Key.GetToken())
	m := member{key: key.text, keyStart: start, keyEnd: key.end, colon: ": "}
	in.after, in.line = key.end, start
	if colon := doc.use(v.Start); colon != nil && v.Start.Type == token.MappingValueType {
		if v.Key == keyOf(v.Key) && bytes.IndexByte(doc.src[key.end:max(colon.start, key.end)], '\n') >= 0 {
			return member{}, doc.notYAMLAt(start)
		}
		in.after = colon.end
	}
	if key.kind != text {
		m.key = string(doc.src[key.start:key.end])
		if in.why == "" {
			in.why = lockKey
		}
	}
	m.value, err = doc.node(v.Value, in)
	return m, err
}

// keyOf goes behind the question mark.
func keyOf(key ast.Node) ast.Node {
	if k, ok := key.(*ast.MappingKeyNode); ok {
		return k.Value
	}
	return key
}
