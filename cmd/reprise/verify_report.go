package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"reprise"
	"reprise/replay"
	"reprise/report"
)

// writeVerified writes the files that other tools read. They leave the machine, so secrets are masked in them.
func (p *program) writeVerified(o verifyOptions, c *reprise.Capture, v *verified) error {
	if o.junit == "" && o.sarif == "" {
		return nil
	}
	r := verifyReport(o, c, v, p.now().Sub(v.Now.StartedAt))
	for _, f := range []struct {
		path  string
		write func(io.Writer, *report.Report) error
	}{{o.junit, report.WriteJUnit}, {o.sarif, report.WriteSARIF}} {
		if f.path == "" {
			continue
		}
		if err := writeFile(f.path, true, func(w io.Writer) error { return f.write(w, r) }); err != nil {
			return err
		}
	}
	return nil
}

var verifyRules = []report.Rule{
	{ID: string(reprise.ClassChanged), Text: "The server answers otherwise than it did.", Help: "Mend the server, ignore the place, or take today's answer for the right one with --update."},
	{ID: string(reprise.ClassMissing), Text: "What the server did, it does no more.", Help: "Look at what the server did instead."},
	{ID: string(reprise.ClassExtra), Text: "The server does what it did not."},
}

func verifyReport(o verifyOptions, c *reprise.Capture, v *verified, took time.Duration) *report.Report {
	r := &report.Report{Name: "verify", Tool: report.Tool{Name: "reprise", Version: version()}, Started: v.Now.StartedAt, Duration: took, Rules: verifyRules}
	redactor, err := newRedactor(o.rules)
	if err != nil { // they were read before
		redactor = &reprise.Redactor{}
	}
	for _, call := range v.Calls {
		for _, text := range []string{call.Recorded.Request, call.Recorded.Response, call.Live.Request, call.Live.Response} {
			redactor.Learn([]byte(text))
		}
	}
	lines := linesOf(c)
	suite := cmp.Or(v.Then.Peer.Name, v.Then.Server, "server")
	for _, call := range v.Calls {
		one := verifyCase(call, func(text string) string { return string(redactor.Mask([]byte(text))) })
		one.Suite = suite
		if namesFile(o.session) && o.session != "-" {
			one.File, one.Line = o.session, lines[call.Seq]
		}
		r.Cases = append(r.Cases, one)
	}
	return r
}

// linesOf says on which line of its file each frame stands.
func linesOf(c *reprise.Capture) map[int64]int {
	lines, n := map[int64]int{}, 1
	for _, item := range c.Items {
		if item.Line != nil && len(item.Line.Text) > 0 && item.Line.Text[0] == ',' {
			continue // members of the line before
		}
		if n++; item.Frame != nil {
			lines[item.Frame.Seq] = n
		}
	}
	return lines
}

func verifyCase(c *replay.Verified, mask func(string) string) report.Case {
	one := report.Case{Name: mask(cmp.Or(c.Text, c.Method)), Message: mask(c.Reason)}
	if c.Seq != 0 {
		one.Properties = []report.Property{{Name: "seq", Value: fmt.Sprint(c.Seq)}}
	}
	switch {
	case c.Skip != "":
		one.Outcome, one.Message = report.Skipped, string(c.Skip)+": "+one.Message
	case c.Class == reprise.ClassEqual || c.Class == reprise.ClassVolatile:
		one.Message = ""
	default:
		one.Outcome, one.Rule = report.Failed, string(c.Class)
		one.Message = cmp.Or(one.Message, mask(placesIn(c.Changed)))
		one.Detail = mask(evidence(c))
	}
	return one
}

// placesIn names the first places that differ.
func placesIn(list []reprise.Difference) string {
	var places []string
	for _, d := range list {
		places = append(places, cmp.Or(d.Path, "all of it"))
	}
	return strings.Join(few(places, 4), ", ") + " differs"
}

// evidence is what differs, and both calls in full.
func evidence(c *replay.Verified) string {
	var b strings.Builder
	for _, d := range c.Changed {
		fmt.Fprintf(&b, "%s: %s -> %s\n", cmp.Or(d.Path, "all of it"), orNone(d.Recorded), orNone(d.Live))
	}
	for _, x := range []struct{ name, text string }{{"recorded request", c.Recorded.Request}, {"recorded response", c.Recorded.Response},
		{"today's request", c.Live.Request}, {"today's response", c.Live.Response}} {
		if x.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", x.name, x.text)
		}
	}
	return b.String()
}
