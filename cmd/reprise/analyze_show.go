package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"reprise/analysis"
)

// showAnalyzed writes for people: one session in full, of several what they have in common.
func showAnalyzed(o analyzeOptions, s *screen, a *analyzed) error {
	switch {
	case o.json && o.summary:
		return summaryRow(a.survey, a.claims).writeTo(s)
	case o.json:
	case len(a.reports) == 1 && !o.summary:
		s.analysis(a.reports[0])
	default:
		s.survey(a.survey, a.claims)
	}
	return nil
}

func (s *screen) noSubject(o analyzeOptions) error {
	if o.json {
		return nil
	}
	return s.line("No session matches %s.", visible(o.filter))
}

// assessments are the kinds of a failing call, and how they are told.
func assessments() []struct {
	kind  analysis.Kind
	title string
	style style
} {
	return []struct {
		kind  analysis.Kind
		title string
		style style
	}{
		{analysis.ConfirmedDefect, "Confirmed defects", red},
		{analysis.RightlyRejected, "Rightly rejected", yellow},
		{analysis.Untestable, "Untestable: these failures prove nothing", dim},
	}
}

func (s *screen) analysis(r *analysis.Report) {
	s.analysisHead(r)
	for _, group := range assessments() {
		calls := keep(r.Calls, func(c analysis.Judged) bool { return c.Kind == group.kind })
		if len(calls) == 0 {
			continue
		}
		s.line("\n%s", s.paint(bold, group.title))
		for i, c := range calls {
			if i == mostCalls {
				s.note("  and %d more: --json has them", len(calls)-i)
				break
			}
			s.judged(&c, group.style)
		}
	}
	s.heldCases(r.Cases)
	s.findings(r.Findings)
	s.tools(r)
	s.failedChecks(r.Checks)
	s.htmlPages(r.Pages)
	s.unseen(r)
}

// mostCalls of one kind are shown.
const mostCalls = 20

func (s *screen) analysisHead(r *analysis.Report) {
	session := r.Session
	server := cmp.Or(session.Peer.Name, session.Server, "a server without a name")
	s.line("%s %s", s.paint(bold, visible(server)), s.paint(dim, visible(strings.Join(nonEmpty(session.Host, session.ID), " · "))))
	counts := map[analysis.Kind]int{}
	for i := range r.Calls {
		counts[r.Calls[i].Kind]++
	}
	s.line("%s", strings.Join(nonEmpty(count(int64(len(r.Calls)), "call"), amount(counts[analysis.OK], "ok"),
		s.paint(red, amount(counts[analysis.ConfirmedDefect], "confirmed defect")), amount(counts[analysis.RightlyRejected], "rightly rejected"),
		amount(counts[analysis.Untestable], "untestable"), amount(len(r.Findings), "finding")), " · "))
	s.outcome(r.Outcome)
}

// amount is a count with its word, "" of none.
func amount(n int, word string) string {
	if n == 0 {
		return ""
	}
	if n > 1 && (word == "finding" || word == "confirmed defect") {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

func (s *screen) outcome(o analysis.Outcome) {
	if o.Verdict == "" {
		s.note("No task is known, so there is no outcome: --task FILE gives one.")
		return
	}
	st := red
	switch o.Verdict {
	case analysis.VerdictPass:
		st = green
	case analysis.VerdictUntestable:
		st = yellow
	}
	text := strings.Join(nonEmpty(o.Reason, budgetText(o)), ", ")
	if o.Unjudged {
		text += ", unjudged: nobody has looked at the answer's content"
	}
	s.line("outcome: %s  %s", s.paint(st, string(o.Verdict)), visible(strings.TrimPrefix(text, ", ")))
}

func budgetText(o analysis.Outcome) string {
	if o.Budget == 0 || o.Verdict == analysis.VerdictTooManyCalls {
		return ""
	}
	return fmt.Sprintf("%d of %d calls", o.Calls, o.Budget)
}

func (s *screen) judged(c *analysis.Judged, st style) {
	text := cmp.Or(c.Text, c.Name, c.Method)
	s.line("%7s  %s", fmt.Sprintf("#%d", c.Seq), s.cell(s.width-len(besides)).add(plain, visible(text)).trimmed())
	s.indented(st, c.Reason)
	if c.Kind == analysis.ConfirmedDefect && len(c.Evidence) > 2 {
		s.indented(dim, "evidence: "+seqList(c.Evidence))
	}
	for _, source := range c.Sources {
		if len(c.Sources) == 1 && c.Kind != analysis.ConfirmedDefect {
			break // the reason says it
		}
		s.indented(dim, sourceText(source))
	}
}

// indented writes a sentence below what it is about, over as many lines as it takes.
func (s *screen) indented(st style, text string) {
	for _, line := range wrap(visible(text), s.width-len(besides), 8) {
		s.line("%s%s", besides, s.paint(st, clip(line, s.width-len(besides))))
	}
}

func sourceText(x analysis.Source) string {
	text := fmt.Sprintf("%s: %s", cmp.Or(x.Path, "the argument"), x.Source)
	if x.Ground != "" {
		text += fmt.Sprintf(" (%s)", x.Ground)
	}
	if x.ValueSeq != 0 {
		text += fmt.Sprintf(", from #%d, entity %s", x.ValueSeq, x.Relation)
	}
	if x.Stale {
		text += ", may be stale"
	}
	return text
}

func seqList(seqs []int64) string {
	var list []string
	for _, seq := range seqs {
		list = append(list, fmt.Sprintf("#%d", seq))
	}
	return strings.Join(few(list, 8), " ")
}

var severityStyles = map[analysis.Severity]style{analysis.High: red, analysis.Medium: yellow, analysis.Low: dim}

func (s *screen) findings(list []analysis.Finding) {
	if len(list) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold, "Findings"))
	for _, f := range list {
		s.foundOne(&f, fmt.Sprintf("%d× %s", f.Count, seqList(f.Evidence)))
	}
}

func (s *screen) foundOne(f *analysis.Finding, note string) {
	head := fmt.Sprintf("%7s  %s", s.paint(severityStyles[f.Severity], fmt.Sprintf("%7s", f.Severity)), s.paint(bold, f.Rule))
	if !s.color {
		head = fmt.Sprintf("%7s  %s", f.Severity, f.Rule)
	}
	if f.Tool != "" {
		head += "  " + visible(f.Tool)
	}
	s.line("%s  %s", head, s.paint(dim, f.Fingerprint))
	for _, text := range nonEmpty(f.What, f.Consequence) {
		s.indented(plain, text)
	}
	if f.Suggestion != "" {
		s.indented(green, "→ "+f.Suggestion)
	}
	s.indented(dim, note)
}

func (s *screen) tools(r *analysis.Report) {
	called := keep(r.Tools, func(u analysis.ToolUse) bool { return u.Calls > 0 })
	if len(called) == 0 {
		return
	}
	name := len("TOOL")
	for _, u := range called {
		name = max(name, columnsOf(u.Name))
	}
	name = min(name, s.width-48)
	s.line("\n%s", s.paint(dim, fmt.Sprintf("  %-*s  %-11s  %6s  %6s  %8s  %7s", name, "TOOL", "SAFETY", "CALLS", "FAILED", "P50", "MOST")))
	for _, u := range called {
		s.line("  %s  %-11s  %6d  %6s  %8s  %7s", s.cell(name).add(plain, visible(u.Name)), strings.ReplaceAll(string(u.Safety.Safety), "_", "-"), u.Calls,
			zeroless(u.Failed), tookOf(middle(u.Took)), sizeOf(u.Sizes))
	}
}

func zeroless(n int) string {
	if n == 0 {
		return "·"
	}
	return fmt.Sprint(n)
}

func tookOf(d time.Duration, ok bool) string {
	if !ok {
		return "·"
	}
	return took(d)
}

// middle is the median, by nearest rank.
func middle(list []time.Duration) (time.Duration, bool) {
	if len(list) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[(len(sorted)+1)/2-1], true
}

func sizeOf(list []int64) string {
	if len(list) == 0 {
		return "·"
	}
	return bytesOf(slices.Max(list))
}

// failedChecks tells what the nine checks say where it is not all well.
func (s *screen) failedChecks(list []analysis.CheckTally) {
	list = keep(list, func(c analysis.CheckTally) bool { return c.Failed > 0 && c.Type != "succeeds" }) // those are the confirmed defects
	for i, c := range list {
		if i == 0 {
			s.line("\n%s", s.paint(bold, "Checks that failed on the traffic as it happened"))
		}
		s.line("  %s of %s: %d failed, %d passed, %d untestable", c.Type, visible(c.Tool), c.Failed, c.Passed, c.Untestable)
		s.indented(dim, c.Reason+" "+seqList(c.Evidence))
	}
}

func (s *screen) htmlPages(list []analysis.Page) {
	for i, page := range list {
		if i == 0 {
			s.line("\n%s %s", s.paint(bold, "HTML"), s.paint(dim, "share of semantic elements: a signal, no verdict"))
		}
		if i == mostCalls {
			s.note("  and %d more: --json has them", len(list)-i)
			return
		}
		ratio := "no elements of either kind"
		if page.Ratio >= 0 {
			ratio = fmt.Sprintf("%.2f (%d semantic, %d generic)", page.Ratio, page.Semantic, page.Generic)
		}
		s.line("%7s  %-6s  %s  %s", fmt.Sprintf("#%d", page.Seq), page.Mode, visible(cmp.Or(page.URI, page.Tool)), ratio)
	}
}

// unseen says what the record lacks: a judgment is no better than that.
func (s *screen) unseen(r *analysis.Report) {
	u := r.Unseen
	list := nonEmpty(lost(u.Gaps, "gap in the record"), lost(u.LostFrames, "frame lost"), lost(u.Truncated, "frame cut short"),
		lost(u.TooLong, "message looked at in part"), lost(u.LeftOut, "value left out of provenance"), lost(u.Pages, "page of HTML left out"))
	if len(list) > 0 {
		s.line("\n%s", s.paint(yellow, "Not seen: "+strings.Join(list, ", ")))
	}
}

func lost(n int64, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d × %s", n, what)
}

// heldCases tells what the traffic shows of the cases of a checks file.
func (s *screen) heldCases(list []analysis.CaseHeld) {
	for i, c := range list {
		if i == 0 {
			s.line("\n%s", s.paint(bold, "Cases of the checks file, as the session happens to contain them"))
		}
		at := "not in the session"
		if c.Seq != 0 {
			at = fmt.Sprintf("#%d", c.Seq)
		}
		s.line("%7s  %s", "", visible(cmp.Or(c.Case.Name, c.Case.Tool))+"  "+s.paint(dim, at))
		for _, h := range c.Held {
			s.line("%s%s  %s  %s", besides, s.paint(resultStyles[string(h.Result)], string(h.Result)), h.Type, s.paint(dim, visible(h.Reason)))
		}
	}
}
