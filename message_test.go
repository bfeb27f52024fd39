package reprise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// brief tells a message in a line: kind, id, method, name, flags.
func (m Message) brief() string {
	return strings.Join(append([]string{string(m.Kind), m.ID, m.Method, m.Name}, m.Flags.Names()...), "|")
}

func briefs(messages []Message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.brief())
	}
	return all
}

func TestReadMessages(t *testing.T) {
	const v = `"jsonrpc":"2.0",`
	tests := []struct {
		data string
		want []string
	}{
		{`{` + v + `"id":1,"method":"ping"}`, []string{"request|1|ping|"}},
		{` {` + v + `"id":1,"result":{}} ` + "\r", []string{"response|1||"}},
		{`{` + v + `"method":"notifications/initialized"}`, []string{"notification||notifications/initialized|"}},
		{`{` + v + `"id":"1","error":{"code":1}}`, []string{`response|"1"||`}},
		{`{` + v + `"error":{"code":-32700}}`, []string{"response|||"}},
		// Ids are raw tokens.
		{`{` + v + `"id":9007199254740993,"method":"a"}`, []string{"request|9007199254740993|a|"}},
		{`{` + v + `"id":1.5,"method":"a"}`, []string{"request|1.5|a|"}},
		{`{` + v + `"id":1.0,"method":"a"}`, []string{"request|1.0|a|"}},
		{`{` + v + `"id":-0,"method":"a"}`, []string{"request|-0|a|"}},
		{`{` + v + `"id":"","method":"a"}`, []string{`request|""|a|`}},
		{`{` + v + `"id":0,"method":"a"}`, []string{"request|0|a|"}},
		{`{` + v + `"id":"\u0031","method":"a"}`, []string{`request|"\u0031"|a|`}},
		{`{` + v + `"id":null,"method":"a"}`, []string{"request|null|a||null id"}},
		{`{` + v + `"id":null,"error":{"code":-32700}}`, []string{"response|null|||null id"}},
		{`{` + v + `"id":1e999999999,"method":"a"}`, []string{"request|1e999999999|a|"}},
		// Members twice, and in another case.
		{`{` + v + `"method":"ping","id":1,"method":"tools/call"}`, []string{"request|1|tools/call||duplicate key"}},
		{`{` + v + `"Method":"tools/call","method":"ping","id":1}`, []string{"request|1|ping||case-folded key"}},
		{`{` + v + `"Method":"tools/call","id":1}`, []string{"invalid|1|||case-folded key"}},
		{`{` + v + `"paramſ":{},"method":"ping","id":1}`, []string{"request|1|ping||case-folded key"}},
		{`{` + v + `"\u006dethod":"ping","id":1}`, []string{"request|1|ping|"}},
		{`{` + v + `"id":1,"method":"tools/call","params":{"name":"safe","Name":"danger"}}`,
			[]string{"request|1|tools/call|safe|case-folded key"}},
		{`{` + v + `"id":1,"method":"tools/call","params":{"name":"safe","name":"danger"}}`,
			[]string{"request|1|tools/call|danger|duplicate key"}},
		// Odd envelopes.
		{`{"id":1,"method":"a"}`, []string{"request|1|a||version"}},
		{`{"jsonrpc":"1.0","id":1,"method":"a"}`, []string{"request|1|a||version"}},
		{`{` + v + `"id":1,"result":{},"error":null}`, []string{"response|1|||result and error"}},
		{`{` + v + `"id":1,"method":"a","result":{}}`, []string{"request|1|a||result and error"}},
		{`{` + v + `"id":1,"method":7}`, []string{"invalid|1||"}},
		{`{` + v + `"id":1,"method":null,"result":{}}`, []string{"response|1|||null method"}},
		{`{` + v + `"id":1}`, []string{"invalid|1||"}},
		{`{"hello":1}`, []string{"noise||||version"}},
		{`{}`, []string{"noise||||version"}},
		{"\ufeff{" + v + `"id":1,"method":"a"}`, []string{"request|1|a||byte order mark"}},
		// Several on a line.
		{`[{` + v + `"id":1,"method":"a"},{` + v + `"method":"b"},7]`,
			[]string{"request|1|a||batch member", "notification||b||batch member", "invalid||||batch member"}},
		{`[]`, []string{"invalid||||batch member"}},
		{`[[{` + v + `"id":1,"method":"a"}]]`, []string{"invalid||||batch member"}},
		{`{` + v + `"id":1,"method":"a"}{` + v + `"id":2,"method":"b"}`, []string{"request|1|a||joined", "request|2|b||joined"}},
		{`{` + v + `"id":1,"method":"a"} [{` + v + `"id":2,"result":0}]`,
			[]string{"request|1|a||joined", "response|2|||batch member|joined"}},
		{`{` + v + `"id":1,"method":"a"}{"jsonrpc`, []string{"invalid|||"}},
		// Noise.
		{"npm warn deprecated", []string{"noise|||"}},
		{"", []string{"noise|||"}},
		{" \t\r", []string{"noise|||"}},
		{"\x1b[32mready\x1b[0m", []string{"noise|||"}},
		{"[INFO] ready", []string{"noise|||"}},
		{"{not json", []string{"noise|||"}},
		{`"str"`, []string{"noise|||"}},
		{"42", []string{"noise|||"}},
		{"null", []string{"noise|||"}},
		{`{"jsonrpc":"2.0","id":1,"met`, []string{"invalid|||"}},
		{`DEBUG sent {"jsonrpc":"2.0","id":1}`, []string{"invalid|||"}},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\nb\"}", []string{"invalid|||"}},
		// Bytes that strings may hold.
		{"{" + v + "\"id\":1,\"method\":\"\u2028\xff\xfe\u0085\"}", []string{"request|1|\u2028\xff\xfe\u0085|"}},
		{`{` + v + `"id":1,"method":"a\u0000"}`, []string{"request|1|a\x00|"}},
	}
	for _, tt := range tests {
		if got := briefs(ReadMessages([]byte(tt.data))); !slices.Equal(got, tt.want) {
			t.Errorf("%s\ngot  %q\nwant %q", tt.data, got, tt.want)
		}
	}
}

func TestMessageNames(t *testing.T) {
	const v = `"jsonrpc":"2.0",`
	tests := []struct {
		data string
		want []string
	}{
		{`{` + v + `"id":1,"method":"resources/read","params":{"uri":"file:///a"}}`, []string{"request|1|resources/read|file:///a"}},
		{`{` + v + `"id":1,"method":"tasks/get","params":{"taskId":"t"}}`, []string{"request|1|tasks/get|t"}},
		{`{` + v + `"id":1,"method":"prompts/get","params":{"name":"\u0070"}}`, []string{"request|1|prompts/get|p"}},
		{`{` + v + `"id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"}}}`,
			[]string{"request|1|completion/complete|p"}},
		{`{` + v + `"id":1,"method":"completion/complete","params":{"ref":{"uri":"u"}}}`, []string{"request|1|completion/complete|u"}},
		{`{` + v + `"id":1,"method":"tools/call","params":["name","x"]}`, []string{"request|1|tools/call|"}},
		{`{` + v + `"id":1,"method":"tools/call","params":"{\"name\":\"x\"}"}`, []string{"request|1|tools/call|"}},
		{`{` + v + `"id":1,"method":"tools/call","params":{"name":7}}`, []string{"request|1|tools/call|"}},
	}
	for _, tt := range tests {
		if got := briefs(ReadMessages([]byte(tt.data))); !slices.Equal(got, tt.want) {
			t.Errorf("%s\ngot  %q\nwant %q", tt.data, got, tt.want)
		}
	}
}

func TestReadMessagesKeepsRawParts(t *testing.T) {
	m := ReadMessages([]byte(`{"params": { "n":1.50 } ,"id":1,"method":"a","jsonrpc":"2.0"}`))[0]
	if m.Params != `{ "n":1.50 }` {
		t.Errorf("params are %q", m.Params)
	}
	m = ReadMessages([]byte(`{"error": {"code":1} ,"id":1,"result":1e400}`))[0]
	if m.Error != `{"code":1}` || m.Result != "1e400" {
		t.Errorf("error is %q, result %q", m.Error, m.Result)
	}
}

// Nothing recursive sees deep nesting, and nothing grows without bound.
func TestReadMessagesOfHostileLines(t *testing.T) {
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"deep arrays":       {bytes.Repeat([]byte("["), 8<<20), "invalid||||too deep"},
		"deep objects":      {bytes.Repeat([]byte(`{"a":`), 2<<20), "invalid||||too deep"},
		"deep behind noise": {append([]byte("{}]]"), bytes.Repeat([]byte("["), 8<<20)...), "invalid||||too deep"},
		"deep and a bom":    {append([]byte("\ufeff"), bytes.Repeat([]byte("["), 1<<20)...), "invalid||||byte order mark|too deep"},
		"many objects":      {bytes.Repeat([]byte("{}"), 4<<20), "invalid||||joined|too many"},
		"many members":      {[]byte("[" + strings.Repeat("1,", 4<<20) + "1]"), "invalid||||batch member|too many"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := briefs(ReadMessages(tt.data)); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %.200q, want %q", got, tt.want)
			}
		})
	}
	atLimit := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if m := ReadMessages([]byte(atLimit)); m[0].Flags&FlagTooDeep != 0 {
		t.Error("the deepest allowed nesting was refused")
	}
	most := "[" + strings.Repeat("1,", MaxMessages-1) + "1]"
	if n := len(ReadMessages([]byte(most))); n != MaxMessages {
		t.Errorf("the largest allowed batch gave %d messages", n)
	}
}

func TestReadLong(t *testing.T) {
	long := strings.Repeat("x", 9000)
	tests := []struct{ head, tail, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"a":"` + long, long + `"}}`, "response|1|||cut"},
		{`{"result":{"a":"` + long, long + `"},"jsonrpc":"2.0","id":7}`, "response|7|||cut"},
		{`{"result":{"a":"` + long, long + `,\"id\":1"},"jsonrpc":"2.0","id":"7"}` + " \r", `response|"7"|||cut`},
		{`{"jsonrpc":"2.0","result":{"a":"` + long, long + `","id":5}}`, "response||||cut"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"a":"` + long, `"}}}`, "request|1|tools/call|n|cut"},
		{"\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"` + long, `"}}`, "request|1|m||byte order mark|cut"},
		{long, long, "noise||||cut"},
		{strings.Repeat("[", 5000), "", "invalid||||too deep|cut"},
		{"", "", "noise||||cut"},
	}
	for _, tt := range tests {
		if got := ReadLong([]byte(tt.head), []byte(tt.tail)).brief(); got != tt.want {
			t.Errorf("%.60s…: got %q, want %q", tt.head, got, tt.want)
		}
	}
}

func FuzzMessage(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}`,
		`[{"jsonrpc":"2.0","id":1,"result":{"isError":true}},{"id":null}]`, `{"id":1}{"id":1}`, "\ufeff{}",
		`{"Method":"a","method":"b","method":null}`, `{"error":{"code":1e999999999},"id":"1"}`, `{"a":"\ud800\u0000"}`,
		"[[[", `{"":"","":""}`, "npm warn", `{"id":1,"method":"a"`, `"x"`, `{"jsonrpc":"2.0","id":01}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		kept := bytes.Clone(data)
		messages := ReadMessages(data)
		if len(messages) == 0 {
			t.Fatal("no message")
		}
		for i, m := range messages {
			checkMessage(t, data, i, m)
			feedAll(&m)
		}
		if json.Valid(data) && depthOf(data) <= MaxDepth {
			compareWithJSON(t, data, messages)
		}
		for cut := 0; cut <= len(data); cut += 1 + len(data)/4 {
			m := ReadLong(data[:cut], data[cut:])
			feedAll(&m)
		}
		if !bytes.Equal(data, kept) {
			t.Fatal("the frame was changed")
		}
	})
}

func checkMessage(t *testing.T, data []byte, i int, m Message) {
	t.Helper()
	if m.Index != i {
		t.Fatalf("message %d has index %d", i, m.Index)
	}
	for _, part := range []string{m.ID, m.Params, m.Result, m.Error} {
		if !bytes.Contains(data, []byte(part)) || part != "" && !json.Valid([]byte(part)) {
			t.Fatalf("%q is no JSON value of the frame", part)
		}
	}
	answer := m.Result != "" || m.Error != ""
	ok := map[Kind]bool{
		KindRequest:      m.ID != "",
		KindNotification: m.ID == "" && !answer || m.Flags&FlagBoth != 0,
		KindResponse:     answer && m.Method == "",
		KindInvalid:      true,
		KindNoise:        m.ID == "" && m.Method == "" && !answer,
	}
	if !ok[m.Kind] {
		t.Fatalf("%s: id %q, method %q, result %q, error %q", m.Kind, m.ID, m.Method, m.Result, m.Error)
	}
}

// feedAll shows the message to all that reads messages.
func feedAll(m *Message) {
	p := Pairer{Changed: func(*Call) {}}
	var d Describer
	var s Session
	for _, dir := range []Direction{ClientToServer, ServerToClient} {
		f := &Frame{Seq: 1, Direction: dir}
		d.Add(&s, dir, m, p.Add(f, m))
	}
	p.End(StatusLost)
}

// compareWithJSON checks the reading of valid JSON against encoding/json.
// Into a map it decodes keys by exact case and keeps the last of duplicates.
func compareWithJSON(t *testing.T, data []byte, messages []Message) {
	t.Helper()
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && list != nil {
		if n := max(1, len(list)); n != len(messages) {
			t.Fatalf("a batch of %d gave %d messages", len(list), len(messages))
		}
		return
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || object == nil {
		if len(messages) != 1 || messages[0].Kind != KindNoise && messages[0].Kind != KindInvalid {
			t.Fatalf("%s is %q", data, briefs(messages))
		}
		return
	}
	m := messages[0]
	if len(messages) != 1 {
		t.Fatalf("one object gave %d messages", len(messages))
	}
	for key, got := range map[string]string{"id": m.ID, "params": m.Params, "result": m.Result, "error": m.Error} {
		if want := string(object[key]); got != want {
			t.Fatalf("%s is %q, want %q", key, got, want)
		}
	}
}

func BenchmarkReadMessages(b *testing.B) {
	for _, size := range []int{200, 64 << 10, 4 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			data := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` +
				strings.Repeat(`{\"a\":\"some text of a usual kind\"}, `, size/40) + `"}]}}`)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				ReadMessages(data)
			}
		})
	}
}
