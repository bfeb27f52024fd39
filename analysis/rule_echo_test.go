package analysis

import "testing"

func TestChangedEcho(t *testing.T) {
	listing := tools(listedTool("create_style", hintsWriting, `"name":{"type":"string"}`), listedTool("style_tool", hintsWriting, ""), listedTool("search", hintsReadOnly, ""),
		listedTool("lookup", `"title":"x"`, ""))
	made := func(arguments, result string) []string {
		return story(listing, call("create_style", arguments, givesJSON(result)))
	}
	checkCalls(t, changedEcho, []callCase{
		{name: "a class is renamed (W23c)", lines: made(`{"name":"hero"}`, `{"id":"s-1","name":"hero-1-2-3"}`), want: []string{"create_style name"}},
		{name: "in a text", lines: story(listing, call("create_style", `{"name":"hero"}`, saysText(`{"style":{"name":"hero_2"}}`))), want: []string{"create_style name"}},
		{name: "in a list", lines: made(`{"classes":["hero","btn"]}`, `{"classes":["hero-1","btn"]}`), want: []string{"create_style classes[]"}},
		{name: "a number in brackets", lines: made(`{"name":"hero"}`, `{"name":"hero (1)"}`), want: []string{"create_style name"}},
		{name: "before a file's ending", lines: made(`{"filename":"report.pdf"}`, `{"filename":"report (1).pdf"}`), want: []string{"create_style filename"}},
		{name: "another case", lines: made(`{"name":"Hero"}`, `{"name":"hero"}`), want: []string{"create_style name"}},

		{name: "kept", lines: made(`{"name":"hero"}`, `{"name":"hero"}`)},
		{name: "kept elsewhere", lines: made(`{"name":"hero"}`, `{"label":"hero","name":"hero-1"}`)},
		{name: "a warning", lines: made(`{"name":"hero"}`, `{"name":"hero-1","warnings":["hero exists"]}`)},
		{name: "a text that has both", lines: made(`{"name":"hero"}`, `{"name":"hero-1","note":"hero is there, so this is hero-1"}`)},
		{name: "a text that tells of it", lines: made(`{"name":"hero"}`, `{"name":"hero-1","message":"It was renamed"}`)},
		{name: "words beside the data", lines: story(listing, call("create_style", `{"name":"hero"}`, `"result":{"content":[{"type":"text","text":"hero was taken; made hero-1"}],"structuredContent":{"name":"hero-1"}}`))},
		{name: "another name altogether", lines: made(`{"name":"hero"}`, `{"name":"villain"}`)},
		{name: "a longer word", lines: made(`{"name":"hero"}`, `{"name":"heroes"}`)},
		{name: "a read-only tool", lines: story(listing, call("search", `{"name":"hero"}`, givesJSON(`{"name":"hero-1"}`)))},
		{name: "a tool that may be a search", lines: story(listing, call("lookup", `{"name":"hero"}`, givesJSON(`{"name":"hero-1"}`)))},
		{name: "a tool in no list", lines: call("create", `{"name":"hero"}`, givesJSON(`{"name":"hero-1"}`))},
		{name: "a failure", lines: story(listing, call("create_style", `{"name":"hero"}`, `"result":{"isError":true,"content":[],"structuredContent":{"name":"hero-1"}}`))},
		{name: "a list of all", lines: made(`{"name":"hero"}`, `{"styles":[{"name":"hero-1"},{"name":"hero-2"}]}`)},
		{name: "a path", lines: made(`{"name":"src/a"}`, `{"name":"src/a-1"}`)},
		{name: "an address", lines: made(`{"url":"http://a.example"}`, `{"url":"https://a.example/"}`)},
		{name: "a version", lines: made(`{"model":"gpt-4"}`, `{"model":"gpt-4-06"}`)},
		{name: "an e-mail", lines: made(`{"email":"Ada@example.com"}`, `{"email":"ada@example.com"}`)},
		{name: "a date", lines: made(`{"name":"2026-01"}`, `{"name":"2026-01-02"}`)},
		{name: "an enum in another case", lines: made(`{"status":"Open"}`, `{"status":"open"}`)},
		{name: "a long number, as of a version", lines: made(`{"name":"hero"}`, `{"name":"hero-20260102"}`)},
	})
}
