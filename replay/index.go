package replay

import (
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// index finds recorded calls and notifications by what they ask for, at the same cost however many there are.
type index struct {
	level  Level
	ignore *reprise.Ignore

	calls         map[string]*queue // by every key of theirs
	queues        int
	spelled       map[string]*queue  // by params as they were spelled, where that is all that counts
	named         map[string][]*call // by method and name: what a miss is compared with
	notifications map[string][]*cue
	cancels       map[*call]*cue
	pages         map[string]int     // page that a cursor leads to, by method and cursor
	holes         map[string][]holes // of redacted captures, by method and name
	skippable     []*cue             // that clients which cache leave out, with what belongs to none
}

// notification remembers a client's notification.
func (x *index) notification(e *event, q *cue) {
	if x.notifications == nil {
		x.notifications = map[string][]*cue{}
	}
	k := notificationKey(e.frame.Data, &e.msg)
	x.notifications[k] = append(x.notifications[k], q)
}

// notificationKey is what a notification says; of what is no JSON-RPC the line itself.
func notificationKey(line []byte, m *reprise.Message) string {
	switch {
	case m.Kind == reprise.KindNotification && m.Method == "notifications/cancelled":
		return m.Method
	case m.Kind == reprise.KindNotification:
		a := ask(m.Method, m.Name, m.Params)
		return string(a.appendExact(nil))
	}
	return "line\x00" + string(line)
}

func (x *index) cancelled(c *call, q *cue) {
	if x.cancels == nil {
		x.cancels = map[*call]*cue{}
	}
	x.cancels[c] = q
}

// build finds what does not depend on how requests are matched.
func (x *index) build(calls []*call) {
	x.named, x.pages = map[string][]*call{}, map[string]int{}
	for _, c := range calls {
		x.page(c)
		name := nameKey(c.Method, c.Name)
		x.named[name] = append(x.named[name], c)
		if isRepeatable(c.Method) && c.cue.hasFree() {
			x.skippable = append(x.skippable, c.cue)
		}
	}
}

func nameKey(method, name string) string { return method + "\x00" + name }

// page numbers a page of a list by the cursor that led to it, and remembers where its own leads.
func (x *index) page(c *call) {
	if !isList(c.Method) {
		return
	}
	a := ask(c.Method, c.Name, c.params)
	c.page = x.pageOf(&a)
	if next := reprise.Member(c.answer, "nextCursor"); next.Type == gjson.String && c.page > 0 {
		x.pages[pageKey(c.Method, next.Raw)] = c.page + 1
	}
}

// pageOf is the number of the page that is asked for, 0 when nobody handed out its cursor.
func (x *index) pageOf(a *asked) int {
	if !isList(a.method) {
		return 0
	}
	cursor := a.member("cursor")
	if !cursor.Exists() || cursor.Type == gjson.Null {
		return 1
	}
	return x.pages[pageKey(a.method, cursor.Raw)]
}

func (q *cue) hasFree() bool {
	for _, it := range q.items {
		if it.role == free {
			return true
		}
	}
	return false
}

// queue is the calls of one key, in order.
type queue struct {
	n     int // its place among the queues
	calls []*call
}

// ready makes a copy that finds calls at a level.
func (x index) ready(calls []*call, level Level, ignore *reprise.Ignore) index {
	x.level, x.ignore = level, ignore
	x.calls, x.spelled, x.holes = make(map[string]*queue, len(calls)), make(map[string]*queue, len(calls)), map[string][]holes{}
	var room keys
	for _, c := range calls {
		a := ask(c.Method, c.Name, c.params)
		x.find(&a, c.page, &room)
		for i, k := range room.all {
			q := x.add(k, c)
			if i == 0 && x.isExact(&a) {
				x.spelled[c.params] = q
			}
		}
		if strings.Contains(c.params, reprise.PlaceholderStart) {
			x.punch(&a, c)
		}
	}
	return x
}

// isExact says whether a request's first key is exact, and it is of the method that most are of.
func (x *index) isExact(a *asked) bool {
	return a.method == "tools/call" && (x.level == LevelExact || x.level == LevelArguments)
}

func (x *index) add(key []byte, c *call) *queue {
	q := x.calls[string(key)]
	if q == nil {
		q = &queue{n: x.queues}
		x.queues++
		x.calls[string(key)] = q
	}
	q.calls = append(q.calls, c)
	return q
}

// keys are what a request is found by, strictest first, in memory that is used again.
type keys struct {
	all  [][]byte
	room [2][]byte
}

func (k *keys) add(key []byte) {
	n := len(k.all)
	k.room[n] = key
	k.all = append(k.all, key)
}

// next is room for another key.
func (k *keys) next() []byte { return k.room[len(k.all)][:0] }

// find makes a request's keys.
func (x *index) find(a *asked, page int, k *keys) {
	k.all = k.all[:0]
	content := isContent(a.method)
	if content && a.member("requestState").Exists() && (x.level == LevelTool || x.level == LevelSequence) {
		k.add(a.appendExact(k.next())) // what was handed out decides
	}
	switch {
	case x.level == LevelTool && content:
		k.add(append(k.next(), "tool\x00"+nameKey(a.method, a.name)...))
	case x.level == LevelSequence && content:
		k.add(append(k.next(), "sequence"...))
	case isHandshake(a.method):
		k.add(append(k.next(), a.method...))
	default:
		k.add(a.appendExact(k.next()))
		if !(x.level == LevelExact && content) && a.hasLoose(page, x.ignore) {
			k.add(a.appendLoose(k.next(), page, x.ignore))
		}
	}
}
