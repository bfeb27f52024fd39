package reprise

import (
	"fmt"
	"strings"
	"testing"
)

// story plays a session to a Deriver. Each line is one message:
//
//	tools NAME SCHEMA…          tools/list lists a tool ("NAME!" is declared read-only) with its inputSchema
//	call NAME ARGUMENTS         tools/call; the next line is most often its answer
//	ask METHOD PARAMS           another request of the client's
//	ok RESULT                   the oldest open call succeeds
//	text TEXT                   … with a text block
//	error TEXT                  … fails with isError
//	refused CODE TEXT           … fails with a JSON-RPC error
//	server METHOD PARAMS        a request of the server's, and "reply RESULT" the client's answer
//	cancel                      the client cancels its oldest open call
//	notify METHOD PARAMS        a notification of the server's
type story struct {
	t      *testing.T
	d      Deriver
	s      Session
	seq    int64
	open   []int64 // the client's requests, by id
	asked  []int64 // the server's
	frames map[int64][]byte
	values []*Value
	uses   []*Use
	calls  map[int64]*Call
}

func play(t *testing.T, text string) *story {
	t.Helper()
	p := &story{t: t, frames: map[int64][]byte{}, calls: map[int64]*Call{}}
	p.d = Deriver{Session: &p.s, Message: func(*Frame, *Message, *Call) {}, Call: func(c *Call) { p.calls[c.Seq] = c },
		Value: func(v *Value) { p.values = append(p.values, v) }, Use: func(u *Use) { p.uses = append(p.uses, u) }}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			p.line(line)
		}
	}
	p.d.End()
	return p
}

func (p *story) line(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	name, body, _ := strings.Cut(rest, " ")
	switch verb {
	case "tools":
		p.tools(rest)
	case "call":
		p.request(ClientToServer, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, body))
	case "ask":
		p.request(ClientToServer, name, body)
	case "server":
		p.request(ServerToClient, name, body)
	case "ok":
		p.answer(ServerToClient, `"result":`+rest)
	case "text":
		p.answer(ServerToClient, `"result":{"content":[{"type":"text","text":`+string(appendString(nil, strings.ReplaceAll(rest, `\n`, "\n")))+`}]}`)
	case "error":
		p.answer(ServerToClient, `"result":{"isError":true,"content":[{"type":"text","text":`+string(appendString(nil, rest))+`}]}`)
	case "refused":
		p.answer(ServerToClient, fmt.Sprintf(`"error":{"code":%s,"message":%s}`, name, appendString(nil, body)))
	case "reply":
		p.answer(ClientToServer, `"result":`+rest)
	case "cancel":
		p.frame(ClientToServer, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, p.open[0]))
		p.open = p.open[1:]
	case "notify":
		p.frame(ServerToClient, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, name, body))
	default:
		p.t.Fatalf("unknown line %q", line)
	}
}

func (p *story) tools(list string) {
	var items []string
	for list != "" {
		var name, schema string
		name, list, _ = strings.Cut(list, " ")
		s := scanner{}
		n := s.feed([]byte(list), true)
		schema, list = list[:n], strings.TrimSpace(list[n:])
		bare, readOnly := strings.CutSuffix(name, "!")
		items = append(items, fmt.Sprintf(`{"name":%q,"description":"It's about 'sprints' and ISS-900.","inputSchema":%s,"annotations":{"readOnlyHint":%v}}`, bare, schema, readOnly))
	}
	p.request(ClientToServer, "tools/list", `{}`)
	p.answer(ServerToClient, `"result":{"tools":[`+strings.Join(items, ",")+`]}`)
}

func (p *story) request(dir Direction, method, params string) {
	p.seq++
	if dir == ClientToServer {
		p.open = append(p.open, p.seq)
	} else {
		p.asked = append(p.asked, p.seq)
	}
	p.seq--
	p.frame(dir, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.seq+1, method, params))
}

func (p *story) answer(dir Direction, what string) {
	queue := &p.open
	if dir == ClientToServer {
		queue = &p.asked
	}
	id := (*queue)[0]
	*queue = (*queue)[1:]
	p.frame(dir, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, what))
}

func (p *story) frame(dir Direction, data string) {
	p.seq++
	p.frames[p.seq] = []byte(data)
	f := &Frame{Seq: p.seq, Direction: dir, Data: []byte(data), EOL: "\n", Size: int64(len(data))}
	p.d.Add(f)
	clear(f.Data) // nothing may be kept of it
}

// use gives the last use at a path.
func (p *story) use(path string) *Use {
	p.t.Helper()
	for i := len(p.uses) - 1; i >= 0; i-- {
		if p.uses[i].Path == path {
			return p.uses[i]
		}
	}
	p.t.Fatalf("no use at %s in %v", path, p.uses)
	return nil
}

// said spells what matters of a use: "harvested same 2 items[0].id", "literal enum", "synthesized".
func (u *Use) said() string {
	parts := []string{string(u.Source)}
	if u.Ground != "" {
		parts = append(parts, string(u.Ground))
	}
	if u.ValueSeq != 0 {
		parts = append(parts, string(u.Relation), fmt.Sprint(u.ValueSeq), u.ValuePath)
	}
	if u.Stale {
		parts = append(parts, "stale")
	}
	return strings.Join(parts, " ")
}
