package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"reprise/hosts"
)

// wrapRun goes over the files, and remembers what the last words and the exit code are made of.
type wrapRun struct {
	wrapOptions
	places
	program *program
	plan    hosts.Plan
	screen  *screen

	found   []string // names of servers that were met
	failed  bool     // a file could not be done, and may have others
	changed int      // servers whose entries were written, or would be
	in      int      // files that they stand in
	done    int      // servers that are now as was asked for
	refused int      // servers that stand in files which were left alone
	shown   int      // files
	code    int      // exit code so far
}

// wrapped is what became of one file.
type wrapped struct {
	hosts.File
	names    []string        // of all servers in it
	outcomes []hosts.Outcome // of those that were asked for
	edited   hosts.Edited
	first    bool   // nothing in it was wrapped before
	refused  string // why the file is left alone, "" if it is not
	err      error  // why it could not be done
}

var (
	errEmpty     = errors.New("it is empty")
	errNoServers = errors.New("no servers")
)

// all does the files, and then tells what became of them: nobody who stops reading stops the work. What goes wrong with
// one does not stop the others.
func (r *wrapRun) all(ctx context.Context, files []hosts.File) error {
	var list []wrapped
	for _, f := range files {
		if ctx.Err() != nil { // one file is whole, and the rest is as it was
			break
		}
		list = append(list, r.file(f))
	}
	for _, w := range list {
		r.count(w)
		r.show(w)
	}
	return cmp.Or(ctx.Err(), r.end())
}

func (r *wrapRun) file(f hosts.File) wrapped {
	w := wrapped{File: f, refused: r.refusal(f)}
	if r.dryRun || r.print || w.refused != "" {
		r.look(&w)
	} else {
		r.tellApproval(f)
		r.edit(&w)
	}
	for i, o := range w.outcomes {
		w.names = append(w.names, o.Server.Name)
		if o.Did == hosts.Left && o.Server.State == hosts.Remote {
			w.outcomes[i].Why = "it is remote"
		}
	}
	if w.err == nil && r.config != "" && len(w.outcomes) == 0 {
		w.err = errNoServers
	}
	w.outcomes = slices.DeleteFunc(w.outcomes, func(o hosts.Outcome) bool { return o.Did == hosts.Unasked })
	return w
}

// refusal says why a file is not to be written.
func (r *wrapRun) refusal(f hosts.File) string {
	switch {
	case r.print:
	case f.Shadowed != "" && !r.unwrap:
		return "the host reads " + r.Tilde(f.Shadowed) + " instead"
	case f.Place.Scope == hosts.System:
		return "it is the machine's; --config with its path changes it"
	case f.Git != "" && !r.project && !r.unwrap:
		return "it is under git, where the path of this program means nothing to others; --project changes it"
	}
	return ""
}

// tellApproval says beforehand what the host may ask when a project's file changes, if it will.
func (r *wrapRun) tellApproval(f hosts.File) {
	asks := cmp.Or(f.Host.Trust, f.Host.Approval)
	if f.Place.Scope != hosts.Project || asks == "" || r.quiet {
		return
	}
	w := wrapped{File: f}
	if r.look(&w); w.changes() > 0 {
		fmt.Fprintf(r.program.stderr, "reprise: note: %s: %s\n", f.Host.Label, asks)
	}
}

// changes counts the servers whose entries are written.
func (w wrapped) changes() (n int) {
	for _, o := range w.outcomes {
		if o.Did.Changes() {
			n++
		}
	}
	return n
}

// do works out the new text of a file.
func (r *wrapRun) do(w *wrapped, src []byte, memo *hosts.Memo) (out []byte, err error) {
	plan := r.plan
	plan.Wrapper.Host = w.Host.ID
	w.first = len(memo.Wraps) == 0
	out, w.outcomes, err = plan.Do(w.Shape(), src, memo)
	if err != nil && len(bytes.TrimSpace(src)) == 0 {
		if r.allHosts { // some hosts make their files so
			return src, nil
		}
		return nil, errEmpty
	}
	return out, err
}

// look works out what would be done.
func (r *wrapRun) look(w *wrapped) {
	src, err := os.ReadFile(w.Path)
	var memo hosts.Memo
	if err == nil {
		memo, err = r.store.Memo(w.Path)
	}
	if err == nil {
		w.edited.Backup = memo.Backup
		_, err = r.do(w, src, &memo)
	}
	w.err = err
}

func (r *wrapRun) edit(w *wrapped) {
	change := func(src []byte, memo *hosts.Memo) ([]byte, error) { return r.do(w, src, memo) }
	w.edited, w.err = r.store.Edit(w.Path, change)
	var ours *hosts.StoreError
	if !r.unwrap || w.edited.Changed || !errors.As(w.err, &ours) {
		return
	}
	dir, err := os.MkdirTemp("", "reprise-") // the original stands in the entry: what we have kept is not needed
	if err == nil {
		w.edited, w.err = hosts.Store{Dir: dir}.Edit(w.Path, change)
		_ = os.RemoveAll(dir)
	}
}

// fail tells of a file that could not be done.
func (r *wrapRun) fail(w wrapped) {
	var syntax *hosts.SyntaxError
	var file *fs.PathError
	err, f := w.err, w.File
	byHand := fmt.Sprintf("`reprise wrap %s --print` shows what to do by hand", f.Host.ID)
	switch {
	case errors.Is(err, errNoServers):
		err = hint(usage(fmt.Errorf("no servers%s in %s", r.under(f), f.Path)), "--key leads to where the servers are: one for each step down")
	case errors.Is(err, errEmpty):
		err = usage(fmt.Errorf("%s: %w", f.Path, err))
	case errors.As(err, &syntax) && r.format != "":
		err = hint(usage(fmt.Errorf("%s: %w", f.Path, err)), "it is as it was. Is --format %s right?", r.format)
	case errors.As(err, &syntax):
		err = hint(usage(fmt.Errorf("%s: %w", f.Path, err)), "it is as it was. Mend it and try again")
	case errors.As(err, &file):
		err = hint(fmt.Errorf("%s: %w", f.Path, file.Err), "it is as it was. %s", byHand)
	case errors.Is(err, hosts.ErrLinked):
		err = hint(err, "it is as it was. Remove the other name, or edit by hand: %s", byHand)
	case w.edited.Changed:
		err = hint(err, "it was changed all the same: `reprise hosts %s` shows how it stands", f.Host.ID)
	default:
		err = hint(err, "it is as it was. Try again, with the host closed; %s", byHand)
	}
	for _, kept := range w.edited.Kept {
		r.program.warn(r.shared, fmt.Sprintf("an interrupted run had left another version of %s; it is now %s", visible(w.Path), visible(kept)))
	}
	r.code, r.failed = max(r.code, r.program.report(err)), true
}

// under names the keys that should have led to servers.
func (r *wrapRun) under(f hosts.File) string {
	shape := f.Shape()
	if shape.FirstOnly || len(shape.Containers) == 0 {
		return "" // several usual places
	}
	return " under " + strings.Join(shape.Containers[len(shape.Containers)-1], " › ")
}

// meet keeps the names of servers, for those that look in vain.
func (r *wrapRun) meet(w wrapped) {
	for _, name := range w.names {
		if !slices.Contains(r.found, name) {
			r.found = append(r.found, name)
		}
	}
}

// count keeps what the exit code and the last words are made of.
func (r *wrapRun) count(w wrapped) {
	r.meet(w)
	if w.refused == "" && w.changes() > 0 && w.err == nil {
		r.in++
		r.changed += w.changes()
	}
	for _, o := range w.outcomes {
		switch {
		case w.err != nil:
		case w.refused != "" && o.Did.Changes():
			r.refused++
		case o.Failed:
			r.code = max(r.code, exitFailed)
		case o.Did == hosts.Left && r.named(o):
			r.code = max(r.code, exitWanting)
		case o.Did != hosts.Left:
			r.done++
		}
	}
}

// named says whether a server was asked for by name.
func (r *wrapRun) named(o hosts.Outcome) bool { return slices.Contains(r.servers, o.Server.Name) }

// end says what is to be done now, and gives the exit code, which is the work's: a reader that has gone changes nothing.
func (r *wrapRun) end() error {
	r.sum()
	if r.refused > 0 && r.done == 0 {
		r.code = max(r.code, exitWanting)
	}
	unwritten := r.screen.Flush()
	r.missing()
	if unwritten != nil && !errors.Is(unwritten, syscall.EPIPE) {
		r.code = max(r.code, r.program.report(unwritten))
	}
	if r.code > 0 {
		return exitStatus(r.code)
	}
	return nil
}

// missing tells of servers that were asked for and are nowhere. In a file that could not be read they may be.
func (r *wrapRun) missing() {
	there := r.found
	for _, name := range r.servers {
		if r.failed || slices.Contains(there, name) {
			continue
		}
		err := usage(fmt.Errorf("no server %q there", name))
		if near := nearest(name, there); near != "" {
			err = hint(err, "did you mean %s?", near)
		} else if len(there) > 0 {
			err = hint(err, "there are %s", strings.Join(few(there, 12), ", "))
		}
		r.code = max(r.code, r.program.report(err))
	}
}

// sum writes what was done in all of several files.
func (r *wrapRun) sum() {
	if r.json || r.quiet || r.print {
		return
	}
	back, did := "reprise unwrap "+r.host, r.verb()+"ped"
	if r.allHosts {
		back = "reprise unwrap --all-hosts"
	}
	if r.dryRun {
		did = "would be " + did
	}
	total := fmt.Sprintf("%s %s in %s", count(int64(r.changed), "server"), did, count(int64(r.in), "file"))
	several := r.shown > 1 || r.allHosts
	switch {
	case r.changed == 0 && several && r.refused == 0 && r.code == 0:
		r.last("Nothing to do: " + r.nothing() + ".")
	case r.dryRun && several && r.changed > 0:
		r.last(total + ". Nothing was written.")
	case r.dryRun:
		r.screen.note("Nothing was written.")
	case several && r.changed > 0 && r.unwrap:
		r.last(total + ".")
	case several && r.changed > 0:
		r.last(total + ". Back: " + back)
	}
}

func (r *wrapRun) last(text string) {
	if r.shown > 0 {
		r.screen.line("")
	}
	r.screen.line("%s", text)
}

// nothing says why there was nothing to do.
func (r *wrapRun) nothing() string {
	switch {
	case r.shown == 0 && r.allHosts:
		return "no agent host's config was found"
	case r.unwrap:
		return "no server is wrapped"
	case r.done > 0:
		return "what can be wrapped is wrapped"
	}
	return "no server there can be wrapped"
}
