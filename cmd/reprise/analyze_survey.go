package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"reprise/analysis"
)

// claims are the findings that are claimed to be mended, as the database has them; none where there is no database.
func (p *program) claims(ctx context.Context, o shared) (map[string]analysis.Claim, error) {
	path, err := p.path(o)
	if err != nil || !recorded(path) {
		return nil, err
	}
	db, err := p.open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	times, err := db.Claims(ctx)
	claims := make(map[string]analysis.Claim, len(times))
	for fingerprint, at := range times {
		claims[fingerprint] = analysis.Claim{Fingerprint: fingerprint, At: at}
	}
	return claims, err
}

// survey writes what several sessions have in common.
func (s *screen) survey(v *analysis.Survey, claims map[string]analysis.Claim) {
	sessions := v.Sessions()
	defects := 0
	for _, one := range sessions {
		defects += one.Defects
	}
	clusters := v.Clusters(claims)
	s.line("%s", strings.Join(nonEmpty(count(int64(len(sessions)), "session"), s.paint(red, amount(defects, "confirmed defect")),
		amount(len(clusters), "finding")), " · "))
	s.defective(sessions)
	s.surveyTools(v.Tools())
	for i := range clusters {
		if i == 0 {
			s.line("\n%s %s", s.paint(bold, "Findings"), s.paint(dim, "the ones that matter most first"))
		}
		if i == mostCalls {
			s.note("  and %d more: --json --summary has them", len(clusters)-i)
			break
		}
		s.cluster(&clusters[i])
	}
}

// defective lists the sessions with confirmed defects, the latest first.
func (s *screen) defective(sessions []analysis.SurveySession) {
	list := keep(sessions, func(one analysis.SurveySession) bool { return one.Defects > 0 })
	if len(list) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold, "Sessions with confirmed defects"))
	for n := range list {
		one := list[len(list)-1-n]
		if n == mostCalls {
			s.note("  and %d more", len(list)-n)
			return
		}
		s.line("  %s  %s  %s", one.ID, visible(one.Server), s.paint(red, amount(one.Defects, "confirmed defect")))
	}
	s.note("  `reprise analyze ID` shows one in full")
}

func (s *screen) surveyTools(list []analysis.SurveyTool) {
	list = keep(list, func(t analysis.SurveyTool) bool { return t.Calls > 0 })
	if len(list) == 0 {
		return
	}
	name := len("TOOL")
	for _, t := range list {
		name = max(name, columnsOf(t.Tool))
	}
	name = max(min(name, s.width-57), len("TOOL"))
	s.line("\n%s", s.paint(dim, fmt.Sprintf("  %-*s  %7s  %-17s  %7s  %7s  %5s", name, "TOOL", "CALLS", "ERRORS (95 %)", "P50", "P99", "MOST")))
	server := list[0].Server + " " // none is called so
	for _, t := range list {
		if t.Server != server {
			server = t.Server
			s.line("%s", s.cell(s.width).add(dim, visible(cmp.Or(server, "a server without a name"))).trimmed())
		}
		s.line("  %s  %7d  %-17s  %7s  %7s  %5s", s.cell(name).add(plain, visible(t.Tool)), t.Calls, errorRate(t),
			tookOf(t.P50, t.Answered > 0), tookOf(t.P99, t.Answered > 0), bytesOf(t.SizeMost))
	}
}

// errorRate is the share of failed calls with its interval: of a handful that is wide.
func errorRate(t analysis.SurveyTool) string {
	return fmt.Sprintf("%s (%s–%s %%)", percent(t.ErrorRate), percent(t.Lower), percent(t.Upper))
}

func percent(share float64) string {
	if share > 0 && share < 0.0995 {
		return fmt.Sprintf("%.1f", 100*share)
	}
	return fmt.Sprintf("%.0f", 100*share)
}

func (s *screen) cluster(c *analysis.Cluster) {
	note := fmt.Sprintf("%s · in %d of %d sessions · %d× · rank %.3f · last %s", c.State, c.Sessions, c.Exercised, c.Count, c.Rank, c.Latest)
	s.foundOne(&c.Finding, note)
}

// summaryRow is what several sessions have in common, as one line of JSON.
func summaryRow(v *analysis.Survey, claims map[string]analysis.Claim) *object {
	sessions, tools, clusters := v.Sessions(), v.Tools(), v.Clusters(claims)
	o := newObject()
	o.set("sessions", len(sessions))
	o.objects("tools", len(tools), func(i int) *object { return surveyToolRow(&tools[i]) })
	o.objects("findings", len(clusters), func(i int) *object { return clusterRow(&clusters[i]) })
	return o
}

func surveyToolRow(t *analysis.SurveyTool) *object {
	o := newObject()
	o.text("server", t.Server)
	o.set("tool", t.Tool)
	o.set("listed", t.Listed)
	o.set("safety", t.Safety.Safety)
	o.set("sessions", t.Sessions)
	o.set("calls", t.Calls)
	o.set("failed", t.Failed)
	o.set("error_rate", t.ErrorRate)
	o.set("error_rate_lower", t.Lower)
	o.set("error_rate_upper", t.Upper)
	o.millis("p50_ms", t.P50)
	o.millis("p90_ms", t.P90)
	o.millis("p99_ms", t.P99)
	o.set("size_p50", t.SizeP50)
	o.set("size_p99", t.SizeP99)
	o.set("size_max", t.SizeMost)
	for _, kind := range []analysis.Kind{analysis.OK, analysis.ConfirmedDefect, analysis.RightlyRejected, analysis.Untestable} {
		o.set(string(kind), t.Assessed[kind])
	}
	return o
}

func clusterRow(c *analysis.Cluster) *object {
	o := newObject()
	o.text("server", c.Server)
	o.set("state", c.State)
	o.set("rank", c.Rank)
	o.set("lower", c.Lower)
	o.set("sessions", c.Sessions)
	o.set("exercised", c.Exercised)
	o.set("total", c.Count)
	o.set("hosts", append([]string{}, c.Hosts...))
	o.moment("first", c.First)
	o.moment("last", c.Last)
	o.text("latest", c.Latest)
	inner := findingRow(&c.Finding)
	o.object("finding", inner)
	return o
}
