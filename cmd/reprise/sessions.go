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
			return p.sessions(c.Context, sessionsOptions{sharedOptions(c), filterArgument(c.Args().Slice()), c.Int("limit")})
		},
	}
}

func limitFlag(what string, n int) cli.Flag {
	return &cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: n, Usage: fmt.Sprintf("stop after `N` %s; 0 for all (default: %d)", what, n)}
}

func (p *program) sessions(ctx context.Context, o sessionsOptions) error {
	filter, err := p.parseFilter(o.filter)
	if err != nil {
		return err
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
	return p.listSessions(o, list)
}

func (p *program) listSessions(o sessionsOptions, list []*reprise.Session) error {
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
		sessionTable{screen, p.now()}.write(list)
		if more {
			screen.note("There are more: --limit %d, or --limit 0 for all", 4*o.limit)
		}
	}
	return screen.Flush()
}

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

Put %s in front of a server's command where your agent host has it:

    "command": "reprise",
    "args": ["record", "--", "npx", "-y", "some-mcp-server"]

and use the host as before. To see how it looks without one: %s`,
		s.paint(bold, "reprise record --"), s.paint(bold, "reprise demo"))
}

// sessionTable writes sessions as rows. Servers and hosts get the room that the other columns leave.
type sessionTable struct {
	*screen
	now time.Time
}

const (
	shortID     = 13 // of a UUIDv7: its milliseconds
	startWidth  = 13
	callsWidth  = 6
	errorsWidth = 4
	endingWidth = 11
)

func (t sessionTable) write(list []*reprise.Session) {
	ids := shortIDs(list)
	width := len(ids[0])
	left := t.width - width - startWidth - tookWidth - callsWidth - errorsWidth - endingWidth - 7
	host := min(10, left/2)
	server := left - host
	row := func(st style, id, name, owner, start, length, calls string, errors *cell, end *cell) {
		t.line("%s %s %s %s %s %s %s %s", t.cell(width).add(st, id), t.cell(server).add(st, name), t.cell(host).add(st, owner),
			t.cell(startWidth).add(st, start).right(), t.cell(tookWidth).add(st, length).right(), t.cell(callsWidth).add(st, calls).right(),
			errors.right(), strings.TrimRight(end.String(), " "))
	}
	if !t.quiet {
		row(dim, "ID", "SERVER", "HOST", "STARTED", "LENGTH", "CALLS",
			t.cell(errorsWidth).add(dim, "ERR"), t.cell(endingWidth).add(dim, "ENDED"))
	}
	loss := false
	for i, s := range list {
		st, ending := t.ending(s)
		end := t.cell(endingWidth).add(st, ending)
		if lossy(s) {
			loss = true
			end.add(red, " ⚠")
		}
		row(plain, ids[i], s.Server, s.Host, t.started(s), took(t.length(s)), fmt.Sprint(s.Calls), t.errors(s), end)
	}
	if loss {
		t.note("⚠ a part of the record is missing; `reprise show ID` says which")
	}
}

func (t sessionTable) errors(s *reprise.Session) *cell {
	if s.Errors == 0 {
		return t.cell(errorsWidth).add(dim, "·")
	}
	return t.cell(errorsWidth).add(red, fmt.Sprint(s.Errors))
}

func (t sessionTable) length(s *reprise.Session) time.Duration {
	if s.EndedAt.IsZero() {
		return max(t.now.Sub(s.StartedAt), 0)
	}
	return s.EndedAt.Sub(s.StartedAt)
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

// shortIDs cuts ids to what tells them apart, and will do so tomorrow: the whole
// timestamp, and more of all when two began in the same millisecond.
func shortIDs(list []*reprise.Session) []string {
	for n := shortID; ; n++ {
		seen := map[string]bool{}
		ids := make([]string, len(list))
		for i, s := range list {
			ids[i] = s.ID[:min(n, len(s.ID))]
			seen[ids[i]] = true
		}
		if len(seen) == len(list) || n > 36 {
			return ids
		}
	}
}
