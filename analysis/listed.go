package analysis

import (
	"strings"

	"reprise"
)

// ReadTool reads a tool as it stands in a list, for those who ask a server themselves.
func ReadTool(raw string) *Tool {
	raw = strings.Clone(raw)
	return &Tool{Name: reprise.Member(raw, "name").String(), JSON: raw, ToolSafety: reprise.SafetyOf(raw),
		input: &lazySchema{raw: reprise.Member(raw, "inputSchema").Raw}, output: &lazySchema{raw: reprise.Member(raw, "outputSchema").Raw}}
}
