package analysis

import (
	"testing"

	"reprise"
)

func TestInventedIdentifier(t *testing.T) {
	listing := tools(listedTool("get_issue", hintsReadOnly, `"issueId":{"type":"string"}`), listedTool("list_issues", hintsReadOnly, ""))
	list := call("list_issues", `{}`, givesJSON(`{"issues":[{"issueId":"ISS-1"},{"issueId":"ISS-2"}]}`))
	checkCalls(t, inventedIdentifier, []callCase{
		{name: "an id from nowhere is not there", lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, saysError(`no such issue "ISS-404"`))), want: []string{"get_issue issueId"}},
		{name: "the failure means the only argument", lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, saysError("not found"))), want: []string{"get_issue issueId"}},
		{name: "an error of the protocol", lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, refusesWith(-32602, "unknown issue"))), want: []string{"get_issue issueId"}},
		{name: "several of one list are one place", lines: story(listing, call("get_issues", `{"issueIds":["ISS-8","ISS-9"]}`, saysError("ISS-8 and ISS-9 do not exist"))), want: []string{"get_issues issueIds[]"}},

		{name: "it succeeds", lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, saysText("here")))},
		{name: "a result gave it", lines: story(listing, list, call("get_issue", `{"issueId":"ISS-2"}`, saysError(`no such issue "ISS-2"`)))},
		{name: "an error told it", lines: story(listing, call("get_issue", `{"issueId":"x"}`, saysError("internal")), call("list_issues", `{}`, saysError("see ISS-77")), call("get_issue", `{"issueId":"ISS-77"}`, saysError("ISS-77 not found")))},
		{name: "the description quotes it", lines: story(tools(`{"name":"get_issue","description":"such as \"ISS-5\"","inputSchema":{"type":"object","properties":{"issueId":{"type":"string"}}}}`),
			call("get_issue", `{"issueId":"ISS-5"}`, saysError("ISS-5 not found")))},
		{name: "a limit", lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, saysError("Too many requests, ISS-404 not found in cache")))},
		{name: "a permission", lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, saysError("not found, or permission denied: ISS-404")))},
		{name: "a failure of another kind", lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, saysError("something broke")))},
		{name: "another argument is meant", lines: story(listing, call("get_issue", `{"issueId":"ISS-404","format":"pdf"}`, saysError("unknown format")))},
		{name: "an address of the user's", lines: story(listing, call("fetch", `{"url":"https://example.com/x"}`, saysError("404 not found: https://example.com/x")))},
		{name: "a number out of bounds", lines: story(listing, call("get_issue", `{"issueId":0}`, saysError("invalid issueId: 0")))},
		{name: "no identifier", lines: story(listing, call("search", `{"query":"shoes"}`, saysError("shoes not found")))},
		{name: "the tool is not there", lines: story(listing, call("get_isue", `{"issueId":"ISS-404"}`, refusesWith(-32602, "Unknown tool: get_isue")))},
		{name: "the server went away", lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, saysText("x"))[:1]), session: &reprise.Session{Ending: reprise.EndedByServer}},
		{name: "the record has gaps", session: &reprise.Session{Server: "tracker", Gaps: 1}, lines: story(listing, call("get_issue", `{"issueId":"ISS-404"}`, saysError(`no such issue "ISS-404"`)))},
		{name: "masked", lines: story(listing, call("get_issue", `{"issueId":"«redacted:secret:1»"}`, saysError("not found")))},
	})
}

func TestCrossEntity(t *testing.T) {
	listing := tools(listedTool("list_teams", hintsReadOnly, ""), listedTool("get_project", hintsReadOnly, `"projectId":{"type":"string"}`),
		listedTool("get_team", hintsReadOnly, `"teamId":{"type":"string"}`), listedTool("delete_team", hintsWriting, `"teamId":{"type":"string"}`))
	teams := call("list_teams", `{}`, givesJSON(`{"teams":[{"id":"T-100","name":"red"},{"id":"T-200","name":"blue"}]}`))
	checkCalls(t, crossEntity, []callCase{
		{name: "the id of a team is none of a project", lines: story(listing, teams, call("get_project", `{"projectId":"T-100"}`, saysError("project not found: T-100"))), want: []string{"get_project projectId"}},
		{name: "the only argument", lines: story(listing, teams, call("get_project", `{"projectId":"T-100"}`, saysError("404 not found"))), want: []string{"get_project projectId"}},

		{name: "it succeeds", lines: story(listing, teams, call("get_project", `{"projectId":"T-100"}`, saysText("a project")))},
		{name: "the id of a team", lines: story(listing, teams, call("get_team", `{"teamId":"T-100"}`, saysError("team not found: T-100")))},
		{name: "from nowhere", lines: story(listing, teams, call("get_project", `{"projectId":"T-999"}`, saysError("project not found: T-999")))},
		{name: "a limit", lines: story(listing, teams, call("get_project", `{"projectId":"T-100"}`, saysError("rate limit: T-100 not found")))},
		{name: "another failure", lines: story(listing, teams, call("get_project", `{"projectId":"T-100"}`, saysError("internal error")))},
		{name: "gone since", lines: story(listing, teams, call("delete_team", `{"teamId":"T-100"}`, saysText("gone")), call("get_project", `{"projectId":"T-100"}`, saysError("project not found: T-100")))},
		{name: "a short number", lines: story(listing, call("list_teams", `{}`, givesJSON(`{"teams":[{"id":7}]}`)), call("get_project", `{"projectId":7}`, saysError("project 7 not found")))},
	})
}
