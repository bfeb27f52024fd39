package analysis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// caseReader makes cases of the entries of a file. Its first error stays.
type caseReader struct{ err error }

func (r *caseReader) fail(line int, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
	}
}

// members gives a mapping's members by name. What is not among the known is an error.
func (r *caseReader) members(e *fileEntry, what string, known ...string) map[string]*fileEntry {
	if e.kind != entryMap {
		r.fail(e.line, "%s is %s: it has to be a mapping of %s", what, e.kind, strings.Join(known, ", "))
		return nil
	}
	byName := map[string]*fileEntry{}
	for _, m := range e.members {
		if !slices.Contains(known, m.name) {
			r.fail(m.line, "%s has no %s: it has %s", what, quote(m.name), strings.Join(known, ", "))
		}
		byName[m.name] = m.value
	}
	return byName
}

// text reads a text that is not empty.
func (r *caseReader) text(e *fileEntry, what string) string {
	switch {
	case e.kind != entryText:
		r.fail(e.line, "%s is %s: it has to be a text, in quotes if need be", what, e.kind)
	case e.text == "":
		r.fail(e.line, "%s is empty", what)
	}
	return e.text
}

func (r *caseReader) integer(e *fileEntry, what string, least, most int64) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(e.text, "+"), 10, 64)
	if e.kind != entryNumber || err != nil || n < least || n > most {
		r.fail(e.line, "%s has to be a whole number from %d to %d", what, least, most)
	}
	return n
}

func (r *caseReader) positive(e *fileEntry, what string) float64 {
	n, err := strconv.ParseFloat(e.text, 64)
	if e.kind != entryNumber || err != nil || !(n > 0) || math.IsInf(n, 0) {
		r.fail(e.line, "%s has to be a number over 0", what)
	}
	return n
}

func (r *caseReader) list(e *fileEntry, what string) []*fileEntry {
	if e.kind != entryList {
		r.fail(e.line, "%s is %s: it has to be a list", what, e.kind)
	}
	return e.items
}

func (r *caseReader) file(e *fileEntry) *Cases {
	m := r.members(e, "the file", "version", "cases")
	c := &Cases{}
	switch version := m["version"]; {
	case r.err != nil:
		return c
	case version == nil:
		r.fail(e.line, "the file says no version: it begins with version: %d", casesVersion)
	default:
		c.Version = int(r.integer(version, "version", 1, math.MaxInt32))
		if c.Version > casesVersion {
			r.fail(version.line, "version %d is newer than what this reprise reads, which is %d: please update it", c.Version, casesVersion)
		}
	}
	if m["cases"] == nil {
		r.fail(e.line, "the file has no cases: a list of a tool, its args and checks each")
		return c
	}
	for _, item := range r.list(m["cases"], "cases") {
		c.Cases = append(c.Cases, r.one(item))
	}
	return c
}

// one reads one case (S8).
func (r *caseReader) one(e *fileEntry) (c Case) {
	m := r.members(e, "a case", "kind", "name", "tool", "args", "checks")
	if r.err != nil {
		return c
	}
	if kind := m["kind"]; kind == nil {
		r.fail(e.line, "the case has no kind: it has to say kind: direct")
	} else if c.Kind = r.text(kind, "kind"); c.Kind != "direct" {
		r.fail(kind.line, "there is no kind %s: it has to be direct", quote(c.Kind))
	}
	if m["name"] != nil {
		c.Name = r.text(m["name"], "name")
	}
	c.Plan = r.call(e, m, "the case", 0)
	if m["checks"] == nil || len(m["checks"].items) == 0 {
		r.fail(e.line, "the case has no checks: a list such as [{type: succeeds}]")
		return c
	}
	for _, item := range r.list(m["checks"], "checks") {
		c.Checks = append(c.Checks, r.check(item))
	}
	return c
}

// call reads a tool and its arguments.
func (r *caseReader) call(e *fileEntry, m map[string]*fileEntry, what string, depth int) (p Plan) {
	if m["tool"] == nil {
		r.fail(e.line, "%s names no tool", what)
		return p
	}
	p.Tool = r.text(m["tool"], "tool")
	if m["args"] == nil {
		return p
	}
	for _, item := range r.list(m["args"], "args") {
		a := r.arg(item, depth)
		if slices.ContainsFunc(p.Args, func(other Arg) bool { return other.Name == a.Name }) {
			r.fail(item.line, "the argument %s stands twice", quote(a.Name))
		}
		p.Args = append(p.Args, a)
	}
	return p
}

// arg reads an argument (S9, S10): a value as JSON text with its source, or the place that it is taken from.
func (r *caseReader) arg(e *fileEntry, depth int) (a Arg) {
	m := r.members(e, "an argument", "name", "json", "source", "from")
	if r.err != nil {
		return a
	}
	if m["name"] == nil {
		r.fail(e.line, "the argument has no name")
		return a
	}
	a.Name = r.text(m["name"], "name")
	if m["source"] != nil {
		a.Source = r.source(m["source"])
	}
	switch value, from := m["json"], m["from"]; {
	case value != nil && from != nil:
		r.fail(e.line, "the argument %s has json and from: it may have one of them", quote(a.Name))
	case from != nil:
		r.birth(&a, from, depth)
	case value == nil:
		r.fail(e.line, "the argument %s has no value: json with a source, or from", quote(a.Name))
	default:
		a.JSON = r.json(value)
		if a.Source == "" {
			r.fail(e.line, "the argument %s says no source: harvested, synthesized or literal", quote(a.Name))
		}
	}
	return a
}

func (r *caseReader) source(e *fileEntry) string {
	source := r.text(e, "source")
	if r.err == nil && source != fromHarvest && source != fromSynthesis && source != fromLiteral {
		r.fail(e.line, "there is no source %s: it is harvested, synthesized or literal", quote(source))
	}
	return source
}

// maxBirths is how many calls an argument may be taken through.
const maxBirths = 8

func (r *caseReader) birth(a *Arg, e *fileEntry, depth int) {
	m := r.members(e, "from", "tool", "args", "path")
	switch {
	case r.err != nil:
		return
	case a.Source != "" && a.Source != fromHarvest:
		r.fail(e.line, "the argument %s is taken from a result, which is harvested and not %s: leave the source out", quote(a.Name), a.Source)
	case depth >= maxBirths:
		r.fail(e.line, "the argument %s is taken through more than %d calls", quote(a.Name), maxBirths)
	case m["path"] == nil:
		r.fail(e.line, "from has no path, such as items[0].id")
	default:
		a.Source = fromHarvest
		a.From = &Birth{Plan: r.call(e, m, "from", depth+1), Path: r.text(m["path"], "path")}
	}
}

// json reads a value that is written as JSON text.
func (r *caseReader) json(e *fileEntry) string {
	switch {
	case e.kind != entryText:
		r.fail(e.line, "json is %s: it has to be JSON in quotes, such as '5' or '\"open\"'", e.kind)
	case nesting(e.text) > reprise.MaxDepth || !gjson.Valid(e.text):
		r.fail(e.line, "json is no JSON: %s; a text has quotes of its own, such as '\"open\"'", quote(e.text))
	}
	return e.text
}

// check reads a check with the parameters of its type (S11).
func (r *caseReader) check(e *fileEntry) (c Check) {
	if e.kind != entryMap {
		r.fail(e.line, "a check is %s: it has to be a mapping such as {type: succeeds}", e.kind)
		return c
	}
	at := slices.IndexFunc(e.members, func(m fileMember) bool { return m.name == "type" })
	if at < 0 {
		r.fail(e.line, "the check has no type: %s", checkNames())
		return c
	}
	c.Type = r.text(e.members[at].value, "type")
	kind := checkTypeOf(c.Type)
	if kind == nil {
		r.fail(e.line, "there is no check %s: there are %s", quote(c.Type), checkNames())
		return c
	}
	m := r.members(e, c.Type, slices.Concat([]string{"type"}, kind.Requires, kind.Allows)...)
	for _, name := range kind.Requires {
		if m[name] == nil {
			r.fail(e.line, "%s needs a %s", c.Type, name)
		}
	}
	if r.err == nil {
		r.parameters(&c, m)
	}
	return c.withDefaults()
}

func (r *caseReader) parameters(c *Check, m map[string]*fileEntry) {
	if e := m["code"]; e != nil {
		code := r.integer(e, "code", math.MinInt32, math.MaxInt32)
		c.Code = &code
	}
	if e := m["limit"]; e != nil {
		limit := int(r.integer(e, "limit", 0, math.MaxInt32))
		c.Limit = &limit
	}
	if e := m["ms"]; e != nil {
		c.MS = r.positive(e, "ms")
	}
	if e := m["max_pages"]; e != nil {
		c.MaxPages = int(r.integer(e, "max_pages", 1, 100_000))
	}
	for name, text := range map[string]*string{"path": &c.Path, "cursor": &c.Cursor, "argument": &c.Argument, "items": &c.Items} {
		if e := m[name]; e != nil && r.err == nil {
			*text = r.text(e, name)
		}
	}
	if e := m["witness"]; e != nil {
		p := r.call(e, r.members(e, "witness", "tool", "args"), "witness", 0)
		c.Witness = &p
	}
}

func checkNames() string {
	var names []string
	for _, t := range CheckTypes() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}
