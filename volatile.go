package reprise

import (
	"slices"
	"strings"
)

// volatilePlace is a place whose value the protocol makes anew in each run (protocol.md §7).
type volatilePlace struct {
	methods []string // of the messages that have it; none for all
	path    []string // members; * is an element or a member of any name
	kind    byte     // what stands there; 0 for anything
}

// taskMembers are what each run sets anew in a task (protocol.md §5.5, §5.6).
var taskMembers = []string{"taskId", "createdAt", "lastUpdatedAt", "ttl", "ttlMs", "pollInterval", "pollIntervalMs", "statusMessage"}

// envelopePlaces are those outside of tasks. A member of the same name elsewhere, in structuredContent say, is the server's own.
var envelopePlaces = []volatilePlace{
	{methods: []string{"*/list"}, path: []string{"nextCursor"}, kind: '"'},
	{path: []string{"requestState"}, kind: '"'},
	{path: []string{"ttlMs"}, kind: 'n'},
	{path: []string{"_meta", "traceparent"}},
	{path: []string{"_meta", "tracestate"}},
	{path: []string{"_meta", "baggage"}},
	{path: []string{"_meta", "progressToken"}},
	{path: []string{"_meta", MetaPrefix + "subscriptionId"}},
	{path: []string{"_meta", MetaPrefix + "related-task", "taskId"}},
	{path: []string{"_meta", MetaPrefix + "serverInfo", "version"}},
	{methods: []string{"initialize", "server/discover"}, path: []string{"serverInfo", "version"}},
	{methods: []string{"notifications/progress"}, path: []string{"progressToken"}},
	{methods: []string{"notifications/cancelled"}, path: []string{"requestId"}},
	{methods: []string{"elicitation/create", "notifications/elicitation/complete"}, path: []string{"elicitationId"}, kind: '"'},
	{path: []string{"data", "elicitations", "*", "elicitationId"}, kind: '"'},
	{path: []string{"inputRequests", "*", "params", "elicitationId"}, kind: '"'},
}

// elicitationURLs are addresses whose query is made anew.
var elicitationURLs = []volatilePlace{
	{methods: []string{"elicitation/create"}, path: []string{"url"}},
	{path: []string{"data", "elicitations", "*", "url"}},
	{path: []string{"inputRequests", "*", "params", "url"}},
}

// volatilePlaces are the places that a message with these names may have, and those of the task that it is, or has.
func volatilePlaces(names []string, recorded *tree) []volatilePlace {
	places := slices.DeleteFunc(slices.Clone(envelopePlaces), func(p volatilePlace) bool { return !p.isOf(names) })
	for _, root := range taskRoots(names, recorded) {
		for _, name := range taskMembers {
			places = append(places, volatilePlace{path: append(slices.Clone(root), name)})
		}
	}
	return places
}

// taskRoots are where tasks stand in a message.
func taskRoots(names []string, recorded *tree) (roots [][]string) {
	kind, task := recorded.member("resultType"), recorded.member("task")
	tasks := slices.ContainsFunc(names, func(name string) bool {
		return name != "tasks/result" && (strings.HasPrefix(name, "tasks/") || strings.HasPrefix(name, "notifications/tasks"))
	})
	if tasks || kind != nil && kind.raw == `"task"` {
		roots = append(roots, nil)
	}
	if task != nil && task.member("taskId") != nil {
		roots = append(roots, []string{"task"})
	}
	if tasks {
		roots = append(roots, []string{"tasks", "*"})
	}
	return roots
}

func (p *volatilePlace) isOf(names []string) bool {
	return p.methods == nil || slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(p.methods, func(pattern string) bool { return glob(pattern, name) })
	})
}

func (p *volatilePlace) is(steps []segment) bool {
	if len(p.path) != len(steps) {
		return false
	}
	for i, s := range steps {
		if p.path[i] != "*" && (s.index >= 0 || p.path[i] != s.key) {
			return false
		}
	}
	return true
}

// volatile says whether what differs at this place may.
func (c *comparing) volatile(r, l *tree) bool {
	steps := c.pairs.steps
	if c.pairs.text {
		return false
	}
	for i := range c.places {
		p := &c.places[i]
		if p.is(steps) && (p.kind == 0 || r.kind() == p.kind && l.kind() == p.kind) {
			return true
		}
	}
	if r.kind() != '"' || l.kind() != '"' {
		return false
	}
	recorded, _, _ := strings.Cut(unquote(r.raw), "?")
	live, _, _ := strings.Cut(unquote(l.raw), "?")
	return recorded == live && slices.ContainsFunc(elicitationURLs, func(p volatilePlace) bool { return p.isOf(c.names) && p.is(steps) })
}

// renamed says whether the members at this place have names that each run makes anew: those of inputRequests.
func (c *comparing) renamed() bool {
	steps := c.pairs.steps
	return len(steps) == 1 && steps[0].key == "inputRequests"
}
