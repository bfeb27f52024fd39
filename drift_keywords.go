package reprise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// choices gives the alternatives of two schemas where at least one of them is nothing but a choice. The other may be
// a list of types or of values, which is a choice spelt otherwise.
func choices(o, n map[string]string) (was, is []string, ok bool) {
	was, wasChoice := choiceOf(o)
	is, isChoice := choiceOf(n)
	switch {
	case wasChoice && isChoice:
		return was, is, true
	case wasChoice && was != nil && !hasChoice(n):
		return was, alternatives(n), true
	case isChoice && is != nil && !hasChoice(o):
		return alternatives(o), is, true
	}
	return nil, nil, false
}

func hasChoice(keywords map[string]string) bool {
	return keywords["anyOf"] != "" || keywords["oneOf"] != ""
}

// choiceOf gives the alternatives of a schema that has no other rule than its type.
func choiceOf(keywords map[string]string) ([]string, bool) {
	key := "anyOf"
	if keywords[key] == "" {
		key = "oneOf"
	}
	list := rawList(keywords[key])
	for other := range keywords {
		if other != key && other != "type" && remarkTier(other) == "" {
			return nil, false
		}
	}
	for i, raw := range list {
		if one := keywordsOf(raw); keywords["type"] != "" && one["type"] == "" {
			one["type"] = keywords["type"]
			list[i] = compose(one)
		}
	}
	return list, len(list) > 0
}

// alternatives makes alternatives of a schema: one for each value or type that it lists.
func alternatives(keywords map[string]string) (list []string) {
	rules := maps.Clone(keywords)
	maps.DeleteFunc(rules, func(key, _ string) bool { return remarkTier(key) != "" })
	if values := rawList(rules["enum"]); values != nil {
		for _, v := range values {
			list = append(list, compose(map[string]string{"const": v}))
		}
		return list
	}
	types := rawList(rules["type"])
	if len(types) < 2 {
		return []string{compose(rules)}
	}
	for _, t := range types {
		one := maps.Clone(rules)
		one["type"] = t
		maps.DeleteFunc(one, func(key, _ string) bool { return typeOfRule(key) != "" && typeOfRule(key) != ruledType(unquote(t)) })
		list = append(list, compose(one))
	}
	return list
}

// typeOfRule is the type whose values a keyword is about; "" where it is about all.
func typeOfRule(key string) string {
	switch key {
	case "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema":
		return "string"
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return "number"
	case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains",
		"minItems", "maxItems", "uniqueItems":
		return "array"
	case "properties", "required", "additionalProperties", "patternProperties", "unevaluatedProperties", "propertyNames",
		"minProperties", "maxProperties", "dependentRequired", "dependentSchemas":
		return "object"
	}
	return ""
}

func ruledType(name string) string {
	if name == "integer" {
		return "number"
	}
	return name
}

// unpaired compares those of two lists that are pairs, in whatever order they stand, and gives the rest: those that let the same
// through are, and so are two that are left alone.
func (w *schemaWalk) unpaired(path string, was, is []string) (a, b []string) {
	was, is = w.pair(path, was, is, func(a, b string) bool { return a == b })
	was, is = w.pair(path, was, is, w.sameSets)
	if len(was) == 1 && len(is) == 1 {
		w.compare(path, was[0], is[0])
		return nil, nil
	}
	return was, is
}

// branches compares lists of alternatives.
func (w *schemaWalk) branches(path string, was, is []string) {
	was, is = w.unpaired(path, was, is)
	for _, raw := range was {
		w.narrower(path, "alternative gone", raw, "")
	}
	for _, raw := range is {
		w.wider(true, path, "alternative added", "", raw)
	}
}

// pair compares those of two lists that belong together, and gives the rest.
func (w *schemaWalk) pair(path string, was, is []string, fits func(a, b string) bool) (a, b []string) {
	is = slices.Clone(is)
	for _, raw := range was {
		i := slices.IndexFunc(is, func(other string) bool { return fits(raw, other) })
		if i < 0 {
			a = append(a, raw)
			continue
		}
		w.compare(path, raw, is[i])
		is = slices.Delete(is, i, i+1)
	}
	return a, is
}

// allOf compares lists of schemas that all hold.
func (w *schemaWalk) allOf(path string, was, is []string) {
	was, is = w.unpaired(path, was, is)
	for _, raw := range was {
		w.wider(true, path, "rule gone", raw, "")
	}
	for _, raw := range is {
		w.narrower(path, "rule added", "", raw)
	}
}

// types compares which types of values are allowed. The root of an inputSchema is an object whether it says so or not.
func (w *schemaWalk) types(path string, o, n map[string]string) {
	if path == "inputSchema" {
		return
	}
	was, is := typesOf(o), typesOf(n)
	lost := slices.ContainsFunc(was, func(t string) bool { return !covers(is, t) })
	gained := slices.ContainsFunc(is, func(t string) bool { return !covers(was, t) })
	place, what := PathMember(path, "type"), fmt.Sprintf("from %s to %s", typeText(was), typeText(is))
	switch {
	case lost && gained:
		w.narrower(place, "type changed "+what, o["type"], n["type"])
	case lost:
		w.narrower(place, "type narrowed "+what, o["type"], n["type"])
	case gained:
		w.wider(true, place, "type widened "+what, o["type"], n["type"])
	}
}

func covers(types []string, t string) bool {
	return slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
}

// allTypes are those of JSON values.
func allTypes() []string { return []string{"array", "boolean", "null", "number", "object", "string"} }

// typesOf gives the types that a schema allows: those that it names, or those of the values that it lists. One that
// has rules for objects or lists alone, and names no type, means objects or lists.
func typesOf(keywords map[string]string) []string {
	names := namesOf(keywords["type"])
	switch t := keywords["type"]; {
	case strings.HasPrefix(t, `"`):
		names[unquote(t)] = true
	case t != "":
	case valuesOf(keywords) != nil:
		for _, v := range valuesOf(keywords) {
			names[typeOfValue(v)] = true
		}
	default:
		for key, rule := range keywords {
			// "required": true in a member is an old way to say it, and says nothing there.
			if t := typeOfRule(key); (t == "object" || t == "array") && rule != "true" {
				names[t] = true
			}
		}
	}
	if len(names) == 0 {
		return allTypes()
	}
	if names["number"] {
		delete(names, "integer")
	}
	return slices.Sorted(maps.Keys(names))
}

func typeOfValue(raw string) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if strings.ContainsAny(CanonicalNumber(raw), ".e") {
		return "number"
	}
	return "integer"
}

func typeText(types []string) string {
	if slices.Equal(types, allTypes()) {
		return "any"
	}
	return strings.Join(types, " | ")
}

// valuesOf lists the values that a schema allows, nil where it names none.
func valuesOf(keywords map[string]string) []string {
	if v := keywords["const"]; v != "" {
		return []string{v}
	}
	return rawList(keywords["enum"])
}

// values compares the values that are allowed: enum, or const.
func (w *schemaWalk) values(path string, o, n map[string]string) {
	was, is := valuesOf(o), valuesOf(n)
	place := PathMember(path, "enum")
	if n["const"] != "" {
		place = PathMember(path, "const")
	}
	switch {
	case was == nil && is == nil:
	case was == nil:
		w.narrower(place, "only some values allowed now: "+few(is), "", "["+strings.Join(is, ",")+"]")
	case is == nil:
		w.wider(true, place, "any value allowed now, not only "+few(was), "["+strings.Join(was, ",")+"]", "")
	default:
		if lost := valuesNotIn(was, is); lost != nil {
			w.narrower(place, "no longer allowed: "+few(lost), "["+strings.Join(was, ",")+"]", "["+strings.Join(is, ",")+"]")
		}
		if gained := valuesNotIn(is, was); gained != nil {
			w.wider(false, place, "allowed now: "+few(gained), "["+strings.Join(was, ",")+"]", "["+strings.Join(is, ",")+"]")
		}
	}
}

func valuesNotIn(list, other []string) (rest []string) {
	there := map[string]bool{}
	for _, v := range other {
		there[string(Canonical(v))] = true
	}
	for _, v := range list {
		if !there[string(Canonical(v))] {
			rest = append(rest, v)
		}
	}
	return rest
}

// few names the first of many values.
func few(values []string) string {
	const shown = 5
	if len(values) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:shown], ", "), len(values)-shown)
	}
	return strings.Join(values, ", ")
}

// keyword compares one rule that the others above are not about.
func (w *schemaWalk) keyword(path, key, old, new string) {
	switch key {
	case "type", "enum", "const", "properties", "required":
	case "anyOf", "oneOf":
		if old != "" && new != "" {
			w.branches(path, rawList(old), rawList(new))
			return
		}
		w.rule(path, key, old, new)
	case "allOf":
		w.allOf(path, rawList(old), rawList(new))
	case "items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "propertyNames", "contains":
		w.compare(path, old, new)
	case "patternProperties", "dependentSchemas":
		was, is := objectOf(old), objectOf(new)
		for _, name := range union(was, is) {
			w.compare(PathMember(path, name), was[name], is[name])
		}
	case "prefixItems":
		was, is := rawList(old), rawList(new)
		for i := range max(len(was), len(is)) {
			w.compare(PathElement(path, i), at(was, i), at(is, i))
		}
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		w.bound(path, key, old, new, 1)
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		w.bound(path, key, old, new, -1)
	case "uniqueItems":
		if !equalJSON(strings.TrimPrefix(old, "false"), strings.TrimPrefix(new, "false")) {
			w.rule(path, key, strings.TrimPrefix(old, "false"), strings.TrimPrefix(new, "false"))
		}
	default:
		w.rule(path, key, old, new)
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// bound compares a limit. It lets less through when it grows in the given direction.
func (w *schemaWalk) bound(path, key, old, new string, direction int) {
	if unsetBound(key, old) {
		old = ""
	}
	if unsetBound(key, new) {
		new = ""
	}
	was, ok := number(old)
	is, fine := number(new)
	if !ok || !fine {
		w.rule(path, key, old, new)
		return
	}
	message := fmt.Sprintf("%s from %s to %s", key, old, new)
	switch is.Cmp(was) * direction {
	case 1:
		w.narrower(path, message, old, new)
	case -1:
		w.wider(false, path, message, old, new)
	}
}

// unsetBound says whether a limit is the one that holds anyway: nothing is shorter than 0.
func unsetBound(key, value string) bool {
	return strings.HasPrefix(key, "min") && key != "minimum" && CanonicalNumber(value) == "0"
}

// rule compares a rule that can't be weighed: changed, it may let less through than before.
func (w *schemaWalk) rule(path, key, old, new string) {
	switch known := ruleKnown(key); {
	case equalJSON(old, new) || remarkTier(key) != "":
	case !known:
		w.tell(TierMinor, path, changed(key, old, new), old, new)
	case new == "":
		w.wider(false, path, key+" gone", old, new)
	default:
		w.narrower(path, changed(key, old, new), old, new)
	}
}

// ruleKnown says whether a keyword decides what is let through. Others' own keywords do not.
func ruleKnown(key string) bool {
	switch key {
	case "$ref", "$dynamicRef", "anyOf", "oneOf", "not", "if", "then", "else", "dependencies":
		return true
	}
	return typeOfRule(key) != ""
}
