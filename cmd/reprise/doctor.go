package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:     "doctor",
		Usage:    "say whether recording works, and what to do if not",
		Category: keepCategory,
		Description: `One line for each thing looked at: ok, warn or fail. The exit code is 1 if one
failed.`,
		Action: atMost(0, func(c *cli.Context) error { return p.doctor(c.Context, sharedOptions(c)) }),
	}
}

// grade is how well a thing is.
type grade string

const (
	well  grade = "ok"
	minor grade = "warn"
	wrong grade = "fail"
)

// finding is one line of the doctor's.
type finding struct {
	grade  grade
	thing  string
	found  string
	advice string // "" when there is nothing to do
}

func (p *program) doctor(ctx context.Context, o shared) error {
	path, err := p.path(o)
	if err != nil {
		return err
	}
	findings := append([]finding{p.executable(), recording(path)}, p.wraps()...)
	database := p.database(ctx, o, path)
	findings = append(findings, database...)
	if database[0].grade != wrong { // else the file need not be ours
		findings = append(findings, readableByOthers(path))
	}
	screen := p.screen(o)
	ill := false
	for _, f := range findings {
		ill = ill || f.grade == wrong
		if err := screen.finding(o, f); err != nil {
			return err
		}
	}
	if err := screen.Flush(); err != nil {
		return err
	}
	if ill {
		return exitStatus(exitWanting)
	}
	return nil
}

func (s *screen) finding(o shared, f finding) error {
	if o.json {
		row := newObject()
		row.set("check", f.thing)
		row.set("state", string(f.grade))
		row.set("found", f.found)
		row.text("advice", f.advice)
		return row.writeTo(s)
	}
	if s.quiet && f.grade == well {
		return nil
	}
	st := map[grade]style{well: green, minor: yellow, wrong: red}[f.grade]
	head := fmt.Sprintf("%s %s ", s.cell(4).add(st, string(f.grade)), s.cell(10).add(dim, f.thing))
	s.paragraph(head, 16, visible(f.found))
	switch {
	case strings.HasPrefix(f.advice, "chmod "): // to be pasted
		s.line("%s→ %s", spaces(16), visible(f.advice))
	case f.advice != "":
		s.paragraph(spaces(16)+"→ ", 18, visible(f.advice))
	}
	return nil // an error is seen when the screen is flushed
}

// paragraph writes a text behind a head of so many columns, and its further lines beneath.
func (s *screen) paragraph(head string, indent int, text string) {
	for _, line := range wrap(text, s.width-indent, 99) {
		s.line("%s%s", head, line)
		head = spaces(indent)
	}
}

// executable looks at the binary that hosts' configurations name.
func (p *program) executable() finding {
	self, err := os.Executable()
	if err != nil {
		return finding{wrong, "program", err.Error(), ""}
	}
	found := self + ", " + version()
	if inPath, err := exec.LookPath("reprise"); err != nil {
		return finding{minor, "program", found, "it is not in $PATH: hosts' configurations need the whole path"}
	} else if !sameFile(inPath, self) {
		return finding{minor, "program", found, "the one in $PATH is another: " + inPath}
	}
	return finding{well, "program", found, ""}
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func recording(path string) finding {
	if recorder.Paused(path) {
		return finding{minor, "recording", "paused", "`reprise resume` goes on"}
	}
	return finding{well, "recording", "on", ""}
}

// database opens it as every command does, and looks it over.
func (p *program) database(ctx context.Context, o shared, path string) []finding {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return append([]finding{{well, "database", path + " (not there yet: the first session makes it)", ""}}, journals(path, nil)...)
	}
	o.quiet = true // what it would warn of is among the findings
	db, err := p.open(ctx, o)
	if err != nil {
		var h *hinted
		errors.As(err, &h)
		return append([]finding{{wrong, "database", err.Error(), h.hint}}, journals(path, nil)...)
	}
	defer db.Close()
	h, err := db.Health(ctx)
	if err != nil {
		return []finding{{wrong, "database", fmt.Sprintf("%s: %v", path, err), "move it away: the next command makes a new one"}}
	}
	list := []finding{{well, "database", fmt.Sprintf("%s (schema %d)", path, h.Schema), ""}, integrity(h), size(h)}
	list = append(list, journals(path, db.Waiting)...)
	return append(list, losses(h)...)
}

func integrity(h recorder.Health) finding {
	if h.Check != "ok" {
		return finding{wrong, "integrity", h.Check, "export what you need, then move the database away: the next command makes a new one"}
	}
	return finding{well, "integrity", fmt.Sprintf("%s, %d of them open", count(h.Sessions, "session"), h.Open), ""}
}

func size(h recorder.Health) finding {
	bound := recorder.DefaultBounds
	found := fmt.Sprintf("%s of %s, and no session over %d days", bytesOf(h.Bytes), bytesOf(bound.Bytes), int(bound.Age.Hours()/24))
	if h.Bytes > bound.Bytes {
		return finding{minor, "size", found, "`reprise prune` deletes the oldest sessions"}
	}
	return finding{well, "size", found, ""}
}

// journals are what is recorded and not in the database.
func journals(path string, failed map[string]error) []finding {
	live, waiting, size := 0, 0, int64(0)
	for _, j := range recorder.Journals(path) {
		if j.Live {
			live++
		} else {
			waiting++
		}
		size += j.Bytes
	}
	found := fmt.Sprintf("%d live, %d waiting, %s", live, waiting, bytesOf(size))
	for id, err := range failed {
		return []finding{{wrong, "journals", found, fmt.Sprintf("session %.13s could not be taken in: %v", id, err)}}
	}
	if waiting > 0 {
		return []finding{{minor, "journals", found, "the next command that can open the database takes them in"}}
	}
	return []finding{{well, "journals", found, ""}}
}

// losses tells what could not be kept from what was not meant to be.
func losses(h recorder.Health) []finding {
	list := []finding{{well, "losses", "none", ""}}
	if h.Lost.Gaps > 0 {
		list[0] = finding{minor, "losses", missingText(h.Lost),
			"`reprise sessions` marks them with ⚠, and `reprise show` says why"}
	}
	if h.Paused.Gaps > 0 {
		list = append(list, finding{well, "pauses", missingText(h.Paused) + " while recording was paused", ""})
	}
	return list
}

func missingText(m recorder.Missing) string {
	return count(m.Gaps, "gap") + ", " + count(m.Frames, "frame")
}

// readableByOthers looks for files that other users of the machine can open.
func readableByOthers(path string) finding {
	if runtime.GOOS == "windows" {
		return finding{well, "privacy", "as the directory's access list says", ""}
	}
	var open []string
	for _, name := range ownFiles(path) {
		if info, err := os.Lstat(name); err == nil && info.Mode().Perm()&0o077 != 0 {
			open = append(open, name)
		}
	}
	if len(open) == 0 {
		return finding{well, "privacy", "readable by you alone", ""}
	}
	return finding{wrong, "privacy", "others can open " + strings.Join(few(open, 3), " "), "chmod go= " + strings.Join(open, " ")}
}

// ownFiles are the files and directories that only their owner may open.
func ownFiles(path string) []string {
	dir := filepath.Dir(path)
	files := []string{path, path + "-wal", path + "-shm", path + ".paused", filepath.Join(dir, "journal")}
	more, _ := filepath.Glob(filepath.Join(dir, "journal", "*")) // the pattern is well formed
	return append(files, more...)
}
