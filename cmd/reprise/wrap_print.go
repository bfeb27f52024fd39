package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reprise"
	"reprise/hosts"
)

// printAll writes the entries as they would be, to be pasted by hand, and changes nothing.
func (r *wrapRun) printAll(files []hosts.File) error {
	if len(r.command) > 0 || len(files) == 0 {
		return r.printNew()
	}
	printed, masked := 0, false
	for _, f := range files {
		w := r.file(f)
		r.meet(w)
		if w.err != nil {
			_ = r.screen.Flush()
			r.fail(w)
			continue
		}
		entries := slices.DeleteFunc(w.outcomes, func(o hosts.Outcome) bool { return o.Did == hosts.Left && (!o.Failed || len(o.Command) == 0) })
		if len(entries) > 0 {
			_ = r.screen.Flush() // the note stands in front of its entries
			r.note(fmt.Sprintf("for %s: change these entries' command and args, keep the rest (env, cwd, …)", r.Tilde(f.Path)))
		}
		for _, o := range entries {
			command := reprise.RedactCommand(o.Command)
			masked = masked || !slices.Equal(command, o.Command)
			r.snippet(f.Shape().Snippet(o.Server, command))
			printed++
		}
	}
	_ = r.screen.Flush()
	if masked {
		r.note("secrets are masked; put your own in their place")
	}
	if printed == 0 && r.code == 0 && r.allFound() {
		r.note("no server here can be wrapped")
		r.code = exitWanting
	}
	return r.end()
}

// allFound says whether every server that was asked for is there.
func (r *wrapRun) allFound() bool {
	return !slices.ContainsFunc(r.servers, func(name string) bool { return !slices.Contains(r.found, name) })
}

func (r *wrapRun) note(text string) {
	if !r.quiet {
		fmt.Fprintf(r.program.stderr, "reprise: note: %s\n", visible(text))
	}
}

// snippet writes what is to be pasted.
func (r *wrapRun) snippet(text string) {
	for line := range strings.Lines(text) {
		r.screen.line("%s", visible(strings.TrimSuffix(line, "\n")))
	}
}

// printNew writes an entry for a server that is in no file yet.
func (r *wrapRun) printNew() error {
	h, known := hosts.Find(r.host)
	if !known {
		h = hosts.Host{ID: cmp.Or(r.host, "generic"), Shape: hosts.Generic(hosts.JSON, []string{"mcpServers"})}
	}
	wrapper := r.plan.Wrapper
	wrapper.Host = h.ID
	name, command := "NAME", r.command
	if len(r.servers) > 0 {
		name = r.servers[0]
	}
	if len(command) == 0 {
		command = []string{"COMMAND", "ARG…"}
	}
	r.snippet(h.Shape.Snippet(hosts.Server{Name: name}, wrapper.Around(name, command)))
	err := r.screen.Flush()
	if h.Advice != "" {
		r.note(h.Advice)
	}
	return err
}
