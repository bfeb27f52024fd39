package analysis

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaAt is where the library finds the schema. It is no place that anything could be fetched from.
const schemaAt = "mem:///schema.json"

// Where schemas stand in a schema.
const (
	singleKeywords = "additionalProperties additionalItems items not if then else contains propertyNames unevaluatedProperties unevaluatedItems contentSchema"
	mapKeywords    = "properties patternProperties $defs definitions dependentSchemas dependencies"
	listKeywords   = "allOf anyOf oneOf prefixItems items"
	inPlace        = "allOf anyOf oneOf not if then else dependentSchemas dependencies $ref $dynamicRef $recursiveRef"
	refKeywords    = "$ref $dynamicRef $recursiveRef"
)

// preparation readies a schema for the library: what would make it fetch or fail is taken out, and steps are counted.
type preparation struct {
	doc      any
	meter    *meter
	bounds   schemaBounds
	patterns patterns
	formats  map[string]*jsonschema.Format // by the names they are given
	known    map[string]*jsonschema.Format // the library's own
	seen     map[uintptr]bool
	bases    []any
	places   int
	bytes    int
	named    bool     // the schema names its draft
	others   []string // references that name more than a place in this document
	missing  []string // references to places that it does not have
	texts    []string // of patterns
}

func newPreparation(doc any) *preparation {
	m := &meter{credit: maxCredit}
	return &preparation{doc: doc, meter: m, patterns: patterns{meter: m, known: map[string]*pattern{}},
		formats: map[string]*jsonschema.Format{}, known: map[string]*jsonschema.Format{}, seen: map[uintptr]bool{}, bases: []any{doc}}
}

func (p *preparation) prepare() error {
	switch doc := p.doc.(type) {
	case bool:
		return nil
	case map[string]any:
		p.named = knownDraft(doc["$schema"])
		if err := p.place(doc, doc, len(schemaAt)); err != nil {
			return err
		}
		p.dropID(doc)
		p.inOrder()
		return nil
	}
	return errors.New("it is no object")
}

// inOrder sorts what was met in a map's order, so that the same schema is always read, and refused, in the same way.
func (p *preparation) inOrder() {
	slices.Sort(p.others)
	slices.Sort(p.missing)
	slices.Sort(p.texts)
	for _, text := range p.texts {
		p.patterns.compile(text)
	}
}

// dropID takes the root's own name away, where nothing refers to it: many are no URIs.
func (p *preparation) dropID(doc map[string]any) {
	for _, key := range strings.Fields("$id id") {
		if id, ok := doc[key].(string); ok && len(p.others) == 0 && !strings.Contains(id, "#") {
			delete(doc, key)
		}
	}
}

// place takes a value that stands where a schema should. base is what pointers in it begin at, length that of the pointer to it.
func (p *preparation) place(v, base any, length int) error {
	schema, ok := v.(map[string]any)
	if !ok || len(schema) == 0 || p.seen[reflect.ValueOf(schema).Pointer()] {
		return nil
	}
	p.seen[reflect.ValueOf(schema).Pointer()] = true
	p.places++
	p.bytes += length
	if p.places > maxSubschemas || p.bytes > maxPlaceBytes {
		return errors.New("it is too large")
	}
	if !knownDraft(schema["$schema"]) {
		delete(schema, "$schema")
	}
	delete(schema, "$vocabulary")
	if isText(schema["$id"]) || isText(schema["id"]) {
		base = schema
		p.bases = append(p.bases, schema)
	}
	if err := p.inner(schema, base, length); err != nil {
		return err
	}
	if err := p.references(schema, base); err != nil {
		return err
	}
	return p.mark(schema)
}

// inner goes into the schemas of a schema.
func (p *preparation) inner(schema map[string]any, base any, length int) error {
	if text, ok := schema["pattern"].(string); ok {
		p.texts = append(p.texts, text)
	}
	if named, ok := schema["patternProperties"].(map[string]any); ok {
		p.texts = slices.AppendSeq(p.texts, maps.Keys(named))
	}
	var parts []any
	for _, key := range strings.Fields(singleKeywords) {
		parts = append(parts, schema[key])
	}
	for _, key := range strings.Fields(listKeywords) {
		list, _ := schema[key].([]any)
		parts = append(parts, list...)
	}
	for _, part := range parts {
		if err := p.place(part, base, length+len("/additionalProperties")); err != nil {
			return err
		}
	}
	for _, key := range strings.Fields(mapKeywords) {
		members, _ := schema[key].(map[string]any)
		for name, member := range members {
			if err := p.place(member, base, length+len(key)+len(name)+2); err != nil {
				return err
			}
		}
	}
	return nil
}

// references goes to what a schema refers to, which may stand where no schema is expected.
func (p *preparation) references(schema map[string]any, base any) error {
	for _, key := range strings.Fields(refKeywords) {
		ref, ok := schema[key].(string)
		if !ok {
			continue
		}
		uri, pointer, _ := strings.Cut(ref, "#")
		bases := []any{base}
		if uri != "" {
			p.others = append(p.others, ref)
			p.bounds.chain += 50 // it may be a draft's own schema
			bases = p.bases
		}
		if !strings.HasPrefix(pointer, "/") {
			continue // an anchor, which stands where schemas do
		}
		if uri == "" && pointed(base, pointer) == nil {
			p.missing = append(p.missing, ref)
		}
		for _, from := range bases {
			if err := p.place(pointed(from, pointer), from, len(schemaAt)+len(pointer)); err != nil {
				return err
			}
		}
	}
	return nil
}

// pointed is what a JSON pointer points to, nil where that is nothing.
func pointed(v any, pointer string) any {
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	for _, step := range strings.Split(pointer[1:], "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch container := v.(type) {
		case map[string]any:
			v = container[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(container) {
				return nil
			}
			v = container[i]
		default:
			return nil
		}
	}
	return v
}

// mark gives a schema its format: see stepMark.
func (p *preparation) mark(schema map[string]any) error {
	weight := 1
	for _, key := range strings.Fields(inPlace + " required prefixItems patternProperties") {
		switch part := schema[key].(type) {
		case []any:
			weight += len(part)
		case map[string]any, string:
			weight++
		}
	}
	p.bounds.chain += weight
	if enum, ok := schema["enum"].([]any); ok {
		p.bounds.enum = max(p.bounds.enum, len(enum))
	}
	format, given := schema["format"]
	text, ok := format.(string)
	if given && !ok {
		return nil // the library will say that it is none
	}
	name := stepName(weight, text)
	schema["format"] = name
	if p.formats[name] != nil {
		return nil
	}
	known, err := p.format(text)
	p.formats[name] = &jsonschema.Format{Name: name, Validate: p.meter.step(weight, known)}
	return err
}

func (p *preparation) format(name string) (known *jsonschema.Format, err error) {
	if name == "" {
		return nil, nil
	}
	known, ok := p.known[name]
	if !ok {
		known, err = knownFormat(name)
		p.known[name] = known
	}
	return known, err
}

// compile reads the schema by the draft that it names. One that names none, and breaks the rules of the latest, is of the first older draft whose rules
// it keeps: servers of before often forget to say.
func (p *preparation) compile() (*jsonschema.Schema, error) {
	compiled, err := p.compileAs(jsonschema.Draft2020)
	var broken *jsonschema.SchemaValidationError
	if p.named || !errors.As(err, &broken) {
		return compiled, p.explained(err)
	}
	for _, older := range []*jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft4} {
		if compiled, err := p.compileAs(older); err == nil {
			return compiled, nil
		}
	}
	return nil, p.explained(err)
}

func (p *preparation) compileAs(draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.AssertFormat()
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(p.patterns.compile)
	for _, f := range p.formats {
		c.RegisterFormat(f)
	}
	if err := c.AddResource(schemaAt, p.doc); err != nil {
		return nil, err
	}
	return c.Compile(schemaAt)
}

// nowhere is where schemas are fetched from.
type nowhere struct{}

var errOutside = errors.New("nothing outside of the schema is fetched")

func (nowhere) Load(string) (any, error) { return nil, errOutside }

// explained says in a few words why a schema cannot be compiled. The library stops at any one of several references.
func (p *preparation) explained(err error) error {
	var outside *jsonschema.LoadURLError
	var anchor *jsonschema.AnchorNotFoundError
	var pointer *jsonschema.JSONPointerNotFoundError
	var broken *jsonschema.SchemaValidationError
	switch refers := errors.As(err, &outside) || errors.As(err, &anchor) || errors.As(err, &pointer); {
	case err == nil:
		return nil
	case refers && len(p.others) > 0:
		return fmt.Errorf("it refers to %s, and %w", quote(p.others[0]), errOutside)
	case refers && len(p.missing) > 0:
		return fmt.Errorf("it refers to %s, which it does not have", quote(p.missing[0]))
	case refers:
		return errors.New("it refers to something that it does not have")
	case errors.As(err, &broken):
		return fmt.Errorf("it is no valid schema: %s", firstCause(p.doc, broken.Err))
	}
	return errors.New(strings.ReplaceAll(err.Error(), schemaAt, ""))
}

// knownDraft says whether the value of $schema names a draft that is known.
func knownDraft(v any) bool {
	text, _ := v.(string)
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(text, "#"), "http://"), "https://")
	switch text {
	case "json-schema.org/schema", "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
		"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema":
		return true
	}
	return false
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}
