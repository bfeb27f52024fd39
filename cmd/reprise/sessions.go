package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"reprise"

	"github.com/urfave/cli/v2"
)

type sessionsOptions struct {
	shared
	filter string
	limit  int
}

func (p *program) sessionsCommand() *cli.Command {
	return &cli.Command{
		Name:      "sessions",
		Aliases:   []string{"ls"},
		Usage:     "list what was recorded, newest first",
		ArgsUsage: "[FILTER…]",
		Category:  lookCategory,
		Description: `FILTER selects sessions: host:, server:, transport:, version:, since:, until:.

Examples:
  reprise sessions
  reprise sessions host:cursor since:2h
  reprise sessions --json | jq -r 'select(.errors > 0) | .id'`,
		Flags: []cli.Flag{limitFlag("sessions", 50)},
		Action: func(c *cli.Context) error {
			limit, err := limited(c)
			if err != nil {
				return err
			}
			return p.sessions(c.Context, sessionsOptions{sharedOptions(c), filterArgument(c.Args().Slice()), limit})
		},
	}
}

func limitFlag(what string, n int) cli.Flag {
	return &cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: n, Usage: fmt.Sprintf("stop after `N` %s; 0 for all (default: %d)", what, n)}
}

func (p *program) sessions(ctx context.Context, o sessionsOptions) error {
	filter, err := p.sessionFilter(o.filter)
	if err != nil {
		return err
	}
	path, err := p.path(o.shared)
	if err != nil {
		return err
	}
	p.tellPause(o.shared, path)
	if !recorded(path) {
		return p.noSessions(o, path)
	}
	db, err := p.open(ctx, o.shared)
	if err != nil {
		return err
	}
	defer db.Close()
	var list []*reprise.Session
	for s, err := range db.Sessions(ctx, filter) {
		if err != nil {
			return err
		}
		if list = append(list, s); o.limit > 0 && len(list) > o.limit { // one more tells that there are more
			break
		}
	}
	ids, err := idsIn(ctx, db)
	if err != nil {
		return err
	}
	return p.listSessions(o, list, ids)
}

// sessionFilter refuses terms that only calls can meet: without them the list would be of other sessions than was meant.
func (p *program) sessionFilter(text string) (*reprise.Filter, error) {
	f, err := p.parseFilter(text)
	if err == nil && f.String() != f.OfSession().String() {
		err = hint(usage(fmt.Errorf("%q selects calls, not sessions", text)),
			"`reprise search %s` lists the calls; sessions are selected by session, host, server, transport, version, since and until", quote(text))
	}
	return f, err
}

// noSessions is the list where there is no database. None is made.
func (p *program) noSessions(o sessionsOptions, path string) error {
	if o.json {
		p.warn(o.shared, "no database at "+visible(path)+" yet")
		return nil
	}
	screen := p.screen(o.shared)
	screen.nothing(o)
	if !o.quiet {
		screen.line("")
		screen.paragraph("", 0, visible("There is no database at "+path+" yet: the first session makes it."))
	}
	return screen.Flush()
}

func (p *program) listSessions(o sessionsOptions, list []*reprise.Session, ids map[string]string) error {
	more := o.limit > 0 && len(list) > o.limit
	if more {
		list = list[:o.limit]
	}
	screen := p.screen(o.shared)
	switch {
	case o.json:
		for _, s := range list {
			if err := sessionRow(s).writeTo(screen); err != nil {
				return err
			}
		}
		p.more(o.shared, more, o.limit)
	case len(list) == 0:
		screen.nothing(o)
	default:
		sessionTable{screen, p.now(), ids}.write(list)
		if more {
			screen.note(moreText, 4*o.limit)
		}
	}
	return screen.Flush()
}

// moreText ends a list that was cut.
const moreText = "There are more: --limit %d, or --limit 0 for all."

// more says on stderr that a JSON listing was cut.
func (p *program) more(o shared, more bool, limit int) {
	if more {
		p.warn(o, fmt.Sprintf("there are more than %d: --limit 0 gives all", limit))
	}
}

// nothing is what a newcomer sees first: it says what to do.
func (s *screen) nothing(o sessionsOptions) {
	if o.filter != "" {
		s.line("No session matches %s.", visible(o.filter))
		return
	}
	s.line(`No sessions yet.

Put %s in front of a server's command in your agent host:

    "command": "/usr/local/bin/reprise",
    "args": ["record", "--", "npx", "-y", "some-mcp-server"]

and use the host as before. To see how it looks without one: %s`,
		s.paint(bold, "reprise record --"), s.paint(bold, "reprise demo"))
}

// sessionTable writes sessions as rows. Servers and hosts get the room that they need, of what the other columns leave.
type sessionTable struct {
	*screen
	now time.Time
	ids map[string]string // see shortIDs
}

const (
	startWidth  = 13
	callsWidth  = 6
	errorsWidth = 4
	endingWidth = 11
)

// widths are those of the columns that depend on the list.
func (t sessionTable) widths(list []*reprise.Session) (id, server, host int) {
	server, host = len("SERVER"), len("HOST")
	for _, s := range list {
		id = max(id, columnsOf(t.ids[s.ID]))
		server, host = max(server, columnsOf(s.Server+purpose(s))), max(host, columnsOf(s.Host))
	}
	left := t.width - id - startWidth - tookWidth - callsWidth - errorsWidth - endingWidth - 7
	host = min(host, max(left-server, min(10, left/2)))
	return id, min(server, left-host), host
}

func (t sessionTable) write(list []*reprise.Session) {
	width, server, host := t.widths(list)
	row := func(st style, id string, name *cell, owner, start, length, calls string, errors *cell, end *cell) {
		t.line("%s %s %s %s %s %s %s %s", t.cell(width).add(st, id), name, t.cell(host).add(st, owner),
			t.cell(startWidth).add(st, start).right(), t.cell(tookWidth).add(st, length).right(), t.cell(callsWidth).add(st, calls).right(),
			errors.right(), strings.TrimRight(end.String(), " "))
	}
	if !t.quiet {
		row(dim, "ID", t.cell(server).add(dim, "SERVER"), "HOST", "STARTED", "LENGTH", "CALLS",
			t.cell(errorsWidth).add(dim, "ERR"), t.cell(endingWidth).add(dim, "ENDED"))
	}
	loss := false
	for _, s := range list {
		st, ending := t.ending(s)
		end := t.cell(endingWidth).add(st, ending)
		if lossy(s) {
			loss = true
			end.add(red, " ⚠")
		}
		row(plain, t.ids[s.ID], t.server(s, server), s.Host, t.started(s), t.length(s), fmt.Sprint(s.Calls), t.errors(s), end)
	}
	if loss {
		t.note("⚠ a part of the record is missing; `reprise show ID` says which")
	}
}

// server names the server, and says where a session is not an agent's work.
func (t sessionTable) server(s *reprise.Session, width int) *cell {
	word := purpose(s)
	name, _, _ := fit(s.Server, width-columnsOf(word))
	return t.cell(width).add(plain, name).add(dim, word)
}

// purpose is the word behind a server's name.
func purpose(s *reprise.Session) string {
	if s.Purpose == "" {
		return ""
	}
	return " " + s.Purpose
}

func (t sessionTable) errors(s *reprise.Session) *cell {
	if s.Errors == 0 {
		return t.cell(errorsWidth).add(dim, "·")
	}
	return t.cell(errorsWidth).add(red, fmt.Sprint(s.Errors))
}

func (t sessionTable) length(s *reprise.Session) string {
	switch {
	case !s.EndedAt.IsZero():
		return took(s.EndedAt.Sub(s.StartedAt))
	case s.Imported:
		return "–"
	}
	return took(max(t.now.Sub(s.StartedAt), 0))
}

// started is short and says both: how long ago, and when.
func (t sessionTable) started(s *reprise.Session) string {
	at := s.StartedAt.Local()
	if t.now.Sub(at) < 20*time.Hour {
		return ago(t.now.Sub(at)) + at.Format(" 15:04")
	}
	if t.now.Sub(at) < 300*24*time.Hour {
		return at.Format("Jan _2 15:04")
	}
	return at.Format("2006-01-02")
}

func (t sessionTable) ending(s *reprise.Session) (style, string) {
	switch s.Ending {
	case "":
		if s.Imported {
			return dim, "not told"
		}
		return cyan, "● open"
	case reprise.EndedByClient:
		return plain, "closed"
	case reprise.EndedByServer:
		if s.ExitCode != nil && *s.ExitCode != 0 {
			return red, fmt.Sprintf("exit %d", *s.ExitCode)
		}
		return plain, "exited"
	case reprise.NeverStarted:
		return red, "no start"
	case reprise.EndedByKill:
		return yellow, "killed"
	}
	return plain, string(s.Ending)
}

func lossy(s *reprise.Session) bool { return s.Gaps > 0 || s.LostFrames > 0 }
