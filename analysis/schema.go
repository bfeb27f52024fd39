package analysis

import "errors"

// Schema is a compiled JSON Schema of any draft (2020-12 where it names none), read leniently (S22): unknown keywords, formats and vocabularies
// never fail, patterns that Go cannot read match everything, and nothing outside of the schema is ever fetched.
type Schema struct{}

// CompileSchema compiles a raw JSON Schema.
func CompileSchema(raw string) (*Schema, error) { return nil, errors.New("not yet") }

// Problem is one way in which a value breaks a schema.
type Problem struct {
	Path    string // in the value, as reprise.At has it: items[0].id; "" of the value itself
	Message string // in words: is a string, not a number
	Keyword string // enum, type, required, …
}

// Check gives what is wrong with a raw JSON value: nothing, or its problems in order of their places, at most maxProblems.
func (s *Schema) Check(raw string) []Problem { return nil }

// lazySchema compiles a schema when it is first asked for.
type lazySchema struct {
	raw    string
	done   bool
	schema *Schema
	err    error
}

func (l *lazySchema) get() (*Schema, error) {
	if l == nil || l.raw == "" {
		return nil, nil
	}
	if !l.done {
		l.done = true
		l.schema, l.err = CompileSchema(l.raw)
	}
	return l.schema, l.err
}

func parametersOf(tool string) []Parameter { return nil }
