package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"reprise"
	"reprise/analysis/stats"
)

// Survey joins what many sessions show. The zero value is ready to use. It keeps two numbers for each call, and nothing of what was
// said in it.
type Survey struct {
	sessions []SurveySession
	servers  map[string][]int // the sessions that could show a finding, as indices
	tools    map[toolKey]*toolSums
	clusters map[string]*clusterSums // by fingerprint
	newest   time.Time
}

type toolKey struct{ server, tool string }

// toolSums is what is known of one tool.
type toolSums struct {
	SurveyTool
	took, sizes    []int64
	called, listed []int // the sessions that could show a finding there, as indices
}

// clusterSums is what is known of one finding.
type clusterSums struct {
	finding Finding
	server  string
	with    []int // the sessions that show it, as indices, in order
	count   int
}

// SurveyTool is how all sessions used one tool of a server.
type SurveyTool struct {
	Server, Tool string
	Listed       bool               // in any session
	Safety       reprise.ToolSafety // as it was last listed
	Sessions     int                // that called it
	Calls        int                // answered or not
	Failed       int                // of them, those that ended in an error
	// ErrorRate is Failed ÷ Calls, within Lower and Upper (Wilson, 95 %); without a call 0, within 0 and 1.
	ErrorRate, Lower, Upper float64
	// Answered are the calls that P50, P90 and P99 are of, and the sizes of their responses in bytes. All are values that were seen (nearest rank).
	Answered                   int
	P50, P90, P99              time.Duration
	SizeP50, SizeP99, SizeMost int64
	// Assessed counts the calls by their assessment.
	Assessed map[Kind]int
}

// SurveySession is one session in a row. What it counts stands side by side and is never made into one number (W30).
type SurveySession struct {
	ID, Host, Server string // Server as ServerOf has it
	Started          time.Time
	Calls            int // that are assessed
	Defects          int // of them, confirmed defects
	Untestable       int // of them, those that prove nothing
	Findings         map[Severity]int
	Outcome          Outcome
}

// Add takes the next session in: the oldest comes first.
func (s *Survey) Add(r *Report) {
	if s.tools == nil {
		s.servers, s.tools, s.clusters = map[string][]int{}, map[toolKey]*toolSums{}, map[string]*clusterSums{}
	}
	i, row := len(s.sessions), sessionOf(r)
	s.sessions = append(s.sessions, row)
	s.newest = later(s.newest, row.Started)
	if shows(r) {
		s.servers[row.Server] = append(s.servers[row.Server], i)
	}
	for n := range r.Tools {
		s.addTool(i, r, &r.Tools[n])
	}
	for n := range r.Findings {
		s.addFinding(i, &r.Findings[n])
	}
}

// shows says whether a finding could be seen in a session: of one that kept no content its absence says nothing.
func shows(r *Report) bool { return !r.Session.MetadataOnly }

func sessionOf(r *Report) SurveySession {
	row := SurveySession{ID: r.Session.ID, Host: cmp.Or(r.Session.Host, r.Session.Client.Name), Server: ServerOf(r.Session),
		Started: r.Session.StartedAt, Calls: len(r.Calls), Findings: map[Severity]int{}, Outcome: r.Outcome}
	for n := range r.Calls {
		switch r.Calls[n].Kind {
		case ConfirmedDefect:
			row.Defects++
		case Untestable:
			row.Untestable++
		}
	}
	for n := range r.Findings {
		row.Findings[r.Findings[n].Severity]++
	}
	return row
}

// addTool takes in how session i used a tool.
func (s *Survey) addTool(i int, r *Report, u *ToolUse) {
	t := s.tool(s.sessions[i].Server, u.Name)
	if u.Listed {
		t.Listed, t.Safety = true, u.Safety
	}
	if u.Listed && shows(r) {
		t.listed = append(t.listed, i)
	}
	if u.Calls > 0 {
		t.Sessions++
	}
	if u.Calls > 0 && shows(r) {
		t.called = append(t.called, i)
	}
	t.Calls, t.Failed = t.Calls+u.Calls, t.Failed+u.Failed
	for _, d := range u.Took {
		t.took = append(t.took, int64(d))
	}
	t.sizes = append(t.sizes, u.Sizes...)
	for kind, n := range u.Assessed {
		t.Assessed[kind] += n
	}
}

func (s *Survey) tool(server, name string) *toolSums {
	key := toolKey{server, name}
	t := s.tools[key]
	if t == nil {
		key = toolKey{strings.Clone(server), strings.Clone(name)} // they may be parts of what was long
		t = &toolSums{SurveyTool: SurveyTool{Server: key.server, Tool: key.tool, Safety: reprise.SafetyOf(""), Assessed: map[Kind]int{}}}
		s.tools[key] = t
	}
	return t
}

// addFinding takes in a finding of session i.
func (s *Survey) addFinding(i int, f *Finding) {
	k := s.clusters[f.Fingerprint]
	if k == nil {
		k = &clusterSums{server: s.sessions[i].Server}
		s.clusters[f.Fingerprint] = k
	}
	k.finding = *f
	k.finding.Evidence = slices.Clone(f.Evidence)
	k.count += f.Count
	k.with = append(k.with, i) // a session has one of each fingerprint
}

// place are the sessions that exercised the place of a finding, those with it aside.
func (s *Survey) place(k *clusterSums) []int {
	t := s.tools[toolKey{k.server, k.finding.Tool}]
	switch {
	case k.finding.Tool == "" || k.finding.sphere != OfCalls && k.finding.sphere != OfListing:
		return s.servers[k.server]
	case t == nil:
		return nil
	case k.finding.sphere == OfCalls:
		return t.called
	}
	return t.listed
}

// sightings are the sessions that exercised the place of a finding. Whatever shows it did.
func (s *Survey) sightings(k *clusterSums) []sighting {
	list := make([]sighting, 0, len(k.with))
	for _, i := range k.with {
		list = append(list, sighting{s.sessions[i].Started, true})
	}
	for _, i := range s.place(k) {
		if _, seen := slices.BinarySearch(k.with, i); !seen {
			list = append(list, sighting{s.sessions[i].Started, false})
		}
	}
	return list
}

// Sessions are all of them, in the order in which they were added.
func (s *Survey) Sessions() []SurveySession { return slices.Clone(s.sessions) }

// Tools are those of all servers that were listed or called, by server and name.
func (s *Survey) Tools() []SurveyTool {
	list := make([]SurveyTool, 0, len(s.tools))
	for _, t := range s.tools {
		list = append(list, t.sum())
	}
	slices.SortFunc(list, func(a, b SurveyTool) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return list
}

// sum works out what is not counted. It puts the numbers in their order, for nothing is told of the one in which they came.
func (t *toolSums) sum() SurveyTool {
	one := t.SurveyTool
	one.Assessed = maps.Clone(one.Assessed)
	if one.Calls > 0 {
		one.ErrorRate = float64(one.Failed) / float64(one.Calls)
	}
	in, _ := stats.Wilson(stats.Tally{Passed: one.Failed, Runs: one.Calls}) // what it counts need not be a success
	one.Lower, one.Upper = in.Lower, in.Upper
	slices.Sort(t.took)
	slices.Sort(t.sizes)
	one.Answered = len(t.took)
	one.P50, one.P90, one.P99 = time.Duration(nearestRank(t.took, 0.5)), time.Duration(nearestRank(t.took, 0.9)), time.Duration(nearestRank(t.took, 0.99))
	one.SizeP50, one.SizeP99, one.SizeMost = nearestRank(t.sizes, 0.5), nearestRank(t.sizes, 0.99), nearestRank(t.sizes, 1)
	return one
}

// nearestRank is 0 of none.
func nearestRank(list []int64, q float64) int64 {
	value, _ := stats.Percentile(list, q)
	return value
}
