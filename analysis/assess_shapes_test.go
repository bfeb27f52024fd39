package analysis

import (
	"testing"
)

// toolOf is a tool as it is listed, with the properties of its inputSchema and its annotations.
func toolOf(name, properties, annotations string) string {
	return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{` + properties + `}},"annotations":{` + annotations + `}}`
}

// TestShapesOfADefect: in whatever form a server gives an identifier, it is held against it that it does not take it back.
func TestShapesOfADefect(t *testing.T) {
	str := func(n string) string { return `"` + n + `":{"type":"string"}` }
	num := func(n string) string { return `"` + n + `":{"type":"integer"}` }
	ro := `"readOnlyHint":true`
	for name, s := range map[string]*saga{
		"numeric":               tale(toolOf("list_orders", "", ro), toolOf("get_order", num("orderId"), ro)).gives("list_orders", "{}", `{"orders":[{"id":48213}]}`).fails("get_order", `{"orderId":48213}`, "order not found"),
		"small numeric":         tale(toolOf("list_orders", "", ro), toolOf("get_order", num("id"), ro)).gives("list_orders", "{}", `{"orders":[{"id":3}]}`).fails("get_order", `{"id":3}`, "order not found"),
		"small numeric orderId": tale(toolOf("list_orders", "", ro), toolOf("get_order", num("orderId"), ro)).gives("list_orders", "{}", `{"orders":[{"id":3}]}`).fails("get_order", `{"orderId":3}`, "order not found"),
		"plain id":              tale(toolOf("list_issues", "", ro), toolOf("get_issue", str("id"), ro)).gives("list_issues", "{}", `{"issues":[{"id":"ISS-4711"}]}`).fails("get_issue", `{"id":"ISS-4711"}`, "no issue"),
		"items":                 tale(toolOf("list_issues", "", ro), toolOf("get_issue", str("issueId"), ro)).gives("list_issues", "{}", `{"items":[{"id":"ISS-4711"}]}`).fails("get_issue", the4711, "no issue"),
		"items small":           tale(toolOf("list_issues", "", ro), toolOf("get_issue", str("issueId"), ro)).gives("list_issues", "{}", `{"items":[{"id":"ISS-3"}]}`).fails("get_issue", `{"issueId":"ISS-3"}`, "no issue"),
		"array root text":       tale(toolOf("list_issues", "", ro), toolOf("get_issue", str("issueId"), ro)).exchange(asks("list_issues", "{}"), `"result":{"content":[{"type":"text","text":"[{\"id\":\"ISS-3\"}]"}]}`).fails("get_issue", `{"issueId":"ISS-3"}`, "no issue"),
		"text lines":            tale(toolOf("list_issues", "", ro), toolOf("get_issue", str("issueId"), ro)).exchange(asks("list_issues", "{}"), `"result":{"content":[{"type":"text","text":"ISS-3 [open] Crash\nISS-4 [open] Y"}]}`).fails("get_issue", `{"issueId":"ISS-3"}`, "no issue"),
		"snake":                 tale(toolOf("list_issues", "", ro), toolOf("get_issue", str("issue_id"), ro)).gives("list_issues", "{}", `{"issues":[{"issue_id":"ISS-3"}]}`).fails("get_issue", `{"issue_id":"ISS-3"}`, "no issue"),
		"kebab tools":           tale(toolOf("list-issues", "", ro), toolOf("get-issue", str("issue-id"), ro)).gives("list-issues", "{}", `{"issues":[{"id":"ISS-3"}]}`).fails("get-issue", `{"issue-id":"ISS-3"}`, "no issue"),
		"camel tools":           tale(toolOf("listIssues", "", ro), toolOf("getIssue", str("issueId"), ro)).gives("listIssues", "{}", `{"issues":[{"id":"ISS-3"}]}`).fails("getIssue", `{"issueId":"ISS-3"}`, "no issue"),
		"things":                tale(toolOf("list_things", "", ro), toolOf("get_thing", str("id"), ro)).gives("list_things", "{}", `{"items":[{"id":"PROJ-1"}]}`).fails("get_thing", `{"id":"PROJ-1"}`, "boom"),
		"name":                  tale(toolOf("list_repos", "", ro), toolOf("get_repo", str("name"), ro)).gives("list_repos", "{}", `{"repos":[{"name":"web-shop-api"}]}`).fails("get_repo", `{"name":"web-shop-api"}`, "repo not found"),
		"project key":           tale(toolOf("list_projects", "", ro), toolOf("list_issues", str("project"), ro)).gives("list_projects", "{}", `{"projects":[{"key":"WEB"}]}`).fails("list_issues", `{"project":"WEB"}`, `no project "WEB"`),
		"owner repo":            tale(toolOf("list_repos", "", ro), toolOf("get_repo", str("owner")+","+str("repo"), ro)).gives("list_repos", "{}", `{"repos":[{"name":"hello-world-1","owner":"octocat77"}]}`).fails("get_repo", `{"owner":"octocat77","repo":"hello-world-1"}`, "Not Found"),
		"issue+user":            tale(toolOf("list_issues", "", ro), toolOf("list_users", "", ro), toolOf("assign_issue", str("issueId")+","+str("userId"), "")).gives("list_issues", "{}", `{"issues":[{"id":"ISS-3"}]}`).gives("list_users", "{}", `{"users":[{"id":"USR-2"}]}`).fails("assign_issue", `{"issueId":"ISS-3","userId":"USR-2"}`, `no user "USR-2"`),
		"issue+enum":            tale(toolOf("list_issues", "", ro), toolOf("set_status", str("issueId")+`,"status":{"enum":["open","closed"]}`, "")).gives("list_issues", "{}", `{"issues":[{"id":"ISS-3"}]}`).fails("set_status", `{"issueId":"ISS-3","status":"closed"}`, `no issue "ISS-3"`),
		"enum rejected with id": tale(toolOf("list_issues", "", ro), toolOf("set_status", str("issueId")+`,"status":{"enum":["open","closed"]}`, "")).gives("list_issues", "{}", `{"issues":[{"id":"ISS-3"}]}`).errs("set_status", `{"issueId":"ISS-3","status":"closed"}`, -32602, `invalid status "closed"`),
		"limit default":         tale(toolOf("list_projects", "", ro), toolOf("list_issues", str("projectId")+`,"limit":{"type":"integer","default":10}`, ro)).gives("list_projects", "{}", `{"projects":[{"id":"PRJ-1"}]}`).fails("list_issues", `{"projectId":"PRJ-1","limit":10}`, `no project PRJ-1`),
		"create get":            tale(toolOf("create_issue", str("title"), ""), toolOf("get_issue", str("issueId"), ro)).gives("create_issue", `{"title":"A"}`, `{"issue":{"id":"ISS-9"}}`).fails("get_issue", `{"issueId":"ISS-9"}`, "no issue"),
		"create get text":       tale(toolOf("create_issue", str("title"), ""), toolOf("get_issue", str("issueId"), ro)).exchange(asks("create_issue", `{"title":"A"}`), `"result":{"content":[{"type":"text","text":"Created issue ISS-9"}]}`).fails("get_issue", `{"issueId":"ISS-9"}`, "no issue"),
		"search text":           tale(toolOf("search_issues", str("query"), ro), toolOf("get_issue", str("issueId"), ro)).exchange(asks("search_issues", `{"query":"crash"}`), `"result":{"content":[{"type":"text","text":"1 found\nISS-8 [open] Crash"}]}`).fails("get_issue", `{"issueId":"ISS-8"}`, "no issue"),
		"unannotated all":       tale(toolOf("list_issues", "", ""), toolOf("get_issue", str("issueId"), "")).gives("list_issues", "{}", `{"issues":[{"id":"ISS-3"}]}`).fails("get_issue", `{"issueId":"ISS-3"}`, "no issue"),
		"uuid":                  tale(toolOf("list_notes", "", ro), toolOf("get_note", str("note_id"), ro)).gives("list_notes", "{}", `{"notes":[{"id":"6f1c2d3e-8a4b-4c5d-9e6f-7a8b9c0d1e2f"}]}`).fails("get_note", `{"note_id":"6f1c2d3e-8a4b-4c5d-9e6f-7a8b9c0d1e2f"}`, "no such note"),
		"map":                   tale(toolOf("list_issues", "", ro), toolOf("get_issue", str("issueId"), ro)).gives("list_issues", "{}", `{"issues":{"ISS-3":{"title":"x"}}}`).fails("get_issue", `{"issueId":"ISS-3"}`, "no issue"),
		"ids list":              tale(toolOf("list_issues", "", ro), toolOf("get_issues", `"issueIds":{"type":"array","items":{"type":"string"}}`, ro)).gives("list_issues", "{}", `{"issues":[{"id":"ISS-3"},{"id":"ISS-4"}]}`).fails("get_issues", `{"issueIds":["ISS-3","ISS-4"]}`, `no issue "ISS-4"`),
		"boolean":               tale(toolOf("list_issues", "", ro), toolOf("get_issue", str("issueId")+`,"full":{"type":"boolean"}`, ro)).gives("list_issues", "{}", `{"issues":[{"id":"ISS-3"}]}`).fails("get_issue", `{"issueId":"ISS-3","full":true}`, "no issue"),
		"cursor":                tale(toolOf("list_issues", str("cursor"), ro)).gives("list_issues", "{}", `{"issues":[],"nextCursor":"abc-77"}`).errs("list_issues", `{"cursor":"abc-77"}`, -32602, "invalid cursor"),
	} {
		if c := lastCall(judge(t, s.lines...)); c.Kind != ConfirmedDefect {
			t.Errorf("%s: %s, %s, %v", name, c.Kind, c.Reason, c.Sources)
		}
	}
}
