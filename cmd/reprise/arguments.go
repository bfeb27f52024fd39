package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// shared are the options that every command has.
type shared struct {
	db      string
	dbGiven bool // --db stands in the command line
	json    bool
	noColor bool
	quiet   bool
}

func sharedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "db", Usage: "the database at `PATH`, not $REPRISE_DB or the usual one"},
		&cli.BoolFlag{Name: "json", Usage: "write JSON Lines (docs/json.md)"},
		&cli.BoolFlag{Name: "no-color", Usage: "no colour; so does NO_COLOR"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no headers, footers and warnings"},
	}
}

func sharedOptions(c *cli.Context) shared {
	return shared{db: c.String("db"), dbGiven: c.IsSet("db"), json: c.Bool("json"), noColor: c.Bool("no-color"), quiet: c.Bool("quiet")}
}

// arrange moves flags between the command and its arguments, wherever they
// stood: urfave/cli v2 stops at the first argument. What follows "--" is never
// a flag. `help X` is `X --help`.
func arrange(args []string, commands []*cli.Command) []string {
	if len(args) > 0 && args[0] == "help" {
		if len(args) > 1 && args[1] == "help" {
			args = args[1:]
		}
		args = append(args[1:len(args):len(args)], "--help")
	}
	flags, rest := split(args, sharedFlags(), true)
	if len(rest) == 0 {
		return flags
	}
	c := find(commands, rest[0])
	if c == nil {
		return rest[:1]
	}
	if c.Name == "record" { // the flags behind the command are the server's
		return append(append([]string{c.Name}, flags...), rest[1:]...)
	}
	more, rest := split(rest[1:], c.Flags, false)
	args = append([]string{c.Name}, flags...)
	args = append(args, more...)
	if len(rest) == 0 {
		return args
	}
	return append(append(args, "--"), rest...)
}

// split takes the flags out of a command line, up to its first argument or up to "--".
func split(args []string, known []cli.Flag, untilArgument bool) (flags, rest []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return flags, append(rest, args[i+1:]...)
		case len(arg) > 1 && arg[0] == '-':
			flags = append(flags, arg)
			if takesValue(arg, known) {
				if i++; i == len(args) {
					return flags, nil // the value is missing: so the flag stays the last word
				}
				flags = append(flags, args[i])
			}
		case untilArgument:
			return flags, args[i:]
		default:
			rest = append(rest, arg)
		}
	}
	return flags, rest
}

// takesValue says whether the argument after a flag belongs to it.
func takesValue(arg string, known []cli.Flag) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range known {
		for _, n := range f.Names() {
			if n == name {
				d, ok := f.(cli.DocGenerationFlag)
				return ok && d.TakesValue()
			}
		}
	}
	return false
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func flagNames(flags []cli.Flag) []string {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	return names
}

// atMost refuses arguments behind the first n: what nobody looks at is a mistake.
func atMost(n int, do cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.NArg() > n {
			return hint(usage(fmt.Errorf("unexpected argument %q", c.Args().Get(n))), "`reprise help %s` says what it takes", c.Command.Name)
		}
		return do(c)
	}
}

// oneSession is the argument of a command that takes a single session.
func oneSession(c *cli.Context, example string) (string, error) {
	switch c.NArg() {
	case 0:
		return "", missing("a session", example)
	case 1:
		return c.Args().First(), nil
	}
	return "", hint(usage(fmt.Errorf("one session only: unexpected argument %q", c.Args().Get(1))), "for example: %s", example)
}

// oneOf refuses flags that exclude each other.
func oneOf(c *cli.Context, flags ...string) error {
	first := ""
	for _, name := range flags {
		switch {
		case !c.IsSet(name):
		case first != "":
			return hint(usage(fmt.Errorf("--%s and --%s exclude each other", first, name)), "give one of them")
		default:
			first = name
		}
	}
	return nil
}

// limited is the value of --limit.
func limited(c *cli.Context) (int, error) {
	n := c.Int("limit")
	if n < 0 {
		return 0, hint(usage(errors.New("--limit can't be negative")), "--limit 0 gives all")
	}
	return n, nil
}
