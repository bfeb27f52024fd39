package reprise

import "bytes"

// MaxDepth is the deepest nesting that anything recursive is shown.
// gjson.Valid and encoding/json recurse: sixty million '[' overflow the stack,
// which no recover catches.
const MaxDepth = 1000

// scanner follows the structure of JSON text byte by byte, across chunks,
// without recursion and without judging validity.
type scanner struct {
	depth   int
	deepest int
	quoted  bool
	escaped bool
	closed  bool // a '}' or ']' brought the depth back to zero, and only blanks followed
	object  bool // a '}' did, whatever followed
}

// feed goes over p and stops after the byte that closes a top-level value when
// stop is set. It returns how many bytes it has read.
func (s *scanner) feed(p []byte, stop bool) int {
	for i := 0; i < len(p); i++ {
		if s.quoted {
			i += s.skipString(p[i:])
			continue
		}
		switch c := p[i]; c {
		case '"':
			s.quoted, s.closed = true, false
		case '{', '[':
			s.depth++
			s.closed = false
			s.deepest = max(s.deepest, s.depth)
		case '}', ']':
			s.depth--
			if s.depth <= 0 {
				s.depth, s.closed, s.object = 0, true, s.object || c == '}'
				if stop {
					return i + 1
				}
			}
		case ' ', '\t', '\r', '\n':
		default:
			if s.depth == 0 {
				s.closed = false
			}
		}
	}
	return len(p)
}

// skipString finds the quote that ends the string, or the end of p: a quote
// after an even number of backslashes. Most bytes stand in strings, and IndexByte is fast.
func (s *scanner) skipString(p []byte) int {
	for from := 0; ; {
		n := bytes.IndexByte(p[from:], '"')
		end := from + n
		if n < 0 {
			end = len(p)
		}
		slash := end
		for slash > from && p[slash-1] == '\\' {
			slash--
		}
		odd := (end-slash)%2 == 1
		if slash == from {
			odd = odd != s.escaped
		}
		switch {
		case n < 0:
			s.escaped = odd
			return len(p)
		case !odd:
			s.quoted, s.escaped = false, false
			return end
		}
		from, s.escaped = end+1, false
	}
}

// depthOf is the deepest nesting in p.
func depthOf(p []byte) int {
	var s scanner
	s.feed(p, false)
	return s.deepest
}

// tooDeep says whether p is nested deeper than MaxDepth. What is shorter than that cannot be.
func tooDeep(p []byte) bool { return len(p) > MaxDepth && depthOf(p) > MaxDepth }
