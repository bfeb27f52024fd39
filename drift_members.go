package reprise

import (
	"fmt"
	"maps"
)

// properties compares the members of objects: which there are, which must be there, and what they may be.
func (w *schemaWalk) properties(path string, o, n map[string]string) {
	was, is := propertiesOf(o), propertiesOf(n)
	must, now := namesOf(o["required"]), namesOf(n["required"])
	gone, added := notIn(was, is), notIn(is, was)
	renamed := renames(gone, added)
	for _, to := range renamed {
		delete(added, to)
	}
	for _, name := range union(was, is) {
		place := PathMember(path, name)
		switch to, ok := renamed[name]; {
		case ok:
			w.narrower(place, fmt.Sprintf("%s renamed to %s", w.noun, to), was[name], is[to])
			w.required(PathMember(path, to), must[name], now[to])
		case gone[name] != "":
			w.narrower(place, w.noun+" gone", was[name], "")
		case added[name] != "":
			w.added(place, now[name], is[name])
		case was[name] != "":
			w.required(place, must[name], now[name])
			w.member(place, was[name], is[name])
		}
	}
}

// member compares one member, whose own members are no parameters.
func (w *schemaWalk) member(path, old, new string) {
	noun := w.noun
	w.noun = "member"
	w.compare(path, old, new)
	w.noun = noun
}

func (w *schemaWalk) added(path string, required bool, schema string) {
	switch {
	case w.output:
		w.wider(false, path, w.noun+" added", "", schema)
	case !required:
		w.wider(false, path, "optional "+w.noun+" added", "", schema)
	default:
		w.narrower(path, "new required "+w.noun, "", schema)
	}
}

// required compares whether a member must be there.
func (w *schemaWalk) required(path string, was, is bool) {
	switch {
	case was == is:
	case was:
		w.wider(true, path, w.noun+" no longer required", "", "")
	case w.output:
		w.wider(false, path, w.noun+" always there now", "", "")
	default:
		w.narrower(path, w.noun+" required now", "", "")
	}
}

// propertiesOf gives the members that a schema knows, those included that it only requires.
func propertiesOf(keywords map[string]string) map[string]string {
	members := objectOf(keywords["properties"])
	for name := range namesOf(keywords["required"]) {
		if _, ok := members[name]; !ok {
			members[name] = "true"
		}
	}
	return members
}

// namesOf reads a list of strings.
func namesOf(list string) map[string]bool {
	names := map[string]bool{}
	for _, raw := range rawList(list) {
		names[unquote(raw)] = true
	}
	return names
}

// notIn gives what is in one map and not in another.
func notIn(a, b map[string]string) map[string]string {
	rest := maps.Clone(a)
	maps.DeleteFunc(rest, func(name, _ string) bool { _, ok := b[name]; return ok })
	return rest
}

// renames pairs what is gone with what is new where that is evident: the schema is the same, but for its title,
// which many make of the name, and there is no other like it on either side.
func renames(gone, added map[string]string) map[string]string {
	was, is := bySchema(gone), bySchema(added)
	renamed := map[string]string{}
	for schema, names := range was {
		if to := is[schema]; len(names) == 1 && len(to) == 1 {
			renamed[names[0]] = to[0]
		}
	}
	return renamed
}

func bySchema(members map[string]string) map[string][]string {
	by := map[string][]string{}
	for name, raw := range members {
		schema := keywordsOf(raw)
		delete(schema, "title")
		key := string(Canonical(compose(schema)))
		by[key] = append(by[key], name)
	}
	return by
}
