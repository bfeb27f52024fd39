package reprise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// schema is what a tool, a prompt or an elicitation says of its arguments.
type schema struct {
	raw         string // JSON Schema
	description string // of the tool
	above       int    // how many segments of a leaf's path lead to the schema's root
}

// Bounds of a search: how deep, and through how many subschemas. Schemas can refer to themselves.
const (
	maxSchemaDepth = 32
	maxSubschemas  = 1000
)

// literals are the grounds of a literal, the strongest first.
var literals = []Ground{GroundEnum, GroundConst, GroundDefault, GroundExamples, GroundType, GroundDescription}

// literal says whether the schema fixes the value of a leaf, or the descriptions quote it.
func (s schema) literal(v *used, work *int) Ground {
	if s.raw == "" && s.description == "" {
		return ""
	}
	search := literalSearch{root: s.raw, value: v, best: len(literals), work: work}
	if steps := v.steps(); len(steps) >= s.above {
		search.in(s.raw, steps[s.above:], 0)
	}
	if word, ok := v.spelled(); ok && search.spend(len(s.description)/64) && mentions(s.description, word, v.common) {
		search.found(GroundDescription)
	}
	if search.best == len(literals) {
		return ""
	}
	return literals[search.best]
}

// segment leads from a container to what it holds.
type segment struct {
	key   string
	index int // -1 of a member
}

// steps lead from the root of the arguments to the leaf.
func (v *used) steps() []segment {
	var up []segment
	switch {
	case v.index >= 0:
		up = append(up, segment{index: v.index})
	case v.leaf.key != nil:
		up = append(up, segment{v.leaf.key.name, -1})
	}
	for n := v.at; n != nil; n = n.parent {
		up = append(up, segment{n.key, n.index})
	}
	slices.Reverse(up)
	return up
}

// spelled is how text would name the value.
func (v *used) spelled() (word string, ok bool) {
	switch v.raw[0] {
	case '{', '[', 'n':
		return "", false
	case '"':
		return v.text, len(v.raw) <= longLeaf
	}
	return v.raw, true
}

type literalSearch struct {
	root  string
	value *used
	best  int // place in literals
	seen  int
	work  *int // what may still be done for this message: see maxWork
}

// maxWork bounds what is done with schemas for one message: about a comparison each.
const maxWork = 500_000

// spend says whether there is work left, and takes some.
func (s *literalSearch) spend(work int) bool {
	*s.work -= 1 + work
	return *s.work > 0
}

func (s *literalSearch) found(g Ground) { s.best = min(s.best, slices.Index(literals, g)) }

// in looks through a schema for the leaf that the steps lead to.
func (s *literalSearch) in(raw string, steps []segment, depth int) {
	if s.seen++; depth > maxSchemaDepth || s.seen > maxSubschemas || !s.spend(16) {
		return
	}
	gjson.Parse(raw).ForEach(func(key, part gjson.Result) bool {
		switch key.Str {
		case "enum":
			s.any(part, steps, GroundEnum)
		case "const":
			s.equal(part, steps, GroundConst)
		case "default":
			s.equal(part, steps, GroundDefault)
		case "examples":
			s.any(part, steps, GroundExamples)
		case "example":
			s.equal(part, steps, GroundExamples)
		case "type":
			s.typed(part, steps)
		case "description":
			s.described(part, steps)
		default:
			s.deeper(key.Str, part, steps, depth+1)
		}
		return true
	})
}

// deeper follows the keywords that hold further schemas.
func (s *literalSearch) deeper(keyword string, part gjson.Result, steps []segment, depth int) {
	switch keyword {
	case "anyOf", "oneOf", "allOf":
		part.ForEach(func(_, one gjson.Result) bool {
			s.in(one.Raw, steps, depth)
			return true
		})
		return
	case "$ref":
		s.in(s.pointed(part.Str), steps, depth)
		return
	}
	if len(steps) == 0 {
		return
	}
	member := steps[0].index < 0
	switch {
	case keyword == "properties" && member:
		one, _ := lookUp(part.Raw, steps[0].key)
		s.in(one.Raw, steps[1:], depth)
	case keyword == "additionalProperties" && member, keyword == "items" && !member && part.IsObject():
		s.in(part.Raw, steps[1:], depth)
	case keyword == "prefixItems" && !member:
		s.in(element(part, steps[0].index).Raw, steps[1:], depth)
	}
}

// pointed is what a reference within the schema points at. Others are not followed.
func (s *literalSearch) pointed(ref string) string {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return ""
	}
	raw := s.root
	for _, part := range strings.Split(strings.TrimPrefix(rest, "/"), "/") {
		if part == "" {
			continue
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		next, _ := lookUp(raw, part)
		if i, err := strconv.Atoi(part); err == nil && !next.Exists() {
			next = element(gjson.Parse(raw), i)
		}
		raw = next.Raw
	}
	return raw
}

func element(array gjson.Result, index int) (found gjson.Result) {
	i := 0
	if array.IsArray() {
		array.ForEach(func(_, v gjson.Result) bool {
			found = v
			i++
			return i <= index
		})
	}
	if i <= index {
		return gjson.Result{}
	}
	return found
}

func (s *literalSearch) any(list gjson.Result, steps []segment, ground Ground) {
	if list.IsArray() {
		list.ForEach(func(_, v gjson.Result) bool {
			s.equal(v, steps, ground)
			return s.spend(0)
		})
	}
}

// equal compares the leaf with what the rest of the steps lead to in a value of the schema's.
func (s *literalSearch) equal(v gjson.Result, steps []segment, ground Ground) {
	for _, next := range steps {
		if next.index >= 0 {
			v = element(v, next.index)
		} else {
			v, _ = lookUp(v.Raw, next.key)
		}
	}
	switch {
	case v.Raw == "":
	case v.IsObject() || v.IsArray():
		if isEmpty(v.Raw) && s.value.raw[0] == v.Raw[0] {
			s.found(ground)
		}
	case string(appendToken(nil, v.Raw)) == string(s.value.token):
		s.found(ground)
	}
}

// typed knows that a boolean can be no more than true and false.
func (s *literalSearch) typed(part gjson.Result, steps []segment) {
	if len(steps) > 0 || !strings.Contains("truefalsenull", s.value.raw) {
		return
	}
	only := true
	part.ForEach(func(_, one gjson.Result) bool {
		only = only && (one.Str == "boolean" || one.Str == "null")
		return true
	})
	if only && (part.IsArray() || part.Str == "boolean" || part.Str == "null") {
		s.found(GroundType)
	}
}

// described looks for the value in the parameter's own description, or in that of its array.
func (s *literalSearch) described(part gjson.Result, steps []segment) {
	for _, next := range steps {
		if next.index < 0 {
			return
		}
	}
	if word, ok := s.value.spelled(); ok && s.spend(len(part.Raw)/64) && part.Type == gjson.String && mentions(unquote(part.Raw), word, false) {
		s.found(GroundDescription)
	}
}
