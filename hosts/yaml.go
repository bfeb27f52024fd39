package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

var yamlSyntax = syntax{parse: parseYAML, mean: meanYAML, quote: quoteYAML, key: keyYAML}

// yamlDoc is a file of one document, read by the library, with the place of each of its tokens.
type yamlDoc struct {
	src    []byte
	places map[*token.Token]*yamlPlace
	closer map[*token.Token]*token.Token // of each bracket the one that closes it
	body   ast.Node                      // nil for an empty document
}

// parseYAML takes the structure from the library's tree and the places from the text itself. In the end the tree must
// say what the library's decoder says.
func parseYAML(src []byte) (root *node, err error) {
	defer noPanic(&err)
	doc, err := readYAML(src)
	if err != nil {
		return nil, err
	}
	said, err := doc.mean()
	if err != nil {
		return nil, err
	}
	if root, err = doc.tree(); err != nil {
		return nil, err
	}
	if !root.says(said) {
		return nil, errTwoMinds
	}
	return root, nil
}

func meanYAML(src []byte) (said any, err error) {
	defer noPanic(&err)
	doc, err := readYAML(src)
	if err != nil {
		return nil, err
	}
	return doc.mean()
}

// noPanic makes an error of a panic: the library has some on odd input.
func noPanic(err *error) {
	if recover() != nil {
		*err = errors.New("it is not YAML that can be read")
	}
}

func readYAML(src []byte) (*yamlDoc, error) {
	if err := boundYAML(src); err != nil {
		return nil, err
	}
	tokens, err := scanYAML(src)
	if err != nil {
		return nil, err
	}
	doc := &yamlDoc{src: src, places: map[*token.Token]*yamlPlace{}, closer: map[*token.Token]*token.Token{}}
	if err := doc.place(tokens); err != nil {
		return nil, err
	}
	if err := doc.boundTokens(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, doc.fault(err)
	}
	if len(file.Docs) > 1 {
		return nil, errors.New("it has several documents")
	}
	if len(file.Docs) == 1 {
		doc.body = file.Docs[0].Body
	}
	return doc, doc.boundAliases()
}

// scanYAML stops at the first fault: the library's lexer goes on, and takes its time.
func scanYAML(src []byte) (token.Tokens, error) {
	var s scanner.Scanner
	s.Init(string(bytes.TrimPrefix(src, []byte(byteOrderMark))))
	var tokens token.Tokens
	for {
		more, err := s.Scan()
		if err == io.EOF {
			return tokens, nil
		}
		tokens.Add(more...)
		if bad := tokens.InvalidToken(); bad != nil {
			return nil, notYAML(min(bad.Position.Line, lineAt(src, len(src))))
		}
		if err != nil {
			return nil, errors.New("it is not YAML")
		}
	}
}

func notYAML(line int) error { return fmt.Errorf("it is not YAML at line %d", line) }

func (doc *yamlDoc) notYAMLAt(at int) error {
	return notYAML(lineAt(doc.src, at))
}

// fault keeps the place of the library's error, and leaves out the rest, which quotes the file.
func (doc *yamlDoc) fault(err error) error {
	var known yaml.Error
	if errors.As(err, &known) {
		if p := doc.places[known.GetToken()]; p != nil {
			return doc.notYAMLAt(p.start)
		}
	}
	return errors.New("it is not YAML")
}

// mean is what the library's decoder makes of it. Keys are strings there, whatever they are in the file: of two that
// would be the same string the library refuses the second, or says refuses the file.
func (doc *yamlDoc) mean() (any, error) {
	if doc.body == nil {
		return nil, nil
	}
	var said any
	if err := yaml.NodeToValue(doc.body, &said); err != nil {
		return nil, doc.fault(err)
	}
	return forDeepEqual(said, 0)
}

// quoteYAML writes as JSON would, which YAML reads as well, and escapes all that YAML does not print: there a line
// may also end at U+0085, U+2028 and U+2029, and nobody sees a byte order mark.
func quoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch short := strings.IndexRune("\"\\\n\r\t\b\f", r); {
		case short >= 0:
			b.WriteByte('\\')
			b.WriteByte(`"\nrtbf`[short])
		case r > 0xffff && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r) // not every reader knows pairs of \u
		case r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// yamlPlainKey are keys that no reader of YAML, old or new, takes for anything but a string.
var yamlPlainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`) })

func keyYAML(s string) string {
	_, err := strconv.ParseFloat(s, 64)
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return quoteYAML(s)
	}
	if err == nil || !yamlPlainKey().MatchString(s) {
		return quoteYAML(s)
	}
	return s
}
