package replay

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"reprise"
)

// tape is a capture made ready to be played: what the client said, and what the server sent because of it. It is
// not changed by playing.
type tape struct {
	session *reprise.Session
	begin   *cue   // what the server sent before the client's first message
	cues    []*cue // the client's messages, in order
	end     *cue   // what the server sent because the client had gone
	calls   []*call
	index   index
	// capabilities of the recorded client, raw; "" when it did not shake hands
	capabilities string
}

// cue is a message of the client's, with what the server sent because of it, in order: what belongs to the same
// operation and came before the next message of that operation, and what belongs to none and came before the next message of any.
type cue struct {
	n     int // its place among the tape's cues
	seq   int64
	at    time.Duration
	items []*item
	dies  bool // the server died before the next one
}

// call is a request of the client's.
type call struct {
	*reprise.Call
	n       int // its place among the tape's calls
	params  string
	answer  string // the raw result, "" when there is none
	cue     *cue
	last    *cue // the latest message of its operation
	page    int  // of a list, from 1; 0 when nobody handed out its cursor
	asked   int  // the events of its request and its response
	replied int
}

// String is how a person would write the call.
func (c *call) String() string {
	return reprise.Render(&reprise.Message{Method: c.Method, Name: c.Name, Params: c.params})
}

// question is a request of the server's.
type question struct {
	method string
	id     string // raw token
	reply  *cue   // the client's answer; nil when there was none
	answer string // raw result or error
	owner  *call  // the call that it was asked for; nil when it was asked of its own accord
}

// item is one message that the server sent.
type item struct {
	frame    *reprise.Frame
	from, to int // its place in the frame's data
	member   int // its place among the frame's messages
	members  int // how many of them are items
	role     role
	call     *call  // whose it is; nil of what belongs to none
	level    string // of a log message
	wanted   string // the member of a subscription's filter that asks for it
	uri      string // of what has been updated
	question *question
	slots    []slot
}

// role is what an item is to the conversation.
type role uint8

const (
	free     role = iota // tied to its place, as list_changed or a log message
	response             // ends its call
	progress             // needs the token that the client gave
	asking               // a question of the server's
	streamed             // crosses a subscription, and needs it open
	closing              // ends a subscription
)

// slot is a token that is the live client's own, or ours, and is put into the recorded bytes.
type slot struct {
	from, to int // in the frame's data
	what     what
	call     *call     // whose token
	question *question // that is taken back
}

type what uint8

const (
	callID what = iota
	progressToken
	questionID
	cancelledID // the question that the server takes back
	clientTask  // a task of the client's
	acceptedFilter
)

const (
	subscriptionID = reprise.MetaPrefix + "subscriptionId"
	listen         = "subscriptions/listen"
	acknowledged   = "notifications/subscriptions/acknowledged"
)

// event is one message of the capture.
type event struct {
	frame *reprise.Frame
	msg   reprise.Message
	call  *reprise.Call
	count int // messages in its frame
}

// builder makes a tape out of a capture.
type builder struct {
	*tape
	events    []event
	known     map[*reprise.Call]*call
	questions map[*reprise.Call]*question
	replies   map[*reprise.Call]int // where a question was answered
	open      map[*call]bool
	busy      map[*call]int    // questions that wait for their answers
	listens   map[string]*call // by raw id
	latest    *cue
	endings   map[*item]*cue // of subscriptions
}

func newTape(c *reprise.Capture) *tape {
	b := builder{tape: &tape{session: c.Session(), begin: &cue{n: -1}, end: &cue{n: -2}},
		known: map[*reprise.Call]*call{}, questions: map[*reprise.Call]*question{}, replies: map[*reprise.Call]int{},
		open: map[*call]bool{}, busy: map[*call]int{}, listens: map[string]*call{}, endings: map[*item]*cue{}}
	b.read(c)
	b.latest = b.begin
	for i := range b.events {
		b.play(i)
	}
	b.finish()
	b.index.build(b.calls)
	return b.tape
}

// read pairs the capture's messages.
func (b *builder) read(c *reprise.Capture) {
	b.events = make([]event, 0, len(c.Items))
	pairer := reprise.Pairer{Changed: func(*reprise.Call) {}, Bare: true}
	for f := range c.Frames() {
		messages := reprise.ReadMessages(f.Data)
		for i := range messages {
			m := messages[i]
			made := pairer.Add(f, &m)
			b.note(made, &m, f)
			b.events = append(b.events, event{f, m, made, len(messages)})
		}
	}
	b.diedOfItself()
	pairer.End(b.session.Ending.Unanswered())
}

// diedOfItself takes a server that ended with an error, and nobody says how, to have died.
func (b *builder) diedOfItself() {
	if code := b.session.ExitCode; b.session.Ending == "" && code != nil && *code != 0 {
		b.session.Ending = reprise.EndedByServer
	}
}

// note makes what a message begins, and remembers where it ends.
func (b *builder) note(made *reprise.Call, m *reprise.Message, f *reprise.Frame) {
	switch at := len(b.events); {
	case made == nil:
	case m.Kind == reprise.KindRequest && made.Direction == reprise.ClientToServer:
		c := &call{Call: made, n: len(b.calls), params: m.Params, asked: at, replied: -1}
		b.known[made], b.calls = c, append(b.calls, c)
		if m.Method == "initialize" {
			b.capabilities = reprise.Member(m.Params, "capabilities").Raw
		}
	case m.Kind == reprise.KindRequest:
		b.questions[made] = &question{method: m.Method, id: m.ID}
	case m.Kind == reprise.KindResponse && made.Direction == reprise.ClientToServer:
		b.known[made].replied, b.known[made].answer = at, m.Result
	case m.Kind == reprise.KindResponse:
		b.replies[made] = at
		b.questions[made].answer = cmp.Or(m.Result, m.Error)
	}
}

func (b *builder) play(i int) {
	e := &b.events[i]
	if e.frame.Direction == reprise.ClientToServer {
		b.client(e)
	} else {
		b.server(i, e)
	}
}

// client takes a message of the client's: it is a cue, for its operation or for all that belongs to none.
func (b *builder) client(e *event) {
	q := &cue{n: len(b.cues), seq: e.frame.Seq, at: e.frame.At}
	b.cues = append(b.cues, q)
	switch c := b.known[e.call]; {
	case e.msg.Kind == reprise.KindRequest:
		c.cue, c.last = q, q
		b.open[c] = true
		if c.Method == listen {
			b.listens[c.ID] = c
		}
		if about := b.operation(e.call); about != nil {
			about.last = q
		}
	case e.msg.Kind == reprise.KindResponse && b.questions[e.call] != nil:
		asked := b.questions[e.call]
		if asked.reply = q; asked.owner != nil {
			asked.owner.last = q
			b.busy[asked.owner]--
		}
	case e.msg.Method == "notifications/cancelled" && c == nil, e.msg.Method == "notifications/progress":
		b.index.notification(e, q)
		return // opencode cancels every call that was answered: nothing came of it
	case e.msg.Method == "notifications/cancelled" && c.Cancelled == e.frame.Seq:
		c.last = q
		b.index.cancelled(c, q)
	default:
		b.index.notification(e, q)
	}
	b.latest = q
}

// operation is the call whose task another one is about.
func (b *builder) operation(c *reprise.Call) *call {
	if c == nil || c.Link != reprise.LinkTask {
		return nil
	}
	i, ok := slices.BinarySearchFunc(b.calls, c, func(a *call, c *reprise.Call) int {
		return cmp.Or(cmp.Compare(a.Seq, c.Of), cmp.Compare(a.Index, c.OfIndex))
	})
	if !ok {
		return nil
	}
	return b.calls[i]
}

// server takes a message of the server's and ties it to its cue.
func (b *builder) server(i int, e *event) {
	it, at := b.item(e), b.latest
	c := b.known[e.call]
	switch {
	case e.msg.Kind == reprise.KindResponse && c != nil && c.Method == listen, e.msg.Method == "notifications/cancelled" && c != nil && c.Method == listen:
		it.role, it.call = closing, c
		if c.Cancelled != 0 && c.Cancelled < e.frame.Seq {
			at = c.last // the client had cancelled it
		} else {
			b.endings[it] = at
		}
		delete(b.open, c)
	case e.msg.Kind == reprise.KindResponse && c != nil:
		it.role, it.call, at = response, c, c.last
		delete(b.open, c)
	case e.msg.Method == "notifications/progress" && c != nil:
		it.role, it.call, at = progress, c, c.last
	case e.msg.Kind == reprise.KindRequest:
		it.role, it.question = asking, b.questions[e.call]
		if it.call = b.asker(i, e.call); it.call != nil {
			it.question.owner, at = it.call, it.call.last
			b.busy[it.call]++
		}
	case it.call != nil: // found by its subscription
		it.role = streamed
		if e.msg.Method == acknowledged {
			at = it.call.cue
		}
	}
	at.items = append(at.items, it)
}

// asker is the call that the server asks for: the only one that is open, the one whose task it works on, or
// the one that is answered first after the question was.
func (b *builder) asker(i int, asked *reprise.Call) *call {
	if c := b.operation(asked); c != nil {
		return b.awaiting(c)
	}
	var candidates []*call
	for c := range b.open {
		if c.Method != listen && c.Status != reprise.StatusCancelled {
			candidates = append(candidates, c)
		}
	}
	if len(candidates) < 2 {
		return first(candidates)
	}
	replied, ok := b.replies[asked]
	if !ok {
		replied = i
	}
	rank := func(c *call) int {
		switch all := len(b.events); {
		case c.replied < 0:
			return 3 * all
		case c.replied < replied: // it did not wait for the answer
			return 2 * all
		case b.busy[c] > 0: // it waits for the answer to another question
			return all
		}
		return c.replied
	}
	return slices.MinFunc(candidates, func(x, y *call) int { return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x.n, y.n)) })
}

// awaiting is the open call that waits for the result of a task, else the call that made it.
func (b *builder) awaiting(made *call) *call {
	for c := range b.open {
		if c.Method == "tasks/result" && b.operation(c.Call) == made {
			return c // there is one at the most, but for hostile captures
		}
	}
	return made
}

func first(calls []*call) *call {
	if len(calls) == 0 {
		return nil
	}
	return calls[0]
}

// item reads a message of the server's: alone on its line, or one of several.
func (b *builder) item(e *event) *item {
	it := &item{frame: e.frame, to: len(e.frame.Data), member: e.msg.Index, members: e.count}
	if e.count > 1 {
		it.from, it.to, _ = reprise.Place(e.frame.Data, e.msg.Raw)
	}
	if it.wanted = wantedBy(e.msg.Method); it.wanted == "resourceSubscriptions" {
		it.uri = strings.Clone(e.msg.Name)
	}
	if e.msg.Method == "notifications/message" {
		it.level = strings.Clone(reprise.Member(e.msg.Params, "level").Str)
	}
	b.slots(it, e)
	return it
}

// slots finds the tokens that are the client's own.
func (b *builder) slots(it *item, e *event) {
	c := b.known[e.call]
	m := &e.msg
	switch {
	case m.Kind == reprise.KindResponse && c != nil:
		it.slot(m.ID, callID, c)
	case m.Kind == reprise.KindRequest:
		it.slot(m.ID, questionID, nil)
		if strings.HasPrefix(m.Method, "tasks/") {
			it.slot(reprise.Member(m.Params, "taskId").Raw, clientTask, nil)
		}
	case m.Method == "notifications/progress" && c != nil:
		it.slot(reprise.Member(m.Params, "progressToken").Raw, progressToken, c)
	case m.Method == "notifications/cancelled" && c != nil:
		it.slot(reprise.Member(m.Params, "requestId").Raw, callID, c)
	case m.Method == "notifications/cancelled" && b.questions[e.call] != nil:
		it.slot(reprise.Member(m.Params, "requestId").Raw, cancelledID, nil)
		it.slots[len(it.slots)-1].question = b.questions[e.call]
	case m.Method == acknowledged:
		it.slot(reprise.Member(m.Params, "notifications").Raw, acceptedFilter, nil)
	}
	meta := reprise.Member(cmp.Or(m.Params, m.Result), "_meta")
	if id := reprise.Member(meta.Raw, subscriptionID); id.Exists() {
		if stream := b.listens[id.Raw]; stream != nil {
			it.call = stream
			it.slot(id.Raw, callID, stream)
		}
	}
}

func (it *item) slot(token string, what what, c *call) {
	if from, to, ok := reprise.Place(it.frame.Data, token); ok {
		it.slots = append(it.slots, slot{from: from, to: to, what: what, call: c})
	}
}

// finish moves what the server sent when the client went away to the end, and marks where the server died.
func (b *builder) finish() {
	for it, at := range b.endings {
		if at == b.latest {
			at.items = slices.DeleteFunc(at.items, func(other *item) bool { return other == it })
			b.end.items = append(b.end.items, it)
		}
	}
	slices.SortFunc(b.end.items, func(x, y *item) int {
		return cmp.Or(cmp.Compare(x.frame.Seq, y.frame.Seq), cmp.Compare(x.member, y.member))
	})
	b.latest.dies = b.session.Ending == reprise.EndedByServer
}
