package main

import (
	"fmt"

	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

func (p *program) pauseCommand() *cli.Command {
	return &cli.Command{
		Name:     "pause",
		Usage:    "stop recording, everywhere, and leave the traffic alone",
		Category: recordCategory,
		Description: `Every session of this database stops recording within a second, running ones
too. What passes meanwhile is shown as a gap. Nothing needs to be restarted.`,
		Action: atMost(0, func(c *cli.Context) error {
			return p.setPaused(sharedOptions(c), recorder.Pause, "Recording is paused. `reprise resume` goes on.")
		}),
	}
}

func (p *program) resumeCommand() *cli.Command {
	return &cli.Command{
		Name:     "resume",
		Usage:    "go on recording",
		Category: recordCategory,
		Action: atMost(0, func(c *cli.Context) error {
			return p.setPaused(sharedOptions(c), recorder.Resume, "Recording is on.")
		}),
	}
}

func (p *program) setPaused(o shared, set func(path string) error, said string) error {
	path, err := p.path(o)
	if err != nil {
		return err
	}
	if err := set(path); err != nil {
		return err
	}
	switch {
	case o.json:
		row := newObject()
		row.set("db", path)
		row.set("paused", recorder.Paused(path))
		return row.writeTo(p.stdout)
	case !o.quiet:
		fmt.Fprintln(p.stdout, said)
	}
	return nil
}
