package analysis

import (
	"fmt"
	"slices"
	"strings"

	"reprise"
)

var changedArgument = &Analyzer{
	Name: "changed-argument",
	Doc: "A call failed for an argument, and the agent's next call of the tool succeeded with that argument changed, added or left out. What changed is the hint that the " +
		"description or schema lacks. It counts only where the failure speaks of the argument, the declared schema does not exclude the first call, no " +
		"more than three values differ, and the agent did not just turn to another thing. Source: W17, W22.",
	Severity: Medium,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		if !p.Session.MetadataOnly {
			p.Calls((&correctedCalls{pass: p, world: watchChanges(p), failed: map[string]*failedTry{}, room: placeRoom{}}).see)
		}
	},
}

// correctedCalls remembers the latest failure of each tool that speaks of an argument.
type correctedCalls struct {
	pass   *Pass
	world  *worldChanges
	failed map[string]*failedTry
	room   placeRoom
}

// failedTry is a failed call that may be put right.
type failedTry struct {
	*failedCall
	world  int
	leaves []callLeaf
}

// callLeaf is an argument; points says that it identifies something, or is a path.
type callLeaf struct {
	path, json string
	points     bool
	listed     bool // its schema lists the value
}

func (c *correctedCalls) see(e *Exchange) {
	switch {
	case !plainCall(e):
	case e.Status.Failed():
		c.fail(e)
	case len(c.failed) > 0 && hasResult(e):
		c.succeed(e)
	}
}

func (c *correctedCalls) fail(e *Exchange) {
	delete(c.failed, e.Name)
	leaves, ok := callLeaves(e)
	if ok && len(c.failed) < maxKeptTools && e.Assessment.Kind != RightlyRejected {
		c.failed[e.Name] = &failedTry{keepFailure(e), c.world.n, leaves}
	}
}

// callLeaves are a call's arguments; not where they are many or long.
func callLeaves(e *Exchange) (list []callLeaf, ok bool) {
	if len(e.Uses) > maxPairs || len(e.Params) > 16<<10 {
		return nil, false
	}
	for _, u := range e.Uses {
		list = append(list, callLeaf{path: strings.Clone(u.Path), json: strings.Clone(u.JSON), points: u.Identifies() || strings.ContainsAny(u.JSON, `/\`),
			listed: u.Ground == reprise.GroundEnum || u.Ground == reprise.GroundConst})
	}
	return list, true
}

func (c *correctedCalls) succeed(e *Exchange) {
	m := c.failed[e.Name]
	if m == nil || e.Seq <= m.Response { // asked before the failure was known
		return
	}
	delete(c.failed, e.Name)
	before := c.world.n
	if !readsOnly(e) {
		before-- // this call itself
	}
	leaves, ok := callLeaves(e)
	if !ok || before != m.world || e.Started-m.Ended > callPatience {
		return
	}
	turns := argumentTurns(m.leaves, leaves)
	if len(turns) == 0 || len(turns) > maxTurns || !m.about(turns) || !m.blames() {
		return
	}
	if place := placeOfTurns(turns); c.room.room(e.Name, place) {
		c.pass.Report(m.finding(e, turns, place))
	}
}

// maxTurns is how many values two calls may differ in: with more it is another call.
const maxTurns = 3

// argumentTurn is how an argument changed: one of the two is nil where it was added or left out.
type argumentTurn struct{ from, to *callLeaf }

func (t argumentTurn) path() string {
	if t.to != nil {
		return t.to.path
	}
	return t.from.path
}

func argumentTurns(from, to []callLeaf) (list []argumentTurn) {
	for i := range to {
		at := slices.IndexFunc(from, func(l callLeaf) bool { return l.path == to[i].path })
		switch {
		case at < 0:
			list = append(list, argumentTurn{nil, &to[i]})
		case from[at].json != to[i].json:
			list = append(list, argumentTurn{&from[at], &to[i]})
		}
	}
	for i := range from {
		if !slices.ContainsFunc(to, func(l callLeaf) bool { return l.path == from[i].path }) {
			list = append(list, argumentTurn{&from[i], nil})
		}
	}
	return list
}

// about says whether the failure is about what changed, and the agent did not turn to another thing instead.
func (m *failedTry) about(turns []argumentTurn) bool {
	text, named := strings.ToLower(m.said), m.Code != nil && *m.Code == invalidParams && len(turns) == 1
	for _, t := range turns {
		if t.elsewhere(m.said) {
			return false
		}
		named = named || hasWord(text, strings.ToLower(keyName(t.path()))) ||
			t.from != nil && len(t.from.json) > 2 && hasWord(text, strings.ToLower(plainText(t.from.json)))
	}
	return named
}

// elsewhere says whether a change may mean another thing rather than the same one in another way: one identifier or path for
// another of its kind, unless the failure names the new one, and always another person.
func (t argumentTurn) elsewhere(said string) bool {
	switch {
	case t.from == nil || t.to == nil || jsonKind(t.from.json) != jsonKind(t.to.json):
		return false
	case t.from.listed: // the schema says that it is right: that is a defect, and no hint that is missing
		return true
	case strings.Contains(t.from.json, "@") && strings.Contains(t.to.json, "@"):
		return true // somebody else
	case !t.from.points && !t.to.points:
		return false
	}
	return !hasWord(said, plainText(t.to.json))
}

// jsonKind is the first byte of a value, which tells its type: numbers are one.
func jsonKind(json string) byte {
	if json == "" || json[0] == '-' || json[0] >= '0' && json[0] <= '9' {
		return '0'
	}
	return json[0]
}

func placeOfTurns(turns []argumentTurn) string {
	var list []string
	for _, t := range turns {
		list = append(list, withoutIndices(t.path()))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ",")
}

func (m *failedTry) finding(e *Exchange, turns []argumentTurn, place string) Finding {
	var said []string
	for _, t := range turns {
		said = append(said, t.words())
	}
	return Finding{
		Tool:  e.Name,
		Place: place,
		What: fmt.Sprintf("%s failed (%s), and succeeded when the agent %s.",
			quote(e.Name), quote(strings.TrimSpace(m.said)), strings.Join(said, " and ")),
		Consequence: "The agent had to find out by a failing call what the tool takes.",
		Suggestion:  fmt.Sprintf("Say in the description and schema of %s what the tool takes, with an example.", shownPath(strings.ReplaceAll(place, ",", ", "))),
		Evidence:    []int64{m.Seq, m.Response, e.Seq, e.Response},
	}
}

func (t argumentTurn) words() string {
	switch {
	case t.from == nil:
		return fmt.Sprintf("added %s %s", shownPath(t.to.path), shownValue(t.to.json))
	case t.to == nil:
		return fmt.Sprintf("left out %s %s", shownPath(t.from.path), shownValue(t.from.json))
	}
	if jsonKind(t.from.json) != jsonKind(t.to.json) {
		return fmt.Sprintf("changed %s from %s to %s", shownPath(t.to.path), quote(t.from.json), quote(t.to.json))
	}
	return fmt.Sprintf("changed %s from %s to %s", shownPath(t.to.path), shownValue(t.from.json), shownValue(t.to.json))
}
