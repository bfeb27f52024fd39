package replay

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"reprise"
)

// hear takes a line of the live server's.
func (v *verifier) hear(line []byte) {
	if !v.endures(line) {
		return
	}
	data := bytes.TrimSuffix(line, []byte("\n"))
	eol := string(line[len(data):])
	if cut := bytes.TrimSuffix(data, []byte("\r")); eol != "" && len(cut) < len(data) {
		data, eol = cut, "\r\n"
	}
	v.heardAt = v.now()
	v.record(reprise.ServerToClient, data, eol)
	replies := v.replies
	v.replies = nil
	for _, reply := range replies {
		v.send(reply)
	}
}

// message is shown every message of today's, of both sides.
func (v *verifier) message(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	o := v.byLive[c]
	switch {
	case f.Direction == reprise.ClientToServer:
		if m.Kind == reprise.KindRequest && len(v.sending) > 0 {
			o, v.sending = v.sending[0], v.sending[1:]
			o.sent, v.byLive[c] = c, o
			v.private = v.private || o.walk != nil && o.own
		}
		return
	case m.Kind == reprise.KindRequest:
		v.asked(m.Raw, m, c)
	case m.Kind == reprise.KindResponse && o != nil:
		v.private = v.private || o.walk != nil && o.own
		v.answered(o, m.Raw, m)
	case m.Kind == reprise.KindNotification:
		v.takeNews(f, m)
		v.notified(m, o)
	case c == nil:
		v.takeNews(f, m)
	}
	v.heard = v.heard || m.Kind != reprise.KindNoise && m.Kind != reprise.KindInvalid
}

// answered takes a response of the live server's.
func (v *verifier) answered(o *exchange, text string, m *reprise.Message) {
	if o.again != nil {
		o = o.again
	}
	if o.state != opSent {
		return // it comes too late
	}
	o.gotText, o.got, o.gotErr = text, m.Result, m.Error
	if o.gotErr == "null" {
		o.gotErr = ""
	}
	if v.isEarly(o) {
		o.pollAt = v.now() + interval(o.got)
		v.polling = append(v.polling, o)
		return
	}
	if o.state = opAnswered; o.rec.Method == "tools/list" {
		v.listed(o, m.Flags&(reprise.FlagDuplicate|reprise.FlagCase|reprise.FlagBoth) != 0)
	}
	v.bind(o)
}

// bind learns what the recorded values of a result are today.
func (v *verifier) bind(o *exchange) {
	if o.own || o.result == "" || o.got == "" {
		return
	}
	failed := func(result string) bool { return reprise.Member(result, "isError").Type == gjson.True }
	if failed(o.result) == failed(o.got) {
		v.s.bindings.Result(o.rec.Response, o.rec.ResponseIndex, o.result, o.got)
	}
}

// asked takes a request of the live server's, and answers as the recorded client did.
func (v *verifier) asked(text string, m *reprise.Message, c *reprise.Call) {
	if v.asks++; v.asks > maxAsked+len(v.s.questions) {
		v.end(EndedEndless)
		return
	}
	o := v.match(m)
	if o != nil {
		o.state, o.sent, o.sentText = opAnswered, c, text
		v.byLive[c] = o
		if o.reply != "" {
			v.reply(o, m.ID)
		}
		return
	}
	if m.Method == "ping" {
		v.replies = append(v.replies, []byte(`{"jsonrpc":"2.0","id":`+m.ID+`,"result":{}}`))
		return
	}
	if roots := v.lastRoots(); m.Method == "roots/list" && roots != nil {
		v.reply(roots, m.ID)
		return
	}
	v.extras = append(v.extras, &exchange{rec: c, sentText: text, sent: c})
	v.replies = append(v.replies, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,`+
		`"message":"the capture has no such request here","data":{"reprise":"verify"}}}`, m.ID, codeMiss))
}

// match finds the recorded request that a live one stands for: of the same method, in their order. One of a call that
// is open today goes first, and one that asks for the same before that.
func (v *verifier) match(m *reprise.Message) *exchange {
	open := func(o *exchange) bool {
		return slices.ContainsFunc(o.owners, func(owner *exchange) bool { return owner.state == opSent })
	}
	same := func(o *exchange) bool {
		return open(o) && reprise.CompareMessages(o.params, m.Params, []string{m.Method}, v.s.bindings, v.Ignore).Class != reprise.ClassChanged
	}
	for _, fits := range []func(*exchange) bool{same, open, func(*exchange) bool { return true }} {
		for _, o := range v.s.questions {
			if o.state == opWaiting && o.rec.Method == m.Method && fits(o) {
				return o
			}
		}
	}
	return nil
}

// lastRoots is the last request for roots that the recorded client answered.
func (v *verifier) lastRoots() *exchange {
	for _, o := range slices.Backward(v.s.questions) {
		if o.rec.Method == "roots/list" && o.reply != "" {
			return o
		}
	}
	return nil
}

// reply sends the recorded answer under a live id, with today's values in it.
func (v *verifier) reply(o *exchange, id string) {
	e := &edits{data: []byte(o.reply)}
	m := reprise.ReadMessages(e.data)[0]
	e.replace(m.ID, id)
	for _, u := range v.s.uses[place{o.rec.Response, o.rec.ResponseIndex}] {
		token := reprise.At(m.Result, u.Path)
		if token == "" {
			continue
		}
		if live, bound := v.s.bindings.Live(u); bound {
			e.renew(token, live)
		}
	}
	v.relate(e, m.Result)
	v.replies = append(v.replies, e.bytes())
}

// relate puts the id of this run's task into an answer's _meta (protocol.md §5.5).
func (v *verifier) relate(e *edits, result string) {
	related := reprise.Member(reprise.Member(result, "_meta").Raw, reprise.MetaPrefix+"related-task")
	id := reprise.Member(related.Raw, "taskId")
	if !id.Exists() {
		return
	}
	for _, o := range slices.Backward(v.s.ops) {
		if o.result != "" && o.got != "" && taskIn(o.result) == id.Raw {
			e.replace(id.Raw, taskIn(o.got))
			return
		}
	}
}

// notified takes a notification of the live server's.
func (v *verifier) notified(m *reprise.Message, o *exchange) {
	if m.Method == "notifications/tools/list_changed" {
		v.tools.changed()
	}
	if m.Method == "notifications/progress" && o != nil {
		if o.again != nil {
			o = o.again
		}
		if o.progress++; o.notice != nil {
			o.notice.now++
		}
		return
	}
	if n := v.s.kinds[m.Method]; n != nil {
		n.now++
		n.heard = append(n.heard, m.Params)
	}
}
