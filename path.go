package reprise

import (
	"strconv"
	"strings"
)

// node is a container on the way from the root to a leaf.
type node struct {
	parent *node
	key    string // of the member that holds it; "" when it is an element
	index  int    // of the element; -1 of a member
	// inside is the entity that its members belong to: see keyInfo.inside. "" when no name on the way says.
	inside string
}

// spot is where a value stands.
type spot struct {
	at    *node
	key   *keyInfo // of the member that holds it, or that holds its array; nil at the root
	index int      // in an array; -1 of a member
}

// maxPath is about how long a path gets. Of longer ones the end is left out.
const maxPath = 1 << 10

// path spells a spot: items[0].id.
func (p *spot) path() string {
	b := p.at.append(nil)
	switch {
	case len(b) > maxPath:
		b = append(b, "…"...)
	case p.index >= 0:
		b = appendIndex(b, p.index)
	case p.key != nil:
		b = appendKey(b, p.key.name)
	}
	return string(b)
}

// node is the place of a container.
func (p *spot) node(inside string) *node {
	n := &node{parent: p.at, index: p.index, inside: inside}
	if p.index < 0 && p.key != nil {
		n.key = p.key.name
	}
	return n
}

func (n *node) append(b []byte) []byte {
	if n == nil {
		return b
	}
	switch b = n.parent.append(b); {
	case len(b) > maxPath:
	case n.index >= 0:
		b = appendIndex(b, n.index)
	default:
		b = appendKey(b, n.key)
	}
	return b
}

// PathMember spells the place of a member of what stands at path.
func PathMember(path, name string) string { return string(appendKey([]byte(path), name)) }

// PathElement spells the place of an element of what stands at path.
func PathElement(path string, i int) string { return string(appendIndex([]byte(path), i)) }

func appendIndex(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
}

// lastKey is the name of the member that a path ends in, or that holds the array that it ends in.
func lastKey(path string) string {
	for strings.HasSuffix(path, "]") && !strings.HasSuffix(path, `"]`) {
		path = path[:max(0, strings.LastIndexByte(path, '['))]
	}
	if strings.HasSuffix(path, `"]`) {
		return unquote(path[strings.LastIndex(path, `["`)+1 : len(path)-1])
	}
	return path[strings.LastIndexAny(path, ".]")+1:]
}

// appendKey adds a member: .id, or ["odd key"] when it is not a plain name.
func appendKey(b []byte, key string) []byte {
	key = cutText(key, maxPath)
	if !isPlain(key) {
		return append(appendString(append(b, '['), key), ']')
	}
	if len(b) > 0 {
		b = append(b, '.')
	}
	return append(b, key...)
}

// isPlain says whether a key can stand without quotes in a path or an object literal.
func isPlain(key string) bool {
	for i := range len(key) {
		if class := classOf[key[i]]; class&(isLower|isUpper) == 0 && key[i] != '_' && key[i] != '$' && (i == 0 || class&isDigit == 0) {
			return false
		}
	}
	return key != ""
}
