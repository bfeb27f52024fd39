package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"reprise"

	"github.com/urfave/cli/v2"
)

type contractOptions struct {
	exportOptions
	check  string
	failOn reprise.Tier
}

func (p *program) contractCommand() *cli.Command {
	const example = "reprise contract last -o tracker.contract.json"
	return &cli.Command{
		Name:      "contract",
		Usage:     "write down what a server offers, or check that it still does",
		ArgsUsage: "S [-o FILE | --check FILE]",
		Category:  playCategory,
		Description: `Writes the tools, prompts, resources and templates that a session shows to a
file for review and git, with secrets masked. --check compares a session with
such a file: exit code 1 says that the server has drifted. docs/contract.md has
the tiers.

Examples:
  reprise contract last -o tracker.contract.json
  reprise contract last --check tracker.contract.json
  reprise contract last --check tracker.contract.json --fail-on breaking`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, not the standard output"},
			&cli.BoolFlag{Name: "force", Usage: "overwrite FILE, whatever it is"},
			&cli.StringFlag{Name: "check", Usage: "compare with the contract in `FILE`"},
			&cli.StringFlag{Name: "fail-on", Value: string(reprise.TierDangerous), Usage: "`TIER` to fail from: breaking, dangerous, minor, info"},
			&cli.StringSliceFlag{Name: "rule", Usage: "mask more: `RULE` is a /regexp/ or a place; may be repeated"},
			&cli.BoolFlag{Name: "no-redact", Usage: "leave secrets as they are"},
		},
		Action: func(c *cli.Context) error {
			o, err := contractFlags(c, example)
			if err != nil {
				return err
			}
			if o.check != "" {
				return p.checkContract(c.Context, o)
			}
			return p.writeContract(c.Context, o)
		},
	}
}

func contractFlags(c *cli.Context, example string) (o contractOptions, err error) {
	for _, other := range []string{"output", "force", "no-redact"} {
		if err := oneOf(c, "check", other); err != nil {
			return o, err
		}
	}
	s, err := oneSession(c, example)
	if err != nil {
		return o, err
	}
	if c.IsSet("fail-on") && !c.IsSet("check") {
		return o, hint(usage(errors.New("--fail-on needs --check")), "for example: --check tracker.contract.json --fail-on breaking")
	}
	if c.IsSet("check") && c.String("check") == "" {
		return o, hint(usage(errors.New("--check is empty")), "name the contract: --check tracker.contract.json")
	}
	o = contractOptions{exportOptions{sharedOptions(c), s, c.String("output"), c.Bool("force"), c.Bool("no-redact"), c.StringSlice("rule")},
		c.String("check"), reprise.Tier(c.String("fail-on"))}
	if !slices.Contains(reprise.Tiers(), o.failOn) {
		return o, hint(usage(fmt.Errorf("no tier %q", o.failOn)), "--fail-on is breaking, dangerous, minor or info")
	}
	return o, nil
}

// writeContract writes the surface of a session.
func (p *program) writeContract(ctx context.Context, o contractOptions) error {
	surface, err := p.surface(ctx, o)
	if err != nil {
		return err
	}
	contract := &reprise.Contract{Surface: surface}
	if o.noRedact {
		p.warn(o.shared, "not redacted: whatever secrets the descriptions hold are in the file")
	} else if contract, err = p.maskContract(o, surface); err != nil {
		return err
	}
	text, err := contract.Append(nil)
	if err != nil {
		return err
	}
	if o.json {
		text = oneLine(text)
	}
	if err := p.putContract(o, reviewable(text)); err != nil {
		return err
	}
	p.tellParts(o, surface)
	return nil
}

// putContract writes the text where it was asked for. A contract is replaced by the next one, and keeps its mode.
func (p *program) putContract(o contractOptions, text []byte) error {
	write := func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
	there, err := os.Stat(o.output)
	if o.force || err != nil || !there.Mode().IsRegular() || p.isStdout(there) {
		return p.writeTo(o.exportOptions, write)
	}
	if err := isContract(o.output); err != nil {
		return hint(usage(fmt.Errorf("%s exists already, and is not a contract that could be replaced: %w", o.output, err)), "--force overwrites it")
	}
	return replaceFile(o.output, write)
}

// surface reads what a session shows of its server.
func (p *program) surface(ctx context.Context, o contractOptions) (*reprise.Surface, error) {
	c, err := p.loadCapture(ctx, o.shared, o.session)
	if err != nil {
		return nil, err
	}
	s := reprise.SurfaceOf(c)
	if !s.Tools.Asked && !s.Prompts.Asked && !s.Resources.Asked && !s.Templates.Asked {
		return nil, hint(usage(errors.New("the session shows none of the server's lists")),
			"tools/list and the like must be in it, with their answers: `reprise show %s` says what is", o.session)
	}
	return s, nil
}

// maskContract makes a contract without the secrets that stand in descriptions and elsewhere.
func (p *program) maskContract(o contractOptions, s *reprise.Surface) (*reprise.Contract, error) {
	redactor, err := newRedactor(o.rules)
	if err != nil {
		return nil, err
	}
	text, err := (&reprise.Contract{Surface: s}).Append(nil)
	if err != nil {
		return nil, err
	}
	redactor.Learn(text)
	masked, err := reprise.ReadContract(bytes.NewReader(redactor.Mask(text)))
	if err != nil {
		return nil, fmt.Errorf("mask contract: %w", err)
	}
	for _, rule := range redactor.Unused() {
		p.warn(o.shared, fmt.Sprintf("--rule %s matched nothing", quote(rule)))
	}
	rules := "default"
	if len(o.rules) > 0 {
		rules = "default and own"
	}
	masked.Redaction = fmt.Sprintf(`{"rules":%q,"placeholders":%d}`, rules, redactor.Placeholders())
	return masked, nil
}

// reviewable spells as escapes what a reviewer would not see, and what a terminal obeys. It means the same.
func reviewable(text []byte) []byte {
	var b []byte
	for line := range bytes.Lines(text) {
		b = append(b, spelled(line)...)
	}
	return b
}

func oneLine(text []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return text // as it was written: it is valid
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// isContract says why a file is no contract.
func isContract(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = reprise.ReadContract(f)
	return err
}

// tellParts says on stderr what the contract lacks of what the server has.
func (p *program) tellParts(o contractOptions, s *reprise.Surface) {
	var missing, parts []string
	for _, l := range surfaceLists(s) {
		switch {
		case !l.Asked && s.Offers(l.capability):
			missing = append(missing, l.name)
		case l.Asked && !l.Whole:
			parts = append(parts, l.name)
		}
	}
	if missing != nil {
		p.warn(o.shared, "not in the contract, for the session does not list them: "+strings.Join(missing, ", "))
	}
	if parts != nil {
		p.warn(o.shared, "in the contract in part, for the session does not list them to the end: "+strings.Join(parts, ", "))
	}
}

type namedList struct {
	name, capability string
	*reprise.Listing
}

func surfaceLists(s *reprise.Surface) []namedList {
	return []namedList{{"tools", "tools", &s.Tools}, {"prompts", "prompts", &s.Prompts},
		{"resources", "resources", &s.Resources}, {"resource templates", "resources", &s.Templates}}
}

// checkContract compares a session with a contract.
func (p *program) checkContract(ctx context.Context, o contractOptions) error {
	f, err := p.openContract(o.check)
	if err != nil {
		return err
	}
	contract, err := reprise.ReadContract(f)
	f.Close()
	if err != nil {
		return contractHint(o, err)
	}
	surface, err := p.surface(ctx, o)
	if err != nil {
		return err
	}
	if contract.Redaction != "" { // what was masked there is masked here, or it would differ
		masked, err := p.maskContract(o, surface)
		if err != nil {
			return err
		}
		surface = masked.Surface
	}
	if !comparable(contract.Surface, surface) {
		return hint(usage(errors.New("the session shows none of the lists that the contract has: nothing could be checked")),
			"`reprise contract %s` says what it shows", o.session)
	}
	return p.tellDrift(o, reprise.Drift(contract.Surface, surface))
}

func (p *program) openContract(path string) (*os.File, error) {
	if path != "-" {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return nil, hint(usage(fmt.Errorf("no such file: %s", path)), "`reprise contract S -o FILE` makes a contract of a session S")
		}
	}
	return p.openInput(path)
}

func contractHint(o contractOptions, err error) error {
	err = usage(fmt.Errorf("%s: %w", o.check, err))
	if errors.Is(err, reprise.ErrNewerContract) {
		return err
	}
	return hint(err, "`reprise contract S -o FILE` makes a contract of a session S")
}

// comparable says whether the two have a list in common.
func comparable(a, b *reprise.Surface) bool {
	other := surfaceLists(b)
	for i, l := range surfaceLists(a) {
		if l.Asked && other[i].Asked {
			return true
		}
	}
	return false
}

// tellDrift writes what has changed, and fails when it is bad enough.
func (p *program) tellDrift(o contractOptions, found []reprise.Drifted) error {
	s := p.screen(o.shared)
	if o.json {
		for _, d := range found {
			if err := driftRow(d).writeTo(s); err != nil {
				return err
			}
		}
	} else {
		s.drift(found)
	}
	if err := s.Flush(); err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(d reprise.Drifted) bool { return d.Tier.AtLeast(o.failOn) }) {
		return exitStatus(exitWanting)
	}
	return nil
}

// drift writes a line for each change, in full as a compiler does, and how many there are.
func (s *screen) drift(found []reprise.Drifted) {
	for _, d := range found {
		where := s.paint(bold, short(strings.TrimSpace(d.Kind+" "+d.Name)))
		if d.Path != "" {
			where += " " + s.paint(cyan, short(d.Path))
		}
		s.line("%s %s: %s", s.cell(9).add(tierStyle(d.Tier), string(d.Tier)), where, short(d.Message))
	}
	s.note("%s", driftCount(found))
}

// short keeps a line readable when somebody's name or value is a book.
func short(text string) string {
	text, _, _ = fit(text, 200)
	return text
}

func tierStyle(t reprise.Tier) style {
	switch t {
	case reprise.TierBreaking:
		return red
	case reprise.TierDangerous:
		return yellow
	case reprise.TierMinor:
		return plain
	}
	return dim
}

// driftCount is how many changes there are of each tier.
func driftCount(found []reprise.Drifted) string {
	if len(found) == 0 {
		return "no drift"
	}
	counts := map[reprise.Tier]int{}
	for _, d := range found {
		counts[d.Tier]++
	}
	var parts []string
	for _, t := range reprise.Tiers() {
		if counts[t] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[t], t))
		}
	}
	return strings.Join(parts, ", ")
}

// driftRow is one change as JSON.
func driftRow(d reprise.Drifted) *object {
	o := newObject()
	o.set("tier", string(d.Tier))
	o.set("kind", d.Kind)
	o.text("name", d.Name)
	o.text("path", d.Path)
	o.set("message", d.Message)
	o.json("old", d.Old)
	o.json("new", d.New)
	return o
}
