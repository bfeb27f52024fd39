package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reprise/analysis"

	"github.com/urfave/cli/v2"
)

type coverageOptions struct {
	analyzeOptions // which sessions
	checks         []string
}

func (p *program) coverageCommand() *cli.Command {
	return &cli.Command{
		Name:      "coverage",
		Usage:     "what captured use exercised of a server, and what it never did",
		ArgsUsage: "S… | --since AGE [--server N] [--checks FILE]…",
		Category:  judgeCategory,
		Description: `Adds up what sessions exercised: tools that were called, parameters that were
given, values of enums and booleans, ways to fail. The rest was never exercised.
It is whatever agents happened to do, no sweep of the server. With checks files
it says which tools no case calls.

Examples:
  reprise coverage last
  reprise coverage --since 7d --server tracker --checks tracker.checks.yaml
  reprise coverage last --json | jq '.tools[] | select(.calls == 0) | .tool'`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "sessions of the last `AGE`, such as 7d; or since a day"},
			&cli.StringFlag{Name: "server", Usage: "only sessions with the server `NAME`; * and ? match"},
			&cli.StringSliceFlag{Name: "checks", Usage: "say which tools have a case in the checks `FILE`; repeatable"},
		},
		Action: func(c *cli.Context) error {
			o := coverageOptions{analyzeOptions{shared: sharedOptions(c), sessions: c.Args().Slice()}, c.StringSlice("checks")}
			var terms []string
			for _, field := range []string{"since", "server"} {
				if value := c.String(field); value != "" {
					terms = append(terms, field+":"+filterQuote(value))
				}
			}
			o.filter, o.chosen = strings.Join(terms, " "), len(terms) > 0
			if len(o.sessions) == 0 && !o.chosen {
				return missing("a session", "reprise coverage last")
			}
			return p.coverage(c.Context, o)
		},
	}
}

func (p *program) coverage(ctx context.Context, o coverageOptions) error {
	cases, _, err := readChecks(o.checks)
	if err != nil {
		return err
	}
	list, done, err := p.subjects(ctx, o.analyzeOptions)
	defer done()
	if err != nil {
		return err
	}
	screen := p.screen(o.shared)
	if len(list) == 0 {
		return errors.Join(screen.noSubject(o.analyzeOptions), screen.Flush())
	}
	servers, err := p.cover(ctx, o, list)
	if err != nil {
		return err
	}
	checked := map[string]bool{}
	for _, c := range cases {
		checked[c.Tool] = true
	}
	for i, one := range servers {
		one.checks, one.checked = len(o.checks), checked
		switch {
		case o.json:
			err = one.row().writeTo(screen)
		case i > 0:
			err = screen.line("")
			fallthrough
		default:
			screen.covered(one)
		}
		if err != nil {
			return err
		}
	}
	return screen.Flush()
}

// covered is what the sessions of one server exercised of it.
type covered struct {
	analysis.Coverage
	unseen  analysis.Unseen
	checks  int             // files that were read
	checked map[string]bool // tools that a case calls
}

// cover adds up what sessions exercised, by server.
func (p *program) cover(ctx context.Context, o coverageOptions, list []subject) (servers []*covered, err error) {
	progress := p.progress(o.shared)
	defer progress.clear()
	byName := map[string]*covered{}
	for i, one := range list {
		if len(list) > 1 {
			progress.show("reading session %d of %d", i+1, len(list))
		}
		r, err := judgeOne(one, analysis.Options{Analyzers: []*analysis.Analyzer{}})
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("read session %.13s: %w", one.session.ID, err)
		}
		server := byName[r.Coverage.Server]
		if server == nil {
			server = &covered{}
			byName[r.Coverage.Server] = server
			servers = append(servers, server)
		}
		server.Add(r.Coverage)
		server.lacks(&r.Unseen)
	}
	slices.SortFunc(servers, func(a, b *covered) int { return cmp.Compare(a.Server, b.Server) })
	return servers, nil
}

// lacks adds what is not in a session's record: whatever it exercised is not known.
func (c *covered) lacks(u *analysis.Unseen) {
	c.unseen.Gaps += u.Gaps
	c.unseen.LostFrames += u.LostFrames
	c.unseen.Truncated += u.Truncated
	c.unseen.TooLong += u.TooLong
}

// row is one server as JSON.
func (c *covered) row() *object {
	o := newObject()
	o.text("server", c.Server)
	o.set("sessions", c.Sessions)
	o.objects("tools", len(c.Tools), func(i int) *object {
		t := &c.Tools[i]
		row := exercisedRow("tool", "parameters", t)
		row.set("check", c.checked[t.Tool])
		row.set("story", false)
		return row
	})
	o.objects("prompts", len(c.Prompts), func(i int) *object { return exercisedRow("prompt", "arguments", &c.Prompts[i]) })
	o.objects("templates", len(c.Templates), func(i int) *object {
		row := newObject()
		row.set("template", c.Templates[i].Template)
		row.set("reads", c.Templates[i].Reads)
		return row
	})
	o.set("left_out", c.More)
	unseen := newObject()
	unseen.set("gaps", c.unseen.Gaps)
	unseen.set("lost_frames", c.unseen.LostFrames)
	unseen.set("truncated", c.unseen.Truncated)
	unseen.set("too_long", c.unseen.TooLong)
	o.object("unseen", unseen)
	return o
}

func exercisedRow(kind, parameters string, t *analysis.ToolCoverage) *object {
	o := newObject()
	o.set(kind, t.Tool)
	o.set("listed", t.Listed)
	o.set("calls", t.Calls)
	o.set("unread", t.Unread)
	errors := t.Errors
	if errors == nil {
		errors = map[string]int{}
	}
	o.set("errors", errors)
	o.objects(parameters, len(t.Parameters), func(i int) *object {
		param := &t.Parameters[i]
		row := newObject()
		row.set("name", param.Name)
		row.set("required", param.Required)
		row.set("calls", param.Calls)
		row.objects("values", len(param.Values), func(i int) *object {
			value := newObject()
			value.verbatim("value", []byte(param.Values[i]))
			value.set("calls", param.Enum[param.Values[i]])
			return value
		})
		return row
	})
	return o
}
