package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
		Description: `Writes a capture file: JSON Lines, one frame a line, for git and bug reports.
Secrets become placeholders such as «redacted:api-key:1»; the same secret gets
the same one.

Examples:
  reprise export last -o bug.capture.jsonl
  reprise export last --rule '/ACME-\d+/' --rule params.arguments.ssn | gzip`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of the standard output"},
			&cli.BoolFlag{Name: "force", Usage: "overwrite FILE"},
			&cli.StringSliceFlag{Name: "rule", Usage: "mask more: `RULE` is a /regexp/ or a place; may be repeated"},
			&cli.BoolFlag{Name: "no-redact", Usage: "leave secrets as they are"},
		},
		Action: func(c *cli.Context) error {
			s, err := oneSession(c, "reprise export last -o bug.capture.jsonl")
			if err != nil {
				return err
			}
			return p.export(c.Context, exportOptions{sharedOptions(c), s, c.String("output"),
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
	frames := int64(0)
	err = p.writeTo(o, func(w io.Writer) error {
		return reprise.WriteCapture(w, c.header, counted(c.items, &frames))
	})
	if err == nil {
		p.tellExport(o, frames, redactor)
	}
	return err
}

// counted counts the frames that go by.
func counted(items captureItems, frames *int64) captureItems {
	return func(yield func(reprise.CaptureItem, error) bool) {
		for item, err := range items {
			if item.Frame != nil {
				*frames++
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// tellExport says on stderr what the file holds: it is there to be given away.
func (p *program) tellExport(o exportOptions, frames int64, redactor *reprise.Redactor) {
	if o.quiet {
		return
	}
	text := count(frames, "frame")
	if redactor != nil {
		for _, rule := range redactor.Unused() {
			p.warn(o.shared, fmt.Sprintf("--rule %s matched nothing", quote(rule)))
		}
		text += ", " + count(int64(redactor.Placeholders()), "secret") + " masked"
	}
	fmt.Fprintln(p.stderr, text)
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
	items  captureItems // may be read more than once
	close  func() error
}

func (p *program) exported(ctx context.Context, o exportOptions) (*exported, error) {
	if namesFile(o.session) {
		f, err := p.openInput(o.session)
		if err != nil {
			return nil, err
		}
		return exportedFile(f, o.session)
	}
	db, err := p.openThere(ctx, o.shared)
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

func exportedFile(f *os.File, path string) (*exported, error) {
	header, items, err := captureIn(f)
	if err != nil {
		return nil, errors.Join(captureHint(fmt.Errorf("%s: %w", path, err)), f.Close())
	}
	return &exported{header, items, f.Close}, nil
}

// captureIn reads a file whose items may be read more than once.
func captureIn(f *os.File) (*reprise.CaptureHeader, captureItems, error) {
	header, _, err := reprise.ReadCapture(f)
	return header, func(yield func(reprise.CaptureItem, error) bool) {
		_, err := f.Seek(0, io.SeekStart)
		if err == nil {
			_, items, err := reprise.ReadCapture(f)
			if err == nil {
				captureErrors(items)(yield)
				return
			}
		}
		yield(reprise.CaptureItem{}, err)
	}, err
}
