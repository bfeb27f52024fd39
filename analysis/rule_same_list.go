package analysis

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

var sameListAgain = &Analyzer{
	Name: "same-list-again",
	Doc: "The same list was fetched three times or more, each time with the same arguments and the same result, though no tool was called in between that is not " +
		"declared read-only. Lists of what is still running are left alone: who fetches those again waits. So are lists fetched more than two minutes " +
		"apart. Source: W17.",
	Severity: Low,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		if !p.Session.MetadataOnly {
			p.Calls((&fetchedLists{pass: p, world: watchNews(p), safe: map[callDigest]*fetchedList{}, own: map[callDigest]*fetchedList{}, room: placeRoom{}}).see)
		}
	},
}

// fetchedLists remembers the latest results of calls: those of read-only tools, and those of the one other tool that was called last. A call of
// a further one may have changed what they give.
type fetchedLists struct {
	pass      *Pass
	world     *worldChanges
	safe, own map[callDigest]*fetchedList
	unsafe    string // whose calls are in own
	seen      int    // of the world's changes
	room      placeRoom
}

// fetchedList is a call and its latest result.
type fetchedList struct {
	result resultSum
	times  int
	ended  time.Duration
	seqs   []int64
}

// watchNews counts what a server or user tells in between, but no calls.
func watchNews(p *Pass) *worldChanges {
	c := &worldChanges{}
	p.Messages(func(_ *reprise.Frame, m *reprise.Message, _ *reprise.Call) {
		if m.Kind == reprise.KindNotification && m.Method != "notifications/cancelled" && !tellsNoChange(m.Method) || m.Method == "elicitation/create" || m.Method == "initialize" {
			c.n++
		}
	})
	return c
}

func (l *fetchedLists) see(e *Exchange) {
	switch {
	case !e.OfClient() || e.Tool() == "":
		return
	case l.seen != l.world.n:
		l.seen = l.world.n
		clear(l.safe)
		clear(l.own)
	}
	kept := l.safe
	if !readsOnly(e) {
		kept = l.ownOf(e)
	}
	if !plainCall(e) || !hasResult(e) {
		return
	}
	key, result := digestOf(e), resultSumOf(e.Result)
	f := kept[key]
	if f == nil || f.result != result || e.Seq < f.seqs[len(f.seqs)-1] || e.Started-f.ended > callPatience {
		if len(kept) >= maxKeptCalls {
			clear(kept)
		}
		kept[key] = &fetchedList{result, 1, e.Ended, []int64{e.Seq, e.Response}}
		return
	}
	l.again(e, f)
}

// ownOf makes room for the results of a tool that may have changed all others.
func (l *fetchedLists) ownOf(e *Exchange) map[callDigest]*fetchedList {
	if len(l.safe) > 0 {
		clear(l.safe)
	}
	if l.unsafe != e.Name {
		clear(l.own)
		l.unsafe = e.Name
	}
	return l.own
}

func (l *fetchedLists) again(e *Exchange, f *fetchedList) {
	f.times, f.ended = f.times+1, e.Ended
	if f.times <= leastFetched {
		f.seqs = append(f.seqs, e.Seq, e.Response)
	} else {
		f.seqs = append(f.seqs[:2*leastFetched-2], e.Seq, e.Response)
	}
	if f.times < leastFetched || !fetchesList(e) || waitWords().MatchString(e.Result[:min(len(e.Result), maxSaid)]) || !l.room.room(e.Name, "") {
		return
	}
	l.pass.Report(Finding{
		Tool:        e.Name,
		What:        fmt.Sprintf("The agent fetched the same list from %s again and again, with the same arguments and the same result, and nothing had changed in between.", quote(e.Name)),
		Consequence: fmt.Sprintf("Each time the agent read the same %s bytes again, at the cost of a call and its context.", thousands(int(e.ResponseSize))),
		Suggestion:  "Return what agents look for in the first place (a filter, a field that is missing, a search), so that they need not fetch the list again.",
		Evidence:    f.seqs,
	})
}

// leastFetched is how often the same list has to be fetched.
const leastFetched = 3

// fetchesList says whether a call fetches a list, by its tool's name or by its result.
func fetchesList(e *Exchange) bool {
	name := strings.ToLower(e.Name)
	for _, word := range []string{"list", "search", "find"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return len(rowsOf(e.Result)) > 1
}

// waitWords are the words of what is not over yet.
var waitWords = sync.OnceValue(func() *regexp.Regexp {
	return words(`pending|running|queued|in.?progress|waiting|processing|started|building|loading|starting|scheduled`)
})

// jsonOf is the JSON that a result holds: structuredContent, or that of its only text. Of what is long or nested deeply nothing is read: a text is not
// held to the bounds of a message.
func jsonOf(result string) gjson.Result {
	if len(result) > maxRead || nestsDeeply(result) {
		return gjson.Result{}
	}
	if root := reprise.Member(result, "structuredContent"); root.IsObject() || root.IsArray() {
		return root
	}
	return onlyText(result)
}

// maxRead is how long a result may be that these rules look into.
const maxRead = 4 << 20

// nestsDeeply says whether a result, or a text in it, is nested deeper than sensible data is. Brackets in strings count, which only makes it stricter.
func nestsDeeply(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			if depth++; depth > maxNested {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

const maxNested = 256

// maxRows is how many items of a list are looked at.
const maxRows = 1000

// rowsOf are the items of the list in a result, raw: of its longest array, at most one level deep.
func rowsOf(result string) []string {
	best := longestArray(jsonOf(result), 2)
	var items []string
	best.ForEach(func(_, item gjson.Result) bool {
		items = append(items, item.Raw)
		return len(items) < maxRows
	})
	return items
}

// longestArray is the array with the longest text.
func longestArray(root gjson.Result, depth int) (best gjson.Result) {
	if root.IsArray() {
		return root
	}
	if !root.IsObject() || depth == 0 {
		return best
	}
	root.ForEach(func(_, member gjson.Result) bool {
		if member.IsArray() || member.IsObject() {
			if found := longestArray(member, depth-1); len(found.Raw) > len(best.Raw) {
				best = found
			}
		}
		return true
	})
	return best
}
