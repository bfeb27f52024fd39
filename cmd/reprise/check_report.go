package main

import (
	"cmp"
	"fmt"
	"strings"

	"reprise/analysis"
	"reprise/report"
)

// reportChecked writes the files that other tools read: a case for each check.
func (p *program) reportChecked(o checkOptions, all *checked) error {
	if !o.reports.asked() {
		return nil
	}
	redactor, err := newRedactor(nil)
	if err != nil {
		return err
	}
	r := &report.Report{Name: "check", Tool: report.Tool{Name: "reprise", Version: version()}, Started: all.started, Duration: all.took}
	for _, kind := range analysis.CheckTypes() {
		r.Rules = append(r.Rules, report.Rule{ID: kind.Name, Text: sentence(kind.Doc), Help: "The request and the response stand with the result."})
	}
	for _, c := range all.cases {
		for i := range c.Held {
			r.Cases = append(r.Cases, heldCase(c, &c.Held[i], cmp.Or(all.peer.Name, "server")))
		}
	}
	return p.writeReports(o.reports, redactor, nil, r)
}

// heldCase is one check of a case. What is untestable is shown as skipped: it is no failure (S37).
func heldCase(c checkedCase, h *analysis.Held, suite string) report.Case {
	one := report.Case{Suite: suite, Name: h.Type + " of " + caseText(c.Outcome), Rule: h.Type, File: c.file, Duration: c.Call.Took, Message: h.Reason}
	switch h.Result {
	case analysis.Passed:
		one.Message = ""
	case analysis.Failed:
		one.Outcome, one.Detail = report.Failed, heldEvidence(c, h)
	default:
		one.Outcome, one.Message = report.Skipped, string(h.Result)+": "+h.Reason
	}
	return one
}

// heldEvidence is where the arguments came from, and the calls in full.
func heldEvidence(c checkedCase, h *analysis.Held) string {
	var b strings.Builder
	for _, a := range c.Args {
		fmt.Fprintf(&b, "%s %s: %s\n", a.Name, a.JSON, givenSource(a))
	}
	for _, a := range h.Evidence {
		fmt.Fprintf(&b, "request: %s\nresponse: %s\n", a.Request, cmp.Or(a.Response, a.Trouble))
	}
	return b.String()
}
