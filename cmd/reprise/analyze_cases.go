package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"reprise/analysis"
	"reprise/report"
)

// ruleDefect is what a confirmed defect was held against.
const ruleDefect = "confirmed-defect"

// writeAnalysis writes the files that are asked for.
func (p *program) writeAnalysis(o analyzeOptions, a *analyzed) error {
	if !o.files.asked() {
		return nil
	}
	redactor, err := newRedactor(o.rules)
	if err != nil {
		return err
	}
	cases, err := analysisCases(a.reports, a.files)
	if err != nil {
		return err
	}
	return p.writeReports(o.files, redactor, analysisDocument(a.reports, a.survey, a.claims), cases)
}

// analysisCases is an analysis as tests and findings. A call is a test, which fails where it confirms a defect and nowhere
// else (S35); a finding is none. files are the capture files of the sessions that were read from one.
func analysisCases(reports []*analysis.Report, files map[*analysis.Report]string) (*report.Report, error) {
	all := &report.Report{Name: "analyze", Tool: report.Tool{Name: "reprise", Version: version()}, Rules: analysisRules(reports)}
	var found foundCases
	for _, r := range reports {
		if at := r.Session.StartedAt; all.Started.IsZero() || !at.IsZero() && at.Before(all.Started) {
			all.Started = at
		}
		place, err := linesFrom(files[r])
		if err != nil {
			return nil, err
		}
		for i := range r.Calls {
			all.Cases = append(all.Cases, place.at(callCase(r, &r.Calls[i], len(reports) > 1), r.Calls[i].Seq))
		}
		for i := range r.Cases {
			for n := range r.Cases[i].Held {
				all.Cases = append(all.Cases, place.at(checkCase(r, &r.Cases[i], &r.Cases[i].Held[n]), r.Cases[i].Seq))
			}
		}
		for i := range r.Findings {
			found.add(r, &r.Findings[i], place)
		}
	}
	all.Cases = append(all.Cases, found.all()...)
	return all, nil
}

// foundCases are findings, each once, with how many sessions show it.
type foundCases struct {
	list     []report.Case
	sessions []int
	known    map[string]int // by fingerprint, as indices
}

func (f *foundCases) add(r *analysis.Report, finding *analysis.Finding, place framesIn) {
	if n, ok := f.known[finding.Fingerprint]; ok {
		f.sessions[n]++
		return
	}
	if f.known == nil {
		f.known = map[string]int{}
	}
	f.known[finding.Fingerprint] = len(f.list)
	f.list, f.sessions = append(f.list, place.at(findingCase(r, finding), finding.Evidence...)), append(f.sessions, 1)
}

func (f *foundCases) all() []report.Case {
	for i := range f.list {
		f.list[i].Properties = append(f.list[i].Properties, report.Property{Name: "sessions", Value: fmt.Sprint(f.sessions[i])})
	}
	return f.list
}

// analysisRules describes the rules that have found something.
func analysisRules(reports []*analysis.Report) []report.Rule {
	named := map[string]bool{}
	for _, r := range reports {
		for i := range r.Findings {
			named[r.Findings[i].Rule] = true
		}
	}
	rules := []report.Rule{{ID: ruleDefect, Text: "A call failed on arguments that the server had itself given, or fixed in its schema.",
		Help: "Look at the call that gave the value and at the one that rejected it: the server does not agree with itself."}}
	for _, a := range analysis.All() {
		if named[a.Name] {
			rules = append(rules, report.Rule{ID: a.Name, Text: a.Doc})
		}
	}
	return rules
}

// framesIn says where frames stand: in which file, on which line. The zero value knows nothing.
type framesIn struct {
	file  string
	lines map[int64]int
}

func linesFrom(file string) (framesIn, error) {
	if file == "" {
		return framesIn{}, nil
	}
	lines, err := linesOf(file)
	return framesIn{file, lines}, err
}

// at gives a case the place of the first frame that has one.
func (p framesIn) at(c report.Case, seqs ...int64) report.Case {
	c.File = p.file
	for _, seq := range seqs {
		if c.Line == 0 {
			c.Line = p.lines[seq]
		}
	}
	return c
}

func callCase(r *analysis.Report, c *analysis.Judged, several bool) report.Case {
	server := cmp.Or(analysis.ServerOf(r.Session), "server")
	one := report.Case{Suite: server, Name: fmt.Sprintf("%s #%d", cmp.Or(c.Name, c.Method), c.Seq),
		Properties: []report.Property{{Name: "seq", Value: fmt.Sprint(c.Seq)}, {Name: "assessment", Value: string(c.Kind)}}}
	if c.Index > 0 {
		one.Name += fmt.Sprintf(".%d", c.Index)
	}
	if several {
		one.Suite += " " + r.Session.ID
	}
	switch c.Kind {
	case analysis.OK:
		return one
	case analysis.ConfirmedDefect:
		one.Outcome, one.Rule, one.Severity = report.Failed, ruleDefect, report.SeverityError
		one.Message, one.Detail, one.Fingerprint = c.Reason, proof(c), defectPrint(server, c)
	default: // what proves nothing, or was the caller's own doing, is no failure of the server's
		one.Outcome, one.Message, one.Detail = report.Skipped, inWords(string(c.Kind))+": "+c.Reason, proof(c)
	}
	return one
}

// checkCase is a check that somebody has written down. What it could not be held against is skipped.
func checkCase(r *analysis.Report, c *analysis.CaseHeld, h *analysis.Held) report.Case {
	one := report.Case{Suite: cmp.Or(analysis.ServerOf(r.Session), "server") + " checks", Name: h.Type + " of " + cmp.Or(c.Case.Name, c.Case.Tool),
		Rule: h.Type, Properties: []report.Property{{Name: "session", Value: r.Session.ID}}}
	switch h.Result {
	case analysis.Passed:
	case analysis.Failed:
		one.Outcome, one.Message = report.Failed, h.Reason
		for _, a := range h.Evidence {
			one.Detail += fmt.Sprintf("request: %s\nresponse: %s\n", a.Request, cmp.Or(a.Response, a.Trouble))
		}
	default:
		one.Outcome, one.Message = report.Skipped, string(h.Result)+": "+h.Reason
	}
	return one
}

// defectPrint is the same for the defects of one tool, in whatever session.
func defectPrint(server string, c *analysis.Judged) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{ruleDefect, server, c.Method, c.Name}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

func levelOf(s analysis.Severity) report.Severity {
	switch s {
	case analysis.High:
		return report.SeverityError
	case analysis.Medium:
		return report.SeverityWarning
	}
	return report.SeverityNote
}

// findingCase tells a finding as the first session with it shows it.
func findingCase(r *analysis.Report, f *analysis.Finding) report.Case {
	return report.Case{Suite: cmp.Or(analysis.ServerOf(r.Session), "server"), Name: cmp.Or(f.Tool, "the server"), Outcome: report.Noted,
		Rule: f.Rule, Severity: levelOf(f.Severity), Message: f.What, Detail: strings.Join(nonEmpty(f.Consequence, f.Suggestion), " "), Fingerprint: f.Fingerprint,
		Properties: []report.Property{{Name: "fingerprint", Value: f.Fingerprint}, {Name: "session", Value: r.Session.ID}, {Name: "seqs", Value: seqsOf(f.Evidence)},
			{Name: "count", Value: fmt.Sprint(f.Count)}}}
}
