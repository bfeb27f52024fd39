package hosts

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

var errKeyLost = errors.New("it has a key that cannot be found")

const (
	lockAnchor = "it has a YAML anchor, so that other places would change with it"
	lockAlias  = "it is a YAML alias"
	lockMerge  = "it is merged with other parts of the file"
	lockTag    = "it has a YAML tag"
	lockKey    = "its keys are written in an unusual way"
	lockPair   = "it is a mapping without braces in a list"
	lockLayout = "it is laid out in an unusual way"
)

// around is what a node stands in.
type around struct {
	why    string // a lock that holds for all inside
	flow   bool
	column int // of the mapping or list around it, or -1
	list   bool
	after  int // where a value would stand that is left out
	line   int // the place of what opens the value: its key or dash
}

// tree makes nodes of the library's tree. Every token must find its place in it, in order.
func (doc *yamlDoc) tree() (*node, error) {
	if doc.body == nil {
		return &node{start: -1, end: -1}, nil
	}
	root, err := doc.node(doc.body, around{column: -1})
	if err != nil {
		return nil, err
	}
	for tk, place := range doc.places {
		if !place.used && tk.Type != token.CollectEntryType && tk.Type != token.DocumentHeaderType && tk.Type != token.DocumentEndType {
			return nil, doc.notYAMLAt(place.start)
		}
	}
	return root, nil
}

// use gives the place of a token and marks it; it is nil where the parser thought up the token.
func (doc *yamlDoc) use(tk *token.Token) *yamlPlace {
	place := doc.places[tk]
	if place != nil {
		place.used = true
	}
	return place
}

func (doc *yamlDoc) node(n ast.Node, in around) (*node, error) {
	switch n := n.(type) {
	case *ast.AnchorNode:
		doc.use(n.Name.GetToken())
		return doc.marked(n.Start, n.Name.GetToken(), n.Value, in, lockAnchor)
	case *ast.TagNode:
		return doc.marked(n.Start, n.Start, n.Value, in, lockTag)
	case *ast.AliasNode:
		return doc.alias(n, in)
	case *ast.LiteralNode:
		return doc.literal(n, in)
	case *ast.MappingNode:
		if n.IsFlowStyle {
			return doc.flowMapping(n, in)
		}
		return doc.blockMapping(n, in)
	case *ast.SequenceNode:
		if n.IsFlowStyle {
			return doc.flowList(n, in)
		}
		return doc.blockList(n, in)
	case *ast.StringNode, *ast.MergeKeyNode, *ast.NullNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return doc.scalar(n, in)
	}
	return nil, errors.New("it has a kind of YAML that is not known")
}

// begins checks the column of what stands on another line than its key or dash, which the library does not always do.
func (doc *yamlDoc) begins(at int, in around, list bool) error {
	if in.flow || in.column < 0 || doc.lineStart(at) == doc.lineStart(in.line) {
		return nil
	}
	column := doc.column(at)
	if column > in.column || list && !in.list && column == in.column {
		return nil
	}
	return doc.notYAMLAt(at)
}

func (doc *yamlDoc) scalar(n ast.Node, in around) (*node, error) {
	made := &node{start: in.after, end: in.after, locked: in.why}
	place := doc.use(n.GetToken())
	if place == nil {
		if n.Type() != ast.NullType {
			return nil, errors.New("it has a value that cannot be found")
		}
		return made, nil
	}
	made.start, made.end = place.start, place.end
	if s, ok := n.(*ast.StringNode); ok {
		made.kind, made.text = text, s.Value
	}
	if made.locked == "" {
		made.locked = place.odd
	}
	return made, doc.begins(made.start, in, false)
}

// marked is a node behind an anchor or a tag.
func (doc *yamlDoc) marked(first, last *token.Token, value ast.Node, in around, why string) (*node, error) {
	from, to := doc.use(first), doc.use(last)
	if from == nil || to == nil {
		return nil, errors.New("it has a mark that cannot be found")
	}
	if err := doc.begins(from.start, in, true); err != nil {
		return nil, err
	}
	in.why, in.after, in.line = why, to.end, from.start
	made := &node{start: to.end, end: to.end, locked: why}
	if value != nil {
		var err error
		if made, err = doc.node(value, in); err != nil {
			return nil, err
		}
	}
	if made.start < to.end {
		return nil, doc.notYAMLAt(from.start)
	}
	made.start = from.start
	return made, nil
}

func (doc *yamlDoc) alias(n *ast.AliasNode, in around) (*node, error) {
	from, to := doc.use(n.Start), doc.use(n.Value.GetToken())
	if from == nil || to == nil || from.end > to.start {
		return nil, errors.New("it has an alias that cannot be found")
	}
	return &node{start: from.start, end: to.end, locked: lockAlias}, doc.begins(from.start, in, false)
}

func (doc *yamlDoc) literal(n *ast.LiteralNode, in around) (*node, error) {
	place := doc.use(n.Start)
	if place == nil {
		return nil, errors.New("it has a text that cannot be found")
	}
	made := &node{kind: text, text: n.Value.Value, start: place.start, end: place.end, locked: oddLines}
	if content := doc.use(n.Value.GetToken()); content != nil {
		made.end = max(made.end, content.end)
	}
	return made, doc.begins(place.start, in, false)
}

// ordered says whether values stand one behind the other and inside of what holds them.
func (doc *yamlDoc) ordered(n *node) (*node, error) {
	at := n.start
	for _, item := range n.items {
		if item.start < at || item.value.start < item.start {
			return nil, doc.notYAMLAt(item.start)
		}
		at = item.after
	}
	for _, m := range n.members {
		if m.keyStart < at || m.value.start < m.keyEnd {
			return nil, doc.notYAMLAt(m.keyStart)
		}
		at = m.value.end
	}
	if at > n.end {
		return nil, doc.notYAMLAt(n.start)
	}
	return n, nil
}

// only says whether there is nothing but spaces, and of those signs, in front of a place in its line.
func (doc *yamlDoc) only(at int, signs string) bool {
	return strings.Trim(string(doc.src[doc.lineStart(at):at]), " "+signs) == ""
}
