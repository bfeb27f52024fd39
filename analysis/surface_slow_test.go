package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
)

// took is a call that takes a while.
func took(tool, d string) []string {
	lines := call(tool, "{}", textResult("x"))
	return []string{lines[0], "+" + d, lines[1]}
}

func often(n int, tool, d string) (lines []string) {
	for range n {
		lines = append(lines, took(tool, d)...)
	}
	return lines
}

func TestSlowCall(t *testing.T) {
	asks := call("get", "{}", textResult("x"))
	asks = []string{asks[0], `< {"id":9,"method":"elicitation/create","params":{}}`, "+60s", `> {"id":9,"result":{"action":"accept"}}`, asks[1]}
	late := call("get", "{}", textResult("x"))
	late = []string{late[0], `> {"method":"notifications/cancelled","params":{"requestId":"call"}}`, "+60s", late[1]}
	told := func(arguments string) []string {
		lines := call("get", arguments, textResult("x"))
		return []string{lines[0], "+60s", lines[1]}
	}
	progress := []string{call("get", "{}", "")[0], `< {"method":"notifications/progress","params":{"progressToken":"t","progress":1}}`, "+60s", call("get", "{}", textResult("x"))[1]}
	progress[0] = strings.Replace(progress[0], `"arguments"`, `"_meta":{"progressToken":"t"},"arguments"`, 1)
	runCases(t, "slow-call", []ruleCase{
		{"one of many", story(often(20, "get", "100ms"), took("get", "3s")), []string{"get"}},
		{"several are one finding", story(often(30, "get", "100ms"), took("get", "3s"), took("get", "9s")), []string{"get"}},
		{"with other arguments", story(often(20, "get", "100ms"), told(`{"id":7}`)), []string{"get"}},
		{"then quick again", story(often(20, "get", "10ms"), took("get", "2s"), often(20, "get", "10ms")), []string{"get"}},

		{"as always", often(40, "get", "3s"), nil},
		{"too few to know", story(often(19, "get", "100ms"), took("get", "60s")), nil},
		{"another tool's calls", story(often(40, "put", "100ms"), took("get", "60s")), nil},
		{"not five times", story(often(20, "get", "1s"), took("get", "4s")), nil},
		{"not a second", story(often(20, "get", "10ms"), took("get", "900ms")), nil},
		{"one in ten always is", story(often(18, "get", "10ms"), often(2, "get", "5s"), took("get", "6s")), nil},
		{"the user was asked", story(often(20, "get", "100ms"), asks), nil},
		{"told to wait", story(often(20, "get", "100ms"), told(`{"waitSeconds":60}`)), nil},
		{"told to run something", story(often(20, "get", "100ms"), told(`{"command":"make"}`)), nil},
		{"reports progress", story(often(20, "get", "100ms"), progress), nil},
		{"cancelled", story(often(20, "get", "100ms"), late), nil},
	})
}

func TestSlowCallTellsTheWorst(t *testing.T) {
	f := found(judge(t, story(often(30, "get", "100ms"), took("get", "3s"), took("get", "9s"), took("get", "4s"))...), "slow-call")[0]
	if want := "A call took 9s, while 95 of 100 of the tool's earlier calls took no more than 101ms."; f.What != want {
		t.Errorf("got %q, want %q", f.What, want)
	}
	if f.Count != 3 || !slices.Equal(f.Evidence, []int64{61, 62, 63, 64, 65, 66}) {
		t.Errorf("got %d times at %v", f.Count, f.Evidence)
	}
}

// TestSlowCallOfHistory compares with the calls of earlier sessions, of the same server only.
func TestSlowCallOfHistory(t *testing.T) {
	for server, want := range map[string]int{"tracker": 1, "other": 0} {
		h := &History{}
		for range 20 {
			h.Add(server, "get", 50*time.Millisecond)
		}
		r := judgeAs(t, &reprise.Session{Server: "tracker"}, Options{History: h}, took("get", "2s")...)
		if got := len(found(r, "slow-call")); got != want {
			t.Errorf("%d findings with a history of %s, want %d", got, server, want)
		}
	}
}

// TestSlowCallInACrowd makes many calls at once.
func TestSlowCallInACrowd(t *testing.T) {
	for n, want := range map[int]int{2: 1, 30: 0} {
		lines := often(20, "get", "100ms")
		crowd := slices.Repeat(call("get", "{}", textResult("x"))[:1], n)
		lines = append(append(append(lines, crowd...), "+5s"), slices.Repeat(call("get", "{}", textResult("x"))[1:], n)...)
		if got := len(found(judge(t, lines...), "slow-call")); got != want {
			t.Errorf("%d findings of %d calls at once, want %d", got, n, want)
		}
	}
}
