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
  reprise tail server:github status:error
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
	db, err := p.open(ctx, o.shared)
	if err != nil {
		return err
	}
	defer db.Close()
	r := rows{screen: p.screen(o.shared), seqWidth: 5, clock: true}
	if !o.json {
		r.tailHeading(o)
	}
	err = db.Follow(ctx, recorder.Query{Filter: filter, Frames: o.frames, Data: true}, func(e *reprise.Entry) error {
		return errors.Join(r.live(o, e), r.Flush())
	})
	if errors.Is(err, context.Canceled) {
		return nil // it has no other end
	}
	return err
}

func (r rows) tailHeading(o tailOptions) {
	if o.frames {
		r.frameHeading()
	} else {
		r.callHeading()
	}
	r.Flush()
}

func (r rows) live(o tailOptions, e *reprise.Entry) error {
	switch {
	case o.json:
		return entryRow(e).writeTo(r)
	case o.frames:
		return r.message(e)
	}
	return r.call(e)
}
