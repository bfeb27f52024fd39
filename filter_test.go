package reprise_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
)

// noon is when the sessions of these tests began, and an hour later is now.
var (
	noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.FixedZone("", 3600))
	now  = noon.Add(time.Hour)
)

// entries reads a session from lines that begin with > (client to server) or <, one per
// 100 ms, and gives its calls and its messages by name: q1 is the call of line 1, m2.0 the first message of line 2.
func entries(s *reprise.Session, lines ...string) map[string]*reprise.Entry {
	found := map[string]*reprise.Entry{}
	frames := map[int64][]byte{}
	d := reprise.Deriver{Session: s}
	d.Message = func(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
		frame, message := *f, *m
		frame.Data = slices.Clone(f.Data)
		frames[f.Seq] = frame.Data
		found[fmt.Sprintf("m%d.%d", f.Seq, m.Index)] = &reprise.Entry{Session: s, Call: c, Frame: &frame, Message: &message}
	}
	d.Call = func(c *reprise.Call) {
		name := fmt.Sprintf("q%d", c.Seq)
		if c.Index > 0 {
			name += fmt.Sprintf(".%d", c.Index)
		}
		found[name] = &reprise.Entry{Session: s, Call: c}
	}
	framer := reprise.Framer{Emit: func(f reprise.Frame) { f.Data = slices.Clone(f.Data); d.Add(&f) }}
	for i, line := range lines {
		dir := reprise.ClientToServer
		if line[0] == '<' {
			dir = reprise.ServerToClient
		}
		framer.Add(reprise.Chunk{Direction: dir, Data: []byte(line[1:] + "\n"), At: time.Duration(i+1) * 100 * time.Millisecond})
	}
	d.End()
	for _, e := range found {
		if e.Frame == nil {
			e.Request, e.Response = frames[e.Call.Seq], frames[e.Call.Response]
		}
	}
	return found
}

// selected gives the names of the entries that a filter selects: q for calls, m for messages.
func selected(t *testing.T, text string, of map[string]*reprise.Entry) (q, m string) {
	t.Helper()
	f, err := reprise.ParseFilter(text, now)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var names []string
	for name, e := range of {
		if f.Match(e) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	i := slices.IndexFunc(names, func(name string) bool { return name[0] == 'q' })
	if i < 0 {
		i = len(names)
	}
	return strings.Join(names[i:], " "), strings.Join(names[:i], " ")
}

// aSession has a bit of everything.
func aSession() map[string]*reprise.Entry {
	s := &reprise.Session{ID: "0193-a", Host: "cursor", Server: "git hub", Transport: "stdio", StartedAt: noon}
	return entries(s,
		`>{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_issue","arguments":{"id":"ISS-7","n":1.50},"_meta":{"progressToken":"tok"}}}`,
		`<{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":1}}`,
		`<{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"title\":\"Caf\\u00e9\",\"open\":true}"}]}}`,
		`>{"jsonrpc":"2.0","id":"1","method":"prompts/get","params":{"name":"review"}}`,
		`<{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"No Such Prompt"}}`,
		`<{"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		`<npm warn deprecated`,
		`>{"jsonrpc":"2.0","id":8,"result":{}}`,
		`>[{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"file:///a b"}},{"jsonrpc":"2.0","id":3,"method":"ping"}]`,
		`<{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///x"}}`,
	)
}

const everyCall, everyMessage = "q1 q4 q6 q9 q9.1", "m1.0 m10.0 m2.0 m3.0 m4.0 m5.0 m6.0 m7.0 m8.0 m9.0 m9.1"

// choice is what a filter selects.
type choice struct{ filter, calls, messages string }

func choose(t *testing.T, of map[string]*reprise.Entry, choices []choice) {
	t.Helper()
	for _, c := range choices {
		if calls, messages := selected(t, c.filter, of); calls != c.calls || messages != c.messages {
			t.Errorf("%q\n selects %q and %q\n    want %q and %q", c.filter, calls, messages, c.calls, c.messages)
		}
	}
}

func TestFilterFields(t *testing.T) {
	choose(t, aSession(), []choice{
		{"", everyCall, everyMessage},
		{"session:0193-a", everyCall, everyMessage},
		{"session:0193", "", ""},
		{"session:0193*", everyCall, everyMessage},
		{"host:Cursor", "", ""},
		{`server:"git hub"`, everyCall, everyMessage},
		{`server:git?hub transport:std*`, everyCall, everyMessage},
		{`server:"git?hub"`, "", ""},
		{"version:*", "", ""}, // it has none
		{"not version:*", everyCall, everyMessage},

		{"direction:client", "q1 q4 q9 q9.1", "m1.0 m2.0 m3.0 m4.0 m5.0 m9.0 m9.1"},
		{"direction:server", "q6", "m10.0 m6.0 m7.0 m8.0"}, // m8.0 answers a request that we did not see

		{"kind:request", everyCall, "m1.0 m4.0 m6.0 m9.0 m9.1"},
		{"kind:response", "q1 q4", "m3.0 m5.0 m8.0"},
		{"not kind:response", "q6 q9 q9.1", "m1.0 m10.0 m2.0 m4.0 m6.0 m7.0 m9.0 m9.1"},
		{"kind:re*", everyCall, "m1.0 m3.0 m4.0 m5.0 m6.0 m8.0 m9.0 m9.1"},
		{"kind:noise", "", "m7.0"},
		{"kind:notification", "", "m10.0 m2.0"},

		{"method:tools/call", "q1", "m1.0 m3.0"},
		{"method:notifications/progress", "", "m2.0"},
		{"tool:get_*", "q1", "m1.0 m2.0 m3.0"},
		{"tool:*", "q1", "m1.0 m2.0 m3.0"},
		{"tool:review", "", ""},
		{"prompt:review", "q4", "m4.0 m5.0"},
		{"uri:file:///*", "q9", "m10.0 m9.0"},
		{`uri:"file:///a b"`, "q9", "m9.0"},
		{"id:1", "q1 q4 q6", "m1.0 m2.0 m3.0 m4.0 m5.0 m6.0"},
		{`id:"\"1\""`, "q4", "m4.0 m5.0"},
		{"not id:*", "", "m10.0 m7.0"},

		{"status:ok", "q1", "m1.0 m2.0 m3.0"},
		{"status:error", "q4", "m4.0 m5.0"},
		{"status:unanswered", "q6 q9 q9.1", "m6.0 m9.0 m9.1"},
		{"not status:ok", "q4 q6 q9 q9.1", "m10.0 m4.0 m5.0 m6.0 m7.0 m8.0 m9.0 m9.1"},
		{"not status:*", "", "m10.0 m7.0 m8.0"},
		{"code:-32602", "q4", "m4.0 m5.0"},
		{"code:<-32000", "q4", "m4.0 m5.0"},
		{"not code:<0", "q1 q6 q9 q9.1", "m1.0 m10.0 m2.0 m3.0 m6.0 m7.0 m8.0 m9.0 m9.1"},

		{"dur:>150ms", "q1", "m1.0 m2.0 m3.0"},
		{"dur:>=100ms dur:<200ms", "q4", "m4.0 m5.0"},
		{"dur:200ms", "q1", "m1.0 m2.0 m3.0"},
		{"dur:>=0s", "q1 q4", "m1.0 m2.0 m3.0 m4.0 m5.0"},
		{"size:<20", "", "m7.0"},
		{"size:>=120b", "q1 q9 q9.1", "m1.0 m9.0 m9.1"},
		{"size:>1kb", "", ""},
		{"seq:>=4 seq:<=6", "q4 q6", "m4.0 m5.0 m6.0"},
		{"source:*", "", ""},
	})
}

func TestFilterContents(t *testing.T) {
	choose(t, aSession(), []choice{
		{"value:ISS-7", "q1", "m1.0"},
		{"value:iss-7", "", ""},
		{"value:ISS-?", "q1", "m1.0"},
		{"value:1.50", "q1", "m1.0"},
		{"value:1.5", "", ""},
		{"value:Café", "q1", "m3.0"}, // in JSON in a text block
		{"value:true", "q1", "m3.0"},
		{"value:get_issue", "", ""}, // the tool's name is no argument
		{"value:tok", "", "m2.0"},
		{"value:review", "q4", "m4.0"},
		{"value:text", "q1", "m3.0"},
		{"value:title", "", ""}, // a key

		{"iss-7", "q1", "m1.0"},
		{`"no such"`, "q4", "m5.0"},
		{"NPM", "", "m7.0"},
		{"-32602", "q4", "m5.0"},
		{`/ISS-\d/`, "q1", "m1.0"},
		{`/iss-\d/`, "", ""},
		{`/(?i)iss-\d/`, "q1", "m1.0"},
		{`/^npm/`, "", "m7.0"},
		{`/file:\/\/\/x/`, "", "m10.0"},

		{"tool:* or prompt:*", "q1 q4", "m1.0 m2.0 m3.0 m4.0 m5.0"},
		{"kind:request tool:* or kind:noise", "q1", "m1.0 m7.0"},
		{"kind:request (tool:* or kind:noise)", "q1", "m1.0"},
		{"kind:request AND NOT (tool:* OR prompt:*)", "q6 q9 q9.1", "m6.0 m9.0 m9.1"},
		{"not not tool:*", "q1", "m1.0 m2.0 m3.0"},

		{"since:1h", everyCall, everyMessage},
		{"since:59m59s", "", "m10.0"}, // line 10 came 1 s after noon
		{"until:59m59.5s", "q1 q4", "m1.0 m2.0 m3.0 m4.0"},
		{"since:2026-11-30", everyCall, everyMessage},
		{"since:2026-12-01", "", ""},
		{"until:2026-12-01 since:2026-11-29", everyCall, everyMessage},
		{`since:"2026-11-30 12:00"`, everyCall, everyMessage}, // in now's zone
		{"since:2026-11-30T12:00:00Z", "", ""},
		{"since:2026-11-30T11:00:00.95Z", "", "m10.0"},
		{"since:9999-01-01", "", ""},
	})
}

func TestFilterBytes(t *testing.T) {
	s := &reprise.Session{ID: "s", StartedAt: noon}
	deep := strings.Repeat("[", 999) + `"leaf"` + strings.Repeat("]", 999)
	of := entries(s,
		`>{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":"x\u0000y","b":"","c":null,"text":["t"],"d":`+strings.Repeat("[", 900)+`"low"`+strings.Repeat("]", 900)+`}}}`,
		`<{"jsonrpc":"2.0","id":1,"result":{"text":"`+strings.ReplaceAll(deep, `"`, `\"`)+`"}}`,
		`<{"jsonrpc":"2.0","method":"m","params":{"text":"`+strings.ReplaceAll("["+deep+"]]", `"`, `\"`)+`","u":"{\"v\":\"w\"}"}}`,
		`<{"jsonrpc":"2.0","method":"m","params":{"text":"[`+strings.ReplaceAll(deep, `"`, `\"`)+`,1]"}}`,
		`<{"jsonrpc":"2.0","method":"m","params":{"text":"\"quoted\"","e":{"text":"{\"text\":\"{\\\"inner\\\":\\\"twice\\\"}\"}"}}}`,
		"<\xff\xfe caf\xe9 İ",
		">",
		`<{"method":"m","params":["\u0049SS-8","a\/b",{"text":"[\"\\u0049SS-9\",\"c/d\"]"}]}`,
	)
	choose(t, of, []choice{
		{"value:x\x00y", "q1", "m1.0"},
		{"value:x?y", "q1", "m1.0"},
		{`value:""`, "q1", "m1.0"},
		{"value:null", "q1", "m1.0"},
		{"value:low", "q1", "m1.0"},
		{"value:leaf", "q1", "m2.0 m4.0"}, // as deep as we look; m3.0 is no JSON
		{"value:w", "", ""},               // not under "text"
		{"value:quoted", "", "m5.0"},
		{"value:inner", "", ""},
		{"value:twice", "", ""}, // JSON in JSON in JSON
		{"\"\xff\xfe CAF\xe9\"", "", "m6.0"},
		{"i̇", "", ""}, // only ASCII letters have case
		{`/^$/`, "", "m7.0"},
		{"not /./", "", "m7.0"},
		{"value:ISS-8", "", "m8.0"}, // whatever is escaped
		{"value:ISS-9", "", "m8.0"},
		{"value:a/b", "", "m8.0"},
		{"value:c/d", "", "m8.0"},
	})
}

func TestContainsFold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = "aAbB\xe9["[r.IntN(6)]
		}
		return p
	}
	for range 20_000 {
		data, part := text(r.IntN(20)), text(r.IntN(4))
		want := bytes.Contains(lowered(data), lowered(part))
		if got := reprise.ContainsFold(data, string(part)); got != want {
			t.Fatalf("ContainsFold(%q, %q) is %v", data, part, got)
		}
	}
}

func lowered(p []byte) []byte {
	return []byte(strings.NewReplacer("A", "a", "B", "b").Replace(string(p)))
}

func TestFilterLongLine(t *testing.T) {
	head := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":"early","b":"`
	data := []byte(head + strings.Repeat("x", reprise.PartSize-len(head)))
	if !reprise.HasValue(data, 0, reprise.Pattern{Text: "early"}) {
		t.Error("the first part of a long line is not looked into")
	}
	if reprise.HasValue(data, 0, reprise.Pattern{Text: "*xxx*", Wild: true}) {
		t.Error("a string that is cut was taken for a value")
	}
}

func TestFilterOfSessions(t *testing.T) {
	open := &reprise.Session{ID: "open", Host: "cursor", StartedAt: noon}
	over := &reprise.Session{ID: "over", Host: "codex", StartedAt: noon, EndedAt: noon.Add(10 * time.Minute)}
	for _, c := range []struct{ filter, want string }{
		{"", "open over"},
		{"host:c*", "open over"},
		{"not host:cursor", "over"},
		{"tool:x", "open over"},
		{"not tool:x kind:noise foo /re/ dur:>5s", "open over"},
		{"host:codex tool:x", "over"},
		{"host:codex or tool:x", "over"},
		{"host:codex (status:ok or not (seq:1 host:cursor))", "over"},
		{"since:30m", "open"}, // it still lasts
		{"since:55m", "open over"},
		{"until:2h", ""},
		{"until:50m", "open over"},
		{"not since:30m", "over"},
	} {
		f, err := reprise.ParseFilter(c.filter, now)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range []*reprise.Session{open, over} {
			if f.MatchSession(s) {
				got = append(got, s.ID)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s selects %q, want %q", c.filter, got, c.want)
		}
	}
}

func TestFilterCanonical(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"  ", ""},
		{"a AND b", `"a" "b"`},
		{"a b or c d", `"a" "b" or "c" "d"`},
		{"((a b) (c)) d", `"a" "b" "c" "d"`},
		{"(a or (b or c)) d", `("a" or "b" or "c") "d"`},
		{"not (a b)not(c)", `not ("a" "b") not "c"`},
		{`tool:"get_issue"`, "tool:get_issue"},
		{`tool:"get_*"`, `tool:"get_*"`},
		{`value:">5" value:"" value:"a b" value:C:\dir`, `value:">5" value:"" value:"a b" value:C:\dir`},
		{`"say \"hi\" \ \\ \n"`, `"say \"hi\" \\ \\ \\n"`},
		{`/a\/b\\/`, `/a\/b\\/`},
		{"dur:>1500us dur:<2m", "dur:>1.5ms dur:<2m0s"},
		{"size:>=1.5MB size:64k size:<=7b size:2gb size:0", "size:>=1536kb size:64kb size:<=7 size:2048mb size:0"},
		{"code:+5 seq:<=12", "code:5 seq:<=12"},
		{"since:1d2h until:1w", "since:2026-11-29T10:00:00Z until:2026-11-23T12:00:00Z"},
		{"12:30 ::1 a=b", `"12:30" "::1" "a=b"`},
	} {
		f, err := reprise.ParseFilter(c.text, now)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if f.String() != c.want {
			t.Errorf("%s\n is %s\nwant %s", c.text, f, c.want)
		}
		again, err := reprise.ParseFilter(f.String(), now.Add(time.Hour))
		if err != nil || again.String() != c.want {
			t.Errorf("%s read again is %v, %v", c.want, again, err)
		}
	}
}

// TestFilterMentions fields that terms are about, not words of a text.
func TestFilterMentions(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                      false,
		"source:told":                           true,
		"tool:get (status:ok or not source:*)":  true,
		`"source:" or tool:"source:" or source`: false,
		"/source:told/ value:source: dur:>1s":   false,
		"server:x source:synthesized since:2020-01-01": true,
	} {
		f, err := reprise.ParseFilter(text, time.Now())
		if err != nil || f.Mentions(reprise.FieldSource) != want {
			t.Errorf("%s mentions source: %v, %v", text, !want, err)
		}
	}
	f, err := reprise.ParseFilter("not dur:>1s", time.Now())
	if err != nil || !f.Mentions(reprise.FieldDur) || f.Mentions(reprise.FieldSize) {
		t.Errorf("%s mentions other fields, %v", f, err)
	}
}

func TestFilterErrors(t *testing.T) {
	for _, c := range []struct {
		text    string
		column  int
		problem string
		hint    string
	}{
		{"tol:x", 1, `no field "tol"`, "session, host, server, transport, version, since, until, direction, kind, method, tool, prompt, uri, id, status, code, dur, size, seq, source, value"},
		{"é http://x", 3, `no field "http"`, "in quotes"},
		{"Tool:x", 1, `no field "Tool"`, "tool"},
		{"a status:bad", 3, `never "bad"`, "open, ok, tool_error, error, cancelled, unanswered, lost"},
		{"status:x*", 1, `never "x*"`, "ok"},
		{"kind:Request", 1, "never", "request"},
		{"direction:c2s", 1, "never", "client, server"},
		{"source:guessed", 1, "never", "synthesized"},
		{"tool:", 1, "no value", "tool:*"},
		{`tool:""`, 1, "no value", "tool:*"},
		{"tool: x", 1, "no value", "tool:*"},
		{"tool:>x", 1, "can't be compared", `tool:">x"`},
		{"dur:>500", 1, `"500"`, "ms"},
		{"dur:>-5s", 1, `"-5s"`, "ms"},
		{"dur:fast", 1, `"fast"`, "dur:>500ms"},
		{"dur>5s", 1, "colon", "dur:>5s"},
		{"host=x", 1, "colon", "host:x"},
		{"size:>4tb", 1, `"4tb"`, "kb"},
		{"size:>99999999999gb", 1, "99999999999gb", "kb"},
		{"size:1e3", 1, "1e3", "kb"},
		{"code:-326*", 1, `"-326*"`, "whole number"},
		{"seq:>=99999999999999999999", 1, "9999", "whole number"},
		{"since:yesterday", 1, `"yesterday"`, "2h"},
		{"since:-2h", 1, `"-2h"`, "2h"},
		{"since:2026-13-01", 1, "2026-13-01", "2026-11-30"},
		{"until:>2h", 1, ">2h", "2h"},
		{`""`, 1, "nothing to look for", ""},
		{"//", 1, "nothing to look for", ""},
		{`a "b`, 3, "does not end", `\"`},
		{`host:"b`, 6, "does not end", `\"`},
		{"/mcp", 1, "does not end", `"/usr/bin"`},
		{"/usr/bin", 6, "blank is missing", `"/usr/bin"`},
		{"/(/", 1, "missing closing )", "RE2"},
		{`"a"b`, 4, "blank is missing", ""},
		{`a"b"`, 2, "blank is missing", "quotes"},
		{"value:f(x)", 8, "blank is missing", "quotes"},
		{"(a", 1, "without its )", ""},
		{"a)", 2, "without its (", ""},
		{"()", 2, "missing", ""},
		{"a or", 5, "missing", `"or"`},
		{"or a", 1, "missing", `"or"`},
		{"not", 4, "missing", ""},
		{"a and or b", 7, "missing", ""},
		{strings.Repeat("not ", 60) + "a", 201, "too deep", "50"},
		{strings.Repeat("(", 1_000_000), 51, "too deep", "50"},
		{strings.Repeat("a ", 301), 601, "too long", "300"},
	} {
		_, err := reprise.ParseFilter(c.text, now)
		var e *reprise.FilterError
		if !errors.As(err, &e) {
			t.Errorf("%.40s: no error", c.text)
			continue
		}
		if e.Column != c.column || !strings.Contains(e.Error(), c.problem) || !strings.Contains(e.Hint(), c.hint) {
			t.Errorf("%.40s\n gives column %d: %s\n hint: %s\n want column %d, %q, %q", c.text, e.Column, e, e.Hint(), c.column, c.problem, c.hint)
		}
		if !strings.Contains(e.Error(), fmt.Sprintf("column %d", c.column)) {
			t.Errorf("%.40s: the column is not in %q", c.text, e.Error())
		}
	}
}

func TestFilterGlobIsNotExponential(t *testing.T) {
	p := reprise.Pattern{Text: strings.Repeat("*a", 1000), Wild: true}
	if p.Match(strings.Repeat("a", 20_000) + "b") { // a backtracking matcher never comes back
		t.Error("matched")
	}
}

// FuzzFilter: whatever the text, no panic; and what parses has a canonical spelling that is the same filter.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{`tool:get_* or not (status:error dur:>1.5s) "free \" text" /re\/x/`, "size:>=1.5mb since:3d until:2026-11-30",
		`value:"" id:"\"1\"" kind:re* code:<-3 seq:<=4`, "source:told direction:server uri:a?b NOT a AND b"} {
		f.Add(text)
	}
	of := entries(&reprise.Session{ID: "s", Host: "cursor", StartedAt: noon},
		`>{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"get_issue","arguments":{"id":"ISS-7"}}}`,
		`<{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"free text"}}`, `<noise`,
		`<{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a?b"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := reprise.ParseFilter(text, now)
		if err != nil {
			var e *reprise.FilterError
			if !errors.As(err, &e) || e.Column < 1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := reprise.ParseFilter(filter.String(), now.Add(time.Hour))
		if err != nil || again.String() != filter.String() {
			t.Fatalf("%q is %q, and that is %q, %v", text, filter, again, err)
		}
		for name, e := range of {
			if filter.Match(e) != again.Match(e) {
				t.Fatalf("%q and %q differ on %s", text, filter, name)
			}
		}
		filter.MatchSession(of["q1"].Session)
	})
}
