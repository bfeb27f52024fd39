package reprise

import (
	"fmt"
	"strings"
	"testing"
)

// driftOfSchemas compares two tools that differ in one schema.
func driftOfSchemas(t testing.TB, key, old, new string) []Drifted {
	t.Helper()
	tool := func(schema string) *Surface { return offering(t, fmt.Sprintf(`{"name":"t",%q:%s}`, key, schema)) }
	return Drift(tool(old), tool(new))
}

// TestDriftOfInputs: what a caller may send. Less than before is breaking, more is minor.
func TestDriftOfInputs(t *testing.T) {
	for _, c := range []struct{ name, old, new, there, back string }{
		{"parameter gone", `{"properties":{"a":{},"b":{}}}`, `{"properties":{"b":{}}}`,
			"breaking inputSchema.properties.a: parameter gone", "minor inputSchema.properties.a: optional parameter added"},
		{"renamed", `{"properties":{"a":{"type":"string","title":"A"}},"required":["a"]}`, `{"properties":{"b":{"type":"string","title":"B"}},"required":["b"]}`,
			"breaking inputSchema.properties.a: parameter renamed to b", "breaking inputSchema.properties.b: parameter renamed to a"},
		{"renamed and required", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"b":{"type":"string"}},"required":["b"]}`,
			"breaking inputSchema.properties.a: parameter renamed to b\nbreaking inputSchema.properties.b: parameter required now",
			"breaking inputSchema.properties.b: parameter renamed to a\nminor inputSchema.properties.a: parameter no longer required"},
		{"not renamed: two like it", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"b":{"type":"string"},"c":{"type":"string"}}}`,
			"breaking inputSchema.properties.a: parameter gone\nminor inputSchema.properties.b: optional\nminor inputSchema.properties.c: optional",
			"breaking inputSchema.properties.b: parameter gone\nbreaking inputSchema.properties.c: parameter gone\nminor inputSchema.properties.a: optional"},
		{"not renamed: another schema", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"b":{"type":"number"}}}`,
			"breaking inputSchema.properties.a: parameter gone\nminor inputSchema.properties.b: optional",
			"breaking inputSchema.properties.b: parameter gone\nminor inputSchema.properties.a: optional"},
		{"new required", `{"properties":{}}`, `{"properties":{"a":{}},"required":["a"]}`,
			"breaking inputSchema.properties.a: new required parameter", "breaking inputSchema.properties.a: parameter gone"},
		{"required now", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"required":["a"]}`,
			"breaking inputSchema.properties.a: parameter required now", "minor inputSchema.properties.a: parameter no longer required"},
		{"only required", `{}`, `{"required":["a"]}`, "breaking inputSchema.properties.a: new required", "breaking inputSchema.properties.a: parameter gone"},
		{"nested", `{"properties":{"f":{"type":"object","properties":{"a":{}}}}}`, `{"properties":{"f":{"type":"object","properties":{}}}}`,
			"breaking inputSchema.properties.f.properties.a: member gone", "minor inputSchema.properties.f.properties.a: optional member added"},

		{"type narrowed", having(`{"type":["string","null"]}`), having(`{"type":"string"}`),
			"breaking inputSchema.properties.a.type: type narrowed from null | string to string", "minor inputSchema.properties.a.type: type widened"},
		{"type changed", having(`{"type":"string"}`), having(`{"type":"boolean"}`),
			"breaking inputSchema.properties.a.type: type changed from string to boolean", "breaking inputSchema.properties.a.type: type changed"},
		{"integers are numbers", having(`{"type":"number"}`), having(`{"type":"integer"}`),
			"breaking inputSchema.properties.a.type: type narrowed from number to integer", "minor inputSchema.properties.a.type: type widened"},
		{"any type", having(`{}`), having(`{"type":"string"}`),
			"breaking inputSchema.properties.a.type: type narrowed from any to string", "minor inputSchema.properties.a.type: type widened"},
		{"enum narrowed", having(`{"enum":["x","y"]}`), having(`{"enum":["y"]}`),
			`breaking inputSchema.properties.a.enum: no longer allowed: "x"`, `minor inputSchema.properties.a.enum: allowed now: "x"`},
		{"enum there", having(`{"type":"string"}`), having(`{"type":"string","enum":["y"]}`),
			"breaking inputSchema.properties.a.enum: only some values", "minor inputSchema.properties.a.enum: any value"},
		{"const", having(`{"const":1}`), having(`{"const":2}`),
			"breaking inputSchema.properties.a.const: no longer allowed: 1\nminor inputSchema.properties.a.const: allowed now: 2",
			"breaking inputSchema.properties.a.const: no longer allowed: 2\nminor inputSchema.properties.a.const: allowed now: 1"},
		{"items", having(`{"type":"array","items":{"type":"number"}}`), having(`{"type":"array","items":{"type":"integer"}}`),
			"breaking inputSchema.properties.a.items.type: type narrowed", "minor inputSchema.properties.a.items.type: type widened"},
		{"tuple", having(`{"prefixItems":[{"type":"string"}]}`), having(`{"prefixItems":[{"type":"number"}]}`),
			"breaking inputSchema.properties.a.prefixItems[0].type: type changed", "breaking inputSchema.properties.a.prefixItems[0].type: type changed"},

		{"minimum", having(`{"type":"number","minimum":1}`), having(`{"type":"number","minimum":2}`),
			"breaking inputSchema.properties.a.minimum: minimum from 1 to 2", "minor inputSchema.properties.a.minimum: minimum from 2 to 1"},
		{"minimum there", having(`{"type":"number"}`), having(`{"type":"number","minimum":0}`),
			"breaking inputSchema.properties.a.minimum: minimum added", "minor inputSchema.properties.a.minimum: minimum gone"},
		{"longest", having(`{"type":"string","maxLength":5}`), having(`{"type":"string","maxLength":4}`),
			"breaking inputSchema.properties.a.maxLength: maxLength from 5 to 4", "minor inputSchema.properties.a.maxLength: maxLength from 4 to 5"},
		{"pattern", having(`{"type":"string"}`), having(`{"type":"string","pattern":"^a"}`),
			"breaking inputSchema.properties.a.pattern: pattern added", "minor inputSchema.properties.a.pattern: pattern gone"},
		{"another pattern", having(`{"type":"string","pattern":"^b"}`), having(`{"type":"string","pattern":"^a"}`),
			"breaking inputSchema.properties.a.pattern: pattern changed", "breaking inputSchema.properties.a.pattern: pattern changed"},
		{"no others", `{"properties":{}}`, `{"properties":{},"additionalProperties":false}`,
			"breaking inputSchema.additionalProperties: no longer allowed", "minor inputSchema.additionalProperties: allowed now"},
		{"others of a type", `{}`, `{"additionalProperties":{"type":"string"}}`,
			"breaking inputSchema.additionalProperties.type: type narrowed", "minor inputSchema.additionalProperties.type: type widened"},
		{"unique", having(`{"type":"array"}`), having(`{"type":"array","uniqueItems":true}`),
			"breaking inputSchema.properties.a.uniqueItems: ", "minor inputSchema.properties.a.uniqueItems: "},
		{"not", having(`{}`), having(`{"not":{"type":"null"}}`), "breaking inputSchema.properties.a.not: not added", "minor inputSchema.properties.a.not: not gone"},

		{"an alternative", having(`{"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}]}`), having(`{"anyOf":[{"type":"null"},{"type":"string"}]}`),
			"breaking inputSchema.properties.a: alternative gone", "minor inputSchema.properties.a: alternative added"},
		{"in an alternative", having(`{"anyOf":[{"type":"string","maxLength":9},{"type":"null"}]}`), having(`{"anyOf":[{"type":"null"},{"type":"string","maxLength":8}]}`),
			"breaking inputSchema.properties.a.maxLength: ", "minor inputSchema.properties.a.maxLength: "},
		{"an alternative to nothing", having(`{"type":"string"}`), having(`{"anyOf":[{"type":"string"},{"type":"null"}]}`),
			"minor inputSchema.properties.a: alternative added", "breaking inputSchema.properties.a: alternative gone"},
		{"a rule more", having(`{"allOf":[{"minLength":1},{"maxLength":9}]}`), having(`{"allOf":[{"maxLength":9},{"minLength":1},{"pattern":"a"}]}`),
			"breaking inputSchema.properties.a.allOf: rule added", "minor inputSchema.properties.a.allOf: rule gone"},
		{"behind a reference", defined(`{"type":"number"}`), defined(`{"type":"integer"}`),
			"breaking inputSchema.properties.a.type: type narrowed", "minor inputSchema.properties.a.type: type widened"},
		{"behind a reference in a choice", choiceDefined(`{"type":"number"}`), choiceDefined(`{"type":"integer"}`),
			"breaking inputSchema.properties.a.type: type narrowed", "minor inputSchema.properties.a.type: type widened"},
		{"escaped in the reference", `{"properties":{"a":{"$ref":"#/definitions/Of%3Cstring%3E"}},"definitions":{"Of<string>":{"type":"string"}}}`,
			`{"properties":{"a":{"$ref":"#/definitions/Of%3Cstring%3E"}},"definitions":{"Of<string>":{"type":"integer"}}}`,
			`breaking inputSchema.properties.a.type`, `breaking inputSchema.properties.a.type`},
		{"another address", having(`{"$ref":"https://example.com/a"}`), having(`{"$ref":"https://example.com/b"}`),
			`breaking inputSchema.properties.a.$ref: $ref changed`, `breaking inputSchema.properties.a.$ref: $ref changed`},
		{"no schema", having(`7`), having(`8`), `breaking inputSchema.properties.a.$ref: `, `breaking inputSchema.properties.a.$ref: `},

		{"description", having(`{"description":"x"}`), having(`{"description":"y"}`),
			"dangerous inputSchema.properties.a.description: description changed", "dangerous inputSchema.properties.a.description: description changed"},
		{"description's blanks", having(`{"description":"x y"}`), having(`{"description":"x\ty"}`),
			"info inputSchema.properties.a.description: ", "info inputSchema.properties.a.description: "},
		{"default", having(`{"default":1}`), having(`{"default":2}`),
			"dangerous inputSchema.properties.a.default: default changed", "dangerous inputSchema.properties.a.default: default changed"},
		{"default null", having(`{}`), having(`{"default":null}`),
			"dangerous inputSchema.properties.a.default: default added", "dangerous inputSchema.properties.a.default: default gone"},
		{"examples", having(`{"examples":[1]}`), having(`{"examples":[2]}`),
			"dangerous inputSchema.properties.a.examples: ", "dangerous inputSchema.properties.a.examples: "},
		{"title", having(`{"title":"x"}`), having(`{"title":"y"}`), "minor inputSchema.properties.a.title: ", "minor inputSchema.properties.a.title: "},
		{"others' keywords", having(`{}`), having(`{"x-unit":"m"}`), `minor inputSchema.properties.a["x-unit"]: `, `minor inputSchema.properties.a["x-unit"]: `},
		{"dialect", `{}`, `{"$schema":"x"}`, `info inputSchema.$schema: `, `info inputSchema.$schema: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantBeginnings(t, driftOfSchemas(t, "inputSchema", c.old, c.new), c.there)
			wantBeginnings(t, driftOfSchemas(t, "inputSchema", c.new, c.old), c.back)
		})
	}
}

func having(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }

func defined(schema string) string {
	return `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":` + schema + `}}`
}

func choiceDefined(schema string) string {
	return `{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}},"$defs":{"A":` + schema + `}}`
}

// TestSameSchemas: what is only spelt otherwise has not drifted.
func TestSameSchemas(t *testing.T) {
	for _, c := range []struct{ old, new string }{
		{`{}`, `{"type":"object"}`},
		{`{}`, `{"properties":{},"required":[],"additionalProperties":true,"$defs":{"A":{}}}`},
		{`{"type":"object","additionalProperties":{}}`, `{"type":"object","additionalProperties":true}`},
		{`{"required":["a","b"]}`, `{"required":["b","a","b"]}`},
		{having(`{"type":"string"}`), having(`{"type":["string"]}`)},
		{having(`{"type":["string","null"]}`), having(`{"type":["null","string"]}`)},
		{having(`{"type":["integer","number"]}`), having(`{"type":"number"}`)},
		{having(`{"type":["string","null"],"maxLength":5}`), having(`{"anyOf":[{"type":"string","maxLength":5},{"type":"null"}]}`)},
		{having(`{"type":"array"}`), having(`{"type":"array","items":{},"minItems":0,"uniqueItems":false}`)},
		{having(`{"type":"string"}`), having(`{"type":"string","minLength":0.0}`)},
		{having(`{"type":"number","minimum":1}`), having(`{"minimum":1.0e0,"type":"number"}`)},
		{having(`{"enum":["x","y"]}`), having(`{"enum":["y","\u0078"],"type":"string"}`)},
		{having(`{"enum":[1]}`), having(`{"const":1.0}`)},
		{having(`{"type":"string","enum":["x","y"]}`), having(`{"oneOf":[{"const":"y"},{"const":"x"}]}`)},
		{having(`{"type":"string","enum":["x","y"]}`), having(`{"type":"string","oneOf":[{"const":"y"},{"const":"x"}]}`)},
		{having(`{"properties":{}}`), having(`{"type":"object"}`)},
		{having(`{"items":{"type":"string"}}`), having(`{"type":"array","items":{"type":"string"}}`)},
		{having(`{"type":"number","description":"x"}`), `{"properties":{"a":{"$ref":"#/definitions/N","description":"x"}},"definitions":{"N":{"type":"number","description":"y"}}}`},
		{having(`{"type":"number"}`), having(`{"allOf":[{"type":"number"}]}`)},
		{having(`{"type":"number"}`), `{"properties":{"a":{"$ref":"#/$defs/a~1b"}},"$defs":{"a/b":{"type":"number"}}}`},
		{having(`{"anyOf":[{"type":"string"},{"type":"number"}]}`), having(`{"anyOf":[{"type":"number"},{"type":"string"}]}`)},
		{defined(`{"properties":{"next":{"$ref":"#/$defs/A"}}}`),
			`{"properties":{"a":{"$ref":"#/$defs/B"}},"$defs":{"B":{"type":"object","properties":{"next":{"$ref":"#/$defs/B"}}}}}`},
	} {
		for _, key := range []string{"inputSchema", "outputSchema"} {
			if key == "outputSchema" && strings.HasPrefix(c.old, "{}") { // results may be anything
				continue
			}
			wantBeginnings(t, driftOfSchemas(t, key, c.old, c.new), "")
			wantBeginnings(t, driftOfSchemas(t, key, c.new, c.old), "")
		}
	}
}

// TestDriftOfOutputs: what a reader of results relied on. Narrower is breaking, and so is a promise taken back.
func TestDriftOfOutputs(t *testing.T) {
	for _, c := range []struct{ name, old, new, there, back string }{
		{"member", `{"properties":{"a":{},"b":{}}}`, `{"properties":{"a":{}}}`,
			"breaking outputSchema.properties.b: result member gone", "minor outputSchema.properties.b: result member added"},
		{"renamed", `{"properties":{"a":{}}}`, `{"properties":{"b":{}}}`,
			"breaking outputSchema.properties.a: result member renamed to b", "breaking outputSchema.properties.b: result member renamed to a"},
		{"always there", `{"properties":{"a":{}},"required":["a"]}`, `{"properties":{"a":{}}}`,
			"breaking outputSchema.properties.a: result member no longer required", "minor outputSchema.properties.a: result member always there now"},
		{"may be null", having(`{"type":"string"}`), having(`{"type":["string","null"]}`),
			"breaking outputSchema.properties.a.type: type widened", "breaking outputSchema.properties.a.type: type narrowed"},
		{"enum", having(`{"enum":["x","y"]}`), having(`{"enum":["x"]}`),
			"breaking outputSchema.properties.a.enum: no longer allowed", "minor outputSchema.properties.a.enum: allowed now"},
		{"longer", having(`{"type":"string","maxLength":5}`), having(`{"type":"string","maxLength":6}`),
			"minor outputSchema.properties.a.maxLength: ", "breaking outputSchema.properties.a.maxLength: "},
		{"description", `{"description":"x"}`, `{"description":"y"}`, "dangerous outputSchema.description: ", "dangerous outputSchema.description: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantBeginnings(t, driftOfSchemas(t, "outputSchema", c.old, c.new), c.there)
			wantBeginnings(t, driftOfSchemas(t, "outputSchema", c.new, c.old), c.back)
		})
	}
}

// TestDriftIsBounded: schemas that refer to themselves, or twice to the next again and again, are compared so far and no further.
func TestDriftIsBounded(t *testing.T) {
	tree := func(leaf string) string {
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
		for i := range 40 {
			fmt.Fprintf(&b, `"d%d":{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
		}
		return b.String() + `"d40":` + leaf + `}}`
	}
	got := driftOfSchemas(t, "inputSchema", tree(`{"type":"string"}`), tree(`{"type":"number"}`))
	if len(got) == 0 || len(got) > maxSchemaNodes+1 || !strings.Contains(found(got), "too large to be compared in full") {
		t.Errorf("%d changes", len(got))
	}
	ring := `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"%s}}}`
	wantBeginnings(t, driftOfSchemas(t, "inputSchema", fmt.Sprintf(ring, ``), fmt.Sprintf(ring, `,"title":"x"`)), "minor inputSchema.title: title added")
	self := `{"$ref":"#","title":"x"}`
	wantBeginnings(t, driftOfSchemas(t, "inputSchema", self, `{}`), "minor inputSchema.title: title gone")
}

// FuzzDrift: whatever stands in a list, nothing panics, nothing drifts from itself, and what drifts one way does the other way too.
func FuzzDrift(f *testing.F) {
	for _, seed := range []string{
		`{"name":"t"}`, `7`, `{"name":"t","inputSchema":true,"outputSchema":[],"annotations":[],"execution":1}`,
		`{"name":"t","inputSchema":` + defined(`{"anyOf":[{"const":1},{"enum":[null,{}]}]}`) + `}`,
		`{"name":"t","outputSchema":{"$ref":"#/x/0","x":[{"allOf":[{"$ref":"#"}]}]}}`,
		`{"name":"t","inputSchema":{"type":[1],"required":"a","minimum":"x","enum":{},"properties":{"a":{"required":true}}}}`,
	} {
		f.Add(seed, `{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, raw := range []string{a, b} {
			if !Embeddable([]byte(raw)) || len(raw) > 4096 {
				return
			}
		}
		x, y := offering(t, a), offering(t, b)
		if same := Drift(x, x); len(same) != 0 {
			t.Errorf("drifts from itself: %+v", same)
		}
		if there, back := Drift(x, y), Drift(y, x); (len(there) == 0) != (len(back) == 0) {
			t.Errorf("%+v\nand back\n%+v", there, back)
		}
		read, err := ReadContract(strings.NewReader(contractText(t, x)))
		if err != nil {
			t.Fatal(err)
		}
		if d := append(Drift(x, read.Surface), Drift(read.Surface, x)...); len(d) != 0 {
			t.Errorf("drifts when written down: %+v", d)
		}
	})
}
