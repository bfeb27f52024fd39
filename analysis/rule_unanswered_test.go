package analysis

import (
	"testing"

	"reprise"
)

func TestUnanswered(t *testing.T) {
	ask := `> {"id":1,"method":"tools/call","params":{"name":"build","arguments":{},"_meta":{"progressToken":1}}}`
	later := []string{"+20s", `> {"id":2,"method":"ping"}`, `< {"id":2,"result":{}}`}
	code := 1
	died := &reprise.Session{Server: "tracker", Ending: reprise.EndedByServer, ExitCode: &code}
	checkCalls(t, unansweredCall, []callCase{
		{name: "never", lines: story([]string{ask}, later), want: []string{"build tools/call"}},
		{name: "another method", lines: story([]string{`> {"id":1,"method":"prompts/list"}`}, later), want: []string{"prompts/list"}},
		{name: "the server died of it", session: died, lines: []string{ask}, want: []string{"build tools/call"}},
		{name: "the server exited", session: &reprise.Session{Ending: reprise.EndedByServer}, lines: []string{ask, "+2s", `< {"method":"notifications/message","params":{}}`}, want: []string{"build tools/call"}},

		{name: "answered", lines: story([]string{ask, `< {"id":1,"result":{"content":[]}}`}, later)},
		{name: "the host left", lines: []string{ask, "+500ms", `> {"id":2,"method":"ping"}`}},
		{name: "cancelled", lines: story([]string{ask, `> {"method":"notifications/cancelled","params":{"requestId":1}}`}, later)},
		{name: "a subscription", lines: story([]string{`> {"id":1,"method":"subscriptions/listen"}`}, later)},
		{name: "a slow tool", lines: story([]string{ask, "+15s", `< {"id":1,"result":{"content":[]}}`, `> {"id":3,"method":"tools/call","params":{"name":"build","arguments":{}}}`}, later)},
		{name: "it reports progress", lines: story([]string{ask, `< {"method":"notifications/progress","params":{"progressToken":1,"progress":1}}`}, later)},
		{name: "the record has gaps", session: &reprise.Session{Gaps: 1, Ending: reprise.EndedByClient}, lines: story([]string{ask}, later)},
		{name: "the server's own question", lines: story([]string{`< {"id":1,"method":"roots/list"}`}, later)},
		{name: "killed", session: &reprise.Session{Ending: reprise.EndedByKill}, lines: []string{ask, "+2s", `> {"id":2,"method":"ping"}`}},
	})
}

func TestLateAnswer(t *testing.T) {
	ask := `> {"id":1,"method":"tools/call","params":{"name":"build","arguments":{}}}`
	cancel := `> {"method":"notifications/cancelled","params":{"requestId":1}}`
	answer := `< {"id":1,"result":{"content":[]}}`
	checkCalls(t, lateAnswer, []callCase{
		{name: "worked on", lines: []string{ask, cancel, "+3s", answer}, want: []string{"build tools/call"}},

		{name: "on its way", lines: []string{ask, cancel, answer}},
		{name: "in time", lines: []string{ask, "+3s", answer, cancel}},
		{name: "never", lines: []string{ask, cancel}},
		{name: "an error confirms it", lines: []string{ask, cancel, "+3s", `< {"id":1,"error":{"code":0,"message":"cancelled"}}`}},
	})
}
