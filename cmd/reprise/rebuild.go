package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reprise"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

func (p *program) rebuildCommand() *cli.Command {
	return &cli.Command{
		Name:      "rebuild",
		Usage:     "derive calls anew from the recorded frames",
		ArgsUsage: "[S…]",
		Category:  keepCategory,
		Description: `Frames are facts and never change; calls, names and counts are derived from
them. After an upgrade that reads traffic better, this brings old sessions up to
date.
Without S it takes all sessions.`,
		Action: func(c *cli.Context) error {
			return p.rebuild(c.Context, sharedOptions(c), c.Args().Slice())
		},
	}
}

func (p *program) rebuild(ctx context.Context, o shared, refs []string) error {
	db, err := p.openThere(ctx, o)
	if err != nil {
		return err
	}
	defer db.Close()
	sessions, err := findAll(ctx, db, refs)
	if err != nil {
		return err
	}
	progress := p.progress(o)
	rebuilt := int64(0)
	for i, s := range sessions {
		progress.rebuilding(i+1, len(sessions))
		err := db.Rebuild(ctx, s.ID)
		if errors.Is(err, recorder.ErrLive) && len(refs) == 0 {
			continue
		}
		if err != nil {
			progress.clear()
			return err
		}
		rebuilt++
	}
	progress.clear()
	return p.rebuilt(o, rebuilt, int64(len(sessions))-rebuilt)
}

func (p *program) rebuilt(o shared, rebuilt, live int64) error {
	if o.json {
		row := newObject()
		row.set("rebuilt", rebuilt)
		row.set("live", live)
		return row.writeTo(p.stdout)
	}
	if o.quiet {
		return nil
	}
	fmt.Fprintf(p.stdout, "%s rebuilt.\n", count(rebuilt, "session"))
	if live > 0 {
		fmt.Fprintf(p.stdout, "%s left out: still being recorded.\n", count(live, "session"))
	}
	return nil
}

// findAll finds the sessions named, each once, or all of them when none is.
func findAll(ctx context.Context, db *recorder.DB, refs []string) (list []*reprise.Session, err error) {
	for _, ref := range refs {
		s, err := db.Find(ctx, ref)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(other *reprise.Session) bool { return other.ID == s.ID }) {
			list = append(list, s)
		}
	}
	if len(refs) > 0 {
		return list, nil
	}
	for s, err := range db.Sessions(ctx, &reprise.Filter{}) {
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}
