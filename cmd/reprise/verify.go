package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"reprise"
	"reprise/proxy"
	"reprise/recorder"
	"reprise/replay"

	"github.com/urfave/cli/v2"
)

type verifyOptions struct {
	shared
	session     string
	command     []string
	allowTools  []string
	allowWrites bool
	ignores     []string
	ignoreFile  string
	timeout     time.Duration
	update, yes bool
	rules       []string // for the redaction of an update
	junit       string
	sarif       string
	learn       bool
	record      bool
}

func (p *program) verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "be the client of a session against a live server, and compare",
		ArgsUsage: "S [FLAG…] -- COMMAND ARG…",
		Category:  playCategory,
		Description: `Starts the server, says to it what the recorded client said, with today's ids,
cursors and states in place of the recorded ones, and compares what comes back.
The exit code is 1 when anything is changed, missing or extra.

Tools that the server does not declare read-only are not called: they are listed
as skipped. --allow-tool and --allow-writes allow them. More: docs/verify.md.

Examples:
  reprise verify tracker.capture.jsonl -- npx tracker-mcp
  reprise verify last --allow-tool 'get_*' --ignore '**.updatedAt' -- ./server`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "allow-tool", Usage: "call the tool `NAME` too, * and ? match in it; repeatable"},
			&cli.BoolFlag{Name: "allow-writes", Usage: "call every tool, and unknown methods"},
			&cli.StringSliceFlag{Name: "ignore", Usage: "`RULE`: a place that may differ: PATH, TOOL:PATH; repeatable"},
			&cli.StringFlag{Name: "ignore-file", Usage: "such rules from a `FILE` (default: S with .ignore for .jsonl)"},
			&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "how long a call may take, a `DURATION` such as 60s"},
			&cli.BoolFlag{Name: "update", Usage: "put today's session into the capture file, after a look"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask before --update writes"},
			&cli.StringSliceFlag{Name: "rule", Usage: "mask more in files, by `RULE` as export does; repeatable"},
			&cli.BoolFlag{Name: "learn-noise", Usage: "run twice, and write rules for what differs between the two"},
			&cli.StringFlag{Name: "junit", Usage: "write JUnit XML to a `FILE`"},
			&cli.StringFlag{Name: "sarif", Usage: "write SARIF to a `FILE`"},
			&cli.BoolFlag{Name: "record", Usage: "record what is said as a session"},
		},
		Action: func(c *cli.Context) error {
			o := verifyOptions{shared: sharedOptions(c), allowTools: c.StringSlice("allow-tool"), allowWrites: c.Bool("allow-writes"),
				ignores: c.StringSlice("ignore"), ignoreFile: c.String("ignore-file"), timeout: c.Duration("timeout"), update: c.Bool("update"),
				yes: c.Bool("yes"), rules: c.StringSlice("rule"), junit: c.String("junit"), sarif: c.String("sarif"),
				learn: c.Bool("learn-noise"), record: c.Bool("record"), session: c.Args().First(), command: c.Args().Tail()}
			if err := o.check(c); err != nil {
				return err
			}
			return p.verify(c.Context, o)
		},
	}
}

const verifyExample = "reprise verify tracker.capture.jsonl -- npx tracker-mcp"

// check refuses what does not go together, before anything is started.
func (o *verifyOptions) check(c *cli.Context) error {
	file := namesFile(o.session) && o.session != "-"
	switch {
	case o.session == "":
		return missing("a session", verifyExample)
	case len(o.command) == 0:
		return missing("the server's command", verifyExample)
	case o.timeout <= 0:
		return hint(usage(errors.New("--timeout has to be longer than nothing")), "without it a call may take a minute")
	case o.update && !file:
		return hint(usage(errors.New("--update rewrites a capture file")), "`reprise export %s -o FILE` makes one", o.session)
	case o.yes && !o.update:
		return hint(usage(errors.New("--yes is for --update")), "without that nothing is written")
	case o.learn && !file && o.ignoreFile == "":
		return hint(usage(errors.New("--learn-noise needs a file for its rules")), "name it with --ignore-file FILE")
	}
	if err := o.checkReports(); err != nil {
		return err
	}
	if _, err := newRedactor(o.rules); err != nil {
		return err
	}
	return oneOf(c, "update", "learn-noise")
}

// noiseFile is the file of rules: the one that was named, or the one beside the capture file.
func (o *verifyOptions) noiseFile() string {
	if o.ignoreFile != "" || !namesFile(o.session) || o.session == "-" {
		return o.ignoreFile
	}
	return strings.TrimSuffix(o.session, ".jsonl") + ".ignore"
}

// rulesOf reads the rules of the command line and of the file, which need not be there where nobody has named it.
func (p *program) rulesOf(o verifyOptions) (*reprise.Ignore, error) {
	file := o.noiseFile()
	if _, err := os.Stat(file); err != nil && (o.ignoreFile == "" || o.learn) {
		file = ""
	}
	return p.ignoring(o.ignores, file)
}

func (p *program) verify(ctx context.Context, o verifyOptions) error {
	c, err := p.loadCapture(ctx, o.shared, o.session)
	if err != nil {
		return err
	}
	if c.Header.Session.MetadataOnly {
		return hint(usage(errors.New("the session holds methods and times only: there is nothing to say")), "record without --metadata-only")
	}
	ignore, err := p.rulesOf(o)
	if err != nil {
		return err
	}
	if o.update {
		if err := p.updatable(o, c); err != nil {
			return err
		}
	}
	if o.learn {
		return p.learnNoise(ctx, o, c, ignore)
	}
	run, err := p.verifyOnce(ctx, o, c, ignore)
	if err != nil {
		return err
	}
	if err := p.showVerified(o, run, ignore); err != nil {
		return err
	}
	if o.update {
		if written, err := p.updateCapture(o, c, run); written || err != nil {
			return err // what differed has been taken for the right one
		}
	}
	if run.Total().Failed() {
		return exitStatus(exitWanting)
	}
	return nil
}

// verified is a verification and how its server ended.
type verified struct {
	*replay.Verification
	exit proxy.Exit
}

// verifyOnce starts the server and verifies the capture against it.
func (p *program) verifyOnce(ctx context.Context, o verifyOptions, c *reprise.Capture, ignore *reprise.Ignore) (*verified, error) {
	var stderr *os.File
	if !o.quiet {
		stderr = os.Stderr
	}
	server, err := proxy.Dial(o.command, stderr)
	if err != nil {
		return nil, hint(errors.New(startText(err)), "the server's command stands behind --")
	}
	conn, log := io.ReadWriteCloser(server), (*recorder.Recorder)(nil)
	if o.record {
		conn, log = p.recordPlay(o.shared, conn, playSession(c, "", reprise.PurposeVerify), tapeServer)
	}
	progress := p.progress(o.shared)
	v, err := replay.Verify(ctx, c, conn, replay.VerifyOptions{AllowWrites: o.allowWrites, AllowTools: o.allowTools, Ignore: ignore,
		Timeout: o.timeout, Progress: progress.verifying, Now: p.now})
	progress.clear()
	exit := server.Exit()
	if log != nil {
		log.End(exit.Ending, &exit.Code, patience)
	}
	switch {
	case errors.Is(err, replay.ErrNothingSaid):
		return nil, usage(err)
	case err != nil:
		return nil, err
	case !v.Heard && v.Ended == replay.EndedExit:
		return nil, hint(fmt.Errorf("%s, and has said nothing (exit code %d)", v.Ended, exit.Code), "is this an MCP server on its standard streams? %s", strings.Join(o.command, " "))
	}
	return &verified{v, exit}, nil
}

func (p *progress) verifying(done, of int) { p.show("verifying: %d %%", 100*done/max(of, 1)) }
