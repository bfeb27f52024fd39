package reprise

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Filter selects entries, in the language of docs/filter.md.
type Filter struct {
	// Expr is what an entry has to meet; nil selects everything.
	Expr Expr
}

// Match says whether the entry is selected.
func (f *Filter) Match(e *Entry) bool { return f.Expr == nil || f.Expr.match(e) }

// MatchSession says whether a session is selected: see OfSession.
func (f *Filter) MatchSession(s *Session) bool {
	return f.OfSession().Match(&Entry{Session: s})
}

// OfSession is the part of the filter that can be told of a session as a whole:
// its own fields, since and until. The other terms are left out, as if they had not been written.
func (f *Filter) OfSession() *Filter { return &Filter{Expr: ofSession(f.Expr)} }

// Mentions says whether one of the filter's terms is about the field.
func (f *Filter) Mentions(field Field) bool { return hasTerm(f.Expr, field) }

func hasTerm(x Expr, field Field) bool {
	part := func(x Expr) bool { return hasTerm(x, field) }
	switch x := x.(type) {
	case And:
		return slices.ContainsFunc(x, part)
	case Or:
		return slices.ContainsFunc(x, part)
	case Not:
		return part(x.Expr)
	case Like:
		return x.Field == field
	case Compare:
		return x.Field == field
	}
	return false
}

// String is the filter in its canonical spelling, which parses to the same filter.
func (f *Filter) String() string {
	if f.Expr == nil {
		return ""
	}
	return f.Expr.String()
}

// FilterError is what is wrong with the text of a filter, and where.
type FilterError struct {
	Column  int // in characters, from 1
	problem string
	hint    string
}

func (e *FilterError) Error() string {
	return fmt.Sprintf("read filter: column %d: %s", e.Column, e.problem)
}

// Hint says what would be right.
func (e *FilterError) Hint() string { return e.hint }

// Expr is a node of a filter: And, Or, Not, or one of the terms Like, Compare, Contains and Matches.
type Expr interface {
	fmt.Stringer
	match(*Entry) bool
}

// And is met when all of its two or more parts are.
type And []Expr

// Or is met when one of its two or more parts is.
type Or []Expr

// Not is met when its part is not, also where the field is absent.
type Not struct{ Expr Expr }

// Like is FIELD:PATTERN. What an entry does not have is like nothing, not even like `*`.
type Like struct {
	Field   Field
	Pattern Pattern
}

// Compare is FIELD:OP NUMBER, and since and until. What an entry does not have meets no comparison.
type Compare struct {
	Field  Field
	Op     Op
	Number int64 // nanoseconds for dur, bytes for size, Unix nanoseconds for since and until
}

// Contains is free text, found in raw bytes as ContainsFold does.
type Contains struct{ Text string }

// Matches is a regular expression (RE2), found in raw bytes.
type Matches struct{ Regexp *regexp.Regexp }

// Op is a comparison, spelt as in SQL.
type Op string

const (
	Equal        Op = "="
	Less         Op = "<"
	LessEqual    Op = "<="
	Greater      Op = ">"
	GreaterEqual Op = ">="
)

func (o Op) holds(a, b int64) bool {
	switch o {
	case Less:
		return a < b
	case LessEqual:
		return a <= b
	case Greater:
		return a > b
	case GreaterEqual:
		return a >= b
	}
	return a == b
}

func (x And) String() string { return join(x, " ") }
func (x Or) String() string  { return join(x, " or ") }
func (x Not) String() string { return "not " + inner(x.Expr) }

func (x Like) String() string { return string(x.Field) + ":" + x.Pattern.String() }

func (x Compare) String() string {
	text := fieldNamed(x.Field).shape.format(x.Number)
	if x.Op == Equal || x.Field == FieldSince || x.Field == FieldUntil {
		return string(x.Field) + ":" + text
	}
	return string(x.Field) + ":" + string(x.Op) + text
}

func (x Contains) String() string { return quoted(x.Text) }

func (x Matches) String() string {
	return "/" + strings.ReplaceAll(x.Regexp.String(), "/", `\/`) + "/"
}

func join(parts []Expr, by string) string {
	texts := make([]string, len(parts))
	for i, x := range parts {
		texts[i] = x.String()
		if _, or := x.(Or); or {
			texts[i] = inner(x)
		}
	}
	return strings.Join(texts, by)
}

// inner puts parentheses around what binds less than a single term.
func inner(x Expr) string {
	switch x.(type) {
	case And, Or:
		return "(" + x.String() + ")"
	}
	return x.String()
}

// quoted writes text so that the lexer reads it back, byte for byte.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func ofSession(x Expr) Expr {
	switch x := x.(type) {
	case And:
		return gather(x, func(parts []Expr) Expr { return And(parts) })
	case Or:
		return gather(x, func(parts []Expr) Expr { return Or(parts) })
	case Not:
		if part := ofSession(x.Expr); part != nil {
			return Not{part}
		}
	case Like:
		if fieldNamed(x.Field).session {
			return x
		}
	case Compare:
		if fieldNamed(x.Field).session {
			return x
		}
	}
	return nil
}

// gather joins what the parts have to say of a session.
func gather(parts []Expr, joined func([]Expr) Expr) Expr {
	var kept []Expr
	for _, x := range parts {
		if part := ofSession(x); part != nil {
			kept = append(kept, part)
		}
	}
	switch len(kept) {
	case 0:
		return nil
	case 1:
		return kept[0]
	}
	return joined(kept)
}
