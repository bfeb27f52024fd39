package main

import (
	"errors"
	"regexp"
	"strings"

	"reprise"
)

// filterArgument is the filter that several arguments are together.
func filterArgument(args []string) string { return strings.Join(args, " ") }

// parseFilter reads a filter as a person typed it.
func (p *program) parseFilter(text string) (*reprise.Filter, error) {
	f, err := reprise.ParseFilter(text, p.now())
	var wrong *reprise.FilterError
	if errors.As(err, &wrong) && wrong.Hint() != "" {
		return nil, hint(usage(err), "%s", wrong.Hint())
	}
	if err != nil {
		return nil, usage(err)
	}
	return f, nil
}

// lookedFor is a pattern of the texts that a filter looks for, or nil: what to
// highlight. Text that is no UTF-8 can be found and not be compiled.
func lookedFor(f *reprise.Filter) *regexp.Regexp {
	texts := textsIn(f.Expr)
	if len(texts) == 0 {
		return nil
	}
	pattern, err := regexp.Compile(strings.Join(texts, "|"))
	if err != nil {
		return nil
	}
	return pattern
}

func textsIn(x reprise.Expr) (texts []string) {
	switch x := x.(type) {
	case reprise.And:
		for _, part := range x {
			texts = append(texts, textsIn(part)...)
		}
	case reprise.Or:
		for _, part := range x {
			texts = append(texts, textsIn(part)...)
		}
	case reprise.Contains:
		return []string{"(?i:" + regexp.QuoteMeta(x.Text) + ")"}
	case reprise.Matches:
		return []string{"(?:" + x.Regexp.String() + ")"}
	case reprise.Like:
		if x.Field == reprise.FieldValue && !x.Pattern.Wild {
			return []string{regexp.QuoteMeta(x.Pattern.Text)}
		}
	}
	return texts
}
