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
	maxCasesYAML  = 1 << 20
	maxCasesDepth = 100
	maxCasesRun   = 200  // of signs, or of blank lines
	maxCasesLines = 1000 // of keys, or of a text or comment, in one column
	maxCasesSigns = 5000 // in a line, or between brackets
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
	if len(src) > maxCasesYAML {
		return nil, fmt.Errorf("the file is over %d bytes long, and YAML; a longer one has to be JSON", maxCasesYAML)
	}
	if line := boldLine(src); line != 0 {
		return nil, fmt.Errorf("line %d: this is nested too deep, or there is too much of one kind", line)
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

// boldLine is the first line that goes beyond any checks file in a way that the library would take its time over, or not survive; 0 for none.
func boldLine(src []byte) int {
	line, b := 0, boldness{}
	for text := range bytes.Lines(src) {
		line++
		if b.line(bytes.TrimRight(text, "\r\n")) {
			return line
		}
	}
	return 0
}

// boldness counts what the library's time grows with by more than the length.
type boldness struct {
	blanks   int // blank lines, one behind the other
	brackets int // that are open, strings not told apart
	commas   int // since none was open
	levels   []yamlLevel
}

// yamlLevel is a column at which lines begin that are no items of a list.
type yamlLevel struct{ column, lines int }

func (b *boldness) line(text []byte) bool {
	words := bytes.TrimLeft(text, " ")
	if len(bytes.TrimSpace(text)) == 0 {
		b.blanks++
		return b.blanks > maxCasesRun || len(text) > maxCasesLines
	}
	b.blanks = 0
	run, signs := 0, 0
	for _, c := range words {
		switch c {
		case '[', '{':
			b.brackets++
			run++
		case ']', '}':
			b.brackets = max(b.brackets-1, 0)
			run++
		case '-', '?', ':', '!', '&', '*', '<', '>', '|', '\t', ',':
			run++
			signs++
		case ' ':
		default:
			run = 0
		}
		if run > maxCasesRun || b.brackets > maxCasesDepth {
			return true
		}
	}
	if b.commas += bytes.Count(words, []byte(",")); b.brackets == 0 {
		b.commas = 0
	}
	return signs > maxCasesSigns || b.commas > maxCasesSigns || b.level(len(text)-len(words), words[0] == '-')
}

// level counts the lines of a column. A line further left ends those to its right.
func (b *boldness) level(column int, item bool) bool {
	for len(b.levels) > 0 && b.levels[len(b.levels)-1].column > column {
		b.levels = b.levels[:len(b.levels)-1]
	}
	if len(b.levels) == 0 || b.levels[len(b.levels)-1].column < column {
		b.levels = append(b.levels, yamlLevel{column: column})
	}
	last := &b.levels[len(b.levels)-1]
	if !item {
		last.lines++
	}
	return last.lines > maxCasesLines || len(b.levels) > maxCasesDepth
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
