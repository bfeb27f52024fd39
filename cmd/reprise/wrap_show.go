package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reprise"
	"reprise/hosts"
)

// show writes what became of one file.
func (r *wrapRun) show(w wrapped) {
	switch {
	case w.err != nil:
		_ = r.screen.Flush() // so that it stands between its neighbours; whether that worked is seen at the end
		r.warnings(w)
		r.fail(w)
		return
	case r.json:
		r.rows(w)
	case r.quiet:
		r.unsaid(w)
	case len(w.outcomes) > 0 || len(r.servers) == 0:
		r.block(w)
		return
	}
	r.warnings(w)
}

// block is what a person reads of one file.
func (r *wrapRun) block(w wrapped) {
	s := r.screen
	s.fileHead(r.shown == 0, w.Host, r.Tilde(w.Path), w.Place.Note)
	r.shown++
	if w.refused != "" {
		s.marked(yellow, "–", "left alone: "+w.refused)
	}
	within := ""
	for _, o := range w.outcomes {
		within = s.inside(o.Server, within)
		r.outcome(w, o)
	}
	if len(w.outcomes) == 0 {
		s.note("  no servers")
	}
	r.warnings(w)
	r.after(w)
}

// fileHead begins a block of a config file.
func (s *screen) fileHead(first bool, h hosts.Host, path, note string) {
	if !first {
		s.line("")
	}
	head := s.paint(bold, visible(h.Label))
	if strings.ToLower(h.Label) != h.ID {
		head += s.paint(dim, visible(" ("+h.ID+")"))
	}
	head += "  " + visible(path)
	if note != "" {
		head += s.paint(dim, "  "+note)
	}
	s.line("%s", head)
}

// marked writes a text behind a sign, below the head of a file.
func (s *screen) marked(st style, sign, text string) {
	s.paragraph("  "+s.paint(st, sign)+" ", 4, visible(text))
}

// outcome is the row of one server, and in a dry run the change beneath it.
func (r *wrapRun) outcome(w wrapped, o hosts.Outcome) {
	row := serverRow{sign: "○", name: o.Server.Name, word: string(o.Did), command: shownCommand(o.Server.Command), why: o.Why}
	would := r.dryRun && w.refused == "" && o.Did.Changes()
	switch {
	case o.Did == hosts.Left:
		row.sign, row.style, row.word, row.command, row.why = "–", yellow, "left alone", "", r.whyLeft(o)
	case w.refused != "":
		row.sign, row.style, row.word = "–", dim, ""
	case o.Did == hosts.Kept && r.unwrap:
		row.style, row.word = dim, "not wrapped"
	case o.Did == hosts.Kept:
		row.sign, row.style, row.word = "●", dim, "is wrapped"
	case o.Did != hosts.DidUnwrap:
		row.sign, row.style = "●", green
	}
	if would {
		row.word = "would " + r.verb()
	}
	r.screen.server(row)
	switch {
	case o.Failed && len(o.Command) > 0:
		r.byHand(w, o)
	case would:
		r.difference(w, o)
	}
}

func (r *wrapRun) whyLeft(o hosts.Outcome) string {
	if o.Server.Doubt != "" && !o.Failed && !r.unwrap {
		return fmt.Sprintf("%s; --server %s wraps it all the same", o.Why, shownWord(o.Server.Name))
	}
	return o.Why
}

// inside writes a heading where the servers of a project begin, in a file that has those of several, and gives the project.
func (s *screen) inside(server hosts.Server, before string) string {
	project := ""
	if keys := server.Container; len(keys) > 2 {
		project = keys[len(keys)-2]
	}
	if project != before {
		s.note("  in %s", visible(project))
	}
	return project
}

const (
	serverNameWidth = 18
	serverDidWidth  = 11
	hostIDWidth     = 16
)

// serverRow is the line of one server of a config file.
type serverRow struct {
	host       string // in front, where no heading says it
	sign       string
	style      style
	name, word string
	command    string // cut to the room that there is
	why        string // never cut: its further lines stand beneath
}

// server writes a row.
func (s *screen) server(row serverRow) {
	head := "  "
	if row.host != "" {
		head = s.cell(hostIDWidth).add(dim, row.host).String() + " "
	}
	indent := columnsOf(row.sign) + serverNameWidth + serverDidWidth + 3
	if indent += 2; row.host != "" {
		indent += hostIDWidth - 1
	}
	longer := max(0, min(columnsOf(row.name), 2*serverNameWidth)-serverNameWidth) // names are there to be typed
	head += s.paint(row.style, row.sign) + " " + s.cell(serverNameWidth+longer).add(bold, row.name).String() + " " + s.cell(serverDidWidth).add(row.style, row.word).String() + " "
	lines := s.commandAndWhy(row, s.width-indent-longer, s.width-indent)
	for i, line := range lines {
		if i > 0 {
			head = spaces(indent)
		}
		s.line("%s", strings.TrimRight(head+line, " "))
	}
}

// commandAndWhy fits a row's last column into so many columns of the first line, and of those beneath.
func (s *screen) commandAndWhy(row serverRow, first, room int) []string {
	why := visible(row.why)
	if row.command == "" {
		return wrap(why, first, 99)
	}
	if why == "" {
		return []string{s.cell(first).add(plain, row.command).String()}
	}
	why = "(" + strings.TrimPrefix(strings.TrimPrefix(why, "it is "), "it ") + ")"
	if left := first - columnsOf(why) - 1; left >= first/2 {
		return []string{strings.TrimRight(s.cell(left).add(plain, row.command).String(), " ") + " " + why}
	}
	return append([]string{s.cell(first).add(plain, row.command).String()}, wrap(why, room, 99)...)
}

// shownCommand is a command line with its secrets masked.
func shownCommand(command []string) string {
	words := reprise.RedactCommand(command)
	for i, word := range words {
		words[i] = shownWord(word)
	}
	return strings.Join(words, " ")
}

// shownWord is a word as a shell would have it.
func shownWord(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\"'") {
		return quote(word)
	}
	return word
}

// difference shows the change of an entry as a diff of its settings: nothing else changes, and what is secret is masked.
func (r *wrapRun) difference(w wrapped, o hosts.Outcome) {
	shape := w.Shape()
	for _, line := range shape.Lines(o.Server, reprise.RedactCommand(o.Server.Runs)) {
		r.screen.line("      %s", r.screen.paint(red, "- "+visible(line)))
	}
	for _, line := range shape.Lines(o.Server, reprise.RedactCommand(o.Command)) {
		r.screen.line("      %s", r.screen.paint(green, "+ "+visible(line)))
	}
}

// byHand shows what an edit would have written that could not be made.
func (r *wrapRun) byHand(w wrapped, o hosts.Outcome) {
	r.screen.line("      by hand:")
	for _, line := range w.Shape().Lines(o.Server, reprise.RedactCommand(o.Command)) {
		r.screen.line("        %s", visible(line))
	}
}

// warnings tell what a person has to know in any case. Where rows are for programs, or not wanted, they go to stderr.
func (r *wrapRun) warnings(w wrapped) {
	var list []string
	for _, kept := range w.edited.Kept {
		list = append(list, "an interrupted run had left another version of this file; it is now "+r.Tilde(kept))
	}
	if w.edited.Window {
		list = append(list, "this file system cannot exchange files: a change that another program made in the same instant is lost")
	}
	if name := nodeMissing(w, r.OS); name != "" && w.edited.Changed && !r.unwrap {
		list = append(list, w.Host.Label+" can run "+name+" with a Node of its own, but only when the entry's command is that. Now it has to be in "+windowPath+
			", and is not: give its whole path, or unwrap the server")
	}
	for _, text := range list {
		if r.json || r.quiet || w.err != nil {
			r.warning(w, text)
		} else {
			r.screen.marked(yellow, "!", text)
		}
	}
}

func (r *wrapRun) warning(w wrapped, text string) {
	fmt.Fprintf(r.program.stderr, "reprise: warning: %s: %s\n", visible(w.Path), visible(text))
}

// unsaid tells on stderr of what was asked for and not done, where no rows are wanted.
func (r *wrapRun) unsaid(w wrapped) {
	if w.refused != "" && w.changes() > 0 {
		r.warning(w, "left alone: "+w.refused)
	}
	for _, o := range w.outcomes {
		if o.Failed || o.Did == hosts.Left && r.named(o) {
			r.warning(w, o.Server.Name+" left alone: "+r.whyLeft(o))
		}
	}
}

// after says what is to be done now.
func (r *wrapRun) after(w wrapped) {
	s := r.screen
	if !w.edited.Changed {
		return
	}
	if w.first && w.edited.Backup != "" && !r.unwrap {
		s.note("  backup %s", visible(r.Tilde(w.edited.Backup)))
	}
	for _, o := range w.outcomes {
		if o.Did == hosts.DidWrap && o.Server.Doubt != "" {
			s.marked(cyan, "→", o.Server.Name+": "+o.Server.Doubt)
		}
	}
	for _, advice := range []string{advice(w.Host), r.approvalAfter(w)} {
		if advice != "" {
			s.marked(cyan, "→", advice)
		}
	}
}

// advice is what a host needs after a change.
func advice(h hosts.Host) string {
	switch {
	case h.Advice != "":
		return h.Advice
	case h.Label != h.ID: // the file's name stands for it
		return "Restart the host that reads it."
	}
	return "Restart " + h.Label + "."
}

// windowPath is the PATH of programs that were started from a desktop, where no shell has added anything.
const windowPath = "/usr/bin:/bin:/usr/sbin:/sbin"

// nodeMissing names the program of a wrapped server that the host used to replace by its own, when there is no other.
func nodeMissing(w wrapped, system string) string {
	if !w.Host.OwnNode || system == "windows" {
		return ""
	}
	for _, o := range w.outcomes {
		if o.Did != hosts.DidWrap || !slices.Contains([]string{"node", "npx"}, o.Server.Command[0]) {
			continue
		}
		there := func(dir string) bool { return runs(filepath.Join(dir, o.Server.Command[0])) }
		if !slices.ContainsFunc(filepath.SplitList(windowPath), there) {
			return o.Server.Command[0]
		}
	}
	return ""
}

func (r *wrapRun) approvalAfter(w wrapped) string {
	if w.Place.Scope == hosts.Project {
		return "" // it was told beforehand
	}
	return w.Host.Approval
}

// rows writes JSON: one object for each server, or one for a file that has none.
func (r *wrapRun) rows(w wrapped) {
	if len(w.outcomes) == 0 {
		_ = r.row(w, nil).writeTo(r.screen)
	}
	for i := range w.outcomes {
		_ = r.row(w, &w.outcomes[i]).writeTo(r.screen) // an error is the screen's
	}
}

func (r *wrapRun) row(w wrapped, outcome *hosts.Outcome) *object {
	row := newObject()
	row.set("host", w.Host.ID)
	row.set("file", w.Path)
	row.set("scope", string(w.Place.Scope))
	row.text("refused", w.refused)
	var o hosts.Outcome
	if outcome != nil {
		o = *outcome
	}
	if o.Did.Changes() && w.refused != "" {
		o.Did, o.Why = hosts.Left, w.refused
	}
	if !o.Did.Changes() {
		o.Command = o.Server.Runs
	}
	row.text("server", o.Server.Name)
	row.set("container", append([]string{}, o.Server.Container...))
	row.text("did", string(o.Did))
	row.text("why", cmp.Or(o.Why, o.Server.Doubt))
	row.set("command", reprise.RedactCommand(append([]string{}, o.Command...)))
	row.set("changed", w.edited.Changed)
	row.text("backup", w.edited.Backup)
	row.set("dry_run", r.dryRun)
	return row
}
