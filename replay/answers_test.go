package replay

import (
	"strings"

	"github.com/tidwall/gjson"
)

const readers = `{"name":"create_issue"},{"name":"update_issue"},{"name":"get_issue","annotations":{"readOnlyHint":true}},{"name":"list_issues","annotations":{"readOnlyHint":true}}`

// structured is a result with structured content only.
func structured(m gjson.Result, content string) []string {
	return []string{result(m, `{"content":[],"structuredContent":`+content+`}`)}
}

// byTool answers calls by the tool's name.
func byTool(answers map[string]string) func(gjson.Result) []string {
	return func(m gjson.Result) []string {
		answer, ok := answers[m.Get("params.name").Str]
		switch {
		case m.Get("method").Str != "tools/call" || !ok:
			return nil
		case strings.HasPrefix(answer, "error"):
			return []string{`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"error":{"code":-32603,"message":"boom"}}`}
		case strings.HasPrefix(answer, "fails"):
			return []string{result(m, `{"content":[{"type":"text","text":"boom"}],"isError":true}`)}
		}
		return structured(m, answer)
	}
}
