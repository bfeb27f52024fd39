package reprise

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// linksOf tells which calls continue which: "3 round 1" for the call that frame 3 asks for.
func linksOf(calls []*Call) []string {
	var links []string
	for _, c := range calls {
		if c.Link != "" {
			links = append(links, fmt.Sprintf("%d %s %d", c.Seq, c.Link, c.Of))
		}
	}
	return links
}

func ask(id, method, params string) string {
	return `> {"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

func answer(id, result string) string {
	return `< {"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

// turned is the line from the other side.
func turned(line string) string {
	if line[0] == '<' {
		return ">" + line[1:]
	}
	return "<" + line[1:]
}

func notice(method, params string) string {
	return `< {"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`
}

// more is a result that asks for another round.
func more(id, members string) string {
	return answer(id, `{"resultType":"input_required",`+members+`}`)
}

func TestRounds(t *testing.T) {
	const (
		call  = `{"name":"deploy","arguments":{"app":"a","n":1}`
		wants = `"inputRequests":{"k1":{"method":"elicitation/create"},"k2":{"method":"roots/list"}}`
		gives = `,"inputResponses":{"k2":{"roots":[]},"k1":{"action":"accept"}}}`
	)
	start := ask("1", "tools/call", call+`}`)
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"by state", []string{start, more("1", `"requestState":"s",`+wants), ask("2", "tools/call", call+`,"requestState":"s"`+gives)}, []string{"3 round 1"}},
		{"by state alone, whatever else it asks", []string{start, more("1", `"requestState":"s"`), ask("2", "prompts/get", `{"name":"x","requestState":"s"}`)}, []string{"3 round 1"}},
		{"a state is what it says, not how it is escaped", []string{start, more("1", `"requestState":"a\/b\u00e9"`), ask("2", "tools/call", call+`,"requestState":"a/bé"}`)}, []string{"3 round 1"}},
		{"a state of another type", []string{start, more("1", `"requestState":"1"`), ask("2", "tools/call", call+`,"requestState":1}`)}, nil},
		{"an empty state is one", []string{start, more("1", `"requestState":""`), ask("2", "tools/call", call+`,"requestState":""}`)}, []string{"3 round 1"}},
		{"a null state is none", []string{start, more("1", `"requestState":null`), ask("2", "tools/call", call+`,"requestState":null}`)}, nil},
		{"states that contradict", []string{start, more("1", `"requestState":"s",`+wants), ask("2", "tools/call", call+`,"requestState":"other"`+gives)}, nil},
		{"an id of another type", []string{start, more("1", wants), ask(`"x"`, "tools/call", call+gives)}, []string{"3 round 1"}},
		{"by what it asks and answers", []string{start, more("1", wants), ask("2", "tools/call", `{"inputResponses":{"k1":1,"k2":2},"arguments":{"n":1.0,"\u0061pp":"a"},"name":"deploy"}`)}, []string{"3 round 1"}},
		{"the retry forgot the state", []string{start, more("1", `"requestState":"s",`+wants), ask("2", "tools/call", call+gives)}, []string{"3 round 1"}},
		{"the retry made a state up", []string{start, more("1", wants), ask("2", "tools/call", call+`,"requestState":"s"`+gives)}, []string{"3 round 1"}},
		{"another tool", []string{start, more("1", wants), ask("2", "tools/call", `{"name":"other","arguments":{"app":"a","n":1}`+gives)}, nil},
		{"another method", []string{ask("1", "prompts/get", call+`}`), more("1", wants), ask("2", "tools/call", call+gives)}, nil},
		{"other arguments", []string{start, more("1", wants), ask("2", "tools/call", `{"name":"deploy","arguments":{"app":"a","n":"1"}`+gives)}, nil},
		{"a key too few", []string{start, more("1", wants), ask("2", "tools/call", call+`,"inputResponses":{"k1":1}}`)}, nil},
		{"a key too many", []string{start, more("1", wants), ask("2", "tools/call", call+`,"inputResponses":{"k1":1,"k2":2,"k3":3}}`)}, nil},
		{"keys that run together", []string{start, more("1", `"inputRequests":{"ab":{},"c":{}}`), ask("2", "tools/call", call+`,"inputResponses":{"a":1,"bc":2}}`)}, nil},
		{"the same call again is no retry", []string{start, more("1", wants), ask("2", "tools/call", call+`}`)}, nil},
		{"two candidates", []string{start, ask("2", "tools/call", call+`}`), more("1", wants), more("2", wants), ask("3", "tools/call", call+gives)}, nil},
		{"two candidates, told apart by their states", []string{start, ask("2", "tools/call", call+`}`), more("1", wants+`,"requestState":"a"`), more("2", wants+`,"requestState":"b"`),
			ask("3", "tools/call", call+`,"requestState":"b"`+gives), ask("4", "tools/call", call+`,"requestState":"a"`+gives)}, []string{"5 round 2", "6 round 1"}},
		{"one of two is continued, so the other is the only one", []string{start, ask("2", "tools/call", call+`}`), more("1", wants+`,"requestState":"a"`), more("2", wants),
			ask("3", "tools/call", call+`,"requestState":"a"`+gives), ask("4", "tools/call", call+gives)}, []string{"5 round 1", "6 round 2"}},
		{"continued already", []string{start, more("1", wants), ask("2", "tools/call", call+gives), ask("3", "tools/call", call+gives)}, []string{"3 round 1"}},
		{"sent again with its state", []string{start, more("1", `"requestState":"s"`), ask("2", "tools/call", call+`,"requestState":"s"}`), ask("3", "tools/call", call+`,"requestState":"s"}`)},
			[]string{"3 round 1", "4 round 1"}},
		{"three legs", []string{start, more("1", wants), ask("2", "tools/call", call+gives), more("2", `"inputRequests":{"k3":{}}`),
			ask("3", "tools/call", call+`,"inputResponses":{"k3":1}}`), answer("3", `{"resultType":"complete","content":[]}`)}, []string{"3 round 1", "5 round 3"}},
		{"come back, with the same state each time", []string{start, more("1", `"requestState":"s"`), ask("2", "tools/call", call+`,"requestState":"s"}`), more("2", `"requestState":"s"`),
			ask("3", "tools/call", call+`,"requestState":"s"}`), more("3", `"requestState":"s"`), ask("4", "tools/call", call+`,"requestState":"s"}`)},
			[]string{"3 round 1", "5 round 3", "7 round 5"}},
		{"come back, and a leg sent again", []string{start, more("1", `"requestState":"s"`), ask("2", "tools/call", call+`,"requestState":"s"}`), more("2", `"requestState":"s"`),
			ask("3", "tools/call", call+`,"requestState":"s"}`), ask("4", "tools/call", call+`,"requestState":"s"}`)}, []string{"3 round 1", "5 round 3", "6 round 3"}},
		{"begun anew instead of coming back", []string{start, more("1", `"requestState":"s"`), ask("2", "tools/call", call+`}`)}, nil},
		{"a server with one state for all", []string{start, ask("2", "tools/call", `{"name":"b"}`), more("1", `"requestState":"s"`), more("2", `"requestState":"s"`),
			ask("3", "tools/call", `{"name":"b","requestState":"s"}`), ask("4", "tools/call", call+`,"requestState":"s"}`)}, []string{"5 round 2", "6 round 1"}},
		{"one state, and the same call again after it was continued", []string{start, more("1", `"requestState":"s"`), ask("2", "tools/call", call+`,"requestState":"s"}`),
			ask("3", "tools/call", call+`}`), more("3", `"requestState":"s"`), ask("4", "tools/call", call+`,"requestState":"s"}`)}, []string{"3 round 1", "6 round 4"}},
		{"one state, and the same call twice", []string{start, ask("2", "tools/call", call+`}`), more("1", `"requestState":"s"`), more("2", `"requestState":"s"`),
			ask("3", "tools/call", call+`,"requestState":"s"}`)}, nil},
		{"resources", []string{ask("1", "resources/read", `{"uri":"a"}`), ask("2", "resources/read", `{"uri":"b"}`), more("1", `"inputRequests":{"k":{}}`), more("2", `"inputRequests":{"k":{}}`),
			ask("3", "resources/read", `{"uri":"a","inputResponses":{"k":1}}`)}, []string{"5 round 1"}},
		{"prompts", []string{ask("1", "prompts/get", `{"name":"p"}`), more("1", `"inputRequests":{"k":{}}`), ask("2", "prompts/get", `{"name":"p","inputResponses":{"k":1}}`)}, []string{"3 round 1"}},
		{"a method that has no rounds", []string{ask("1", "tools/list", `{}`), more("1", `"requestState":"s"`), ask("2", "tools/list", `{"requestState":"s"}`)}, nil},
		{"the result of a method that has no rounds", []string{ask("1", "tools/list", `{}`), more("1", `"requestState":"s"`), ask("2", "tools/call", `{"requestState":"s"}`)}, nil},
		{"another kind of result", []string{start, answer("1", `{"resultType":"complete","requestState":"s",`+wants+`}`), ask("2", "tools/call", call+`,"requestState":"s"`+gives)}, nil},
		{"neither requests nor state", []string{start, more("1", `"content":[]`), ask("2", "tools/call", call+`,"inputResponses":{}}`)}, nil},
		{"an error asks for nothing", []string{start, `< {"jsonrpc":"2.0","id":1,"error":{"code":1},"result":{"resultType":"input_required","requestState":"s"}}`,
			ask("2", "tools/call", call+`,"requestState":"s"}`)}, nil},
		{"a late answer asks nobody", []string{start, "> " + cancel("1"), more("1", wants), ask("2", "tools/call", call+gives)}, nil},
		{"the other direction", []string{start, more("1", `"requestState":"s",`+wants), turned(ask("2", "tools/call", call+`,"requestState":"s"`+gives))}, nil},
		{"the other direction, without a state", []string{start, more("1", wants), turned(ask("2", "tools/call", call+gives))}, nil},
		{"a task that asks for a round", []string{ask("1", "tools/list", `{"task":{}}`), more("1", `"requestState":"s"`), ask("2", "tools/call", `{"requestState":"s"}`)}, nil},
		{"the retry before the result", []string{start, ask("2", "tools/call", call+`,"requestState":"s"`+gives), more("1", `"requestState":"s",`+wants)}, nil},
		{"the last of duplicates", []string{start, more("1", `"requestState":"x","requestState":"s"`), ask("2", "tools/call", call+`,"requestState":"x"}`),
			ask("3", "tools/call", call+`,"requestState":"s"}`)}, []string{"4 round 1"}},
		{"case counts", []string{start, more("1", `"requeststate":"s"`), ask("2", "tools/call", call+`,"requestState":"s"}`)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantLinks(t, tt.lines, tt.want)
		})
	}
}

// wantLinks holds which calls of a conversation continue which.
func wantLinks(t *testing.T, lines, want []string) {
	t.Helper()
	calls, _ := conversation(t, StatusLost, lines...)
	if got := linksOf(calls); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTasks(t *testing.T) {
	const (
		asking  = `{"name":"slow","task":{"ttl":1},"_meta":{"progressToken":"p"}}`
		plain   = `{"name":"slow","_meta":{"progressToken":"p"}}`
		made    = `{"task":{"taskId":"t1","status":"working"}}`
		flat    = `{"resultType":"task","taskId":"t1","status":"working"}`
		related = `{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}`
	)
	start := ask("1", "tools/call", asking)
	about := func(id, method string) string { return ask(id, method, `{"taskId":"t1"}`) }
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"2025", []string{start, answer("1", made), about("2", "tasks/get"), about("3", "tasks/result"), about("4", "tasks/cancel")}, []string{"3 task 1", "4 task 1", "5 task 1"}},
		{"2026", []string{ask("1", "tools/call", plain), answer("1", flat), about("2", "tasks/get"), about("3", "tasks/update"), about("4", "tasks/cancel")}, []string{"3 task 1", "4 task 1", "5 task 1"}},
		{"nobody asked for a task", []string{ask("1", "tools/call", plain), answer("1", made), about("2", "tasks/get")}, nil},
		{"asked for and refused", []string{start, answer("1", `{"content":[],"taskId":"t1"}`), about("2", "tasks/get")}, nil},
		{"a method that makes no task", []string{ask("1", "tools/list", `{}`), answer("1", flat), about("2", "tasks/get")}, nil},
		{"what tasks/get says makes none", []string{ask("1", "tasks/get", `{"taskId":"t1","task":{}}`), answer("1", flat), about("2", "tasks/get")}, nil},
		{"an error makes none", []string{start, `< {"jsonrpc":"2.0","id":1,"error":{"code":1},"result":` + made + `}`, about("2", "tasks/get")}, nil},
		{"another task", []string{start, answer("1", made), ask("2", "tasks/get", `{"taskId":"t2"}`)}, nil},
		{"an id that is no string", []string{start, answer("1", `{"task":{"taskId":1}}`), ask("2", "tasks/get", `{"taskId":1}`), ask("3", "tasks/get", `{"taskId":"1"}`)}, nil},
		{"an id escaped otherwise", []string{start, answer("1", `{"task":{"taskId":"a\/b"}}`), ask("2", "tasks/get", `{"taskId":"a/b"}`)}, []string{"3 task 1"}},
		{"no id", []string{start, answer("1", `{"task":{"taskId":""}}`), ask("2", "tasks/get", `{"taskId":""}`), ask("3", "tasks/get", `{}`)}, nil},
		{"tasks/list is about none", []string{start, answer("1", made), about("2", "tasks/list")}, nil},
		{"the id made again", []string{start, answer("1", made), ask("2", "tools/call", asking), answer("2", made), about("3", "tasks/get")}, []string{"5 task 3"}},
		{"a late answer makes one", []string{start, "> " + cancel("1"), answer("1", made), about("2", "tasks/cancel")}, []string{"4 task 1"}},
		{"the server asks for its task", []string{start, answer("1", made), turned(ask("1", "elicitation/create", related)), turned(ask("2", "sampling/createMessage", related))},
			[]string{"3 task 1", "4 task 1"}},
		{"the server asks for another", []string{start, answer("1", made), turned(ask("1", "elicitation/create", strings.Replace(related, "t1", "t2", 1)))}, nil},
		{"the client names it in passing", []string{start, answer("1", made), ask("2", "tools/call", related)}, nil},
		{"a task at the client", []string{turned(ask("1", "sampling/createMessage", `{"task":{}}`)), turned(answer("1", made)), turned(about("2", "tasks/get")),
			about("3", "tasks/get"), turned(about("4", "tasks/result")), ask("5", "tools/call", related)}, []string{"3 task 1", "5 task 1", "6 task 1"}},
		{"the same id at both ends", []string{start, answer("1", made), turned(ask("1", "elicitation/create", `{"task":{}}`)), turned(answer("1", made)),
			about("2", "tasks/get"), turned(about("2", "tasks/get"))}, []string{"5 task 1", "6 task 3"}},
		{"a round that ends in a task", []string{ask("1", "tools/call", plain), more("1", `"requestState":"s"`), ask("2", "tools/call", `{"name":"slow","requestState":"s"}`), answer("2", flat), about("3", "tasks/get")},
			[]string{"3 round 1", "5 task 3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantLinks(t, tt.lines, tt.want)
		})
	}
}

func TestOutcomesOfTasks(t *testing.T) {
	const failed, task = `{"isError":true,"content":[]}`, `{"task":{"taskId":"t"}}`
	about := func(method, result string) []string {
		return []string{ask("2", method, `{"taskId":"t"}`), answer("2", result)}
	}
	tests := []struct {
		name  string
		lines []string
		want  Status // of the call that frame 3 asks for
	}{
		{"the tool failed", append([]string{ask("1", "tools/call", `{"task":{}}`), answer("1", task)}, about("tasks/result", failed)...), StatusToolError},
		{"the tool did not", append([]string{ask("1", "tools/call", `{"task":{}}`), answer("1", task)}, about("tasks/result", `{"isError":false}`)...), StatusOK},
		{"no tool", append([]string{ask("1", "prompts/get", `{"task":{}}`), answer("1", task)}, about("tasks/result", failed)...), StatusOK},
		{"an unknown task", append([]string{ask("1", "tools/call", `{"task":{}}`), answer("1", `{"task":{"taskId":"x"}}`)}, about("tasks/result", failed)...), StatusOK},
		{"a task that says isError of itself", append([]string{ask("1", "tools/call", `{"task":{}}`), answer("1", task)}, about("tasks/get", failed)...), StatusOK},
		{"a failure inside the task", append([]string{ask("1", "tools/call", `{}`), answer("1", `{"resultType":"task","taskId":"t"}`)}, about("tasks/get", `{"status":"completed","result":`+failed+`}`)...), StatusToolError},
		{"cancelling it", append([]string{ask("1", "tools/call", `{"task":{}}`), answer("1", task)}, about("tasks/cancel", failed)...), StatusOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if calls, _ := conversation(t, StatusLost, tt.lines...); calls[1].Status != tt.want {
				t.Errorf("got %s, want %s", calls[1].Status, tt.want)
			}
		})
	}
}

func TestProgressOfTasks(t *testing.T) {
	const progress = `{"progressToken":1,"progress":1}`
	step := notice("notifications/progress", progress)
	start := []string{ask("1", "tools/call", `{"task":{},"_meta":{"progressToken":1}}`), step, answer("1", `{"task":{"taskId":"t"}}`), step}
	about := func(method string) string { return ask("2", method, `{"taskId":"t"}`) }
	tests := []struct {
		name  string
		lines []string
		want  int
	}{
		{"after the task was made", []string{step}, 3},
		{"while it is asked for", []string{about("tasks/result"), step, answer("2", `{}`), step}, 3},
		{"until the result is an error", []string{about("tasks/result"), step, `< {"jsonrpc":"2.0","id":2,"error":{"code":1}}`, step}, 3},
		{"while it works", []string{about("tasks/get"), answer("2", `{"taskId":"t","status":"working"}`), step}, 3},
		{"while it waits", []string{about("tasks/get"), answer("2", `{"taskId":"t","status":"input_required"}`), step}, 3},
		{"until it is seen to have ended", []string{about("tasks/get"), answer("2", `{"taskId":"t","status":"completed"}`), step}, 2},
		{"until it is cancelled", []string{about("tasks/cancel"), answer("2", `{"taskId":"t","status":"cancelled"}`), step}, 2},
		{"until it says that it failed", []string{notice("notifications/tasks/status", `{"taskId":"t","status":"failed"}`), step}, 2},
		{"until it says so in the new way", []string{notice("notifications/tasks", `{"taskId":"t","status":"completed"}`), step}, 2},
		{"another one ended", []string{notice("notifications/tasks/status", `{"taskId":"u","status":"failed"}`), step}, 3},
		{"the wrong side says so", []string{turned(notice("notifications/tasks/status", `{"taskId":"t","status":"failed"}`)), step}, 3},
		{"of the wrong side", []string{turned(step)}, 2},
		{"another token", []string{notice("notifications/progress", `{"progressToken":"1"}`)}, 2},
		{"a newer call has the token", []string{ask("2", "tools/call", `{"_meta":{"progressToken":1}}`), step, answer("2", `{}`), step}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls, _ := conversation(t, StatusLost, append(slices.Clone(start), tt.lines...)...)
			if calls[0].Progress != tt.want {
				t.Errorf("progress %d, want %d", calls[0].Progress, tt.want)
			}
		})
	}
}

func TestConnecting(t *testing.T) {
	discover, initialize := ask(`"probe"`, "server/discover", `{}`), ask("0", "initialize", `{}`)
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a legacy server", []string{discover, `< {"jsonrpc":"2.0","id":"probe","error":{"code":-32601}}`, initialize}, []string{"3 connect 1"}},
		{"a silent one", []string{discover, initialize, answer("0", `{}`)}, []string{"2 connect 1"}},
		{"the last probe", []string{discover, discover, initialize}, []string{"3 connect 2"}},
		{"no probe", []string{initialize, discover}, nil},
		{"the wrong side's", []string{turned(discover), initialize}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantLinks(t, tt.lines, tt.want)
		})
	}
}

// A retry may come on another stream, and in the same batch as others.
func TestLinksCrossStreams(t *testing.T) {
	var calls []*Call
	p := Pairer{Changed: func(c *Call) {
		if !slices.Contains(calls, c) {
			calls = append(calls, c)
		}
	}}
	for i, line := range []string{
		"> [" + ask("1", "tools/call", `{"name":"a"}`)[2:] + "," + ask("2", "tools/call", `{"name":"b"}`)[2:] + "]",
		more("2", `"requestState":"s"`),
		ask("1", "tools/call", `{"name":"b","requestState":"s"}`),
	} {
		f := Frame{Seq: int64(i + 1), Stream: int64(i / 2), Direction: ClientToServer}
		if line[0] == '<' {
			f.Direction = ServerToClient
		}
		for _, m := range ReadMessages([]byte(line[2:])) {
			p.Add(&f, &m)
		}
	}
	if c := calls[2]; c.Stream != 1 || c.Link != LinkRound || c.Of != 1 || c.OfIndex != 1 {
		t.Errorf("the retry is %+v", c)
	}
}

// What was read in part could differ in the rest.
func TestRoundsOfCutMessages(t *testing.T) {
	lines := []string{ask("1", "tools/call", `{"name":"a"}`), more("1", `"inputRequests":{"k":{}}`), ask("2", "tools/call", `{"name":"a","inputResponses":{"k":1}}`)}
	for cut, want := range []Link{"", "", "", LinkRound} {
		p := Pairer{Changed: func(*Call) {}}
		var last *Call
		for i, line := range lines {
			m := ReadMessages([]byte(line[2:]))[0]
			if i == cut {
				m.Flags |= FlagCut
			}
			last = p.Add(&Frame{Seq: int64(i + 1), Direction: Direction(i % 2)}, &m)
		}
		if last.Link != want {
			t.Errorf("message %d cut: link %q, want %q", cut+1, last.Link, want)
		}
	}
}

func TestProgressOfTwoTasks(t *testing.T) {
	start := `{"task":{},"_meta":{"progressToken":1}}`
	calls, _ := conversation(t, StatusLost, ask("1", "tools/call", start), answer("1", `{"task":{"taskId":"a"}}`), ask("2", "tools/call", start), answer("2", `{"task":{"taskId":"b"}}`),
		notice("notifications/progress", `{"progressToken":1}`))
	if calls[0].Progress != 0 || calls[1].Progress != 1 {
		t.Errorf("progress %d and %d, want it at the latest", calls[0].Progress, calls[1].Progress)
	}
}

func TestLinksAreBounded(t *testing.T) {
	p := Pairer{Changed: func(*Call) {}}
	feed := func(seq int, line string) *Call {
		f := Frame{Seq: int64(seq), Direction: ClientToServer}
		if line[0] == '<' {
			f.Direction = ServerToClient
		}
		return p.Add(&f, &ReadMessages([]byte(line[2:]))[0])
	}
	const over = 10
	for i := range LinksKept + over {
		id := fmt.Sprint(i)
		feed(4*i+1, ask(id, "tools/call", `{"task":{},"_meta":{"progressToken":`+id+`}}`))
		feed(4*i+2, answer(id, `{"task":{"taskId":"`+id+`"}}`))
		feed(4*i+3, ask(id, "tools/call", `{}`))
		feed(4*i+4, more(id, `"requestState":"`+id+`"`))
	}
	if len(p.linker.tasks) != LinksKept || len(p.linker.rounds) != LinksKept || len(p.open) != 0 || len(p.progress) != 0 {
		t.Fatalf("%d tasks, %d rounds, %d calls and %d tokens are kept", len(p.linker.tasks), len(p.linker.rounds), len(p.open), len(p.progress))
	}
	for i, known := range map[int]bool{over - 1: false, over: true} {
		id := fmt.Sprint(i)
		task := feed(10_000, ask(`"t"`, "tasks/get", `{"taskId":"`+id+`"}`)).Link == LinkTask
		round := feed(10_001, ask(`"r"`, "tools/call", `{"requestState":"`+id+`"}`)).Link == LinkRound
		progress := feed(10_002, notice("notifications/progress", `{"progressToken":`+id+`}`)) != nil
		if task != known || round != known || progress != known {
			t.Errorf("%d: task %v, round %v, progress %v, want %v", i, task, round, progress, known)
		}
	}
	long := strings.Repeat("x", longestToken)
	feed(20_000, ask(`"`+long+`"`, "tools/call", `{"task":{},"_meta":{"progressToken":"`+long+`"}}`))
	feed(20_001, answer(`"`+long+`"`, `{"task":{"taskId":"`+long+`"}}`))
	last := p.linker.tasks[LinksKept-1]
	if c := feed(20_002, ask("1", "tasks/get", `{"taskId":"`+long+`"}`)); c.Of != 20_000 || last.call != nil {
		t.Errorf("a long id links to %d, and keeps %v", c.Of, last.call)
	}
}

func TestListen(t *testing.T) {
	listen := ask("1", "subscriptions/listen", `{}`)
	tests := []struct {
		name   string
		ending Status
		lines  []string
		want   string
	}{
		{"the conversation ends", StatusUnanswered, nil, "c2s 1 subscriptions/listen ok 1→0"},
		{"the server is lost", StatusLost, nil, "c2s 1 subscriptions/listen lost 1→0"},
		{"ended by the client", StatusUnanswered, []string{"> " + cancel("1")}, "c2s 1 subscriptions/listen cancelled 1→0 cancelled by 2"},
		{"ended by the server", StatusUnanswered, []string{"< " + cancel("1")}, "c2s 1 subscriptions/listen cancelled 1→0 cancelled by 2"},
		{"the server cancels its own request first", StatusUnanswered, []string{"< " + req("1", "ping"), "< " + cancel("1")}, "c2s 1 subscriptions/listen ok 1→0"},
		{"answered", StatusUnanswered, []string{answer("1", `{"resultType":"complete"}`)}, "c2s 1 subscriptions/listen ok 1→2"},
		{"refused", StatusUnanswered, []string{`< {"jsonrpc":"2.0","id":1,"error":{"code":-32601}}`}, "c2s 1 subscriptions/listen error 1→2 code -32601"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls, _ := conversation(t, tt.ending, append([]string{listen}, tt.lines...)...)
			if got := calls[0].brief(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
