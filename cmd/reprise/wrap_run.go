package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"reprise/hosts"
)

// wrapRun goes over the files, and remembers what the last words and the exit code are made of.
type wrapRun struct {
	wrapOptions
	program *program
	machine hosts.Machine
	plan    hosts.Plan
	store   hosts.Store
	screen  *screen

	found   []string // names of servers that were met
	done    int      // servers that are now as was asked for
	refused int      // servers that stand in files which were left alone
	shown   int      // files
	code    int      // exit code so far
}

// wrapped is what became of one file.
type wrapped struct {
	hosts.File
	outcomes []hosts.Outcome
	edited   hosts.Edited
	refused  string // why the file is left alone, "" if it is not
}

// file does one file, and shows what became of it. What goes wrong with one does not stop the others.
func (r *wrapRun) file(f hosts.File) error {
	w := wrapped{File: f, refused: r.refusal(f)}
	var err error
	if r.dryRun || w.refused != "" {
		w.outcomes, err = r.look(f)
	} else {
		r.tellApproval(f)
		w.outcomes, w.edited, err = r.edit(f)
	}
	if err != nil {
		r.fail(f, err)
		return nil
	}
	r.count(w)
	w.outcomes = slices.DeleteFunc(w.outcomes, func(o hosts.Outcome) bool { return o.Did == hosts.Unasked })
	return errors.Join(r.show(w), r.screen.Flush())
}

// refusal says why a file is not to be written.
func (r *wrapRun) refusal(f hosts.File) string {
	switch {
	case f.Shadowed != "" && !r.unwrap:
		return "the host reads " + r.machine.Tilde(f.Shadowed) + " instead"
	case f.Place.Scope == hosts.System:
		return "it is the machine's; --config with its path changes it"
	case f.Git != "" && !r.project && !r.unwrap:
		return "it is under git, where the path of this program means nothing to others; --project changes it"
	}
	return ""
}

// tellApproval says beforehand what the host may ask when a project's file changes.
func (r *wrapRun) tellApproval(f hosts.File) {
	asks := cmp.Or(f.Host.Trust, f.Host.Approval)
	if f.Place.Scope == hosts.Project && asks != "" && !r.quiet {
		fmt.Fprintf(r.program.stderr, "reprise: note: %s: %s\n", f.Host.Label, asks)
	}
}

func (r *wrapRun) planFor(f hosts.File) hosts.Plan {
	plan := r.plan
	plan.Wrapper.Host = f.Host.ID
	return plan
}

// look works out what would be done.
func (r *wrapRun) look(f hosts.File) ([]hosts.Outcome, error) {
	src, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	memo, err := r.store.Memo(f.Path)
	if err != nil {
		return nil, err
	}
	_, outcomes, err := r.planFor(f).Do(f.Shape(), src, &memo)
	return outcomes, err
}

func (r *wrapRun) edit(f hosts.File) (outcomes []hosts.Outcome, edited hosts.Edited, err error) {
	edited, err = r.store.Edit(f.Path, func(src []byte, memo *hosts.Memo) (out []byte, err error) {
		out, outcomes, err = r.planFor(f).Do(f.Shape(), src, memo)
		return out, err
	})
	return outcomes, edited, err
}

// fail tells of a file that could not be done.
func (r *wrapRun) fail(f hosts.File, err error) {
	var syntax *hosts.SyntaxError
	var file *fs.PathError
	switch {
	case errors.As(err, &syntax):
		err = hint(usage(fmt.Errorf("%s: %w", f.Path, err)), "it is as it was. Mend it and try again")
	case errors.As(err, &file):
		err = hint(fmt.Errorf("%s: %w", f.Path, file.Err), "it is as it was. `reprise wrap %s --print` shows what to do by hand", f.Host.ID)
	default:
		err = hint(err, "it is as it was. Try again, with the host closed; `reprise wrap %s --print` shows what to do by hand", f.Host.ID)
	}
	r.code = max(r.code, r.program.report(err))
}

// count keeps what the exit code is made of.
func (r *wrapRun) count(w wrapped) {
	for _, o := range w.outcomes {
		r.found = append(r.found, o.Server.Name)
		asked := slices.Contains(r.servers, o.Server.Name)
		switch {
		case o.Did == hosts.Unasked:
		case w.refused != "" && o.Did.Changes():
			r.refused++
		case o.Failed:
			r.code = max(r.code, exitFailed)
		case o.Did == hosts.Left && asked:
			r.code = max(r.code, exitWanting)
		case o.Did != hosts.Left:
			r.done++
		}
	}
}

// end says what is to be done now, and gives the exit code.
func (r *wrapRun) end() error {
	for _, name := range r.servers {
		if !slices.Contains(r.found, name) {
			err := usage(fmt.Errorf("no server %q there", name))
			if len(r.found) > 0 {
				err = hint(err, "there are %s", strings.Join(few(r.found, 12), ", "))
			}
			r.code = max(r.code, r.program.report(err))
		}
	}
	if r.dryRun && !r.json {
		r.screen.note("Nothing was written.")
	}
	if r.refused > 0 && r.done == 0 {
		r.code = max(r.code, exitWanting)
	}
	if err := r.screen.Flush(); err != nil {
		return err
	}
	if r.code > 0 {
		return exitStatus(r.code)
	}
	return nil
}
