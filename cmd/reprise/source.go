package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"reprise"
	"reprise/recorder"
)

// source is where sessions are read from: the database, or a capture file.
type source interface {
	Find(ctx context.Context, ref string) (*reprise.Session, error)
	Entries(context.Context, recorder.Query) iter.Seq2[*reprise.Entry, error]
	Values(ctx context.Context, id string) iter.Seq2[*reprise.Value, error]
	ValueOf(ctx context.Context, id string, u *reprise.Use) (*reprise.Value, error)
	Uses(ctx context.Context, id string) iter.Seq2[*reprise.Use, error]
	Stderr(ctx context.Context, id string) iter.Seq2[reprise.Chunk, error]
	Gaps(ctx context.Context, id string) ([]reprise.Gap, error)
	Close() error
}

// path is the database's: --db, $REPRISE_DB, or the usual place.
func (p *program) path(o shared) (string, error) {
	switch {
	case strings.TrimSpace(o.db) != "":
		return filepath.Abs(o.db)
	case o.dbGiven:
		return "", hint(usage(errors.New("--db is empty")), "without --db it is $REPRISE_DB or the usual one")
	}
	return recorder.DefaultPath(p.getenv)
}

// openThere opens the database for what only reads it, and makes none.
func (p *program) openThere(ctx context.Context, o shared) (*recorder.DB, error) {
	path, err := p.path(o)
	if err != nil {
		return nil, err
	}
	if !recorded(path) {
		return nil, hint(usage(fmt.Errorf("no database at %s yet", path)), "nothing has been recorded there: `reprise sessions` says how to begin")
	}
	return p.open(ctx, o)
}

// recorded says whether there is a database, or journals of which one is to be made.
func recorded(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) || len(recorder.Journals(path)) > 0
}

// open opens the database, a new one where there is none. Sessions whose process was killed are completed by it: a long one says so.
func (p *program) open(ctx context.Context, o shared) (*recorder.DB, error) {
	path, err := p.path(o)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, hint(usage(fmt.Errorf("%s is a directory", path)), "name the file in it: %s", filepath.Join(path, "reprise.db"))
	}
	progress := p.progress(o)
	db, err := recorder.Open(ctx, path, recorder.Options{Progress: progress.completing})
	progress.clear()
	if err != nil {
		return nil, databaseHint(err, path)
	}
	for id, err := range db.Waiting {
		p.warn(o, fmt.Sprintf("a part of session %.13s is not in the database: %v; see `reprise doctor`", id, err))
	}
	return db, nil
}

// databaseHint says what to do about a database that does not open.
func databaseHint(err error, path string) error {
	switch {
	case errors.Is(err, recorder.ErrNewer):
		return hint(err, "a newer reprise has used %s", path)
	case errors.Is(err, recorder.ErrStranger):
		return hint(err, "%s belongs to another program: name another with --db or $REPRISE_DB", path)
	case errors.Is(err, recorder.ErrDamaged):
		return hint(err, "move %s away if it was Reprise's: the next command makes a new one. Else name another with --db or $REPRISE_DB", path)
	case errors.Is(err, fs.ErrPermission):
		return hint(err, "you may not open %s: name another with --db or $REPRISE_DB, or see who owns it", path)
	}
	return hint(err, "the database is %s", path)
}

// openSession opens what a session argument names: an id, the beginning of one, `last`, or a capture file.
func (p *program) openSession(ctx context.Context, o shared, ref string) (source, *reprise.Session, error) {
	src, err := p.openSource(ctx, o, ref)
	if err != nil {
		return nil, nil, err
	}
	s, err := src.Find(ctx, ref)
	if db, ok := src.(*recorder.DB); ok && err == nil {
		p.derive(ctx, o, db, s.ID)
		s, err = src.Find(ctx, s.ID)
	}
	if err != nil {
		src.Close()
		return nil, nil, err
	}
	return src, s, nil
}

// derive brings what another version has derived of a session up to date, or says that it could not. With "" it is all sessions.
func (p *program) derive(ctx context.Context, o shared, db *recorder.DB, id string) {
	progress := p.progress(o)
	err := db.Derive(ctx, id, progress.rebuilding)
	progress.clear()
	switch {
	case errors.Is(err, recorder.ErrLive):
		p.warn(o, "another version of reprise is recording at the moment: where arguments came from is not known there yet")
	case err != nil:
		p.warn(o, fmt.Sprintf("where arguments came from is not known in all of what another version of reprise has recorded: %v", err))
	}
}

func (p *program) openSource(ctx context.Context, o shared, ref string) (source, error) {
	if namesFile(ref) {
		return p.openCapture(ref)
	}
	db, err := p.openThere(ctx, o)
	if err == nil && ref == "last" {
		p.tellPause(o, db.Path())
	}
	return db, err
}

// tellPause says that nothing new will be seen.
func (p *program) tellPause(o shared, path string) {
	if !o.quiet && !o.json && recorder.Paused(path) {
		fmt.Fprintln(p.stderr, "recording is paused: `reprise resume`")
	}
}

// namesFile says whether a session argument is meant as a file, - being the standard input. No id has a dot or a slash in it.
func namesFile(ref string) bool {
	if ref == "-" || strings.HasSuffix(ref, ".jsonl") || strings.ContainsRune(ref, filepath.Separator) {
		return true
	}
	info, err := os.Stat(ref)
	return err == nil && info.Mode().IsRegular()
}

// progress is a line on a terminal that is gone when the work is done.
type progress struct {
	to    *os.File
	shown bool
}

func (p *program) progress(o shared) *progress {
	if f, ok := terminal(p.stderr); ok && !o.quiet {
		return &progress{to: f}
	}
	return &progress{}
}

func (p *progress) completing(session string, done, total int64) {
	p.show("completing session %.13s: %d %%", session, 100*done/max(total, 1))
}

func (p *progress) rebuilding(n, of int) { p.show("rebuilding session %d of %d", n, of) }

func (p *progress) show(format string, args ...any) {
	if p.to != nil {
		p.shown = true
		fmt.Fprintf(p.to, "\r\x1b[K"+format, args...)
	}
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
