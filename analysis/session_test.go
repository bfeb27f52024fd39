package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
)

// judge judges a session that is written down line by line: "> {…}" from the client, "< {…}" from the server, a millisecond
// apart; "+2s" lets time pass. Messages may leave out "jsonrpc"; what does not begin with a brace goes as it is.
func judge(t *testing.T, lines ...string) *Report {
	t.Helper()
	return judgeAs(t, &reprise.Session{Server: "tracker"}, Options{}, lines...)
}

// judgeAs is judge with what is known of the session, and with options.
func judgeAs(t *testing.T, s *reprise.Session, o Options, lines ...string) *Report {
	t.Helper()
	j := NewJudge(s, o)
	for _, f := range framesOf(t, lines) {
		j.Add(&reprise.CaptureItem{Frame: f})
	}
	return j.End()
}

func framesOf(t *testing.T, lines []string) (frames []*reprise.Frame) {
	t.Helper()
	at := time.Duration(0)
	for _, line := range lines {
		mark, text, _ := strings.Cut(line, " ")
		if pause, ok := strings.CutPrefix(line, "+"); ok {
			d, err := time.ParseDuration(pause)
			if err != nil {
				t.Fatal(err)
			}
			at += d
			continue
		}
		dir, ok := map[string]reprise.Direction{">": reprise.ClientToServer, "<": reprise.ServerToClient}[mark]
		if !ok {
			t.Fatalf("line begins with neither > nor < nor +: %.80s", line)
		}
		if strings.HasPrefix(text, "{") && !strings.Contains(text, `"jsonrpc"`) {
			text = `{"jsonrpc":"2.0",` + text[1:]
		}
		at += time.Millisecond
		frames = append(frames, &reprise.Frame{Seq: int64(len(frames) + 1), At: at, Direction: dir,
			Data: []byte(text), EOL: "\n", Size: int64(len(text))})
	}
	return frames
}

// found gives the findings of one rule.
func found(r *Report, rule string) (list []Finding) {
	for _, f := range r.Findings {
		if f.Rule == rule {
			list = append(list, f)
		}
	}
	return list
}

// tools are the two lines of a tools/list: the tools are JSON.
func tools(list ...string) []string {
	return []string{`> {"id":"list","method":"tools/list"}`, `< {"id":"list","result":{"tools":[` + strings.Join(list, ",") + `]}}`}
}

// call is a call of a tool with its answer: the rest of the response's members, as "result":{…}.
func call(tool, arguments, answer string) []string {
	return []string{`> {"id":"call","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`, `< {"id":"call",` + answer + `}`}
}

// story joins lines.
func story(parts ...[]string) []string { return slices.Concat(parts...) }
