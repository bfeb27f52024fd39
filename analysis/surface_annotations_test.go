package analysis

import (
	"fmt"
	"strings"
	"testing"
)

func annotated(name, annotations string) string {
	if annotations != "" {
		annotations = `,"annotations":` + annotations
	}
	return `{"name":"` + name + `","description":"Does.","inputSchema":{"type":"object"}` + annotations + `}`
}

// several are tools without annotations.
func several(n int) (list []string) {
	for i := range n {
		list = append(list, annotated(fmt.Sprintf("tool_%d", i), ""))
	}
	return list
}

func TestUnannotatedTool(t *testing.T) {
	runCases(t, "unannotated-tool", []ruleCase{
		{"no annotations", tools(annotated("get", "")), []string{"get"}},
		{"a title only", tools(annotated("get", `{"title":"Get"}`)), []string{"get"}},
		{"other hints", tools(annotated("get", `{"openWorldHint":false}`)), []string{"get"}},
		{"a name has no authority (S68)", tools(annotated("list_and_purge", "")), []string{"list_and_purge"}},
		{"some of many", tools(append(several(2), annotated("get", `{"readOnlyHint":true}`))...), []string{"tool_0", "tool_1"}},
		{"many are one", tools(several(6)...), []string{""}},

		{"reads", tools(annotated("get", `{"readOnlyHint":true}`)), nil},
		{"writes", tools(annotated("put", `{"readOnlyHint":false}`)), nil},
		{"destroys", tools(annotated("drop", `{"destructiveHint":true}`)), nil},
		{"destroys nothing", tools(annotated("put", `{"destructiveHint":false}`)), nil},
		{"declared later", story(tools(annotated("get", "")), tools(annotated("get", `{"readOnlyHint":true}`))), nil},
		{"never listed", call("get", "{}", textResult("")), nil},
	})
	r := judge(t, tools(append(several(7), annotated("get", `{"readOnlyHint":true}`))...)...)
	if what := found(r, "unannotated-tool")[0].What; !strings.HasPrefix(what, "7 of 8 tools") || !strings.Contains(what, "“tool_4”") || strings.Contains(what, "tool_5") {
		t.Errorf("finding of a server says %q", what)
	}
}

func TestContradictoryHints(t *testing.T) {
	runCases(t, "contradictory-hints", []ruleCase{
		{"reads and destroys", tools(annotated("get", `{"readOnlyHint":true,"destructiveHint":true}`)), []string{"get"}},
		{"among others", tools(annotated("a", `{"readOnlyHint":true}`), annotated("b", `{"idempotentHint":true,"destructiveHint":true,"readOnlyHint":true}`)), []string{"b"}},

		{"reads", tools(annotated("get", `{"readOnlyHint":true}`)), nil},
		{"meaningless beside it", tools(annotated("get", `{"readOnlyHint":true,"idempotentHint":false,"destructiveHint":false}`)), nil},
		{"writes and destroys", tools(annotated("drop", `{"readOnlyHint":false,"destructiveHint":true}`)), nil},
	})
}
