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
func (r *wrapRun) show(w wrapped) error {
	if r.json {
		return r.rows(w)
	}
	if len(w.outcomes) == 0 && len(r.servers) > 0 || r.quiet && w.refused == "" && !slices.ContainsFunc(w.outcomes, func(o hosts.Outcome) bool { return o.Did.Changes() }) {
		return nil
	}
	s := r.screen
	s.fileHead(r.shown == 0, w.Host.Label, r.machine.Tilde(w.Path), w.Place.Note)
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
	r.after(w)
	return nil
}

// fileHead begins a block of a config file.
func (s *screen) fileHead(first bool, label, path, note string) {
	if s.quiet {
		return
	}
	if !first {
		s.line("")
	}
	head := s.paint(bold, visible(label)) + "  " + visible(path)
	if note != "" {
		head += s.paint(dim, "  "+note)
	}
	s.line("%s", head)
}

// marked writes a text behind a sign, below the head of a file.
func (s *screen) marked(st style, sign, text string) {
	s.paragraph("  "+s.paint(st, sign)+" ", 4, text)
}

// outcome is the row of one server, and in a dry run the change beneath it.
func (r *wrapRun) outcome(w wrapped, o hosts.Outcome) {
	s := r.screen
	sign, st, word := "○", plain, string(o.Did)
	text := shownCommand(o.Server.Command)
	switch {
	case o.Did == hosts.Left:
		sign, st, text, word = "–", yellow, o.Why, "left alone"
		if o.Server.State == hosts.Remote {
			text = "it is remote"
		} else if o.Server.Doubt != "" && !o.Failed {
			text += fmt.Sprintf("; --server %s wraps it all the same", o.Server.Name)
		}
	case w.refused != "":
		sign, st, word = "–", dim, ""
	case o.Did == hosts.Kept && r.unwrap:
		st, word = dim, "not wrapped"
	case o.Did == hosts.Kept:
		sign, st, word = "●", dim, "is wrapped"
	case o.Did != hosts.DidUnwrap:
		sign, st = "●", green
	}
	if r.dryRun && w.refused == "" && o.Did.Changes() {
		word = "would " + r.verb()
	}
	s.serverRow(sign, st, o.Server.Name, word, text)
	switch {
	case o.Failed && len(o.Command) > 0:
		r.byHand(w, o)
	case r.dryRun && w.refused == "" && o.Did.Changes():
		r.difference(w, o)
	}
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
)

func (s *screen) serverRow(sign string, st style, name, word, text string) {
	head := fmt.Sprintf("  %s %s %s ", s.paint(st, sign), s.cell(serverNameWidth).add(bold, name), s.cell(serverDidWidth).add(st, word))
	rest := s.cell(s.width-serverNameWidth-serverDidWidth-6).add(plain, text).String()
	s.line("%s", strings.TrimRight(head+rest, " "))
}

// shownCommand is a command line with its secrets masked.
func shownCommand(command []string) string {
	words := reprise.RedactCommand(command)
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\"'") {
			words[i] = quote(word)
		}
	}
	return strings.Join(words, " ")
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

// after says what is to be done now.
func (r *wrapRun) after(w wrapped) {
	s := r.screen
	for _, kept := range w.edited.Kept {
		s.marked(yellow, "!", "an interrupted run had left another version of this file; it is now "+visible(r.machine.Tilde(kept)))
	}
	if w.edited.Window {
		s.marked(yellow, "!", "this file system cannot exchange files: a change that another program made in the same instant is lost")
	}
	if !w.edited.Changed || s.quiet {
		return
	}
	if name := nodeMissing(w, r.machine.OS); name != "" && !r.unwrap {
		s.marked(yellow, "!", w.Host.Label+" can run "+name+" with a Node of its own, but only when the entry's command is that. Now it has to be in "+windowPath+
			", and is not: give its whole path, or unwrap the server")
	}
	for _, advice := range []string{w.Host.Advice, r.approvalAfter(w)} {
		if advice != "" {
			s.marked(cyan, "→", advice)
		}
	}
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
func (r *wrapRun) rows(w wrapped) error {
	if len(w.outcomes) == 0 {
		return r.row(w, nil).writeTo(r.screen)
	}
	for i := range w.outcomes {
		if err := r.row(w, &w.outcomes[i]).writeTo(r.screen); err != nil {
			return err
		}
	}
	return nil
}

func (r *wrapRun) row(w wrapped, o *hosts.Outcome) *object {
	row := newObject()
	row.set("host", w.Host.ID)
	row.set("file", w.Path)
	row.set("scope", string(w.Place.Scope))
	row.text("refused", w.refused)
	if o == nil {
		o = &hosts.Outcome{}
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
