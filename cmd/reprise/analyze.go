package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"reprise"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

type analyzeOptions struct {
	shared
	sessions []string
	chosen   bool   // --since or one of the others chooses sessions
	filter   string // of them, or of those that are named
	tool     string
	summary  bool // of what the sessions have in common, even of one
	task     string
	checks   []string
	failOn   failOn
	files    reportFiles
	rules    []string
}

func (p *program) analyzeCommand() *cli.Command {
	return &cli.Command{
		Name:      "analyze",
		Usage:     "judge sessions in code: defects, guesses, findings",
		ArgsUsage: "S… | --since AGE [--host H] [--server N]",
		Category:  judgeCategory,
		Description: `Says of every failing call what it proves: that the server broke (a confirmed
defect, with the call that gave the value and the one that rejected it), that
it rightly rejected what its schema excludes, or nothing, and why. Adds
findings: what a tool's owner could change. No model decides, and no server is
asked.

Of several sessions it shows each tool's calls and errors, and the findings by
rank. --since, --host and --server choose sessions, or some of those named.
The rules: docs/eval-rules.md; findings: docs/findings.md.

Examples:
  reprise analyze last
  reprise analyze --since 7d --host cursor
  reprise analyze last --fail-on defect --junit report.xml
  reprise analyze run.capture.jsonl --task task.yaml --html report.html`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "sessions of the last `AGE`, such as 7d; or since a day"},
			&cli.StringFlag{Name: "host", Usage: "only sessions of the host `H`; * and ? match"},
			&cli.StringFlag{Name: "server", Usage: "only sessions with the server `NAME`"},
			&cli.StringFlag{Name: "tool", Usage: "only what is about the tool `T`; * and ? match"},
			&cli.StringFlag{Name: "task", Usage: "what the session was to do, in a `FILE`: gives it an outcome"},
			&cli.StringSliceFlag{Name: "checks", Usage: "hold the calls against a checks `FILE` too; repeatable"},
			&cli.StringSliceFlag{Name: "fail-on", Usage: "exit with 1 on `WHAT`: defect, finding:high|medium|low"},
			&cli.BoolFlag{Name: "summary", Usage: "what the sessions have in common; with --json as one line"},
			&cli.StringSliceFlag{Name: "rule", Usage: "mask more in files, by `RULE` as export does; repeatable"},
		}, reportFlags()...),
		Action: func(c *cli.Context) error {
			o, err := p.analyzeOptions(c)
			if err != nil {
				return err
			}
			return p.analyze(c.Context, o)
		},
	}
}

func (p *program) analyzeOptions(c *cli.Context) (o analyzeOptions, err error) {
	o = analyzeOptions{shared: sharedOptions(c), sessions: c.Args().Slice(), tool: c.String("tool"), summary: c.Bool("summary"), task: c.String("task"),
		checks: c.StringSlice("checks"), files: reportFilesOf(c), rules: c.StringSlice("rule")}
	var terms []string
	for _, field := range []string{"since", "host", "server"} {
		if value := c.String(field); value != "" {
			terms = append(terms, field+":"+filterQuote(value))
		}
	}
	o.filter, o.chosen = strings.Join(terms, " "), len(terms) > 0
	switch {
	case len(o.sessions) == 0 && !o.chosen:
		return o, missing("a session", "reprise analyze last")
	case o.task != "" && (len(o.sessions) != 1 || o.chosen):
		return o, hint(usage(errors.New("--task is of one session")), "name that session alone")
	}
	if o.failOn, err = parseFailOn(c.StringSlice("fail-on")); err != nil {
		return o, err
	}
	if _, err := newRedactor(o.rules); err != nil {
		return o, err
	}
	return o, o.files.check(append(o.sessions, append(o.checks, o.task)...)...)
}

// filterQuote spells a value for the filter language.
func filterQuote(value string) string {
	if strings.ContainsAny(value, " \t\"()") {
		return `"` + strings.ReplaceAll(value, `"`, `\"`) + `"`
	}
	return value
}

// subject is one session that is to be judged, and how its items are read.
type subject struct {
	session *reprise.Session
	file    string // the capture file that it is read from, where it can be read again
	items   func() (items captureItems, close func() error, err error)
}

// subjects are the sessions that the command line names and those that it chooses, each once, oldest first.
func (p *program) subjects(ctx context.Context, o analyzeOptions) (list []subject, done func(), err error) {
	var db *recorder.DB
	done = func() {
		if db != nil {
			db.Close()
		}
	}
	open := func() (err error) {
		if db == nil {
			db, err = p.openThere(ctx, o.shared)
		}
		return err
	}
	for _, ref := range o.sessions {
		var one subject
		if namesFile(ref) {
			one, err = p.fileSubject(ref)
		} else if err = open(); err == nil {
			one, err = dbSubject(ctx, db, ref)
		}
		if err != nil {
			return nil, done, err
		}
		list = append(list, one)
	}
	if o.chosen && len(o.sessions) > 0 {
		f, err := p.sessionFilter(o.filter)
		return inTime(keep(list, func(s subject) bool { return f == nil || f.MatchSession(s.session) })), done, err
	}
	if o.chosen {
		if err = open(); err != nil {
			return nil, done, err
		}
		chosen, err := p.chosenSubjects(ctx, db, o.filter)
		if err != nil {
			return nil, done, err
		}
		list = append(list, chosen...)
	}
	return inTime(list), done, nil
}

// inTime orders sessions by their start. What was named twice is there once.
func inTime(list []subject) []subject {
	slices.SortStableFunc(list, func(a, b subject) int {
		return cmp.Or(a.session.StartedAt.Compare(b.session.StartedAt), strings.Compare(a.session.ID, b.session.ID))
	})
	return slices.CompactFunc(list, func(a, b subject) bool { return a.session.ID != "" && a.session.ID == b.session.ID })
}

func dbSubject(ctx context.Context, db *recorder.DB, ref string) (subject, error) {
	s, err := db.Find(ctx, ref)
	if err != nil {
		return subject{}, err
	}
	return sessionSubject(ctx, db, s), nil
}

func sessionSubject(ctx context.Context, db *recorder.DB, s *reprise.Session) subject {
	return subject{s, "", func() (captureItems, func() error, error) {
		_, items, err := db.Capture(ctx, s)
		return items, func() error { return nil }, err
	}}
}

// chosenSubjects are the sessions of the database that a filter lets through, without those that are no agent's work.
func (p *program) chosenSubjects(ctx context.Context, db *recorder.DB, filter string) (list []subject, err error) {
	f, err := p.sessionFilter(filter)
	if err != nil {
		return nil, err
	}
	for s, err := range db.Sessions(ctx, f) {
		if err != nil {
			return nil, err
		}
		if s.Purpose == "" {
			list = append(list, sessionSubject(ctx, db, s))
		}
	}
	return list, nil
}

// fileSubject reads the head of a capture file. Its end, which tells how the session ended, comes with the items.
func (p *program) fileSubject(path string) (subject, error) {
	f, err := p.openInput(path)
	if err != nil {
		return subject{}, err
	}
	c, err := exportedFile(f, path)
	if err != nil {
		return subject{}, err
	}
	file := ""
	again := func() (*exported, error) { return c, nil } // what came over a pipe is kept open
	if path != "-" {
		again = func() (*exported, error) {
			f, err := openFile(path)
			if err != nil {
				return nil, err
			}
			return exportedFile(f, path)
		}
		file = path
		c.close()
	}
	return subject{&c.header.Session, file, func() (captureItems, func() error, error) {
		c, err := again()
		if err != nil {
			return nil, nil, err
		}
		return c.items, c.close, nil
	}}, nil
}
