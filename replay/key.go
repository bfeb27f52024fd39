package replay

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// Level is how alike a request has to be to the recorded one.
type Level string

const (
	// LevelExact wants the same method and canonical params, without _meta.
	LevelExact Level = "exact"
	// LevelArguments is as exact, and takes values for the recorded ones that they stand for, cursors by their place in the
	// walk, and differences that are ignored.
	LevelArguments Level = "arguments"
	// LevelTool takes the next recorded call of the same tool, prompt or resource.
	LevelTool Level = "tool"
	// LevelSequence takes the next recorded call, whatever it is.
	LevelSequence Level = "sequence"
)

// Levels lists them, strictest first.
func Levels() []Level { return []Level{LevelExact, LevelArguments, LevelTool, LevelSequence} }

// isList says whether a method lists page by page.
func isList(method string) bool { return strings.HasSuffix(method, "/list") }

// isHandshake says whether a method finds out about the other side: it is matched by itself alone.
func isHandshake(method string) bool { return method == "initialize" || method == "server/discover" }

// isContent says whether what a method asks for is the business of the session, not of the protocol.
func isContent(method string) bool {
	switch method {
	case "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", listen:
		return false
	}
	return !isHandshake(method) && !isList(method) && !strings.HasPrefix(method, "tasks/")
}

// isRepeatable says whether a method may be called more often than it was recorded: clients cache and poll.
func isRepeatable(method string) bool { return !isContent(method) || method == "completion/complete" }

// asked is what a request asks for.
type asked struct {
	method, name, params string
	members              []member // of the params, by name
	bare                 bool     // known to have no _meta
}

func ask(method, name, params string) asked {
	return asked{method: method, name: name, params: params, members: membersOf(params)}
}

// read reads the params, where that was not done.
func (a *asked) read() {
	if a.members == nil {
		a.members = membersOf(a.params)
	}
}

// member gives a member of the params.
func (a *asked) member(name string) gjson.Result {
	for _, m := range a.members {
		if m.name == name {
			return m.value
		}
	}
	return gjson.Result{}
}

// meta gives a member of the params' _meta.
func (a *asked) meta(name string) gjson.Result {
	if a.bare = a.bare || a.members == nil && !strings.Contains(a.params, `_meta"`) && !strings.Contains(a.params, `\u`); a.bare {
		return gjson.Result{}
	}
	a.read()
	if meta := a.member("_meta"); meta.Exists() {
		return reprise.Member(meta.Raw, name)
	}
	return gjson.Result{}
}

// appendExact adds the method and the canonical params without _meta.
func (a *asked) appendExact(b []byte) []byte {
	b = append(append(b, a.method...), 0)
	for _, m := range a.members {
		if m.name != "_meta" {
			b = append(append(b, m.name...), 0)
			b = append(reprise.AppendCanonical(b, m.value.Raw), 0)
		}
	}
	return b
}

// appendLoose leaves out what differs between two runs though the same is asked for (protocol.md §7). page is that
// of a list.
func (a *asked) appendLoose(b []byte, page int, g *reprise.Ignore) []byte {
	return a.appendKey(append(b, "loose\x00"...), func(m member) string {
		if text := a.usual(m, page); text != "" || g == nil {
			return text
		}
		return rewrite(m.value.Raw, reprise.PathMember("", m.name), func(path string) string { return a.ignored(path, g) })
	})
}

// usual is what stands for a member that differs from run to run; "" for any other.
func (a *asked) usual(m member, page int) string {
	switch {
	case m.name == "cursor" && isList(a.method) && page > 0:
		return "page " + strconv.Itoa(page)
	case m.name == "task" && m.value.IsObject():
		return "{}"
	case m.name == "inputResponses":
		return "keys " + strings.Join(namesOf(m.value), ",")
	case m.name == "arguments" && isEmpty(m.value):
		return drop
	}
	return ""
}

// ignored is drop for a place that does not count.
func (a *asked) ignored(path string, g *reprise.Ignore) string {
	if g.Has([]string{a.method, a.name}, path) {
		return drop
	}
	return ""
}

// hasLoose says whether a request's loose key differs from its exact one. It has to come out alike for all that are alike.
func (a *asked) hasLoose(page int, g *reprise.Ignore) bool {
	args := a.member("arguments")
	return g != nil || isList(a.method) && page > 0 || !args.Exists() || isEmpty(args) ||
		a.member("inputResponses").Exists() || a.member("task").Exists()
}

// drop is what a member that does not count is replaced by.
const drop = "\x00"

type member struct {
	name  string
	value gjson.Result
}

// appendKey adds a key of a request's params. instead gives what stands for a member, "" for its canonical JSON.
func (a *asked) appendKey(b []byte, instead func(member) string) []byte {
	b = append(append(b, a.method...), 0)
	for _, m := range a.members {
		if m.name == "_meta" {
			continue
		}
		text := instead(m)
		if text == drop {
			continue
		}
		b = append(append(b, m.name...), 0)
		if text == "" {
			b = reprise.AppendCanonical(b, m.value.Raw)
		}
		b = append(append(b, text...), 0)
	}
	return b
}

// membersOf gives an object's members by name, the last of each.
func membersOf(object string) []member {
	var all []member
	ordered := true
	gjson.Parse(object).ForEach(func(k, v gjson.Result) bool {
		if all == nil {
			all = make([]member, 0, 4)
		}
		ordered = ordered && (len(all) == 0 || all[len(all)-1].name < k.Str)
		all = append(all, member{k.Str, v})
		return true
	})
	if ordered {
		return all
	}
	slices.SortStableFunc(all, func(a, b member) int { return strings.Compare(a.name, b.name) })
	last := all[:0]
	for i, m := range all {
		if i+1 == len(all) || all[i+1].name != m.name {
			last = append(last, m)
		}
	}
	return last
}

func namesOf(object gjson.Result) []string {
	var names []string
	for _, m := range membersOf(object.Raw) {
		names = append(names, m.name)
	}
	return names
}

func isEmpty(object gjson.Result) bool {
	return object.IsObject() && strings.Trim(object.Raw, "{} \t\r\n") == "" || object.Type == gjson.Null
}

// rewrite is a value's canonical JSON where some places are replaced: instead gives what stands at a path, "" for what stood there.
func rewrite(raw, path string, instead func(path string) string) string {
	if text := instead(path); text != "" {
		return text
	}
	v := gjson.Parse(raw)
	switch {
	case v.IsObject():
		var parts []string
		for _, m := range membersOf(raw) {
			if text := rewrite(m.value.Raw, reprise.PathMember(path, m.name), instead); text != drop {
				parts = append(parts, m.name+"\x00"+text)
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	case v.IsArray():
		var parts []string
		for i, e := range v.Array() {
			parts = append(parts, rewrite(e.Raw, reprise.PathElement(path, i), instead))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return string(reprise.Canonical(raw))
}

// Leaves of what is larger or deeper than this are not looked at one by one: a request with a million of them is compared as a whole.
const (
	mostLeaves    = 5_000
	deepestLeaves = 64
)

// leaves gives the scalars of a value with their places, up to mostLeaves; what is nested too deep counts as one.
func leaves(raw, path string, each func(path string, leaf gjson.Result)) {
	left := mostLeaves
	walkLeaves(raw, path, deepestLeaves, &left, each)
}

func walkLeaves(raw, path string, depth int, left *int, each func(path string, leaf gjson.Result)) {
	v := gjson.Parse(raw)
	switch {
	case *left <= 0:
	case depth > 0 && v.IsObject():
		for _, m := range membersOf(raw) {
			walkLeaves(m.value.Raw, reprise.PathMember(path, m.name), depth-1, left, each)
		}
	case depth > 0 && v.IsArray():
		i := 0
		v.ForEach(func(_, e gjson.Result) bool {
			walkLeaves(e.Raw, reprise.PathElement(path, i), depth-1, left, each)
			i++
			return *left > 0
		})
	default:
		*left--
		each(path, v)
	}
}
