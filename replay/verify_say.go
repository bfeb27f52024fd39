package replay

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"reprise"
)

// say sends a frame of the recorded client's, without the messages that may not or can't be sent. It
// returns false while it has to know more of the server first.
func (v *verifier) say(l *spoken) bool {
	if v.needsTools(l) {
		return false
	}
	texts := make([][]byte, len(l.parts))
	for i, p := range l.parts {
		texts[i] = v.prepare(p)
	}
	if l.loose && slices.ContainsFunc(texts, func(text []byte) bool { return text == nil }) {
		for i, p := range l.parts {
			if p.op != nil && texts[i] != nil {
				p.op.leave(SkipDepends, "shares its line with a request that is not sent")
			}
			texts[i] = nil
		}
	}
	if data := l.with(texts); data != nil {
		v.sayNow(l, texts, data)
	}
	return true
}

func (v *verifier) sayNow(l *spoken, texts [][]byte, data []byte) {
	for i, p := range l.parts {
		switch {
		case texts[i] == nil:
		case p.op != nil:
			v.mark(p.op, string(texts[i]))
		case p.note.cancels != nil:
			p.note.cancels.stopped = v.now()
		}
	}
	v.send(data)
}

// mark says that a request is being sent.
func (v *verifier) mark(o *exchange, text string) {
	o.state, o.sentText, o.sentAt, o.changes = opSent, text, v.now(), v.tools.changes
	v.sending = append(v.sending, o)
}

// leave says that a request is not sent, on purpose.
func (o *exchange) leave(kind Skip, reason string) {
	o.state, o.skip, o.reason = opSkipped, kind, reason
}

// with is the frame with these texts in the places of its messages; nil when there are none.
func (l *spoken) with(texts [][]byte) []byte {
	kept := slices.DeleteFunc(slices.Clone(texts), func(text []byte) bool { return text == nil })
	switch {
	case len(kept) == 0:
		return nil
	case len(kept) < len(texts) && l.batch:
		return fmt.Appendf(nil, "[%s]", bytes.Join(kept, []byte(",")))
	}
	var b []byte
	done := 0
	for i, p := range l.parts {
		b = append(append(b, l.frame.Data[done:p.from]...), texts[i]...)
		done = p.to
	}
	return append(b, l.frame.Data[done:]...)
}

// send puts a line on its way and shows it to the live record.
func (v *verifier) send(data []byte) {
	v.record(reprise.ClientToServer, data, "\n")
	v.out = append(v.out, append(bytes.Clone(data), '\n'))
}

// record takes a frame of today's.
func (v *verifier) record(d reprise.Direction, data []byte, eol string) {
	v.seq++
	f := &reprise.Frame{Seq: v.seq, At: v.now(), Direction: d, Data: data, EOL: eol, Size: int64(len(data))}
	v.private = false
	v.live.Add(f)
	if v.private {
		v.seq--
	} else {
		v.frames = append(v.frames, f)
	}
}

// prepare gives a message as it is said today, or nil when it is not said.
func (v *verifier) prepare(p part) []byte {
	if p.note != nil {
		return v.prepareNote(p)
	}
	o := p.op
	if kind, reason := v.forbids(o); kind != "" {
		o.leave(kind, reason)
		return nil
	}
	e := &edits{data: []byte(o.text)}
	params := reprise.ReadMessages(e.data)[0].Params
	for _, fill := range []func(*exchange, *edits, string){v.fillPage, v.fillRound, v.fillTask, v.fillUses} {
		if fill(o, e, params); o.settled() {
			return nil
		}
	}
	text := e.bytes()
	if isMasked(text) {
		o.leave(SkipMasked, "the capture masks a secret in it")
		return nil
	}
	return text
}

// prepareNote gives a notification, but none about what was not sent or is over. Progress of what the
// server asked for is not told: it is answered at once.
func (v *verifier) prepareNote(p part) []byte {
	n := p.note
	switch {
	case n.cancels != nil && n.cancels.state != opSent, n.about != nil && !n.about.made():
		return nil
	case n.method == "notifications/progress", n.method == "notifications/tasks/status":
		return nil
	case !slices.Contains(knownNotes, n.method) && !v.AllowWrites:
		return nil
	}
	return n.text
}

// knownNotes are the client's notifications that change nothing (protocol.md §2.1).
var knownNotes = []string{"notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed"}

// fillPage takes the cursor from today's page before.
func (v *verifier) fillPage(o *exchange, e *edits, params string) {
	if o.page == nil {
		return
	}
	cursor := reprise.Member(o.page.got, "nextCursor")
	if !cursor.Exists() || cursor.Type == gjson.Null {
		o.giveUp(fmt.Sprintf("the list ends at the page of seq %d today", o.page.rec.Seq))
		return
	}
	e.replace(reprise.Member(params, "cursor").Raw, cursor.Raw)
}

// fillRound makes the next leg of a multi-round-trip request: the recorded answers under today's keys, with today's state (protocol.md §5.3).
func (v *verifier) fillRound(o *exchange, e *edits, params string) {
	if o.rec.Link != reprise.LinkRound || o.after == nil || !v.follows(o) {
		return
	}
	state, questions := reprise.Member(o.after.got, "requestState"), reprise.Member(o.after.got, "inputRequests")
	if !state.Exists() && !questions.IsObject() {
		o.giveUp(fmt.Sprintf("the server asks for no other round at seq %d today", o.after.rec.Seq))
		return
	}
	switch old := reprise.Member(params, "requestState"); {
	case old.Exists() && state.Exists():
		e.replace(old.Raw, state.Raw)
	case old.Exists():
		e.remove(params, "requestState")
	case state.Exists():
		e.insert(params, "requestState", state.Raw)
	}
	then := namesInOrder(reprise.Member(o.after.result, "inputRequests").Raw)
	rename(e, reprise.Member(params, "inputResponses").Raw, then, namesInOrder(questions.Raw))
}

// rename gives the answers the keys that the server uses today for the questions in the same place.
func rename(e *edits, answers string, then, now []string) {
	today := map[string]string{}
	for i, name := range then {
		if !slices.Contains(now, name) && i < len(now) && !slices.Contains(then, now[i]) {
			today[name] = now[i]
		}
	}
	gjson.Parse(answers).ForEach(func(k, _ gjson.Result) bool {
		if name, ok := today[k.Str]; ok {
			e.replace(k.Raw, string(reprise.Quote(name)))
		}
		return true
	})
}

func namesInOrder(object string) (names []string) {
	if o := gjson.Parse(object); o.IsObject() {
		o.ForEach(func(k, _ gjson.Result) bool {
			names = append(names, k.Str)
			return true
		})
	}
	return names
}

// follows says whether the call that another one continues was made and answered.
func (v *verifier) follows(o *exchange) bool {
	switch before := o.after; {
	case before.state == opSkipped:
		o.depend(before)
	case before.state != opAnswered || before.got == "":
		o.giveUp(fmt.Sprintf("seq %d, which it continues, has no result today", before.rec.Seq))
	default:
		return true
	}
	return false
}

// depend skips a call for another one that was skipped.
func (o *exchange) depend(on *exchange) {
	o.needs = on.rec.Seq
	o.leave(SkipDepends, fmt.Sprintf("depends on seq %d", on.rec.Seq))
}

// fillUses puts today's values into the arguments.
func (v *verifier) fillUses(o *exchange, e *edits, params string) {
	for _, u := range v.s.uses[place{o.rec.Seq, o.rec.Index}] {
		if u.Path == "cursor" && isList(o.rec.Method) || u.Path == "taskId" && o.after != nil {
			continue // they went by their place
		}
		if token := argument(o.rec.Method, params, u); token != "" {
			if v.fill(o, e, token, u); o.settled() {
				return
			}
		}
	}
	e.renewNames(reprise.Member(params, "arguments").Raw, v.s.bindings.Name, 0)
}

// argument finds the token of a use. Its path is of the arguments where the method has some, but for the answers of a next leg.
func argument(method, params string, u *reprise.Use) string {
	tokens := []string{reprise.At(params, u.Path)}
	if method == "tools/call" || method == "prompts/get" {
		tokens = []string{reprise.At(reprise.Member(params, "arguments").Raw, u.Path), tokens[0]}
	}
	for _, token := range tokens {
		if token != "" && (u.Cut || token == u.JSON || bytes.Equal(reprise.Canonical(token), reprise.Canonical(u.JSON))) {
			return token
		}
	}
	return ""
}

// fill puts today's value in the place of one argument.
func (v *verifier) fill(o *exchange, e *edits, token string, u *reprise.Use) {
	live, bound := v.s.bindings.Live(u)
	switch {
	case bound:
		e.renew(token, live)
	case u.Cut:
	default:
		if maker := v.skippedMaker(u); maker != nil {
			o.depend(maker)
			return
		}
		o.giveUp(fmt.Sprintf("%s is %s of seq %d, which gives no such value today", u.Path, u.ValuePath, u.ValueSeq))
	}
}

// isMasked says whether a request is about to be sent with a placeholder in place of a secret.
func isMasked(request []byte) bool {
	if !bytes.Contains(request, []byte(reprise.PlaceholderStart)) {
		return false
	}
	params := reprise.ReadMessages(request)[0].Params
	masked := false
	gjson.Parse(params).ForEach(func(k, v gjson.Result) bool {
		masked = masked || k.Str != "_meta" && k.Str != "clientInfo" && strings.Contains(v.Raw, reprise.PlaceholderStart)
		return true
	})
	return masked
}

// skippedMaker is the skipped call that gave a used value, in this generation or an earlier one.
func (v *verifier) skippedMaker(u *reprise.Use) *exchange {
	used := v.s.values[u.ValueN]
	if used == nil {
		return nil
	}
	for _, made := range v.s.made {
		if made.Seq > u.Seq {
			break
		}
		if made != used && made.JSON != used.JSON {
			continue
		}
		if o := v.s.byPlace[place{made.CallSeq, made.CallIndex}]; o != nil && o.state == opSkipped {
			return o
		}
	}
	return nil
}

// pollAgain asks once more about tasks that have not come so far as they had.
func (v *verifier) pollAgain() {
	v.polling = slices.DeleteFunc(v.polling, func(o *exchange) bool {
		if o.state == opSent && v.ended == "" && v.now() < o.pollAt {
			v.wakeAt(o.pollAt)
			return false
		}
		if o.state == opSent && v.ended == "" {
			v.askAgain(o)
		}
		return true
	})
}

func (v *verifier) askAgain(o *exchange) {
	e := &edits{data: []byte(o.sentText)}
	e.replace(reprise.ReadMessages(e.data)[0].ID, v.newID())
	again := &exchange{rec: o.rec, again: o, own: true}
	data := e.bytes()
	v.mark(again, string(data))
	v.send(data)
}

// newID is an id that the recorded client does not use.
func (v *verifier) newID() string {
	for {
		v.questions++
		if id := fmt.Sprintf(`"reprise-%d"`, v.questions); !v.s.ids[id] {
			return id
		}
	}
}

// interval is how long a server wants nobody to ask again about a task.
func interval(result string) time.Duration {
	for _, object := range []string{result, reprise.Member(result, "task").Raw} {
		for _, name := range []string{"pollInterval", "pollIntervalMs"} {
			if ms := reprise.Member(object, name); ms.Type == gjson.Number && ms.Num > 0 {
				return min(time.Duration(ms.Num*float64(time.Millisecond)), 10*time.Second)
			}
		}
	}
	return 100 * time.Millisecond
}
