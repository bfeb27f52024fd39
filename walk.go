package reprise

import "strings"

// leaf is a scalar, or an empty container, at its place.
type leaf struct {
	spot
	inside string  // of its container: see keyInfo.inside
	raw    string  // the token
	text   string  // of a string, where it was decoded
	cut    bool    // a string that the text ends in
	walker *walker // that knows at, as long as it stands here
}

// settle makes sure that the leaf knows its place. Most need not: a node for each container costs more than all else.
func (l *leaf) settle() *leaf {
	if l.walker != nil {
		l.at, l.walker = l.walker.node(len(l.walker.stack)-1), nil
	}
	return l
}

// walker gives the leaves of a JSON text in one pass, without recursion. The text should be
// valid; of one that is cut short it gives what is whole.
type walker struct {
	keys   *keys
	leaf   func(*leaf)
	shaped func(*leaf) // a member's name is an identifier itself; may be nil
	open   func()      // an object has begun; may be nil, as close
	close  func()

	text   string
	pos    int
	root   *node
	stack  []level
	now    leaf
	before *keyInfo // the member read last
}

// level is a container that has not ended.
type level struct {
	spot   spot     // its own, at apart
	at     *node    // of its members, when one was asked for
	key    *keyInfo // of an array: the member that holds it
	inside string   // of its members
	array  bool
	next   int // index of the next element
}

// walk gives the leaves of text, whose root is at. name is the key that the root stands under, if any.
func (w *walker) walk(text string, at *node, name *keyInfo) {
	w.text, w.pos, w.root, w.stack = text, 0, at, w.stack[:0]
	w.now = leaf{spot: spot{at: at, key: name, index: -1}}
	if at != nil {
		w.now.inside = at.inside
	}
	w.value()
	for len(w.stack) > 0 && w.skip() {
		w.member(&w.stack[len(w.stack)-1])
	}
}

// node is where the members of a container stand.
func (w *walker) node(depth int) *node {
	if depth < 0 {
		return w.root
	}
	in := &w.stack[depth]
	if in.at == nil {
		if depth == 0 {
			return w.root
		}
		in.spot.at = w.node(depth - 1)
		in.at = in.spot.node(in.inside)
	}
	return in.at
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
	c := w.text[w.pos]
	if c == ',' {
		w.pos++
		if !w.skip() {
			return
		}
		c = w.text[w.pos]
	}
	w.now = leaf{spot: spot{index: -1}, inside: in.inside, walker: w}
	switch {
	case c == '}' || c == ']':
		w.pos++
		w.stack = w.stack[:len(w.stack)-1]
		if c == '}' && w.close != nil {
			w.close()
		}
		return
	case in.array:
		w.now.key, w.now.index = in.key, in.next
		in.next++
	default:
		key, ok := w.key()
		if !ok {
			w.pos = len(w.text)
			return
		}
		w.now.key = key
		if key.shaped && w.shaped != nil {
			w.shaped(&w.now)
		}
	}
	w.value()
}

// key reads a member's name and the colon behind it.
func (w *walker) key() (*keyInfo, bool) {
	raw := w.token()
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' || !w.skip() || w.text[w.pos] != ':' {
		return nil, false
	}
	w.pos++
	return w.named(raw), w.skip()
}

// named finds what a member's name says. Most objects are like the one before: the same name follows.
func (w *walker) named(raw string) *keyInfo {
	if w.before != nil && w.before.follow != nil && w.before.follow.raw == raw {
		w.before = w.before.follow
		return w.before
	}
	k := w.keys.of(raw)
	if w.before != nil {
		w.before.follow = k
	}
	w.before = k
	return k
}

// value reads a scalar, or enters a container.
func (w *walker) value() {
	if !w.skip() {
		return
	}
	switch w.text[w.pos] {
	case '{', '[':
		w.enter()
	default:
		l := &w.now
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

func (w *walker) enter() {
	start, l := w.pos, &w.now
	w.pos++
	if w.skip() && (w.text[w.pos] == '}' || w.text[w.pos] == ']') {
		w.pos++
		if l.raw = "{}"; w.text[start] == '[' {
			l.raw = "[]"
		}
		w.leaf(l)
		return
	}
	in := level{spot: l.spot, key: l.key, inside: l.inside, array: w.text[start] == '['}
	if len(w.stack) > 0 && l.key != nil && l.key.inside != "" {
		in.inside = l.key.inside
	}
	if w.open != nil && !in.array {
		w.open()
	}
	w.stack = append(w.stack, in)
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
	slash := strings.IndexByte(raw, '\\')
	if slash < 0 {
		return raw
	}
	b := make([]byte, 0, len(raw))
	for slash >= 0 && slash+1 < len(raw) {
		b = append(b, raw[:slash]...)
		switch next := raw[slash+1]; next {
		case '"', '\\', '/':
			b, raw = append(b, next), raw[slash+2:]
		case 'n':
			b, raw = append(b, '\n'), raw[slash+2:]
		default:
			var n int
			b, n = appendEscaped(b, raw[slash:])
			raw = raw[slash+n:]
		}
		slash = strings.IndexByte(raw, '\\')
	}
	return view(append(b, raw...))
}

// members gives the names of an object's members, one by one, where f has to go behind the value. gjson would
// decode the strings among them.
func (w *walker) members(f func(key string)) {
	if !w.skip() || w.text[w.pos] != '{' {
		w.skipped()
		return
	}
	for w.pos++; w.skip() && w.text[w.pos] == '"'; w.pos++ {
		key := w.token()
		if key == "" || !w.skip() || w.text[w.pos] != ':' {
			return
		}
		w.pos++
		if f(unquote(key)); !w.skip() || w.text[w.pos] != ',' {
			break
		}
	}
	if w.pos < len(w.text) {
		w.pos++ // the brace
	}
}

// elements gives the elements of an array, one by one, where f has to go behind them.
func (w *walker) elements(f func(index int)) {
	if !w.skip() || w.text[w.pos] != '[' {
		w.skipped()
		return
	}
	w.pos++
	for i := 0; w.skip() && w.text[w.pos] != ']'; i++ {
		if f(i); !w.skip() || w.text[w.pos] != ',' {
			break
		}
		w.pos++
	}
	if w.pos < len(w.text) {
		w.pos++ // the bracket
	}
}

// skipped goes behind a value and gives it: what there is of it, where the text is cut short.
func (w *walker) skipped() string {
	if !w.skip() {
		return ""
	}
	start := w.pos
	switch w.text[start] {
	case '{', '[':
		var s scanner
		w.pos += s.feed(bytesOf(w.text[start:]), true)
	default:
		if w.token() == "" {
			w.pos = len(w.text)
		}
	}
	return w.text[start:w.pos]
}

// scalarByte marks what numbers and literals are made of.
var scalarByte = func() (table [256]bool) {
	for _, b := range "+-.0123456789Eaeflnrstu" {
		table[b] = true
	}
	return table
}()
