package analysis

import (
	"testing"

	"reprise"
)

// page is a page of tools/list: cursor asks for it, next names the one behind it.
func page(cursor, next string, names ...string) []string {
	var list []string
	for _, name := range names {
		list = append(list, annotated(name, `{"readOnlyHint":true}`))
	}
	lines := tools(list...)
	if cursor != "" {
		lines[0] = `> {"id":"list","method":"tools/list","params":{"cursor":"` + cursor + `"}}`
	}
	if next != "" {
		lines[1] = lines[1][:len(lines[1])-2] + `,"nextCursor":"` + next + `"}}`
	}
	return lines
}

func TestToolNeverOffered(t *testing.T) {
	changed := []string{`< {"method":"notifications/tools/list_changed"}`}
	wait := []string{"+2s"}
	called := call("a", "{}", textResult("b"))
	asked := page("", "", "a")[:1]
	answered := page("", "", "a")[1:]
	runCases(t, "tool-never-offered", []ruleCase{
		{"the second page", story(page("", "2", "a"), called), []string{"nextCursor"}},
		{"the third page", story(page("", "2", "a"), page("2", "3", "b"), called), []string{"nextCursor"}},
		{"several times the first", story(page("", "2", "a"), page("", "2", "a"), called), []string{"nextCursor"}},
		{"a change", story(page("", "", "a"), changed, wait, called), []string{"list_changed"}},
		{"a change, half of it read", story(page("", "", "a"), changed, page("", "2", "a"), called), []string{"nextCursor"}},

		{"one page", story(page("", "", "a"), called), nil},
		{"all pages", story(page("", "2", "a"), page("2", "", "b"), called), nil},
		{"an empty cursor", story([]string{`> {"id":1,"method":"tools/list"}`, `< {"id":1,"result":{"tools":[],"nextCursor":""}}`}, called), nil},
		{"whole once", story(page("", "2", "a"), page("2", "", "b"), page("", "2", "a"), called), nil},
		{"the session ended first", page("", "2", "a"), nil},
		{"the second page failed", story(page("", "2", "a"), []string{`> {"id":2,"method":"tools/list","params":{"cursor":"2"}}`, `< {"id":2,"error":{"code":-1}}`}, called), nil},
		{"a change, listed again", story(page("", "", "a"), changed, page("", "", "a"), wait, called), nil},
		{"a change before the first list", story(changed, page("", "", "a"), wait, called), nil},
		{"a change while the list was made", story(asked, changed, answered, wait, called), nil},
		{"a change, and no time to list", story(page("", "", "a"), changed, called), nil},
		{"a change, and no call", story(page("", "", "a"), changed, wait), nil},
		{"never listed", story(called, wait, called), nil},
		{"a change, to a client that never lists", story(changed, wait, called), nil},
		{"other lists", story([]string{`> {"id":1,"method":"resources/list"}`, `< {"id":1,"result":{"resources":[],"nextCursor":"2"}}`}, called), nil},
	})
}

// TestToolNeverOfferedInDoubt has a record with a gap, and a session of a client that is no agent host.
func TestToolNeverOfferedInDoubt(t *testing.T) {
	lines := story(page("", "2", "a"), call("a", "{}", textResult("b")))
	for _, s := range []*reprise.Session{{Gaps: 1}, {LostFrames: 3}, {Purpose: reprise.PurposeVerify}} {
		if got := found(judgeAs(t, s, Options{}, lines...), "tool-never-offered"); len(got) > 0 {
			t.Errorf("%+v: %+v", s, got)
		}
	}
}

func TestDuplicateTool(t *testing.T) {
	runCases(t, "duplicate-tool", []ruleCase{
		{"on one page", page("", "", "a", "b", "a"), []string{"a"}},
		{"on two pages", story(page("", "2", "a", "b"), page("2", "", "c", "a")), []string{"a"}},
		{"spelled otherwise", tools(annotated("a", ""), annotated(`\u0061`, "")), []string{"a"}},
		{"every time", story(page("", "", "a", "a"), page("", "", "a", "a")), []string{"a"}},

		{"none", page("", "", "a", "b"), nil},
		{"listed again", story(page("", "", "a", "b"), page("", "", "a", "b")), nil},
		{"read twice, page by page", story(page("", "2", "a"), page("", "2", "a"), page("2", "", "b"), page("2", "", "b")), nil},
		{"a page asked for again", story(page("", "2", "a"), page("2", "", "b"), page("2", "", "b")), nil},
		{"in another case", page("", "", "a", "A"), nil},
	})
}
