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

	calls         map[string][]*call // by every key of theirs
	named         map[string][]*call // by method and name: what a miss is compared with
	notifications map[string][]*cue
	cancels       map[*call]*cue
	pages         map[string]int     // page that a cursor leads to, by method and cursor
	holes         map[string][]holes // of redacted captures, by method and name
	states        map[string]bool    // requestStates that were handed out
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
		return exactKey(asked{m.Method, m.Name, m.Params})
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
	x.named, x.pages, x.states = map[string][]*call{}, map[string]int{}, map[string]bool{}
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
		if state := reprise.Member(c.answer, "requestState"); state.Exists() {
			x.states[string(reprise.Canonical(state.Raw))] = true
		}
		return
	}
	c.page = x.pageOf(c.Method, c.params)
	if next := reprise.Member(c.answer, "nextCursor"); next.Type == gjson.String && c.page > 0 {
		x.pages[c.Method+"\x00"+next.Str] = c.page + 1
	}
}

// pageOf is the number of the page that is asked for, 0 when nobody handed out its cursor.
func (x *index) pageOf(method, params string) int {
	cursor := reprise.Member(params, "cursor")
	if !cursor.Exists() || cursor.Type == gjson.Null {
		return 1
	}
	return x.pages[method+"\x00"+cursor.Str]
}

func (q *cue) hasFree() bool {
	for _, it := range q.items {
		if it.role == free {
			return true
		}
	}
	return false
}

// ready makes a copy that finds calls at a level.
func (x index) ready(calls []*call, level Level, ignore *reprise.Ignore) index {
	x.level, x.ignore = level, ignore
	x.calls, x.holes = make(map[string][]*call, len(calls)), map[string][]holes{}
	for _, c := range calls {
		a := asked{c.Method, c.Name, c.params}
		for _, k := range x.keys(a, c.page) {
			x.calls[k] = append(x.calls[k], c)
		}
		if strings.Contains(c.params, placeholderStart) {
			x.punch(a, c)
		}
	}
	return x
}

// keys are what a request is found by, strictest first.
func (x *index) keys(a asked, page int) []string {
	content := isContent(a.method)
	switch {
	case x.level == LevelTool && content:
		return []string{"tool\x00" + nameKey(a.method, a.name)}
	case x.level == LevelSequence && content:
		return []string{"sequence"}
	case x.level == LevelExact && content:
		return []string{exactKey(a)}
	case isHandshake(a.method):
		return []string{a.method}
	}
	exact := exactKey(a)
	if !x.hasLoose(a, page) {
		return []string{exact}
	}
	return []string{exact, "loose\x00" + looseKey(a, page, x.ignore)}
}

// hasLoose says whether a request's loose key differs from its exact one. It has to come out alike for all that are alike.
func (x *index) hasLoose(a asked, page int) bool {
	if x.ignore != nil || isList(a.method) && page > 0 {
		return true
	}
	args := reprise.Member(a.params, "arguments")
	return isEmpty(args) || !args.Exists() || strings.Contains(a.params, `"inputResponses"`) || strings.Contains(a.params, `"task"`)
}
