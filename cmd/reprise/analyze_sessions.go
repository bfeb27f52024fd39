package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reprise/analysis"
	"reprise/report"
)

// surveyDocument is what several sessions have in common.
func surveyDocument(d *report.Document, reports []*analysis.Report, survey *analysis.Survey, claims map[string]analysis.Claim) {
	sessions, tools, clusters := survey.Sessions(), survey.Tools(), survey.Clusters(claims)
	d.Title = "Analysis of " + count(int64(len(sessions)), "session")
	sum := sumOf(sessions)
	d.Lead = verdictOn(sum.defects, int64(sum.calls))
	d.Facts = append(sum.facts(), defectFact(sum.defects), findingsFact(severitiesOf(clusters)))
	counts := map[analysis.Kind]int{}
	for _, t := range tools {
		for kind, n := range t.Assessed {
			counts[kind] += n
		}
	}
	d.Shares = sharesOf(counts)
	d.Sections = []report.Section{defectSection(defectsIn(reports)), clusterSection(clusters), toolSection(tools, true),
		sessionSection(sessions), unseenSection(reports)}
}

// together is what all sessions count.
type together struct {
	calls, defects int
	servers, hosts map[string]bool
	first, last    time.Time
}

func sumOf(sessions []analysis.SurveySession) *together {
	t := &together{servers: map[string]bool{}, hosts: map[string]bool{}}
	for _, s := range sessions {
		t.calls, t.defects = t.calls+s.Calls, t.defects+s.Defects
		t.servers[s.Server], t.hosts[s.Host] = true, true
		if at := s.Started; !at.IsZero() {
			if t.first.IsZero() || at.Before(t.first) {
				t.first = at
			}
			if at.After(t.last) {
				t.last = at
			}
		}
	}
	return t
}

func (t *together) facts() []report.Fact {
	facts := []report.Fact{{Name: "Servers", Value: namesIn(t.servers)}, {Name: "Hosts", Value: namesIn(t.hosts)}}
	if !t.first.IsZero() {
		facts = append(facts, report.Fact{Name: "First began", Value: day(t.first)}, report.Fact{Name: "Last began", Value: day(t.last)})
	}
	return facts
}

// namesIn names the first of a set; strangers may have named them.
func namesIn(set map[string]bool) string {
	var names []string
	for name := range set {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "without a name"
	}
	return strings.Join(few(names, 3), ", ")
}

func severitiesOf(list []analysis.Cluster) map[analysis.Severity]int {
	counts := map[analysis.Severity]int{}
	for i := range list {
		counts[list[i].Finding.Severity]++
	}
	return counts
}

// defectsIn are the confirmed defects, those of the newest session first: calls of one tool that fail for one reason are one.
func defectsIn(reports []*analysis.Report) (list []defect) {
	type alike struct{ server, method, name, reason string }
	known := map[alike]int{}
	for _, r := range slices.Backward(reports) {
		for i := range r.Calls {
			c := &r.Calls[i]
			if c.Kind != analysis.ConfirmedDefect {
				continue
			}
			key := alike{analysis.ServerOf(r.Session), c.Method, c.Name, c.Reason}
			n, ok := known[key]
			if !ok {
				n, known[key] = len(list), len(list)
				list = append(list, defect{call: c, session: r.Session.ID})
			}
			list[n].saw(r.Session.ID)
		}
	}
	return list
}

// saw counts one more, of this session or one before it.
func (d *defect) saw(session string) {
	if d.times++; d.sessions == 0 || d.last != session {
		d.sessions++
	}
	d.last = session
}

func clusterSection(list []analysis.Cluster) report.Section {
	if len(list) == 0 {
		return report.Section{}
	}
	s := report.Section{ID: "findings", Title: "Findings", Rest: rest(len(list), mostInDocument),
		Lead: "What a tool's owner could change, by rank: how surely it comes back, how lately it was seen, and how widely. None of them is pass or fail."}
	for i := range min(len(list), mostInDocument) {
		s.Findings = append(s.Findings, clusterOf(&list[i]))
	}
	return s
}

func clusterOf(c *analysis.Cluster) report.Finding {
	f := findingOf(&c.Finding)
	seen := fmt.Sprintf("%s in %d of the %s that could show it", count(int64(c.Count), "time"), c.Sessions, count(int64(c.Exercised), "session"))
	hosts := strings.Join(few(nonEmpty(slices.Clone(c.Hosts)...), 8), ", ")
	where := nonEmpty(seen, labelled("server", c.Server), labelled("hosts", hosts), labelled("last", day(c.Last)))
	f.Texts = append(f.Texts, report.Fact{Name: "Seen", Value: strings.Join(where, " · ")})
	f.Evidence[0].Title = fmt.Sprintf("Evidence from the latest session, rank %.3f", c.Rank)
	f.Evidence[0].Text = "session: " + c.Latest + "\n" + f.Evidence[0].Text
	return f
}

// sessionSection lists the sessions, the newest first.
func sessionSection(list []analysis.SurveySession) report.Section {
	if len(list) == 0 {
		return report.Section{}
	}
	heads := columns("Session", "Began", "Server", "Host", "+Calls", "+Defects", "+Untestable", "Findings", "Outcome")
	return report.Section{ID: "sessions", Title: "Sessions", Lead: "What each one shows, side by side: nothing here is averaged.",
		Tables: table(count(int64(len(list)), "session"), heads, len(list), func(i int) []report.Cell {
			s := &list[len(list)-1-i]
			return []report.Cell{report.Code(s.ID), report.Text(day(s.Started)), report.Text(s.Server), report.Text(s.Host), report.Number(s.Calls),
				badIfAny(s.Defects), report.Number(s.Untestable), report.Text(severityText(s.Findings)), report.Text(outcomeFact(s.Outcome).Value)}
		})}
}
