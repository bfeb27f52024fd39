package replay

import (
	"slices"
	"time"

	"reprise"
)

// verifier plays a script to a live server. It is a state machine: it is shown lines and the time, and gives lines.
type verifier struct {
	VerifyOptions
	s     *script
	start time.Time
	at    int           // the next step
	since time.Duration // since when that is waited for; negative when it is not
	due   time.Duration // when something has to be done though nothing is heard

	live    reprise.Deriver
	session *reprise.Session
	frames  []*reprise.Frame
	seq     int64
	byLive  map[*reprise.Call]*exchange
	sending []*exchange // the requests of the frame that is being sent
	out     [][]byte    // lines that are not written yet
	replies [][]byte    // answers to the line that is being read
	private bool        // the frame being read or sent is about Verify's own questions

	tools     toolbox
	questions int           // Verify's own
	extras    []*exchange   // the server's requests that the capture does not have
	news      []*news       // what else it does not have
	asks      int           // the server's requests
	room      int64         // for what the server says
	lost      []loss        // what is missing for the calls that were skipped
	polling   []*exchange   // that are to be asked again
	heardAt   time.Duration // when the server said something last
	heard     bool          // a message of its came
	silent    int           // calls in a row that ran out of time while it said nothing
	deafAt    time.Duration // until when something may come of a server that reads no more; 0 of one that reads
	ended     string        // why nothing more can come of it
}

// never is a time that does not come.
const never = time.Duration(1<<63 - 1)

func newVerifier(s *script, o VerifyOptions) *verifier {
	v := &verifier{VerifyOptions: o, s: s, start: o.Now(), since: -1, byLive: map[*reprise.Call]*exchange{}, room: maxKept + s.size, session: &reprise.Session{}}
	v.session.StartedAt = v.start
	v.live = reprise.Deriver{Session: v.session, Message: v.message, Call: func(*reprise.Call) {}}
	return v
}

func (v *verifier) now() time.Duration { return v.Now().Sub(v.start) }

func (v *verifier) wakeAt(t time.Duration) { v.due = min(v.due, t) }

// advance does what can be done now, and says whether that was all.
func (v *verifier) advance() (done bool) {
	v.due = never
	v.pollAgain()
	if v.deafAt > 0 && v.ended == "" {
		if v.wakeAt(v.deafAt); v.now() >= v.deafAt {
			v.end(EndedDeaf)
		}
	}
	for v.at < len(v.s.steps) && v.step(&v.s.steps[v.at]) {
		v.at++
		v.since = -1
	}
	v.Progress(v.at, len(v.s.steps))
	return v.at == len(v.s.steps) && v.finished()
}

func (v *verifier) step(s *step) (done bool) {
	switch {
	case v.ended != "":
		return true
	case s.say != nil:
		return v.say(s.say)
	case s.answer != nil:
		return v.isOver(s.answer)
	}
	return v.hasHeard(s.heard, s.count)
}

// waited says whether the step has been waited for so long.
func (v *verifier) waited(d time.Duration) bool {
	if v.since < 0 {
		v.since = v.now()
	}
	v.wakeAt(v.since + d)
	return v.now() >= v.since+d
}

// isOver says whether nothing more is to be waited for of a call.
func (v *verifier) isOver(o *exchange) bool {
	if o.state != opSent {
		return true
	}
	deadline := o.sentAt + v.Timeout
	if o.stopped > 0 {
		deadline = min(deadline, o.stopped+v.Settle)
	}
	if o.rec.Method == listen && v.waited(v.Settle) {
		return true // it may go on for ever
	}
	if v.now() < deadline {
		v.wakeAt(deadline)
		return false
	}
	v.runOut(o)
	return true
}

// runOut gives up a call that has taken too long.
func (v *verifier) runOut(o *exchange) {
	o.giveUp("no answer within " + v.Timeout.String())
	if o.stopped > 0 {
		return
	}
	if v.silent++; v.heardAt > o.sentAt {
		v.silent = 0
	}
	if v.silent > 1 || o.rec.Method == "initialize" {
		v.end(EndedSilent)
	}
}

func (o *exchange) giveUp(reason string) { o.state, o.reason = opGivenUp, reason }

// hasHeard says whether a notification has come so often as it had, or is waited for no more.
func (v *verifier) hasHeard(n *notice, count int) bool {
	patience := v.Settle
	switch {
	case n.now >= count || n.deaf:
		return true
	case n.op == nil && n.excused():
		return true
	case n.op != nil && n.op.stopped == 0:
		if n.op.state != opSent {
			return true
		}
		patience = min(10*v.Settle, v.Timeout) // for what a cancellation waited for
	}
	n.deaf = v.waited(patience)
	return n.deaf
}

// excused says whether a call was not made that may have been the reason for it.
func (n *notice) excused() bool {
	for o := range n.owners {
		if !o.made() {
			return true
		}
	}
	return false
}

// made says whether a call reached the server.
func (o *exchange) made() bool { return o.state == opAnswered || o.sent != nil }

// end says that nothing more can come of the server.
func (v *verifier) end(why string) {
	if v.ended != "" {
		return
	}
	v.ended = why
	for _, o := range v.s.ops {
		if o.rec.Direction == reprise.ClientToServer && !o.settled() {
			o.giveUp(why)
		}
	}
}

// finished says, behind the last step, whether what may still come has come.
func (v *verifier) finished() bool {
	if v.ended != "" {
		return true
	}
	for _, o := range v.s.ops {
		lost := o.rec.Status == reprise.StatusLost && o.rec.Direction == reprise.ClientToServer
		if lost && !v.isOver(o) {
			return false
		}
	}
	late := slices.ContainsFunc(v.s.ops, (*exchange).isMissed) || slices.ContainsFunc(v.s.notices, (*notice).isMissed)
	return (!late || v.waited(v.Settle)) && len(v.out) == 0
}

// isMissed says whether a request of the server's has not come though it could have.
func (o *exchange) isMissed() bool {
	if o.rec.Direction == reprise.ClientToServer || o.state != opWaiting || o.rec.Method == "ping" {
		return false
	}
	return !slices.ContainsFunc(o.owners, func(owner *exchange) bool { return !owner.made() })
}

// isMissed says whether no notification of the kind has come, though it could have.
func (n *notice) isMissed() bool {
	if n.op != nil {
		return n.now == 0 && n.op.made()
	}
	return n.now == 0 && !n.deaf && !n.excused()
}
