package main

import (
	"context"
	"errors"

	"reprise"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

type tailOptions struct {
	shared
	filter string
	frames bool
}

func (p *program) tailCommand() *cli.Command {
	return &cli.Command{
		Name:      "tail",
		Usage:     "follow every session as it happens",
		ArgsUsage: "[FILTER…]",
		Category:  lookCategory,
		Description: `A call is listed when it has ended. Ctrl-C stops.

Examples:
  reprise tail
  reprise tail 'server:github status:*error'
  reprise tail --frames
  reprise tail --json | jq .tool`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "frames", Usage: "every line that crosses, instead of calls"},
		},
		Action: func(c *cli.Context) error {
			return p.tail(c.Context, tailOptions{sharedOptions(c), filterArgument(c.Args().Slice()), c.Bool("frames")})
		},
	}
}

func (p *program) tail(ctx context.Context, o tailOptions) error {
	filter, err := p.parseFilter(o.filter)
	if err != nil {
		return err
	}
	open := p.open // who waits for the first session may come before it
	if o.dbGiven {
		open = p.openThere
	}
	db, err := open(ctx, o.shared)
	if err != nil {
		return err
	}
	defer db.Close()
	p.tellPause(o.shared, db.Path())
	t, err := newTailing(ctx, db, rows{screen: p.screen(o.shared), seqWidth: 5, clock: true})
	if err != nil {
		return err
	}
	if !o.json {
		t.heading(o)
	}
	err = db.Follow(ctx, recorder.Query{Filter: filter, Frames: o.frames, Data: true, Uses: !o.frames}, func(e *reprise.Entry) error {
		return errors.Join(t.live(ctx, o, e), t.Flush())
	})
	if errors.Is(err, context.Canceled) {
		return nil // it has no other end
	}
	return err
}

// tailing writes rows as they come, and what is missing before them.
type tailing struct {
	rows
	db   *recorder.DB
	told map[string]int64 // gaps, by session
}

func newTailing(ctx context.Context, db *recorder.DB, r rows) (*tailing, error) {
	t := &tailing{r, db, map[string]int64{}}
	for s, err := range db.Sessions(ctx, &reprise.Filter{}) {
		if err != nil {
			return nil, err
		}
		t.told[s.ID] = s.Gaps
	}
	return t, nil
}

func (t *tailing) heading(o tailOptions) {
	if o.frames {
		t.frameHeading()
	} else {
		t.callHeading()
	}
	t.Flush()
}

func (t *tailing) live(ctx context.Context, o tailOptions, e *reprise.Entry) error {
	if o.json {
		return entryRow(e).writeTo(t)
	}
	if err := t.missing(ctx, e.Session); err != nil {
		return err
	}
	if o.frames {
		return t.message(e)
	}
	return t.call(e)
}

// missing writes the gaps that the session has got since it was last seen.
func (t *tailing) missing(ctx context.Context, s *reprise.Session) error {
	told := t.told[s.ID]
	if s.Gaps <= told {
		return nil
	}
	gaps, err := t.db.Gaps(ctx, s.ID)
	if err != nil {
		return err
	}
	t.told[s.ID] = int64(len(gaps))
	for _, g := range joined(gaps[min(told, int64(len(gaps))):]) {
		if err := t.gap(s, g); err != nil {
			return err
		}
	}
	return nil
}
