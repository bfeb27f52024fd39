package reprise

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// conversation pairs lines: "> " in front stands for client to server, "< " for
// server to client. It gives the calls in the order they opened.
func conversation(t *testing.T, ending Status, lines ...string) ([]*Call, *Pairer) {
	t.Helper()
	var calls []*Call
	p := &Pairer{Changed: func(c *Call) {
		if !slices.Contains(calls, c) {
			calls = append(calls, c)
		}
	}}
	for i, line := range lines {
		dir := ClientToServer
		if line[0] == '<' {
			dir = ServerToClient
		}
		data := []byte(line[2:])
		f := &Frame{Seq: int64(i + 1), At: time.Duration(i+1) * time.Second, Direction: dir, Data: data, Size: int64(len(data))}
		for _, m := range ReadMessages(data) {
			p.Add(f, &m)
		}
		clear(data) // calls must keep nothing of the frame
	}
	p.End(ending)
	return calls, p
}

// wantCalls holds what becomes of the calls of a conversation.
func wantCalls(t *testing.T, lines, want []string) {
	t.Helper()
	calls, _ := conversation(t, StatusLost, lines...)
	var got []string
	for _, c := range calls {
		got = append(got, c.brief())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// brief tells a call in a line: who asked, id, method, status, request → response.
func (c *Call) brief() string {
	s := fmt.Sprintf("%v %s %s %s %d→%d", c.Direction, c.ID, c.Method, c.Status, c.Seq, c.Response)
	if c.Name != "" {
		s += " " + c.Name
	}
	if c.Code != nil {
		s += fmt.Sprintf(" code %d", *c.Code)
	}
	if c.Cancelled != 0 {
		s += fmt.Sprintf(" cancelled by %d", c.Cancelled)
	}
	if c.Late {
		s += " late"
	}
	if c.Progress != 0 {
		s += fmt.Sprintf(" progress %d", c.Progress)
	}
	return s
}

const v2 = `"jsonrpc":"2.0",`

func req(id, method string) string { return `{` + v2 + `"id":` + id + `,"method":"` + method + `"}` }
func res(id string) string         { return `{` + v2 + `"id":` + id + `,"result":{}}` }
func cancel(id string) string {
	return `{` + v2 + `"method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

func TestPairer(t *testing.T) {
	long := `"` + strings.Repeat("x", 4096) + `"`
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"one call", []string{"> " + req("1", "ping"), "< " + res("1")}, []string{"c2s 1 ping ok 1→2"}},
		{"answers out of order", []string{"> " + req("1", "a"), "> " + req("2", "b"), "< " + res("2"), "< " + res("1")},
			[]string{"c2s 1 a ok 1→4", "c2s 2 b ok 2→3"}},
		{"twins of type and spelling",
			[]string{"> " + req("1", "a"), "> " + req(`"1"`, "b"), "> " + req("1.0", "c"), "> " + req(`"01"`, "d"), "> " + req("-1", "e"),
				"> " + req("0", "f"), "> " + req(`""`, "g"), "> " + req("9007199254740993", "h"), "> " + req("9007199254740992", "i"),
				"< " + res("9007199254740993"), "< " + res(`""`), "< " + res("0"), "< " + res("-1"), "< " + res(`"01"`), "< " + res("1.0"),
				"< " + res(`"1"`), "< " + res("1")},
			[]string{"c2s 1 a ok 1→17", `c2s "1" b ok 2→16`, "c2s 1.0 c ok 3→15", `c2s "01" d ok 4→14`, "c2s -1 e ok 5→13",
				"c2s 0 f ok 6→12", `c2s "" g ok 7→11`, "c2s 9007199254740993 h ok 8→10", "c2s 9007199254740992 i lost 9→0"}},
		{"a long id", []string{"> " + req(long, "a"), "< " + res(long)}, []string{"c2s " + long + " a ok 1→2"}},
		{"another spelling of the number", []string{"> " + req("1", "a"), "> " + req("10", "b"), "< " + res("1.0"), "< " + res("1e1")},
			[]string{"c2s 1 a ok 1→3", "c2s 10 b ok 2→4"}},
		{"the exact spelling comes first", []string{"> " + req("1.0", "a"), "> " + req("1", "b"), "< " + res("1")},
			[]string{"c2s 1.0 a lost 1→0", "c2s 1 b ok 2→3"}},
		{"a number is no string", []string{"> " + req("1", "a"), "< " + res(`"1"`)}, []string{"c2s 1 a lost 1→0"}},
		{"monstrous exponents", []string{"> " + req("1e999999999", "a"), "> " + req("2", "b"), "< " + res("1e999999998"), "< " + res("1E-999999999"),
			"< " + res("1e999999999")}, []string{"c2s 1e999999999 a ok 1→5", "c2s 2 b lost 2→0"}},
		{"duplicates are first in, first out", []string{"> " + req("1", "a"), "> " + req("1", "b"), "< " + res("1"), "> " + req("1", "c"), "< " + res("1"), "< " + res("1")},
			[]string{"c2s 1 a ok 1→3", "c2s 1 b ok 2→5", "c2s 1 c ok 4→6"}},
		{"the same id both ways", []string{"> " + req("5", "a"), "< " + req("5", "roots/list"), "> " + res("5"), "< " + res("5")},
			[]string{"c2s 5 a ok 1→4", "s2c 5 roots/list ok 2→3"}},
		{"null ids", []string{"> " + req("null", "a"), "< " + res("null")}, []string{"c2s null a ok 1→2"}},
		{"a response without id meets no request", []string{"> " + req("1", "a"), `< {"jsonrpc":"2.0","error":{"code":1}}`}, []string{"c2s 1 a lost 1→0"}},
		{"batches", []string{"> [" + req("1", "a") + "," + req("2", "b") + "]", "< [" + res("2") + "," + res("1") + "]"},
			[]string{"c2s 1 a ok 1→2", "c2s 2 b ok 1→2"}},
		{"objects on one line", []string{"> " + req("1", "a") + req("2", "b"), "< " + res("1") + " " + res("2")},
			[]string{"c2s 1 a ok 1→2", "c2s 2 b ok 1→2"}},
		{"noise between", []string{"> " + req("1", "a"), "< npm warn", "< {not json", "< " + res("1")}, []string{"c2s 1 a ok 1→4"}},
		{"errors", []string{"> " + req("1", "a"), `< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`},
			[]string{"c2s 1 a error 1→2 code -32602"}},
		{"an error without a whole code", []string{"> " + req("1", "a"), `< {"jsonrpc":"2.0","id":1,"error":{"code":1e999999999}}`,
			"> " + req("2", "a"), `< {"jsonrpc":"2.0","id":2,"error":{"code":"x"}}`, "> " + req("3", "a"), `< {"jsonrpc":"2.0","id":3,"error":"{\"code\":1}"}`,
			"> " + req("4", "a"), `< {"jsonrpc":"2.0","id":4,"error":{"code":1.5}}`},
			[]string{"c2s 1 a error 1→2", "c2s 2 a error 3→4", "c2s 3 a error 5→6", "c2s 4 a error 7→8"}},
		{"a null error is none", []string{"> " + req("1", "a"), `< {"jsonrpc":"2.0","id":1,"error":null,"result":{}}`}, []string{"c2s 1 a ok 1→2"}},
		{"tool errors", []string{`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`, `< {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`},
			[]string{"c2s 1 tools/call tool_error 1→2 n"}},
		{"isError elsewhere is data", []string{"> " + req("1", "a"), `< {"jsonrpc":"2.0","id":1,"result":{"isError":true}}`}, []string{"c2s 1 a ok 1→2"}},
		{"isError deeper is data", []string{"> " + req("1", "tools/call"), `< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"isError":true}}}`},
			[]string{"c2s 1 tools/call ok 1→2"}},
		{"cancelled and silent", []string{"> " + req("0", "a"), "> " + cancel("0")}, []string{"c2s 0 a cancelled 1→0 cancelled by 2"}},
		{"cancelled and late", []string{"> " + req("0", "a"), "> " + cancel("0"), "< " + res("0")}, []string{"c2s 0 a cancelled 1→3 cancelled by 2 late"}},
		{"cancelled and a late error", []string{`> ` + req(`""`, "a"), "> " + cancel(`""`), `< {"jsonrpc":"2.0","id":"","error":{"code":0,"message":""}}`},
			[]string{`c2s "" a cancelled 1→3 cancelled by 2 late`}},
		{"cancelled after the answer", []string{"> " + req("0", "a"), "< " + res("0"), "> " + cancel("0")}, []string{"c2s 0 a ok 1→2"}},
		{"cancelled from the wrong side", []string{"> " + req("0", "a"), "< " + cancel("0"), "< " + res("0")}, []string{"c2s 0 a ok 1→3"}},
		{"cancelled by another type of id", []string{"> " + req("0", "a"), "> " + cancel(`"0"`)}, []string{"c2s 0 a lost 1→0"}},
		{"cancelled by another spelling", []string{"> " + req("1", "a"), "> " + cancel("1.0")}, []string{"c2s 1 a cancelled 1→0 cancelled by 2"}},
		{"cancelled without an id", []string{"> " + req("1", "a"), `> {"jsonrpc":"2.0","method":"notifications/cancelled"}`}, []string{"c2s 1 a lost 1→0"}},
		{"the second of duplicates cancelled", []string{"> " + req("1", "a"), "> " + req("1", "b"), "> " + cancel("1"), "> " + cancel("1"), "< " + res("1")},
			[]string{"c2s 1 a cancelled 1→5 cancelled by 3 late", "c2s 1 b cancelled 2→0 cancelled by 4"}},
		{"progress", []string{`> {"jsonrpc":"2.0","id":7,"method":"a","params":{"_meta":{"progressToken":1}}}`, `> {"jsonrpc":"2.0","id":8,"method":"b","params":{"_meta":{"progressToken":"1"}}}`,
			`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"1","progress":1}}`,
			`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
			`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}`,
			`> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":3}}`, "< " + res("7"),
			`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":4}}`},
			[]string{"c2s 7 a ok 1→7 progress 2", "c2s 8 b lost 2→0 progress 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantCalls(t, tt.lines, tt.want)
		})
	}
}

func TestPairerTimesAndSizes(t *testing.T) {
	calls, p := conversation(t, StatusUnanswered, "> "+req("1", "a"), "< x", "< "+res("1"), "> "+req("2", "b"), "< "+res("3"))
	c := calls[0]
	if c.Duration() != 2*time.Second || c.RequestSize != int64(len(req("1", "a"))) || c.ResponseSize != int64(len(res("1"))) {
		t.Errorf("duration %v, sizes %d and %d", c.Duration(), c.RequestSize, c.ResponseSize)
	}
	if open := calls[1]; open.Status != StatusUnanswered || open.Duration() != 0 || open.Ended != 0 {
		t.Errorf("the open call is %+v", open)
	}
	if p.Orphans != 1 {
		t.Errorf("%d orphans, want 1", p.Orphans)
	}
}

// Calls on different streams never meet: on modern HTTP each exchange is its own world.
func TestPairerStreams(t *testing.T) {
	var calls []*Call
	p := Pairer{Changed: func(c *Call) { calls = append(calls, c) }}
	ask, answer := ReadMessages([]byte(req("1", "a")))[0], ReadMessages([]byte(res("1")))[0]
	p.Add(&Frame{Seq: 1, Stream: 1}, &ask)
	p.Add(&Frame{Seq: 2, Stream: 2}, &ask)
	c := p.Add(&Frame{Seq: 3, Stream: 2, Direction: ServerToClient}, &answer)
	if c == nil || c.Seq != 2 || p.Add(&Frame{Seq: 4, Stream: 3, Direction: ServerToClient}, &answer) != nil {
		t.Errorf("the answer on stream 2 met %+v", c)
	}
}

func TestPairerHoldsOpenCallsOnly(t *testing.T) {
	p := Pairer{Changed: func(*Call) {}}
	for i := range 10_000 {
		ask := ReadMessages(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"a","params":{"_meta":{"progressToken":%d}}}`, i, i))[0]
		answer := ReadMessages([]byte(res(fmt.Sprint(i))))[0]
		p.Add(&Frame{Seq: int64(2 * i)}, &ask)
		p.Add(&Frame{Seq: int64(2*i + 1), Direction: ServerToClient}, &answer)
	}
	if len(p.open) != 0 || len(p.progress) != 0 {
		t.Errorf("%d calls and %d tokens are kept", len(p.open), len(p.progress))
	}
}

func TestHostIDs(t *testing.T) {
	meta := `{"claudecode/toolUseId":"toolu_1","progressToken":3,"callId":7,"traceparent":"00-a","io.x/sessionId":"s","big":"` +
		strings.Repeat("x", 300) + `","claudecode/big":"` + strings.Repeat("x", 300) + `"}`
	calls, _ := conversation(t, StatusLost, `> {"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":`+meta+`}}`, "> "+req("2", "b"))
	want := `{"claudecode/toolUseId":"toolu_1","callId":7,"traceparent":"00-a","io.x/sessionId":"s"}`
	if calls[0].HostIDs != want || calls[1].HostIDs != "" {
		t.Errorf("got %s and %q, want %s", calls[0].HostIDs, calls[1].HostIDs, want)
	}
}

func TestCallIsAbout(t *testing.T) {
	tool, prompt, uri := &Call{Method: "tools/call", Name: "a"}, &Call{Method: "prompts/get", Name: "b"}, &Call{Method: "resources/read", Name: "c"}
	got := []string{tool.Tool(), tool.Prompt(), tool.URI(), prompt.Tool(), prompt.Prompt(), prompt.URI(), uri.Tool(), uri.Prompt(), uri.URI()}
	if want := []string{"a", "", "", "", "b", "", "", "", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
