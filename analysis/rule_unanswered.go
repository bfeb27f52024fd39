package analysis

import (
	"fmt"
	"time"

	"reprise"
)

var unansweredCall = &Analyzer{
	Name: "unanswered",
	Doc: "A request of the client's never got an answer: the server went away while it worked on it, or did not answer to the end of a session that its host closed in order. Requests " +
		"that the host had hardly made when it left do not count, nor do cancelled ones, subscriptions, tools that take as long at other times, and calls that " +
		"still reported progress. Source: the specification (a request MUST have a response); S49.",
	Severity: High,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		w := &waitingCalls{pass: p, kept: holdBack(p), took: map[string]time.Duration{}, room: placeRoom{}}
		p.Messages(func(f *reprise.Frame, _ *reprise.Message, _ *reprise.Call) { w.last = max(w.last, f.At) })
		p.Calls(w.see)
	},
}

// How long a call has to be open when its host leaves, which may just have lost its patience; and how long a tool may work on.
const (
	leftPatience = 10 * time.Second
	workedOn     = time.Second
)

// waitingCalls remembers how long the calls of each tool took at most.
type waitingCalls struct {
	pass *Pass
	kept *heldFindings
	took map[string]time.Duration
	last time.Duration // of the latest message
	room placeRoom
}

func (w *waitingCalls) see(e *Exchange) {
	switch {
	case !e.OfClient():
	case e.Response != 0:
		key := e.Method + " " + e.Name
		if _, known := w.took[key]; known || len(w.took) < maxKeptCalls {
			w.took[key] = max(w.took[key], e.Duration())
		}
	case e.Status == reprise.StatusUnanswered || e.Status == reprise.StatusLost:
		if waited := w.ended() - e.Started; w.long(e, waited) && w.room.room(e.Name, e.Method) {
			w.kept.add(unansweredFinding(e, waited))
		}
	}
}

// ended is when the session was over, as far as that is known.
func (w *waitingCalls) ended() time.Duration {
	if s := w.pass.Session; !s.EndedAt.IsZero() && !s.StartedAt.IsZero() {
		return max(s.EndedAt.Sub(s.StartedAt), w.last)
	}
	return w.last
}

// long says whether a call waited so long that somebody else than the host is to blame. A server that exits of itself always is.
func (w *waitingCalls) long(e *Exchange, waited time.Duration) bool {
	if e.Method == "subscriptions/listen" {
		return false
	}
	if e.Status == reprise.StatusLost && w.pass.Session.Ending == reprise.EndedByServer {
		return true
	}
	return e.Progress == 0 && waited >= leftPatience && waited > 2*w.took[e.Method+" "+e.Name]
}

func unansweredFinding(e *Exchange, waited time.Duration) Finding {
	f := Finding{
		Tool:        e.Tool(),
		Place:       e.Method,
		What:        fmt.Sprintf("%s was never answered, though the session went on for %s.", requestIn(e), shownTime(waited)),
		Consequence: "The agent waits until its host gives up, and does not know whether the call took effect.",
		Suggestion:  "Answer every request, with an error where the work cannot be done, and put a limit of time on whatever the tool waits for.",
		Evidence:    []int64{e.Seq},
	}
	if e.Status == reprise.StatusLost {
		f.What = fmt.Sprintf("The server went away before it had answered %s.", requestIn(e))
		f.Consequence = "The agent loses the answer and all tools of the server, and does not know whether the call took effect."
		f.Suggestion = "Catch what can fail in the tool and answer with an error, so that one call does not end the server."
	}
	return f
}

func requestIn(e *Exchange) string {
	if e.Name != "" {
		return fmt.Sprintf("%s of %s", shownPath(e.Method), quote(e.Name))
	}
	return shownPath(e.Method)
}

// shownTime is a time in words, as exact as a reader needs it.
func shownTime(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

var lateAnswer = &Analyzer{
	Name: "late-answer",
	Doc: "A result came more than a second after the client had cancelled the call: the tool worked on for nobody. One that was on its way when the " +
		"cancellation came does not count, nor does an error that confirms it. Source: the specification, utilities, cancellation.",
	Severity: Low,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		cancelled := map[callRef]time.Duration{}
		p.Messages(func(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
			if m.Method == "notifications/cancelled" && c != nil && f.Direction == reprise.ClientToServer && c.Cancelled == f.Seq && len(cancelled) < maxKeptCalls {
				cancelled[refOf(c)] = f.At
			}
		})
		p.Calls(func(e *Exchange) {
			at, known := cancelled[refOf(e.Call)]
			delete(cancelled, refOf(e.Call))
			if known && e.Late && e.OfClient() && e.Error == "" && e.Ended-at >= workedOn {
				p.Report(lateFinding(e, e.Ended-at))
			}
		})
	},
}

func lateFinding(e *Exchange, after time.Duration) Finding {
	return Finding{
		Tool:        e.Tool(),
		Place:       e.Method,
		What:        fmt.Sprintf("%s was answered %s after the client had cancelled it.", requestIn(e), shownTime(after)),
		Consequence: "The tool works on for nobody, and what it changes then happens though the user has stopped it.",
		Suggestion:  "Heed notifications/cancelled: stop the work and send no answer.",
		Evidence:    []int64{e.Seq, e.Cancelled, e.Response},
	}
}
