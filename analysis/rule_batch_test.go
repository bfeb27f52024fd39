package analysis

import (
	"fmt"
	"testing"
)

func TestBatchWish(t *testing.T) {
	listing := tools(listedTool("get_issue", hintsReadOnly, `"issueId":{"type":"string"}`), listedTool("list", hintsReadOnly, ""), listedTool("insert", hintsWriting, ""))
	each := func(tool, format string, n int) (lines []string) {
		for i := range n {
			lines = append(lines, call(tool, fmt.Sprintf(format, i+1), saysText(fmt.Sprint("done ", i)))...)
		}
		return lines
	}
	insert := func(element string) []string {
		return call("insert", `{"parent":"body","element":"`+element+`"}`, saysText("inserted"))
	}
	checkCalls(t, batchWish, []callCase{
		{name: "five issues", lines: story(listing, each("get_issue", `{"issueId":"ISS-%d"}`, 5)), want: []string{"get_issue issueId"}},
		{name: "with other arguments", lines: story(listing, each("get_issue", `{"issueId":"ISS-%d","fields":["a","b"]}`, 9)), want: []string{"get_issue issueId"}},
		{name: "a failure in between", lines: story(listing, each("get_issue", `{"issueId":"ISS-%d"}`, 4), call("get_issue", `{"issueId":"x-9"}`, saysError("no")), call("get_issue", `{"issueId":"ISS-9"}`, saysText("x"))), want: []string{"get_issue issueId"}},
		{name: "several roots are refused, and inserted one by one (W23a)", lines: story(listing,
			call("insert", `{"parent":"body","element":"<nav></nav><main></main><footer></footer>"}`, saysError("only one root element is allowed")),
			insert("<footer></footer>"), insert("<main></main>"), insert("<nav></nav>")), want: []string{"insert element"}},

		{name: "four", lines: story(listing, each("get_issue", `{"issueId":"ISS-%d"}`, 4))},
		{name: "three inserts without a refusal", lines: story(listing, insert("<a></a>"), insert("<b></b>"), insert("<i></i>"))},
		{name: "several were refused for a limit", lines: story(listing,
			call("insert", `{"parent":"body","element":"<nav></nav><main></main><footer></footer>"}`, saysError("rate limit")),
			insert("<footer></footer>"), insert("<main></main>"), insert("<nav></nav>"))},
		{name: "another tool in between", lines: story(listing, each("get_issue", `{"issueId":"ISS-%d"}`, 3), call("list", `{}`, saysText("x")), each("get_issue", `{"issueId":"ISS-1%d"}`, 3))},
		{name: "pages", lines: story(listing, each("list", `{"cursor":"c-%d"}`, 6))},
		{name: "page numbers", lines: story(listing, each("list", `{"page":%d}`, 6))},
		{name: "searches", lines: story(listing, each("list", `{"query":"shoes %d"}`, 6))},
		{name: "thoughts", lines: story(listing, each("list", `{"thought":"next %d"}`, 6))},
		{name: "two arguments differ", lines: story(listing, each("get_issue", `{"issueId":"ISS-%[1]d","n":%[1]d}`, 6))},
		{name: "the same call", lines: story(listing, each("get_issue", `{"issueId":"ISS-1"}`+"%.0d", 6))},
		{name: "failures", lines: story(listing, call("get_issue", `{"issueId":"x-1"}`, saysError("no")), call("get_issue", `{"issueId":"x-2"}`, saysError("no")), call("get_issue", `{"issueId":"x-3"}`, saysError("no")), call("get_issue", `{"issueId":"x-4"}`, saysError("no")), call("get_issue", `{"issueId":"x-5"}`, saysError("no")))},
		{name: "a tool that takes a list", lines: story(listing, each("get_issue", `{"ids":["ISS-%d"]}`, 6))},
		{name: "a twin for many", lines: story(tools(listedTool("read", hintsReadOnly, `"path":{"type":"string"}`), listedTool("read_many", hintsReadOnly, `"paths":{"type":"array"}`)), each("read", `{"path":"/a/%d.txt"}`, 6))},
	})
}
