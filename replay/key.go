package replay

import (
	"fmt"
	"slices"
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
var Levels = []Level{LevelExact, LevelArguments, LevelTool, LevelSequence}

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
}

// exactKey is the method and the canonical params without _meta.
func exactKey(a asked) string { return key(a, func(member) string { return "" }) }

// looseKey leaves out what differs between two runs though the same is asked for (protocol.md §7). page is that
// of a list.
func looseKey(a asked, page int, g *reprise.Ignore) string {
	if isHandshake(a.method) {
		return a.method
	}
	return key(a, func(m member) string {
		switch {
		case m.name == "cursor" && isList(a.method) && page > 0:
			return fmt.Sprintf("page %d", page)
		case m.name == "task" && m.value.IsObject():
			return "{}"
		case m.name == "inputResponses":
			return "keys " + strings.Join(namesOf(m.value), ",")
		case m.name == "arguments" && isEmpty(m.value):
			return drop
		case g == nil:
			return ""
		}
		return rewrite(m.value.Raw, reprise.PathMember("", m.name), func(path string) string {
			if g.Has([]string{a.method, a.name}, path) {
				return drop
			}
			return ""
		})
	})
}

// drop is what a member that does not count is replaced by.
const drop = "\x00"

type member struct {
	name  string
	value gjson.Result
}

// key makes a key of a request's params. instead gives what stands for a member, "" for its canonical JSON.
func key(a asked, instead func(member) string) string {
	var parts []string
	for _, m := range membersOf(a.params) {
		text := instead(m)
		if m.name == "_meta" || text == drop {
			continue
		}
		if text == "" {
			text = string(reprise.Canonical(m.value.Raw))
		}
		parts = append(parts, m.name+"\x00"+text)
	}
	return a.method + "\x00" + strings.Join(parts, "\x00")
}

// membersOf gives an object's members by name, the last of each.
func membersOf(object string) []member {
	var all []member
	gjson.Parse(object).ForEach(func(k, v gjson.Result) bool {
		i, found := slices.BinarySearchFunc(all, k.Str, func(m member, name string) int { return strings.Compare(m.name, name) })
		if found {
			all[i].value = v
		} else {
			all = slices.Insert(all, i, member{k.Str, v})
		}
		return len(all) < 1000
	})
	return all
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

// leaves gives the scalars of a value with their places.
func leaves(raw, path string, each func(path string, leaf gjson.Result)) {
	v := gjson.Parse(raw)
	switch {
	case v.IsObject():
		for _, m := range membersOf(raw) {
			leaves(m.value.Raw, reprise.PathMember(path, m.name), each)
		}
	case v.IsArray():
		for i, e := range v.Array() {
			leaves(e.Raw, reprise.PathElement(path, i), each)
		}
	default:
		each(path, v)
	}
}
