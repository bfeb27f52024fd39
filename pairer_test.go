package reprise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reprise/fixtures"
)

func TestBatches(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"reordered", []string{"> [" + req("1", "a") + "," + req("2", "b") + "," + req("3", "c") + "]", "< [" + res("3") + "," + res("1") + "," + res("2") + "]"},
			[]string{"c2s 1 a ok 1→2", "c2s 2 b ok 1→2", "c2s 3 c ok 1→2"}},
		{"in part", []string{"> [" + req("1", "a") + "," + req("2", "b") + "]", "< [" + res("2") + "]"}, []string{"c2s 1 a lost 1→0", "c2s 2 b ok 1→2"}},
		{"split", []string{"> [" + req("1", "a") + "," + req("2", "b") + "," + req("3", "c") + "]", "< [" + res("2") + "]", "< " + res("3"), "< [" + res("1") + "]"},
			[]string{"c2s 1 a ok 1→4", "c2s 2 b ok 1→2", "c2s 3 c ok 1→3"}},
		{"answers of two in one", []string{"> [" + req("1", "a") + "]", "> " + req("2", "b"), "< [" + res("2") + "," + res("1") + "]"}, []string{"c2s 1 a ok 1→3", "c2s 2 b ok 2→3"}},
		{"among notifications and refuse", []string{"> [" + cancel("9") + "," + req("1", "a") + ",7,[],{}]", "< [{}," + res("1") + "]"}, []string{"c2s 1 a ok 1→2"}},
		{"one id twice", []string{"> [" + req("1", "a") + "," + req("1", "b") + "]", "< [" + res("1") + "]"}, []string{"c2s 1 a ok 1→2", "c2s 1 b lost 1→0"}},
		{"cancelled within", []string{"> [" + req("1", "a") + "," + req("2", "b") + "," + cancel("1") + "]", "< [" + res("2") + "]"},
			[]string{"c2s 1 a cancelled 1→0 cancelled by 1", "c2s 2 b ok 1→2"}},
		{"both ways at once", []string{"> [" + req("1", "a") + "]", "< [" + req("1", "b") + "," + res("1") + "]", "> [" + res("1") + "]"}, []string{"c2s 1 a ok 1→2", "s2c 1 b ok 2→3"}},
		{"spellings of one number", []string{"> [" + req("1.0", "a") + "," + req("10e-1", "b") + "]", "< [" + res("1") + "," + res("1") + "]"},
			[]string{"c2s 1.0 a ok 1→2", "c2s 10e-1 b ok 1→2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantCalls(t, tt.lines, tt.want)
		})
	}
}

// Members of a batch keep their places.
func TestBatchPlaces(t *testing.T) {
	calls, _ := conversation(t, StatusLost, "> ["+req("1", "a")+","+cancel("7")+","+req("2", "b")+"]", "< ["+res("2")+","+res("1")+"]")
	if a, b := calls[0], calls[1]; a.Index != 0 || b.Index != 2 || a.ResponseIndex != 1 || b.ResponseIndex != 0 {
		t.Errorf("places %d→%d and %d→%d", a.Index, a.ResponseIndex, b.Index, b.ResponseIndex)
	}
}

// TestPairerAgrees feeds random conversations over few names, so that everything meets everything, and
// holds that the same messages give the same calls, and that calls continue earlier ones.
func TestPairerAgrees(t *testing.T) {
	for seed := range uint64(300) {
		lines := babble(rand.New(rand.NewPCG(seed, 0)), 80)
		once, twice := paired(lines), paired(lines)
		if !slices.Equal(once, twice) {
			t.Fatalf("seed %d: the same messages gave\n%s\nand\n%s", seed, strings.Join(once, "\n"), strings.Join(twice, "\n"))
		}
	}
}

// FuzzPairer: whatever the lines, no panic, the same calls each time, and each after the one that it continues.
func FuzzPairer(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(strings.Join(babble(rand.New(rand.NewPCG(seed, 1)), 30), "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		if once, twice := paired(lines), paired(lines); !slices.Equal(once, twice) {
			t.Fatalf("the same messages gave\n%s\nand\n%s", strings.Join(once, "\n"), strings.Join(twice, "\n"))
		}
	})
}

// paired tells the calls of the lines, and panics where one continues a call that is none before it.
func paired(lines []string) []string {
	var calls []*Call
	seen := map[[2]int64]*Call{}
	p := Pairer{Changed: func(c *Call) {
		if at := [2]int64{c.Seq, int64(c.Index)}; seen[at] == nil {
			seen[at] = c
			calls = append(calls, c)
		}
	}}
	for i, line := range lines {
		f := Frame{Seq: int64(i + 1), Stream: int64(i % 2)}
		rest, fromServer := strings.CutPrefix(line, "<")
		if fromServer {
			f.Direction = ServerToClient
		}
		for _, m := range ReadMessages([]byte(strings.TrimPrefix(rest, ">"))) {
			p.Add(&f, &m)
		}
	}
	p.End(StatusUnanswered)
	var told []string
	for _, c := range calls {
		of := seen[[2]int64{c.Of, int64(c.OfIndex)}]
		if (c.Link != "") != (of != nil) || of != nil && byRequest(of, c) >= 0 {
			panic(fmt.Sprintf("%s %s %d.%d of %d.%d", c.brief(), c.Link, c.Seq, c.Index, c.Of, c.OfIndex))
		}
		told = append(told, fmt.Sprintf("%s %s %d.%d", c.brief(), c.Link, c.Of, c.OfIndex))
	}
	return told
}

// babble makes up a conversation.
func babble(random *rand.Rand, lines int) []string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	id := func() string { return pick("1", "2", `"1"`, "1.0", "10e-1", "null") }
	message := func() string {
		switch random.IntN(4) {
		case 0:
			return answer(id(), pick(`{}`, `{"isError":true}`, `{"task":{"taskId":"t"}}`, `{"resultType":"task","taskId":"t"}`, `{"status":"completed"}`,
				`{"resultType":"input_required","requestState":"s"}`, `{"resultType":"input_required","inputRequests":{"k":{}}}`))[2:]
		case 1:
			return pick(cancel(id()), notice("notifications/progress", `{"progressToken":`+id()+`}`)[2:], notice("notifications/tasks", `{"taskId":"t","status":"failed"}`)[2:])
		}
		method := pick("tools/call", "tools/call", "resources/read", "tasks/get", "tasks/result", "server/discover", "initialize", "elicitation/create", "subscriptions/listen")
		return ask(id(), method, `{"name":"n","uri":"u","taskId":"t"`+pick("", `,"task":{}`)+pick("", `,"requestState":"s"`)+pick("", `,"inputResponses":{"k":1}`)+
			`,"_meta":{"progressToken":`+id()+pick("", `,"io.modelcontextprotocol/related-task":{"taskId":"t"}`)+`}}`)[2:]
	}
	said := make([]string, lines)
	for i := range said {
		said[i] = pick(">", "<", "> ") + message()
		if random.IntN(4) == 0 {
			said[i] = pick(">", "<") + "[" + message() + "," + message() + "]"
		}
	}
	return said
}

// TestLinksOfCaptures wants of each capture what a person has found: which call continues which, by their ids.
func TestLinksOfCaptures(t *testing.T) {
	want := map[string][]string{
		"hosts/claude":     {`0 connect "server-discover-probe-1"`},
		"hosts/claude-par": {`0 connect "server-discover-probe-1"`},
		"hosts/codex":      nil,
		"hosts/gemini":     nil,
		"hosts/opencode":   nil,
		"made/batches":     nil,
		"made/listen":      nil,
		"made/probe":       {`0 connect "probe"`},
		"made/rounds":      {"2 round 1", "3 round 2", "6 round 5"},
		"made/tasks":       {"2 task 1", "s2c 1 task 1", "3 task 1", "5 task 4", "7 task 6", "8 task 6", "s2c 3 task s2c 2", "s2c 4 task s2c 2"},
		"made/tasks-ext":   {"2 task 1", "3 task 1", "4 task 1", "6 task 5", "8 task 7"},
	}
	for name, want := range want {
		calls := callsOf(t, name)
		var got []string
		for _, c := range calls {
			if c.Link != "" {
				of := calls[slices.IndexFunc(calls, func(o *Call) bool { return o.Seq == c.Of && o.Index == c.OfIndex })]
				got = append(got, c.asker()+" "+string(c.Link)+" "+of.asker())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for id, steps := range map[string]int{"1": 2, "4": 0} {
		calls := callsOf(t, "made/tasks")
		if i := slices.IndexFunc(calls, func(c *Call) bool { return c.asker() == id }); calls[i].Progress != steps {
			t.Errorf("made/tasks: call %s made %d steps, want %d", id, calls[i].Progress, steps)
		}
	}
}

// asker is the id of the call, after its direction where that is the rare one.
func (c *Call) asker() string {
	if c.Direction == ServerToClient {
		return "s2c " + c.ID
	}
	return c.ID
}

func callsOf(t *testing.T, name string) []*Call {
	t.Helper()
	captured, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range captured {
		if mark := map[string]string{"c2s": "> ", "s2c": "< "}[l.Dir]; mark != "" {
			lines = append(lines, mark+l.Raw)
		}
	}
	calls, _ := conversation(t, StatusUnanswered, lines...)
	return calls
}
