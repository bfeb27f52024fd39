package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"

	"reprise"

	"github.com/urfave/cli/v2"
)

type exportOptions struct {
	shared
	session  string
	output   string
	force    bool
	noRedact bool
	rules    []string
}

func (p *program) exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write one session to a file, with secrets masked",
		ArgsUsage: "S [-o FILE]",
		Category:  moveCategory,
		Description: `Writes a capture file: JSON Lines, one frame a line, made for git and for bug reports.
Secrets become placeholders such as «redacted:api-key:1»; the same secret gets the same one.

Examples:
  reprise export last -o bug.capture.jsonl
  reprise export last --rule '/ACME-\d+/' --rule params.arguments.ssn | gzip > bug.jsonl.gz`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of the standard output"},
			&cli.BoolFlag{Name: "force", Usage: "overwrite FILE"},
			&cli.StringSliceFlag{Name: "rule", Usage: "mask more: `RULE` is a /regexp/ or a place such as params.arguments.ssn; repeatable"},
			&cli.BoolFlag{Name: "no-redact", Usage: "leave secrets as they are"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return missing("one session", "reprise export last -o bug.capture.jsonl")
			}
			return p.export(c.Context, exportOptions{sharedOptions(c), c.Args().First(), c.String("output"),
				c.Bool("force"), c.Bool("no-redact"), c.StringSlice("rule")})
		},
	}
}

func (p *program) export(ctx context.Context, o exportOptions) error {
	var redactor *reprise.Redactor
	if o.noRedact {
		p.warn(o.shared, "not redacted: whatever secrets crossed are in the file")
	} else {
		var err error
		if redactor, err = newRedactor(o.rules); err != nil {
			return err
		}
	}
	c, err := p.exported(ctx, o)
	if err != nil {
		return err
	}
	defer c.close()
	if redactor != nil {
		if c.header, c.items, err = redactor.Capture(c.header, c.items); err != nil {
			return err
		}
	}
	write := func(w io.Writer) error { return reprise.WriteCapture(w, c.header, c.items) }
	if o.output == "" || o.output == "-" {
		return write(p.stdout)
	}
	return writeFile(o.output, o.force, write)
}

// newRedactor reads the user's own rules: /regexp/, or a path.
func newRedactor(rules []string) (*reprise.Redactor, error) {
	r := &reprise.Redactor{}
	for _, rule := range rules {
		if len(rule) < 3 || rule[0] != '/' || rule[len(rule)-1] != '/' {
			r.Paths = append(r.Paths, rule)
			continue
		}
		pattern, err := regexp.Compile(rule[1 : len(rule)-1])
		if err != nil {
			return nil, hint(usage(fmt.Errorf("read rule: %w", err)), "the syntax is RE2")
		}
		r.Patterns = append(r.Patterns, pattern)
	}
	return r, nil
}

// exported is what is written: a session of the database, or a capture file once more.
type exported struct {
	header *reprise.CaptureHeader
	items  iter.Seq2[reprise.CaptureItem, error] // may be read more than once
	close  func() error
}

func (p *program) exported(ctx context.Context, o exportOptions) (*exported, error) {
	if namesFile(o.session) {
		return exportedFile(o.session)
	}
	db, err := p.open(ctx, o.shared)
	if err != nil {
		return nil, err
	}
	s, err := db.Find(ctx, o.session)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	header, items, err := db.Capture(ctx, s)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &exported{header, items, db.Close}, nil
}

func exportedFile(path string) (*exported, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	header, _, err := reprise.ReadCapture(f)
	if err != nil {
		return nil, errors.Join(captureHint(fmt.Errorf("%s: %w", path, err)), f.Close())
	}
	items := func(yield func(reprise.CaptureItem, error) bool) {
		_, err := f.Seek(0, io.SeekStart)
		if err == nil {
			_, items, err := reprise.ReadCapture(f)
			if err == nil {
				captureErrors(items)(yield)
				return
			}
		}
		yield(reprise.CaptureItem{}, err)
	}
	return &exported{header, items, f.Close}, nil
}

// writeFile makes a file that only its owner can read. It is there whole or not at all.
func writeFile(path string, force bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return exists(path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".reprise-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	if force {
		return os.Rename(f.Name(), path)
	}
	return place(f.Name(), path)
}

// place gives a finished file its name, if nobody has taken it in the meantime.
func place(from, path string) error {
	err := os.Link(from, path)
	if errors.Is(err, fs.ErrExist) {
		return exists(path)
	}
	if err != nil { // a file system without links
		return os.Rename(from, path)
	}
	return nil
}

func exists(path string) error {
	return hint(usage(fmt.Errorf("%s exists already", path)), "--force overwrites it")
}
