package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// shared are the options that every command has.
type shared struct {
	db      string
	json    bool
	noColor bool
	quiet   bool
}

func sharedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "db", Usage: "use the database at `PATH` instead of $REPRISE_DB or the usual place"},
		&cli.BoolFlag{Name: "json", Usage: "write JSON Lines (docs/json.md)"},
		&cli.BoolFlag{Name: "no-color", Usage: "no colour; so does NO_COLOR"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no headers, footers and warnings"},
	}
}

func sharedOptions(c *cli.Context) shared {
	return shared{db: c.String("db"), json: c.Bool("json"), noColor: c.Bool("no-color"), quiet: c.Bool("quiet")}
}

// arrange moves flags between the command and its arguments, wherever they
// stood: urfave/cli v2 stops at the first argument. What follows "--" is never
// a flag. `help X` is `X --help`.
func arrange(args []string, commands []*cli.Command) []string {
	if len(args) > 0 && args[0] == "help" {
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
