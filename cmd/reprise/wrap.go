package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"reprise/hosts"

	"github.com/urfave/cli/v2"
)

type wrapOptions struct {
	shared
	unwrap, all, allHosts  bool
	dryRun, print, project bool
	host                   string
	servers                []string
	config, format         string
	keys                   []string
	command                []string // of --print: what to put Reprise in front of
}

func (p *program) wrapCommand() *cli.Command {
	return &cli.Command{
		Name:      "wrap",
		Usage:     "put Reprise in front of the servers of a host's config",
		ArgsUsage: "HOST [--server N]… [--print [-- COMMAND ARG…]]",
		Category:  recordCategory,
		Description: `Every server that the host starts then runs as
reprise record --host HOST --name SERVER -- THE ORIGINAL. Nothing else in the
file changes, not a blank. Remote servers are left alone and listed.
` + "`reprise unwrap HOST`" + ` gives the file back. docs/hosts.md tells more.

Examples:
  reprise wrap claude-desktop
  reprise wrap cursor --server files --dry-run
  reprise wrap --all-hosts
  reprise wrap my-agent --config agent.yaml --key tools --key mcp
  reprise wrap jetbrains --print --server files -- npx -y server-files`,
		Flags: append(wrapFlags(), projectFlag(),
			&cli.BoolFlag{Name: "print", Usage: "write what to paste by hand, and change no file"}),
		Action: func(c *cli.Context) error { return p.wrap(c.Context, wrapOptionsOf(c, false)) },
	}
}

func (p *program) unwrapCommand() *cli.Command {
	return &cli.Command{
		Name:      "unwrap",
		Usage:     "take Reprise out of a host's config again",
		ArgsUsage: "HOST [--server N]…",
		Category:  recordCategory,
		Description: `Gives back the bytes that ` + "`reprise wrap`" + ` replaced. Where the entry has been
written anew since, what stands behind -- becomes the command again. Files that
were wrapped with --config, or in another project, are found again by HOST.

Examples:
  reprise unwrap claude-desktop
  reprise unwrap --all-hosts          before you remove the program`,
		Flags:  append(wrapFlags(), unlisted{projectFlag()}),
		Action: func(c *cli.Context) error { return p.wrap(c.Context, wrapOptionsOf(c, true)) },
	}
}

func wrapFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "server", Usage: "the server `N` only; may be repeated"},
		&cli.BoolFlag{Name: "all", Usage: "all servers: so it is without --server"},
		&cli.BoolFlag{Name: "all-hosts", Usage: "in every host's config that is found"},
		&cli.BoolFlag{Name: "dry-run", Usage: "show what would change, and change nothing"},
		&cli.StringFlag{Name: "config", Usage: "in `FILE`, wherever the host's usual ones are"},
		&cli.StringFlag{Name: "format", Usage: "FILE is `json`, toml or yaml (default: by its name)"},
		&cli.StringSliceFlag{Name: "key", Usage: "the servers are under `KEY`; repeat it to go deeper"},
	}
}

func projectFlag() cli.Flag {
	return &cli.BoolFlag{Name: "project", Usage: "in a project's files under git too"}
}

// unlisted is a flag that is taken and shown nowhere: unwrap needs no --project, and who gives it is right too.
type unlisted struct{ cli.Flag }

func wrapOptionsOf(c *cli.Context, unwrap bool) wrapOptions {
	o := wrapOptions{
		shared: sharedOptions(c), unwrap: unwrap, all: c.Bool("all"), allHosts: c.Bool("all-hosts"), dryRun: c.Bool("dry-run"), print: c.Bool("print"),
		project: c.Bool("project"), host: c.Args().First(), servers: c.StringSlice("server"), config: c.String("config"), format: c.String("format"), keys: c.StringSlice("key"),
	}
	if c.NArg() > 1 {
		o.command = c.Args().Tail()
	}
	return o
}

// check refuses options that do not go together.
func (o wrapOptions) check() error {
	verb := o.verb()
	switch {
	case o.all && len(o.servers) > 0:
		return hint(usage(errors.New("--all and --server exclude each other")), "give one of them")
	case o.allHosts && (o.host != "" || o.config != ""):
		return hint(usage(errors.New("--all-hosts goes with neither a HOST nor --config")), "give one of them")
	case o.config == "" && (o.format != "" || len(o.keys) > 0):
		return hint(usage(errors.New("--format and --key need --config")), "for example: reprise %s my-agent --config agent.json --key servers", verb)
	case len(o.command) > 0 && !o.print:
		return hint(usage(fmt.Errorf("unexpected argument %q", o.command[0])), "%s", o.instead())
	case o.host == "" && o.config == "" && !o.allHosts:
		return hint(missing("the host", "reprise "+verb+" cursor"), "`reprise hosts` lists what is here; for example: reprise %s cursor", verb)
	case o.print && (o.dryRun || o.allHosts):
		return hint(usage(errors.New("--print goes with neither --dry-run nor --all-hosts")), "give one of them")
	}
	return nil
}

// instead is what was probably meant by the arguments behind the host.
func (o wrapOptions) instead() string {
	if _, ok := hosts.Find(o.command[0]); ok {
		return "one host at a time, or --all-hosts"
	}
	if len(o.command) == 1 {
		return fmt.Sprintf("did you mean --server %s?", o.command[0])
	}
	return fmt.Sprintf("`reprise help %s` says what it takes", o.verb())
}

func (o wrapOptions) verb() string {
	if o.unwrap {
		return "unwrap"
	}
	return "wrap"
}

func (p *program) wrap(ctx context.Context, o wrapOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	plan, err := p.plan(o)
	if err != nil {
		return err
	}
	known, err := p.places()
	if err != nil {
		return err
	}
	files, err := known.files(o)
	if err != nil {
		return err
	}
	run := &wrapRun{wrapOptions: o, program: p, places: known, plan: plan, screen: p.screen(o.shared)}
	if o.print {
		return run.printAll(files)
	}
	return run.all(ctx, files)
}

// plan is what is to be done, apart from where.
func (p *program) plan(o wrapOptions) (hosts.Plan, error) {
	plan := hosts.Plan{Unwrap: o.unwrap, Names: o.servers, Runs: runs}
	if o.unwrap {
		return plan, nil
	}
	if err := checkName(o.host); err != nil {
		return plan, hint(usage(err), "give the host another name")
	}
	binary, err := p.ownPath()
	if err != nil {
		return plan, err
	}
	plan.Wrapper.Binary = binary
	if o.dbGiven {
		if plan.Wrapper.DB, err = p.path(o.shared); err != nil {
			return plan, err
		}
	}
	if err := plan.Wrapper.Check(); err != nil {
		return plan, hint(usage(err), "put it where the path has none")
	}
	return plan, nil
}

// checkName refuses a host's name that would not arrive in `record --host`.
func checkName(host string) error {
	if strings.HasPrefix(host, "-") {
		return errors.New("the host's name begins with -, as flags do")
	}
	return hosts.Wrapper{Host: host}.Check()
}

// runs says whether the reprise of a wrapped entry can be started. Hosts with windows have a short PATH: a
// name without a path is looked up in ours, which is the best that can be done here. What only the host, or another
// system, can make a path of counts as running.
func runs(binary string) bool {
	if forOthers(binary) {
		return true
	}
	_, err := exec.LookPath(binary)
	return err == nil
}

// forOthers knows paths that cannot be judged here: with a variable in it, a ~ in front, or of another system.
func forOthers(binary string) bool {
	if strings.ContainsAny(binary, "$%") || strings.HasPrefix(binary, "~") {
		return true
	}
	drive := len(binary) > 1 && binary[1] == ':'
	return runtime.GOOS != "windows" && (drive || strings.Contains(binary, `\`))
}

// ownPath is the path by which hosts start us from now on: one that stays when the program is updated.
func (p *program) ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	path := self
	if named, err := exec.LookPath("reprise"); err == nil && sameFile(named, self) {
		path = named // a link in bin, of a folder with a version in its name
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	switch {
	case !hosts.IsReprise(path):
		return "", hint(usage(fmt.Errorf("this program is called %s", filepath.Base(path))), "call it reprise: by that name wrapped servers are known again")
	case passing(path):
		return "", hint(usage(fmt.Errorf("%s is not there to stay", path)), "install the program first: hosts start it by its path")
	}
	return path, nil
}

// passing knows where `go run` and npx put programs for a while.
func passing(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(step string) bool {
		number, built := strings.CutPrefix(step, "go-build")
		return step == "_npx" || built && strings.Trim(number, "0123456789") == ""
	})
}
