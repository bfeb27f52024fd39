package reprise

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// captured makes a capture of lines: ">" from the client, "<" from the server.
func captured(t testing.TB, lines ...string) *Capture {
	t.Helper()
	c := &Capture{Header: &CaptureHeader{}}
	for i, line := range lines {
		dir := ClientToServer
		if line[0] == '<' {
			dir = ServerToClient
		}
		data := []byte(line[1:])
		c.Items = append(c.Items, CaptureItem{Frame: &Frame{Seq: int64(i + 1), Direction: dir, Data: data, EOL: "\n", Size: int64(len(data))}})
	}
	return c
}

// asks and answers are a page of a list.
func asks(id int, method, cursor string) string {
	if cursor != "" {
		cursor = `,"params":{"cursor":` + cursor + `}`
	}
	return fmt.Sprintf(`>{"jsonrpc":"2.0","id":%d,"method":%q%s}`, id, method, cursor)
}

func answers(id int, next string, names ...string) string {
	var tools []string
	for _, name := range names {
		tools = append(tools, `{"name":"`+name+`"}`)
	}
	if next != "" {
		next = `,"nextCursor":` + next
	}
	return fmt.Sprintf(`<{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]%s}}`, id, strings.Join(tools, ","), next)
}

func TestSurfaceLists(t *testing.T) {
	const list = "tools/list"
	for name, c := range map[string]struct {
		lines        []string
		want         string
		asked, whole bool
	}{
		"never asked":       {nil, "", false, false},
		"no answer":         {[]string{asks(1, list, "")}, "", false, false},
		"one page":          {[]string{asks(1, list, ""), answers(1, "", "a", "b")}, "a b", true, true},
		"empty":             {[]string{asks(1, list, ""), answers(1, "")}, "", true, true},
		"null is no cursor": {[]string{asks(1, list, "null"), answers(1, "null", "a")}, "a", true, true},
		"pages": {[]string{asks(1, list, ""), answers(1, `"x"`, "a"), asks(2, list, `"x"`), answers(2, `"y"`, "b"),
			asks(3, list, `"y"`), answers(3, "", "c")}, "a b c", true, true},
		"left in the middle":    {[]string{asks(1, list, ""), answers(1, `"x"`, "a")}, "a", true, false},
		"begun before":          {[]string{asks(1, list, `"x"`), answers(1, "", "b")}, "b", true, false},
		"empty cursor ends":     {[]string{asks(1, list, ""), answers(1, `""`, "a")}, "a", true, true},
		"empty cursor followed": {[]string{asks(1, list, ""), answers(1, `""`, "a"), asks(2, list, `""`), answers(2, "", "b")}, "a b", true, true},
		"the latest counts":     {[]string{asks(1, list, ""), answers(1, "", "a"), asks(2, list, ""), answers(2, "", "b")}, "b", true, true},
		"the latest whole one counts": {[]string{asks(1, list, ""), answers(1, "", "a"), asks(2, list, ""), answers(2, `"x"`, "b")},
			"a", true, true},
		"walked twice at once": {[]string{asks(1, list, ""), asks(2, list, ""), answers(1, `"x"`, "a"), answers(2, `"x"`, "a"),
			asks(3, list, `"x"`), answers(3, "", "b"), asks(4, list, `"x"`), answers(4, "", "b")}, "a b", true, true},
		"a ring of cursors": {[]string{asks(1, list, ""), answers(1, `"x"`, "a"), asks(2, list, `"x"`), answers(2, `"x"`, "b"),
			asks(3, list, `"x"`), answers(3, `"x"`, "b")}, "a b", true, false},
		"twice, and the same": {[]string{asks(1, list, ""), answers(1, "", "a", "b", "a")}, "a b", true, true},
		"of one name, and other": {[]string{asks(1, list, ""), `<{"id":1,"result":{"tools":[{"name":"a","n":1},{"name":"b"},{"name":"a","n":2}]}}`},
			"a b a", true, true},
		"no such method":      {[]string{asks(1, list, ""), `<{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`}, "", true, true},
		"another error":       {[]string{asks(1, list, ""), `<{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`}, "", false, false},
		"content withheld":    {[]string{asks(1, list, ""), `<{"jsonrpc":"2.0","id":1,"result":{}}`}, "", false, false},
		"asked by the server": {[]string{`<{"id":1,"method":"tools/list"}`, `>{"id":1,"result":{"tools":[{"name":"a"}]}}`}, "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := SurfaceOf(captured(t, c.lines...)).Tools
			var names []string
			for _, e := range l.Entries {
				names = append(names, e.Name)
			}
			if got := strings.Join(names, " "); got != c.want || l.Asked != c.asked || l.Whole != c.whole {
				t.Errorf("%q asked=%v whole=%v, want %q %v %v", got, l.Asked, l.Whole, c.want, c.asked, c.whole)
			}
		})
	}
}

func TestSurfaceGreeting(t *testing.T) {
	s := SurfaceOf(captured(t,
		`>{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
		`<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x"},"instructions":"Be kind."}}`,
		`>{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, `<{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"a:b","name":"n"}]}}`,
		`>{"jsonrpc":"2.0","id":2,"method":"resources/templates/list"}`, `<{"jsonrpc":"2.0","id":2,"result":{"resourceTemplates":[{"uriTemplate":"a:{b}"}]}}`,
		`>{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`, `<{"jsonrpc":"2.0","id":3,"result":{"prompts":[{"name":"p"}]}}`))
	got := fmt.Sprint(s.Greeted, s.Protocol, s.Server, s.Instructions, s.Capabilities, s.Resources.Entries, s.Templates.Entries, s.Prompts.Entries)
	want := `true"2025-06-18"{"name":"x"}"Be kind."{"tools":{}}[{a:b {"uri":"a:b","name":"n"}}] [{a:{b} {"uriTemplate":"a:{b}"}}] [{p {"name":"p"}}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	modern := SurfaceOf(captured(t,
		`>{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`<{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"y"}}}}`))
	if !modern.Greeted || modern.Protocol != `"2026-07-28"` || modern.Server != `{"name":"y"}` {
		t.Errorf("%+v", modern)
	}
	unseen := SurfaceOf(captured(t, asks(1, "tools/list", ""),
		`<{"id":1,"result":{"tools":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"y"}}}}`))
	if unseen.Greeted || unseen.Server != `{"name":"y"}` {
		t.Errorf("%+v", unseen)
	}
}

// TestContract: a contract read back shows no drift, and its text depends on nothing but the surface.
func TestContract(t *testing.T) {
	s := offering(t, `{"name":"b","description":"…"},{"inputSchema":{"type":"object","required":[ "x" ]},"name":"a"}`)
	s.Greeted, s.Capabilities, s.Instructions, s.Server = true, `{"tools":{"listChanged":true}}`, `"Hi"`, `{"version":"1.0","name":"n"}`
	s.Prompts = Listing{Asked: true}
	text := contractText(t, s)
	want := `{
  "reprise": "contract",
  "version": 1,
  "server": {
    "name": "n",
    "version": "1.0"
  },
  "instructions": "Hi",
  "capabilities": {
    "tools": {
      "listChanged": true
    }
  },
  "partial": [
    "prompts"
  ],
  "tools": [
    {
      "name": "a",
      "inputSchema": {
        "required": [
          "x"
        ],
        "type": "object"
      }
    },
    {
      "name": "b",
      "description": "…"
    }
  ],
  "prompts": []
}
`
	if text != want {
		t.Errorf("got\n%s", text)
	}
	shuffled := *s
	shuffled.Tools.Entries = slices.Clone(s.Tools.Entries)
	slices.Reverse(shuffled.Tools.Entries)
	if contractText(t, &shuffled) != text {
		t.Error("the order of the server's list shows")
	}
	read, err := ReadContract(strings.NewReader("\ufeff" + text))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range append(Drift(s, read.Surface), Drift(read.Surface, s)...) {
		t.Errorf("drift: %+v", d)
	}
	if read.Surface.Prompts.Whole || !read.Surface.Tools.Whole || read.Surface.Resources.Asked {
		t.Errorf("what is known is lost: %+v", read.Surface)
	}
	if again := contractText(t, read.Surface); again != text {
		t.Errorf("written again:\n%s", again)
	}
}

func contractText(t testing.TB, s *Surface) string {
	t.Helper()
	b, err := (&Contract{Surface: s}).Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestReadContractRefuses: what is broken, foreign or from the future is said so.
func TestReadContractRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     "no contract",
		`{"reprise":"capture","version":1}`:    "no contract",
		`[]`:                                   "no contract",
		`{}`:                                   "no contract",
		`{"reprise":"contract"}`:               "no format version",
		`{"reprise":"contract","version":"1"}`: "no format version",
		`{"reprise":"contract","version":2,"tools":7}`:                           "format version 2: made by a newer Reprise",
		`{"reprise":"contract","version":1,"tools":{}}`:                          "tools is no list",
		`{"reprise":"contract","version":1,"tools":[7]}`:                         "no object",
		`{"reprise":"contract","version":1,"tools":[{"name":"a"},{"name":"a"}]}`: "twice",
		"{\"reprise\":\"contract\",\n<<<<<<< HEAD\n\"version\":1}":               "line 2",
		`{"reprise":"contract","version":1} {}`:                                  "after top-level value",
		`{"reprise":"contract","version":1,"tools":[`:                            "unexpected end",
		`{"reprise":"contract","version":1,"x":` + strings.Repeat("[", 5000):     "deeper",
	} {
		_, err := ReadContract(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want …%s…", text, err, want)
		}
	}
	if _, err := ReadContract(strings.NewReader(`{"reprise":"contract","version":9}`)); !errors.Is(err, ErrNewerContract) {
		t.Error(err)
	}
	if _, err := ReadContract(bytes.NewReader([]byte(`{"reprise":"x"}`))); !errors.Is(err, ErrNoContract) {
		t.Error(err)
	}
}

// offering is the surface of a server with these tools.
func offering(t testing.TB, tools string) *Surface {
	t.Helper()
	return SurfaceOf(captured(t, asks(1, "tools/list", ""), `<{"jsonrpc":"2.0","id":1,"result":{"tools":[`+tools+`]}}`))
}
