package main

import (
	"cmp"
	"errors"
	"fmt"
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

func (p *program) hosts(o shared, ids []string) error {
	m, err := p.machine()
	if err != nil {
		return err
	}
	store, err := p.hostStore()
	if err != nil {
		return err
	}
	table := hosts.Table()
	if len(ids) > 0 {
		if table, err = hostsNamed(ids); err != nil {
			return err
		}
	}
	l := hostList{shared: o, machine: m, store: store, screen: p.screen(o)}
	for _, h := range table {
		if err := l.host(h); err != nil {
			return err
		}
	}
	if len(ids) > 0 {
		l.notes(table)
	} else {
		l.foot()
	}
	return l.screen.Flush()
}

func hostsNamed(ids []string) (list []hosts.Host, err error) {
	for _, id := range ids {
		h, err := knownHost(id)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// hostList writes what is there.
type hostList struct {
	shared
	machine hosts.Machine
	store   hosts.Store
	screen  *screen
	absent  []hosts.Host
	files   int
}

// looked is a config file as it stands.
type looked struct {
	hosts.File
	trouble string // why it cannot be read, "" if it can
	servers []hosts.Server
	memo    hosts.Memo
	gone    []hosts.Wrap // wraps that somebody has written over
}

func (l *hostList) host(h hosts.Host) error {
	files := l.machine.Files(h)
	if len(files) == 0 {
		l.absent = append(l.absent, h)
	}
	for _, f := range files {
		l.files++
		if err := l.show(look(l.store, f)); err != nil {
			return err
		}
	}
	return nil
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
		f.trouble = err.Error()
		return f
	}
	f.servers, f.gone = c.Servers(), c.Gone(f.memo)
	return f
}

func (l *hostList) show(f looked) error {
	if l.json {
		return l.row(f).writeTo(l.screen)
	}
	s := l.screen
	s.fileHead(l.files == 1, f.Host.Label, l.machine.Tilde(f.Path), l.remark(f))
	if f.trouble != "" {
		s.marked(red, "!", f.trouble)
	}
	within := ""
	for _, server := range f.servers {
		within = s.inside(server, within)
		l.server(server)
	}
	for _, w := range f.gone {
		s.serverRow("!", red, w.Server, "wrap gone", fmt.Sprintf("the file was written anew; `reprise wrap %s` again", f.Host.ID))
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
		parts = append(parts, "not read: "+l.machine.Tilde(f.Shadowed)+" is")
	}
	return strings.Join(parts, ", ")
}

func (l *hostList) server(s hosts.Server) {
	sign, st, word, text := "○", plain, string(s.State), shownCommand(s.Command)
	switch s.State {
	case hosts.Wrapped:
		if sign, st = "●", green; !runs(s.Binary) {
			sign, st, word, text = "!", red, "broken", s.Binary+" is gone: wrap the host again"
		}
	case hosts.Remote:
		sign, st, text = "–", dim, "has an address, and no command to stand in front of"
	case hosts.Unfit:
		sign, st, word, text = "–", yellow, "can't be", s.Why
	case hosts.Foreign:
		word, text = "foreign", s.Why+" stands in front: "+text
	}
	if s.Doubt != "" && s.State == hosts.Plain {
		text = "(" + strings.TrimPrefix(s.Doubt, "it is ") + ") " + text
	}
	l.screen.serverRow(sign, st, s.Name, word, text)
}

// notes say what has to be known of the hosts that were asked for.
func (l *hostList) notes(table []hosts.Host) {
	if l.json || l.quiet {
		return
	}
	if l.files > 0 {
		l.screen.line("")
	}
	for _, h := range table {
		if usual := l.machine.Usual(h); usual != "" && slices.ContainsFunc(l.absent, func(a hosts.Host) bool { return a.ID == h.ID }) {
			l.screen.line("%s has no config file here. It would be %s", h.Label, l.machine.Tilde(usual))
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
	if l.files == 0 {
		l.screen.note("No agent host's config was found.")
	} else {
		l.screen.line("")
	}
	var ids []string
	for _, h := range l.absent {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
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
