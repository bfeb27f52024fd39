package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

// CaseHeld is what a session shows of a case of a checks file, where somebody happens to have made its call.
type CaseHeld struct {
	Case *Case
	Seq  int64  // of the call; 0 when the session has none
	Held []Held // of each of the case's checks, in their order
}

// caseWatch looks for the calls of cases. No call is made: what a check needs besides is taken from the traffic, or is missing.
type caseWatch struct {
	pass    *Pass
	changes *changers
	cases   []*watchedCase
	byTool  map[string][]*watchedCase // whose call or witness is of the tool
	bytes   int
}

type watchedCase struct {
	of      *Case
	found   []*foundCall
	witness map[*Check]*witnessCall // the latest of each check
}

// foundCall is a captured call that is the case's.
type foundCall struct {
	trial   Trial
	seq     int64
	index   int
	ended   time.Duration
	began   moment
	own     int // changes that it made itself
	before  map[*Check]*witnessCall
	after   map[*Check]*Answer
	doubts  map[*Check]string // why a difference proves nothing
	cursors map[*Check]string // where its walks go on
	pages   map[*Check][]Answer
}

type witnessCall struct {
	answer   Answer
	response int64
	began    moment
	ended    time.Duration
}

// What is kept of a session: calls of one case, and the bytes of all results.
const (
	maxFound      = 20
	maxFoundBytes = 32 << 20
)

// watchCases holds a session against the cases of a checks file.
func watchCases(p *Pass, cases *Cases) func() []CaseHeld {
	if cases == nil {
		return func() []CaseHeld { return nil }
	}
	w := &caseWatch{pass: p, changes: watchChangers(p), byTool: map[string][]*watchedCase{}}
	for i := range cases.Cases {
		w.add(&cases.Cases[i])
	}
	p.Calls(w.see)
	return w.end
}

func (w *caseWatch) add(c *Case) {
	one := &watchedCase{of: c, witness: map[*Check]*witnessCall{}}
	w.cases = append(w.cases, one)
	tools := []string{c.Tool}
	for i := range c.Checks {
		if plan := c.Checks[i].Needs().Witness; plan != nil {
			tools = append(tools, plan.Tool)
		}
	}
	slices.Sort(tools)
	for _, tool := range slices.Compact(tools) {
		w.byTool[tool] = append(w.byTool[tool], one)
	}
}

func (w *caseWatch) see(e *Exchange) {
	began := w.changes.end(e)
	if !e.OfClient() || e.Tool() == "" {
		return
	}
	for _, c := range w.byTool[e.Name] {
		w.witness(c, e, began)
		w.follow(c, e)
		if w.matches(&c.of.Plan, e) {
			w.again(c, e)
			w.take(c, e, began)
		}
	}
}

// take keeps a call of the case.
func (w *caseWatch) take(c *watchedCase, e *Exchange, began moment) {
	if len(c.found) == maxFound {
		return
	}
	f := &foundCall{seq: e.Seq, index: e.Index, ended: e.Ended, began: began, before: map[*Check]*witnessCall{}, after: map[*Check]*Answer{},
		doubts: map[*Check]string{}, cursors: map[*Check]string{}, pages: map[*Check][]Answer{}}
	if began.changes {
		f.own = 1
	}
	f.trial = Trial{Tool: e.Listing, Args: c.of.Args, Call: w.kept(e), Observed: true}
	for i := range c.of.Checks {
		check := &c.of.Checks[i]
		if last := c.witness[check]; last != nil && last.response < e.Seq {
			f.before[check] = last
		}
		if check.Type == "output_schema" && w.pass.Tools.Changed {
			f.doubts[check] = "the list of tools has changed since it was read"
		}
		if check.Needs().Pages {
			f.pages[check] = []Answer{f.trial.Call}
			f.cursors[check] = check.Next(&f.trial.Call)
		}
	}
	c.found = append(c.found, f)
}

// kept is the answer to a call, as long as there is room for it.
func (w *caseWatch) kept(e *Exchange) Answer {
	a := answerOf(e)
	if w.bytes += len(a.Result); w.bytes > maxFoundBytes {
		w.bytes -= len(a.Result)
		return Answer{Seqs: a.Seqs, Took: a.Took, Trouble: "the session has more results than are kept for a comparison"}
	}
	return a
}

// witness takes note of a call that is a check's witness.
func (w *caseWatch) witness(c *watchedCase, e *Exchange, began moment) {
	for i := range c.of.Checks {
		check := &c.of.Checks[i]
		plan := check.Needs().Witness
		if plan == nil || !w.matches(plan, e) {
			continue
		}
		now := &witnessCall{w.kept(e), e.Response, began, e.Ended}
		c.witness[check] = now
		for _, f := range c.found {
			if f.after[check] != nil || f.before[check] == nil || e.Seq < f.end() {
				continue
			}
			f.after[check] = &now.answer
			f.doubts[check] = w.doubt(f.before[check].began, f.own, e.Ended-f.before[check].ended)
		}
	}
}

func (f *foundCall) end() int64 { return f.trial.Call.Seqs[1] }

// doubt says why a difference between two calls need not be the doing of what is judged.
func (w *caseWatch) doubt(since moment, own int, apart time.Duration) string {
	switch {
	case w.changes.between(since, own):
		return "other calls that may have changed something came in between"
	case apart > soon:
		return "more than " + soon.String() + " lies between"
	}
	return ""
}

// again gives a call to the ones before that ask for it.
func (w *caseWatch) again(c *watchedCase, e *Exchange) {
	for _, f := range c.found {
		if f.trial.Again != nil || e.Seq < f.end() {
			continue
		}
		a := w.kept(e)
		f.trial.Again = &a
		for i := range c.of.Checks {
			if c.of.Checks[i].Needs().Again {
				f.doubts[&c.of.Checks[i]] = w.doubt(f.began, 2*f.own, e.Ended-f.ended)
			}
		}
	}
}

// follow gives a page to the walks that it goes on with.
func (w *caseWatch) follow(c *watchedCase, e *Exchange) {
	if e.Name != c.of.Tool {
		return
	}
	for _, f := range c.found {
		for i := range c.of.Checks {
			check := &c.of.Checks[i]
			cursor := f.cursors[check]
			argument := check.withDefaults().Argument
			if cursor == "" || len(f.pages[check]) >= check.withDefaults().MaxPages ||
				!sameJSON(reprise.Member(e.Arguments(), argument).Raw, cursor) || restOf(e, argument) != planned(&c.of.Plan, argument) {
				continue
			}
			a := w.kept(e)
			f.pages[check] = append(f.pages[check], a)
			f.cursors[check] = check.Next(&a)
			if f.own == 0 {
				f.doubts[check] = w.doubt(f.began, 0, e.Ended-f.ended)
			}
		}
	}
}

// planned is a plan's call without one argument.
func planned(p *Plan, without string) askedFor {
	var rest []string
	for _, a := range p.Args {
		if v := gjson.Parse(a.JSON); a.Name != without && v.Type != gjson.Null && v.Raw != `""` {
			name := gjson.AppendJSONString(nil, a.Name)
			rest = append(rest, string(name)+":"+a.JSON)
		}
	}
	return askedOf(p.Tool, "{"+strings.Join(rest, ",")+"}")
}

// matches says whether a call is the planned one: the same tool and arguments. An argument that a plan takes from a result may be any value
// that the session's agent took from the same place.
func (w *caseWatch) matches(p *Plan, e *Exchange) bool {
	if p.Tool != e.Name {
		return false
	}
	given := map[string]string{}
	reprise.Member(e.Params, "arguments").ForEach(func(key, value gjson.Result) bool {
		given[key.Str] = value.Raw
		return len(given) <= len(p.Args)
	})
	if len(given) != len(p.Args) {
		return false
	}
	for i := range p.Args {
		a := &p.Args[i]
		raw, ok := given[a.Name]
		if !ok || a.From == nil && !sameJSON(raw, a.JSON) || a.From != nil && !w.born(a, e) {
			return false
		}
	}
	return true
}

// born says whether the session took an argument from where the plan takes it.
func (w *caseWatch) born(a *Arg, e *Exchange) bool {
	path := reprise.PathMember("", a.Name)
	for _, u := range e.Uses {
		if u.Path != path || u.Source != reprise.SourceHarvested {
			continue
		}
		birth := w.pass.judge.ledger.gave(u)
		return birth != nil && birth.tool == a.From.Tool && anyElement(u.ValuePath) == anyElement(a.From.Path)
	}
	return false
}

// anyElement is a path without the numbers of its elements.
func anyElement(path string) string {
	var b strings.Builder
	inside := false
	for i := range len(path) {
		switch {
		case path[i] == '[' && i+1 < len(path) && path[i+1] != '"':
			inside = true
			b.WriteByte('[')
		case path[i] == ']':
			inside = false
			b.WriteByte(']')
		case !inside:
			b.WriteByte(path[i])
		}
	}
	return b.String()
}

// end judges what was found.
func (w *caseWatch) end() (list []CaseHeld) {
	for _, c := range w.cases {
		if len(c.found) == 0 {
			none := CaseHeld{Case: c.of}
			for i := range c.of.Checks {
				none.Held = append(none.Held, skipped("the session has no such call").as(c.of.Checks[i].Type))
			}
			list = append(list, none)
		}
		slices.SortFunc(c.found, func(a, b *foundCall) int { return cmp.Or(cmp.Compare(a.seq, b.seq), a.index-b.index) })
		for _, f := range c.found {
			held := CaseHeld{Case: c.of, Seq: f.seq}
			for i := range c.of.Checks {
				held.Held = append(held.Held, w.judge(&c.of.Checks[i], f))
			}
			list = append(list, held)
		}
	}
	return list
}

func (w *caseWatch) judge(check *Check, f *foundCall) Held {
	t := f.trial
	t.After = f.after[check]
	if before := f.before[check]; before != nil {
		t.Before = &before.answer
	}
	t.Pages, t.More = f.pages[check], f.cursors[check] != ""
	t.Weak = w.weakness(f)
	if doubt := f.doubts[check]; t.Weak == "" && doubt != "" {
		t.Weak = doubt
	}
	return check.Judge(&t)
}

// weakness is why a failure of a captured call proves nothing, as its assessment says at the session's end.
func (w *caseWatch) weakness(f *foundCall) string {
	calls := w.pass.judge.report.Calls // in order, at the session's end
	i, ok := slices.BinarySearchFunc(calls, f, func(c Judged, f *foundCall) int { return cmp.Or(cmp.Compare(c.Seq, f.seq), c.Index-f.index) })
	if ok && calls[i].Kind != OK && calls[i].Kind != ConfirmedDefect {
		return calls[i].Reason
	}
	return ""
}
