package reprise

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of a comparison: how many pairs of schemas are looked at in one tool's, and how many bytes of them in all. A
// few definitions that each refer to the next twice would be a tree without end.
const (
	maxSchemaNodes = 20_000
	maxSchemaBytes = 256 << 20
)

// schemaWalk compares two JSON schemas. What a schema lets through may become less, narrower, or more, wider. Who calls a
// tool is hurt by an inputSchema that is narrower. Who reads its results relied on an outputSchema that is narrower,
// which is what formats call breaking, and on members and types that a wider one no longer promises.
//
// $ref is followed within the schema and never fetched; a pair of schemas inside itself counts as the same.
type schemaWalk struct {
	*entry
	output   bool
	old, new *wholeSchema
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
	if w.spent() {
		e.tell(TierBreaking, key, "changed, and too large to be compared in full", old, new)
	}
}

func (e *entry) walk(old, new string) *schemaWalk {
	left := maxSchemaNodes
	return &schemaWalk{entry: e, old: &wholeSchema{raw: old, read: &e.d.read}, new: &wholeSchema{raw: new, read: &e.d.read},
		noun: "parameter", open: map[[2]string]bool{}, left: &left}
}

// spent says whether a bound has been met.
func (w *schemaWalk) spent() bool { return *w.left < 0 || w.d.read > maxSchemaBytes }

// wholeSchema is a schema in which $ref looks.
type wholeSchema struct {
	raw  string
	at   map[string]string // what was found: by reference
	read *int              // bytes
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
	return !q.differ && !q.spent()
}

// compare compares two schemas that stand in the whole ones.
func (w *schemaWalk) compare(path, old, new string) {
	if old == new && !strings.ContainsAny(old, `$\`) { // nothing in it refers to what may have changed
		return
	}
	pair := [2]string{old, new}
	*w.left--
	if w.spent() || w.open[pair] {
		return
	}
	w.open[pair] = true
	defer delete(w.open, pair)
	o, n := w.old.resolve(old), w.new.resolve(new)
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
func (s *wholeSchema) resolve(raw string) map[string]string {
	*s.read += len(raw)
	keywords := keywordsOf(raw)
	for seen := map[string]bool{}; keywords["$ref"] != ""; {
		ref := unquote(keywords["$ref"])
		target, ok := s.find(ref)
		if !ok {
			break
		}
		if delete(keywords, "$ref"); !seen[ref] {
			*s.read += len(target)
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

// find gives what a reference points at.
func (s *wholeSchema) find(ref string) (string, bool) {
	target, ok := s.at[ref]
	if ok {
		return target, true
	}
	if target, ok = pointedAt(s.raw, ref); ok {
		if s.at == nil {
			s.at = map[string]string{}
		}
		s.at[ref] = target
	}
	return target, ok
}

// pointedAt follows "#/$defs/x", a JSON pointer (RFC 6901) in the schema itself.
func pointedAt(whole, ref string) (string, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if unescaped, err := url.PathUnescape(pointer); err == nil { // it stands in a URL: generated names have < and >
		pointer = unescaped
	}
	switch {
	case !ok || pointer != "" && pointer[0] != '/':
		return "", false
	case pointer == "" || pointer == "/":
		return whole, true
	}
	at := whole
	for step := range strings.SplitSeq(pointer[1:], "/") {
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

// compose writes a schema of its keywords.
func compose(keywords map[string]string) string {
	var o object
	for _, key := range slices.Sorted(maps.Keys(keywords)) {
		o.raw(key, keywords[key])
	}
	return string(o.end())
}
