package main

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"reprise"
	"reprise/hosts"

	"github.com/urfave/cli/v2"
)

func (p *program) hostsCommand() *cli.Command {
	return &cli.Command{
		Name:      "hosts",
		Usage:     "show the agent hosts that are here, and which servers are wrapped",
		ArgsUsage: "[HOST…]",
		Category:  recordCategory,
		Description: `Lists every config file of a known host, with its servers: ● wrapped, ○ not
wrapped, – not to be wrapped and why. ! marks what needs a look: a file that
cannot be read, a wrap that the host has written over, a program that is gone.

Examples:
  reprise hosts
  reprise hosts cursor
  reprise hosts --json | jq -r '.servers[] | select(.state == "wrapped").name'`,
		Action: func(c *cli.Context) error { return p.hosts(sharedOptions(c), c.Args().Slice()) },
	}
}

func (p *program) hosts(o shared, names []string) error {
	known, err := p.places()
	if err != nil {
		return err
	}
	l := hostList{shared: o, places: known, screen: p.screen(o)}
	files := known.all()
	if len(names) > 0 {
		if l.asked, err = known.hostsNamed(names); err != nil {
			return err
		}
		files = known.filesOf(l.asked)
	}
	for _, f := range files {
		l.files = append(l.files, look(known.store, f))
	}
	for i, f := range l.files {
		if err := l.show(i, f); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		l.notes()
	} else {
		l.foot()
	}
	return l.screen.Flush()
}

func (l places) hostsNamed(names []string) (list []hosts.Host, err error) {
	for _, name := range names {
		h, err := l.hostNamed(name)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// filesOf are the files of some hosts, those elsewhere too.
func (l places) filesOf(list []hosts.Host) (files []hosts.File) {
	for _, h := range list {
		files = append(append(files, l.Files(h)...), l.elsewhereOf(h.ID)...)
	}
	return files
}

// hostList writes what is there.
type hostList struct {
	shared
	places
	screen *screen
	asked  []hosts.Host // by name
	files  []looked
}

// absent says whether a host has no file here.
func (l *hostList) absent(h hosts.Host) bool {
	return !slices.ContainsFunc(l.files, func(f looked) bool { return f.Host.ID == h.ID })
}

// looked is a config file as it stands.
type looked struct {
	hosts.File
	trouble string // why it cannot be read, "" if it can
	servers []hosts.Server
	memo    hosts.Memo
	gone    []hosts.Wrap // wraps that somebody has written over
}

func look(store hosts.Store, file hosts.File) looked {
	f := looked{File: file}
	f.memo, _ = store.Memo(f.Path) // without it nothing is lost but what it would add
	src, err := os.ReadFile(f.Path)
	var denied *fs.PathError
	if errors.As(err, &denied) {
		err = denied.Err
	}
	var c *hosts.Config
	if err == nil {
		c, err = hosts.Parse(f.Shape(), src)
	}
	if err != nil {
		if f.trouble = err.Error(); denied == nil && len(bytes.TrimSpace(src)) == 0 {
			f.trouble = errEmpty.Error()
		}
		return f
	}
	f.servers, f.gone = c.Servers(), c.Gone(f.memo)
	return f
}

func (l *hostList) show(i int, f looked) error {
	if l.json {
		return l.row(f).writeTo(l.screen)
	}
	s := l.screen
	host := f.Host.ID
	if !l.quiet {
		s.fileHead(i == 0, f.Host, l.Tilde(f.Path), l.remark(f))
		host = ""
	}
	if f.trouble != "" && l.quiet {
		s.server(serverRow{host: host, sign: "!", style: red, name: "–", word: "unreadable", why: f.trouble})
	} else if f.trouble != "" {
		s.marked(red, "!", f.trouble)
	}
	within := ""
	for _, server := range f.servers {
		within = s.inside(server, within)
		l.server(host, server, f)
	}
	for _, w := range f.gone {
		s.server(serverRow{host: host, sign: "!", style: red, name: w.Server, word: "wrap gone", why: "the file was written anew; `" + l.again(f.File) + "` again"})
	}
	if f.trouble == "" && len(f.servers)+len(f.gone) == 0 {
		s.note("  no servers")
	}
	return nil
}

// remark is what there is to say of a file as a whole.
func (l *hostList) remark(f looked) string {
	var parts []string
	if f.Place.Note != "" {
		parts = append(parts, f.Place.Note)
	}
	if f.Place.Scope != hosts.User {
		parts = append(parts, string(f.Place.Scope))
	}
	if f.Git != "" {
		parts = append(parts, "under git")
	}
	if f.Shadowed != "" {
		parts = append(parts, "not read: "+l.Tilde(f.Shadowed)+" is")
	}
	return strings.Join(parts, ", ")
}

func (l *hostList) server(host string, s hosts.Server, f looked) {
	row := serverRow{host: host, sign: "○", name: s.Name, word: string(s.State), command: shownCommand(s.Command)}
	switch s.State {
	case hosts.Wrapped:
		if row.sign, row.style = "●", green; !runs(s.Binary) {
			row.sign, row.style, row.word, row.command = "!", red, "broken", ""
			row.why = s.Binary + " is gone: `" + l.again(f.File) + "` puts this program in"
		}
	case hosts.Remote:
		row.sign, row.style, row.command = "–", dim, ""
	case hosts.Unfit:
		row.sign, row.style, row.word, row.command, row.why = "–", yellow, "can't be", "", s.Why
	case hosts.Foreign:
		row.word, row.why = "foreign", s.Why+" stands in front"
	case hosts.Plain:
		row.why = s.Doubt
	}
	l.screen.server(row)
}

// notes say what has to be known of the hosts that were asked for.
func (l *hostList) notes() {
	if l.json || l.quiet {
		return
	}
	if len(l.files) > 0 && slices.ContainsFunc(l.asked, func(h hosts.Host) bool { return h.Note != "" || l.absent(h) }) {
		l.screen.line("")
	}
	for _, h := range l.asked {
		if usual := l.Usual(h); usual != "" && l.absent(h) {
			l.screen.line("%s has no config file here. It would be %s", h.Label, l.Tilde(usual))
		}
		if h.Note != "" {
			l.screen.paragraph(l.screen.paint(bold, h.Label)+": ", len(h.Label)+2, h.Note)
		}
	}
}

// foot says what else is known, for people.
func (l *hostList) foot() {
	if l.json || l.quiet {
		return
	}
	if len(l.files) == 0 {
		l.screen.note("No agent host's config was found.")
	} else {
		l.screen.line("")
	}
	ids := slices.DeleteFunc(hostIDs(), func(id string) bool { return !l.absent(hosts.Host{ID: id}) })
	for i, line := range wrap("Not here: "+strings.Join(ids, ", "), l.screen.width-2, 99) {
		l.screen.note("%s%s", spaces(2*min(i, 1)), line)
	}
}

func (l *hostList) row(f looked) *object {
	row := newObject()
	row.set("host", f.Host.ID)
	row.set("label", f.Host.Label)
	row.set("file", f.Path)
	row.set("scope", string(f.Place.Scope))
	row.set("format", string(f.Shape().Format))
	row.set("readable", f.trouble == "")
	row.text("trouble", f.trouble)
	row.text("shadowed_by", f.Shadowed)
	row.text("git", f.Git)
	row.text("backup", f.memo.Backup)
	row.objects("servers", len(f.servers), func(i int) *object { return serverObject(f.servers[i]) })
	gone := []string{}
	for _, w := range f.gone {
		gone = append(gone, w.Server)
	}
	row.set("gone", gone)
	return row
}

func serverObject(s hosts.Server) *object {
	o := newObject()
	o.set("name", s.Name)
	o.set("container", append([]string{}, s.Container...))
	o.set("state", string(s.State))
	o.text("why", cmp.Or(s.Why, s.Doubt))
	o.set("command", append([]string{}, reprise.RedactCommand(s.Command)...))
	o.text("binary", s.Binary)
	if s.Binary == "" {
		o.set("binary_runs", nil)
	} else {
		o.set("binary_runs", runs(s.Binary))
	}
	return o
}
