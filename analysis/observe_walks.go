package analysis

import (
	"slices"
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

// walkWatch follows lists from page to page: calls of one tool that differ in nothing but the argument which takes the cursor that the page before
// had named.
type walkWatch struct {
	changes *changers
	tallies *tallies
	next    map[namedCursor]*observedWalk
	order   []*observedWalk
	bytes   int
}

// namedCursor is a cursor that a tool has named, as canonical JSON.
type namedCursor struct{ tool, cursor string }

type observedWalk struct {
	tool     string
	check    Check
	at       namedCursor // where it goes on
	rest     askedFor    // the arguments without the cursor
	argument string      // that took it; "" before a second page
	pages    []Answer
	began    moment
	first    time.Duration
	calls    int // of its own that count as changes
	weak     string
	bytes    int
}

const (
	maxObservedWalks = 32
	maxWalkPages     = 100
	maxWalkBytes     = 16 << 20
	maxCursor        = 4 << 10
)

func (w *walkWatch) see(e *Exchange, began moment) {
	if e.Status != reprise.StatusOK || len(e.Result) > maxKeptResult || len(w.next) == 0 && !mayName(e.Result) {
		return
	}
	walk := w.following(e)
	if walk == nil {
		path := cursorPath(&Answer{Result: e.Result})
		if path == "" {
			return
		}
		walk = &observedWalk{tool: strings.Clone(e.Name), check: Check{Type: "pagination_terminates", Cursor: path, MaxPages: maxWalkPages},
			rest: restOf(e, ""), began: began, first: e.Started}
		w.order = append(w.order, walk)
	}
	w.page(walk, e, began)
	for len(w.order) > maxObservedWalks || w.bytes > maxWalkBytes {
		w.close(w.order[0])
	}
}

// mayName says at little cost whether a result can name a cursor.
func mayName(result string) bool {
	for _, sign := range []string{"ursor", "oken", "next", "Next"} {
		if strings.Contains(result, sign) {
			return true
		}
	}
	return false
}

// following is the walk that a call goes on with.
func (w *walkWatch) following(e *Exchange) (found *observedWalk) {
	if len(w.next) == 0 {
		return nil
	}
	reprise.Member(e.Params, "arguments").ForEach(func(key, value gjson.Result) bool {
		if len(value.Raw) > maxCursor {
			return true
		}
		walk := w.next[namedCursor{e.Name, string(reprise.Canonical(value.Raw))}]
		if walk == nil || e.Seq < walk.last() || walk.argument != "" && walk.argument != key.Str || walk.rest != restOf(e, key.Str) {
			return true
		}
		found, walk.argument = walk, strings.Clone(key.Str)
		return false
	})
	if found != nil && len(found.pages) == 1 {
		found.rest = restOf(e, found.argument)
	}
	return found
}

func (k *observedWalk) last() int64 { return k.pages[len(k.pages)-1].Seqs[1] }

// restOf is a call without one argument, and without those that only begin a walk: an empty cursor, null.
func restOf(e *Exchange, without string) askedFor {
	var rest []string
	reprise.Member(e.Params, "arguments").ForEach(func(key, value gjson.Result) bool {
		if key.Str != without && value.Type != gjson.Null && value.Raw != `""` {
			rest = append(rest, key.Raw+":"+value.Raw)
		}
		return true
	})
	return askedOf(e.Name, "{"+strings.Join(rest, ",")+"}")
}

func (w *walkWatch) page(walk *observedWalk, e *Exchange, began moment) {
	a := answerOf(e)
	walk.pages = append(walk.pages, a)
	walk.bytes += len(a.Result)
	w.bytes += len(a.Result)
	if began.changes {
		walk.calls++
	}
	switch {
	case w.changes.between(walk.began, walk.calls):
		walk.weak = "something may have been changed while the list was read"
	case e.Ended-walk.first > soon:
		walk.weak = "the list was read over more than " + soon.String()
	}
	delete(w.next, walk.at)
	cursor := walk.check.Next(&a)
	if cursor == "" || len(cursor) > maxCursor || len(walk.pages) >= maxWalkPages {
		w.close(walk)
		return
	}
	walk.at = namedCursor{walk.tool, string(reprise.Canonical(cursor))}
	if other := w.next[walk.at]; other != nil && other != walk {
		w.close(other)
	}
	w.next[walk.at] = walk
}

// close judges a walk. One of a single page shows nothing: nobody followed it.
func (w *walkWatch) close(walk *observedWalk) {
	if w.next[walk.at] == walk {
		delete(w.next, walk.at)
	}
	w.order = slices.DeleteFunc(w.order, func(other *observedWalk) bool { return other == walk })
	w.bytes -= walk.bytes
	if len(walk.pages) < 2 {
		return
	}
	h := walk.check.Judge(&Trial{Call: walk.pages[0], Pages: walk.pages, Observed: true, Weak: walk.weak})
	var seqs []int64
	for _, a := range h.Evidence {
		seqs = append(seqs, a.Seqs...)
	}
	w.tallies.count(walk.tool, walk.check.Type, h, seqs)
}

func (w *walkWatch) end() {
	for len(w.order) > 0 {
		w.close(w.order[0])
	}
}

// cursorPath is where a result names the next page, "" where it does not.
func cursorPath(a *Answer) string {
	body := a.content()
	for _, name := range []string{"nextCursor", "next_cursor", "nextPageToken", "next_page_token", "nextToken", "next_token", "continuationToken", "nextPage", "next_page"} {
		for _, at := range []string{name, "pagination." + name, "pageInfo." + name, "page_info." + name, "meta." + name} {
			if v := gjson.Parse(reprise.At(body, at)); v.Type == gjson.String && v.Str != "" || v.Type == gjson.Number {
				return at
			}
		}
	}
	return ""
}
