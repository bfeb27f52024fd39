package analysis

import (
	"fmt"
	"strings"
	"testing"

	"reprise"
)

func gives(schema string) string {
	return `{"name":"get","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"outputSchema":` + schema + `}`
}

func structured(content string) string {
	return `"result":{"content":[],"structuredContent":` + content + `}`
}

func TestOutputSchema(t *testing.T) {
	issues := gives(`{"type":"object","required":["items"],"properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}}}}}}`)
	byID := gives(`{"type":"object","additionalProperties":{"type":"number"}}`)
	now := client("x", "2025-11-25")
	runCases(t, "output-schema", []ruleCase{
		{"a wrong type", story(now, tools(issues), call("get", "{}", structured(`{"items":[{"id":"a"},{"id":7}]}`))), []string{"get items[].id type"}},
		{"many of one kind", story(tools(issues), call("get", "{}", structured(`{"items":[{"id":1},{"id":7}]}`))), []string{"get items[].id type"}},
		{"a missing member", story(tools(issues), call("get", "{}", structured(`{}`))), []string{"get items required"}},
		{"missing altogether", story(tools(issues), call("get", "{}", textResult("[]"))), []string{"get structuredContent"}},
		{"null", story(tools(issues), call("get", "{}", structured(`null`))), []string{"get structuredContent"}},
		{"names that come from data", story(tools(byID), call("get", "{}", structured(`{"ISS-7":"x","u8":"y"}`))), []string{"get * type", "get [*] type"}},

		{"right", story(now, tools(issues), call("get", "{}", structured(`{"items":[{"id":"a"}]}`))), nil},
		{"more than declared", story(tools(issues), call("get", "{}", structured(`{"items":[],"total":0}`))), nil},
		{"null that may be", story(tools(gives(`{}`)), call("get", "{}", structured(`null`))), nil},
		{"no schema", story(tools(plainTool), call("get", "{}", textResult("x"))), nil},
		{"a failure", story(tools(issues), call("get", "{}", `"result":{"isError":true,"content":[]}`)), nil},
		{"a protocol error", story(tools(issues), call("get", "{}", `"error":{"code":1,"message":"no"}`)), nil},
		{"before there were schemas", story(client("x", "2025-03-26"), tools(issues), call("get", "{}", textResult("x"))), nil},
		{"a task", story(tools(issues), call("get", "{}", `"result":{"task":{"taskId":"1","status":"working"}}`)), nil},
		{"a question", story(tools(issues), call("get", "{}", `"result":{"resultType":"input_required","inputRequests":{}}`)), nil},
		{"a list that has changed", story(tools(issues), []string{`< {"method":"notifications/tools/list_changed"}`}, call("get", "{}", textResult("x"))), nil},
		{"never listed", call("get", "{}", textResult("x")), nil},
		{"a bad schema", story(tools(gives(`{"type":"object","$ref":"https://example.com/x.json"}`)), call("get", "{}", structured(`{}`))), nil},
	})
}

// TestOutputSchemaOfRedacted judges a session whose values were blanked.
func TestOutputSchemaOfRedacted(t *testing.T) {
	number := gives(`{"type":"object","properties":{"n":{"type":"number"}}}`)
	lines := story(tools(number), call("get", "{}", structured(`{"n":"[redacted]"}`)))
	if got := found(judgeAs(t, &reprise.Session{Redacted: true}, Options{}, lines...), "output-schema"); len(got) > 0 {
		t.Errorf("found %+v", got)
	}
}

// TestOutputSchemaSamples breaks the schema in one of many results.
func TestOutputSchemaSamples(t *testing.T) {
	number := gives(`{"type":"object","properties":{"n":{"type":"number"}}}`)
	for _, c := range []struct{ bad, want int }{{999, 1}, {1001, 0}, {1008, 1}} {
		lines := tools(number)
		for i := range 1010 {
			content := `{"n":1}`
			if i == c.bad {
				content = `{"n":"one"}`
			}
			lines = append(lines, call("get", "{}", structured(content))...)
		}
		if got := found(judge(t, lines...), "output-schema"); len(got) != c.want {
			t.Errorf("result %d: %d findings, want %d", c.bad, len(got), c.want)
		}
	}
}

// TestOutputSchemaIsBounded has a result that is wrong in another way each time.
func TestOutputSchemaIsBounded(t *testing.T) {
	var properties, lines []string
	for i := range 100 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"type":"number"}`, i))
	}
	lines = tools(gives(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`))
	for i := range 100 {
		lines = append(lines, call("get", "{}", structured(fmt.Sprintf(`{"p%d":"x"}`, i)))...)
	}
	if got := found(judge(t, lines...), "output-schema"); len(got) != mostProblems {
		t.Errorf("%d findings, want %d", len(got), mostProblems)
	}
}

func TestNormalPlace(t *testing.T) {
	schema := `{"properties":{"items":{},"id":{},"odd key":{}}}`
	for path, want := range map[string]string{
		"": "", "items[0].id": "items[].id", "[12]": "[]", `["odd key"].id`: "[*].id", "u77.id": "*.id", `["a\"]b"][3]`: "[*][]", `["cut`: "[*]",
	} {
		if got := normalPlace(path, schema); got != want {
			t.Errorf("normalPlace(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestBadSchema(t *testing.T) {
	takes := func(schema string) string {
		return `{"name":"get","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":` + schema + `}`
	}
	object := func(property string) string { return takes(`{"type":"object","properties":{"a":` + property + `}}`) }
	now, next := client("x", "2025-11-25"), client("x", "2026-07-28")
	runCases(t, "bad-schema", []ruleCase{
		{"no inputSchema", tools(`{"name":"get","description":"Reads."}`), []string{"get inputSchema"}},
		{"null", tools(takes(`null`)), []string{"get inputSchema"}},
		{"no type", tools(takes(`{"properties":{}}`)), []string{"get inputSchema"}},
		{"another type", tools(takes(`{"type":"string"}`)), []string{"get inputSchema"}},
		{"no such type", tools(object(`{"type":"text"}`)), []string{"get inputSchema schema"}},
		{"no list", tools(takes(`{"type":"object","required":"a"}`)), []string{"get inputSchema schema"}},
		{"elsewhere", tools(object(`{"$ref":"https://example.com/x.json"}`)), []string{"get inputSchema schema"}},
		{"nowhere", tools(object(`{"$ref":"#/$defs/a"}`)), []string{"get inputSchema schema"}},
		{"output", tools(gives(`{"type":"object","properties":{"a":{"type":7}}}`)), []string{"get outputSchema schema"}},
		{"output that is a list", story(now, tools(gives(`{"type":"array"}`))), []string{"get outputSchema"}},

		{"an object", tools(takes(`{"type":"object"}`)), nil},
		{"unknown keywords (S22)", tools(object(`{"type":"string","example":"x","x-order":1,"format":"color"}`)), nil},
		{"an unknown draft", tools(takes(`{"$schema":"https://example.com/schema","type":"object"}`)), nil},
		{"an older draft", tools(takes(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{}}}`)), nil},
		{"its own definitions", tools(takes(`{"type":"object","$defs":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/a"}}}`)), nil},
		{"a pattern that only others read", tools(object(`{"type":"string","pattern":"^(?!x)"}`)), nil},
		{"too large to be read", tools(takes(`{"type":"object","description":"` + strings.Repeat("x", 3<<20) + `","required":"a"}`)), nil},
		{"an output list in the new version", story(next, tools(gives(`{"type":"array"}`))), nil},
		{"no output", tools(gives(`null`)), nil},
	})
}
