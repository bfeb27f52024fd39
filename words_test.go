package reprise

import (
	"strings"
	"testing"
)

func TestToolNoun(t *testing.T) {
	for name, want := range map[string]string{
		"list_issues": "issue", "getIssue": "issue", "get-issue-details": "issue", "issues_list": "issue", "issue.create": "issue",
		"list_issues_by_project": "issue", "get_user_info": "user", "search_repositories": "repository", "create_entities": "entity",
		"read_text_file": "file", "git_log": "log", "issues": "issue", "list_statuses": "status", "GetHTTPRequests": "request",
		"echo": "", "run": "", "search": "", "move_to_project": "", "wait_for_change": "", "get_all": "", "list_members": "", "": "", "read_graph": "graph",
	} {
		if got := toolNoun(name, ""); got != want {
			t.Errorf("the noun of %s is %q, want %q", name, got, want)
		}
	}
}

func TestReadKey(t *testing.T) {
	for _, c := range []struct {
		key, entity, bare, inside string
		identifies, plain         bool
	}{
		{"issueId", "issue", "", "", true, false},
		{"issue_id", "issue", "", "", true, false},
		{"issueIDs", "issue", "", "", true, false},
		{"parent_issue_id", "issue", "", "", true, false},
		{"projectKey", "project", "", "", true, false},
		{"id", "", "", "", true, true},
		{"uuid", "", "", "", true, true},
		{"names", "", "", "", true, true},
		{"ownerId", "", "", "", true, false}, // a role
		{"displayName", "", "", "", false, false},
		{"html_url", "", "", "", false, false},
		{"nextCursor", "cursor", "", "cursor", true, false},
		{"next_page_token", "cursor", "", "token", true, false},
		{"cursor", "cursor", "", "cursor", true, false},
		{"issues", "", "issue", "issue", false, false},
		{"project", "", "project", "project", false, false},
		{"items", "", "", "", false, false},
		{"assignee", "", "", nobody, false, false},
		{"pull_requests", "", "pull request", "pull request", false, false},
		{"", "", "", "", false, false},
	} {
		k := readKey(c.key)
		if k.entity != c.entity || k.bare != c.bare || k.identifies != c.identifies || k.plain != c.plain || k.inside != c.inside {
			t.Errorf("%s is %+v", c.key, *k)
		}
	}
	if readKey("issueIds").norm != readKey("issue_id").norm {
		t.Error("issueIds and issue_id are not one key")
	}
}

func TestShapes(t *testing.T) {
	for word, want := range map[string]wordShape{
		"123e4567-e89b-12d3-a456-426614174000": shapeUUID, "01ARZ3NDEKTSV4RRFFQ69G5FAV": shapeULID,
		"7830302cc60ca5f4870d27a698219ea9352ba39e": shapeHex, "7830302": shapeNumber, "783030c": shapeHex, "defaced": shapeNone,
		"ABC-123": shapeTicket, "PROJ2-4": shapeTicket, "ISS-": shapeNone, "well-known": shapeNone,
		"cus_N3xY4": shapePrefix, "node-17": shapePrefix, "us-west-3": shapePrefix, "48217": shapeNumber, "2026": shapeNone,
		"https://a.example/x": shapeURL, "tracker://issues/8": shapeURL, "://x": shapeNone,
		"/srv/notes": shapePath, "~/x": shapePath, "./x": shapePath, `C:\notes\a.txt`: shapePath, "src/main.go": shapePath, "12/11/2026": shapeNone, "//": shapeNone,
		"notes.txt": shapeFile, "README.md": shapeFile, "e.g": shapeNone, "1.2.3": shapeNone, "end.Then": shapeNone,
		"ada@example.com": shapeMail, "12:30": shapeNone, "a": shapeNone, "": shapeNone,
	} {
		if got := shapeOf(word); got != want {
			t.Errorf("the shape of %q is %d, want %d", word, got, want)
		}
	}
}

func TestCommon(t *testing.T) {
	for token, want := range map[string]bool{
		"true": true, "null": true, "{}": true, "[]": true, "0": true, "1": true, "42": true, "2026": true, "10000000": true, "0.5": true, "48217": false, "-3.14159": false,
		`""`: true, `"open"`: true, `"in_progress"`: true, `"Ada"`: true, `"2026"`: true, `"2026-11-30"`: true, `"to do"`: true,
		`"ISS-7"`: false, `"hello world"`: false, `"notes.txt"`: false, `"internationalization"`: true, `"2026-11-30T10:00:00Z"`: false, `"v1.2"`: false, `"utf-8"`: true, `"1.0.0"`: true, `"7.25"`: false, `"127.0.0.1"`: true, `"12:30"`: true, `"100%"`: true, `"2026-01-01T00:00:00Z"`: true, "65536": true, `"1512085950.000216"`: false, `"harvest-notes"`: false,
	} {
		if got := common(appendToken(nil, token)); got != want {
			t.Errorf("%s is common: %v", token, got)
		}
	}
}

// TestRender is how calls are written for people.
func TestRender(t *testing.T) {
	for params, want := range map[string]string{
		`{"name":"list_issues","arguments":{"status":"open"}}`:                `list_issues({ status: 'open' })`,
		`{"name":"list_issues","arguments":{}}`:                               `list_issues({})`,
		`{"name":"list_issues"}`:                                              `list_issues()`,
		`{"name":"x","arguments":{"a":[1,true,null],"b c":{"d":"it's\nso"}}}`: `x({ a: [1, true, null], 'b c': { d: 'it\'s\nso' } })`,
	} {
		m := ReadMessages([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`))[0]
		if got := Render(&m); got != want {
			t.Errorf("%s is written %s, want %s", params, got, want)
		}
	}
	m := ReadMessages([]byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://y","_meta":{"progressToken":1}}}`))[0]
	if got, want := Render(&m), `resources/read({ uri: 'x://y' })`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNamespace: the word that all tools begin with is not what they are about.
func TestNamespace(t *testing.T) {
	for names, want := range map[string]string{"git_log git_show git_commit": "git", "git_log git_show": "", "git_log git_show list": "",
		"list_issues list_teams list_users": "", "": ""} {
		tools := tools{byName: map[string]*tool{}}
		for _, name := range strings.Fields(names) {
			tools.byName[name] = &tool{}
			tools.begins(name)
		}
		if got := tools.space(); got != want {
			t.Errorf("%s have the namespace %q, want %q", names, got, want)
		}
	}
	if got := toolNoun("git_show", "git") + toolNoun("git_commit", "git"); got != "commit" {
		t.Errorf("the nouns are %q", got)
	}
}

func TestIdentifies(t *testing.T) {
	for path, want := range map[string]bool{"issueId": true, "issue_id": true, "ids[0]": true, "filter.projectIds[2]": true, "uri": true, "cursor": true, "a.key": true, `["issue-id"]`: true, `["user-id"][3]`: true, `a["x.y"].id`: true,
		"title": false, "displayName": false, "name": false, "valid": false, "monkey": false, "grid": false, "id.text": false} {
		if got := (&Use{Path: path, JSON: `"x"`}).Identifies(); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	for value, want := range map[string]bool{`"ISS-7"`: true, `"123e4567-e89b-12d3-a456-426614174000"`: true, `"cus_N3xY4"`: true, `"tracker://issues/1"`: true,
		`"high"`: false, `"two words"`: false, `7`: false, `"Pay ISS-1 now"`: false, `"born 1815-12-10"`: false} {
		if got := (&Use{Path: "x", JSON: value}).Identifies(); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}

// FuzzTrace: whatever stands in results and arguments, nothing crashes, and all uses come after their values.
func FuzzTrace(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"issue ISS-7 at /srv/a.txt"}]}`, `{"id":"ISS-7","path":"/srv"}`)
	f.Add(`{"structuredContent":{"issues":[{"id":7,"type":"x"}]}}`, `{"issueId":[7,"7"],"a":{}}`)
	f.Add(`{"content":[{"type":"text","text":"{\"a\":[{\"b\":\"\\u00e9-1\"`, `{`)
	f.Fuzz(func(t *testing.T, result, arguments string) {
		var seqs []int64
		tracer := &Tracer{Value: func(v *Value) { seqs = append(seqs, v.Seq) }, Use: func(u *Use) {
			if u.ValueSeq >= u.Seq {
				t.Errorf("used before it was generated: %+v", u)
			}
		}}
		for seq := int64(1); seq < 6; seq += 2 {
			c := &Call{Seq: seq, Method: "tools/call", Name: "list_issues", Status: StatusOpen}
			params := `{"name":"list_issues","arguments":` + arguments + `}`
			tracer.Add(&Frame{Seq: seq}, &Message{Kind: KindRequest, Method: c.Method, Name: c.Name, Params: params}, c)
			c.Status = StatusOK
			tracer.Add(&Frame{Seq: seq + 1, Direction: ServerToClient}, &Message{Kind: KindResponse, Result: result}, c)
		}
	})
}
