package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// The library takes time and memory by the square of some things. No config file has as many of them.
const (
	maxYAMLBytes   = 4 << 20
	maxYAMLDepth   = 100
	maxYAMLKeys    = 10_000    // in one mapping
	maxYAMLBlanks  = 100       // lines without text, one behind the other
	maxYAMLTabs    = 1_000     // in one line
	maxYAMLRun     = 1_000     // of `<`
	maxYAMLInserts = 1 << 30   // values that are left out, times tokens
	maxYAMLNodes   = 1_000_000 // with every alias written out
)

var errManyAliases = errors.New("its aliases stand for too much")

// boundYAML refuses what the library would not survive, and characters on which readers of YAML do not agree.
func boundYAML(src []byte) error {
	if len(src) > maxYAMLBytes {
		return fmt.Errorf("it is larger than %d bytes", maxYAMLBytes)
	}
	if !utf8.Valid(src) {
		return errNotUTF8
	}
	src = bytes.TrimPrefix(src, []byte(byteOrderMark))
	line, blanks := 0, 0
	for text := range bytes.Lines(src) {
		line++
		blank := len(bytes.TrimSpace(text)) == 0
		if blanks++; !blank {
			blanks = 0
		} else if bytes.IndexByte(text, '\t') >= 0 {
			return fmt.Errorf("it has a tab that not every reader of YAML takes at line %d", line)
		}
		if blanks > maxYAMLBlanks || bytes.Count(text, []byte("\t")) > maxYAMLTabs || bytes.Contains(text, bytes.Repeat([]byte("<"), maxYAMLRun)) {
			return fmt.Errorf("it has too much of one kind at line %d", line)
		}
		if !printsYAML(text) {
			return fmt.Errorf("it has a character that YAML does not allow at line %d", line)
		}
	}
	return nil
}

// printsYAML says whether a line has no character that YAML forbids or that is a line end for some readers alone.
func printsYAML(line []byte) bool {
	for i, r := range string(line) {
		switch {
		case r == '\t', r == '\n', r >= ' ' && r < 0x7f:
		case r == '\r':
			if i+2 != len(line) || line[i+1] != '\n' {
				return false
			}
		case r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
			return false
		}
	}
	return true
}

// yamlLevel is a column at which lines begin, with the keys or items there.
type yamlLevel struct{ column, count int }

// boundTokens looks at nesting and numbers before the library's parser does.
func (doc *yamlDoc) boundTokens(tokens token.Tokens) error {
	var levels []yamlLevel
	var open []token.Type // the brackets around
	at, nested, empty := -1, 0, 0
	for i, tk := range tokens {
		place := doc.places[tk]
		if place == nil {
			continue
		}
		if at < 0 || bytes.IndexByte(doc.src[at:place.start], '\n') >= 0 {
			nested = 0
			if len(open) == 0 {
				levels = level(levels, doc.column(place.start))
			}
		}
		at = place.start
		if i > 0 && doc.leftOut(tokens[:i], tk, open) {
			empty++
		}
		open = opened(open, tk)
		switch tk.Type {
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType, token.MappingValueType:
			nested++
		case token.CollectEntryType:
			nested = 0
		}
		deep := max(len(open), nested, len(levels)) > maxYAMLDepth
		if deep || len(levels) > 0 && levels[len(levels)-1].count > maxYAMLKeys {
			return fmt.Errorf("it is nested too deeply or has too many keys at line %d", lineAt(doc.src, place.start))
		}
	}
	if empty*len(tokens) > maxYAMLInserts {
		return errors.New("it has too many empty values")
	}
	return nil
}

func opened(open []token.Type, tk *token.Token) []token.Type {
	switch tk.Type {
	case token.SequenceStartType, token.MappingStartType:
		return append(open, tk.Type)
	case token.SequenceEndType, token.MappingEndType:
		return open[:len(open)-1]
	}
	return open
}

// leftOut says whether a value may be missing in front of a token.
func (doc *yamlDoc) leftOut(before token.Tokens, tk *token.Token, open []token.Type) bool {
	last := before[len(before)-1]
	switch {
	case last.Type == token.MappingValueType, last.Type == token.SequenceEntryType:
		return tk.Type == token.MappingValueType || tk.Type == token.CollectEntryType || !doc.sameLine(last, tk)
	case tk.Type != token.CollectEntryType || len(open) == 0 || open[len(open)-1] != token.MappingStartType || len(before) < 2:
		return false
	}
	first := before[len(before)-2].Type // {name, …
	return first == token.MappingStartType || first == token.CollectEntryType
}

func (doc *yamlDoc) sameLine(a, b *token.Token) bool {
	p, q := doc.places[a], doc.places[b]
	return p != nil && q != nil && bytes.IndexByte(doc.src[p.end:q.start], '\n') < 0
}

// column is the number of bytes in front of a place in its line.
func (doc *yamlDoc) column(at int) int {
	return at - doc.lineStart(at)
}

func (doc *yamlDoc) lineStart(at int) int {
	if n := bytes.LastIndexByte(doc.src[:at], '\n'); n >= 0 {
		return n + 1
	}
	if bytes.HasPrefix(doc.src, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}

// level counts a line that begins at a column.
func level(levels []yamlLevel, column int) []yamlLevel {
	for len(levels) > 0 && levels[len(levels)-1].column > column {
		levels = levels[:len(levels)-1]
	}
	if last := len(levels) - 1; last >= 0 && levels[last].column == column {
		levels[last].count++
		return levels
	}
	return append(levels, yamlLevel{column, 1})
}

// boundAliases counts what there is when every alias is written out, as merges are.
func (doc *yamlDoc) boundAliases() error {
	anchors := map[string]int{}
	if weigh(doc.body, anchors) > maxYAMLNodes {
		return errManyAliases
	}
	return nil
}

func weigh(n ast.Node, anchors map[string]int) int {
	sum := 1
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, value := range n.Values {
			sum += weigh(value, anchors)
		}
	case *ast.MappingValueNode:
		sum += weigh(n.Key, anchors) + weigh(n.Value, anchors)
	case *ast.MappingKeyNode:
		sum += weigh(n.Value, anchors)
	case *ast.SequenceNode:
		for _, value := range n.Values {
			sum += weigh(value, anchors)
		}
	case *ast.TagNode:
		sum += weigh(n.Value, anchors)
	case *ast.AnchorNode:
		sum += weigh(n.Value, anchors)
		anchors[n.Name.GetToken().Value] = sum
	case *ast.AliasNode:
		sum += anchors[n.Value.GetToken().Value]
	}
	return min(sum, maxYAMLNodes+1)
}
