package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"
)

func (p *program) pinCommand() *cli.Command {
	return p.pinning("pin", "keep a session for good: nothing prunes it", true)
}

func (p *program) unpinCommand() *cli.Command {
	return p.pinning("unpin", "let a session grow old again", false)
}

func (p *program) pinning(name, does string, pinned bool) *cli.Command {
	return &cli.Command{
		Name:      name,
		Usage:     does,
		ArgsUsage: "S",
		Category:  keepCategory,
		Action: func(c *cli.Context) error {
			s, err := oneSession(c, "reprise "+name+" last")
			if err != nil {
				return err
			}
			return p.pin(c.Context, sharedOptions(c), s, pinned)
		},
	}
}

func (p *program) pin(ctx context.Context, o shared, ref string, pinned bool) error {
	db, err := p.openThere(ctx, o)
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.Find(ctx, ref)
	if err != nil {
		return err
	}
	if err := db.Pin(ctx, s.ID, pinned); err != nil {
		return err
	}
	switch {
	case o.json:
		row := newObject()
		row.set("session", s.ID)
		row.set("pinned", pinned)
		return row.writeTo(p.stdout)
	case !o.quiet && pinned:
		fmt.Fprintf(p.stdout, "Session %s stays.\n", s.ID)
	case !o.quiet:
		fmt.Fprintf(p.stdout, "Session %s may be pruned.\n", s.ID)
	}
	return nil
}
