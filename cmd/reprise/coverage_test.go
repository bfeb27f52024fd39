package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"reprise/analysis"
)

func TestEveryKeyOfCoverageIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(doc), "## `reprise coverage --json`")
	if !ok {
		t.Fatal("docs/json.md has no section on coverage")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	c := &covered{}
	if got, want := keysOf(t, c.row()), documented(section); !slices.Equal(got, want) {
		t.Errorf("\n rows %v\n docs %v", got, want)
	}
	inner := slices.Concat(keysOf(t, exercisedRow("tool", "parameters", &analysis.ToolCoverage{})), keysOf(t, exercisedRow("prompt", "arguments", &analysis.ToolCoverage{})))
	for _, key := range append(inner, "template", "reads", "check", "story", "gaps", "lost_frames", "truncated", "too_long", "name", "required", "values", "value") {
		if !strings.Contains(section, "`"+key+"`") {
			t.Errorf("docs/json.md does not name %s", key)
		}
	}
}

func TestCoverageRowsStayValidJSON(t *testing.T) {
	hostile := "\xff\"\n\x1b[31m"
	c := &covered{}
	c.Tools = []analysis.ToolCoverage{{Tool: hostile, Errors: map[string]int{hostile: 1}, Parameters: []analysis.ParameterCoverage{
		{Name: hostile, Values: []string{hostile, "1.50", `"x"`, ""}, Enum: map[string]int{hostile: 1}}}}}
	c.Templates = []analysis.TemplateCoverage{{Template: hostile}}
	if keys := keysOf(t, c.row()); len(keys) != 7 {
		t.Errorf("keys %v", keys)
	}
}
