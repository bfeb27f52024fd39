package analysis

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"reprise"
)

// surveyBegin is when the first session of a survey here began.
var surveyBegin = time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)

// surveySession is a report of one that began so many days later.
func surveySession(host, server string, days float64, add ...func(*Report)) *Report {
	at := surveyBegin.Add(time.Duration(days * 24 * float64(time.Hour)))
	r := &Report{Session: &reprise.Session{ID: fmt.Sprintf("%s-%s-%v", host, server, days), Host: host, Server: server, StartedAt: at}}
	for _, f := range add {
		f(r)
	}
	return r
}

// usesTools says that tools were listed and called.
func usesTools(calls int, tools ...string) func(*Report) {
	return func(r *Report) {
		for _, name := range tools {
			r.Tools = append(r.Tools, ToolUse{Name: name, Listed: true, Calls: calls, Assessed: map[Kind]int{}})
		}
	}
}

func showsFinding(rule, tool string, sphere Sphere) func(*Report) {
	return func(r *Report) {
		r.Findings = append(r.Findings, Finding{Rule: rule, Severity: Medium, Tool: tool, What: "seen in " + r.Session.ID, Count: 2, sphere: sphere,
			Evidence: []int64{3}, Fingerprint: fingerprint(rule, ServerOf(r.Session), tool, "")})
	}
}

func surveyOf(reports ...*Report) *Survey {
	s := &Survey{}
	for _, r := range reports {
		s.Add(r)
	}
	return s
}

// onlyCluster is the one cluster of a survey.
func onlyCluster(t *testing.T, s *Survey, claims map[string]Claim) Cluster {
	t.Helper()
	list := s.Clusters(claims)
	if len(list) != 1 {
		t.Fatalf("%d clusters: %+v", len(list), list)
	}
	return list[0]
}

// TestW19_OneProblemIsOneLine of the punch list, however many sessions show it, and its wording is the latest.
func TestW19_OneProblemIsOneLine(t *testing.T) {
	c := onlyCluster(t, surveyOf(
		surveySession("cursor", "tracker", 0, usesTools(1, "get"), showsFinding("slow", "get", OfCalls)),
		surveySession("claude-code", "tracker", 2, usesTools(1, "get"), showsFinding("slow", "get", OfCalls)),
		surveySession("cursor", "tracker", 4, usesTools(1, "get")),
		surveySession("cursor", "tracker", 5, usesTools(1, "get"), showsFinding("slow", "get", OfCalls)),
		surveySession("cursor", "other", 6, usesTools(1, "get")),
	), nil)
	if c.Sessions != 3 || c.Exercised != 4 || c.Count != 6 || c.Server != "tracker" || c.State != Open {
		t.Errorf("cluster = %+v", c)
	}
	if want := []string{"claude-code", "cursor"}; !slices.Equal(c.Hosts, want) {
		t.Errorf("hosts = %v, want %v", c.Hosts, want)
	}
	if c.Finding.What != "seen in cursor-tracker-5" || c.Latest != "cursor-tracker-5" {
		t.Errorf("wording of %s: %s", c.Latest, c.Finding.What)
	}
	if !c.First.Equal(surveyBegin) || !c.Last.Equal(surveyBegin.Add(5*24*time.Hour)) {
		t.Errorf("from %v to %v", c.First, c.Last)
	}
}

// TestOneNameOfTwoServers is two problems.
func TestOneNameOfTwoServers(t *testing.T) {
	list := surveyOf(
		surveySession("cursor", "a", 0, usesTools(1, "get"), showsFinding("slow", "get", OfCalls)),
		surveySession("cursor", "b", 0, usesTools(1, "get"), showsFinding("slow", "get", OfCalls)),
	).Clusters(nil)
	if len(list) != 2 || list[0].Server == list[1].Server || list[0].Exercised != 1 || list[1].Exercised != 1 {
		t.Errorf("clusters = %+v", list)
	}
}

// TestWhatExercisesAPlace: a session counts where it could have shown the finding, and nowhere else.
func TestWhatExercisesAPlace(t *testing.T) {
	metadata := func(r *Report) { r.Session.MetadataOnly = true }
	for name, c := range map[string]struct {
		sphere Sphere
		tool   string
		more   *Report
		want   int
	}{
		"calls: called":                    {OfCalls, "get", surveySession("h", "s", 1, usesTools(1, "get")), 2},
		"calls: listed, not called":        {OfCalls, "get", surveySession("h", "s", 1, usesTools(0, "get")), 1},
		"calls: another tool called":       {OfCalls, "get", surveySession("h", "s", 1, usesTools(1, "list")), 1},
		"calls: of another server":         {OfCalls, "get", surveySession("h", "t", 1, usesTools(1, "get")), 1},
		"calls: nothing was kept":          {OfCalls, "get", surveySession("h", "s", 1, usesTools(1, "get"), metadata), 1},
		"calls: of the server as a whole":  {OfCalls, "", surveySession("h", "s", 1), 2},
		"listing: listed, not called":      {OfListing, "get", surveySession("h", "s", 1, usesTools(0, "get")), 2},
		"listing: not listed":              {OfListing, "get", surveySession("h", "s", 1, usesTools(0, "list")), 1},
		"listing: called, not listed":      {OfListing, "get", surveySession("h", "s", 1, func(r *Report) { r.Tools = []ToolUse{{Name: "get", Calls: 1}} }), 1},
		"session: neither":                 {OfSession, "get", surveySession("h", "s", 1), 2},
		"session: of another server":       {OfSession, "", surveySession("h", "t", 1), 1},
		"session: nothing was kept":        {OfSession, "", surveySession("h", "s", 1, metadata), 1},
		"calls: shown though never called": {OfCalls, "get", surveySession("h", "s", 1, showsFinding("rule", "get", OfCalls)), 2},
	} {
		first := surveySession("h", "s", 0, usesTools(1, "get"), showsFinding("rule", c.tool, c.sphere))
		if got := onlyCluster(t, surveyOf(first, c.more), nil); got.Exercised != c.want {
			t.Errorf("%s: %d sessions, want %d", name, got.Exercised, c.want)
		}
	}
}

func undated(r *Report) *Report {
	r.Session.StartedAt = time.Time{}
	return r
}

// TestRank works the formula out by hand.
func TestRank(t *testing.T) {
	const oneOfOne, threeOfThree = 0.206549314, 0.438502968 // Wilson's lower bounds
	get := usesTools(1, "get")
	seen := showsFinding("slow", "get", OfCalls)
	for name, c := range map[string]struct {
		reports []*Report
		want    float64
	}{
		"once":                        {[]*Report{surveySession("a", "s", 0, get, seen)}, oneOfOne},
		"old of itself":               {[]*Report{surveySession("a", "s", -4000, get, seen)}, oneOfOne},
		"a fortnight ago":             {[]*Report{surveySession("a", "s", 0, get, seen), surveySession("a", "t", 14)}, oneOfOne / 2},
		"a week ago":                  {[]*Report{surveySession("a", "s", 0, get, seen), surveySession("a", "t", 7)}, oneOfOne / math.Sqrt2},
		"last seen nobody knows when": {[]*Report{surveySession("a", "t", 7), undated(surveySession("a", "s", 0, get, seen))}, oneOfOne},
		"undated sessions make nothing older or younger": {[]*Report{surveySession("a", "s", 0, get, seen), surveySession("a", "t", 14), undated(surveySession("a", "t", 0))}, oneOfOne / 2},
		"three times":    {[]*Report{surveySession("a", "s", 0, get, seen), surveySession("a", "s", 0, get, seen), surveySession("a", "s", 0, get, seen)}, threeOfThree},
		"of three hosts": {[]*Report{surveySession("a", "s", 0, get, seen), surveySession("b", "s", 0, get, seen), surveySession("c", "s", 0, get, seen)}, threeOfThree * (1 + math.Log2(3))},
		"as docs/findings.md has it": {[]*Report{surveySession("cursor", "s", 0, get, seen), surveySession("claude-code", "s", 1, get, seen), surveySession("cursor", "s", 2, get, seen),
			surveySession("cursor", "s", 3, get), surveySession("cursor", "t", 9)}, 0.300641842 / math.Sqrt2 * 2},
		"four hosts, one shows it": {[]*Report{surveySession("a", "s", 0, get, seen), surveySession("b", "s", 0), surveySession("c", "s", 0), surveySession("d", "s", 0)}, oneOfOne},
	} {
		if got := onlyCluster(t, surveyOf(c.reports...), nil); math.Abs(got.Rank-c.want) > 1e-9 {
			t.Errorf("%s: rank %v, want %v", name, got.Rank, c.want)
		}
	}
}

// TestSameBytes: no clock, no order of a map.
func TestSameBytes(t *testing.T) {
	var reports []*Report
	for i := range 40 {
		rule := fmt.Sprintf("rule-%d", i)
		reports = append(reports, surveySession("h", "s", 0, usesTools(1, "get", rule), showsFinding(rule, "get", OfCalls), showsFinding(rule, "", OfSession)))
	}
	s := surveyOf(reports...)
	clusters, tools := s.Clusters(nil), s.Tools()
	for range 10 {
		other := surveyOf(reports...)
		if !reflect.DeepEqual(clusters, other.Clusters(nil)) || !reflect.DeepEqual(tools, other.Tools()) {
			t.Fatal("the same sessions give another survey")
		}
	}
	if !slices.IsSortedFunc(clusters, func(a, b Cluster) int {
		if a.Rank != b.Rank {
			return int(math.Copysign(1, b.Rank-a.Rank))
		}
		return slices.Compare([]byte(a.Finding.Fingerprint), []byte(b.Finding.Fingerprint))
	}) {
		t.Error("not in order of rank, then fingerprint")
	}
}

// TestClaimsInASurvey: states come from the sessions that exercised the place, and only those of the claimed finding.
func TestClaimsInASurvey(t *testing.T) {
	reports := []*Report{surveySession("h", "s", 0, usesTools(1, "get"), showsFinding("slow", "get", OfCalls), showsFinding("vague", "get", OfListing))}
	for day := range 3 {
		reports = append(reports, surveySession("h", "s", float64(2+day), usesTools(0, "get")))
	}
	slow, vague := fingerprint("slow", "s", "get", ""), fingerprint("vague", "s", "get", "")
	at := surveyBegin.Add(24 * time.Hour)
	states := map[string]State{}
	for _, c := range surveyOf(reports...).Clusters(map[string]Claim{slow: {slow, at}, vague: {vague, at}, "ffffffffffff": {"ffffffffffff", at}}) {
		states[c.Finding.Rule] = c.State
	}
	if want := map[string]State{"slow": Claimed, "vague": Closed}; !reflect.DeepEqual(states, want) {
		t.Errorf("states = %v, want %v", states, want)
	}
}

// TestW30_ToolsKeepTheirNumbersApart: rates with what they are of, latencies and sizes that were seen, assessments by kind.
func TestW30_ToolsKeepTheirNumbersApart(t *testing.T) {
	one := func(r *Report) {
		r.Tools = []ToolUse{{Name: "get", Calls: 3, Failed: 1, Took: []time.Duration{90, 1500, 120}, Sizes: []int64{5, 7, 6},
			Safety: reprise.SafetyOf(""), Assessed: map[Kind]int{OK: 2, Untestable: 1}}}
	}
	two := func(r *Report) {
		r.Tools = []ToolUse{{Name: "get", Listed: true, Calls: 3, Took: []time.Duration{340, 200}, Sizes: []int64{1, 9},
			Safety: reprise.SafetyOf(`{"annotations":{"readOnlyHint":true}}`), Assessed: map[Kind]int{OK: 3}}, {Name: "idle", Listed: true}}
	}
	got := surveyOf(surveySession("a", "s", 0, one), surveySession("b", "s", 1, two), surveySession("a", "s", 2, one)).Tools()
	if len(got) != 2 || got[0].Tool != "get" || got[1].Tool != "idle" {
		t.Fatalf("tools = %+v", got)
	}
	get, idle := got[0], got[1]
	if !get.Listed || get.Safety.Safety != reprise.SafetyReadOnly || get.Sessions != 3 || get.Calls != 9 || get.Failed != 2 || get.Answered != 8 {
		t.Errorf("get = %+v", get)
	}
	if get.P50 != 120 || get.P90 != 1500 || get.P99 != 1500 || get.SizeP50 != 6 || get.SizeP99 != 9 || get.SizeMost != 9 {
		t.Errorf("percentiles of get = %+v", get)
	}
	if want := map[Kind]int{OK: 7, Untestable: 2}; !reflect.DeepEqual(get.Assessed, want) {
		t.Errorf("assessed %v, want %v", get.Assessed, want)
	}
	if math.Abs(get.ErrorRate-2./9) > 1e-12 || !(0 < get.Lower && get.Lower < get.ErrorRate && get.ErrorRate < get.Upper && get.Upper < 1) {
		t.Errorf("error rate %v in [%v, %v]", get.ErrorRate, get.Lower, get.Upper)
	}
	if idle.ErrorRate != 0 || idle.Lower != 0 || idle.Upper != 1 || idle.P50 != 0 || idle.SizeMost != 0 || idle.Sessions != 0 {
		t.Errorf("idle = %+v", idle)
	}
}

// TestW30_SessionsStayRaw: every session has its own row, and no number of one dimension is in another's.
func TestW30_SessionsStayRaw(t *testing.T) {
	judged := func(r *Report) {
		r.Calls = []Judged{{Assessment: Assessment{Kind: OK}}, {Assessment: Assessment{Kind: ConfirmedDefect}},
			{Assessment: Assessment{Kind: Untestable}}, {Assessment: Assessment{Kind: RightlyRejected}}}
		r.Outcome = Outcome{Verdict: VerdictPass, Calls: 4}
	}
	named := func(r *Report) {
		r.Session.Host, r.Session.Client.Name, r.Session.Peer.Name = "", "opencode", "Tracker"
	}
	got := surveyOf(surveySession("a", "s", 0, judged), surveySession("", "s", 1, named, showsFinding("x", "", OfSession), showsFinding("y", "", OfSession))).Sessions()
	want := []SurveySession{
		{ID: "a-s-0", Host: "a", Server: "s", Started: surveyBegin, Calls: 4, Defects: 1, Untestable: 1, Findings: map[Severity]int{}, Outcome: Outcome{Verdict: VerdictPass, Calls: 4}},
		{ID: "-s-1", Host: "opencode", Server: "Tracker", Started: surveyBegin.Add(24 * time.Hour), Findings: map[Severity]int{Medium: 2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestW24_FindingsChangeNoOutcome: they stand beside it.
func TestW24_FindingsChangeNoOutcome(t *testing.T) {
	pass := func(r *Report) { r.Outcome = Outcome{Verdict: VerdictPass} }
	for _, row := range surveyOf(surveySession("a", "s", 0, pass), surveySession("a", "s", 1, pass, showsFinding("x", "", OfSession))).Sessions() {
		if row.Outcome.Verdict != VerdictPass {
			t.Errorf("session %s: %+v", row.ID, row)
		}
	}
}

// TestEmptySurvey has nothing to say, and says it.
func TestEmptySurvey(t *testing.T) {
	s := &Survey{}
	if len(s.Clusters(nil)) != 0 || len(s.Tools()) != 0 || len(s.Sessions()) != 0 {
		t.Errorf("%v %v %v", s.Clusters(nil), s.Tools(), s.Sessions())
	}
}

// TestSurveyIsBounded: a million calls take two numbers each, and nothing of their sessions' calls is kept.
func TestSurveyIsBounded(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, s := heap(), &Survey{}
	for i := range 100 {
		s.Add(surveySession("h", "s", float64(i), func(r *Report) {
			r.Calls = make([]Judged, 10_000)
			r.Tools = []ToolUse{{Name: "get", Calls: 10_000, Took: make([]time.Duration, 10_000), Sizes: make([]int64, 10_000)}}
		}))
	}
	if grown := int64(heap()) - int64(before); grown > 64<<20 {
		t.Errorf("a million calls take %d MiB", grown>>20)
	}
	if tools := s.Tools(); tools[0].Answered != 1_000_000 {
		t.Errorf("tools = %+v", tools)
	}
}
