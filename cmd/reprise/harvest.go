package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"reprise"
	"reprise/analysis/live"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

type harvestOptions struct {
	shared
	command  []string
	cases    string
	force    bool
	maxCalls int
	timeout  time.Duration
	maxTime  time.Duration
	maxBytes int64
}

const harvestExample = "reprise harvest --cases tracker.checks.yaml -- npx tracker-mcp"

func (p *program) harvestCommand() *cli.Command {
	return &cli.Command{
		Name:      "harvest",
		Usage:     "collect real values from a live server, by its read-only tools",
		ArgsUsage: "[FLAG…] -- COMMAND ARG…",
		Category:  judgeCategory,
		Description: `Starts the server, calls the tools that it declares read-only, and shows which
values they gave, and where each stands. Lists come first. A tool is called only
when all that it requires is known: fixed by its schema, or harvested before.
Nothing is made up, and no other tool is ever called.

The session is recorded, and is the last one: ` + "`reprise provenance last`" + `. With
--cases it becomes a file for ` + "`reprise check`" + `. More: docs/harvest.md.

Examples:
  reprise harvest -- npx tracker-mcp
  reprise harvest --cases tracker.checks.yaml -- npx tracker-mcp`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "cases", Usage: "write a checks file to `FILE`"},
			&cli.BoolFlag{Name: "force", Usage: "replace FILE, if it is a checks file"},
			&cli.IntFlag{Name: "max-calls", Value: 50, Usage: "make no more than `N` calls (50)"},
			&cli.DurationFlag{Name: "timeout", Value: 10 * time.Second, Usage: "how long a call may take, a `DURATION` (10s)"},
			&cli.DurationFlag{Name: "max-time", Value: time.Minute, Usage: "how long all may take, a `DURATION` (1m)"},
			&cli.Int64Flag{Name: "max-bytes", Value: 16 << 20, Usage: "how much the server may say, `N` bytes (16 MiB)"},
		},
		Action: func(c *cli.Context) error {
			o := harvestOptions{shared: sharedOptions(c), command: c.Args().Slice(), cases: c.String("cases"), force: c.Bool("force"),
				maxCalls: c.Int("max-calls"), timeout: c.Duration("timeout"), maxTime: c.Duration("max-time"), maxBytes: c.Int64("max-bytes")}
			if err := o.check(c); err != nil {
				return err
			}
			return p.harvest(c.Context, o)
		},
	}
}

func (o *harvestOptions) check(c *cli.Context) error {
	switch {
	case len(o.command) == 0:
		return missing("the server's command", harvestExample)
	case o.maxCalls < 1, o.maxBytes < 1, o.timeout <= 0, o.maxTime <= 0:
		return hint(usage(errors.New("--max-calls, --max-bytes, --max-time and --timeout have to be more than nothing")), "`reprise help harvest` says what they are without it")
	case c.IsSet("cases") && o.cases == "":
		return hint(usage(errors.New("--cases is empty")), "name the file: --cases tracker.checks.yaml")
	case o.force && o.cases == "":
		return hint(usage(errors.New("--force is for --cases")), "without that nothing is written")
	}
	return o.writable()
}

// writable refuses to write the checks file over another file, before anything is started.
func (o *harvestOptions) writable() error {
	there, err := os.Stat(o.cases)
	if o.cases == "" || o.cases == "-" || err != nil || !there.Mode().IsRegular() {
		return nil
	}
	if _, err := readCasesFile(o.cases); err != nil {
		return hint(usage(fmt.Errorf("%s exists already, and is no checks file that could be replaced", o.cases)), "name another file, or remove that one first")
	}
	if !o.force {
		return hint(usage(fmt.Errorf("%s exists already", o.cases)), "--force replaces it")
	}
	return nil
}

// harvested is a harvest with its session, nil where there is no record of it.
type harvested struct {
	*live.Harvest
	session string
}

func (p *program) harvest(ctx context.Context, o harvestOptions) error {
	h, err := p.harvestFrom(ctx, o)
	if err != nil {
		return err
	}
	if err := p.showHarvest(o, h); err != nil || o.cases == "" {
		return err
	}
	return p.writeCases(o, h)
}

// harvestFrom starts the server, and harvests what it gives.
func (p *program) harvestFrom(ctx context.Context, o harvestOptions) (*harvested, error) {
	session := liveSession(o.command, reprise.PurposeHarvest)
	var err error
	if session.ID, err = reprise.NewID(p.now()); err != nil {
		return nil, err
	}
	if path, err := p.path(o.shared); err == nil && recorder.Paused(path) {
		p.warn(o.shared, "recording is paused: there is no record of this session")
		session = nil
	}
	server, err := p.startLive(o.shared, o.command, session)
	if err != nil {
		return nil, err
	}
	progress := p.progress(o.shared)
	h := &harvested{}
	h.Harvest = live.Reap(ctx, server, live.HarvestOptions{MaxCalls: o.maxCalls, MaxTime: o.maxTime,
		Options:  live.Options{Client: clientPeer(), Timeout: o.timeout, MaxBytes: o.maxBytes, Now: p.now, After: time.After},
		Progress: func(calls int) { progress.show("harvesting: %s", count(int64(calls), "call")) }})
	progress.clear()
	if server.log != nil {
		h.session = session.ID
	}
	switch err := server.isNoServer(h.Heard, h.Gone, o.command); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case h.Failed != "":
		return nil, fmt.Errorf("harvest: %s", h.Failed)
	}
	return h, nil
}

// writeCases writes the checks file.
func (p *program) writeCases(o harvestOptions, h *harvested) error {
	cases := h.Cases()
	if len(cases.Cases) == 0 {
		return hint(errors.New("no call succeeded: there is no case to write"), "`reprise show last` says what came of each")
	}
	write := func(w io.Writer) error { return cases.Write(w) }
	if err := p.writeTo(exportOptions{output: o.cases, force: o.force}, write); err != nil {
		return err
	}
	if !o.quiet && o.cases != "-" {
		fmt.Fprintf(p.stderr, "reprise: %s written to %s\n", count(int64(len(cases.Cases)), "case"), o.cases)
	}
	return nil
}
