package replay

import (
	"errors"
	"slices"
	"strings"
	"time"

	"reprise"
)

// script is a capture read for the client's side.
type script struct {
	session   *reprise.Session
	steps     []step
	ops       []*exchange // the requests of both sides, in their order
	questions []*exchange // those of the server's
	byPlace   map[place]*exchange
	notices   []*notice
	kinds     map[string]*notice // by method, and of progress by method and request
	bindings  *reprise.Bindings
	values    map[int64]*reprise.Value   // by N
	made      []*reprise.Value           // in order
	born      map[place][]*reprise.Value // by the response that has them
	uses      map[place][]*reprise.Use
	ids       map[string]bool       // raw ids that the client used
	odd       map[reprise.Kind]bool // what the server said beside the protocol
	size      int64                 // of all frames
}

// place names a message of the capture.
type place struct {
	seq   int64
	index int
}

// step is one thing in the order of the recorded client's session: it said a frame, or heard something before it went on.
type step struct {
	say    *spoken
	answer *exchange // its response came
	heard  *notice   // a notification of this kind came
	count  int       // … for the how manieth time
}

// spoken is a frame of the client's with the messages that are played. Its answers to the server's requests are not: they are
// given when the live server asks.
type spoken struct {
	frame *reprise.Frame
	parts []part
	loose bool // objects and batches that share a line: all of it is said or nothing
	batch bool
}

// part is a message of a spoken frame.
type part struct {
	span
	op   *exchange // of a request
	note *note     // of a notification
}

// note is a notification of the client's.
type note struct {
	method  string
	text    []byte
	cancels *exchange // that it cancelled in time
	about   *exchange // that it is about, answered or not
}

// exchange is a request with what was answered, and what becomes of it in this run.
type exchange struct {
	rec    *reprise.Call
	text   string // the raw request
	params string
	reply  string // the raw response, "" when there was none
	result string // of the response
	err    string
	after  *exchange   // the round before, or what made the task
	page   *exchange   // of a list: the page before
	owners []*exchange // of a request of the server's: the calls that were open
	notice *notice

	state    opState
	skip     Skip
	reason   string
	needs    int64 // the seq of the skipped call that it depends on
	sent     *reprise.Call
	sentText string
	sentAt   time.Duration
	got      string
	gotErr   string
	gotText  string
	stopped  time.Duration // when its cancellation was sent; 0 when it was not
	pollAt   time.Duration // when it is asked again
	again    *exchange     // the recorded request that it asks once more
	walk     *walk         // of tools/list
	changes  int           // toolbox.changes when it was sent
	own      bool          // it is Verify's own question
	progress int           // today's notifications
}

type opState uint8

const (
	opWaiting  opState = iota
	opSent             // and not answered
	opAnswered         // today
	opSkipped          // on purpose
	opGivenUp          // it could not be sent, or no answer came
)

func (o *exchange) settled() bool { return o.state > opSent }

// recorded says whether the capture has an answer to it.
func (o *exchange) recorded() bool { return o.reply != "" }

// notice is one kind of notification: of a call's progress, or of a method in the whole session.
type notice struct {
	method string
	op     *exchange // of progress
	seq    int64
	then   int
	now    int
	owners map[*exchange]bool // the calls that were open when they came, or had ended last
	deaf   bool               // it was waited for in vain
	said   []string           // the recorded params
	heard  []string           // today's
}

// scribe writes the script.
type scribe struct {
	*script
	byCall map[*reprise.Call]*exchange
	open   []*exchange
	last   *exchange
	frame  *reprise.Frame
	saying *spoken
	pages  map[string]*exchange // by method and cursor
}

// ErrNothingSaid says that a capture has nothing for a client to say.
var ErrNothingSaid = errors.New("verify: the capture has no request of the client's")

func readScript(c *reprise.Capture) (*script, error) {
	if c.Header.Session.MetadataOnly {
		return nil, errors.New("verify: the capture holds metadata only, and no request in full")
	}
	s := scribe{script: &script{session: c.Session(), bindings: reprise.NewBindings(), values: map[int64]*reprise.Value{}, born: map[place][]*reprise.Value{},
		uses: map[place][]*reprise.Use{}, ids: map[string]bool{}, odd: map[reprise.Kind]bool{}, byPlace: map[place]*exchange{}, kinds: map[string]*notice{}},
		byCall: map[*reprise.Call]*exchange{}, pages: map[string]*exchange{}}
	d := reprise.Deriver{Session: s.session, Message: s.message, Call: func(*reprise.Call) {}, Value: s.value, Use: s.use}
	for f := range c.Frames() {
		s.begin(f)
		s.size += int64(len(f.Data)) + frameCost
		d.Add(f)
		if s.saying != nil && len(s.saying.parts) > 0 {
			s.steps = append(s.steps, step{say: s.saying})
		}
	}
	d.End()
	if !slices.ContainsFunc(s.ops, func(o *exchange) bool { return o.rec.Direction == reprise.ClientToServer }) {
		return nil, ErrNothingSaid
	}
	return s.script, nil
}

func (s *scribe) begin(f *reprise.Frame) {
	s.frame, s.saying = f, nil
	messages := reprise.ReadMessages(f.Data)
	if f.Direction == reprise.ClientToServer {
		both := reprise.FlagJoined | reprise.FlagBatch
		s.saying = &spoken{frame: f, batch: messages[0].Flags&both == reprise.FlagBatch,
			loose: slices.ContainsFunc(messages, func(m reprise.Message) bool { return m.Flags&both == both })}
	}
}

func (s *scribe) value(v *reprise.Value) {
	s.values[v.N] = v
	s.made = append(s.made, v)
	at := place{v.Seq, v.Index}
	s.born[at] = append(s.born[at], v)
	s.bindings.Learn(v, nil)
}

func (s *scribe) use(u *reprise.Use) {
	at := place{u.Seq, u.Index}
	s.uses[at] = append(s.uses[at], u)
	s.bindings.Learn(nil, u)
}

// message takes a message of the capture. Its strings are parts of the frame, which the capture keeps.
func (s *scribe) message(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	s.seen(f, m, c)
	if m.Kind == reprise.KindInvalid || m.Kind == reprise.KindNoise {
		return
	}
	var at span
	at.from, at.to, _ = reprise.Place(f.Data, m.Raw)
	text := m.Raw
	switch {
	case m.Kind == reprise.KindRequest:
		s.request(at, text, m, c)
	case m.Kind == reprise.KindResponse && s.byCall[c] != nil:
		s.response(text, m, s.byCall[c])
	case m.Kind == reprise.KindNotification && f.Direction == reprise.ClientToServer:
		n := &note{method: m.Method, text: []byte(text), about: s.byCall[c]}
		if n.about != nil && m.Method == "notifications/cancelled" && c.Cancelled == f.Seq {
			n.cancels = n.about
			s.close(n.about)
		}
		s.saying.parts = append(s.saying.parts, part{span: at, note: n})
	case m.Kind == reprise.KindNotification:
		s.notified(f, m, s.byCall[c])
	}
}

func (s *scribe) request(at span, text string, m *reprise.Message, c *reprise.Call) {
	o := &exchange{rec: c, text: text, params: m.Params}
	s.byCall[c] = o
	s.ops = append(s.ops, o)
	s.byPlace[place{c.Seq, c.Index}] = o
	if c.Link == reprise.LinkRound || c.Link == reprise.LinkTask {
		o.after = s.byPlace[place{c.Of, c.OfIndex}]
	}
	if c.Direction == reprise.ServerToClient {
		o.owners = s.busy()
		s.questions = append(s.questions, o)
		return
	}
	s.ids[m.ID] = true
	if cursor := reprise.Member(m.Params, "cursor"); isList(c.Method) && cursor.Exists() {
		o.page = s.pages[pageKey(c.Method, cursor.Raw)]
	}
	s.open = append(s.open, o)
	s.saying.parts = append(s.saying.parts, part{span: at, op: o})
}

func (s *scribe) response(text string, m *reprise.Message, o *exchange) {
	o.reply, o.result, o.err = text, m.Result, m.Error
	if o.err == "null" {
		o.err = ""
	}
	if o.rec.Direction == reprise.ClientToServer {
		if cursor := reprise.Member(o.result, "nextCursor"); isList(o.rec.Method) && cursor.Exists() {
			s.pages[pageKey(o.rec.Method, cursor.Raw)] = o
		}
		s.close(o)
		s.steps = append(s.steps, step{answer: o})
	}
}

func pageKey(method, cursor string) string { return method + " " + string(reprise.Canonical(cursor)) }

// close takes a call off those that are open.
func (s *scribe) close(o *exchange) {
	s.open = slices.DeleteFunc(s.open, func(other *exchange) bool { return other == o })
	s.last = o
}

// busy are the calls because of which the server may say something: those that are open, else the last one.
func (s *scribe) busy() []*exchange {
	if len(s.open) == 0 && s.last != nil {
		return []*exchange{s.last}
	}
	return slices.Clone(s.open)
}

// notified takes a notification of the server's. A log message need not come, and nobody waits for one.
func (s *scribe) notified(f *reprise.Frame, m *reprise.Message, o *exchange) {
	key := m.Method
	if m.Method == "notifications/progress" && o != nil {
		key += " " + o.rec.ID
	} else {
		o = nil
	}
	n := s.kinds[key]
	if n == nil || n.op != o {
		n = &notice{method: strings.Clone(m.Method), op: o, seq: f.Seq, owners: map[*exchange]bool{}}
		s.kinds[key] = n
		s.notices = append(s.notices, n)
	}
	if n.then++; o != nil {
		o.notice = n
	}
	for _, owner := range s.busy() {
		n.owners[owner] = true
	}
	n.said = append(n.said, m.Params)
	if m.Method != "notifications/message" {
		s.steps = append(s.steps, step{heard: n, count: n.then})
	}
}
