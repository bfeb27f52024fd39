package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"reprise"
	"reprise/proxy"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

type recordOptions struct {
	shared
	name, host   string
	named        bool // a name is given, which may be empty
	metadataOnly bool
	command      []string
}

func (p *program) recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "stand in front of a server's command and record",
		ArgsUsage: "[--name N] [--host H] -- COMMAND ARG…",
		Category:  recordCategory,
		Description: `Works as the server's command does: same bytes, same exit code. Put it into the
host's configuration in place of the command:

  "command": "/usr/local/bin/reprise",
  "args": ["record", "--name", "files", "--", "npx", "-y", "some-mcp-server"]

Hosts with windows have a short PATH: give the whole path, as here.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "the server's `NAME` in the host (default: the command's)"},
			&cli.StringFlag{Name: "host", Usage: "the agent host's `NAME` (default: what it calls itself)"},
			&cli.BoolFlag{Name: "metadata-only", Usage: "keep methods, sizes and times, and no content"},
		},
		Action: func(c *cli.Context) error {
			return p.record(givenRecord(c))
		},
	}
}

func givenRecord(c *cli.Context) recordOptions {
	return recordOptions{sharedOptions(c), c.String("name"), c.String("host"), c.IsSet("name"), c.Bool("metadata-only"), c.Args().Slice()}
}

// patience is how long the end of a session waits for the database. What is not
// in it by then waits in the journal, and the next command takes it in.
const patience = 300 * time.Millisecond

// recordLine reads the command line of `record` as it stands in host configs.
// It says false where the flag package has to look: a host waits for the server, and
// building the whole command line costs as much as starting it.
func recordLine(args []string) (o recordOptions, plain bool) {
	values := map[string]*string{"--name": &o.name, "--host": &o.host, "--db": &o.db}
	for i := 0; i < len(args); i++ {
		switch value := values[args[i]]; {
		case args[i] == "--":
			o.command = args[i+1:]
			return o, len(o.command) > 0
		case args[i] == "--metadata-only":
			o.metadataOnly = true
		case strings.HasPrefix(args[i], "--name="): // so `wrap` writes a name that begins with a dash
			o.name, o.named = strings.TrimPrefix(args[i], "--name="), true
		case value != nil && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			o.dbGiven = o.dbGiven || args[i] == "--db"
			o.named = o.named || args[i] == "--name"
			i++
			*value = args[i]
		default:
			return o, false
		}
	}
	return o, false
}

// record runs the server. Nothing stands before its start; what the record
// needs is made while the server is starting. stdout is the protocol's alone.
func (p *program) record(o recordOptions) error {
	if len(o.command) == 0 {
		return missing("the server's command", "reprise record -- npx -y some-mcp-server")
	}
	start := time.Now()
	elapsed := func() time.Duration { return time.Since(start) }
	server := proxy.Stdio{
		Command: startable(o.command, os.UserHomeDir),
		Host:    proxy.Files{In: os.Stdin, Out: os.Stdout, Err: os.Stderr},
		Elapsed: elapsed,
		Signals: hostSignals(),
	}
	failed := server.Start()
	debug.SetGCPercent(30) // one of us runs for every server: small is better than quick off the path
	log := p.startRecord(o, start, elapsed, server.Warn)
	if failed != nil {
		return p.neverStarted(failed, log)
	}
	if log == nil {
		return exitStatus(server.Run(nil).Code)
	}
	exit := server.Run(log)
	log.End(exit.Ending, &exit.Code, patience)
	return exitStatus(exit.Code)
}

// hostSignals asks for the signals that the host ends us with, and those that mean something to a server. SIGPIPE is asked
// for so that a host that went away is an error to us, not our death.
func hostSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 8)
	for _, s := range append([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE}, otherSignals()...) {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// startRecord begins the session's record, or says that there can be none and gives nil.
func (p *program) startRecord(o recordOptions, start time.Time, elapsed func() time.Duration, warn func(string)) *recorder.Recorder {
	path, err := p.path(o.shared)
	if err == nil {
		var session reprise.Session
		if session, err = o.session(start); err == nil {
			return recorder.Start(path, session, elapsed, warn)
		}
	}
	warn(fmt.Sprintf("reprise: warning: this session is not recorded: %v; traffic goes on", err))
	return nil
}

// session is what is known of the session before its first byte.
func (o *recordOptions) session(start time.Time) (reprise.Session, error) {
	id, err := reprise.NewID(start)
	if err != nil {
		return reprise.Session{}, err
	}
	cwd, _ := os.Getwd() // a folder that is gone has no name
	name := o.name
	if !o.named {
		name = programName(o.command[0])
	}
	return reprise.Session{
		ID: id, Host: o.host, Server: name, Command: reprise.RedactCommand(o.command), Transport: "stdio",
		StartedAt: start, Cwd: cwd, Parent: parentProcess(), MetadataOnly: o.metadataOnly,
	}, nil
}

// neverStarted records that the command could not be started, and says so in one line.
func (p *program) neverStarted(err error, log *recorder.Recorder) error {
	code := 127
	var start *proxy.StartError
	if errors.As(err, &start) {
		code = start.Code
	}
	fmt.Fprintf(p.stderr, "reprise: error: %s\n", visible(startText(err)))
	if log != nil {
		log.End(reprise.NeverStarted, &code, patience)
	}
	return exitStatus(code)
}

// startText is the error in one line, without what the packages beneath say of the path once more. Whoever starts
// us may keep it, and some commands are a whole line with its secrets: those are masked.
func startText(err error) string {
	var start *proxy.StartError
	if !errors.As(err, &start) {
		return err.Error()
	}
	reason := start.Err
	var lookup *exec.Error
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		reason = file.Err
	case errors.As(err, &lookup):
		reason = lookup.Err
	}
	return fmt.Sprintf("start %s: %v", reprise.RedactCommand([]string{start.Command})[0], reason)
}
