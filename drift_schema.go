package reprise

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// maxSchemaNodes bounds how many pairs of schemas are compared in one: a few definitions that each refer to the next
// twice would be a tree without end.
const maxSchemaNodes = 20_000

// schemaWalk compares two JSON schemas. What a schema lets through may become less, narrower, or more, wider. Who calls a
// tool is hurt by an inputSchema that is narrower. Who reads its results relied on an outputSchema that is narrower,
// which is what formats call breaking, and on members and types that a wider one no longer promises.
//
// $ref is followed within the schema and never fetched; a pair of schemas inside itself counts as the same.
type schemaWalk struct {
	*entry
	output   bool
	old, new string // the whole schemas, in which $ref looks
	noun     string // what a member at the top is
	open     map[[2]string]bool
	left     *int // how many pairs may still be compared
	silent   bool // only asks whether the two let the same through
	differ   bool // they do not
}

// schema compares inputSchema or outputSchema, which stands under key.
func (e *entry) schema(key, old, new string) {
	output := key == "outputSchema"
	if output && (old == "" || new == "") {
		tier := TierMinor
		if new == "" {
			tier = TierBreaking
		}
		e.tell(tier, key, changed(key, old, new), old, new)
		return
	}
	if old == "" {
		old = `{"type":"object"}`
	}
	if new == "" {
		new = `{"type":"object"}`
	}
	w := e.walk(old, new)
	if w.output = output; output {
		w.noun = "result member"
	}
	w.compare(key, old, new)
	if *w.left < 0 {
		e.tell(TierBreaking, key, "changed, and too large to be compared in full", old, new)
	}
}

func (e *entry) walk(old, new string) *schemaWalk {
	left := maxSchemaNodes
	return &schemaWalk{entry: e, old: old, new: new, noun: "parameter", open: map[[2]string]bool{}, left: &left}
}

// arguments compares the arguments of a prompt, as if they were a schema's.
func (e *entry) arguments(old, new string) {
	was, is := promptSchema(old), promptSchema(new)
	w := e.walk("", "")
	w.noun = "argument"
	before := e.d.found
	w.properties("arguments", was, is)
	if len(e.d.found) == len(before) {
		e.tell(TierInfo, "arguments", "stand in another order, or have other details", old, new)
	}
}

// promptSchema makes an object schema of a prompt's arguments.
func promptSchema(arguments string) map[string]string {
	var properties object
	var required []string
	for _, raw := range rawList(arguments) {
		argument := objectOf(raw)
		name := argument["name"]
		if argument["required"] == "true" && name != "" {
			required = append(required, name)
		}
		delete(argument, "name")
		delete(argument, "required")
		properties.raw(unquote(name), compose(argument))
	}
	return map[string]string{"properties": string(properties.end()), "required": "[" + strings.Join(required, ",") + "]"}
}

// narrower tells of less that is let through.
func (w *schemaWalk) narrower(path, message, old, new string) {
	w.differ = true
	w.tell(TierBreaking, path, message, old, new)
}

// wider tells of more that is let through. Lost says that a reader of results relied on that it was not.
func (w *schemaWalk) wider(lost bool, path, message, old, new string) {
	w.differ = true
	if w.output && lost {
		w.tell(TierBreaking, path, message, old, new)
		return
	}
	w.tell(TierMinor, path, message, old, new)
}

func (w *schemaWalk) tell(tier Tier, path, message, old, new string) {
	if !w.silent {
		w.entry.tell(tier, path, message, old, new)
	}
}

// sameSets says whether two schemas let the same through.
func (w *schemaWalk) sameSets(old, new string) bool {
	q := *w
	q.silent, q.differ = true, false
	q.compare("", old, new)
	return !q.differ && *q.left >= 0
}

// compare compares two schemas that stand in the whole ones.
func (w *schemaWalk) compare(path, old, new string) {
	if old == new && !strings.ContainsAny(old, `$\`) { // nothing in it refers to what may have changed
		return
	}
	pair := [2]string{old, new}
	if *w.left--; *w.left < 0 || w.open[pair] {
		return
	}
	w.open[pair] = true
	defer delete(w.open, pair)
	o, n := resolve(w.old, old), resolve(w.new, new)
	w.remarks(path, o, n)
	if nothing := o["not"] == "{}"; nothing != (n["not"] == "{}") {
		if nothing {
			w.wider(true, path, "allowed now", old, new)
		} else {
			w.narrower(path, "no longer allowed", old, new)
		}
		return
	}
	if was, is, ok := choices(o, n); ok {
		w.branches(path, was, is)
		return
	}
	w.types(path, o, n)
	w.values(path, o, n)
	w.properties(PathMember(path, "properties"), o, n)
	for _, key := range union(o, n) {
		w.keyword(PathMember(path, key), key, o[key], n[key])
	}
}

// resolve gives the keywords of a schema, with those of what it refers to. What can't be found in the whole stays $ref.
func resolve(whole, raw string) map[string]string {
	keywords := keywordsOf(raw)
	for seen := map[string]bool{}; keywords["$ref"] != ""; {
		ref := unquote(keywords["$ref"])
		target, ok := pointedAt(whole, ref)
		if !ok {
			break
		}
		if delete(keywords, "$ref"); !seen[ref] {
			absorb(keywords, target)
		}
		seen[ref] = true
	}
	if all := gjson.Parse(keywords["allOf"]).Array(); len(all) == 1 {
		delete(keywords, "allOf")
		absorb(keywords, all[0].Raw)
	}
	return keywords
}

// keywordsOf reads a schema: true is {}, false is {"not":{}}.
func keywordsOf(raw string) map[string]string {
	switch {
	case raw == "false":
		return map[string]string{"not": "{}"}
	case raw == "true", raw == "", isObject(raw):
		return objectOf(raw)
	}
	return map[string]string{"$ref": raw} // no schema at all: known by its text alone
}

// absorb adds the keywords of another schema that holds as well. What a remark says beside $ref counts more than
// what it refers to says; rules hold both.
func absorb(keywords map[string]string, other string) {
	more := keywordsOf(other)
	clash := false
	for key := range more {
		if _, ok := keywords[key]; ok && remarkTier(key) == "" {
			clash = true
		}
	}
	if clash {
		keywords["allOf"] = "[" + strings.Join(append(rawList(keywords["allOf"]), other), ",") + "]"
		return
	}
	for key, value := range more {
		if _, ok := keywords[key]; !ok {
			keywords[key] = value
		}
	}
}

// pointedAt follows "#/$defs/x", a JSON pointer (RFC 6901) in the schema itself.
func pointedAt(whole, ref string) (string, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return "", false
	}
	at := whole
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" || pointer == "/" {
			break
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if at, ok = inside(at, step); !ok {
			return "", false
		}
	}
	return at, true
}

// inside gives a member of an object, or an element of a list.
func inside(raw, step string) (string, bool) {
	if isObject(raw) {
		value, _ := lookUp(raw, step)
		return value.Raw, value.Exists()
	}
	i, err := strconv.Atoi(step)
	list := rawList(raw)
	if err != nil || i < 0 || i >= len(list) {
		return "", false
	}
	return list[i], true
}

func rawList(raw string) (list []string) {
	if strings.HasPrefix(raw, "[") {
		for _, v := range gjson.Parse(raw).Array() {
			list = append(list, v.Raw)
		}
	}
	return list
}

// remarkTier is the tier of a keyword that says something and lets nothing through or not; "" of the others.
func remarkTier(key string) Tier {
	switch key {
	case "description", "default", "examples": // a model reads them, and fills in what they say
		return TierDangerous
	case "title", "deprecated", "readOnly", "writeOnly":
		return TierMinor
	case "$schema", "$id", "$anchor", "$comment", "$defs", "definitions":
		return TierInfo
	}
	return ""
}

// remarks compares what a schema says beside its rules.
func (w *schemaWalk) remarks(path string, o, n map[string]string) {
	if w.silent {
		return
	}
	for _, key := range union(o, n) {
		was, is := o[key], n[key]
		tier, place := remarkTier(key), PathMember(path, key)
		switch {
		case tier == "" || equalJSON(was, is) || key == "$defs" || key == "definitions": // they count where they are referred to
		case key == "description":
			w.text(place, was, is)
		case key == "default":
			w.tell(tier, place, changed(key, was, is)+": calls that leave it out may do something else", was, is)
		default:
			w.tell(tier, place, changed(key, was, is), was, is)
		}
	}
}

// properties compares the members of objects: which there are, which must be there, and what they may be.
func (w *schemaWalk) properties(path string, o, n map[string]string) {
	was, is := propertiesOf(o), propertiesOf(n)
	must, now := namesOf(o["required"]), namesOf(n["required"])
	gone, added := notIn(was, is), notIn(is, was)
	renamed := renames(gone, added)
	for _, name := range union(was, is) {
		place := PathMember(path, name)
		switch to, ok := renamed[name]; {
		case ok:
			w.narrower(place, fmt.Sprintf("%s renamed to %s", w.noun, to), was[name], is[to])
			w.required(PathMember(path, to), must[name], now[to])
		case gone[name] != "":
			w.narrower(place, w.noun+" gone", was[name], "")
		case added[name] == "":
			w.required(place, must[name], now[name])
			w.member(place, was[name], is[name])
		case !slices.Contains(slices.Collect(maps.Values(renamed)), name):
			w.added(place, now[name], is[name])
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
	case w.output || !required:
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

// compose writes a schema of its keywords.
func compose(keywords map[string]string) string {
	var o object
	for _, key := range slices.Sorted(maps.Keys(keywords)) {
		o.raw(key, keywords[key])
	}
	return string(o.end())
}
