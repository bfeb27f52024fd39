package live

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"reprise"
)

func ok(*server, string, string) string { return text("fine") }

// TestAnAnswerIsFoundWhateverStandsAroundIt: noise, byte order marks, line ends, batches, questions, lines of any length.
func TestAnAnswerIsFoundWhateverStandsAroundIt(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for name, c := range map[string]struct {
		say  func(s *server, id string)
		want string
	}{
		"noise": {func(s *server, id string) {
			s.say("npm warn\n\n{not json\n" + `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` + "\n")
		}, `{"jsonrpc":"2.0","id":3,"result":{}}`},
		"bom, crlf": {func(s *server, id string) { s.say("\ufeff" + `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` + "\r\n") }, `{"jsonrpc":"2.0","id":3,"result":{}}`},
		"spacing": {func(s *server, id string) {
			s.say(`{ "id" : ` + id + `, "result": {"b":1, "a":1.0} , "jsonrpc":"2.0"}` + "\n")
		}, `{ "id" : 3, "result": {"b":1, "a":1.0} , "jsonrpc":"2.0"}`},
		"batch": {func(s *server, id string) {
			s.say(`[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":` + id + `,"result":{}}]` + "\n")
		}, `{"jsonrpc":"2.0","id":3,"result":{}}`},
		"number": {func(s *server, id string) { s.say(`{"jsonrpc":"2.0","id":` + id + `.0,"result":{}}` + "\n") }, `{"jsonrpc":"2.0","id":3.0,"result":{}}`},
		"others before": {func(s *server, id string) {
			s.say(`{"jsonrpc":"2.0","id":"` + id + `","result":{"no":1}}` + "\n" + `{"jsonrpc":"2.0","id":99,"result":{"no":1}}` + "\n" + `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` + "\n")
		}, `{"jsonrpc":"2.0","id":3,"result":{}}`},
		"nameless first": {func(s *server, id string) {
			s.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"odd"}}` + "\n" + `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` + "\n")
		}, `{"jsonrpc":"2.0","id":3,"result":{}}`},
		"long": {func(s *server, id string) {
			s.say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"x":"` + long + `"}}` + "\n")
		}, `{"jsonrpc":"2.0","id":3,"result":{"x":"` + long + `"}}`},
		"in pieces": {func(s *server, id string) {
			for _, piece := range strings.SplitAfter(`{"jsonrpc":"2.0","id":`+id+`,"result":{}}`+"\n", ":") {
				s.say(piece)
			}
		}, `{"jsonrpc":"2.0","id":3,"result":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{tools: tool("get", readOnly), on: map[string]func(*server, *reprise.Message) string{
				"tools/call": func(s *server, m *reprise.Message) string { c.say(s, m.ID); return "" }}}
			a := opened(t, s, options()).call(context.Background(), "get", "{}")
			if a.Trouble != "" || a.Response != c.want {
				t.Errorf("%s: %.200q", a.Trouble, a.Response)
			}
			if want := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get","arguments":{}}}`; a.Request != want {
				t.Errorf("asked %s", a.Request)
			}
		})
	}
}

// TestQuestionsOfTheServerAreAnswered, and that they came weakens what the call says.
func TestQuestionsOfTheServerAreAnswered(t *testing.T) {
	for method, want := range map[string]string{
		"ping":                   `"result":{}}`,
		"roots/list":             `"result":{"roots":[]}}`,
		"elicitation/create":     `"result":{"action":"decline"}}`,
		"sampling/createMessage": `"error":{"code":-32601,`,
		"tasks/list":             `"error":{"code":-32601,`,
	} {
		s := &server{tools: tool("get", readOnly), call: func(s *server, _, _ string) string {
			s.say(`{"jsonrpc":"2.0","id":"q","method":"` + method + `","params":{}}` + "\n")
			return text("fine")
		}}
		c := opened(t, s, options())
		a := c.call(context.Background(), "get", "{}")
		if a.Trouble != "" || (a.wants == "") != (method == "ping") {
			t.Errorf("%s: %q, %q", method, a.Trouble, a.wants)
		}
		c.call(context.Background(), "get", "{}") // the answer is out before the next request
		if !s.has(`answer {"jsonrpc":"2.0","id":"q",` + want) {
			t.Errorf("%s: %q", method, s.heard)
		}
	}
}

// TestTroubleIsToldApart: every way in which a call gets no answer.
func TestTroubleIsToldApart(t *testing.T) {
	for name, c := range map[string]struct {
		call func(*server, string, string) string
		want string
	}{
		"silent": {func(*server, string, string) string { return "" }, "no answer came within 50ms"},
		"dies":   {func(s *server, _, _ string) string { s.conn.Close(); return "" }, "the server ended"},
		"half":   {func(s *server, _, _ string) string { s.say(`{"jsonrpc":"2.0","id":3,"resu`); s.conn.Close(); return "" }, "the server ended"},
		"nameless": {func(s *server, _, _ string) string {
			s.say(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"what?"}}` + "\n")
			return ""
		}, "no answer came, only an error that names no request: what?"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{tools: tool("get", readOnly), call: c.call}
			client := opened(t, s, options())
			if _, trouble := client.list(context.Background()); trouble != "" {
				t.Fatal(trouble)
			}
			if client.Timeout = options().Timeout; name != "dies" && name != "half" {
				client.Timeout = 50 * time.Millisecond
			}
			a := client.call(context.Background(), "get", "{}")
			if a.Trouble != c.want || a.Response != "" {
				t.Errorf("%q, want %q", a.Trouble, c.want)
			}
		})
	}
}

// TestALateAnswerIsNoOtherCalls: after a timeout the next call gets its own.
func TestALateAnswerIsNoOtherCalls(t *testing.T) {
	n := 0
	s := &server{tools: tool("get", readOnly), call: func(s *server, _, _ string) string {
		if n++; n == 1 {
			return ""
		}
		s.say(`{"jsonrpc":"2.0","id":3,"result":{"late":true}}` + "\n")
		return text("second")
	}}
	c := opened(t, s, options())
	if _, trouble := c.list(context.Background()); trouble != "" {
		t.Fatal(trouble)
	}
	c.Timeout = 50 * time.Millisecond
	if a := c.call(context.Background(), "get", "{}"); a.Trouble == "" {
		t.Fatal("answered")
	}
	c.Timeout = 20 * time.Second
	if a := c.call(context.Background(), "get", "{}"); !strings.Contains(a.Response, "second") {
		t.Errorf("%q %q", a.Trouble, a.Response)
	}
	if !s.has("notifications/cancelled") {
		t.Error("the server was not told that nobody waits any more")
	}
}

// TestAServerThatReadsNoMoreIsTrouble, and does not hold us up.
func TestAServerThatReadsNoMoreIsTrouble(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c, err := Open(context.Background(), near, soon())
	t.Cleanup(c.Close)
	if err == nil {
		t.Error("opened")
	}
}

func TestWhatAServerSaysWithoutEndIsCutOff(t *testing.T) {
	s := &server{tools: tool("get", readOnly), call: func(s *server, _, _ string) string {
		for range 100 {
			s.say(strings.Repeat("x", 10_000))
		}
		return ""
	}}
	o := options()
	o.MaxBytes = 200_000
	a := opened(t, s, o).call(context.Background(), "get", "{}")
	if a.Trouble != "the server said more than it may" {
		t.Error(a.Trouble)
	}
}

// TestTheEraIsFound from what initialize is answered with.
func TestTheEraIsFound(t *testing.T) {
	modern := func(s *server, m *reprise.Message) string {
		meta := reprise.Member(m.Params, "_meta").Raw
		if reprise.Member(meta, reprise.MetaPrefix+"protocolVersion").String() != modernVersion || !reprise.Member(meta, reprise.MetaPrefix+"clientCapabilities").IsObject() {
			return `"error":{"code":-32602,"message":"no _meta"}`
		}
		if m.Method == "tools/list" {
			return `"result":{"resultType":"complete","tools":[` + s.tools + `]}`
		}
		if m.Method == "tools/call" {
			return text("fine")
		}
		return `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`
	}
	refuse := func(text string) func(*server, *reprise.Message) string {
		return func(*server, *reprise.Message) string { return text }
	}
	older := func(_ *server, m *reprise.Message) string {
		if reprise.Member(m.Params, "protocolVersion").String() != "2025-03-26" {
			return `"error":{"code":-32602,"message":"unsupported","data":{"supported":["2024-11-05","2025-03-26"]}}`
		}
		return `"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"old"}}`
	}
	for name, c := range map[string]struct {
		initialize func(*server, *reprise.Message) string
		modern     bool
		version    string
	}{
		"-32022":  {refuse(`"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}`), true, modernVersion},
		"-32601":  {refuse(`"error":{"code":-32601,"message":"no such method"}`), true, modernVersion},
		"-32602":  {refuse(`"error":{"code":-32602,"message":"_meta is missing"}`), true, modernVersion},
		"older":   {older, false, "2025-03-26"},
		"refuses": {refuse(`"error":{"code":-32000,"message":"log in first"}`), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{tools: tool("get", readOnly), call: ok, on: map[string]func(*server, *reprise.Message) string{"initialize": c.initialize}}
			if c.modern {
				s.on["server/discover"], s.on["tools/list"], s.on["tools/call"] = modern, modern, modern
			}
			client, err := Open(context.Background(), s.start(t), options())
			t.Cleanup(client.Close)
			if c.version == "" {
				if fmt.Sprint(err) != "the server refuses initialize: log in first" {
					t.Error(err)
				}
				return
			}
			a := client.call(context.Background(), "get", "{}")
			if err != nil || client.Version != c.version || a.Trouble != "" || failed(&a.Answer) {
				t.Errorf("%v, %s, %+v", err, client.Version, a)
			}
			if s.has("notifications/initialized") == c.modern {
				t.Error(s.heard)
			}
		})
	}
}

// TestRoundsAreAnswered as far as this client can (protocol.md §5.3).
func TestRoundsAreAnswered(t *testing.T) {
	for name, c := range map[string]struct{ first, trouble, wants string }{
		"state":       {`"result":{"resultType":"input_required","requestState":"a\u002b"}`, "", ""},
		"roots":       {`"result":{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}},"requestState":"a\u002b"}`, "", ""},
		"elicitation": {`"result":{"resultType":"input_required","inputRequests":{"r":{"method":"elicitation/create"}},"requestState":"a\u002b"}`, "", "elicitation/create"},
		"sampling":    {`"result":{"resultType":"input_required","inputRequests":{"r":{"method":"sampling/createMessage"}}}`, "sampling/createMessage", ""},
		"task":        {`"result":{"resultType":"task","taskId":"t"}`, "as a task", ""},
		"nothing":     {`"result":{"resultType":"input_required"}`, "does not say what for", ""},
		"capability":  {`"error":{"code":-32021,"message":"needs sampling"}`, "", "needs sampling"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{tools: tool("get", readOnly), on: map[string]func(*server, *reprise.Message) string{
				"initialize":      func(*server, *reprise.Message) string { return `"error":{"code":-32022,"message":"no"}` },
				"server/discover": func(*server, *reprise.Message) string { return `"result":{}` },
				"tools/call": func(_ *server, m *reprise.Message) string {
					if reprise.Member(m.Params, "requestState").Raw == `"a\u002b"` {
						return text("done")
					}
					return c.first
				}}}
			a := opened(t, s, options()).call(context.Background(), "get", "{}")
			if !strings.Contains(a.Trouble, c.trouble) || !strings.Contains(a.wants, c.wants) || (a.Trouble == "") != (c.trouble == "") || (a.wants == "") != (c.wants == "") {
				t.Errorf("%q, %q", a.Trouble, a.wants)
			}
			if c.trouble+c.wants == "" && !strings.Contains(a.Response, "done") {
				t.Error(a.Response)
			}
		})
	}
}
