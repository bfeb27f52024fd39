package replay

import (
	"cmp"
	"strings"
	"sync/atomic"
	"time"

	"reprise"
)

// run is one conversation with a live client: a state machine without I/O or clock. What it sends depends on the
// capture and on the client's messages in their order, and on nothing else.
type run struct {
	*Server
	index  index
	report Report

	used  []bool              // by call
	keys  keys                // of the request at hand
	next  []int               // by queue: up to which of its calls all are used
	loops []int               // by queue: how often the used ones were taken again
	heard map[string]int      // by key: notifications
	cued  []bool              // by cue
	skips int                 // skippable cues before this one have been caught up with
	live  []*op               // by call: the latest that it is
	open  map[string]*op      // by the client's id
	held  map[*call][]*item   // what waits for a subscription
	asked map[string]*waiting // by our id
	ids   map[string]bool     // ours, that were given
	fresh int
	given map[*question]string
	later []*cue            // behind questions that were left out, and belong to no call
	ready []*op             // that may go on
	depth int               // of cues that are being played
	walk  map[string]int    // where a list's cursors lead to, as they were handed out last
	tasks map[string]string // the client's own, by what they are in the capture
	away  map[string]bool   // ids of what the real server was asked

	client   client
	values   map[string]string // live leaf → recorded one
	secrets  map[string]string // placeholder → what it stands for
	out      []sending
	lineRoom []line
	dead     bool
	failed   atomic.Int32 // requests that the real server gave no answer to
}

// op is a call of the live client's.
type op struct {
	call      *call
	id, token string // raw
	answered  bool
	cancelled bool
	closed    bool       // a subscription that has ended
	filter    string     // what a subscription asks for, where that is not what the recorded one did
	waits     []*waiting // questions whose answers are needed, in the recorded order of those
}

// client is what is known of the live client.
type client struct {
	capabilities string // raw; "" when it has not said
	quiet        bool   // wants no log messages with what it asked last
	level        int    // of the log messages that it wants
}

// sending is a line to be sent to the client.
type sending struct {
	item  *item  // nil of what was not recorded
	data  []byte // of that
	id    string // of a question
	after time.Duration
	op    *op
	drop  bool // of op comes no more
	kept  bool // this does
	ask   bool // data is a request that the real server is to be asked
}

func (s *Server) newRun() *run {
	r := &run{Server: s, index: s.tape.index.ready(s.tape.calls, cmp.Or(s.Match, LevelArguments), s.Ignore),
		used: make([]bool, len(s.tape.calls)), cued: make([]bool, len(s.tape.cues)),
		heard: map[string]int{}, live: make([]*op, len(s.tape.calls)), open: map[string]*op{},
		held: map[*call][]*item{}, asked: map[string]*waiting{}, ids: map[string]bool{}, given: map[*question]string{},
		walk: map[string]int{}, tasks: map[string]string{}, away: map[string]bool{}, values: map[string]string{}, secrets: map[string]string{}}
	r.next, r.loops = make([]int, r.index.queues), make([]int, r.index.queues)
	r.report = Report{Session: s.tape.session.ID, Misses: []Miss{}, Nearest: []Miss{}, Passed: []Miss{}, Unused: []Unused{}}
	return r
}

// begin gives what the server sent of its own accord before anything was asked.
func (r *run) begin() []line {
	r.cue(r.tape.begin, nil, false)
	return r.lines()
}

// receive takes a line of the client's and gives what is sent because of it.
func (r *run) receive(data []byte) []line {
	for _, m := range reprise.ReadMessages(data) {
		if r.dead {
			break
		}
		r.message(data, &m)
	}
	return r.lines()
}

// end gives what is sent because the client has gone.
func (r *run) end() []line {
	r.cue(r.tape.end, nil, false)
	r.report.unused(r)
	return r.lines()
}

func (r *run) message(data []byte, m *reprise.Message) {
	switch m.Kind {
	case reprise.KindRequest:
		r.request(m)
	case reprise.KindResponse:
		r.answered(m)
	case reprise.KindNotification:
		if m.Method == "notifications/cancelled" {
			r.cancel(m)
			return
		}
		r.notified(notificationKey(data, m))
	default:
		r.notified(notificationKey(data, m))
	}
}

func (r *run) request(m *reprise.Message) {
	r.report.Calls++
	a := asked{method: m.Method, name: m.Name, params: m.Params}
	r.client.hear(&a)
	found, again := r.find(&a)
	if found == nil {
		r.unrecorded(m, &a)
		return
	}
	r.answer(m, &a, found, again)
}

// answer plays a recorded call to a live one.
func (r *run) answer(m *reprise.Message, a *asked, c *call, again bool) {
	o := &op{call: c, id: strings.Clone(m.ID), token: strings.Clone(a.meta("progressToken").Raw)}
	r.live[c.n] = o
	if again {
		r.report.Repeated++
	} else {
		r.catchUp(c.cue)
	}
	if c.Method == listen {
		o.narrow(a)
	}
	r.cue(c.cue, o, again)
	if len(r.held) > 0 {
		for _, it := range r.held[c] {
			r.send(it, o, 0)
		}
		delete(r.held, c)
	}
	if !o.answered || r.Speed > 0 { // what is not due yet can still be cancelled
		r.open[o.id] = o
	}
	r.leads(c)
	r.without(c, o)
}

// without tells the client of a call that was never answered that it will not be, where the recorded server was gone.
func (r *run) without(c *call, o *op) {
	switch {
	case c.Method == listen:
	case c.Status == reprise.StatusLost && !r.dead && !r.Faithful:
		r.refuse(o.id, codeLost, "the recorded server was gone before it answered this", "")
		r.report.Lost++
	case c.Status == reprise.StatusUnanswered:
		r.Log(c.String() + " was never answered, and is not now")
	}
}

// leads remembers to which page of a list the cursor leads that was handed out.
func (r *run) leads(c *call) {
	if c.page > 0 {
		if next := reprise.Member(c.answer, "nextCursor"); next.Exists() {
			r.walk[pageKey(c.Method, next.Raw)] = c.page + 1
		}
	}
}

// catchUp sends what belongs to no call and came with earlier messages that this client has left out, as those which cache do.
func (r *run) catchUp(with *cue) {
	for all := r.index.skippable; r.skips < len(all) && all[r.skips].seq < with.seq; r.skips++ {
		if q := all[r.skips]; !r.cued[q.n] {
			r.cued[q.n] = true
			for _, it := range q.items {
				if it.role == free {
					r.send(it, nil, 0)
				}
			}
		}
	}
}

// cue sends what came with a message of the client's. The second time it is only what belongs to the call: a list that
// says that it has changed whenever it is asked for would be asked for without end.
func (r *run) cue(q *cue, o *op, again bool) {
	r.depth++
	fresh := !again
	if q.n >= 0 {
		fresh = fresh && !r.cued[q.n]
		r.cued[q.n] = true
	}
	for _, it := range q.items {
		if fresh || it.call != nil && o != nil && it.call == o.call {
			r.send(it, o, it.frame.At-q.at)
		}
	}
	if q.dies && r.Faithful && fresh {
		r.dead = true
	}
	if r.depth--; r.depth == 0 {
		r.goOn()
	}
}

// send sends an item if it has somebody to go to.
func (r *run) send(it *item, o *op, after time.Duration) {
	if it.call != nil && (o == nil || o.call != it.call) {
		o = r.live[it.call.n]
	}
	switch it.role {
	case free:
		if !r.client.wants(it) {
			return
		}
	case response:
		if o == nil || o.cancelled {
			return
		}
		if o.answered = true; r.Speed == 0 && len(r.open) > 0 && r.open[o.id] == o {
			delete(r.open, o.id)
		}
		r.report.Answered++
	case progress:
		if o == nil || o.cancelled || o.token == "" {
			return
		}
	case streamed, closing:
		if o == nil && it.role == streamed {
			r.held[it.call] = append(r.held[it.call], it)
		}
		if o == nil || o.closed || !o.hears(it) {
			return
		}
		o.closed = it.role == closing
	case asking:
		r.ask(it, o, after)
		return
	}
	r.out = append(r.out, sending{item: it, op: o, after: after})
}

// cancel stops a call: what the recorded server still sent when it was cancelled comes, and nothing else.
func (r *run) cancel(m *reprise.Message) {
	id := reprise.Member(m.Params, "requestId").Raw
	o := r.open[id]
	if r.away[id] {
		delete(r.away, id)
		r.out = append(r.out, sending{data: []byte(m.Raw), ask: true})
	}
	if o == nil || o.answered {
		r.notified(strings.Clone(m.Method))
	}
	if o == nil {
		return
	}
	r.out = append(r.out, sending{op: o, drop: true})
	if q := r.index.cancels[o.call]; q != nil {
		r.cue(q, o, r.cued[q.n])
	}
	for i := range r.out {
		r.out[i].kept = true
	}
	o.cancelled, o.closed, o.waits = true, true, nil
	delete(r.open, o.id)
}

// notified takes a notification, or a line that is no JSON-RPC.
func (r *run) notified(key string) {
	if all := r.index.notifications[key]; r.heard[key] < len(all) {
		q := all[r.heard[key]]
		r.heard[strings.Clone(key)]++
		r.catchUp(q)
		r.cue(q, nil, false)
		return
	}
	r.report.Unknown++
}
