package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"reprise"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

func (p *program) importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "put capture files into the database",
		ArgsUsage: "FILE…",
		Category:  moveCategory,
		Description: `A session that is there already is not stored twice. A file with the id of another one
but other content, such as an edited file, gets a new id. - is the standard input.

A capture file can be shown without being imported: reprise show FILE.`,
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return missing("a capture file", "reprise import bug.capture.jsonl")
			}
			return p.importFiles(c.Context, sharedOptions(c), c.Args().Slice())
		},
	}
}

func (p *program) importFiles(ctx context.Context, o shared, paths []string) error {
	db, err := p.open(ctx, o)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, path := range paths {
		f, err := p.openInput(path)
		if err != nil {
			return err
		}
		done, err := importCapture(ctx, db, f, p.now)
		err = errors.Join(err, f.Close())
		if err == nil {
			err = p.imported(o, path, done)
		}
		if err != nil {
			return fmt.Errorf("import %s: %w", path, err)
		}
	}
	return nil
}

// openInput opens a file to be read twice.
func (p *program) openInput(path string) (*os.File, error) {
	if path != "-" {
		return openFile(path)
	}
	f, err := os.CreateTemp("", "reprise-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // Windows keeps it
	if _, err := io.Copy(f, p.stdin); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}

// importing is what has become of a file.
type importing struct {
	id      string
	asked   string // the id that the file has
	present bool   // it was there already
}

// importCapture stores a capture under its own id, or under a new one where that is taken by other content.
func importCapture(ctx context.Context, db *recorder.DB, f *os.File, now func() time.Time) (importing, error) {
	header, items, err := reprise.ReadCapture(f)
	if err != nil {
		return importing{}, captureHint(err)
	}
	done := importing{asked: header.Session.ID}
	if err := complete(&header.Session, now()); err != nil {
		return done, err
	}
	done.id = header.Session.ID
	err = db.Import(ctx, header, captureErrors(items))
	if !errors.Is(err, recorder.ErrExists) {
		return done, err
	}
	if done.present, err = sameContent(ctx, db, header, items); err != nil || done.present {
		return done, err
	}
	return importAnew(ctx, db, f, done, now)
}

// complete gives a session what the database needs and its file does not say.
func complete(s *reprise.Session, now time.Time) (err error) {
	if s.StartedAt.IsZero() {
		s.StartedAt = now.UTC()
	}
	switch {
	case s.ID == "":
		s.ID, err = reprise.NewID(s.StartedAt)
	case !findable(s.ID):
		err = hint(usage(fmt.Errorf("%q is no session id", s.ID)), "without an id in its header the file gets a new one")
	}
	return err
}

// findable says whether an id can be found again: Find looks for ids in small letters.
func findable(id string) bool {
	return len(id) >= 4 && len(id) <= 64 && id != "last" && strings.Trim(id, "-0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// captureErrors gives the errors of a file their hint.
func captureErrors(items iter.Seq2[reprise.CaptureItem, error]) iter.Seq2[reprise.CaptureItem, error] {
	return func(yield func(reprise.CaptureItem, error) bool) {
		for item, err := range items {
			if err != nil {
				err = captureHint(err)
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// sameContent says whether the file would be exported from the database as it is.
func sameContent(ctx context.Context, db *recorder.DB, header *reprise.CaptureHeader, items iter.Seq2[reprise.CaptureItem, error]) (bool, error) {
	theirs, err := digest(header, captureErrors(items))
	if err != nil {
		return false, err
	}
	s, err := db.Find(ctx, header.Session.ID)
	if err != nil {
		return false, err
	}
	stored, storedItems, err := db.Capture(ctx, s)
	if err != nil {
		return false, err
	}
	ours, err := digest(stored, storedItems)
	return bytes.Equal(ours, theirs), err
}

func digest(header *reprise.CaptureHeader, items iter.Seq2[reprise.CaptureItem, error]) ([]byte, error) {
	h := sha256.New()
	err := reprise.WriteCapture(h, header, items)
	return h.Sum(nil), err
}

func importAnew(ctx context.Context, db *recorder.DB, f *os.File, done importing, now func() time.Time) (importing, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return done, err
	}
	header, items, err := reprise.ReadCapture(f)
	if err != nil {
		return done, err
	}
	header.Session.ID = ""
	if err := complete(&header.Session, now()); err != nil {
		return done, err
	}
	done.id = header.Session.ID
	return done, db.Import(ctx, header, items)
}

func (p *program) imported(o shared, path string, done importing) error {
	if o.json {
		row := newObject()
		row.set("file", path)
		row.set("session", done.id)
		row.set("present", done.present)
		return row.writeTo(p.stdout)
	}
	if o.quiet {
		return nil
	}
	text := "Imported as session " + done.id
	switch {
	case done.present:
		text = "Session " + done.id + " is there already, with the same content"
	case done.asked != "" && done.id != done.asked:
		text += ": its own id, " + done.asked + ", has other content"
	}
	_, err := fmt.Fprintln(p.stdout, visible(text))
	return err
}
