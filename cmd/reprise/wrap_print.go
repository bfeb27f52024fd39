package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"reprise"
	"reprise/hosts"
)

// printWrap writes the entries as they would be, to be pasted by hand, and changes nothing.
func (p *program) printWrap(o wrapOptions, plan hosts.Plan, files []hosts.File) error {
	if len(o.command) > 0 || len(files) == 0 {
		return p.printNew(o, plan)
	}
	masked := false
	for _, f := range files {
		src, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		plan.Wrapper.Host = f.Host.ID
		_, outcomes, err := plan.Do(f.Shape(), src, &hosts.Memo{})
		if err != nil {
			return hint(usage(fmt.Errorf("%s: %w", f.Path, err)), "give the command too: reprise wrap %s --print --server NAME -- COMMAND ARG…", f.Host.ID)
		}
		for _, outcome := range outcomes {
			if outcome.Did == hosts.Unasked || outcome.Did == hosts.Left && (!outcome.Failed || len(outcome.Command) == 0) {
				continue
			}
			command := reprise.RedactCommand(outcome.Command)
			masked = masked || !slices.Equal(command, outcome.Command)
			fmt.Fprint(p.stdout, f.Shape().Snippet(outcome.Server, command))
		}
	}
	if masked {
		fmt.Fprintln(p.stderr, "reprise: note: secrets are masked; put your own in their place, and keep the entry's env as it is")
	}
	return nil
}

// printNew writes an entry for a server that is in no file yet.
func (p *program) printNew(o wrapOptions, plan hosts.Plan) error {
	h, known := hosts.Find(o.host)
	if !known {
		h = hosts.Host{ID: cmp.Or(o.host, "generic"), Shape: hosts.Generic(hosts.JSON, []string{"mcpServers"})}
	}
	plan.Wrapper.Host = h.ID
	name, command := "NAME", o.command
	if len(o.servers) > 0 {
		name = o.servers[0]
	}
	if len(command) == 0 {
		command = []string{"COMMAND", "ARG…"}
	}
	_, err := fmt.Fprint(p.stdout, h.Shape.Snippet(hosts.Server{Name: name}, plan.Wrapper.Around(name, command)))
	return err
}
