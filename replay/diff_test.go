package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// talk writes a session by hand: calls and their results, "tool arguments" and "result" by turns.
func talk(turns ...string) *reprise.Capture {
	var text strings.Builder
	text.WriteString(hello)
	for i := 0; i+1 < len(turns); i += 2 {
		tool, arguments, _ := strings.Cut(turns[i], " ")
		fmt.Fprintf(&text, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":%q,\"arguments\":%s}}\n", i+1, tool, arguments)
		fmt.Fprintf(&text, "< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[],\"structuredContent\":%s}}\n", i+1, turns[i+1])
	}
	return made(reprise.EndedByClient, text.String())
}

// rowsOf writes differences as lines.
func rowsOf(d *Diffs) string {
	var b strings.Builder
	for _, x := range d.Handshake {
		fmt.Fprintf(&b, "handshake %s %s %s\n", x.Path, x.Recorded, x.Live)
	}
	for _, c := range d.Calls {
		call := c.A
		if call == nil {
			call = c.B
		}
		if isHandshake(call.Method) && c.Class == reprise.ClassEqual {
			continue
		}
		fmt.Fprintf(&b, "%s %s", c.Class, call.Rendered)
		for _, x := range slices.Concat(c.Arguments, c.Changed) {
			fmt.Fprintf(&b, " %s %s %s", x.Path, x.Recorded, x.Live)
		}
		b.WriteString("\n")
	}
	if d.Repeated > 0 {
		fmt.Fprintf(&b, "repeated %d\n", d.Repeated)
	}
	return b.String()
}

func expectDiff(t *testing.T, a, b *reprise.Capture, want string) {
	t.Helper()
	if got := rowsOf(Diff(a, b, nil)); strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Two recordings of one chain, with other ids and in another order.
func TestDiffChain(t *testing.T) {
	a := talk(`create_issue {"title":"a"}`, `{"id":"ISS-7","title":"a"}`, `get_issue {"issueId":"ISS-7"}`, `{"id":"ISS-7","title":"a"}`,
		`get_issue {"issueId":"ISS-1"}`, `{"id":"ISS-1","title":"b"}`, `delete_issue {"issueId":"ISS-7"}`, `{"deleted":"ISS-7"}`)
	b := talk(`get_issue {"issueId":"ISS-1"}`, `{"id":"ISS-1","title":"c"}`, `create_issue {"title":"a"}`, `{"id":"ISS-12","title":"a"}`,
		`get_issue {"issueId":"ISS-12"}`, `{"id":"ISS-12","title":"a"}`, `delete_issue {"issueId":"ISS-12"}`, `{"deleted":"ISS-12"}`)
	expectDiff(t, a, b, `
volatile create_issue({ title: 'a' })
volatile get_issue({ issueId: 'ISS-7' })
changed get_issue({ issueId: 'ISS-1' }) structuredContent.title "b" "c"
volatile delete_issue({ issueId: 'ISS-7' })`)
}

// What does not go together by its arguments does by its name, and still brings the ids of the rest.
func TestDiffArguments(t *testing.T) {
	a := talk(`create_issue {"title":"a"}`, `{"id":"ISS-7"}`, `get_issue {"issueId":"ISS-7"}`, `{"id":"ISS-7"}`)
	b := talk(`create_issue {"title":"b"}`, `{"id":"ISS-12"}`, `get_issue {"issueId":"ISS-99"}`, `{"id":"ISS-99"}`, `get_issue {"issueId":"ISS-12"}`, `{"id":"ISS-12"}`)
	expectDiff(t, a, b, `
changed create_issue({ title: 'a' }) arguments.title "a" "b"
extra get_issue({ issueId: 'ISS-99' })
volatile get_issue({ issueId: 'ISS-7' })`)
}

func TestDiffMissing(t *testing.T) {
	a := talk(`a {}`, `{}`, `b {}`, `{}`, `a {}`, `{"n":1}`)
	b := talk(`c {}`, `{}`, `a {}`, `{}`, `d {}`, `{}`)
	expectDiff(t, a, b, `
extra c({})
equal a({})
extra d({})
missing b({})
missing a({})`)
}

// A client that asks for a list once more, or that has another version, changes nothing.
func TestDiffClients(t *testing.T) {
	list := `
> {"jsonrpc":"2.0","id":5,"method":"tools/list"}
< {"jsonrpc":"2.0","id":5,"result":{"tools":[{"name":"a"}],"nextCursor":"x1"}}
> {"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"cursor":"x1"}}
< {"jsonrpc":"2.0","id":6,"result":{"tools":[{"name":"b"}]}}
`
	a := made(reprise.EndedByClient, hello+list)
	b := made(reprise.EndedByClient, strings.Replace(hello, `"version":"1"`, `"version":"2"`, 1)+strings.ReplaceAll(list, "x1", "y9")+strings.ReplaceAll(list, "x1", "y9"))
	expectDiff(t, a, b, `
handshake params.clientInfo.version "1" "2"
volatile tools/list()
equal tools/list({ cursor: 'x1' })
repeated 2`)
}

func TestDiffFailures(t *testing.T) {
	ok := `< {"jsonrpc":"2.0","id":5,"result":{"content":[]}}`
	ask := hello + `
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a"}}
`
	failed := `< {"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"x"}}`
	expectDiff(t, made(reprise.EndedByClient, ask+ok), made(reprise.EndedByClient, ask+failed),
		`changed a()  {"content":[]} {"code":-32603,"message":"x"}`)
	expectDiff(t, made(reprise.EndedByClient, ask+ok), made(reprise.EndedByClient, ask), `changed a()  {"content":[]}`)
	expectDiff(t, made(reprise.EndedByClient, ask), made(reprise.EndedByClient, ask), `equal a()`)
}

// What the server asks is compared too, and so are the answers.
func TestDiffQuestions(t *testing.T) {
	text := hello + `
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a"}}
< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"really?","requestedSchema":{}}}
> {"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}
< {"jsonrpc":"2.0","id":5,"result":{"content":[]}}
`
	a, b := made(reprise.EndedByClient, text), made(reprise.EndedByClient, strings.NewReplacer("really?", "are you sure?", "accept", "decline").Replace(text))
	got := rowsOf(Diff(a, b, nil))
	if !strings.Contains(got, `message "really?" "are you sure?" action "accept" "decline"`) {
		t.Errorf("got %s", got)
	}
}

func TestDiffIgnores(t *testing.T) {
	var g reprise.Ignore
	if err := g.Load(strings.NewReader("a:since\n at # of all")); err != nil {
		t.Fatal(err)
	}
	a, b := talk(`a {"since":1}`, `{"at":1}`, `b {"since":1}`, `{}`), talk(`a {"since":2}`, `{"at":2}`, `b {"since":2}`, `{}`)
	d := Diff(a, b, &g)
	if got := rowsOf(d); !strings.Contains(got, "equal a({ since: 1 })\nchanged b({ since: 1 }) arguments.since 1 2") || len(g.Unused()) > 0 {
		t.Errorf("got %s, unused %v", got, g.Unused())
	}
}

// The same capture is the same, whatever is in it.
func TestDiffSelf(t *testing.T) {
	captures := map[string]*reprise.Capture{}
	for _, version := range eras {
		captures[version] = tour(t, version, always("2026-05-01T10:00:00Z"))
	}
	for _, name := range fixtures.Names() {
		captures[name] = captured(t, name)
	}
	for name, c := range captures {
		d := Diff(c, c, nil)
		if !d.Same() || d.Count(reprise.ClassVolatile) > 0 || len(d.Handshake)+d.Repeated > 0 {
			t.Errorf("%s differs from itself:\n%.2000s", name, rowsOf(d))
		}
	}
}

// Two visits to a tracker differ in what its clock says, and nothing else.
func TestDiffTours(t *testing.T) {
	for _, version := range eras {
		a, b := tour(t, version, always("2026-05-01T10:00:00Z")), tour(t, version, always("2026-05-01T10:00:00Z"))
		if d := Diff(a, b, nil); !d.Same() {
			t.Errorf("%s:\n%s", version, rowsOf(d))
		}
	}
}

// A long session costs what it is long.
func TestDiffLong(t *testing.T) {
	var a, b []string
	for i := range 20_000 {
		a = append(a, fmt.Sprintf(`create {"n":%d}`, i), fmt.Sprintf(`{"id":"ISS-%d"}`, i), fmt.Sprintf(`get {"id":"ISS-%d"}`, i), `{}`)
		b = append(b, fmt.Sprintf(`create {"n":%d}`, i), fmt.Sprintf(`{"id":"ISS-%d"}`, 90_000+i), fmt.Sprintf(`get {"id":"ISS-%d"}`, 90_000+i), `{}`)
	}
	began := time.Now()
	if d := Diff(talk(a...), talk(b...), nil); !d.Same() || d.Count(reprise.ClassVolatile) != 40_000 {
		t.Errorf("%d volatile calls", d.Count(reprise.ClassVolatile))
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
}
