package analysis

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"reprise"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// placed is a problem with its place in steps, for their order.
type placed struct {
	Problem
	steps []string
}

// teller puts what the library says into words.
type teller struct {
	value    any
	found    []placed
	circular bool
}

func (t *teller) tell(e *jsonschema.ValidationError) {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			t.tell(cause)
		}
	case *kind.RefCycle:
		t.circular = true
	case *kind.AnyOf:
		t.add(e, t.noneOf(e), "anyOf")
	case *kind.OneOf:
		t.oneOf(e, k)
	case *kind.Required:
		t.missing(e, k.Missing, "is missing", "required")
	case *kind.DependentRequired:
		t.missing(e, k.Missing, "is missing, though "+quote(k.Prop)+" is given", "dependentRequired")
	case *kind.Dependency:
		t.missing(e, k.Missing, "is missing, though "+quote(k.Prop)+" is given", "dependencies")
	case *kind.AdditionalProperties:
		t.missing(e, k.Properties, "is not among the properties that the schema allows", "additionalProperties")
	default:
		keyword, message := t.words(e)
		t.add(e, message, keyword)
	}
}

func (t *teller) add(e *jsonschema.ValidationError, message, keyword string) {
	t.found = append(t.found, placed{Problem{t.path(e.InstanceLocation), message, keyword}, e.InstanceLocation})
}

// missing tells of members: each is a problem of its own place.
func (t *teller) missing(e *jsonschema.ValidationError, names []string, message, keyword string) {
	at := t.path(e.InstanceLocation)
	for _, name := range names {
		steps := append(slices.Clip(e.InstanceLocation), name)
		t.found = append(t.found, placed{Problem{reprise.PathMember(at, name), message, keyword}, steps})
	}
}

func (t *teller) oneOf(e *jsonschema.ValidationError, k *kind.OneOf) {
	if len(k.Subschemas) == 2 {
		t.add(e, fmt.Sprintf("fits alternatives %d and %d, and may fit one only", k.Subschemas[0]+1, k.Subschemas[1]+1), "oneOf")
		return
	}
	t.add(e, t.noneOf(e), "oneOf")
}

// noneOf tells of alternatives that all fail: by their types, if that is all that is wrong.
func (t *teller) noneOf(e *jsonschema.ValidationError) string {
	var want []string
	for _, cause := range e.Causes {
		k, ok := cause.ErrorKind.(*kind.Type)
		if !ok || len(cause.InstanceLocation) != len(e.InstanceLocation) {
			return fmt.Sprintf("fits none of the %d alternatives", len(e.Causes))
		}
		want = append(want, k.Want...)
	}
	return t.notOfType(e, want)
}

func (t *teller) notOfType(e *jsonschema.ValidationError, want []string) string {
	var names []string
	for _, w := range want {
		if name := typeNames(w); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("is %s, not %s", described(t.at(e.InstanceLocation)), strings.Join(names, " or "))
}

func typeNames(t string) string {
	switch t {
	case "array":
		return "a list"
	case "object", "integer":
		return "an " + t
	case "null":
		return t
	}
	return "a " + t
}

// described names a value: its type, and the value where it is short.
func described(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string (" + quote(v) + ")"
	case json.Number:
		return "a number (" + brief(v) + ")"
	}
	return fmt.Sprint(v)
}

// brief is a value as JSON, short.
func brief(v any) string {
	if text, ok := v.(string); ok {
		return quote(text)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if text := string(raw); len(text) <= 40 {
		return text
	}
	return string(raw[:strings.LastIndexFunc(string(raw[:40]), func(r rune) bool { return r != '\ufffd' })]) + "…"
}

// at is what stands at a place of the value.
func (t *teller) at(steps []string) any {
	v := t.value
	for _, step := range steps {
		v = child(v, step)
	}
	return v
}

func child(v any, step string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}

func (t *teller) path(steps []string) (path string) {
	v := t.value
	for _, step := range steps {
		if _, ok := v.([]any); ok {
			i, _ := strconv.Atoi(step)
			path = reprise.PathElement(path, i)
		} else {
			path = reprise.PathMember(path, step)
		}
		v = child(v, step)
	}
	return path
}

// words says what one keyword asks for.
func (t *teller) words(e *jsonschema.ValidationError) (keyword, message string) {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return "type", t.notOfType(e, k.Want)
	case *kind.Enum:
		return "enum", fmt.Sprintf("is %s, which is none of %s", brief(k.Got), firstValues(k.Want))
	case *kind.Const:
		return "const", fmt.Sprintf("is %s, not %s", brief(k.Got), brief(k.Want))
	case *kind.Format:
		return "format", fmt.Sprintf("is %s, which is no %s", brief(k.Got), quote(wantedFormat(k.Want)))
	case *kind.Pattern:
		return "pattern", fmt.Sprintf("is %s, which does not match %s", quote(k.Got), quote(k.Want))
	case *kind.FalseSchema:
		return "false", "may not be there"
	case *kind.Not:
		return "not", "is what the schema excludes"
	case *kind.PropertyNames:
		return "propertyNames", "has a member " + quote(k.Property) + ", whose name is not allowed"
	}
	return countWords(e.ErrorKind)
}

// countWords are those of keywords that count.
func countWords(k jsonschema.ErrorKind) (keyword, message string) {
	switch k := k.(type) {
	case *kind.MinProperties:
		return "minProperties", fmt.Sprintf("has %d members, and needs at least %d", k.Got, k.Want)
	case *kind.MaxProperties:
		return "maxProperties", fmt.Sprintf("has %d members, and may have at most %d", k.Got, k.Want)
	case *kind.MinItems:
		return "minItems", fmt.Sprintf("has %d items, and needs at least %d", k.Got, k.Want)
	case *kind.MaxItems:
		return "maxItems", fmt.Sprintf("has %d items, and may have at most %d", k.Got, k.Want)
	case *kind.AdditionalItems:
		return "additionalItems", fmt.Sprintf("has %d items too many", k.Count)
	case *kind.UniqueItems:
		return "uniqueItems", fmt.Sprintf("has the same item at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "contains", "has no item of the kind that it needs"
	case *kind.MinContains:
		return "minContains", fmt.Sprintf("has %d items of the kind that it needs, and needs at least %d", len(k.Got), k.Want)
	case *kind.MaxContains:
		return "maxContains", fmt.Sprintf("has %d items of a kind of which it may have %d", len(k.Got), k.Want)
	case *kind.MinLength:
		return "minLength", fmt.Sprintf("has %d characters, and needs at least %d", k.Got, k.Want)
	case *kind.MaxLength:
		return "maxLength", fmt.Sprintf("has %d characters, and may have at most %d", k.Got, k.Want)
	}
	return numberWords(k)
}

// numberWords are those of keywords that compare numbers.
func numberWords(k jsonschema.ErrorKind) (keyword, message string) {
	switch k := k.(type) {
	case *kind.Minimum:
		return "minimum", fmt.Sprintf("is %s, less than %s", decimal(k.Got), decimal(k.Want))
	case *kind.Maximum:
		return "maximum", fmt.Sprintf("is %s, more than %s", decimal(k.Got), decimal(k.Want))
	case *kind.ExclusiveMinimum:
		return "exclusiveMinimum", fmt.Sprintf("is %s, not more than %s", decimal(k.Got), decimal(k.Want))
	case *kind.ExclusiveMaximum:
		return "exclusiveMaximum", fmt.Sprintf("is %s, not less than %s", decimal(k.Got), decimal(k.Want))
	case *kind.MultipleOf:
		return "multipleOf", fmt.Sprintf("is %s, no multiple of %s", decimal(k.Got), decimal(k.Want))
	}
	return strings.Join(k.KeywordPath(), "/"), "does not fit the schema"
}

// decimal writes a number with all its digits, if those are few.
func decimal(n *big.Rat) string {
	if text := n.RatString(); n.IsInt() && len(text) <= 40 {
		return text
	}
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// firstValues are the first few of the values that an enum allows.
func firstValues(values []any) string {
	var texts []string
	for i, v := range values {
		if i == 5 {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, brief(v))
	}
	return strings.Join(texts, ", ")
}

// tidy puts problems in order of their places, each once.
func tidy(list []placed) []placed {
	slices.SortFunc(list, compareProblems)
	return slices.CompactFunc(list, func(a, b placed) bool { return a.Problem == b.Problem })
}

func compareProblems(a, b placed) int {
	return cmp.Or(slices.CompareFunc(a.steps, b.steps, compareSteps), strings.Compare(a.Keyword, b.Keyword), strings.Compare(a.Message, b.Message))
}

// compareSteps orders elements by their numbers, in front of names.
func compareSteps(a, b string) int {
	return cmp.Or(cmp.Compare(stepNumber(a), stepNumber(b)), strings.Compare(a, b))
}

func stepNumber(step string) int {
	if n, err := strconv.Atoi(step); err == nil && n >= 0 {
		return n
	}
	return math.MaxInt
}

// common are the problems that are in both lists, which are tidy.
func common(a, b []placed) (both []placed) {
	for _, p := range a {
		if _, found := slices.BinarySearchFunc(b, p, compareProblems); found {
			both = append(both, p)
		}
	}
	return both
}

func shortened(list []placed) []Problem {
	var problems []Problem
	for _, p := range list[:min(len(list), maxProblems)] {
		problems = append(problems, p.Problem)
	}
	return problems
}

// firstCause is the first thing that is wrong with a schema.
func firstCause(doc any, err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	t := &teller{value: doc}
	for len(invalid.Causes) > 0 {
		invalid = slices.MinFunc(invalid.Causes, t.compare)
	}
	keyword, message := t.words(invalid)
	return quote(strings.Join(invalid.InstanceLocation, "/")) + " " + message + " (" + keyword + ")"
}

// compare orders what the library says in the order of its maps.
func (t *teller) compare(a, b *jsonschema.ValidationError) int {
	if c := slices.CompareFunc(a.InstanceLocation, b.InstanceLocation, compareSteps); c != 0 {
		return c
	}
	keyword, message := t.words(a)
	other, words := t.words(b)
	return cmp.Or(strings.Compare(keyword, other), strings.Compare(message, words), strings.Compare(a.SchemaURL, b.SchemaURL))
}
