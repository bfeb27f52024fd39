package replay

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"reprise"
)

// waiting is a question that waits for the client's answer.
type waiting struct {
	*question
	op   *op
	done bool
}

// ask puts a question to the client, if it can answer one. Otherwise it is as if it had been answered.
func (r *run) ask(it *item, o *op, after time.Duration) {
	if o != nil && o.cancelled {
		return
	}
	w := &waiting{question: it.question, op: o}
	if o != nil && w.reply != nil {
		i, _ := slices.BinarySearchFunc(o.waits, w, func(a, b *waiting) int { return cmp.Compare(a.reply.seq, b.reply.seq) })
		o.waits = slices.Insert(o.waits, i, w)
	}
	if takes(r.tape.capabilities, w.method) && !takes(r.client.capabilities, w.method) {
		r.report.Unasked++
		r.Log("the client does not take " + w.method + ": left out")
		r.reply(w)
		return
	}
	id := r.newID(w.question.id)
	r.asked[id], r.given[w.question] = w, id
	r.out = append(r.out, sending{item: it, op: o, id: id, after: after})
}

// newID is the recorded id where that was not given before, so that clients which are themselves played back find theirs.
func (r *run) newID(recorded string) string {
	id := recorded
	for r.ids[id] {
		id = strconv.Itoa(1_000_000 + r.fresh)
		r.fresh++
	}
	r.ids[id] = true
	return id
}

// answered takes the client's answer to a question.
func (r *run) answered(m *reprise.Message) {
	w := r.asked[m.ID]
	if w == nil {
		r.report.Unknown++
		return
	}
	delete(r.asked, m.ID)
	live := cmp.Or(m.Result, m.Error)
	if string(reprise.Canonical(live)) != string(reprise.Canonical(w.answer)) {
		r.report.Differently++
		r.learn(w.answer, live)
	}
	if task := clientTaskOf(w.answer); task != "" {
		r.tasks[task] = strings.Clone(clientTaskOf(live))
	}
	r.reply(w)
	r.goOn()
}

// clientTaskOf is the id of the task that a result has made, raw.
func clientTaskOf(result string) string {
	return reprise.Member(reprise.Member(result, "task").Raw, "taskId").Raw
}

// reply notes that a question needs no answer any more.
func (r *run) reply(w *waiting) {
	switch w.done = true; {
	case w.op != nil:
		r.ready = append(r.ready, w.op)
	case w.question.reply != nil:
		r.later = append(r.later, w.question.reply)
	}
}

// goOn plays what came behind answers, when that of the message at hand has been played. Of one call
// the answers count in their recorded order: the server had them all before it went on.
func (r *run) goOn() {
	for r.depth == 0 && len(r.ready)+len(r.later) > 0 {
		if len(r.later) > 0 {
			q := r.later[0]
			r.later = r.later[1:]
			r.cue(q, nil, false)
			continue
		}
		o := r.ready[0]
		if len(o.waits) == 0 || !o.waits[0].done {
			r.ready = r.ready[1:]
			continue
		}
		w := o.waits[0]
		o.waits = o.waits[1:]
		r.cue(w.question.reply, o, r.cued[w.question.reply.n])
	}
}
