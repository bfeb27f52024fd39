package analysis

import (
	"time"

	"reprise"
)

// changers follows the calls of tools that are not declared read-only: while one is on its way, what any other call gives may change.
type changers struct {
	count int // of such calls
	open  int // of them, not settled yet
	began map[*reprise.Call]moment
}

// moment is the state of things when a call began.
type moment struct {
	count   int  // of changers' calls before it
	open    bool // one was on its way
	changes bool // it is one
}

func watchChangers(p *Pass) *changers {
	w := &changers{began: map[*reprise.Call]moment{}}
	p.Messages(func(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
		if c == nil || m.Kind != reprise.KindRequest || f.Direction != reprise.ClientToServer || c.Tool() == "" {
			return
		}
		t := p.Tools.Tool(c.Name)
		now := moment{count: w.count, open: w.open > 0, changes: t == nil || t.Safety != reprise.SafetyReadOnly}
		if now.changes {
			w.count++
			w.open++
		}
		w.began[c] = now
	})
	return w
}

// end takes note that a call is over, and says how things were when it began.
func (w *changers) end(e *Exchange) moment {
	m, known := w.began[e.Call]
	if known && m.changes {
		w.open--
	}
	delete(w.began, e.Call)
	return m
}

// between says whether a call of a changer ran since a moment, but for the given number of calls themselves.
func (w *changers) between(since moment, own int) bool {
	return since.open || w.open > 0 || w.count-since.count != own
}

// soon is how far apart two calls may be, if what lies between them is to be nothing but what the session shows.
const soon = time.Minute
