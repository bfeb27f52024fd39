package analysis

import "testing"

func TestPaginationIgnored(t *testing.T) {
	listing := tools(listedTool("list", hintsReadOnly, `"cursor":{"type":"string"}`), listedTool("get", hintsReadOnly, ""), listedTool("add", hintsWriting, ""))
	first := call("list", `{}`, givesJSON(`{"items":[{"id":1},{"id":2}],"nextCursor":"abc"}`))
	next := call("list", `{"cursor":"abc"}`, givesJSON(`{"items":[{"id":3}]}`))
	inText := call("list", `{}`, saysText(`{"items":[{"id":1}],"page_info":{"next_page_token":"t2"}}`))
	checkCalls(t, paginationIgnored, []callCase{
		{name: "the first page again", lines: story(listing, first, first), want: []string{"list"}},
		{name: "after a look at an item", lines: story(listing, first, call("get", `{}`, saysText("x")), first), want: []string{"list"}},
		{name: "a cursor in a text", lines: story(listing, inText, inText), want: []string{"list"}},
		{name: "resources that are never offered", lines: story(listing, []string{`> {"id":1,"method":"resources/list"}`, `< {"id":1,"result":{"resources":[],"nextCursor":"n"}}`}, first), want: []string{"resources/list"}},

		{name: "one page is enough", lines: story(listing, first)},
		{name: "followed", lines: story(listing, first, next)},
		{name: "followed at last", lines: story(listing, first, first, next)},
		{name: "another list", lines: story(listing, first, call("list", `{"label":"bug"}`, givesJSON(`{"items":[],"nextCursor":"def"}`)))},
		{name: "fetched again after a write", lines: story(listing, first, call("add", `{}`, saysText("done")), first)},
		{name: "fetched again later", lines: story(listing, first, []string{"+10m"}, first)},
		{name: "another result", lines: story(listing, first, call("list", `{}`, givesJSON(`{"items":[{"id":0},{"id":1}],"nextCursor":"abc"}`)))},
		{name: "no next page", lines: story(listing, call("list", `{}`, givesJSON(`{"items":[],"nextCursor":null}`)), call("list", `{}`, givesJSON(`{"items":[],"nextCursor":null}`)))},
		{name: "resources, followed", lines: story(listing, []string{`> {"id":1,"method":"resources/list"}`, `< {"id":1,"result":{"resources":[],"nextCursor":"n"}}`,
			`> {"id":2,"method":"resources/list","params":{"cursor":"n"}}`, `< {"id":2,"result":{"resources":[]}}`}, first)},
		{name: "resources, and the session ended", lines: story(listing, []string{`> {"id":1,"method":"resources/list"}`, `< {"id":1,"result":{"resources":[],"nextCursor":"n"}}`})},
		{name: "tools are another rule's", lines: story([]string{`> {"id":1,"method":"tools/list"}`, `< {"id":1,"result":{"tools":[],"nextCursor":"n"}}`}, first)},
	})
}

func TestPaginationDuplicates(t *testing.T) {
	listing := tools(listedTool("list", hintsReadOnly, `"cursor":{"type":"string"}`), listedTool("add", hintsWriting, ""))
	page := func(arguments, items, next string) []string {
		return call("list", arguments, givesJSON(`{"items":[`+items+`],"nextCursor":`+next+`}`))
	}
	first := page(`{"q":"x"}`, `{"id":1,"t":"a"},{"id":2,"t":"b"}`, `"c1"`)
	checkCalls(t, paginationDuplicates, []callCase{
		{name: "one item twice", lines: story(listing, first, page(`{"q":"x","cursor":"c1"}`, `{"t":"b","id":2},{"id":3,"t":"c"}`, `null`)), want: []string{"list"}},
		{name: "on the third page", lines: story(listing, first, page(`{"q":"x","cursor":"c1"}`, `{"id":3,"t":"c"}`, `"c2"`), page(`{"q":"x","cursor":"c2"}`, `{"id":1,"t":"a"}`, `null`)), want: []string{"list"}},
		{name: "a whole page again", lines: story(listing, page(`{}`, `"a","b"`, `"c1"`), page(`{"cursor":"c1"}`, `"a","b"`, `"c2"`)), want: []string{"list"}},

		{name: "three pages", lines: story(listing, first, page(`{"q":"x","cursor":"c1"}`, `{"id":3}`, `"c2"`), page(`{"q":"x","cursor":"c2"}`, `{"id":4}`, `null`))},
		{name: "two walks", lines: story(listing, first, page(`{"q":"x","cursor":"c1"}`, `{"id":3}`, `null`), first, page(`{"q":"x","cursor":"c1"}`, `{"id":3}`, `null`))},
		{name: "two lists", lines: story(listing, first, page(`{"q":"y"}`, `{"id":1,"t":"a"}`, `"c9"`))},
		{name: "the same page again", lines: story(listing, first, page(`{"q":"x","cursor":"c1"}`, `{"id":3}`, `"c2"`), page(`{"q":"x","cursor":"c1"}`, `{"id":3}`, `"c2"`))},
		{name: "a write in between", lines: story(listing, first, call("add", `{}`, saysText("x")), page(`{"q":"x","cursor":"c1"}`, `{"id":2,"t":"b"}`, `null`))},
		{name: "an item that has changed", lines: story(listing, first, page(`{"q":"x","cursor":"c1"}`, `{"id":2,"t":"new"}`, `null`))},
		{name: "lines that are alike", lines: story(listing, page(`{}`, `"ok","one","two"`, `"c1"`), page(`{"cursor":"c1"}`, `"ok","three"`, `null`))},
		{name: "an empty last page", lines: story(listing, first, page(`{"q":"x","cursor":"c1"}`, ``, `null`))},
	})
}

func TestSameListAgain(t *testing.T) {
	listing := tools(listedTool("list_issues", hintsReadOnly, ""), listedTool("get", hintsReadOnly, ""), listedTool("add", hintsWriting, ""))
	list := call("list_issues", `{"open":true}`, givesJSON(`{"issues":[{"id":1},{"id":2}]}`))
	one := call("get", `{"id":1}`, givesJSON(`{"id":1,"title":"x"}`))
	unlisted := call("find_things", `{}`, saysText("a, b"))
	checkCalls(t, sameListAgain, []callCase{
		{name: "three times", lines: story(listing, list, list, list), want: []string{"list_issues"}},
		{name: "with reads in between", lines: story(listing, list, one, list, one, list), want: []string{"list_issues"}},
		{name: "spelt otherwise", lines: story(listing, list, list, call("list_issues", `{ "open" : true }`, givesJSON(`{"issues":[{"id":1},{"id":2}]}`))), want: []string{"list_issues"}},
		{name: "of a tool that declares nothing", lines: story(unlisted, unlisted, unlisted), want: []string{"find_things"}},

		{name: "twice", lines: story(listing, list, list)},
		{name: "other arguments", lines: story(listing, list, list, call("list_issues", `{"open":false}`, givesJSON(`{"issues":[{"id":1},{"id":2}]}`)))},
		{name: "another result", lines: story(listing, list, list, call("list_issues", `{"open":true}`, givesJSON(`{"issues":[{"id":1}]}`)))},
		{name: "a write in between", lines: story(listing, list, list, call("add", `{}`, saysText("x")), list)},
		{name: "a tool that may write in between", lines: story(unlisted, unlisted, call("other", `{}`, saysText("x")), unlisted)},
		{name: "a write that failed", lines: story(listing, list, list, call("add", `{}`, saysError("x")), list)},
		{name: "no list", lines: story(listing, one, one, one)},
		{name: "waiting for jobs", lines: story(listing, call("list_issues", `{}`, givesJSON(`{"jobs":[{"id":1,"state":"running"}]}`)), call("list_issues", `{}`, givesJSON(`{"jobs":[{"id":1,"state":"running"}]}`)), call("list_issues", `{}`, givesJSON(`{"jobs":[{"id":1,"state":"running"}]}`)))},
		{name: "looked at now and then", lines: story(listing, list, []string{"+3m"}, list, []string{"+3m"}, list)},
		{name: "failures", lines: story(listing, call("list_issues", `{}`, saysError("x")), call("list_issues", `{}`, saysError("x")), call("list_issues", `{}`, saysError("x")))},
		{name: "the server tells of news", lines: story(listing, list, list, []string{`< {"method":"notifications/resources/updated","params":{"uri":"x:"}}`}, list)},
	})
}
