package main

import (
	"context"
	"errors"

	"reprise"

	"github.com/urfave/cli/v2"
)

type provenanceOptions struct {
	shared
	session   string
	calls     *reprise.Filter
	unsourced bool
	value     *wanted // nil for all
	values    bool
	dot       bool
}

func (p *program) provenanceCommand() *cli.Command {
	return &cli.Command{
		Name:      "provenance",
		Usage:     "show where each argument came from",
		ArgsUsage: "S [FILTER…]",
		Category:  lookCategory,
		Description: `One row is one argument of a call, with its source: the earlier result that has
the same value, the tool's schema, what was said outside of results, or nowhere.
FILTER selects calls. docs/provenance.md has the rules.

Examples:
  reprise provenance last
  reprise provenance last --unsourced          what the agent may have made up
  reprise provenance last --value ISS-4        the life of one value
  reprise provenance last --tool 'get_*' 'status:*error'
  reprise provenance last --dot | dot -Tsvg > flow.svg`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "unsourced", Usage: "only arguments that came from nowhere"},
			&cli.StringFlag{Name: "tool", Usage: "only arguments of `TOOL`, and values from it; * and ? match"},
			&cli.StringFlag{Name: "value", Usage: "the life of `VALUE`: each birth and each use, in order"},
			&cli.BoolFlag{Name: "values", Usage: "one row a value that identifies something, or was used"},
			&cli.BoolFlag{Name: "dot", Usage: "write a graph of the calls for Graphviz"},
		},
		Action: func(c *cli.Context) error {
			o, err := p.provenanceOptions(c)
			if err != nil {
				return err
			}
			return p.provenance(c.Context, o)
		},
	}
}

func (p *program) provenanceOptions(c *cli.Context) (o provenanceOptions, err error) {
	if !c.Args().Present() {
		return o, missing("a session", "reprise provenance last")
	}
	for _, flags := range [][]string{{"unsourced", "value", "values"}, {"dot", "json"}, {"dot", "values"}} {
		if err := oneOf(c, flags...); err != nil {
			return o, err
		}
	}
	for _, name := range []string{"tool", "value"} {
		if c.IsSet(name) && c.String(name) == "" {
			return o, hint(usage(errors.New("--"+name+" is empty")), "leave it out to see all%s", map[string]string{"value": `; the empty string is --value '""'`}[name])
		}
	}
	o = provenanceOptions{shared: sharedOptions(c), session: c.Args().First(), unsourced: c.Bool("unsourced"), values: c.Bool("values"), dot: c.Bool("dot")}
	if c.IsSet("value") {
		o.value = newWanted(c.String("value"))
	}
	o.calls, err = p.parseFilter(filterArgument(c.Args().Tail()))
	if err == nil && c.IsSet("tool") {
		o.calls = both(o.calls, ofTool(c.String("tool")))
	}
	return o, err
}

// ofTool selects the calls of a tool; and of a method, whose uses stand under its name.
func ofTool(name string) reprise.Expr {
	pattern := reprise.Pattern{Text: name, Wild: true}
	return reprise.Or{reprise.Like{Field: reprise.FieldTool, Pattern: pattern}, reprise.Like{Field: reprise.FieldMethod, Pattern: pattern}}
}

func both(f *reprise.Filter, x reprise.Expr) *reprise.Filter {
	if f.Expr == nil {
		return &reprise.Filter{Expr: x}
	}
	return &reprise.Filter{Expr: reprise.And{f.Expr, x}}
}

func (p *program) provenance(ctx context.Context, o provenanceOptions) error {
	src, s, err := p.openSession(ctx, o.shared, o.session)
	if err != nil {
		return err
	}
	defer src.Close()
	v := view{ctx: ctx, src: src, session: s, filter: o.calls, screen: p.screen(o.shared)}
	return errors.Join(p.trace(&v, o), v.screen.Flush())
}

func (p *program) trace(v *view, o provenanceOptions) error {
	t, err := v.readTrail(o)
	switch {
	case err != nil:
		return err
	case o.json:
		return t.row().writeTo(v.screen)
	case o.dot:
		return p.draw(t, o)
	case o.value != nil:
		return t.life(o)
	case o.values:
		return t.listValues()
	}
	return t.listArguments(o)
}
