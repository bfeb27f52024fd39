package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

var paginationIgnored = &Analyzer{
	Name: "pagination-ignored",
	Doc: "A result named the cursor of the next page, the cursor was never used in the session, and the first page was fetched again instead, with the same result. A list " +
		"of prompts or resources whose further pages were never asked for counts too, where the session went on: what is on them is never offered. Not " +
		"to follow a cursor is often right, and alone is no finding. Source: S17.",
	Severity: Low,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		if p.Session.MetadataOnly {
			return
		}
		w := &pageTurns{pass: p, world: watchChanges(p), next: map[cursorOf]*namedPage{}, first: map[callDigest]*namedPage{}, room: placeRoom{}}
		p.Calls(w.see)
		p.End(w.end)
	},
}

var paginationDuplicates = &Analyzer{
	Name: "pagination-duplicates",
	Doc: "The same item stands on two pages of one walk, though nothing changed in between that the session shows: an item with an id, key or uri, word for word, or a whole page again. " +
		"The agent counts and works on it twice, and others may be missing. Source: S17, the second half of pagination_terminates.",
	Severity: High,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		if p.Session.MetadataOnly {
			return
		}
		p.Calls((&listWalks{pass: p, world: watchChanges(p), next: map[cursorOf]*followedList{}, room: placeRoom{}}).see)
	},
}

// cursorOf is a cursor as the argument of a tool, or of a list of the protocol.
type cursorOf struct{ name, json string }

// pageTurns remembers the pages of which the next was named.
type pageTurns struct {
	pass  *Pass
	world *worldChanges
	next  map[cursorOf]*namedPage
	first map[callDigest]*namedPage
	order []*namedPage
	lists []*namedPage // of them, the protocol's that nothing has followed yet
	room  placeRoom
}

// namedPage is a result that names the next one.
type namedPage struct {
	name, method  string
	seq, response int64
	ended         time.Duration
	world         int
	result        resultSum
	followed      bool
	again         []int64 // the calls that fetched the same page instead
	later         bool    // the client asked for other things afterwards
}

func (w *pageTurns) see(e *Exchange) {
	if !e.OfClient() || e.Link != "" || e.Status != reprise.StatusOK {
		return
	}
	name := e.Tool()
	switch e.Method {
	case "prompts/list", "resources/list", "resources/templates/list":
		name = e.Method
		w.follow(name, reprise.Member(e.Params, "cursor").Raw)
	case "tools/call":
		for i, u := range e.Uses {
			if len(w.next) == 0 || i == maxPairs {
				break
			}
			w.follow(name, u.JSON)
		}
	}
	w.goesOn(e)
	if name != "" && e.Flags&(reprise.FlagCut|reprise.FlagTooDeep) == 0 {
		w.turn(e, name)
	}
}

func (w *pageTurns) follow(name, cursor string) {
	if cursor == "" {
		return
	}
	if p := w.next[cursorOf{name, cursor}]; p != nil {
		p.followed = true
	}
}

// goesOn notes that a session did not end with a list.
func (w *pageTurns) goesOn(e *Exchange) {
	if e.Method != "tools/call" && e.Method != "resources/read" && e.Method != "prompts/get" {
		return
	}
	rest := w.lists[:0]
	for _, p := range w.lists {
		if p.later = e.Seq > p.response; !p.later {
			rest = append(rest, p)
		}
	}
	w.lists = rest
}

func (w *pageTurns) turn(e *Exchange, name string) {
	cursor := nextCursor(e)
	if cursor == "" {
		return
	}
	key := digestOf(e)
	if e.Tool() == "" {
		key = callDigest{}
		copy(key[:], e.Method+reprise.Member(e.Params, "cursor").Raw)
	}
	if was := w.first[key]; was != nil && !was.followed && e.Tool() != "" {
		if was.world == w.world.before(e) && was.result == resultSumOf(e.Result) && e.Seq > was.response && e.Started-was.ended <= callPatience && len(was.again) < maxEvidence {
			was.again = append(was.again, e.Seq, e.Response)
		}
		was.world, was.ended = w.world.n, e.Ended
		return
	}
	if len(w.order) >= maxKeptCalls || w.first[key] != nil && e.Tool() == "" {
		return
	}
	p := &namedPage{name: strings.Clone(name), seq: e.Seq, response: e.Response, ended: e.Ended, world: w.world.n, result: resultSumOf(e.Result)}
	if e.Tool() == "" {
		p.method, w.lists = e.Method, append(w.lists, p)
	}
	w.order = append(w.order, p)
	w.first[key], w.next[cursorOf{p.name, strings.Clone(cursor)}] = p, p
}

func (w *pageTurns) end() {
	for _, p := range w.order {
		switch {
		case p.followed || !w.room.room(p.name, p.method):
		case p.method != "" && p.later:
			w.pass.Report(neverOffered(p))
		case p.method == "" && len(p.again) > 0:
			w.pass.Report(fetchedAgain(p))
		}
	}
}

func fetchedAgain(p *namedPage) Finding {
	return Finding{
		Tool: p.name,
		What: fmt.Sprintf("A result of %s named the cursor of the next page, and the agent fetched the first page again instead (%s) and never the next.",
			quote(p.name), plural(len(p.again)/2, "time")),
		Consequence: "The agent works with the first page only, and reads it twice.",
		Suggestion:  "Say in the description which argument takes the cursor, and in the result how many items there are and how to get the rest.",
		Evidence:    append([]int64{p.seq, p.response}, p.again...),
	}
}

func neverOffered(p *namedPage) Finding {
	return Finding{
		Place:       p.method,
		What:        fmt.Sprintf("The answer to %s named a next page, and the client never asked for it.", p.method),
		Consequence: "What stands on the further pages is never offered to the agent.",
		Suggestion:  "Return the whole list on one page where it is short, with what matters first where it is long.",
		Evidence:    []int64{p.seq, p.response},
	}
}

// namesNext says whether a member of this name, in small letters and digits, holds the next page's cursor.
func namesNext(key string) bool {
	return slices.Contains([]string{"nextcursor", "nextpagetoken", "nextpagecursor", "nexttoken", "nextpage", "nextoffset", "continuationtoken"}, key)
}

// nextCursor is the raw cursor of the next page that a result names: at its top, or in one of the objects there. "" without one.
func nextCursor(e *Exchange) (cursor string) {
	if !strings.Contains(e.Result, "next") && !strings.Contains(e.Result, "Next") && !strings.Contains(e.Result, "ontinuation") {
		return ""
	}
	if e.Tool() == "" {
		return nextIn(gjson.Parse(e.Result), 0)
	}
	return nextIn(jsonOf(e.Result), 1)
}

func nextIn(object gjson.Result, depth int) (cursor string) {
	if !object.IsObject() {
		return ""
	}
	object.ForEach(func(key, value gjson.Result) bool {
		switch {
		case value.IsObject() && depth > 0:
			cursor = nextIn(value, depth-1)
		case namesNext(keyOf(key.Str)) && (value.Type == gjson.String && value.Str != "" || value.Type == gjson.Number) && len(value.Raw) <= maxNextCursor:
			cursor = value.Raw
		}
		return cursor == ""
	})
	return cursor
}

// maxNextCursor is how long a cursor may be that is remembered.
const maxNextCursor = 4 << 10
