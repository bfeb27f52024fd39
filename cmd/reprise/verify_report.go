package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reprise"
	"reprise/replay"
	"reprise/report"

	"github.com/tidwall/gjson"
)

// writeVerified writes the files that other tools read. They leave the machine, so secrets are masked in them.
func (p *program) writeVerified(o verifyOptions, v *verified) error {
	if !o.reports().asked() {
		return nil
	}
	r, err := verifyReport(o, v, p.now().Sub(v.Now.StartedAt))
	if err != nil {
		return err
	}
	return p.writeMasked(o.reports(), nil, r)
}

func (o *verifyOptions) reports() reportFiles { return reportFiles{junit: o.junit, sarif: o.sarif} }

// checkReports refuses to put a report over anything but a report of its kind, before anything is started.
func (o *verifyOptions) checkReports() error {
	return o.reports().against(inputFile{o.session, "the session that is verified"}, inputFile{o.noiseFile(), "the file of rules"})
}

// headOf is the beginning of a file, without the blanks and the byte order mark before it.
func headOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	return strings.TrimLeft(string(head), "\ufeff \t\r\n"), err
}

// leadsTo says whether two paths lead to one file, which need not be there yet.
func leadsTo(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	if err != nil || err2 != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(one, other)
}

var verifyRules = []report.Rule{
	{ID: string(reprise.ClassChanged), Text: "The server answers otherwise than it did.", Help: "Mend the server, ignore the place, or take today's answer for the right one with --update."},
	{ID: string(reprise.ClassMissing), Text: "What the server did, it does no more.", Help: "Look at what the server did instead."},
	{ID: string(reprise.ClassExtra), Text: "The server does what it did not."},
}

func verifyReport(o verifyOptions, v *verified, took time.Duration) (*report.Report, error) {
	r := &report.Report{Name: "verify", Tool: report.Tool{Name: "reprise", Version: version()}, Started: v.Now.StartedAt, Duration: took, Rules: verifyRules}
	redactor, err := newRedactor(o.rules)
	if err != nil {
		return nil, err
	}
	for _, call := range v.Calls {
		for _, text := range []string{call.Recorded.Request, call.Recorded.Response, call.Live.Request, call.Live.Response} {
			redactor.Learn([]byte(text))
		}
	}
	var lines map[int64]int
	file := namesFile(o.session) && o.session != "-"
	if file {
		if lines, err = linesOf(o.session); err != nil {
			return nil, err
		}
	}
	suite := cmp.Or(v.Then.Peer.Name, v.Then.Server, "server")
	for _, call := range v.Calls {
		one := verifyCase(call, func(text string) string { return string(redactor.Mask([]byte(text))) })
		one.Suite = suite
		if file {
			one.File, one.Line = o.session, lines[call.Seq]
		}
		r.Cases = append(r.Cases, one)
	}
	return r, nil
}

// linesOf says on which line of its file each frame stands: of one that is cut into parts, the first.
func linesOf(file string) (map[int64]int, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, in := map[int64]int{}, bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if seq := gjson.GetBytes(line, "seq").Int(); seq > 0 && lines[seq] == 0 {
			lines[seq] = n
		}
		switch {
		case err == io.EOF:
			return lines, nil
		case err != nil:
			return nil, err
		}
	}
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
