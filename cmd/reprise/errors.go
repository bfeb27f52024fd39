package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

// Exit codes. `record` mirrors the server's own instead.
const (
	exitWanting = 1 // what was looked at was found wanting
	exitUsage   = 2 // the command line, or what it names, is not right: no such session
	exitFailed  = 3 // could not do it: files, database
)

// hinted is an error with a sentence that says what to do about it.
type hinted struct {
	error
	hint string
}

func (e *hinted) Unwrap() error { return e.error }

func hint(err error, format string, args ...any) error {
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// usageError is an error in what the person typed.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usage(err error) error { return &usageError{err} }

// exitStatus ends the program with a code when all that is to say has been said.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// report writes the error to stderr and gives the exit code.
func (p *program) report(err error) int {
	var status exitStatus
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, context.Canceled):
		return 130 // as the shell reports a SIGINT
	}
	err = explain(err)
	fmt.Fprintf(p.stderr, "reprise: error: %s\n", visible(err.Error()))
	var h *hinted
	if errors.As(err, &h) {
		fmt.Fprintf(p.stderr, "reprise: hint: %s\n", visible(h.hint))
	}
	var u *usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	return exitFailed
}

// warn says what the person should know, on stderr.
func (p *program) warn(o shared, text string) {
	if !o.quiet {
		fmt.Fprintf(p.stderr, "reprise: warning: %s\n", text)
	}
}

// explain gives the recorder's errors the hint that a person at a command line needs.
func explain(err error) error {
	var ambiguous *recorder.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return hint(usage(fmt.Errorf("%q begins the ids of %d sessions", ambiguous.Ref, len(ambiguous.Matches))),
			"say more of it: %s", strings.Join(few(ambiguous.Matches, 4), ", "))
	case errors.Is(err, recorder.ErrNotFound) && strings.HasSuffix(err.Error(), `"last"`):
		return hint(usage(err), "nothing has been recorded yet: `reprise sessions` says how to begin")
	case errors.Is(err, recorder.ErrNotFound):
		return hint(usage(err), "`reprise sessions` lists them; `last` is the newest")
	}
	return err
}

func few(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(slices.Clone(list[:n]), "…")
}

func unknownCommand(name string, commands []*cli.Command) error {
	var names []string
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	err := usage(fmt.Errorf("unknown command %q", name))
	if near := nearest(name, names); near != "" {
		return hint(err, "did you mean `reprise %s`?", near)
	}
	return hint(err, "`reprise help` lists the commands")
}

// badFlag words what the flag package says about a command line.
func badFlag(commands []*cli.Command, c *cli.Command) cli.OnUsageErrorFunc {
	return func(_ *cli.Context, err error, _ bool) error {
		flag, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
		if !unknown {
			return hint(usage(errors.New(flagText(err.Error()))), "%s", helpFor(c))
		}
		flag = strings.TrimPrefix(flag, "-")
		err = usage(fmt.Errorf("unknown flag %s", dashed(flag)))
		if c != nil {
			if near := nearest(flag, flagNames(c.Flags)); near != "" {
				return hint(err, "did you mean %s?", dashed(near))
			}
		}
		return hint(err, "%s", helpFor(c))
	}
}

// flagText words an error of package flag as a person reads it.
func flagText(text string) string {
	text = namedFlag.ReplaceAllStringFunc(text, func(found string) string {
		before, name, _ := strings.Cut(found, "-")
		return strings.TrimPrefix(before, "flag ") + dashed(name)
	})
	wanted := "a whole number is wanted"
	switch {
	case strings.HasPrefix(text, "invalid boolean value"):
		wanted = "it is true or false"
	case strings.Contains(text, "--timeout"):
		wanted = "a number with its unit is wanted, as in 60s"
	}
	return strings.Replace(text, "parse error", wanted, 1)
}

var namedFlag = regexp.MustCompile(`(flag |argument: )-[a-z-]+|for -[a-z-]+`)

// dashed spells a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func helpFor(c *cli.Command) string {
	if c == nil {
		return "`reprise help` lists commands and flags"
	}
	return fmt.Sprintf("`reprise help %s` lists its flags", c.Name)
}

// nearest is the name that was probably meant, or "".
func nearest(typed string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		d := distance(typed, name)
		if strings.HasPrefix(name, typed) && len(typed) > 1 {
			d = min(d, 1)
		}
		if d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace to get from a to b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
