package analysis

import (
	"strings"
	"testing"
)

func TestProtocolErrorForToolError(t *testing.T) {
	tool := `{"name":"get_issue","description":"Reads.","inputSchema":{"type":"object","properties":{"issueId":{"type":"string"}}}}`
	failed := func(message string) []string {
		return call("get_issue", `{"priority":5}`, `"error":{"code":-32602,"message":"`+message+`"}`)
	}
	now, before, next := client("x", "2025-11-25"), client("x", "2025-06-18"), client("x", "2026-07-28")
	validation := failed("MCP error -32602: Input validation error: Invalid arguments for tool get_issue: Required")
	runCases(t, "protocol-error-for-tool-error", []ruleCase{
		{"a validation error", story(now, tools(tool), validation), []string{"get_issue"}},
		{"a later version", story(next, tools(tool), validation), []string{"get_issue"}},
		{"names a parameter", story(now, tools(tool), failed("missing issueId")), []string{"get_issue"}},
		{"names an argument", story(now, tools(tool), failed("priority must be at most 4")), []string{"get_issue"}},
		{"go-sdk", story(now, tools(tool), failed(`validating \"arguments\": missing properties`)), []string{"get_issue"}},

		{"an older version", story(before, tools(tool), validation), nil},
		{"an unknown version", story(tools(tool), validation), nil},
		{"a draft", story(client("x", "DRAFT-2026"), tools(tool), validation), nil},
		{"a tool that is not listed", story(now, validation), nil},
		{"a tool that is gone", story(now, tools(tool), failed("Unknown tool: get_issue")), nil},
		{"a tool that is not found", story(now, tools(tool), failed("Tool get_issue not found")), nil},
		{"about something else", story(now, tools(tool), failed("Missing _meta protocolVersion argument")), nil},
		{"says the code again", story(now, tools(strings.Replace(tool, "issueId", "params", 1)), failed("Invalid params")), nil},
		{"says nothing", story(now, tools(tool), failed("Invalid params")), nil},
		{"another code", story(now, tools(tool), call("get_issue", "{}", `"error":{"code":-32603,"message":"Invalid arguments"}`)), nil},
		{"a tool error", story(now, tools(tool), call("get_issue", "{}", `"result":{"isError":true,"content":[{"type":"text","text":"Invalid arguments"}]}`)), nil},
		{"a malformed request", story(now, tools(tool), call("get_issue", `[1]`, `"error":{"code":-32602,"message":"arguments: expected object"}`)), nil},
	})
}
