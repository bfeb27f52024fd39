// Command reprise records the conversations between MCP hosts and MCP servers,
// and shows what was said.
//
// One file holds one command: its flags become an options struct, and a
// function run over them joins the packages that do the work. Rules for who
// may write where:
//
//   - stdout is the command's result, and the protocol while recording;
//   - stderr is for errors, hints and warnings;
//   - bytes that crossed between host and server reach a terminal only with
//     their control characters escaped (see screen).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
)

func main() {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now}
	os.Exit(p.run(os.Args[1:]))
}

// program is what the commands get from their process.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
}

// run does what the arguments ask for and returns the exit code.
func (p *program) run(args []string) int {
	if len(args) > 0 && args[0] == "record" {
		if o, plain := recordLine(args[1:]); plain {
			return p.report(p.record(o))
		}
		return p.report(p.app([]*cli.Command{p.recordCommand()}).Run(append([]string{"reprise"}, args...)))
	}
	// A reader that went away (`reprise show last | head`) is then an error that
	// we see, and end on quietly, instead of the signal that kills us.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	commands := p.commands()
	return p.report(p.app(commands).RunContext(ctx, append([]string{"reprise"}, arrange(args, commands)...)))
}

// commands lists every command in the order of the help text.
func (p *program) commands() []*cli.Command {
	return []*cli.Command{
		p.demoCommand(),
		p.recordCommand(),
		p.wrapCommand(),
		p.unwrapCommand(),
		p.hostsCommand(),
		p.replayCommand(),
		p.verifyCommand(),
		p.analyzeCommand(),
		p.checkCommand(),
		p.harvestCommand(),
		p.sessionsCommand(),
		p.showCommand(),
		p.provenanceCommand(),
		p.tailCommand(),
		p.searchCommand(),
		p.diffCommand(),
		p.contractCommand(),
		p.coverageCommand(),
		p.exportCommand(),
		p.importCommand(),
		p.pauseCommand(),
		p.resumeCommand(),
		p.doctorCommand(),
		p.pinCommand(),
		p.unpinCommand(),
		p.findingCommand(),
		p.pruneCommand(),
		p.rebuildCommand(),
		p.completionCommand(),
		p.demoServerCommand(),
	}
}

func (p *program) app(commands []*cli.Command) *cli.App {
	for _, c := range commands {
		p.finish(c)
	}
	return &cli.App{
		Name:                      "reprise",
		Version:                   version(),
		Commands:                  commands,
		Flags:                     sharedFlags(),
		CustomAppHelpTemplate:     appHelp(commands),
		HideHelpCommand:           true,
		Reader:                    p.stdin,
		Writer:                    p.stdout,
		ErrWriter:                 p.stderr,
		DisableSliceFlagSeparator: true,                         // a rule may have a comma
		ExitErrHandler:            func(*cli.Context, error) {}, // report decides, once
		OnUsageError:              badFlag(commands, nil),
		Action:                    func(c *cli.Context) error { return p.noCommand(c, commands) },
	}
}

// finish gives a command what all commands share.
func (p *program) finish(c *cli.Command) {
	c.CustomHelpTemplate = commandHelp(c, c.Flags)
	c.Flags = append(c.Flags, sharedFlags()...)
	c.HideHelpCommand = true // `reprise search help` looks for help
	c.OnUsageError = badFlag(nil, c)
}

func (p *program) noCommand(c *cli.Context, commands []*cli.Command) error {
	if name := c.Args().First(); name != "" {
		return unknownCommand(name, commands)
	}
	fmt.Fprint(p.stderr, welcome)
	return hint(usage(errors.New("no command given")), "`reprise help` lists them all; `reprise demo` shows what it is for")
}

// version is what the Go tool stamped into the binary.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
