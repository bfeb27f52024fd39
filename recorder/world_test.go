//go:build cgo

package recorder

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"reprise"
)

// world is a database with random sessions, and what was derived from them in memory.
type world struct {
	*rand.Rand
	db       *DB
	store    *store
	sessions []*reprise.Session
	calls    []*reprise.Entry
	messages []*reprise.Entry
	lines    [][]byte
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 7))}
	w.open(t)
	for i := range 8 {
		s := &reprise.Session{ID: fmt.Sprintf("0193-%d", i), Host: w.pick("cursor", "Cursor", "", "a*b"), Server: w.pick("git", "git hub", "gït", "g\x00t", ""),
			Transport: w.pick("stdio", "http"), ProtocolVersion: w.pick("", "2025-06-18", "2026-07-28"), StartedAt: w.start(), Ending: reprise.EndedByServer}
		if w.IntN(3) > 0 {
			s.EndedAt = s.StartedAt.Add(time.Duration(w.IntN(5000)) * time.Millisecond)
		}
		lines := make([][]byte, w.IntN(50))
		for j := range lines {
			lines[j] = []byte(w.line() + w.pick("\n", "\n", "\r\n"))
		}
		w.record(t, s, lines)
	}
	return w
}

func (w *world) open(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reprise.db")
	var err error
	if w.db, err = Open(context.Background(), path, Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.db.Close() })
	w.store = &store{writer(t, path)}
}

func (w *world) start() time.Time {
	return time.Date(2026, 11, 30, 12, 0, w.IntN(5), w.IntN(1e9), time.UTC)
}

// record derives a session from its lines, and stores it.
func (w *world) record(t *testing.T, s *reprise.Session, lines [][]byte) {
	w.sessions = append(w.sessions, s)
	var frames []*reprise.Frame
	var rows []*messageRow
	heads := map[int64][]byte{}
	calls := map[*reprise.Call]bool{}
	var order []*reprise.Call
	d := reprise.Deriver{Session: s}
	d.Message = func(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
		frame, message := *f, *m
		frame.Data = heads[f.Seq]
		rows = append(rows, &messageRow{message, f.Seq, c})
		w.messages = append(w.messages, &reprise.Entry{Session: s, Call: c, Frame: &frame, Message: &message})
	}
	d.Call = func(c *reprise.Call) {
		if !calls[c] {
			calls[c] = true
			order = append(order, c)
		}
	}
	d.Value, d.Use = func(*reprise.Value) {}, func(*reprise.Use) {} // others are made up: see uses
	framer := reprise.Framer{Emit: func(f reprise.Frame) {
		f.Data = bytes.Clone(f.Data)
		frames = append(frames, &f)
		if f.Part == 0 {
			heads[f.Seq] = f.Data
		}
		d.Add(&f)
	}}
	var at time.Duration
	for _, line := range lines {
		at += time.Duration(w.IntN(200_000_000))
		framer.Add(reprise.Chunk{Direction: reprise.Direction(w.IntN(2)), Data: line, At: at})
	}
	framer.Flush(at)
	if !s.EndedAt.IsZero() {
		d.End()
	}
	uses := w.uses(order)
	for _, e := range w.messages {
		if e.Call != nil {
			e.Uses = append(e.Uses, uses[e.Call]...)
		}
	}
	for _, c := range order {
		w.calls = append(w.calls, &reprise.Entry{Session: s, Call: c, Request: heads[c.Seq], Response: heads[c.Response], Uses: uses[c]})
	}
	w.lines = append(w.lines, lines...)
	w.insert(t, s, frames, rows, order)
	w.insertUses(t, s, uses)
}

// uses gives the calls random arguments.
func (w *world) uses(calls []*reprise.Call) map[*reprise.Call][]*reprise.Use {
	uses := map[*reprise.Call][]*reprise.Use{}
	for _, c := range calls {
		for range w.IntN(3) {
			source := reprise.Source(w.pick("harvested", "derived", "literal", "told", "synthesized", "synthesized"))
			uses[c] = append(uses[c], &reprise.Use{Seq: c.Seq, Index: c.Index, CallSeq: c.Seq, CallIndex: c.Index, Tool: c.Name, JSON: "1", Source: source})
		}
	}
	return uses
}

func (w *world) insertUses(t *testing.T, s *reprise.Session, uses map[*reprise.Call][]*reprise.Use) {
	n := int64(0)
	err := w.store.inTx(context.Background(), func(run runner) (err error) {
		for _, list := range uses {
			for i := 0; i < len(list) && err == nil; i++ {
				n++
				err = run.use(s.ID, n, list[i])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) insert(t *testing.T, s *reprise.Session, frames []*reprise.Frame, rows []*messageRow, calls []*reprise.Call) {
	err := w.store.inTx(context.Background(), func(run runner) error {
		err := run.session(s)
		for i := 0; i < len(frames) && err == nil; i++ {
			err = run.frame(s.ID, frames[i])
		}
		for i := 0; i < len(rows) && err == nil; i++ {
			err = run.message(s.ID, rows[i])
		}
		for i := 0; i < len(calls) && err == nil; i++ {
			err = run.call(s.ID, calls[i])
		}
		if err == nil {
			err = run.facts(s)
		}
		if err == nil {
			err = run.read(s, 0)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What the traffic is made of, and what the filters look for.
var (
	someIDs = []string{`1`, `1`, `2`, `"1"`, `1.0`, `1e0`, `null`, `""`, `"*"`, `"a\u0000b"`, `"\u00e9"`, `"é"`, `9007199254740993`, `1.5`, `true`, `{}`}
	// MCP's methods, and others that SQL might take for them.
	someMethods = []string{"tools/call", "tools/call", "tools/call", "tools/list", "prompts/get", "prompts/get", "resources/read", "resources/subscribe",
		"resources0", "RESOURCES/read", "resources/\xff", "completion/complete", "tasks/get", "initialize", `tools/call\u0000`, `m\u0000x`, "méthode", "m\xff", "%", "", "notifications/resources/updated"}
	someNames  = []string{"get_issue", "GET_issue", "get issue", "", "%_", "a*b", `g\u0000t`, "gët", "\xffx", "x[1]"}
	someValues = []string{`"ISS-7"`, `"iss-7"`, `"7"`, `7`, `7.0`, `1e3`, `true`, `null`, `""`, `"a\u0000b"`, `"\u00e9\n"`, `"x\/y"`, `"\ud800"`, "\"\xff\"", `"{\"k\":\"ISS-7\"}"`, `"[7,\"deep\"]"`, `"\"q\""`}
	someNoise  = []string{"", " ", "npm WARN deprecated", "\xff\xfe\x00", "42", "\ufeff{}", `{"jsonrpc":"2.0"`, "[]", `[1]`, `{"id":1}`, `{"method":7,"id":1,"jsonrpc":"2.0"}`, strings.Repeat("[", 1001), "é İ ı K"}
)

// line is a random line: mostly one message, sometimes several, sometimes none.
func (w *world) line() string {
	switch w.IntN(12) {
	case 0:
		return w.pick(someNoise...)
	case 1:
		return w.object() + w.pick("", " ") + w.object()
	case 2:
		return "[" + w.object() + "," + w.object() + w.pick("", ",7", ","+w.object()) + "]"
	}
	return w.object()
}

func (w *world) object() string {
	id := `"id":` + w.pick(someIDs...)
	switch w.IntN(8) {
	case 0, 1, 2:
		return `{"jsonrpc":"2.0",` + id + `,"method":"` + w.pick(someMethods...) + `","params":` + w.params() + `}`
	case 3, 4:
		return `{"jsonrpc":"2.0",` + id + `,"result":` + w.result() + `}`
	case 5:
		code := w.pick("-32602", "-32601", "0", "1e3", `"x"`, "1.5", "9223372036854775807", "99999999999999999999")
		return `{` + w.pick(`"jsonrpc":"2.0",`, "") + id + `,"error":{"code":` + code + `,"message":"ISS-7 is gone"}` + w.pick(`,"result":`+w.result(), "") + `}`
	case 6:
		return `{"jsonrpc":"2.0","method":"notifications/` + w.pick("progress", "cancelled", "message", "resources/updated") +
			`","params":{"progressToken":` + w.pick(someIDs[:4]...) + `,"requestId":` + w.pick(someIDs[:5]...) + `,"uri":"` + w.pick(someNames...) + `"}}`
	}
	return `{"jsonrpc":"2.0",` + id + `,"method":"` + w.pick(someMethods...) + `","params":` + w.params() + w.pick("", `,"Method":"x","method":"`+w.pick(someMethods...)+`"`) + `}`
}

func (w *world) params() string {
	name := w.pick(someNames...)
	return w.pick(w.value(2), `{"name":"`+name+`","uri":"`+name+`","taskId":"`+name+`","protocolVersion":"`+name+`","ref":{"name":"`+name+
		`"},"_meta":{"progressToken":`+w.pick(someIDs[:4]...)+`},"arguments":`+w.value(3)+`}`)
}

func (w *world) result() string {
	return w.pick(w.value(2), `{"isError":`+w.pick("true", "false", `"true"`)+`,"content":[{"type":"text","text":`+w.pick(someValues...)+`}],"structuredContent":`+w.value(2)+`}`)
}

func (w *world) value(depth int) string {
	if depth == 0 || w.IntN(3) == 0 {
		return w.pick(someValues...)
	}
	if w.IntN(2) == 0 {
		return "[" + w.value(depth-1) + " , " + w.value(depth-1) + "]"
	}
	return `{"` + w.pick("text", "ISS-7", "k") + `" : ` + w.value(depth-1) + `,"k":` + w.value(depth-1) + "}"
}

// filter is a random filter, a single term often.
func (w *world) filter() string {
	if w.IntN(2) == 0 {
		return w.term()
	}
	return w.tree(3)
}

func (w *world) tree(depth int) string {
	if depth == 0 {
		return w.term()
	}
	switch w.IntN(5) {
	case 0:
		return w.tree(depth-1) + " " + w.tree(depth-1)
	case 1:
		return w.tree(depth-1) + " or " + w.tree(depth-1)
	case 2:
		return "not (" + w.tree(depth-1) + ")"
	case 3:
		return "(" + w.tree(depth-1) + " or " + w.tree(depth-1) + ") " + w.tree(depth-1)
	}
	return w.term()
}

func (w *world) term() string {
	switch field := w.pick(strings.Fields("session host server transport version since until direction kind method tool prompt uri id " +
		"status code dur size seq source value value text regexp")...); field {
	case "session", "host", "server", "transport", "version":
		return w.like(field, w.pick(w.ofSession(field), w.ofSession(field), "cursor", "g*"))
	case "since", "until":
		return field + ":" + w.start().Add(time.Duration(w.IntN(4_000_000_000))).Format(time.RFC3339Nano)
	case "direction":
		return "direction:" + w.pick("client", "server", "c*", "*")
	case "kind":
		return "kind:" + w.pick("request", "notification", "response", "invalid", "noise", "re*", "*n*")
	case "status":
		return "status:" + w.pick("open", "ok", "tool_error", "error", "cancelled", "unanswered", "lost", "*error", "?????")
	case "source":
		return "source:" + w.pick("harvested", "derived", "literal", "told", "synthesized", "*", "*e*")
	case "method":
		return w.like(field, w.decoded(w.pick(someMethods...)))
	case "tool", "prompt", "uri":
		return w.like(field, w.decoded(w.pick(someNames...)))
	case "id":
		return w.like(field, w.decoded(strings.Trim(w.pick(someIDs...), w.pick("", `"`))))
	case "value":
		return w.like(field, w.decoded(strings.Trim(w.pick(someValues...), `"`)))
	case "code":
		return field + ":" + w.op() + w.pick("-32602", "-32601", "0", "1000", "9223372036854775807")
	case "dur":
		return field + ":" + w.op() + w.duration()
	case "size":
		return field + ":" + w.op() + fmt.Sprint(len(w.lines[w.IntN(len(w.lines))])-1)
	case "seq":
		return field + ":" + w.op() + fmt.Sprint(w.IntN(50))
	case "text":
		return quote(w.piece())
	}
	return w.regexp()
}

func (w *world) ofSession(field string) string {
	s := w.sessions[w.IntN(len(w.sessions))]
	return map[string]string{"session": s.ID, "host": s.Host, "server": s.Server, "transport": s.Transport, "version": s.ProtocolVersion}[field]
}

func (w *world) op() string { return w.pick("", "<", "<=", ">", ">=") }

func (w *world) duration() string {
	c := w.calls[w.IntN(len(w.calls))].Call
	return w.pick(c.Duration().String(), fmt.Sprint(w.IntN(500))+"ms")
}

// decoded is what a piece of JSON string means, as far as ours go.
func (w *world) decoded(text string) string {
	return strings.NewReplacer(`\u0000`, "\x00", `\u00e9`, "é", `\n`, "\n", `\"`, `"`, `\/`, "/").Replace(text)
}

// like looks for a text as it is, in quotes, or for a pattern that may fit it.
func (w *world) like(field, text string) string {
	hasValue := text != "" || field == "id" || field == "value"
	if w.IntN(2) == 0 && hasValue {
		return field + ":" + quote(text)
	}
	pattern := []rune(strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(`()"`, r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text))
	for range w.IntN(3) {
		if len(pattern) > 0 {
			pattern[w.IntN(len(pattern))] = rune(w.pick("*", "?")[0])
		}
	}
	return field + ":" + string(pattern) + w.pick("", "", "*") + map[bool]string{true: "*"}[len(pattern) == 0]
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// piece is a part of a line, in other letters.
func (w *world) piece() string {
	line := w.lines[w.IntN(len(w.lines))]
	from := w.IntN(len(line))
	piece := string(line[from:min(len(line), from+1+w.IntN(12))])
	if w.IntN(2) == 0 {
		piece = strings.ToUpper(piece)
	}
	return piece
}

func (w *world) regexp() string {
	return w.pick(`/ISS-\d/`, `/^\{/`, `/"id":1[,}]/`, `/(?i)iss-7"/`, `/^$/`, `/\x00/`, `/tools\/call/`, `/é/`, `/[^\x00-\x7f]/`, `/\]$/`)
}
