package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"reprise/replay"

	"github.com/urfave/cli/v2"
)

// replayFlags are the flags of a run that each of its servers is given too.
func replayFlags(c *cli.Context) []string {
	var flags []string
	for _, name := range []string{"match", "exhausted", "timing", "expire", "on-expired", "on-miss"} {
		if c.IsSet(name) {
			flags = append(flags, "--"+name, c.String(name))
		}
	}
	for _, name := range []string{"ignore-file", "db"} { // the client may start its servers in another folder
		if path, err := filepath.Abs(c.String(name)); c.IsSet(name) && err == nil {
			flags = append(flags, "--"+name, path)
		}
	}
	for _, rule := range c.StringSlice("ignore") {
		flags = append(flags, "--ignore", rule)
	}
	for _, name := range []string{"faithful", "record", "quiet"} {
		if c.Bool(name) {
			flags = append(flags, "--"+name)
		}
	}
	return flags
}

// configWord is replaced in a client's command by the file that lists the servers.
const configWord = "{config}"

// player is one server of a run.
type player struct{ name, file, outcome string }

// replayRun starts the client of several captured servers. It is given a file that lists them as hosts do; each is a
// process of its own, and the outcome is theirs and the client's together.
func (p *program) replayRun(ctx context.Context, o replayOptions) error {
	players, err := p.players(ctx, o)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "reprise-run-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	config := filepath.Join(folder, "mcp.json")
	if err := writeServers(config, folder, players, o.flags); err != nil {
		return err
	}
	code, err := p.client(ctx, o.command, config)
	if err != nil {
		return err
	}
	wanting, told := p.runOutcome(o, players)
	if o.outcome != "" {
		if err := writeFile(o.outcome, true, func(w io.Writer) error { _, err := w.Write(told); return err }); err != nil {
			return err
		}
	}
	if code == 0 && wanting {
		code = exitWanting
	}
	return exitStatus(code)
}

// players reads --as, and each of the files once: what can't be read is told before the client starts.
func (p *program) players(ctx context.Context, o replayOptions) ([]player, error) {
	var all []player
	seen := map[string]bool{}
	for _, as := range o.as {
		name, file, given := strings.Cut(as, "=")
		if !given || name == "" || file == "" || seen[name] {
			return nil, hint(usage(fmt.Errorf("--as can't be %q", as)), "write NAME=FILE, each name once")
		}
		seen[name] = true
		c, err := p.loadCapture(ctx, o.shared, file)
		if err == nil {
			err = p.playable(o, c)
		}
		if err != nil {
			return nil, err
		}
		if !namesFile(file) {
			file = c.Session().ID // what `last` is may change
		} else if file, err = filepath.Abs(file); err != nil {
			return nil, err
		}
		all = append(all, player{name: name, file: file})
	}
	return all, nil
}

// writeServers writes the file of servers, in the form that most hosts read.
func writeServers(config, folder string, players []player, flags []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	servers := map[string]server{}
	for i := range players {
		pl := &players[i]
		pl.outcome = filepath.Join(folder, fmt.Sprintf("outcome-%d.json", i))
		args := append([]string{"replay", "--as", pl.name + "=" + pl.file, "--outcome", pl.outcome}, flags...)
		servers[pl.name] = server{self, args}
	}
	data, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(config, append(data, '\n'), 0o600)
}

// client runs the client's command.
func (p *program) client(ctx context.Context, command []string, config string) (int, error) {
	args := make([]string, len(command))
	for i, arg := range command {
		args[i] = strings.ReplaceAll(arg, configWord, config)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.stdin, p.stdout, p.stderr
	cmd.Env = append(os.Environ(), "REPRISE_MCP_CONFIG="+config)
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	case exit != nil: // killed
		fmt.Fprintf(p.stderr, "reprise: the client ended with %v\n", exit)
		return exitWanting, nil
	case err != nil:
		return 0, hint(fmt.Errorf("start the client: %w", err), "its command stands behind --")
	}
	return 0, nil
}

// runOutcome tells what became of each server, and says whether any was found wanting. told are their outcomes, one on a line.
func (p *program) runOutcome(o replayOptions, players []player) (wanting bool, told []byte) {
	for _, pl := range players {
		var got struct {
			Report replay.Report `json:"report"`
		}
		data, err := os.ReadFile(pl.outcome)
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		if err != nil {
			fmt.Fprintf(p.stderr, "reprise: %s: was not started, or killed before it could say anything\n", visible(pl.name))
			wanting = true // a client that never reached its server has shown nothing
			continue
		}
		told = append(append(told, bytes.TrimSpace(data)...), '\n')
		r := &got.Report
		wanting = wanting || r.Failed(o.failUnused)
		if o.json {
			_, _ = io.WriteString(p.stderr, strings.TrimSpace(string(data))+"\n")
		} else if !o.quiet {
			fmt.Fprintf(p.stderr, "reprise: %s: %s\n", visible(pl.name), visible(summary(r)))
		}
	}
	return wanting, told
}
