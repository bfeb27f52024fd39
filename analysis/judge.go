package analysis

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"reprise"
)

// Options say how a session is judged. The zero value is the usual way.
type Options struct {
	// Analyzers are the rules; nil is All().
	Analyzers []*Analyzer
	// History is of the sessions before; this one's calls are added to it at its end. It may be nil.
	History *History
	// Task is what the session was to do; nil when nobody knows.
	Task *Task
	// Cases are those of a checks file, to be looked for in the session; nil without one.
	Cases *Cases
}

// Judge judges one session, fed one item at a time. It knows no rule.
type Judge struct {
	report   *Report
	task     *Task
	history  *History
	describe reprise.Describer
	deriving *deriving
	step     step // see next
	catalog  Catalog
	ledger   ledger
	judged   judgedCalls
	lacks    lacks
	passes   []*Pass
	calls    map[*reprise.Call]*reprise.Call // our own of those that are open: what deriving has is not ours to read
	open     map[*reprise.Call]*Exchange     // by our own
	byRef    map[callRef]*Exchange           // of those in open, for their uses
	made     tasks
	use      map[string]*ToolUse
	places   map[place]int // of findings in the report
	cases    func() []CheckTally
	held     func() []CaseHeld
	pages    func() []Page
	coverage func() *Coverage

	toolCalls  int   // of the client's: a further round of one is the same call
	lost       int   // of them, those that the server did not live to answer
	unsafe     int64 // seq of the last call of a tool that is not declared read-only
	writing    int   // such calls that are not settled: in flight, or cancelled and perhaps still running
	wild       int64 // seq of the end of the last of a tool that is in no list, or contradicts itself: it may have touched anything
	wrote      int64 // seq of the end of the last of all
	declined   int64 // seq of the user's last no to a question of the server's
	reshuffled int64 // seq of the server's last word that its resources have changed
}

// callRef names a call in its session.
type callRef struct {
	seq   int64
	index int
}

func refOf(c *reprise.Call) callRef { return callRef{c.Seq, c.Index} }

type place struct{ rule, tool, place string }

// NewJudge begins a session. What its header or row already tells is in s, which is not changed.
func NewJudge(s *reprise.Session, o Options) *Judge {
	session := unread(s)
	j := &Judge{report: &Report{Session: session}, task: o.Task, history: o.History, calls: map[*reprise.Call]*reprise.Call{}, open: map[*reprise.Call]*Exchange{},
		byRef: map[callRef]*Exchange{}, use: map[string]*ToolUse{}, places: map[place]int{}}
	j.deriving = newDeriving(s, j)
	rules := o.Analyzers
	if rules == nil {
		rules = All()
	}
	for _, rule := range rules {
		p := j.pass(rule)
		rule.Run(p)
	}
	j.cases, j.pages, j.coverage = watchChecks(j.pass(nil)), watchPages(j.pass(nil)), watchCoverage(j.pass(nil))
	j.held = watchCases(j.pass(nil), o.Cases)
	return j
}

// unread is the session without what the traffic tells: that is counted anew.
func unread(s *reprise.Session) *reprise.Session {
	return &reprise.Session{ID: s.ID, Host: s.Host, Server: s.Server, Command: s.Command, URL: s.URL, Transport: s.Transport, StartedAt: s.StartedAt,
		EndedAt: s.EndedAt, Cwd: s.Cwd, Parent: s.Parent, MetadataOnly: s.MetadataOnly, Purpose: s.Purpose, Ending: s.Ending, ExitCode: s.ExitCode,
		Complete: s.Complete, Gaps: s.Gaps, LostFrames: s.LostFrames, Pinned: s.Pinned, Imported: s.Imported, Redacted: s.Redacted}
}

func (j *Judge) pass(rule *Analyzer) *Pass {
	p := &Pass{Session: j.report.Session, Tools: &j.catalog, History: j.history, rule: rule, judge: j}
	j.passes = append(j.passes, p)
	return p
}

// Analyze judges a session whole. It derives and judges side by side.
func Analyze(s *reprise.Session, items iter.Seq2[reprise.CaptureItem, error], o Options) (*Report, error) {
	j := NewJudge(s, o)
	deriving, err := deriveAll(s, items, j.take)
	if err != nil {
		return nil, err
	}
	j.deriving = deriving
	return j.finish(), nil
}

// next and push take steps one by one, where deriving does not go on beside us.
func (j *Judge) next() *step {
	j.step = step{}
	return &j.step
}

func (j *Judge) push() { j.take(&j.step) }

// Add takes the next item of the session.
func (j *Judge) Add(item *reprise.CaptureItem) { j.deriving.add(item) }

// End closes the session and gives its report.
func (j *Judge) End() *Report {
	j.deriving.finish()
	return j.finish()
}

// take takes the next step.
func (j *Judge) take(s *step) {
	switch {
	case s.use != nil:
		j.source(s.use)
	case s.message.Kind != "":
		c := j.own(s)
		j.message(&s.frame, &s.message, c)
		if j.open[c] == nil {
			delete(j.calls, s.call)
		}
	default:
		j.own(s)
	}
}

// own is our own of the call of a step, as it was then.
func (j *Judge) own(s *step) *reprise.Call {
	if s.call == nil {
		return nil
	}
	c := j.calls[s.call]
	if c == nil {
		c = &reprise.Call{}
		if s.message.Kind == reprise.KindRequest {
			j.calls[s.call] = c
		}
	}
	*c = s.state
	return c
}

// message is told of every message as it is derived.
func (j *Judge) message(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	j.describe.Add(j.report.Session, f.Direction, m, c)
	for _, p := range j.passes {
		for _, see := range p.hooks.messages {
			see(f, m, c)
		}
	}
	if m.Flags&reprise.FlagCut != 0 {
		j.report.Unseen.TooLong++
	}
	j.catalog.heard(f, m)
	if m.Kind == reprise.KindNotification && f.Direction == reprise.ServerToClient && strings.HasPrefix(m.Method, "notifications/resources/") {
		j.reshuffled = f.Seq
	}
	switch {
	case c == nil:
	case m.Kind == reprise.KindRequest:
		j.request(f, m, c)
	case m.Kind == reprise.KindResponse:
		j.response(f, m, c)
	}
}

func (j *Judge) request(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	e := &Exchange{Call: c, Params: m.Params}
	if len(f.Data) > 2*len(m.Params)+512 { // else it may keep the frame
		e.Params = strings.Clone(m.Params)
	}
	if c.Direction == reprise.ClientToServer && c.Tool() != "" {
		e.Listing, e.outdated = j.catalog.Tool(c.Name), j.catalog.Changed
		if e.Listing == nil || e.Listing.Safety != reprise.SafetyReadOnly {
			j.unsafe, e.unsafe = c.Seq, true
			j.writing++
		}
	}
	j.open[c] = e
	j.byRef[refOf(c)] = e
}

// source is told of the origin of an argument, behind its message.
func (j *Judge) source(u *reprise.Use) {
	if e := j.byRef[callRef{u.CallSeq, u.CallIndex}]; e != nil && e.OfClient() {
		e.Uses = append(e.Uses, u)
	}
}

func (j *Judge) response(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	e := j.open[c]
	if e == nil {
		return
	}
	if e.Result, e.Error = m.Result, m.Error; m.Flags&reprise.FlagCut != 0 {
		e.Result, e.Error = "", "" // half a result proves nothing
	}
	switch {
	case !e.OfClient() || e.Result == "":
	case c.Method == "tools/list":
		j.list(f.Seq, e)
	case c.Method == "prompts/list":
		j.catalog.learnPrompts(f.Seq, m.Result)
	}
	j.settle(e)
}

// list takes a page of tools in, and shows what is new to the rules.
func (j *Judge) list(seq int64, e *Exchange) {
	for _, t := range j.catalog.learn(seq, e.Params, e.Result) {
		j.used(t.Name).Listed, j.used(t.Name).Safety = true, t.ToolSafety
		for _, p := range j.passes {
			for _, see := range p.hooks.tools {
				see(t)
			}
		}
	}
}

// settle assesses a call that nothing more will come to, and shows it to the rules.
func (j *Judge) settle(e *Exchange) {
	delete(j.open, e.Call)
	delete(j.byRef, refOf(e.Call))
	if e.unsafe {
		j.written(e)
	}
	if !e.OfClient() && e.Method == "elicitation/create" && reprise.Member(e.Result, "action").String() != "accept" {
		j.declined = max(e.Response, e.Seq)
	}
	if e.OfClient() {
		e.Origin = j.made.of(e)
		e.Assessment = j.assess(e)
		j.keep(e)
	}
	for _, p := range j.passes {
		for _, see := range p.hooks.calls {
			see(e)
		}
	}
	if e.OfClient() {
		j.ledger.add(e)
		j.made.add(e)
	}
}

// written notes the end of a call that may have written.
func (j *Judge) written(e *Exchange) {
	j.writing--
	j.wrote = max(e.Response, e.Seq)
	if e.Listing == nil || e.Listing.Contradictory {
		j.wild = j.wrote
	}
}

// keep puts an assessed call into the report.
func (j *Judge) keep(e *Exchange) {
	if e.Assessment.Kind != "" {
		j.judged.add(e)
	}
	if e.Tool() == "" {
		return
	}
	j.used(e.Name).count(e)
	if e.Link != reprise.LinkRound {
		j.toolCalls++
	}
	if e.Status == reprise.StatusLost {
		j.lost++
	}
}

func (j *Judge) used(tool string) *ToolUse {
	u := j.use[tool]
	if u == nil {
		u = &ToolUse{Name: tool, Safety: reprise.SafetyOf(""), Assessed: map[Kind]int{}}
		j.use[tool] = u
	}
	return u
}

func (u *ToolUse) count(e *Exchange) {
	u.Calls++
	u.Assessed[e.Assessment.Kind]++
	if e.Status.Failed() {
		u.Failed++
	}
	if e.Response != 0 {
		u.Took, u.Sizes = append(u.Took, e.Duration()), append(u.Sizes, e.ResponseSize)
	}
}

// finish gives the report when all is derived.
func (j *Judge) finish() *Report {
	j.lacks.truncated = j.deriving.truncated
	j.counts(j.deriving.derive.Session)
	if end := j.deriving.end; end != nil {
		end.Apply(j.report.Session)
		j.gaps(end.Gaps)
	}
	for _, e := range j.rest() {
		j.settle(e)
	}
	for _, p := range j.passes {
		for _, f := range p.hooks.end {
			f()
		}
	}
	r := j.report
	r.Calls = j.judged.all()
	j.doubt()
	j.sortFindings()
	r.Tools = j.tools()
	r.Checks, r.Pages, r.Coverage = j.cases(), j.pages(), j.coverage()
	r.Cases = j.held()
	r.Outcome = j.outcome()
	j.unseen()
	j.remember()
	return r
}

// counts takes over what deriving has counted.
func (j *Judge) counts(d *reprise.Session) {
	s := j.report.Session
	s.Frames, s.Calls, s.Errors, s.Noise, s.Invalid, s.Orphans, s.Bytes = d.Frames, d.Calls, d.Errors, d.Noise, d.Invalid, d.Orphans, d.Bytes
	s.Values, s.Unsourced, s.LeftOut = d.Values, d.Unsourced, d.LeftOut
}

// rest are the calls that nobody answered, in their order.
func (j *Judge) rest() []*Exchange {
	list := make([]*Exchange, 0, len(j.open))
	for _, e := range j.open {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *Exchange) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), a.Index-b.Index) })
	return list
}

// ServerOf is the name by which a server is known across sessions: its own, else the one that it has in the host's config.
func ServerOf(s *reprise.Session) string { return cmp.Or(s.Peer.Name, s.Server) }

func (j *Judge) tools() []ToolUse {
	list := make([]ToolUse, 0, len(j.use))
	for _, u := range j.use {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b ToolUse) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (j *Judge) unseen() {
	s, u := j.report.Session, &j.report.Unseen
	u.Gaps, u.LostFrames, u.LeftOut, u.Truncated = s.Gaps, s.LostFrames, s.LeftOut, int64(len(j.lacks.truncated))
}

// remember leaves the durations of the session's calls to the ones that follow.
func (j *Judge) remember() {
	if j.history == nil {
		return
	}
	server := ServerOf(j.report.Session)
	for _, u := range j.report.Tools {
		for _, d := range u.Took {
			j.history.Add(server, u.Name, d)
		}
	}
}
