package analysis

import "testing"

func TestRepeatedFailure(t *testing.T) {
	listing := tools(listedTool("get", hintsReadOnly, `"n":{"type":"number"}`), listedTool("set", hintsWriting, ""), listedTool("look", hintsReadOnly, ""))
	bad := call("get", `{"n":1,"m":2}`, saysError("n is too small"))
	respelt := call("get", `{ "m": 2.0, "n": 1 }`, saysError("n is too small"))
	checkCalls(t, repeatedFailure, []callCase{
		{name: "the same again", lines: story(listing, bad, bad), want: []string{"get"}},
		{name: "spelt otherwise", lines: story(listing, bad, respelt), want: []string{"get"}},
		{name: "after a look at something else", lines: story(listing, bad, call("look", `{}`, saysText("x")), bad), want: []string{"get"}},
		{name: "an error of the protocol", lines: story(listing, call("get", `{}`, refusesWith(-32602, "n is required")), call("get", `{}`, refusesWith(-32602, "n is required"))), want: []string{"get"}},
		{name: "with the number of the request", lines: story(listing, call("get", `{}`, saysError("bad n (request 17)")), call("get", `{}`, saysError("bad n (request 18)"))), want: []string{"get"}},

		{name: "once", lines: story(listing, bad)},
		{name: "other arguments", lines: story(listing, bad, call("get", `{"n":2}`, saysError("n is too small")))},
		{name: "another tool", lines: story(listing, call("get", `{}`, saysError("bad")), call("look", `{}`, saysError("bad")))},
		{name: "a write in between", lines: story(listing, bad, call("set", `{}`, saysText("done")), bad)},
		{name: "a tool that may write in between", lines: story(listing, bad, call("unlisted", `{}`, saysText("done")), bad)},
		{name: "a limit", lines: story(listing, call("get", `{}`, saysError("429 slow down")), call("get", `{}`, saysError("429 slow down")))},
		{name: "a time-out", lines: story(listing, call("get", `{}`, saysError("timed out")), call("get", `{}`, saysError("timed out")))},
		{name: "waiting for a state", lines: story(listing, call("get", `{}`, saysError("the job is still in progress")), call("get", `{}`, saysError("the job is still in progress")))},
		{name: "another failure", lines: story(listing, bad, call("get", `{"n":1,"m":2}`, saysError("m is too large")))},
		{name: "a success in the end", lines: story(listing, bad, call("get", `{"n":1,"m":2}`, saysText("fine")))},
		{name: "after a long time", lines: story(listing, bad, []string{"+5m"}, bad)},
		{name: "the server has changed", lines: story(listing, bad, []string{`< {"method":"notifications/tools/list_changed"}`}, bad)},
		{name: "the user has answered", lines: story(listing, bad, []string{`< {"id":9,"method":"elicitation/create","params":{}}`, `> {"id":9,"result":{"action":"accept"}}`}, bad)},
		{name: "asked before the failure was known", lines: story(listing, []string{
			`> {"id":1,"method":"tools/call","params":{"name":"get","arguments":{}}}`, `> {"id":2,"method":"tools/call","params":{"name":"get","arguments":{}}}`,
			`< {"id":1,"result":{"isError":true,"content":[{"type":"text","text":"bad"}]}}`, `< {"id":2,"result":{"isError":true,"content":[{"type":"text","text":"bad"}]}}`})},
	})
}

func TestRefusedArguments(t *testing.T) {
	listing := tools(listedTool("query", hintsReadOnly, `"date":{"type":"string"},"id":{"type":"string"}`))
	no := func(arguments string) []string {
		return call("query", arguments, refusesWith(-32602, "invalid date"))
	}
	checkCalls(t, refusedArguments, []callCase{
		{name: "three forms of a date", lines: story(listing, no(`{"date":"1/2"}`), no(`{"date":"2 Jan"}`), no(`{"date":"Monday"}`)), want: []string{"query"}},
		{name: "a tool's own errors", lines: story(listing, call("query", `{"date":"a"}`, saysError("invalid date")), call("query", `{"date":"b"}`, saysError("date must be ISO")), call("query", `{}`, saysError("date is required"))), want: []string{"query"}},

		{name: "two", lines: story(listing, no(`{"date":"1/2"}`), no(`{"date":"2 Jan"}`))},
		{name: "the same three times", lines: story(listing, no(`{"date":"1/2"}`), no(`{"date":"1/2"}`), no(`{"date":"1/2"}`))},
		{name: "a success in between", lines: story(listing, no(`{"date":"1/2"}`), no(`{"date":"2 Jan"}`), call("query", `{"date":"2026-01-02"}`, saysText("x")), no(`{"date":"Monday"}`))},
		{name: "things that are not there", lines: story(listing, call("query", `{"id":"AB-1"}`, refusesWith(-32602, "unknown id")), call("query", `{"id":"AB-2"}`, refusesWith(-32602, "unknown id")), call("query", `{"id":"AB-3"}`, refusesWith(-32602, "unknown id")))},
		{name: "trouble", lines: story(listing, call("query", `{"date":"a"}`, saysError("rate limit, invalid date")), call("query", `{"date":"b"}`, saysError("rate limit, invalid date")), call("query", `{"date":"c"}`, saysError("rate limit, invalid date")))},
		{name: "failures that say nothing of arguments", lines: story(listing, call("query", `{"date":"a"}`, saysError("oops")), call("query", `{"date":"b"}`, saysError("oops")), call("query", `{"date":"c"}`, saysError("oops")))},
		{name: "a tool that is in no list", lines: story(call("other", `{"a":1}`, refusesWith(-32602, "no")), call("other", `{"a":2}`, refusesWith(-32602, "no")), call("other", `{"a":3}`, refusesWith(-32602, "no")))},
		{name: "asked at the same time", lines: story(listing, []string{
			`> {"id":1,"method":"tools/call","params":{"name":"query","arguments":{"date":"a"}}}`, `> {"id":2,"method":"tools/call","params":{"name":"query","arguments":{"date":"b"}}}`,
			`> {"id":3,"method":"tools/call","params":{"name":"query","arguments":{"date":"c"}}}`, `< {"id":1,"error":{"code":-32602,"message":"invalid date"}}`,
			`< {"id":2,"error":{"code":-32602,"message":"invalid date"}}`, `< {"id":3,"error":{"code":-32602,"message":"invalid date"}}`})},
	})
}

func TestChangedArgument(t *testing.T) {
	listing := tools(listedTool("search", hintsReadOnly, `"limit":{},"status":{},"id":{},"path":{},"elements":{}`), listedTool("set", hintsWriting, ""))
	ok := saysText("found")
	checkCalls(t, changedArgument, []callCase{
		{name: "a smaller number", lines: story(listing, call("search", `{"limit":1000}`, saysError("limit must be at most 100")), call("search", `{"limit":100}`, ok)), want: []string{"search limit"}},
		{name: "another type", lines: story(listing, call("search", `{"limit":"10"}`, refusesWith(-32602, "bad")), call("search", `{"limit":10}`, ok)), want: []string{"search limit"}},
		{name: "another case", lines: story(listing, call("search", `{"status":"Open"}`, saysError("unknown status Open")), call("search", `{"status":"open"}`, ok)), want: []string{"search status"}},
		{name: "one more", lines: story(listing, call("search", `{"limit":1}`, saysError("status is required")), call("search", `{"limit":1,"status":"open"}`, ok)), want: []string{"search status"}},
		{name: "one less", lines: story(listing, call("search", `{"limit":1,"status":"open"}`, saysError("status cannot be combined with limit")), call("search", `{"limit":1}`, ok)), want: []string{"search status"}},
		{name: "several roots are refused (W23a)", lines: story(listing, call("search", `{"elements":["<nav/>","<main/>"]}`, saysError("elements: only one root element is allowed")), call("search", `{"elements":["<nav/>"]}`, ok)), want: []string{"search elements[]"}},
		{name: "the failure names the other id", lines: story(listing, call("search", `{"id":"AB-1"}`, saysError("no AB-1: did you mean AB-12?")), call("search", `{"id":"AB-12"}`, ok)), want: []string{"search id"}},

		{name: "nothing changed", lines: story(listing, call("search", `{"limit":1000}`, saysError("limit must be at most 100")), call("search", `{"limit":1000}`, ok))},
		{name: "another thing", lines: story(listing, call("search", `{"id":"AB-1"}`, saysError("no such id: AB-1")), call("search", `{"id":"AB-2"}`, ok))},
		{name: "another file", lines: story(listing, call("search", `{"path":"/a/b.txt"}`, saysError("ENOENT: no such file /a/b.txt")), call("search", `{"path":"/a/c.txt"}`, ok))},
		{name: "another person", lines: story(listing, call("search", `{"email":"a@example.com"}`, saysError("no a@example.com; known is b@example.com")), call("search", `{"email":"b@example.com"}`, ok))},
		{name: "too much changed", lines: story(listing, call("search", `{"a":1,"b":2,"c":3,"limit":4}`, saysError("limit is bad")), call("search", `{"a":5,"b":6,"c":7,"limit":8}`, ok))},
		{name: "a limit on calls", lines: story(listing, call("search", `{"limit":1000}`, saysError("rate limit")), call("search", `{"limit":100}`, ok))},
		{name: "a time-out", lines: story(listing, call("search", `{"limit":1000}`, saysError("timed out at limit 1000")), call("search", `{"limit":100}`, ok))},
		{name: "the failure is about something else", lines: story(listing, call("search", `{"limit":1000}`, saysError("oops")), call("search", `{"limit":100}`, ok))},
		{name: "a success in between", lines: story(listing, call("search", `{"limit":1000}`, saysError("limit must be at most 100")), call("search", `{"limit":1000}`, ok), call("search", `{"limit":100}`, ok))},
		{name: "a write in between", lines: story(listing, call("search", `{"limit":1000}`, saysError("limit must be at most 100")), call("set", `{}`, ok), call("search", `{"limit":100}`, ok))},
		{name: "after a long time", lines: story(listing, call("search", `{"limit":1000}`, saysError("limit must be at most 100")), []string{"+5m"}, call("search", `{"limit":100}`, ok))},
		{name: "asked before", lines: story(listing, []string{
			`> {"id":1,"method":"tools/call","params":{"name":"search","arguments":{"limit":1000}}}`, `> {"id":2,"method":"tools/call","params":{"name":"search","arguments":{"limit":100}}}`,
			`< {"id":1,"error":{"code":-32602,"message":"limit"}}`, `< {"id":2,"result":{"content":[]}}`})},
	})
}
