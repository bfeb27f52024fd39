package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reprise"
	"reprise/analysis"
	"reprise/analysis/live"

	"github.com/urfave/cli/v2"
)

type checkOptions struct {
	shared
	files       []string
	command     []string
	allowTools  []string
	allowWrites bool
	timeout     time.Duration
	reports     reportFiles
	record      bool
}

const checkExample = "reprise check tracker.checks.yaml -- npx tracker-mcp"

func (p *program) checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "hold the cases of a checks file against a live server",
		ArgsUsage: "FILE… [FLAG…] -- COMMAND ARG…",
		Category:  judgeCategory,
		Description: `Starts the server anew for each case, makes its call, and judges its checks in
code. The exit code is 1 when a check failed. What proves nothing is untestable,
and no failure: an argument that somebody made up, a server that died.

Tools that the server does not declare read-only are not called: their cases are
listed as skipped. --allow-tool and --allow-writes allow them. A second FILE has
to end in .yaml, .yml or .json. More: docs/checks.md.

Examples:
  reprise harvest --cases tracker.checks.yaml -- npx tracker-mcp
  reprise check tracker.checks.yaml -- npx tracker-mcp`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "allow-tool", Usage: "call the tool `NAME` too, * and ? match in it; repeatable"},
			&cli.BoolFlag{Name: "allow-writes", Usage: "call every tool"},
			&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "how long a call may take, a `DURATION` such as 60s"},
			&cli.BoolFlag{Name: "record", Usage: "record what is said, a session for each case"},
			&cli.StringFlag{Name: "junit", Usage: "write JUnit XML to a `FILE`"},
			&cli.StringFlag{Name: "sarif", Usage: "write SARIF to a `FILE`"},
		},
		Action: func(c *cli.Context) error {
			o := checkOptions{shared: sharedOptions(c), allowTools: c.StringSlice("allow-tool"), allowWrites: c.Bool("allow-writes"),
				timeout: c.Duration("timeout"), record: c.Bool("record"), reports: reportFilesOf(c)}
			o.files, o.command = checksFiles(c.Args().Slice())
			if err := o.check(); err != nil {
				return err
			}
			return p.check(c.Context, o)
		},
	}
}

// checksFiles splits the arguments: the first is a file, and so are those behind it that are called like one.
func checksFiles(args []string) (files, command []string) {
	n := min(len(args), 1)
	for n < len(args) && slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(args[n]))) {
		n++
	}
	return args[:n], args[n:]
}

func (o *checkOptions) check() error {
	switch {
	case len(o.files) == 0:
		return missing("a checks file", checkExample)
	case len(o.command) == 0:
		return missing("the server's command", checkExample)
	case o.timeout <= 0:
		return hint(usage(errors.New("--timeout has to be longer than nothing")), "without it a call may take a minute")
	}
	return o.reports.check(o.files...)
}

// checkedCase is a case with the file that it stands in.
type checkedCase struct {
	file string
	*live.Outcome
}

// checked is what came of all cases.
type checked struct {
	cases   []checkedCase
	peer    reprise.Peer
	started time.Time
	took    time.Duration
}

func (p *program) check(ctx context.Context, o checkOptions) error {
	cases, files, err := readChecks(o.files)
	if err != nil {
		return err
	}
	all, err := p.checkCases(ctx, o, cases, files)
	if err != nil {
		return err
	}
	if err := p.showChecked(o, all); err != nil {
		return err
	}
	if all.count(analysis.Failed) > 0 {
		return exitStatus(exitWanting)
	}
	return nil
}

// readChecks reads all files before anything is started. files says where each case stands.
func readChecks(paths []string) (cases []analysis.Case, files []string, err error) {
	for _, path := range paths {
		read, err := readCasesFile(path)
		if err != nil {
			return nil, nil, usage(fmt.Errorf("%s: %w", path, err))
		}
		cases = append(cases, read.Cases...)
		files = append(files, slices.Repeat([]string{path}, len(read.Cases))...)
	}
	return cases, files, nil
}

func readCasesFile(path string) (*analysis.Cases, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	return analysis.ReadCases(f)
}

// checkCases holds each case, with a server of its own.
func (p *program) checkCases(ctx context.Context, o checkOptions, cases []analysis.Case, files []string) (*checked, error) {
	all := &checked{started: p.now()}
	progress := p.progress(o.shared)
	defer progress.clear()
	var server *liveServer
	dial := func(*analysis.Case) (conn io.ReadWriteCloser, err error) {
		progress.show("checking: %d of %d", len(all.cases)+1, len(cases))
		var session *reprise.Session
		if o.record {
			session = liveSession(o.command, reprise.PurposeCheck)
		}
		server, err = p.startLive(o.shared, o.command, session)
		return server, err
	}
	err := live.CheckAll(ctx, cases, o.live(p), dial, func(out *live.Outcome) error {
		all.cases = append(all.cases, checkedCase{files[len(all.cases)], out})
		if all.peer.Name == "" {
			all.peer = out.Peer
		}
		if len(all.cases) == 1 {
			return server.isNoServer(out.Heard, out.Gone, o.command)
		}
		return nil
	})
	all.took = p.now().Sub(all.started)
	return all, err
}

func (o *checkOptions) live(p *program) live.Options {
	return live.Options{Client: clientPeer(), Timeout: o.timeout, Gate: live.Gate{Tools: o.allowTools, Writes: o.allowWrites}, Now: p.now, After: time.After}
}

// count says of how many cases this is the result.
func (c *checked) count(r analysis.Result) (n int) {
	for _, one := range c.cases {
		if one.Result() == r {
			n++
		}
	}
	return n
}
