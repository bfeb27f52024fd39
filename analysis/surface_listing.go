package analysis

import (
	"crypto/sha256"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

var toolNeverOffered = &Analyzer{
	Name: "tool-never-offered",
	Doc: "Tools of the server never reached the host: it did not ask for the further pages of tools/list, or did not list again after the server said that its tools " +
		"had changed, although it went on calling tools. Nothing is said of a record with gaps, nor of a session that no agent host made. " +
		"Source: the specification's pagination and notifications/tools/list_changed.",
	Severity: Medium,
	Sphere:   OfSession,
	Run: func(p *Pass) {
		w := walk{}
		p.Messages(w.message)
		p.Calls(w.page)
		p.End(func() {
			if p.Session.Gaps > 0 || p.Session.LostFrames > 0 || p.Session.Purpose != "" {
				return
			}
			if w.unread != 0 && !w.whole && w.calledAfterPage != 0 {
				p.Report(unreadPage(&w))
			}
			if w.listed && w.changed != 0 && w.calledAfterChange != 0 {
				p.Report(unheardChange(&w))
			}
		})
	},
}

// settling is how long a host may take to list again what is said to have changed.
const settling = time.Second

// walk follows how a host reads the list of tools.
type walk struct {
	listed  bool  // a page was read
	whole   bool  // it came to the list's end, and nothing is said to have changed since
	unread  int64 // seq of the latest page that names a further one, until that is asked for
	changed int64 // seq of the first list_changed that no tools/list has followed
	since   time.Duration
	// calls made after them
	calledAfterPage, calledAfterChange int64
}

func (w *walk) message(f *reprise.Frame, m *reprise.Message, _ *reprise.Call) {
	switch {
	case m.Kind == reprise.KindRequest && f.Direction == reprise.ClientToServer:
		w.request(f, m)
	case m.Kind == reprise.KindNotification && f.Direction == reprise.ServerToClient && m.Method == "notifications/tools/list_changed":
		w.whole = false
		if w.changed == 0 {
			w.changed, w.since, w.calledAfterChange = f.Seq, f.At, 0
		}
	}
}

func (w *walk) request(f *reprise.Frame, m *reprise.Message) {
	switch m.Method {
	case "tools/list":
		w.changed = 0
		if isCursor(reprise.Member(m.Params, "cursor")) {
			w.unread = 0
		}
	case "tools/call":
		if w.unread != 0 && w.calledAfterPage == 0 {
			w.calledAfterPage = f.Seq
		}
		if w.changed != 0 && w.calledAfterChange == 0 && f.At-w.since > settling {
			w.calledAfterChange = f.Seq
		}
	}
}

// page sees the answers to tools/list.
func (w *walk) page(e *Exchange) {
	if !e.OfClient() || e.Method != "tools/list" || e.Result == "" {
		return
	}
	w.listed = true
	w.changed = 0 // it was asked for before, but may have been made after
	if !isCursor(reprise.Member(e.Result, "nextCursor")) {
		w.whole = true
		return
	}
	w.unread, w.calledAfterPage = e.Response, 0
}

// isCursor says whether a value names a page. An empty one is taken for none, as some servers mean it.
func isCursor(v gjson.Result) bool { return v.Type == gjson.String && v.Str != "" }

func unreadPage(w *walk) Finding {
	return Finding{
		Place:       "nextCursor",
		What:        "The list of tools goes on behind its first pages, and the host never asked for the rest.",
		Consequence: "The agent never saw the tools on the later pages, and does without them or makes do with others.",
		Suggestion:  "Give all tools in one page, or the ones that matter most in the first: not every host follows nextCursor.",
		Evidence:    []int64{w.unread, w.calledAfterPage},
	}
}

func unheardChange(w *walk) Finding {
	return Finding{
		Place:       "list_changed",
		What:        "The server said that its tools had changed, and the host went on calling tools without listing them again.",
		Consequence: "The agent works with the old list: it misses new tools, and calls ones that may be gone.",
		Suggestion:  "Offer all tools from the start, and answer calls of ones that are not ready with an error that says what to do first.",
		Evidence:    []int64{w.changed, w.calledAfterChange},
	}
}

var duplicateTool = &Analyzer{
	Name: "duplicate-tool",
	Doc: "A list of tools has two of one name. Source: the specification (a tool's name is its unique identifier); " +
		"model APIs refuse a request whose tools share a name.",
	Severity: High,
	Sphere:   OfListing,
	Run: func(p *Pass) {
		w := walks{}
		p.Calls(func(e *Exchange) {
			if !e.OfClient() || e.Method != "tools/list" || e.Result == "" {
				return
			}
			for _, name := range w.page(e) {
				p.Report(Finding{
					Tool:        name,
					What:        "The list of tools has more than one of this name.",
					Consequence: "The host offers one of them, which one nobody knows, or refuses the whole list.",
					Suggestion:  "Give each tool a name of its own, and list it once.",
					Evidence:    []int64{e.Response},
				})
			}
		})
	},
}

// Bounds of walks: how many are followed at once, and how many names are remembered of each.
const (
	maxWalks = 8
	maxNames = 10_000
)

// walks are the readings of the list that have not come to their end. Hosts make several at once, page by page.
type walks struct {
	open []listing
}

// listing is the names of one reading, by their hashes, and the cursor that it will go on with.
type listing struct {
	cursor string
	names  map[[sha256.Size]byte]bool
}

// page takes a page in, and gives the names that its reading has twice, at most fewTools of them.
func (w *walks) page(e *Exchange) (twice []string) {
	l := w.take(reprise.Member(e.Params, "cursor"))
	reprise.Member(e.Result, "tools").ForEach(func(_, item gjson.Result) bool {
		name := reprise.Member(item.Raw, "name")
		if name.Type != gjson.String {
			return true
		}
		hash := sha256.Sum256([]byte(name.Str))
		if l.names[hash] && len(twice) < fewTools {
			twice = append(twice, name.String())
		}
		if len(l.names) < maxNames {
			l.names[hash] = true
		}
		return true
	})
	if next := reprise.Member(e.Result, "nextCursor"); isCursor(next) && len(next.Str) < 4096 {
		l.cursor = next.String()
		w.open = append(w.open[max(0, len(w.open)-maxWalks+1):], l)
	}
	return twice
}

// take is the reading that goes on with a cursor, or a new one.
func (w *walks) take(cursor gjson.Result) listing {
	for i, l := range w.open {
		if isCursor(cursor) && l.cursor == cursor.Str {
			w.open = append(w.open[:i:i], w.open[i+1:]...)
			return l
		}
	}
	return listing{names: map[[sha256.Size]byte]bool{}}
}
