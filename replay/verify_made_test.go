package replay

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"reprise"
)

// made reads a capture written by hand: "> " in front of what the client said, "< " in front of what the server did.
func made(how reprise.Ending, text string) *reprise.Capture {
	c := newCapture()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "> "):
			c.add(reprise.ClientToServer, line[2:])
		case strings.HasPrefix(line, "< "):
			c.add(reprise.ServerToClient, line[2:])
		}
	}
	return c.end(how)
}

const hello = `
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"made","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`

// peer is a small server: it gives lines for each line that it reads.
type peer struct {
	tools string                        // of tools/list
	on    func(m gjson.Result) []string // nil lines leave it to the usual answers
	heard chan string                   // all that it read, if set
}

func result(m gjson.Result, result string) string {
	return `{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"result":` + result + `}`
}

func (p *peer) usual(m gjson.Result) []string {
	switch m.Get("method").Str {
	case "initialize":
		return []string{result(m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"made","version":"1"}}`)}
	case "tools/list":
		tools := p.tools
		if tools == "" {
			tools = `{"name":"read","annotations":{"readOnlyHint":true}},{"name":"write"}`
		}
		return []string{result(m, `{"tools":[`+tools+`]}`)}
	}
	if m.Get("id").Exists() && m.Get("method").Exists() {
		return []string{result(m, `{"content":[]}`)}
	}
	return nil
}

const hangUp = "hang up"

// run serves a connection until its other side has gone.
func (p *peer) run(t *testing.T) io.ReadWriteCloser {
	ours, its := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer its.Close()
		in := bufio.NewReader(its)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if p.heard != nil {
				p.heard <- strings.TrimSuffix(line, "\n")
			}
			m := gjson.Parse(line)
			var answers []string
			if p.on != nil {
				answers = p.on(m)
			}
			if answers == nil {
				answers = p.usual(m)
			}
			for _, answer := range answers {
				if answer == hangUp {
					return
				}
				if _, err := io.WriteString(its, answer+"\n"); err != nil {
					return
				}
			}
		}
	}()
	t.Cleanup(func() {
		ours.Close()
		<-done
	})
	return ours
}

// silence is an answer that is none.
var silence = []string{}

func (p *peer) listen() { p.heard = make(chan string, 1000) }

// lines are the lines that it has read with a text in them.
func (p *peer) lines(with string) (found []string) {
	for {
		select {
		case line := <-p.heard:
			if strings.Contains(line, with) {
				found = append(found, line)
			}
		default:
			return found
		}
	}
}

func find(t *testing.T, v *Verification, seq int64) *Verified {
	t.Helper()
	for _, c := range v.Calls {
		if c.Seq == seq {
			return c
		}
	}
	t.Fatalf("nothing is said of seq %d:\n%s", seq, table(v))
	return nil
}

// TestOnlyTheTokenChanges: a value that the server has given goes in, at its place and in no other byte.
func TestOnlyTheTokenChanges(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"all":true}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"items":[{"issueId":"ISS-7001"}]}}}
> { "id":2.0 ,"jsonrpc":"2.0","method":"tools/call","params":{"name":"read","arguments":{"odd":1.50,"filter":{"issueId":[ "ISS-7001" ]}, "odd key":"A\/B"}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	p := &peer{on: func(m gjson.Result) []string {
		if m.Get("params.arguments.all").Exists() {
			return []string{result(m, `{"content":[],"structuredContent":{"items":[{"issueId":"ISS-8\"002"}]}}`)}
		}
		return nil
	}}
	p.listen()
	v := verify(t, c, p.run(t), quick())
	want := `{ "id":2.0 ,"jsonrpc":"2.0","method":"tools/call","params":{"name":"read","arguments":{"odd":1.50,"filter":{"issueId":[ "ISS-8\"002" ]}, "odd key":"A\/B"}}}`
	if got := p.lines("filter"); len(got) != 1 || got[0] != want {
		t.Errorf("sent %s\n%s", got, table(v))
	}
	if v.Total().Failed() {
		t.Error(table(v))
	}
}

func TestAt(t *testing.T) {
	raw := `{"a":1,"filter":{"ids":["x", "y" ]},"odd key":{"q\"]":[[2]]},"a":3,"":4}`
	for path, want := range map[string]string{
		"filter.ids[0]": `"x"`, "filter.ids[1]": `"y"`, "filter.ids[2]": "", `["odd key"]["q\"]"][0][0]`: "2", "a": "3", "b": "", "": raw,
		"filter.ids": `["x", "y" ]`, "a.b": "", "a[0]": "", `[""]`: "4", "[0]": "", "filter.ids[x]": "", `["odd key`: "",
	} {
		if got := reprise.At(raw, path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct{ object, remove, want string }{
		{`{"a":1}`, "a", `{}`},
		{`{ "a":1 , "b":2}`, "a", `{ "b":2}`},
		{`{"a":1, "b":2 }`, "b", `{"a":1 }`},
		{`{"a":1,"b":2,"a":3}`, "a", `{"b":2}`},
		{`{"a":{"b":1}}`, "b", `{"a":{"b":1}}`},
	} {
		data := []byte(`{"jsonrpc":"2.0","method":"x","params":` + c.object + `}`)
		e := &edits{data: data}
		e.remove(reprise.ReadMessages(data)[0].Params, c.remove)
		if got := string(e.bytes()); got != `{"jsonrpc":"2.0","method":"x","params":`+c.want+`}` {
			t.Errorf("%s without %s: %s", c.object, c.remove, got)
		}
	}
}

// TestConcurrencyIsAsRecorded: what was in flight together is so again, and what had been heard first is heard first.
func TestConcurrencyIsAsRecorded(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"n":2}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{"n":3}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read","arguments":{"n":4}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[]}}`)
	var order []string
	var held []string
	p := &peer{on: func(m gjson.Result) []string {
		if m.Get("method").Str != "tools/call" {
			return nil
		}
		order = append(order, m.Get("id").Raw)
		switch m.Get("id").Raw {
		case "2": // is answered only when the other two have come
			held = []string{result(m, `{"content":[]}`)}
			return silence
		case "4":
			return append(held, result(m, `{"content":[]}`))
		}
		return nil
	}}
	v := verify(t, c, p.run(t), quick())
	if strings.Join(order, " ") != "2 3 4" || v.Ended != "" || v.Total().Missing > 0 {
		t.Errorf("order %v\n%s", order, table(v))
	}
}

func TestLegsTakeTheLiveState(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	c := made(reprise.EndedByClient, `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"app":"shop"},`+meta+`}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"AAAA","inputRequests":{"k1":{"method":"elicitation/create","params":{"message":"Sure?"}}}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"app":"shop"},"requestState":"AAAA","inputResponses":{"k1":{"action":"accept","content":{"ok":true}}},`+meta+`}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}`)
	for _, test := range []struct {
		name, first, second string
		missing             bool
	}{
		{"other state and key", `{"resultType":"input_required","requestState":"BB\/B","inputRequests":{"k9":{"method":"elicitation/create","params":{"message":"Sure?"}}}}`,
			`"requestState":"BB\/B","inputResponses":{"k9":{"action":"accept","content":{"ok":true}}}`, false},
		{"no state", `{"resultType":"input_required","inputRequests":{"k1":{"method":"elicitation/create","params":{"message":"Sure?"}}}}`,
			`"arguments":{"app":"shop"},"inputResponses":{"k1":`, false},
		{"no other round", `{"resultType":"complete","content":[{"type":"text","text":"done"}]}`, "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &peer{on: func(m gjson.Result) []string {
				switch m.Get("id").Raw {
				case "1":
					return []string{result(m, test.first)}
				case "2":
					return []string{result(m, `{"resultType":"complete","content":[{"type":"text","text":"done"}]}`)}
				}
				return nil
			}}
			p.listen()
			v := verify(t, c, p.run(t), quick())
			heard := p.lines("")
			last := heard[len(heard)-1]
			if test.missing {
				if got := find(t, v, 3); got.Class != reprise.ClassMissing || !strings.Contains(got.Reason, "no other round") {
					t.Error(table(v))
				}
				return
			}
			if !strings.Contains(last, test.second) || find(t, v, 3).Class != reprise.ClassEqual {
				t.Errorf("said %s\n%s", last, table(v))
			}
			if !strings.Contains(heard[0], `"method":"tools/list"`) || !strings.Contains(heard[0], "protocolVersion") {
				t.Errorf("the tools were asked for with %s", heard[0])
			}
		})
	}
}

func TestPagesAreTheLiveServers(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"prompts/list"}
< {"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"a"}],"nextCursor":"c1"}}
> {"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{"cursor":"c1"}}
< {"jsonrpc":"2.0","id":2,"result":{"prompts":[{"name":"b"}],"nextCursor":"c2"}}
> {"jsonrpc":"2.0","id":3,"method":"prompts/list","params":{"cursor":"c2"}}
< {"jsonrpc":"2.0","id":3,"result":{"prompts":[{"name":"c"}]}}`)
	pages := map[string]string{"": `{"prompts":[{"name":"a"}],"nextCursor":""}`, `""`: `{"prompts":[{"name":"b"}],"nextCursor":"x"}`, `"x"`: `{"prompts":[{"name":"c"}]}`}
	serve := func() *peer {
		return &peer{on: func(m gjson.Result) []string {
			if m.Get("method").Str == "prompts/list" {
				return []string{result(m, pages[m.Get("params.cursor").Raw])}
			}
			return nil
		}}
	}
	if v := verify(t, c, serve().run(t), quick()); v.Total().Failed() {
		t.Error(table(v))
	}
	pages[`""`] = `{"prompts":[{"name":"b"}]}`
	v := verify(t, c, serve().run(t), quick())
	if got := find(t, v, 8); got.Class != reprise.ClassMissing || !strings.Contains(got.Reason, "the list ends") {
		t.Error(table(v))
	}
}

func TestToolsOfTheLiveServerDecide(t *testing.T) {
	call := func(id, name string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":{"secret":` + id + `}}}
< {"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}
`
	}
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"list_and_purge","annotations":{"readOnlyHint":true}},{"name":"get","annotations":{"readOnlyHint":true}}]}}
`+call("2", "list_and_purge")+call("3", "get"))
	tests := []struct {
		name, tools string
		on          func(m gjson.Result) []string
		want        string
	}{
		{"by the live annotations", `{"name":"get","annotations":{"readOnlyHint":true}},{"name":"list_and_purge","annotations":{"destructiveHint":true}}`, nil, "destructive -"},
		{"the worse of two", `{"name":"get","annotations":{"readOnlyHint":true}},{"name":"get"}`, nil, "unlisted unknown"},
		{"no list", "", func(m gjson.Result) []string {
			if m.Get("method").Str == "tools/list" {
				return []string{`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"error":{"code":-32603,"message":"no"}}`}
			}
			return nil
		}, "unlisted unlisted"},
		{"a silent list", "", func(m gjson.Result) []string {
			if m.Get("method").Str == "tools/list" && m.Get("id").Str != "" {
				return silence
			}
			if m.Get("method").Str == "tools/list" {
				return []string{result(m, `{"tools":[{"name":"get","annotations":{"readOnlyHint":true}}],"nextCursor":"more"}`)}
			}
			return nil
		}, "unlisted unlisted"},
		{"an endless list", "", func(m gjson.Result) []string {
			if m.Get("method").Str == "tools/list" {
				return []string{result(m, `{"tools":[{"name":"get","annotations":{"readOnlyHint":true}}],"nextCursor":"more"}`)}
			}
			return nil
		}, "unlisted unlisted"},
		{"tools that change with every list", "", func(m gjson.Result) []string {
			if m.Get("method").Str == "tools/list" {
				return []string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, result(m, `{"tools":[{"name":"get","annotations":{"readOnlyHint":true}}]}`)}
			}
			return nil
		}, "unlisted unlisted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := &peer{tools: test.tools, on: test.on}
			p.listen()
			o := quick()
			o.Timeout = 300 * time.Millisecond
			v := verify(t, c, p.run(t), o)
			got := ""
			for _, seq := range []int64{6, 8} {
				if c := find(t, v, seq); c.Skip != "" {
					got += " " + string(c.Skip)
				} else {
					got += " -"
				}
			}
			sent := len(p.lines("secret"))
			if got[1:] != test.want || sent != strings.Count(test.want, "-") {
				t.Errorf("got%s, want %s; %d sent\n%s", got, test.want, sent, table(v))
			}
			for _, f := range v.Frames {
				if strings.Contains(string(f.Data), "reprise-") {
					t.Errorf("our own question is among today's frames: %s", f.Data)
				}
			}
		})
	}
}

// TestToolsAreListedAgain: a tool that was read-only may not be any more, once the server says that its tools have changed.
func TestToolsAreListedAgain(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"n":1}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"n":2}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	p := &peer{}
	p.on = func(m gjson.Result) []string {
		if m.Get("method").Str == "tools/call" {
			p.tools = `{"name":"read"}`
			return []string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, result(m, `{"content":[]}`)}
		}
		return nil
	}
	v := verify(t, c, p.run(t), quick())
	if find(t, v, 4).Class != reprise.ClassEqual || find(t, v, 6).Skip != SkipUnknown {
		t.Error(table(v))
	}
}

func TestQuestionsAreAnsweredAsRecorded(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"First?"}}
> {"jsonrpc":"2.0", "id":"q1", "result":{"action":"accept","content":{"n":1}}}
< {"jsonrpc":"2.0","id":"q2","method":"elicitation/create","params":{"message":"Second?"}}
> {"jsonrpc":"2.0", "id":"q2", "result":{"action":"decline"}}
< {"jsonrpc":"2.0","id":"r","method":"roots/list"}
> {"jsonrpc":"2.0","id":"r","result":{"roots":[{"uri":"file:///a"}]}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	run := func(questions ...string) (*Verification, []string) {
		var call gjson.Result
		var answers []string
		p := &peer{on: func(m gjson.Result) []string {
			switch {
			case m.Get("method").Str == "tools/call":
				call = m
				if len(questions) == 0 {
					return nil
				}
				return questions
			case !m.Get("method").Exists():
				if answers = append(answers, strings.TrimSpace(m.Raw)); len(answers) == len(questions) {
					return []string{result(call, `{"content":[]}`)}
				}
			}
			return nil
		}}
		v := verify(t, c, p.run(t), quick())
		return v, answers
	}
	v, answers := run(`{"jsonrpc":"2.0","id":70,"method":"elicitation/create","params":{"message":"First?"}}`, `{"jsonrpc":"2.0","id":71,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":72,"method":"elicitation/create","params":{"message":"Second?"}}`, `{"jsonrpc":"2.0","id":73,"method":"roots/list"}`,
		`{"jsonrpc":"2.0","id":74,"method":"roots/list"}`)
	want := []string{`{"jsonrpc":"2.0", "id":70, "result":{"action":"accept","content":{"n":1}}}`, `{"jsonrpc":"2.0","id":71,"result":{}}`,
		`{"jsonrpc":"2.0", "id":72, "result":{"action":"decline"}}`, `{"jsonrpc":"2.0","id":73,"result":{"roots":[{"uri":"file:///a"}]}}`,
		`{"jsonrpc":"2.0","id":74,"result":{"roots":[{"uri":"file:///a"}]}}`}
	if strings.Join(answers, "\n") != strings.Join(want, "\n") || v.Total().Failed() {
		t.Errorf("answered\n%s\n%s", strings.Join(answers, "\n"), table(v))
	}
	if v, _ = run(); find(t, v, 5).Class != reprise.ClassMissing || v.Total().Missing != 3 {
		t.Errorf("no question:\n%s", table(v))
	}
	v, answers = run(`{"jsonrpc":"2.0","id":80,"method":"sampling/createMessage","params":{}}`)
	if got := v.Calls[len(v.Calls)-1]; got.Class != reprise.ClassExtra || got.Method != "sampling/createMessage" {
		t.Errorf("another question:\n%s", table(v))
	}
	if code := gjson.Get(answers[0], "error.code"); code.Int() >= -32768 && code.Int() <= -32000 || !code.Exists() {
		t.Errorf("answered %s", answers[0])
	}
}

func TestCancellationWaitsForProgress(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{},"_meta":{"progressToken":"p"}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
> {"jsonrpc":"2.0","id":2,"method":"ping"}
< {"jsonrpc":"2.0","id":2,"result":{}}`)
	told := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	var after []string
	p := &peer{on: func(m gjson.Result) []string {
		if m.Get("method").Str == "tools/call" {
			return []string{told, told}
		}
		if after = append(after, m.Get("method").Str); m.Get("method").Str == "ping" {
			return []string{result(m, "{}")}
		}
		return nil
	}}
	v := verify(t, c, p.run(t), quick())
	if v.Total().Failed() || !strings.HasSuffix(strings.Join(after, " "), "notifications/cancelled ping") {
		t.Errorf("heard %v\n%s", after, table(v))
	}
	// A server that tells nothing is cancelled nevertheless, and found missing its progress.
	p = &peer{on: func(m gjson.Result) []string {
		if m.Get("method").Str == "tools/call" {
			return silence
		}
		return nil
	}}
	v = verify(t, c, p.run(t), quick())
	if got := find(t, v, 4); got.Class != reprise.ClassMissing || !strings.Contains(got.Reason, "progress") {
		t.Error(table(v))
	}
}

func TestTasks(t *testing.T) {
	task := func(id, status string) string {
		return `{"taskId":"` + id + `","status":"` + status + `","createdAt":"2025-11-25T10:00:00Z","lastUpdatedAt":"2025-11-25T10:00:00Z","ttl":60000,"pollInterval":1}`
	}
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{},"task":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"task":`+task("t-1", "working")+`}}
> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"t-1"}}
< {"jsonrpc":"2.0","id":2,"result":`+task("t-1", "working")+`}
> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t-1"}}
< {"jsonrpc":"2.0","id":3,"result":`+task("t-1", "completed")+`}
> {"jsonrpc":"2.0","id":4,"method":"tasks/result","params":{"taskId":"t-1"}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"bees"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t-1"}}}}
> {"jsonrpc":"2.0","id":5,"method":"tasks/cancel","params":{"taskId":"someone else's"}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"no such task"}}`)
	polls := 0
	p := &peer{on: func(m gjson.Result) []string {
		switch m.Get("method").Str {
		case "tools/call":
			return []string{result(m, `{"task":`+task("live/9", "working")+`}`)}
		case "tasks/get":
			if polls++; polls < 5 {
				return []string{result(m, task("live/9", "working"))}
			}
			return []string{result(m, task("live/9", "completed"))}
		case "tasks/result":
			return []string{result(m, `{"content":[{"type":"text","text":"bees"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"live/9"}}}`)}
		}
		return nil
	}}
	p.listen()
	v := verify(t, c, p.run(t), quick())
	if v.Total().Failed() || polls != 5 || find(t, v, 12).Skip != SkipTask {
		t.Errorf("%d polls\n%s", polls, table(v))
	}
	if wrong := p.lines(`"t-1"`); len(wrong) > 0 {
		t.Errorf("the recorded task was asked for: %s", wrong)
	}
}

func TestListenStaysOpen(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	ack := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`
	c := made(reprise.EndedByClient, `
> {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}
< `+ack+`
> {"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{`+meta+`}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","prompts":[]}}`)
	on := func(first ...string) func(gjson.Result) []string {
		return func(m gjson.Result) []string {
			if m.Get("method").Str == "subscriptions/listen" {
				return first
			}
			return []string{result(m, `{"resultType":"complete","prompts":[]}`)}
		}
	}
	if v := verify(t, c, (&peer{on: on(ack)}).run(t), quick()); v.Total().Failed() || find(t, v, 1).Class != reprise.ClassEqual {
		t.Error(table(v))
	}
	v := verify(t, c, (&peer{on: on(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`)}).run(t), quick())
	if find(t, v, 1).Class != reprise.ClassChanged || find(t, v, 2).Class != reprise.ClassMissing {
		t.Error(table(v))
	}
}

func TestServersInTrouble(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"prompts/list"}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":3,"method":"resources/list"}
< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}`)
	at := func(method string, say ...string) func(gjson.Result) []string {
		return func(m gjson.Result) []string {
			if m.Get("method").Str == method {
				return say
			}
			return nil
		}
	}
	silent := func(methods string) func(gjson.Result) []string {
		return func(m gjson.Result) []string {
			if method := m.Get("method").Str; method != "" && strings.Contains(methods, method) {
				return silence
			}
			return nil
		}
	}
	tests := []struct {
		name    string
		on      func(gjson.Result) []string
		missing int
		ended   string
	}{
		{"dies at once", at("initialize", hangUp), 4, "the server has ended"},
		{"dies in a call", at("tools/call", hangUp), 3, "the server has ended"},
		{"says nothing", func(gjson.Result) []string { return silence }, 4, "the server has stopped answering"},
		{"stops answering", silent("prompts/list resources/list"), 2, "the server has stopped answering"},
		{"forgets one", silent("prompts/list"), 1, ""},
		{"talks nonsense", at("prompts/list", "npm notice: new version", `{"jsonrpc":"2.0","id":2,"resu`), 1, ""},
		{"answers another", at("prompts/list", `{"jsonrpc":"2.0","id":77,"result":{}}`), 1, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := quick()
			o.Timeout = 200 * time.Millisecond
			v := verify(t, c, (&peer{on: test.on}).run(t), o)
			if got := v.Total(); got.Missing != test.missing || v.Ended != test.ended {
				t.Errorf("%+v, ended %q\n%s", got, v.Ended, table(v))
			}
			if test.name == "talks nonsense" && (v.Now.Noise != 1 || v.Now.Invalid != 1) {
				t.Errorf("noise %d, invalid %d", v.Now.Noise, v.Now.Invalid)
			}
		})
	}
}

// TestServerThatDoesNotRead: what can't be written is not waited for.
func TestServerThatDoesNotRead(t *testing.T) {
	ours, its := net.Pipe()
	defer its.Close()
	o := quick()
	o.Timeout = 100 * time.Millisecond
	v := verify(t, made(reprise.EndedByClient, hello), ours, o)
	if v.Ended == "" || v.Total().Missing == 0 {
		t.Error(table(v))
	}
}

func TestVerifyStopsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := &peer{on: func(gjson.Result) []string {
		stop()
		return silence
	}}
	if _, err := Verify(ctx, made(reprise.EndedByClient, hello), p.run(t), quick()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProbeThatFailedFailsAgain(t *testing.T) {
	c := made(reprise.EndedByClient, `
> {"jsonrpc":"2.0","id":"probe","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
`+hello+`
< {"jsonrpc":"2.0","id":"probe","error":{"code":-32601,"message":"what?"}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	p := &peer{on: func(m gjson.Result) []string {
		if m.Get("method").Str == "server/discover" {
			return []string{`{"jsonrpc":"2.0","id":"probe","error":{"code":-32601,"message":"what?"}}`}
		}
		return nil
	}}
	if v := verify(t, c, p.run(t), quick()); v.Total().Failed() || v.Total().Equal != 3 {
		t.Error(table(v))
	}
}

func TestUnknownMethodsAndBatches(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}, {"jsonrpc":"2.0","id":2,"method":"acme/purge","params":{}},{"jsonrpc":"2.0","method":"acme/told"}]
< [{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]`)
	answer := func(m gjson.Result) []string {
		if !m.IsArray() {
			return nil
		}
		var all []string
		for _, x := range m.Array() {
			if x.Get("id").Exists() {
				all = append(all, result(x, map[string]string{"acme/purge": "{}", "tools/call": `{"content":[]}`}[x.Get("method").Str]))
			}
		}
		return []string{"[" + strings.Join(all, ",") + "]"}
	}
	p := &peer{on: answer}
	p.listen()
	v := verify(t, c, p.run(t), quick())
	if got := p.lines("read"); len(got) != 1 || got[0] != `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}]` {
		t.Errorf("said %s", got)
	}
	if v.Total() != (Totals{Equal: 2, Skipped: 1}) {
		t.Error(table(v))
	}
	o := quick()
	o.AllowWrites = true
	p = &peer{on: answer}
	p.listen()
	v = verify(t, c, p.run(t), o)
	if got := p.lines("acme/told"); len(got) != 1 || !strings.Contains(got[0], `}}, {"jsonrpc"`) || v.Total() != (Totals{Equal: 3}) {
		t.Errorf("said %s\n%s", got, table(v))
	}
}

func TestDeathThenAndNow(t *testing.T) {
	c := made(reprise.EndedByServer, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}}`)
	v := verify(t, c, (&peer{on: func(m gjson.Result) []string {
		if m.Get("method").Str == "tools/call" {
			return []string{hangUp}
		}
		return nil
	}}).run(t), quick())
	if v.Total().Failed() {
		t.Error(table(v))
	}
	if v = verify(t, c, (&peer{}).run(t), quick()); find(t, v, 4).Class != reprise.ClassExtra {
		t.Error(table(v))
	}
}

func TestCapturesWithNothingToSay(t *testing.T) {
	for _, c := range []*reprise.Capture{made(reprise.EndedByClient, ""), made(reprise.EndedByClient, `< {"jsonrpc":"2.0","id":1,"method":"ping"}`)} {
		ours, its := net.Pipe()
		if _, err := Verify(t.Context(), c, ours, quick()); err == nil {
			t.Error("no error")
		}
		if _, err := its.Read(make([]byte, 1)); err == nil {
			t.Error("the connection is still open")
		}
	}
}

// TestSecretsAreNotMadeUp: a placeholder is no secret. One that the server has given today's value of is replaced by that.
func TestSecretsAreNotMadeUp(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"login":"me"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"token\":\"«redacted:token:1»\"}"}],"structuredContent":{"token":"«redacted:token:1»"}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"token":"«redacted:token:1»"}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{"password":"«redacted:secret:1»"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}`)
	p := &peer{on: func(m gjson.Result) []string {
		if m.Get("params.arguments.login").Exists() {
			return []string{result(m, `{"content":[{"type":"text","text":"{\"token\":\"ghp_live\"}"}],"structuredContent":{"token":"ghp_live"}}`)}
		}
		return nil
	}}
	p.listen()
	v := verify(t, c, p.run(t), quick())
	if got := p.lines("ghp_live"); len(got) != 1 || v.Total().Failed() || find(t, v, 8).Skip != SkipMasked {
		t.Errorf("said %s\n%s", got, table(v))
	}
}

func TestWhatSkippedCallsWouldHaveMade(t *testing.T) {
	list := func(ids string) string { return `{"content":[],"structuredContent":{"items":[` + ids + `]}}` }
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"title":"x"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"itemId":"IT-900"}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":`+list(`{"itemId":"IT-1","n":1},{"itemId":"IT-900","n":2}`)+`}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{"itemId":"IT-900"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read","arguments":{"only":1}}}
< {"jsonrpc":"2.0","id":4,"result":`+list(`{"itemId":"IT-1","n":1}`)+`}`)
	p := &peer{on: func(m gjson.Result) []string {
		if m.Get("method").Str == "tools/call" {
			return []string{result(m, list(`{"itemId":"IT-1","n":7}`))}
		}
		return nil
	}}
	v := verify(t, c, p.run(t), quick())
	if find(t, v, 6).Skip != SkipDepends || find(t, v, 8).Skip != SkipDepends {
		t.Errorf("what depends on the skipped call:\n%s", table(v))
	}
	if got := find(t, v, 10); got.Class != reprise.ClassChanged || len(got.Changed) != 1 || !strings.HasSuffix(got.Changed[0].Path, ".n") {
		t.Errorf("what does not:\n%s", table(v))
	}
}

// TestRequestsThatReadInTwoWays: a server may take the other of two names.
func TestRequestsThatReadInTwoWays(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"Name":"write","name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":3,"method":"acme/purge","method":"ping"}
< {"jsonrpc":"2.0","id":3,"result":{}}`)
	p := &peer{}
	p.listen()
	o := quick()
	o.AllowTools = []string{"read"}
	v := verify(t, c, p.run(t), o)
	if v.Total() != (Totals{Equal: 1, Skipped: 3}) || len(p.lines("write"))+len(p.lines("purge")) > 0 {
		t.Error(table(v))
	}
}
