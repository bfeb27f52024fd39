package reprise

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// A filter is kept small enough for what recurses over it, SQLite's expression tree among them.
const (
	maxFilterTerms = 300
	maxFilterDepth = 50
)

// ParseFilter reads a filter; "" selects everything. Times without a date are before now, and
// those without a zone in now's. What is wrong comes as a *FilterError.
//
//	or   = and { "or" and }
//	and  = unit { [ "and" ] unit }
//	unit = "not" unit | "(" or ")" | FIELD:VALUE | "text" | text | /regexp/
func ParseFilter(text string, now time.Time) (*Filter, error) {
	p := &filterParser{lexer: lexer{text: text}, now: now}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.token.kind == tokenEnd {
		return &Filter{}, nil
	}
	x, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.token.kind != tokenEnd { // or() stops at nothing else
		return nil, p.fail("a ) without its (", `put the text in quotes: ")"`)
	}
	return &Filter{Expr: x}, nil
}

type filterParser struct {
	lexer
	token token // the next one
	now   time.Time
	terms int
	depth int
}

func (p *filterParser) advance() (err error) {
	p.token, err = p.next()
	return err
}

// fail is an error at the next token.
func (p *filterParser) fail(problem, hint string) error {
	return p.errorAt(p.token.at, problem, hint)
}

func (p *filterParser) or() (Expr, error) {
	parts, err := p.list(tokenOr, p.and)
	if err != nil || len(parts) == 1 {
		return first(parts), err
	}
	return Or(parts), nil
}

func (p *filterParser) and() (Expr, error) {
	parts, err := p.list(tokenAnd, p.unit)
	if err != nil || len(parts) == 1 {
		return first(parts), err
	}
	return And(parts), nil
}

func first(parts []Expr) Expr {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}

// list reads parts with the separator between them, which may be missing when it is `and`.
// Parts of the same kind become one: (a b) c is a b c.
func (p *filterParser) list(separator tokenKind, part func() (Expr, error)) ([]Expr, error) {
	var parts []Expr
	for {
		x, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, spread(x, separator)...)
		switch {
		case p.token.kind == separator:
			if err := p.advance(); err != nil {
				return nil, err
			}
		case separator != tokenAnd || !p.token.kind.beginsUnit():
			return parts, nil
		}
	}
}

func spread(x Expr, separator tokenKind) []Expr {
	switch x := x.(type) {
	case And:
		if separator == tokenAnd {
			return x
		}
	case Or:
		if separator == tokenOr {
			return x
		}
	}
	return []Expr{x}
}

func (p *filterParser) unit() (Expr, error) {
	if p.depth++; p.depth > maxFilterDepth {
		return nil, p.fail("it is nested too deep", fmt.Sprintf("%d levels are possible", maxFilterDepth))
	}
	defer func() { p.depth-- }()
	switch p.token.kind {
	case tokenNot:
		if err := p.advance(); err != nil {
			return nil, err
		}
		x, err := p.unit()
		return Not{x}, err
	case tokenOpen:
		return p.group()
	case tokenTerm, tokenText, tokenRegexp:
		x, err := p.term()
		if err != nil {
			return nil, err
		}
		return x, p.advance()
	}
	return nil, p.fail("a term is missing here", `put and, or, not and parentheses in quotes where they are text: "or"`)
}

func (p *filterParser) group() (Expr, error) {
	open := p.token.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.token.kind != tokenClose {
		return nil, p.errorAt(open, "a ( without its )", `close it, or put the text in quotes: "("`)
	}
	return x, p.advance()
}

func (p *filterParser) term() (Expr, error) {
	if p.terms++; p.terms > maxFilterTerms {
		return nil, p.fail("it is too long", fmt.Sprintf("%d terms are possible", maxFilterTerms))
	}
	t := p.token
	switch {
	case t.kind == tokenTerm:
		return p.fieldTerm()
	case t.text == "":
		return nil, p.fail("there is nothing to look for", `an empty filter selects everything`)
	case t.kind == tokenText:
		return Contains{t.text}, nil
	}
	re, err := regexp.Compile(t.text)
	if err != nil {
		return nil, p.fail(err.Error(), `put text with slashes in quotes: "/usr/bin"; the syntax is RE2`)
	}
	return Matches{re}, nil
}

func (p *filterParser) fieldTerm() (Expr, error) {
	f := fieldNamed(p.token.field)
	switch {
	case f == nil:
		return nil, p.fail(fmt.Sprintf("there is no field %q", p.token.field),
			"the fields are "+fieldNames()+"; put text with a colon in quotes")
	case p.token.text == "" && !(p.token.quoted && (f.name == FieldValue || f.name == FieldID)):
		return nil, p.fail(fmt.Sprintf("%s: has no value", f.name),
			fmt.Sprintf("the value follows the colon at once; not %s:* selects what has none", f.name))
	case f.shape != shapeText:
		return p.compare(f)
	}
	op, _ := cutOp(p.token.text)
	if op != Equal && !p.token.quoted {
		return nil, p.fail(fmt.Sprintf("%s: can't be compared", f.name),
			fmt.Sprintf("only code, dur, size and seq can; if it is the value itself: %s:%s", f.name, quoted(p.token.text)))
	}
	pattern := Pattern{Text: p.token.text, Wild: !p.token.quoted && strings.ContainsAny(p.token.text, "*?")}
	if f.values != nil && !pattern.matchesAny(f.values) {
		return nil, p.fail(fmt.Sprintf("%s: is never %q", f.name, p.token.text),
			fmt.Sprintf("%s: is one of %s", f.name, strings.Join(f.values, ", ")))
	}
	return Like{f.name, pattern}, nil
}

func (p *filterParser) compare(f *field) (Expr, error) {
	op, text := cutOp(p.token.text)
	if f.shape == shapeMoment {
		op, text = GreaterEqual, p.token.text
		if f.name == FieldUntil {
			op = Less
		}
	}
	n, err := f.shape.parse(text, p.now)
	if err != nil {
		return nil, p.fail(fmt.Sprintf("%s: can't be %q", f.name, text), f.shape.hint())
	}
	return Compare{f.name, op, n}, nil
}

func cutOp(text string) (Op, string) {
	for _, op := range []Op{GreaterEqual, LessEqual, Greater, Less} {
		if rest, ok := strings.CutPrefix(text, string(op)); ok {
			return op, rest
		}
	}
	return Equal, text
}

func (l *lexer) errorAt(at int, problem, hint string) error {
	return &FilterError{Column: utf8.RuneCountInString(l.text[:at]) + 1, problem: problem, hint: hint}
}
