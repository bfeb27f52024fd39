package analysis

import (
	"fmt"
	"slices"
	"strings"

	"reprise"
)

var batchWish = &Analyzer{
	Name: "batch-wish",
	Doc: "The agent called one tool five times or more in a row, with one argument that differs and all others the same: it went through a list, one call for each item. Three calls are " +
		"enough where a call with these items together was refused before. Walks through pages, searches and texts are left alone, and so are " +
		"tools that have a twin for many. Source: W23a.",
	Severity: Low,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		if p.Session.MetadataOnly {
			return
		}
		b := &callBatches{pass: p, refused: map[string]*failedCall{}, room: placeRoom{}}
		p.Calls(b.see)
		p.End(b.close)
	},
}

// leastRow is how many calls in a row make a finding; leastRefused after a refusal of all at once.
const (
	leastRow     = 5
	leastRefused = 3
)

// callBatches follows the calls of one tool in a row, and remembers the latest refusal of each tool.
type callBatches struct {
	pass    *Pass
	run     callRow
	refused map[string]*failedCall
	room    placeRoom
}

// callRow is calls of one tool that differ in one argument.
type callRow struct {
	tool    string
	uses    []*reprise.Use // of the first call
	path    string         // of the argument that differs; "" while there is one call
	values  []string       // of it, the first few
	seqs    []int64
	times   int
	points  bool // all values identify something, or a result gave them
	listing *Tool
}

func (b *callBatches) see(e *Exchange) {
	switch {
	case !e.OfClient() || e.Tool() == "":
	case e.Status.Failed():
		b.refuse(e)
	case !plainCall(e) || !hasResult(e) || len(e.Uses) > maxPairs:
		b.close()
	default:
		b.join(e)
	}
}

func (b *callBatches) refuse(e *Exchange) {
	if len(e.Params) > 16<<10 || len(b.refused) >= maxKeptTools {
		return
	}
	b.refused[e.Name] = keepFailure(e)
}

// join takes a call into the row, or begins a new one.
func (b *callBatches) join(e *Exchange) {
	r := &b.run
	at, ok := differsIn(r.uses, e.Uses)
	if r.tool != e.Name || !ok || r.path != "" && at != nil && at.Path != r.path {
		b.close()
		b.begin(e)
		return
	}
	if at == nil || slices.Contains(r.values, at.JSON) { // the same call again
		return
	}
	if r.path == "" {
		r.path = at.Path
		first := r.uses[slices.IndexFunc(r.uses, func(u *reprise.Use) bool { return u.Path == at.Path })]
		r.add(first)
	}
	r.times++
	r.add(at)
	if len(r.seqs) < maxEvidence {
		r.seqs = append(r.seqs, e.Seq, e.Response)
	}
}

func (b *callBatches) begin(e *Exchange) {
	b.run = callRow{tool: e.Name, uses: e.Uses, times: 1, points: true, seqs: []int64{e.Seq, e.Response}, listing: e.Listing}
}

func (r *callRow) add(u *reprise.Use) {
	if len(r.values) < maxPairs {
		r.values = append(r.values, u.JSON)
	}
	r.points = r.points && (u.Source == reprise.SourceHarvested || u.Source == reprise.SourceDerived || u.Identifies() || namesThing(keyOf(u.Path)))
}

// namesThing says whether an argument of this name holds the name of a thing.
func namesThing(key string) bool {
	for _, word := range []string{"name", "path", "file", "uri", "url", "email", "slug", "title", "id", "city", "symbol", "ticker", "address"} {
		if strings.HasSuffix(key, word) {
			return true
		}
	}
	return false
}

// differsIn gives the one argument in which two calls differ, nil where they are the same; false where they differ in more.
func differsIn(from, to []*reprise.Use) (at *reprise.Use, ok bool) {
	if len(from) != len(to) {
		return nil, false
	}
	for i, u := range to {
		was := from[i]
		if was.Path != u.Path {
			return nil, false
		}
		if was.JSON == u.JSON {
			continue
		}
		if at != nil {
			return nil, false
		}
		at = u
	}
	return at, true
}

// close ends the row, and reports it where it is long.
func (b *callBatches) close() {
	r := b.run
	b.run = callRow{}
	if r.times < leastRefused || r.path == "" {
		return
	}
	refused := b.refused[r.tool]
	all := refused != nil && refused.Response < r.seqs[0] && heldAll(refused.Arguments(), r.values) && refused.blames()
	key := keyOf(r.path)
	switch {
	case all:
	case r.times < leastRow || !r.points || pagesBy(key) || holdsWords(key) || strings.HasSuffix(r.path, "]") || b.twin(key):
		return
	}
	if place := withoutIndices(r.path); b.room.room(r.tool, place) {
		b.pass.Report(r.finding(place, refused, all))
	}
}

// holdsWords says whether an argument of this name holds words, keys to press or numbers to reckon with rather than an item.
func holdsWords(key string) bool {
	return slices.Contains([]string{"query", "q", "search", "question", "prompt", "text", "message", "thought", "sql", "code", "command", "expression", "script", "key", "keys",
		"input", "char", "pattern", "filter", "ref", "selector", "element", "x", "y"}, key)
}

// heldAll says whether the arguments of one call held all these values.
func heldAll(arguments string, values []string) bool {
	for _, v := range values {
		if len(v) < 4 || !strings.Contains(arguments, strings.Trim(v, `"`)) {
			return false
		}
	}
	return true
}

// twin says whether some tool takes many of what an argument names.
func (b *callBatches) twin(key string) bool {
	for _, t := range b.pass.Tools.All() {
		for _, p := range t.Parameters() {
			name := keyOf(p.Name)
			if (name == key || name == key+"s" || name == key+"es" || name == "ids" && strings.HasSuffix(key, "id")) && reprise.Member(p.JSON, "type").String() == "array" {
				return true
			}
		}
	}
	return false
}

func (r *callRow) finding(place string, refused *failedCall, all bool) Finding {
	f := Finding{
		Tool:        r.tool,
		Place:       place,
		What:        fmt.Sprintf("The agent called %s %s in a row, each time with nothing changed but %s.", quote(r.tool), plural(r.times, "time"), shownPath(place)),
		Consequence: "Each item costs a call, and its share of time and context.",
		Suggestion:  fmt.Sprintf("Let one call take several values of %s, and answer for all of them.", shownPath(place)),
		Evidence:    r.seqs,
	}
	if all {
		f.Severity = Medium
		f.What = fmt.Sprintf("%s refused a call with several items at once, and the agent made %s instead, one for each.", quote(r.tool), plural(r.times, "call"))
		f.Evidence = append([]int64{refused.Seq, refused.Response}, r.seqs...)
	}
	return f
}
