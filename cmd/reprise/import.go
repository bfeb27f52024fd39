package main

import (
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
		Description: `A session that is there already is not stored twice. A file with the id of
another one but other content, such as an edited file, gets a new id. - is the
standard input.

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
		done, err := importCapture(ctx, db, f, p.now())
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

// importCapture stores a capture under its own id, or under one derived from its
// content where it has none or that one is taken by other content. So no file is stored twice.
func importCapture(ctx context.Context, db *recorder.DB, f *os.File, now time.Time) (importing, error) {
	header, items, err := captureIn(f)
	if err != nil {
		return importing{}, captureHint(err)
	}
	done := importing{id: header.Session.ID, asked: header.Session.ID}
	switch {
	case done.id == "":
		return importDerived(ctx, db, header, items, done, now)
	case !findable(done.id):
		return done, hint(usage(fmt.Errorf("%q is no session id", done.id)), "without an id in its header the file gets a new one")
	}
	err = db.Import(ctx, started(header, now), items)
	if !errors.Is(err, recorder.ErrExists) {
		return done, err
	}
	if done.present, err = sameContent(ctx, db, header, items); err != nil || done.present {
		return done, err
	}
	return importDerived(ctx, db, header, items, done, now)
}

// importDerived stores a capture under an id made from it. Where that is taken, it is by the same content.
func importDerived(ctx context.Context, db *recorder.DB, header *reprise.CaptureHeader, items captureItems, done importing, now time.Time) (importing, error) {
	h := sha256.New()
	if err := reprise.WriteCapture(h, header, items); err != nil {
		return done, err
	}
	done.id = reprise.DerivedID(header.Session.StartedAt, h.Sum(nil))
	named := started(header, now)
	named.Session.ID = done.id
	err := db.Import(ctx, named, items)
	if done.present = errors.Is(err, recorder.ErrExists); done.present {
		return done, nil
	}
	return done, err
}

// started gives a session the start that the database needs, where its file does not say one.
func started(header *reprise.CaptureHeader, now time.Time) *reprise.CaptureHeader {
	h := *header
	if h.Session.StartedAt.IsZero() {
		h.Session.StartedAt = now.UTC()
	}
	return &h
}

// findable says whether an id can be found again: Find looks for ids in small letters.
func findable(id string) bool {
	return len(id) >= 4 && len(id) <= 64 && id != "last" && strings.Trim(id, "-0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

type captureItems = iter.Seq2[reprise.CaptureItem, error]

// captureErrors gives the errors of a file their hint.
func captureErrors(items captureItems) captureItems {
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
		text += ": the session with its own id, " + done.asked + ", has other content"
	}
	_, err := fmt.Fprintln(p.stdout, visible(text)+".")
	return err
}
