package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema of any draft (2020-12 where it names none), read leniently (S22): unknown keywords, formats and vocabularies
// never fail, patterns that Go cannot read match everything, and nothing outside of the schema is ever fetched.
//
// A schema comes from a stranger. What it may cost is bounded: its size, its depth, and the steps that it makes a check take (meter).
type Schema struct {
	mu       sync.Mutex // a check writes to meter
	compiled *jsonschema.Schema
	meter    *meter
	bounds   schemaBounds
}

// CompileSchema compiles a raw JSON Schema. It refuses one that refers to something outside of itself.
func CompileSchema(raw string) (s *Schema, err error) {
	defer rescue(&err)
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("compile schema: it is over %d bytes long", maxSchema)
	}
	doc, size, err := decodeJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	if size.values > maxSchemaValues {
		return nil, fmt.Errorf("compile schema: it holds over %d values", maxSchemaValues)
	}
	p := newPreparation(doc)
	if err := p.prepare(); err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	compiled, err := p.compile()
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &Schema{compiled: compiled, meter: p.meter, bounds: p.bounds}, nil
}

// rescue makes an error of a panic: a stranger's schema must not end the program, whatever it finds in the library.
func rescue(err *error) {
	switch r := recover(); r {
	case nil:
	case errCostly:
		*err = errCostly
	default:
		*err = fmt.Errorf("read schema: %v", r)
	}
}

// Problem is one way in which a value breaks a schema.
type Problem struct {
	Path    string // in the value, as reprise.At has it: items[0].id; "" of the value itself
	Message string // in words: is a string, not a number
	Keyword string // enum, type, required, …
}

// String is the problem as half a sentence: items[0].id is missing.
func (p Problem) String() string {
	if p.Path == "" {
		return "it " + p.Message
	}
	return p.Path + " " + p.Message
}

// maxProblems is how many problems of one value are told.
const maxProblems = 20

// Check gives what is wrong with a raw JSON value: nothing, or its problems in order of their places, at most maxProblems.
// Of a value that cannot be held against the schema it says nothing: see Try. "" stands for {}: arguments that were left out.
func (s *Schema) Check(raw string) []Problem {
	problems, _ := s.Try(raw)
	return problems
}

// Try is Check with what stood in its way: no JSON, too deep, too long, or too much work.
func (s *Schema) Try(raw string) ([]Problem, error) { return s.try(raw, false) }

// CheckStrictly gives what may be wrong with a value if known formats are asserted, and patterns that cannot be read here match nothing. It
// excuses a server that rejects a value; it accuses nobody.
func (s *Schema) CheckStrictly(raw string) []Problem {
	problems, _ := s.try(raw, true)
	return problems
}

func (s *Schema) try(raw string, strict bool) (problems []Problem, err error) {
	if raw == "" {
		raw = "{}"
	}
	if len(raw) > maxChecked {
		return nil, fmt.Errorf("check value: it is over %d bytes long", maxChecked)
	}
	value, size, err := decodeJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("check value: %w", err)
	}
	if err := s.bounds.allow(size); err != nil {
		return nil, fmt.Errorf("check value: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.start(len(raw), size.depth)
	defer rescue(&err)
	return s.decide(value, strict)
}

// decide checks the value; once more if a pattern was in doubt, the other way round. Leniently counts what is a problem both ways, strictly what is one either way.
func (s *Schema) decide(value any, strict bool) ([]Problem, error) {
	first, err := s.run(value, strict, true)
	if err != nil || !s.meter.doubted || !strict && len(first) == 0 {
		return shortened(first), err
	}
	second, err := s.run(value, strict, false)
	if err != nil {
		return nil, err
	}
	if strict {
		return shortened(tidy(append(first, second...))), nil
	}
	return shortened(common(first, second)), nil
}

func (s *Schema) run(value any, strict, assume bool) ([]placed, error) {
	s.meter.strict, s.meter.assume, s.meter.doubted = strict, assume, false
	err := s.compiled.Validate(value)
	if err == nil {
		return nil, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	t := teller{value: value}
	t.tell(invalid)
	if t.circular {
		return nil, errors.New("check value: the schema's references go round in a circle")
	}
	return tidy(t.found), nil
}

// lazySchema compiles a schema when it is first asked for.
type lazySchema struct {
	raw    string
	once   sync.Once
	schema *Schema
	err    error
}

func (l *lazySchema) get() (*Schema, error) {
	if l == nil || l.raw == "" {
		return nil, nil
	}
	l.once.Do(func() { l.schema, l.err = CompileSchema(l.raw) })
	return l.schema, l.err
}

// jsonSize is what a JSON value holds.
type jsonSize struct{ values, depth int }

// decodeJSON reads JSON without losing digits. Of a member that stands twice the last one counts.
func decodeJSON(raw string) (any, jsonSize, error) {
	if depth := nesting(raw); depth > maxSchemaDepth {
		return nil, jsonSize{}, fmt.Errorf("it is nested deeper than %d levels", maxSchemaDepth)
	}
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, jsonSize{}, errors.New("it is no JSON")
	}
	if rest := strings.TrimLeft(raw[d.InputOffset():], " \t\r\n"); rest != "" {
		return nil, jsonSize{}, errors.New("it is no single JSON value")
	}
	var size jsonSize
	return v, size, size.count(v, 1)
}

// count goes over a decoded value. A number that would cost more to compute with than to read is refused.
func (s *jsonSize) count(v any, depth int) (err error) {
	s.values++
	s.depth = max(s.depth, depth)
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if err = s.count(member, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err = s.count(element, depth+1); err != nil {
				return err
			}
		}
	case json.Number:
		if len(v) > 4 && outlandish(string(v)) {
			return errors.New("it holds a number too large to compute with")
		}
	}
	return nil
}

// outlandish says whether a number has more than a thousand digits, written out: 1e999999999 would fill the memory.
func outlandish(number string) bool {
	if len(number) > 1000 {
		return true
	}
	i := strings.IndexAny(number, "eE")
	return i >= 0 && len(strings.TrimLeft(number[i+1:], "+-0")) > 3
}

// nesting is how deep brackets stand in each other, outside of strings.
func nesting(raw string) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
