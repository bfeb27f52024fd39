package reprise

import (
	"fmt"
	"strings"
	"testing"
)

// oneRun is one recorded session of a server, and the results that it gives today.
type oneRun struct {
	frames []string // what crossed, by turns from the client and from the server
	uses   []*Use
	b      *Bindings
}

// recorded derives a session of tool calls: "tool arguments" and "result" by turns. The seqs are 1, 2, 3 …
func recorded(t *testing.T, turns ...string) *oneRun {
	t.Helper()
	r := &oneRun{b: NewBindings()}
	d := Deriver{Session: &Session{}, Message: func(*Frame, *Message, *Call) {}, Call: func(*Call) {},
		Value: func(v *Value) { r.b.Learn(v, nil) }, Use: func(u *Use) { kept := *u; r.b.Learn(nil, u); r.uses = append(r.uses, &kept) }}
	for i, turn := range turns {
		f := Frame{Seq: int64(i + 1), Direction: ServerToClient, Data: []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, i-1, turn))}
		if i%2 == 0 {
			tool, arguments, _ := strings.Cut(turn, " ")
			f.Direction = ClientToServer
			f.Data = []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, i, tool, arguments))
		}
		r.frames = append(r.frames, turn)
		d.Add(&f)
	}
	return r
}

// answer binds the result of a turn with the live one, and compares the two.
func (r *oneRun) answer(turn int, live string) string {
	r.b.Result(int64(turn), 0, r.frames[turn-1], live)
	return classed(CompareMessages(r.frames[turn-1], live, []string{"tools/call"}, r.b, nil))
}

// sent gives what the arguments of a turn are today: "?" in front of one that is not bound.
func (r *oneRun) sent(turn int) string {
	var all []string
	for _, u := range r.uses {
		if u.Seq == int64(turn) {
			json, bound := r.b.Live(u)
			if !bound {
				json = "?" + json
			}
			all = append(all, u.Path+"="+json)
		}
	}
	return strings.Join(all, " ")
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

func structured(json string) string { return `{"content":[],"structuredContent":` + json + `}` }

func says(text string) string {
	return `{"content":[{"type":"text","text":` + string(appendString(nil, text)) + `}]}`
}

// The ids of a chain are made anew in each run.
func TestBindChain(t *testing.T) {
	r := recorded(t, `create_issue {"title":"a"}`, structured(`{"id":"ISS-7","title":"a","url":"https://t.example/issues/ISS-7"}`),
		`get_issue {"issueId":"ISS-7"}`, structured(`{"id":"ISS-7","title":"a","note":"see ISS-7, not ISS-77"}`),
		`delete_issue {"issueId":"ISS-7"}`, says("Deleted ISS-7"))
	expect(t, "before", r.sent(3), `issueId=?"ISS-7"`)
	expect(t, "create", r.answer(2, structured(`{"id":"ISS-12","title":"a","url":"https://t.example/issues/ISS-12"}`)), "volatile")
	expect(t, "sent", r.sent(3), `issueId="ISS-12"`)
	expect(t, "get", r.answer(4, structured(`{"id":"ISS-12","title":"a","note":"see ISS-12, not ISS-77"}`)), "volatile")
	expect(t, "delete", r.answer(6, says("Deleted ISS-12")), "volatile")
	expect(t, "another one", r.answer(6, says("Deleted ISS-13")), "changed content[0].text")
	expect(t, "the recorded one", r.answer(6, says("Deleted ISS-7")), "changed content[0].text")
	expect(t, "another title", r.answer(4, structured(`{"id":"ISS-12","title":"b","note":"see ISS-12, not ISS-77"}`)), "changed structuredContent.title")
}

// A distinctive id is bound out of a text.
func TestBindText(t *testing.T) {
	r := recorded(t, `create_issue {"title":"a"}`, says("Created ISS-7 at 10:00:01\nSee https://t.example/ISS-7."), `get_issue {"issueId":"ISS-7"}`, says("ISS-7: a"))
	expect(t, "create", r.answer(2, says("Created ISS-12 at 10:00:01\nSee https://t.example/ISS-12.")), "volatile")
	expect(t, "sent", r.sent(3), `issueId="ISS-12"`)
	expect(t, "get", r.answer(4, says("ISS-12: b")), "changed content[0].text")

	r = recorded(t, `create_issue {"title":"a"}`, says("Created ISS-7 at 10:00:01"), `get_issue {"issueId":"ISS-7"}`, says("ISS-7: a"))
	expect(t, "another time", r.answer(2, says("Created ISS-12 at 10:00:02")), "changed content[0].text")
	expect(t, "sent all the same", r.sent(3), `issueId="ISS-12"`)

	r = recorded(t, `create_issue {"title":"a"}`, says("Created ISS-7"), `get_issue {"issueId":"ISS-7"}`, says("ISS-7: a"))
	expect(t, "a failure", r.answer(2, says("Created nothing")), "changed content[0].text")
	expect(t, "nothing to send", r.sent(3), `issueId=?"ISS-7"`)
}

// A common id is bound where it was generated, for its entity only.
func TestBindCommon(t *testing.T) {
	r := recorded(t, `create_issue {"title":"a"}`, structured(`{"issue":{"id":7},"project":{"id":7},"count":7}`),
		`get_issue {"issueId":7}`, structured(`{"issue":{"id":7,"votes":3}}`),
		`get_project {"projectId":7}`, structured(`{"project":{"id":7}}`))
	expect(t, "create", r.answer(2, structured(`{"issue":{"id":12},"project":{"id":9},"count":7}`)), "volatile")
	expect(t, "issue", r.sent(3), `issueId=12`)
	expect(t, "project", r.sent(5), `projectId=9`)
	expect(t, "get", r.answer(4, structured(`{"issue":{"id":12,"votes":3}}`)), "volatile")
	expect(t, "not that one", r.answer(4, structured(`{"issue":{"id":13,"votes":3}}`)), "changed structuredContent.issue.id")
	expect(t, "votes", r.answer(4, structured(`{"issue":{"id":12,"votes":4}}`)), "changed structuredContent.issue.votes")

	r = recorded(t, `create_issue {"title":"a"}`, says("Created issue #42, 3 votes"), `get_issue {"issueId":42}`, says("Issue #42 has 42 votes"))
	expect(t, "create", r.answer(2, says("Created issue #57, 3 votes")), "volatile")
	expect(t, "sent", r.sent(3), `issueId=57`)
	expect(t, "get", r.answer(4, says("Issue #57 has 42 votes")), "volatile")
	expect(t, "not the votes", r.answer(4, says("Issue #57 has 57 votes")), "changed content[0].text")
}

// Two identifiers of the capture are not one today.
func TestBindApart(t *testing.T) {
	r := recorded(t, `list_issues {}`, structured(`{"issues":[{"id":"ISS-7"},{"id":"ISS-8"}]}`),
		`get_issue {"issueId":"ISS-7"}`, structured(`{}`), `get_issue {"issueId":"ISS-8"}`, structured(`{}`))
	expect(t, "one for two", r.answer(2, structured(`{"issues":[{"id":"ISS-12"},{"id":"ISS-12"}]}`)), "changed structuredContent.issues[1].id")
	expect(t, "sent", r.sent(5), `issueId=?"ISS-8"`)
}

// What is there unchanged is itself, wherever in the list it stands.
func TestBindIdentity(t *testing.T) {
	r := recorded(t, `list_issues {}`, structured(`{"issues":[{"id":"ISS-7"},{"id":"ISS-8"}]}`),
		`get_issue {"issueId":"ISS-7"}`, structured(`{}`), `get_issue {"issueId":"ISS-8"}`, structured(`{}`))
	expect(t, "another order", r.answer(2, structured(`{"issues":[{"id":"ISS-8"},{"id":"ISS-7"}]}`)), "changed structuredContent.issues[0].id structuredContent.issues[1].id")
	expect(t, "sent", r.sent(3), `issueId="ISS-7"`)

	r = recorded(t, `create_issue {"title":"a"}`, structured(`{"id":"ISS-7","after":"ISS-6"}`),
		`get_issue {"issueId":"ISS-7"}`, structured(`{}`), `get_issue {"issueId":"ISS-6"}`, structured(`{}`))
	expect(t, "the next run", r.answer(2, structured(`{"id":"ISS-8","after":"ISS-7"}`)), "volatile")
	expect(t, "sent", r.sent(3)+" "+r.sent(5), `issueId="ISS-8" issueId="ISS-7"`)
}

// One more element leaves the others what they are.
func TestBindLonger(t *testing.T) {
	r := recorded(t, `create_issue {"title":"c"}`, structured(`{"id":"ISS-7"}`),
		`get_issue {"issueId":"ISS-7"}`, structured(`{}`),
		`list_issues {}`, structured(`{"issues":[{"id":"ISS-1","title":"a"},{"id":"ISS-7","title":"c"}]}`))
	expect(t, "create", r.answer(2, structured(`{"id":"ISS-12"}`)), "volatile")
	expect(t, "list", r.answer(6, structured(`{"issues":[{"id":"ISS-1","title":"a"},{"id":"ISS-7","title":"b"},{"id":"ISS-12","title":"c"}]}`)),
		"changed structuredContent.issues[1]")
}

// Arguments that were made of values are made of what those are today.
func TestBindDerived(t *testing.T) {
	r := recorded(t, `create_page {"title":"a"}`, structured(`{"page":{"id":48217},"html_url":"https://w.example/pages/48217","commit":"3f2a91c04d5e6f708192a3b4c5d6e7f801234567","repo":"acme-web-7"}`),
		`get_page {"pageId":"48217"}`, structured(`{}`),
		`show_commit {"sha":"3f2a91c"}`, structured(`{}`),
		`read_file {"path":"acme-web-7/48217"}`, structured(`{}`))
	expect(t, "before", r.sent(7), `path=?"acme-web-7/48217"`)
	expect(t, "create", r.answer(2, structured(`{"page":{"id":51000},"html_url":"https://w.example/pages/51000","commit":"aa2a91c04d5e6f708192a3b4c5d6e7f801234567","repo":"acme-web-9"}`)), "volatile")
	expect(t, "retyped", r.sent(3), `pageId="51000"`)
	expect(t, "cut", r.sent(5), `sha="aa2a91c"`)
	expect(t, "composed", r.sent(7), `path="acme-web-9/51000"`)
}

// A text that a later result shows, and that is an identifier from then on, may have been put together before.
func TestBindComposedBeforeItIsShown(t *testing.T) {
	listing := `{"content":[{"type":"text","text":"Allowed directories:\n/srv/world-1"}]}`
	r := recorded(t, `list_allowed_directories {}`, listing, `list_directory {"path":"/srv/world-1"}`, `{"content":[{"type":"text","text":"[FILE] note.txt"}]}`,
		`read_file {"path":"/srv/world-1/note.txt"}`, structured(`{}`), `search_files {"pattern":"*.txt"}`, `{"content":[{"type":"text","text":"/srv/world-1/note.txt"}]}`,
		`get_file_info {"path":"/srv/world-1/note.txt"}`, structured(`{}`))
	expect(t, "before", r.sent(5), `path=?"/srv/world-1/note.txt"`)
	expect(t, "directories", r.answer(2, strings.ReplaceAll(listing, "world-1", "world-2")), "volatile")
	expect(t, "listing", r.answer(4, `{"content":[{"type":"text","text":"[FILE] note.txt"}]}`), "equal")
	expect(t, "composed", r.sent(5), `path="/srv/world-2/note.txt"`)
	expect(t, "not shown yet", r.sent(9), `path=?"/srv/world-1/note.txt"`)
	expect(t, "search", r.answer(8, `{"content":[{"type":"text","text":"/srv/world-2/note.txt"}]}`), "volatile")
	expect(t, "harvested", r.sent(9), `path="/srv/world-2/note.txt"`)
}

// What a result repeats of the client's own is compared, and so is a status.
func TestBindNot(t *testing.T) {
	r := recorded(t, `get_issue {"issueId":"ISS-7"}`, structured(`{"id":"ISS-7","status":"open","done":false}`),
		`update_issue {"issueId":"ISS-7","status":"open","done":false}`, structured(`{}`))
	expect(t, "get", r.answer(2, structured(`{"id":"ISS-8","status":"closed","done":true}`)),
		"changed structuredContent.id structuredContent.status structuredContent.done")
	expect(t, "sent", r.sent(3), `issueId="ISS-7" status="open" done=false`)
}

// The names of members are identifiers too.
func TestBindNames(t *testing.T) {
	r := recorded(t, `list_issues {}`, structured(`{"issues":{"ISS-7":{"title":"a"}}}`), `get_issue {"issueId":"ISS-7"}`, structured(`{"ISS-7":1}`))
	expect(t, "list", r.answer(2, structured(`{"issues":{"ISS-12":{"title":"a"}}}`)), "volatile")
	expect(t, "sent", r.sent(3), `issueId="ISS-12"`)
	expect(t, "get", r.answer(4, structured(`{"ISS-7":1}`)), "changed structuredContent[\"ISS-7\"] structuredContent[\"ISS-7\"]")
}

// A placeholder stands for one secret.
func TestBindPlaceholder(t *testing.T) {
	r := recorded(t, `login {}`, structured(`{"token":"«redacted:token:1»","note":"Bearer «redacted:token:1»!"}`), `whoami {}`, structured(`{"token":"«redacted:token:1»"}`))
	expect(t, "login", r.answer(2, structured(`{"token":"abc def","note":"Bearer abc def!"}`)), "volatile")
	expect(t, "another one", r.answer(4, structured(`{"token":"other"}`)), "changed structuredContent.token")
}

func TestTranslate(t *testing.T) {
	r := recorded(t, `create_issue {}`, structured(`{"id":"ISS-7","child":"ISS-7-1"}`), `link {"a":"ISS-7","b":"ISS-7-1"}`, structured(`{}`))
	r.answer(2, structured(`{"id":"ISS-12","child":"ISS-9"}`))
	expect(t, "text", r.b.Translate("ISS-7, ISS-77, xISS-7, (ISS-7-1) and ISS-7."), "ISS-12, ISS-77, xISS-7, (ISS-9) and ISS-12.")
}
