package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

type pruneOptions struct {
	shared
	keep    string
	maxSize string
	dryRun  bool
}

func (p *program) pruneCommand() *cli.Command {
	return &cli.Command{
		Name:     "prune",
		Usage:    "delete old sessions",
		Category: keepCategory,
		Description: `Deletes sessions older than --keep, then the oldest ones until the database is
within --max-size. Open and pinned sessions stay.

Examples:
  reprise prune --dry-run
  reprise prune --keep 30d
  reprise prune --max-size 500mb`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "keep", Value: "90d", Usage: "keep sessions so `LONG`: 12h, 30d; 0 for ever (default: 90d)"},
			&cli.StringFlag{Name: "max-size", Value: "5gb", Usage: "keep within this `SIZE`: 500mb; 0 for any (default: 5gb)"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be deleted"},
		},
		Action: atMost(0, func(c *cli.Context) error {
			return p.prune(c.Context, pruneOptions{sharedOptions(c), c.String("keep"), c.String("max-size"), c.Bool("dry-run")})
		}),
	}
}

func (p *program) prune(ctx context.Context, o pruneOptions) error {
	age, err := parseAge(o.keep)
	if err != nil {
		return err
	}
	size, err := parseBytes(o.maxSize)
	if err != nil {
		return err
	}
	db, err := p.openThere(ctx, o.shared)
	if err != nil {
		return err
	}
	defer db.Close()
	pruned, err := db.Prune(ctx, recorder.Bounds{Age: age, Bytes: size}, p.now(), o.dryRun)
	if err != nil {
		return err
	}
	return p.pruned(o, pruned)
}

func (p *program) pruned(o pruneOptions, done recorder.Pruned) error {
	screen := p.screen(o.shared)
	sessions := count(int64(len(done.Sessions)), "session")
	switch {
	case o.json:
		row := newObject()
		row.set("dry_run", o.dryRun)
		row.set("deleted", append([]string{}, done.Sessions...))
		row.set("bytes", done.Bytes)
		row.writeTo(screen)
	case o.dryRun:
		for _, id := range done.Sessions {
			screen.line("%s", id)
		}
		screen.note("%s would be deleted. The database has %s.", sessions, bytesOf(done.Bytes))
	default:
		screen.note("%s deleted. The database has %s.", sessions, bytesOf(done.Bytes))
	}
	return screen.Flush()
}

// forever is how long --keep 0 keeps.
const forever = time.Duration(1<<63 - 1)

func parseAge(text string) (time.Duration, error) {
	if text == "0" {
		return forever, nil
	}
	for suffix, days := range map[string]int{"d": 1, "w": 7} {
		number, ok := strings.CutSuffix(text, suffix)
		if n, err := strconv.Atoi(number); ok && err == nil && n > 0 && n < 10_000 {
			return time.Duration(n*days) * 24 * time.Hour, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, hint(usage(fmt.Errorf("--keep can't be %q", text)), "write a number with its unit (h, d, w), as in --keep 30d")
}

func parseBytes(text string) (int64, error) {
	if text == "0" {
		return 1<<63 - 1, nil
	}
	text = strings.ToLower(text)
	number := strings.TrimRight(text, "bkmgt")
	shift, known := map[string]int{"": 0, "b": 0, "kb": 10, "mb": 20, "gb": 30, "tb": 40}[text[len(number):]]
	n, err := strconv.ParseInt(number, 10, 64)
	if !known || err != nil || n < 1 || n > (1<<62)>>shift {
		return 0, hint(usage(fmt.Errorf("--max-size can't be %q", text)), "write a number with its unit (mb, gb), as in --max-size 500mb")
	}
	return n << shift, nil
}
