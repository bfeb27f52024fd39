package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"reprise"
	"reprise/fixtures/tracker"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

const demoHost = "demo"

func (p *program) demoCommand() *cli.Command {
	return &cli.Command{
		Name:     "demo",
		Usage:    "record a session with a built-in server, show it, play it back",
		Category: recordCategory,
		Description: `Nothing needs to be installed. The session goes into your database; with --db it
goes into another one.`,
		Action: atMost(0, func(c *cli.Context) error { return p.demo(c.Context, sharedOptions(c)) }),
	}
}

// demoServerCommand is the server that demo records: an issue tracker.
func (p *program) demoServerCommand() *cli.Command {
	return &cli.Command{
		Name:   "demo-server",
		Usage:  "be the server that demo records",
		Hidden: true,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "first", Usage: "the number of the first issue that is created, `N`"},
			&cli.BoolFlag{Name: "defect", Usage: "deny an issue that is listed"},
		},
		Action: func(c *cli.Context) error {
			return tracker.ServeStdio(c.Context, tracker.Options{First: c.Int("first"), Defect: c.Bool("defect")})
		},
	}
}

func (p *program) demo(ctx context.Context, o shared) error {
	path, err := p.path(o)
	if err != nil {
		return err
	}
	if recorder.Paused(path) {
		return hint(usage(fmt.Errorf("recording is paused")), "`reprise resume` goes on")
	}
	config, err := wrapDemo(path)
	if err == nil {
		err = guessRecorded(ctx, path)
	}
	if err == nil {
		err = tourRecorded(ctx, config.command)
	}
	if err != nil {
		return fmt.Errorf("run demo: %w", err)
	}
	return p.showDemo(ctx, o, path, config)
}

// tourRecorded holds a session as an agent host would, with the command that stands in its wrapped config.
func tourRecorded(ctx context.Context, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	return tracker.TourOf(ctx, cmd, tracker.Legacy)
}

func (p *program) showDemo(ctx context.Context, o shared, path string, config demoConfig) error {
	db, err := p.open(ctx, o)
	if err != nil {
		return err
	}
	defer db.Close()
	var list []*reprise.Session
	for s, err := range db.Sessions(ctx, &reprise.Filter{}) {
		if err != nil {
			return err
		}
		if list = append(list, s); len(list) == 3 {
			break
		}
	}
	screen := p.screen(o)
	if o.json {
		return errors.Join(sessionRow(newest(list, demoHost)).writeTo(screen), screen.Flush())
	}
	screen.story(demoWrapped)
	config.show(screen)
	screen.story(demoOpening)
	screen.prompt("reprise sessions --limit 3")
	ids, err := idsIn(ctx, db)
	if err != nil {
		return err
	}
	sessionTable{screen, p.now(), ids}.write(list)
	screen.line("")
	screen.prompt("reprise show last")
	v := view{ctx: ctx, src: db, session: newest(list, demoHost), filter: &reprise.Filter{}, screen: screen}
	if err := v.calls(); err != nil {
		return err
	}
	screen.line("")
	screen.prompt("reprise provenance last --tool get_issue")
	v.filter = &reprise.Filter{Expr: ofTool("get_issue")}
	if err := p.trace(&v, provenanceOptions{}); err != nil {
		return err
	}
	screen.story(demoExplained)
	if err := p.playDemo(ctx, o, screen, path, v.session.ID); err != nil {
		return err
	}
	broken := newest(list, demoHostDefect).ID
	if err := p.judgeDemo(ctx, o, screen, broken, ids[broken]); err != nil {
		return err
	}
	screen.line("\nTry next:")
	p.nextSteps(screen, path, firstFailed(ctx, db, v.session))
	return screen.Flush()
}

// firstFailed is the seq of the first call that failed.
func firstFailed(ctx context.Context, db *recorder.DB, s *reprise.Session) int64 {
	failed := &reprise.Filter{Expr: reprise.Like{Field: reprise.FieldStatus, Pattern: reprise.Pattern{Text: string(reprise.StatusToolError)}}}
	for e, err := range db.Entries(ctx, recorder.Query{Session: s.ID, Filter: failed}) {
		if err == nil {
			return e.Seq()
		}
	}
	return 1
}

func newest(list []*reprise.Session, host string) *reprise.Session {
	for _, s := range list {
		if s.Host == host {
			return s
		}
	}
	return list[0]
}

const demoWrapped = `
Agent hosts start their servers from a config file. Reprise puts itself in front
of one there, changes nothing else, and can give back every byte. To the server
everything stays as it was: what stands behind -- is the original.
`

const demoOpening = `
So started, an agent has worked with an issue tracker: it listed tools page by
page, carried ids from one result into the next call, answered what the server
asked back, cancelled a call, and made two that fail. Neither side noticed.
`

const demoExplained = `
Every row above is a request with its answer: → asked by the agent, ← by the
server. Not a byte was changed on the way, and every byte is in the database.
The second get_issue failed on an id that the server itself had given.
`

// story writes a paragraph of the demo's.
func (s *screen) story(text string) { s.line("%s", text) }

func (s *screen) prompt(command string) { s.line("%s %s", s.paint(dim, "$"), s.paint(bold, command)) }

// nextSteps says what to type, so that it works here.
func (p *program) nextSteps(s *screen, path string, failed int64) {
	name := p.spelling()
	if usual, err := recorder.DefaultPath(p.withoutDB); err != nil || usual != path {
		s.line("  %s", s.paint(bold, "export REPRISE_DB="+path))
	}
	for _, step := range [][2]string{
		{"show last --frames", "every line, in order"},
		{fmt.Sprintf("show last --seq %d", failed), "one call in full"},
		{"provenance last --unsourced", "what came from nowhere"},
		{"search ISS-9", "every line that has an id"},
		{"export last -o demo.capture.jsonl", "a file to share, or for CI"},
	} {
		width := columnsOf(name) + len(" export last -o demo.capture.jsonl")
		comment := s.cell(s.width-width-3).add(dim, step[1])
		s.line("  %s %s", s.cell(width).add(bold, name+" "+step[0]), strings.TrimRight(comment.String(), " "))
	}
	s.line("\nTo record your own server, put %s in front of its command.", s.paint(bold, "reprise record --"))
}

// spelling is how the person calls us.
func (p *program) spelling() string {
	found, err := exec.LookPath("reprise")
	if self, e := os.Executable(); err == nil && e == nil && sameFile(found, self) {
		return "reprise"
	}
	return os.Args[0]
}

func (p *program) withoutDB(key string) string {
	if key == "REPRISE_DB" {
		return ""
	}
	return p.getenv(key)
}
