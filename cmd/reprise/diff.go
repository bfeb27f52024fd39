package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reprise"
	"reprise/replay"

	"github.com/urfave/cli/v2"
)

type diffOptions struct {
	shared
	a, b     string
	ignore   *reprise.Ignore
	exitCode bool
}

func (p *program) diffCommand() *cli.Command {
	const example = "reprise diff before.capture.jsonl last"
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare two sessions, call by call",
		ArgsUsage: "A B",
		Category:  playCategory,
		Description: `Says what has changed from session A to session B: what the server offers, and
what it answered. Calls are aligned by their method, name and arguments.
Identifiers that A uses later and B calls otherwise are no change, nor is what
the protocol makes anew each time. docs/commands.md tells more.

Examples:
  reprise diff before.capture.jsonl last
  reprise diff a.capture.jsonl b.capture.jsonl --ignore '**.updatedAt'`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "ignore", Usage: "`RULE`: a place that may differ: PATH, TOOL:PATH; repeatable"},
			&cli.StringFlag{Name: "ignore-file", Usage: "such rules from a `FILE`, one on a line"},
			&cli.BoolFlag{Name: "exit-code", Usage: "exit 1 when anything has changed"},
		},
		Action: func(c *cli.Context) error {
			switch c.NArg() {
			case 0:
				return missing("a session", example)
			case 1:
				return missing("a second session", example)
			}
			ignore, err := p.ignoring(c.StringSlice("ignore"), c.String("ignore-file"))
			if err != nil {
				return err
			}
			return atMost(2, func(c *cli.Context) error {
				return p.diff(c.Context, diffOptions{sharedOptions(c), c.Args().Get(0), c.Args().Get(1), ignore, c.Bool("exit-code")})
			})(c)
		},
	}
}

// sessionDiff is all that differs between two sessions.
type sessionDiff struct {
	*replay.Diffs
	drift []reprise.Drifted
}

func (d *sessionDiff) changed() bool {
	return !d.Same() || slices.ContainsFunc(d.drift, func(x reprise.Drifted) bool { return x.Tier.AtLeast(reprise.TierMinor) })
}

func (p *program) diff(ctx context.Context, o diffOptions) error {
	if o.a == "-" && o.b == "-" {
		return hint(usage(errors.New("both sessions are the standard input")), "one of the two can be -")
	}
	a, err := p.withContent(ctx, o.shared, o.a)
	if err != nil {
		return err
	}
	b, err := p.withContent(ctx, o.shared, o.b)
	if err != nil {
		return err
	}
	d := &sessionDiff{replay.Diff(a, b, o.ignore), reprise.Drift(reprise.SurfaceOf(a), reprise.SurfaceOf(b))}
	s := p.screen(o.shared)
	if o.json {
		err = diffRow(a, b, d).writeTo(s)
	} else {
		s.diff(d)
	}
	for _, rule := range o.ignore.Unused() {
		p.warn(o.shared, fmt.Sprintf("the rule %s ignored nothing", quote(rule)))
	}
	if err := errors.Join(err, s.Flush()); err != nil {
		return err
	}
	if o.exitCode && d.changed() {
		return exitStatus(exitWanting)
	}
	return nil
}

// withContent loads a session that has something to compare.
func (p *program) withContent(ctx context.Context, o shared, ref string) (*reprise.Capture, error) {
	c, err := p.loadCapture(ctx, o, ref)
	if err == nil && c.Header.Session.MetadataOnly {
		err = hint(usage(fmt.Errorf("%s was recorded without content: there is nothing to compare", ref)), "record without --metadata-only")
	}
	return c, err
}

// diff writes what the server offers first, then a row for each call, with the places that differ beneath it.
func (s *screen) diff(d *sessionDiff) {
	if len(d.drift) > 0 {
		s.drift(d.drift)
		s.line("")
	}
	for _, x := range d.Handshake {
		s.line("%7s  %s  %s", "", s.paint(dim, "handshake"), s.sides(x, s.width-len(callIndent)-1))
	}
	for i := range d.Calls {
		if c := &d.Calls[i]; !s.quiet || c.Class != reprise.ClassEqual && c.Class != reprise.ClassVolatile {
			s.callDiff(c, d)
		}
	}
	if !s.quiet || d.changed() {
		s.diffCounts(d)
	}
}

const callIndent = "  12345  volatile  "

func (s *screen) callDiff(c *replay.CallDiff, d *sessionDiff) {
	call, mark := c.A, ""
	switch c.Class {
	case reprise.ClassMissing:
		mark = "-"
	case reprise.ClassExtra:
		call, mark = c.B, "+"
	}
	width := s.width - len(callIndent)
	text := s.cell(width)
	if call.Direction == reprise.ServerToClient {
		text.add(dim, "← ")
	}
	text.add(plain, cmp.Or(call.Rendered, call.Method))
	s.line("%7s  %s%s  %s", fmt.Sprint(mark, call.Seq), s.paint(classStyles[c.Class], string(c.Class)),
		spaces(len(reprise.ClassVolatile)-len(c.Class)), strings.TrimRight(text.String(), " "))
	if len(d.drift) > 0 && lists(call.Method) && len(c.Changed) > 0 {
		s.line("%s%s", spaces(len(callIndent)), s.paint(dim, "what it lists has changed as said above"))
		return
	}
	all := slices.Concat(c.Arguments, c.Changed)
	for i, x := range all {
		if i == mostDifferences {
			s.line("%s%s", spaces(len(callIndent)), s.paint(dim, fmt.Sprintf("and %d more: --json has them", len(all)-i)))
			return
		}
		s.line("%s%s", spaces(len(callIndent)), s.sides(x, width))
	}
}

// lists says whether a method lists what the server offers.
func lists(method string) bool {
	return slices.Contains([]string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}, method)
}

// sides is a place and what stands there on both sides, each with half of the room that the place leaves.
func (s *screen) sides(d reprise.Difference, width int) string {
	line := s.cell(width).add(bold, clip(cmp.Or(d.Path, "all of it"), width/2)).add(plain, "  ")
	if d.Recorded == d.Live { // an identifier that is bound to another one
		line.add(red, clip(d.Live, line.left/2)).add(dim, " is still the same, and another one elsewhere")
		return strings.TrimRight(line.String(), " ")
	}
	room := max((line.left-len(" > "))/2, 8)
	line.add(green, clip(orNone(d.Recorded), room)).add(dim, " → ").add(red, clip(orNone(d.Live), room))
	return strings.TrimRight(line.String(), " ")
}

// diffCounts is the last line.
func (s *screen) diffCounts(d *sessionDiff) {
	var parts []string
	for _, class := range []reprise.Class{reprise.ClassEqual, reprise.ClassVolatile, reprise.ClassChanged, reprise.ClassMissing, reprise.ClassExtra} {
		if n := d.Count(class); n > 0 || class == reprise.ClassEqual || class == reprise.ClassChanged {
			parts = append(parts, fmt.Sprintf("%d %s", n, class))
		}
	}
	if d.Repeated > 0 {
		parts = append(parts, fmt.Sprintf("%d more of what clients repeat", d.Repeated))
	}
	st := green
	if d.changed() {
		st = red
	}
	s.line("%s", s.paint(st, strings.Join(parts, ", ")))
}

// diffRow is all of it as one object.
func diffRow(a, b *reprise.Capture, d *sessionDiff) *object {
	o := newObject()
	o.text("a", a.Header.Session.ID)
	o.text("b", b.Header.Session.ID)
	o.set("changed", d.changed())
	o.objects("drift", len(d.drift), func(i int) *object { return driftRow(d.drift[i]) })
	o.differences("handshake", d.Handshake)
	o.objects("calls", len(d.Calls), func(i int) *object { return callDiffRow(&d.Calls[i]) })
	total := newObject()
	for _, class := range []reprise.Class{reprise.ClassEqual, reprise.ClassVolatile, reprise.ClassChanged, reprise.ClassMissing, reprise.ClassExtra} {
		total.set(string(class), d.Count(class))
	}
	o.object("total", total)
	o.set("repeated", d.Repeated)
	return o
}

func callDiffRow(c *replay.CallDiff) *object {
	o := newObject()
	call := cmp.Or(c.A, c.B)
	o.set("class", string(c.Class))
	o.number("a_seq", seqOf(c.A))
	o.number("b_seq", seqOf(c.B))
	o.set("direction", map[reprise.Direction]string{reprise.ClientToServer: "client", reprise.ServerToClient: "server"}[call.Direction])
	o.set("method", call.Method)
	o.text("name", call.Name)
	o.text("call", call.Rendered)
	o.differences("arguments", c.Arguments)
	o.differences("results", c.Changed)
	o.differences("volatile", c.Volatile)
	o.set("ignored", c.Ignored)
	return o
}

func seqOf(c *reprise.Call) int64 {
	if c == nil {
		return 0
	}
	return c.Seq
}

// differences writes places with what stands there in both sessions, null where nothing does.
func (o *object) differences(name string, all []reprise.Difference) {
	o.objects(name, len(all), func(i int) *object {
		d := newObject()
		d.set("path", all[i].Path)
		d.json("a", all[i].Recorded)
		d.json("b", all[i].Live)
		return d
	})
}
