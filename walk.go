package reprise

import (
	"strconv"
	"strings"
)

// node is a container on the way from the root to a leaf.
type node struct {
	parent *node
	key    string // of the member that holds it; "" when it is an element
	index  int    // of the element
	// inside is the entity that its members belong to: see keyInfo.inside. "" when no name on the way says.
	inside string
}

// leaf is a scalar, or an empty container, and its place.
type leaf struct {
	at    *node
	key   *keyInfo // of the member that holds it, or that holds its array; nil at the root
	index int      // in an array; -1 of a member
	raw   string   // the token
	cut   bool     // a string that the text ends in
}

// path spells a leaf's place: items[0].id.
func (l *leaf) path() string {
	b := l.at.append(nil)
	switch {
	case l.index >= 0:
		b = appendIndex(b, l.index)
	case l.key != nil:
		b = appendKey(b, l.key.name)
	}
	return string(b)
}

func (n *node) append(b []byte) []byte {
	switch {
	case n == nil:
		return b
	case n.key != "":
		return appendKey(n.parent.append(b), n.key)
	case n.index >= 0:
		return appendIndex(n.parent.append(b), n.index)
	}
	return n.parent.append(b)
}

func appendIndex(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
}

// appendKey adds a member: .id, or ["odd key"] when it is not a plain name.
func appendKey(b []byte, key string) []byte {
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

// walker gives the leaves of a JSON text in one pass, without recursion. The text should be
// valid; of one that is cut short it gives what is whole.
type walker struct {
	keys  *keys
	leaf  func(*leaf)
	close func() // the object of the leaves since … has ended

	text  string
	pos   int
	stack []level
}

// level is a container that has not ended.
type level struct {
	node  *node
	key   *keyInfo // of an object: the member that comes; of an array: the member that holds it
	array bool
	next  int // index of the next element
}

// walk gives the leaves of text, whose root is at. name is the key that the root stands under, if any.
func (w *walker) walk(text string, at *node, name *keyInfo) {
	w.text, w.pos, w.stack = text, 0, w.stack[:0]
	root := leaf{at: at, key: name, index: -1}
	w.value(&root, true)
	for len(w.stack) > 0 && w.skip() {
		w.member(&w.stack[len(w.stack)-1])
	}
}

// skip moves to the next byte that is no white space.
func (w *walker) skip() bool {
	for ; w.pos < len(w.text); w.pos++ {
		if c := w.text[w.pos]; c > ' ' {
			return true
		}
	}
	return false
}

// member reads on in the innermost container: a member or element, a comma, or its end.
func (w *walker) member(in *level) {
	l := leaf{at: in.node, index: -1}
	switch c := w.text[w.pos]; {
	case c == ',':
		w.pos++
		return
	case c == '}' || c == ']':
		w.pos++
		w.stack = w.stack[:len(w.stack)-1]
		if c == '}' && w.close != nil {
			w.close()
		}
		return
	case in.array:
		l.key, l.index = in.key, in.next
		in.next++
	default:
		key, ok := w.key()
		if !ok {
			w.pos = len(w.text)
			return
		}
		l.key = key
	}
	w.value(&l, false)
}

// key reads a member's name and the colon behind it.
func (w *walker) key() (*keyInfo, bool) {
	raw := w.token()
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' || !w.skip() || w.text[w.pos] != ':' {
		return nil, false
	}
	w.pos++
	return w.keys.of(raw), w.skip()
}

// value reads a scalar, or enters a container.
func (w *walker) value(l *leaf, root bool) {
	if !w.skip() {
		return
	}
	switch w.text[w.pos] {
	case '{', '[':
		w.enter(l, root)
	default:
		if l.raw = w.token(); l.raw == "" { // not JSON, or cut short
			l.raw, l.cut = w.text[w.pos:], true
			w.pos = len(w.text)
			if l.raw[0] != '"' {
				return
			}
		}
		w.leaf(l)
	}
}

func (w *walker) enter(l *leaf, root bool) {
	start, array := w.pos, w.text[w.pos] == '['
	w.pos++
	if w.skip() && (w.text[w.pos] == '}' || w.text[w.pos] == ']') {
		w.pos++
		if l.raw = "{}"; w.text[start] == '[' {
			l.raw = "[]"
		}
		w.leaf(l)
		return
	}
	in := level{node: l.at, key: l.key, array: array}
	if !root {
		in.node = l.container()
	}
	w.stack = append(w.stack, in)
}

// container is the node of a value that is a container itself.
func (l *leaf) container() *node {
	n := &node{parent: l.at, index: l.index}
	if l.at != nil {
		n.inside = l.at.inside
	}
	if l.index < 0 && l.key != nil {
		n.key = l.key.name
	}
	if l.key != nil && l.key.inside != "" && !l.key.shaped {
		n.inside = l.key.inside
	}
	return n
}

// token reads a string, number or literal. It gives "" when the text ends before it does.
func (w *walker) token() string {
	start := w.pos
	if w.text[start] == '"' {
		for i := start + 1; ; {
			n := strings.IndexByte(w.text[i:], '"')
			if n < 0 {
				return ""
			}
			i += n + 1
			if w.text[i-2] != '\\' || !oddSlashes(w.text[start+1:i-1]) {
				w.pos = i
				return w.text[start:i]
			}
		}
	}
	for w.pos < len(w.text) && scalarByte[w.text[w.pos]] {
		w.pos++
	}
	return w.text[start:w.pos]
}

// oddSlashes says whether a quote behind text is escaped.
func oddSlashes(text string) bool {
	n := len(text)
	for n > 0 && text[n-1] == '\\' {
		n--
	}
	return (len(text)-n)%2 == 1
}

// unquote decodes a string token.
func unquote(raw string) string {
	if len(raw) < 2 {
		return ""
	}
	raw = raw[1 : len(raw)-1]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	text, _ := unescape(raw, false)
	return text
}

// scalarByte marks what numbers and literals are made of.
var scalarByte = func() (table [256]bool) {
	for _, b := range "+-.0123456789Eaeflnrstu" {
		table[b] = true
	}
	return table
}()

// keys remembers what names say. It forgets all when it is full: what a name says does not change.
type keys struct {
	known map[string]*keyInfo
}

const maxKeys = 4096

// of reads a member's name from its token, quotes and all.
func (k *keys) of(raw string) *keyInfo {
	if info := k.known[raw]; info != nil {
		return info
	}
	return k.add(strings.Clone(raw), readKey(unquote(raw)))
}

// named reads a name that is no token.
func (k *keys) named(name string) *keyInfo {
	if info := k.known[name]; info != nil {
		return info
	}
	name = strings.Clone(name)
	return k.add(name, readKey(name))
}

func (k *keys) add(name string, info *keyInfo) *keyInfo {
	if len(name) > 256 {
		return info
	}
	if k.known == nil || len(k.known) >= maxKeys {
		k.known = map[string]*keyInfo{}
	}
	k.known[name] = info
	return info
}
