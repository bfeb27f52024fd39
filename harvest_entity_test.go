package reprise

import "testing"

func TestS30_ListShapedNamesRank(t *testing.T) {
	for name, want := range map[string]bool{"list_issues": true, "searchIssues": true, "git_list_branches": true, "find": true, "get_issue": false,
		"listen": false, "enlist_user": false, "": false} {
		if got := ListShaped(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestS31_AValueFitsTheParameterThatAsksForIt(t *testing.T) {
	for _, c := range []struct {
		parameter, key string
		fits           bool
	}{
		{"issueId", "id", true}, {"issueId", "issue_id", true}, {"issueIds", "ids", true}, {"id", "id", true},
		{"issueId", "name", false}, {"userName", "id", false}, {"issueKey", "id", false},
		{"project", "id", true}, {"project", "key", true}, {"project", "name", true}, {"project", "createdBy", false},
	} {
		if got := AsksKey(c.parameter, c.key); got > 0 != c.fits {
			t.Errorf("%s of %s: %d", c.parameter, c.key, got)
		}
	}
	if AsksKey("project", "id") <= AsksKey("project", "name") {
		t.Error("a name before an id")
	}
}

func TestS31_TheDeriverSaysWhatAParameterAsksFor(t *testing.T) {
	d := &Deriver{Session: &Session{}, Message: func(*Frame, *Message, *Call) {}, Call: func(*Call) {}, Value: func(*Value) {}, Use: func(*Use) {}}
	for i, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"list_issues"},{"name":"get_issue"},{"name":"list_projects"}]}}`} {
		d.Add(&Frame{Seq: int64(i + 1), Direction: Direction(i), Data: []byte(line)})
	}
	for _, c := range []struct{ tool, parameter, want string }{
		{"get_issue", "issueId", "issue"}, {"get_issue", "id", "issue"}, {"list_issues", "project", "project"}, {"list_issues", "cursor", "cursor"},
		{"get_issue", "verbose", ""}, {"fetch", "id", ""},
	} {
		if got := d.Asks(c.tool, c.parameter); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.parameter, c.tool, got, c.want)
		}
	}
}
