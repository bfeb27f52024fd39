package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"reprise"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

type searchOptions struct {
	shared
	query string
	limit int
}

func (p *program) searchCommand() *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "find a text or a kind of call in all sessions",
		ArgsUsage: "QUERY…",
		Category:  lookCategory,
		Description: `QUERY is a FILTER. A call is listed once, at its first message that matches.

Examples:
  reprise search ISS-7
  reprise search 'tool:create_* status:*error since:2d'
  reprise search '"connection refused" or kind:noise'
  reprise search '/timeout after \d+ms/' --limit 0`,
		Flags: []cli.Flag{limitFlag("matches", 50)},
		Action: func(c *cli.Context) error {
			query := filterArgument(c.Args().Slice())
			if strings.TrimSpace(query) == "" {
				return missing("what to search for", "reprise search ISS-7")
			}
			limit, err := limited(c)
			if err != nil {
				return err
			}
			return p.search(c.Context, searchOptions{sharedOptions(c), query, limit})
		},
	}
}

func (p *program) search(ctx context.Context, o searchOptions) error {
	filter, err := p.parseFilter(o.query)
	if err != nil {
		return err
	}
	db, err := p.openThere(ctx, o.shared)
	if err != nil {
		return err
	}
	defer db.Close()
	if filter.Mentions(reprise.FieldSource) {
		p.derive(ctx, o.shared, db, "")
	}
	ids, err := idsIn(ctx, db)
	if err != nil {
		return err
	}
	list := matches{screen: p.screen(o.shared), now: p.now(), ids: ids, pattern: lookedFor(filter)}
	write := list.write
	if o.json {
		write = list.writeJSON
	}
	for e, err := range db.Entries(ctx, recorder.Query{Filter: filter, Frames: true, Data: true}) {
		if err != nil {
			return err
		}
		if list.repeats(e) {
			continue
		}
		if o.limit > 0 && list.shown == o.limit {
			list.more = true
			break
		}
		list.shown++
		if err := write(e); err != nil {
			return err
		}
	}
	return p.endSearch(o, &list)
}

func (p *program) endSearch(o searchOptions, list *matches) error {
	switch {
	case o.json:
		p.more(o.shared, list.more, o.limit)
	case list.more:
		list.note(moreText, 4*o.limit)
	case list.shown == 0:
		list.note("Nothing matches %s.", visible(o.query))
	}
	return list.Flush()
}

// matches writes what a search finds, under the sessions that it stands in.
type matches struct {
	*screen
	now     time.Time
	ids     map[string]string // see shortIDs
	pattern *regexp.Regexp    // to highlight, or nil
	session *reprise.Session
	seen    map[callRef]bool // of this session
	shown   int
	more    bool
}

// callRef tells the calls of a session apart.
type callRef struct {
	seq   int64
	index int
}

// repeats says whether another message of the same call has been listed.
func (l *matches) repeats(e *reprise.Entry) bool {
	if l.session != e.Session {
		l.seen = map[callRef]bool{}
	}
	if e.Call == nil {
		return false
	}
	ref := callRef{e.Call.Seq, e.Call.Index}
	repeated := l.seen[ref]
	l.seen[ref] = true
	return repeated
}

func (l *matches) write(e *reprise.Entry) error {
	if l.session != e.Session {
		l.heading(e.Session)
	}
	l.session = e.Session
	f := e.Frame
	m := messageIn(f.Data, e.Message.Index, f.Size)
	text, at := l.snippet(messagePreview(f, &m), string(f.Data))
	_, needed, _ := fit(text, l.width-matchWidth-10)
	what := l.cell(l.width - 10 - needed)
	method, name := methodOf(e)
	if method == "" {
		what.add(yellow, string(e.Message.Kind))
	}
	what.add(dimMethod(name), method)
	if name != "" {
		what.add(plain, " ").addEnds(bold, name)
	}
	room := min(what.left, l.width-matchWidth-10-needed) // the column is wider where a long name has use for it
	what.left -= room
	r := rows{screen: l.screen}
	line := fmt.Sprintf("%s %s %s %s", l.cell(6).add(dim, fmt.Sprint(f.Seq)).right(), r.arrow(f.Direction), what, l.highlighted(l.cell(needed+room), text, at))
	return l.line("%s", strings.TrimRight(line, " "))
}

// matchWidth is what a method and a name have at least.
const matchWidth = 30

func (l *matches) heading(s *reprise.Session) {
	if l.session != nil {
		l.line("")
	}
	about := strings.Join(nonEmpty(s.Server, s.Host, ago(l.now.Sub(s.StartedAt))), " · ")
	l.line("%s  %s", l.paint(bold, l.idOf(s)), visible(about))
}

// idOf is the id as it is shown. One that began a moment ago is shown whole.
func (l *matches) idOf(s *reprise.Session) string {
	if short, ok := l.ids[s.ID]; ok {
		return short
	}
	return s.ID
}

// snippet is the text that was looked for with what stands around it, and its place: in
// the preview where it is there, else in the raw bytes.
func (l *matches) snippet(preview, raw string) (text string, at []int) {
	if l.pattern == nil {
		return preview, nil
	}
	text = preview
	if at = l.pattern.FindStringIndex(text); at == nil {
		text = raw
		at = l.pattern.FindStringIndex(text)
	}
	if at == nil {
		return preview, nil
	}
	before := (l.width - matchWidth - 10) / 3
	if skipped := at[0] - before + 1; at[0] > before {
		return "…" + text[skipped:min(len(text), at[1]+enough)], []int{at[0] - skipped + len("…"), at[1] - skipped + len("…")}
	}
	return text, at
}

// highlighted is a text of which a part was looked for.
func (l *matches) highlighted(c *cell, text string, at []int) *cell {
	if at == nil {
		return c.add(plain, text)
	}
	return c.add(plain, text[:at[0]]).add(hit, text[at[0]:at[1]]).add(plain, text[at[1]:])
}

func (l *matches) writeJSON(e *reprise.Entry) error {
	l.session = e.Session
	f, m := e.Frame, e.Message
	method, name := methodOf(e)
	o := newObject()
	o.set("session", e.Session.ID)
	o.text("server", e.Session.Server)
	o.text("host", e.Session.Host)
	o.set("seq", f.Seq)
	o.set("index", m.Index)
	o.moment("at", e.Session.StartedAt.Add(f.At))
	o.set("direction", f.Direction.String())
	o.set("kind", m.Kind)
	o.token("id", m.ID)
	o.text("method", method)
	o.text("name", name)
	o.callOf(e)
	o.frame(f.Data)
	return o.writeTo(l.screen)
}

// methodOf is what a message is about: a response, its call's.
func methodOf(e *reprise.Entry) (method, name string) {
	if e.Message.Method == "" && e.Call != nil {
		return e.Call.Method, e.Call.Name
	}
	return e.Message.Method, e.Message.Name
}
