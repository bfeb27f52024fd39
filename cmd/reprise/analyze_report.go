package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"reprise"
	"reprise/analysis"
	"reprise/report"
)

// How much a document shows of each kind. It is to be read; --json has everything.
const (
	mostInDocument = 50  // findings and defects, in full
	mostRows       = 200 // of a table
)

// analysisDocument is what an analysis shows, for people: one session in full, of several what they have in common.
func analysisDocument(reports []*analysis.Report, survey *analysis.Survey, claims map[string]analysis.Claim) *report.Document {
	if survey == nil {
		survey = &analysis.Survey{}
		for _, r := range reports {
			survey.Add(r)
		}
	}
	d := &report.Document{Footer: "Made by reprise " + version() + ". Code alone decided, from the recorded traffic: no model, and no question to a server. " +
		"A failure that proves nothing is called untestable, and is none of the server's. A finding is neither pass nor fail."}
	if len(reports) == 1 {
		sessionDocument(d, reports[0], survey)
	} else {
		surveyDocument(d, reports, survey, claims)
	}
	d.Sections = slices.DeleteFunc(d.Sections, func(s report.Section) bool { return s.Title == "" })
	return d
}

func sessionDocument(d *report.Document, r *analysis.Report, survey *analysis.Survey) {
	s := r.Session
	server := cmp.Or(s.Peer.Name, s.Server, "a server without a name")
	d.Title = "Analysis of " + server
	counts := map[analysis.Kind]int{}
	for i := range r.Calls {
		counts[r.Calls[i].Kind]++
	}
	d.Lead = verdictOn(counts[analysis.ConfirmedDefect], int64(len(r.Calls)))
	d.Facts = append(sessionFacts(s), outcomeFact(r.Outcome), defectFact(counts[analysis.ConfirmedDefect]), findingsFact(severitiesIn(r.Findings)))
	d.Shares = sharesOf(counts)
	var defects []defect
	for i := range r.Calls {
		if r.Calls[i].Kind == analysis.ConfirmedDefect {
			defects = append(defects, defect{call: &r.Calls[i]})
		}
	}
	d.Sections = []report.Section{defectSection(defects), caseSection(r.Cases), findingSection(r.Findings), failureSection(r.Calls),
		toolSection(survey.Tools(), false), checkSection(r.Checks), pageSection(r.Pages),
		coverageSection(r.Coverage), callSection(r.Calls), unseenSection([]*analysis.Report{r})}
}

// verdictOn says in a sentence what is the first thing to know.
func verdictOn(defects int, calls int64) string {
	switch {
	case calls == 0:
		return "Nothing was called, so no defect can be confirmed."
	case defects == 0:
		return fmt.Sprintf("No defect is confirmed in %s.", count(calls, "call"))
	case defects == 1:
		return fmt.Sprintf("1 of %s is a confirmed defect: the server failed on what it had itself given, or fixed in its schema.", count(calls, "call"))
	}
	return fmt.Sprintf("%d of %s are confirmed defects: the server failed on what it had itself given, or fixed in its schema.", defects, count(calls, "call"))
}

func sessionFacts(s *reprise.Session) []report.Fact {
	server := strings.Join(nonEmpty(cmp.Or(s.Peer.Name, s.Server), s.Peer.Version), " ")
	host := cmp.Or(strings.Join(nonEmpty(s.Client.Name, s.Client.Version), " "), s.Host)
	var facts []report.Fact
	for _, f := range []report.Fact{{Name: "Server", Value: server}, {Name: "Host", Value: host}, {Name: "Began", Value: day(s.StartedAt)},
		{Name: "Session", Value: s.ID}} {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

// day is a moment in the one zone that every reader has.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

func outcomeFact(o analysis.Outcome) report.Fact {
	if o.Verdict == "" {
		return report.Fact{Name: "Outcome", Value: cmp.Or(o.Reason, analysis.ReasonNoTask)}
	}
	text := strings.Join(nonEmpty(inWords(string(o.Verdict)), inWords(o.Reason), budgetText(o)), ", ")
	if o.Unjudged {
		text += ", unjudged"
	}
	tone := map[analysis.Verdict]report.Tone{analysis.VerdictPass: report.Good, analysis.VerdictUntestable: report.Warning}[o.Verdict]
	return report.Fact{Name: "Outcome", Value: text, Tone: cmp.Or(tone, report.Bad)}
}

func defectFact(n int) report.Fact {
	f := report.Fact{Name: "Confirmed defects", Value: fmt.Sprint(n), Tone: report.Good}
	if n > 0 {
		f.Tone = report.Bad
	}
	return f
}

func severitiesIn(list []analysis.Finding) map[analysis.Severity]int {
	counts := map[analysis.Severity]int{}
	for i := range list {
		counts[list[i].Severity]++
	}
	return counts
}

func findingsFact(counts map[analysis.Severity]int) report.Fact {
	return report.Fact{Name: "Findings", Value: cmp.Or(severityText(counts), "none")}
}

func severityText(counts map[analysis.Severity]int) string {
	var parts []string
	for _, s := range analysis.Severities() {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	return strings.Join(parts, ", ")
}

func kindTone(k analysis.Kind) report.Tone {
	return map[analysis.Kind]report.Tone{analysis.OK: report.Good, analysis.ConfirmedDefect: report.Bad, analysis.RightlyRejected: report.Notice}[k]
}

// kinds are the assessments, in the order in which they are told.
func kinds() []analysis.Kind {
	return []analysis.Kind{analysis.OK, analysis.ConfirmedDefect, analysis.RightlyRejected, analysis.Untestable}
}

func inWords(s string) string { return strings.ReplaceAll(s, "_", " ") }

func kindBadge(k analysis.Kind) report.Cell { return report.Badge(inWords(string(k)), kindTone(k)) }

func sharesOf(counts map[analysis.Kind]int) (list []report.Share) {
	for _, k := range kinds() {
		list = append(list, report.Share{Name: inWords(string(k)), Count: counts[k], Tone: kindTone(k)})
	}
	return list
}

// defect is a call that confirms one. Of several sessions it is the latest of those that fail alike.
type defect struct {
	call            *analysis.Judged
	session         string // "" of the only one
	times, sessions int
	last            string // the session that was counted last
}

func defectSection(list []defect) report.Section {
	if len(list) == 0 {
		return report.Section{}
	}
	s := report.Section{ID: "defects", Title: "Confirmed defects", Rest: rest(len(list), mostInDocument),
		Lead: "The server failed on arguments that it had itself given, or fixed in its schema. " +
			"The evidence is the call that gave the value and the call that rejected it."}
	for _, one := range list[:min(len(list), mostInDocument)] {
		s.Findings = append(s.Findings, one.finding())
	}
	return s
}

func (d *defect) finding() report.Finding {
	c := d.call
	f := report.Finding{ID: callID(c, d.session), Badge: "defect", Tone: report.Bad, About: calledText(c), Texts: []report.Fact{{Value: c.Reason}}}
	title := "Evidence"
	if d.session != "" {
		f.Texts = append(f.Texts, report.Fact{Name: "Seen", Value: count(int64(d.times), "time") + " in " + count(int64(d.sessions), "session")},
			report.Fact{Name: "Latest session", Value: d.session})
		title = "Evidence from the latest session"
	}
	f.Evidence = []report.Evidence{{Title: title, Text: proof(c)}}
	return f
}

// calledText is a call as a person would write it.
func calledText(c *analysis.Judged) string { return cmp.Or(c.Text, c.Name, c.Method) }

func callID(c *analysis.Judged, session string) string {
	return strings.TrimSuffix(fmt.Sprintf("call-%d-%d-%s", c.Seq, c.Index, session), "-")
}

// proof is what an assessment rests on: the seqs, and where each argument came from (S38).
func proof(c *analysis.Judged) string {
	lines := []string{calledText(c), fmt.Sprintf("%s %s: %s", c.Method, c.Status, c.Reason), "seqs: " + seqsOf(c.Evidence)}
	for _, x := range c.Sources {
		lines = append(lines, sourceText(x))
	}
	return strings.Join(lines, "\n")
}

// seqsOf lists seqs in plain numbers: what begins with # may name something elsewhere.
func seqsOf(seqs []int64) string {
	return cmp.Or(strings.Trim(fmt.Sprint(seqs), "[]"), "none")
}

func severityTone(s analysis.Severity) report.Tone {
	return map[analysis.Severity]report.Tone{analysis.High: report.Bad, analysis.Medium: report.Warning, analysis.Low: report.Notice}[s]
}

func findingSection(list []analysis.Finding) report.Section {
	if len(list) == 0 {
		return report.Section{}
	}
	s := report.Section{ID: "findings", Title: "Findings", Rest: rest(len(list), mostInDocument),
		Lead: "What a tool's owner could change, the worst first. None of them is pass or fail."}
	for i := range min(len(list), mostInDocument) {
		s.Findings = append(s.Findings, findingOf(&list[i]))
	}
	return s
}

func findingOf(f *analysis.Finding) report.Finding {
	one := report.Finding{ID: "finding-" + f.Fingerprint, Title: f.Rule, Badge: string(f.Severity), Tone: severityTone(f.Severity), About: f.Tool}
	for _, text := range []report.Fact{{Value: f.What}, {Name: "Consequence", Value: f.Consequence}, {Name: "Suggestion", Value: f.Suggestion}} {
		if text.Value != "" {
			one.Texts = append(one.Texts, text)
		}
	}
	lines := nonEmpty("seqs: "+seqsOf(f.Evidence), labelled("place", f.Place), labelled("fingerprint", f.Fingerprint))
	one.Evidence = []report.Evidence{{Title: "Evidence: seen " + count(int64(f.Count), "time"), Text: strings.Join(lines, "\n")}}
	return one
}

func labelled(name, value string) string {
	if value == "" {
		return ""
	}
	return name + ": " + value
}

// rest says how many of a list a document leaves out.
func rest(n, most int) string {
	if n <= most {
		return ""
	}
	return fmt.Sprintf("%d more are not shown here: --json has them all.", n-most)
}
