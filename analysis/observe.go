package analysis

import (
	"cmp"
	"slices"
	"strings"

	"reprise"
)

// watchChecks holds the traffic as it happens against the checks, as far as these need no parameters of somebody's: what a session happens
// to contain. No call is made, and so nobody knows what else has happened in between: a difference is a reason to doubt, not a failure.
func watchChecks(p *Pass) func() []CheckTally {
	t := &tallies{byKey: map[tallyKey]*CheckTally{}}
	if p.Session.MetadataOnly {
		return func() []CheckTally {
			t.succeeded(p.judge.report.Calls)
			return t.list()
		}
	}
	changes := watchChangers(p)
	again := &againWatch{changes: changes, tallies: t, latest: map[askedFor]*askedOnce{}}
	walks := &walkWatch{changes: changes, tallies: t, next: map[namedCursor]*observedWalk{}}
	schemas := &schemaWatch{pass: p, tallies: t, seen: map[string]int{}}
	p.Calls(func(e *Exchange) {
		if e.OfClient() && e.Tool() != "" && answered(e) {
			began := changes.end(e)
			schemas.see(e)
			again.see(e, began)
			walks.see(e, began)
			return
		}
		changes.end(e)
	})
	return func() []CheckTally {
		walks.end()
		t.succeeded(p.judge.report.Calls)
		return t.list()
	}
}

// answered says whether a call came to its end in an answer that was read.
func answered(e *Exchange) bool {
	return e.Response != 0 && (e.Status == reprise.StatusOK || e.Status.Failed()) && (e.Result != "" || e.Error != "")
}

// answerOf is a call of the traffic as a check looks at it. It keeps nothing of the frame.
func answerOf(e *Exchange) Answer {
	a := Answer{Took: e.Duration(), Seqs: []int64{e.Seq, e.Response}}
	switch {
	case e.Status == reprise.StatusCancelled:
		a.Trouble = "it was cancelled"
	case !answered(e):
		a.Trouble = "no answer came, or none that could be read"
	case len(e.Result) > maxKeptResult:
		a.Trouble = "its result is too long to be kept for a comparison"
	default:
		a.Result, a.Error = strings.Clone(e.Result), strings.Clone(e.Error)
	}
	return a
}

// maxKeptResult is how long a result may be that is kept for a comparison.
const maxKeptResult = 256 << 10

type tallyKey struct{ tool, check string }

// tallies count by tool and check.
type tallies struct {
	byKey map[tallyKey]*CheckTally
}

// maxTallies bounds the names of tools that a session can make up.
const maxTallies = 10_000

func (t *tallies) count(tool, check string, h Held, evidence []int64) {
	key := tallyKey{tool, check}
	one := t.byKey[key]
	if one == nil {
		if len(t.byKey) >= maxTallies {
			return
		}
		one = &CheckTally{Tool: strings.Clone(tool), Type: check}
		t.byKey[tallyKey{one.Tool, check}] = one
	}
	switch h.Result {
	case Passed:
		one.Passed++
	case Skipped:
		one.Skipped++
	case Failed:
		if one.Failed++; one.Failed == 1 {
			one.Reason, one.Evidence = h.Reason, slices.Clone(evidence)
		}
	default:
		if one.Untestable++; one.Untestable == 1 && one.Failed == 0 {
			one.Reason = h.Reason
		}
	}
}

// succeeded counts the assessments, which are final at the session's end only.
func (t *tallies) succeeded(calls []Judged) {
	for i := range calls {
		c := &calls[i]
		if c.Tool() == "" {
			continue
		}
		h := Held{Result: Unsure, Reason: c.Reason}
		switch c.Kind {
		case OK:
			h.Result = Passed
		case ConfirmedDefect:
			h.Result = Failed
		case RightlyRejected:
			h.Result = Skipped
		}
		t.count(c.Tool(), "succeeds", h, c.Evidence)
	}
}

// list gives the tallies by tool, and by check in the order of CheckTypes.
func (t *tallies) list() []CheckTally {
	place := map[string]int{}
	for i, c := range CheckTypes() {
		place[c.Name] = i
	}
	var list []CheckTally
	for _, one := range t.byKey {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b CheckTally) int {
		return cmp.Or(strings.Compare(a.Tool, b.Tool), place[a.Type]-place[b.Type])
	})
	return list
}

// schemaWatch holds results against the outputSchema of their tools: all of a tool's first ones, then one in sampleEvery.
type schemaWatch struct {
	pass    *Pass
	tallies *tallies
	seen    map[string]int
}

const (
	checkedFirst = 500
	sampleEvery  = 64
)

func (w *schemaWatch) see(e *Exchange) {
	if e.Listing == nil || e.Listing.output == nil || e.Listing.output.raw == "" {
		return
	}
	n := w.seen[e.Listing.Name]
	w.seen[e.Listing.Name] = n + 1
	if n >= checkedFirst && n%sampleEvery != 0 {
		return
	}
	check := Check{Type: "output_schema"}
	h := check.Judge(&Trial{Tool: e.Listing, Call: Answer{Result: e.Result, Error: e.Error}, Observed: true})
	if h.Result == Failed && w.pass.Tools.Changed {
		h.Result, h.Reason = Unsure, h.Reason+"; but the list of tools has changed since it was read"
	}
	w.tallies.count(e.Name, check.Type, h, []int64{e.Listing.Seq, e.Seq, e.Response})
}
