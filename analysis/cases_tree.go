package analysis

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/tidwall/gjson"
)

// entryKind is what stands at a place of a checks file.
type entryKind string

const (
	entryText   entryKind = "text"
	entryNumber entryKind = "a number"
	entryBool   entryKind = "true or false"
	entryNull   entryKind = "nothing"
	entryList   entryKind = "a list"
	entryMap    entryKind = "a mapping"
)

// fileEntry is a value of a checks file, with its line. It is the same for YAML and JSON.
type fileEntry struct {
	line    int
	kind    entryKind
	text    string // of texts and numbers
	items   []*fileEntry
	members []fileMember
}

type fileMember struct {
	line  int
	name  string
	value *fileEntry
}

// What a checks file may be: no more than the YAML library survives, whose stack grows with the depth, and whose time by the square of some things.
const (
	maxCases      = 4 << 20
	maxCasesDepth = 100
	maxCasesRun   = 200 // of signs, or of blank lines
)

func casesTree(src []byte) (*fileEntry, error) {
	if len(src) > maxCases {
		return nil, fmt.Errorf("the file is over %d bytes long", maxCases)
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if !utf8.Valid(src) {
		return nil, errors.New("the file is not UTF-8")
	}
	if text := strings.TrimSpace(string(src)); text != "" && text[0] == '{' && nesting(text) <= maxCasesDepth && gjson.Valid(text) {
		b := jsonEntries{src: string(src)}
		return b.entry(gjson.Parse(string(src)))
	}
	if line := boldLine(src); line != 0 {
		return nil, fmt.Errorf("line %d: this is nested too deep, or has too much of one kind", line)
	}
	file, err := parser.ParseBytes(src, 0)
	var wrong *yaml.SyntaxError
	if errors.As(err, &wrong) && wrong.Token != nil {
		return nil, fmt.Errorf("line %d: the file is no YAML: %s", wrong.Token.Position.Line, wrong.Message)
	}
	if err != nil {
		return nil, errors.New("the file is no YAML")
	}
	return yamlRoot(file)
}

// boldLine is the first line that nests deeper than any checks file, or whose signs the library would choke on; 0 for none.
func boldLine(src []byte) int {
	line, depth, run, blanks := 1, 0, 0, 0
	signs := 0
	for _, c := range src {
		switch c {
		case '\n':
			line++
			signs = 0
			blanks++
		case '[', '{':
			depth++
			run++
		case ']', '}':
			depth--
			run++
		case '-', '?', ':', '!', '&', '*', '<', '>', '|', '\t', ',':
			run++
			signs++
		case ' ', '\r':
		default:
			run, blanks = 0, 0
		}
		if depth > maxCasesDepth || run > maxCasesRun || blanks > maxCasesRun || signs > 50*maxCasesRun {
			return line
		}
	}
	return 0
}

func yamlRoot(file *ast.File) (*fileEntry, error) {
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			return nil, fmt.Errorf("line %d: a second document begins; a checks file is one", lineOf(doc.Body))
		}
		body = doc.Body
	}
	if body == nil {
		return nil, errors.New("line 1: the file is empty: it begins with version: 1, and has cases")
	}
	return yamlEntry(body, 0)
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

func yamlEntry(n ast.Node, depth int) (*fileEntry, error) {
	if n == nil {
		return &fileEntry{line: 1, kind: entryNull}, nil
	}
	e := &fileEntry{line: lineOf(n)}
	if depth > maxCasesDepth {
		return nil, fmt.Errorf("line %d: this is nested too deep", e.line)
	}
	switch n := n.(type) {
	case *ast.StringNode:
		e.kind, e.text = entryText, n.Value
	case *ast.LiteralNode:
		e.kind, e.text = entryText, n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		e.kind, e.text = entryNumber, n.GetToken().Value
	case *ast.BoolNode:
		e.kind = entryBool
	case *ast.NullNode:
		e.kind = entryNull
	case *ast.SequenceNode:
		e.kind = entryList
		return e, e.sequence(n, depth)
	case *ast.MappingNode:
		e.kind = entryMap
		return e, e.mapping(n.Values, depth)
	case *ast.MappingValueNode:
		e.kind = entryMap
		return e, e.mapping([]*ast.MappingValueNode{n}, depth)
	default:
		return nil, fmt.Errorf("line %d: a checks file has no anchors, aliases, tags and merged keys", e.line)
	}
	return e, nil
}

func (e *fileEntry) sequence(n *ast.SequenceNode, depth int) error {
	for _, value := range n.Values {
		item, err := yamlEntry(value, depth+1)
		if err != nil {
			return err
		}
		e.items = append(e.items, item)
	}
	return nil
}

func (e *fileEntry) mapping(values []*ast.MappingValueNode, depth int) error {
	for _, pair := range values {
		line := lineOf(pair.Key)
		name, ok := pair.Key.(*ast.StringNode)
		if !ok {
			return fmt.Errorf("line %d: a key has to be a word", line)
		}
		value, err := yamlEntry(pair.Value, depth+1)
		if err != nil {
			return err
		}
		if value.kind == entryNull {
			value.line = line
		}
		if err := e.add(fileMember{line, name.Value, value}); err != nil {
			return err
		}
	}
	return nil
}

func (e *fileEntry) add(m fileMember) error {
	for _, other := range e.members {
		if other.name == m.name {
			return fmt.Errorf("line %d: %s stands twice, first at line %d", m.line, quote(m.name), other.line)
		}
	}
	if len(e.members) >= maxCasesRun {
		return fmt.Errorf("line %d: this has more keys than anything in a checks file", m.line)
	}
	e.members = append(e.members, m)
	return nil
}

// jsonEntries reads a checks file that is JSON, whose escapes are not YAML's.
type jsonEntries struct {
	src  string
	at   int // where lines are counted up to
	line int
}

func (b *jsonEntries) lineAt(v gjson.Result) int {
	if v.Index > b.at && v.Index <= len(b.src) {
		b.line += strings.Count(b.src[b.at:v.Index], "\n")
		b.at = v.Index
	}
	return b.line + 1
}

func (b *jsonEntries) entry(v gjson.Result) (*fileEntry, error) {
	e := &fileEntry{line: b.lineAt(v)}
	var err error
	switch {
	case v.IsObject():
		e.kind = entryMap
		v.ForEach(func(key, value gjson.Result) bool {
			m := fileMember{line: b.lineAt(key), name: key.Str}
			if m.value, err = b.entry(value); err == nil {
				err = e.add(m)
			}
			return err == nil
		})
	case v.IsArray():
		e.kind = entryList
		v.ForEach(func(_, value gjson.Result) bool {
			var item *fileEntry
			if item, err = b.entry(value); err == nil {
				e.items = append(e.items, item)
			}
			return err == nil
		})
	case v.Type == gjson.String:
		e.kind, e.text = entryText, v.Str
	case v.Type == gjson.Number:
		e.kind, e.text = entryNumber, v.Raw
	case v.IsBool():
		e.kind = entryBool
	default:
		e.kind = entryNull
	}
	return e, err
}
