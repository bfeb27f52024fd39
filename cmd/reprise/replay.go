package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"reprise"
	"reprise/proxy"
	"reprise/recorder"
	"reprise/replay"

	"github.com/urfave/cli/v2"
)

type replayOptions struct {
	shared
	session    string
	as         []string // NAME=FILE
	match      replay.Level
	onMiss     replay.OnMiss
	exhausted  replay.Policy
	speed      float64
	faithful   bool
	failUnused bool
	expire     time.Duration // 0: never
	expireText string
	strict     bool // an expired capture is an error
	record     bool
	outcome    string
	ignore     *reprise.Ignore
	command    []string
	flags      []string // as they were given, for the servers of a run
}

func (p *program) replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "be the server that a session talked to",
		ArgsUsage: "S [-- COMMAND…]",
		Category:  playCategory,
		Description: `Stands in for the server, over the standard streams: put it where the client has
the server's command. Answers are the recorded bytes. A request that nothing
recorded answers gets an error that names the nearest recorded call, and the
exit code is 1. docs/replay.md tells all of it.

Examples:
  reprise replay tracker.capture.jsonl
  reprise replay last --match tool --timing recorded
  reprise replay tracker.capture.jsonl --on-miss passthrough -- npx tracker-mcp
  reprise replay --as a=a.capture.jsonl --as b=b.capture.jsonl -- npm test`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "match", Value: string(replay.LevelArguments), Usage: "`LEVEL`: exact, arguments (usual), tool or sequence"},
			&cli.StringSliceFlag{Name: "ignore", Usage: "`RULE`: a place that may differ: PATH, TOOL:PATH; repeatable"},
			&cli.StringFlag{Name: "ignore-file", Usage: "such places from a `FILE`, one on a line"},
			&cli.StringFlag{Name: "on-miss", Value: string(replay.OnMissError), Usage: "`WHAT`: error (usual), nearest, or passthrough: ask COMMAND"},
			&cli.StringFlag{Name: "exhausted", Value: string(replay.PolicyError), Usage: "`WHAT`, when all equal calls are used: error, last or loop"},
			&cli.StringFlag{Name: "timing", Value: "instant", Usage: "`SPEED`: instant (usual), recorded, or times as fast: 10x"},
			&cli.BoolFlag{Name: "faithful", Usage: "a server that died in the session dies again"},
			&cli.BoolFlag{Name: "fail-unused", Usage: "exit 1 when recorded calls were not made"},
			&cli.StringFlag{Name: "expire", Usage: "how old a session may be, `AGE`: 90d"},
			&cli.StringFlag{Name: "on-expired", Value: "warn", Usage: "`WHAT` to do about an older one: warn (usual) or error"},
			&cli.StringSliceFlag{Name: "as", Usage: "`NAME=FILE`: a server of a run, whose client is COMMAND"},
			&cli.StringFlag{Name: "outcome", Usage: "keep the outcome in `FILE`, as JSON Lines"},
			&cli.BoolFlag{Name: "record", Usage: "record what is said as a session"},
		},
		Action: func(c *cli.Context) error {
			o, err := p.replayOptions(c)
			if err != nil {
				return err
			}
			if o.isRun() {
				return p.replayRun(c.Context, o)
			}
			return p.replay(c.Context, o)
		},
	}
}

func (p *program) replayOptions(c *cli.Context) (o replayOptions, err error) {
	o = replayOptions{shared: sharedOptions(c), as: c.StringSlice("as"), faithful: c.Bool("faithful"), failUnused: c.Bool("fail-unused"),
		record: c.Bool("record"), outcome: c.String("outcome"), command: c.Args().Slice(), flags: replayFlags(c)}
	if len(o.as) == 0 {
		if len(o.command) == 0 {
			return o, missing("a session", "reprise replay tracker.capture.jsonl")
		}
		o.session, o.command = o.command[0], o.command[1:]
	}
	if o.match, err = choice(c, "match", replay.Levels()); err != nil {
		return o, err
	}
	if o.onMiss, err = choice(c, "on-miss", replay.OnMisses()); err != nil {
		return o, err
	}
	if o.exhausted, err = choice(c, "exhausted", replay.Policies()); err != nil {
		return o, err
	}
	onExpired, err := choice(c, "on-expired", []string{"warn", "error"})
	if err != nil {
		return o, err
	}
	o.strict = onExpired == "error"
	if o.speed, err = speedOf(c.String("timing")); err != nil {
		return o, err
	}
	if c.IsSet("on-expired") && !c.IsSet("expire") {
		return o, hint(usage(errors.New("--on-expired needs --expire")), "for example: --expire 90d --on-expired error")
	}
	if text := c.String("expire"); text != "" {
		o.expireText = text
		if o.expire, err = parseAge(text); err != nil {
			return o, hint(usage(fmt.Errorf("--expire can't be %q", text)), "write a number with its unit (s, m, h, d, w), as in --expire 90d")
		}
	}
	if o.ignore, err = p.ignoring(c.StringSlice("ignore"), c.String("ignore-file")); err != nil {
		return o, err
	}
	return o, o.check()
}

// check refuses what does not go together.
func (o *replayOptions) check() error {
	file := o.session
	if len(o.as) == 1 {
		_, file, _ = strings.Cut(o.as[0], "=")
	}
	switch pass := o.onMiss == replay.OnMissPassthrough; {
	case pass && len(o.command) == 0:
		return missing("the real server's command", "reprise replay t.capture.jsonl --on-miss passthrough -- npx tracker-mcp")
	case pass && len(o.as) > 1:
		return hint(usage(errors.New("one server only can be passed through")), "give one --as, or a capture file")
	case pass && !namesFile(file):
		return hint(usage(errors.New("passthrough adds to a capture file")), "`reprise export %s -o FILE` makes one", file)
	case !pass && len(o.as) == 0 && len(o.command) > 0:
		return hint(usage(fmt.Errorf("unexpected argument %q", o.command[0])), "a COMMAND is for --on-miss passthrough, or for a run with --as NAME=FILE")
	case len(o.as) > 1 && len(o.command) == 0:
		return hint(usage(errors.New("the standard streams serve one server")), "give the client's command behind --, with {config} where it takes a file of servers; or start one `reprise replay --as NAME=FILE` for each")
	case o.outcome != "" && namesFile(file) && sameFile(o.outcome, file):
		return hint(usage(errors.New("--outcome would overwrite the capture")), "name another file")
	case file == "-":
		return hint(usage(errors.New("the standard input is the client's")), "name the capture file")
	}
	return nil
}

// isRun says whether the command is the client of several servers, not the server of a client.
func (o *replayOptions) isRun() bool {
	return len(o.as) > 0 && len(o.command) > 0 && o.onMiss != replay.OnMissPassthrough
}

// choice is the value of a flag that takes one of a few words.
func choice[T ~string](c *cli.Context, flag string, of []T) (T, error) {
	value := T(c.String(flag))
	if !slices.Contains(of, value) {
		var words []string
		for _, v := range of {
			words = append(words, string(v))
		}
		return value, hint(usage(fmt.Errorf("--%s can't be %q", flag, value)), "it is one of %s", strings.Join(words, ", "))
	}
	return value, nil
}

// speedOf reads --timing: 0 is instantly.
func speedOf(text string) (float64, error) {
	switch text {
	case "instant":
		return 0, nil
	case "recorded":
		return 1, nil
	}
	number, times := strings.CutSuffix(text, "x")
	if speed, err := strconv.ParseFloat(number, 64); times && err == nil && speed > 0 && speed < 1e9 {
		return speed, nil
	}
	return 0, hint(usage(fmt.Errorf("--timing can't be %q", text)), "it is instant, recorded, or how many times as fast: 10x")
}

// ignoring reads rules of the command line and of a file. Without any it gives nil.
func (p *program) ignoring(rules []string, file string) (*reprise.Ignore, error) {
	if len(rules) == 0 && file == "" {
		return nil, nil
	}
	ignore := &reprise.Ignore{}
	for _, text := range rules {
		rule, err := reprise.ParseIgnore(text)
		if err != nil {
			return nil, hint(usage(fmt.Errorf("--ignore %s: %w", quote(text), err)), "a rule is a place such as items[*].id, or TOOL:PATH")
		}
		ignore.Add(rule)
	}
	if file == "" {
		return ignore, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint(usage(fmt.Errorf("no such file: %s", file)), "`reprise verify --learn-noise` writes one; docs/verify.md has the form")
	}
	if err != nil {
		return nil, usage(err)
	}
	defer f.Close()
	if err := ignore.Load(f); err != nil {
		return nil, hint(usage(fmt.Errorf("%s: %w", file, err)), "each of its lines is a rule such as items[*].id, or TOOL:PATH")
	}
	return ignore, nil
}

// replay is the server, over the standard streams.
func (p *program) replay(ctx context.Context, o replayOptions) error {
	name := ""
	if len(o.as) == 1 {
		var given bool
		if name, o.session, given = strings.Cut(o.as[0], "="); !given || name == "" || o.session == "" {
			return hint(usage(fmt.Errorf("--as can't be %q", o.as[0])), "write NAME=FILE")
		}
	}
	debug.SetGCPercent(400) // a capture is read once, and stays
	capture, err := p.loadCapture(ctx, o.shared, o.session)
	if err != nil {
		return err
	}
	if err := p.playable(o, capture); err != nil {
		return err
	}
	s := p.server(o, capture)
	p.tellWaiting(o, capture)
	conn := proxy.Accept(os.Stdin, os.Stdout)
	log := (*recorder.Recorder)(nil)
	if o.record {
		conn, log = p.recordPlay(o.shared, conn, playSession(capture, name, reprise.PurposeReplay), tapeClient)
	}
	report, err := s.Serve(ctx, conn)
	if s.Upstream != nil {
		err = errors.Join(err, s.Upstream.Close())
	}
	if log != nil {
		ending, code := reprise.EndedByClient, (*int)(nil)
		if report.Died {
			ending, code = reprise.EndedByServer, &report.Code
		}
		log.End(ending, code, patience)
	}
	if ctx.Err() != nil {
		err = nil // ended by its host, as servers are
	}
	return cmp.Or(err, p.replayed(o, name, report))
}

// tellWaiting says to a person at a terminal what a client would know.
func (p *program) tellWaiting(o replayOptions, c *reprise.Capture) {
	if _, ok := terminal(os.Stdin); ok && !o.quiet {
		fmt.Fprintf(p.stderr, "reprise: this is the server of %s now, and waits for its client on the standard input: put it where the client has the server's command. Ctrl-C ends it\n",
			cmp.Or(visible(c.Session().Server), "the session"))
	}
}

// playable refuses a session that can't be played, and says what is wrong with one that can.
func (p *program) playable(o replayOptions, c *reprise.Capture) error {
	s := c.Session()
	if s.MetadataOnly {
		return hint(usage(errors.New("the session holds methods and times only: there is nothing to play")), "record without --metadata-only")
	}
	if end := c.End(); end != nil && len(end.Gaps) > 0 {
		p.warn(o.shared, "parts of the session are missing from its record: "+count(int64(len(end.Gaps)), "gap"))
	}
	if age := p.now().Sub(s.StartedAt); o.expire > 0 && !s.StartedAt.IsZero() && age > o.expire {
		text := fmt.Sprintf("the session is older than %s: it is of %s", o.expireText, s.StartedAt.Format(time.DateTime))
		anew := "record it anew, or refresh it: `reprise verify S --update -- COMMAND`"
		if o.strict {
			fmt.Fprintf(p.stderr, "reprise: error: %s\nreprise: hint: %s\n", text, anew)
			return exitStatus(exitWanting)
		}
		p.warn(o.shared, text+"; "+anew)
	}
	return nil
}

func (p *program) server(o replayOptions, c *reprise.Capture) *replay.Server {
	s := replay.NewServer(c)
	s.Match, s.OnMiss, s.Exhausted, s.Speed, s.Faithful, s.Ignore = o.match, o.onMiss, o.exhausted, o.speed, o.faithful, o.ignore
	s.Log = func(text string) { p.warn(o.shared, visible(text)) }
	if o.onMiss == replay.OnMissPassthrough {
		file := o.session
		s.Upstream = &replay.Upstream{
			Dial:   func() (io.ReadWriteCloser, error) { return dial(o.command) },
			Update: func(change func(*reprise.Capture)) error { return p.updateFile(file, change) },
		}
	}
	return s
}

// updateFile changes a capture file, which others may change too: what they have done is kept.
func (p *program) updateFile(path string, change func(*reprise.Capture)) error {
	for try := 0; ; try++ {
		seen, err := os.Stat(path)
		if err != nil {
			return err
		}
		c, err := p.loadFile(path)
		if err != nil {
			return err
		}
		change(c)
		if err = replaceSame(path, seen, c.Write); !errors.Is(err, errChanged) || try == 20 {
			return err
		}
	}
}

// dial starts the real server.
func dial(command []string) (io.ReadWriteCloser, error) {
	conn, err := proxy.Dial(command, os.Stderr)
	if err != nil {
		return nil, errors.New(startText(err))
	}
	return conn, nil
}

// replayed tells the outcome, on stderr: stdout is the protocol's.
func (p *program) replayed(o replayOptions, name string, r *replay.Report) error {
	if o.outcome != "" {
		if err := writeFile(o.outcome, true, playOutcome(name, r).writeTo); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		if err := playOutcome(name, r).writeTo(p.stderr); err != nil {
			return err
		}
	case !o.quiet:
		for i := range r.Nearest {
			p.warn(o.shared, "answered as the nearest: "+visible(r.Nearest[i].String()))
		}
		fmt.Fprintf(p.stderr, "reprise: %s\n", visible(summary(r)))
		p.tellUnused(r)
	}
	switch {
	case r.Died:
		return exitStatus(r.Code)
	case r.Failed(o.failUnused):
		return exitStatus(exitWanting)
	}
	return nil
}

// unusedShown is how many of the recorded calls that were not made are told one by one.
const unusedShown = 10

func (p *program) tellUnused(r *replay.Report) {
	n := 0
	for _, u := range r.Unused {
		if u.Repeatable {
			continue
		}
		if n++; n > unusedShown {
			fmt.Fprintf(p.stderr, "reprise: not called: %d more; --outcome FILE lists them all\n", r.MissedCalls()-unusedShown)
			return
		}
		fmt.Fprintf(p.stderr, "reprise: not called: seq %d, %s\n", u.Seq, visible(u.Call))
	}
}
