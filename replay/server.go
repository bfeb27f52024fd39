package replay

import (
	"sync"
	"time"

	"reprise"
)

// Server is the server that a captured session talked to. Set its fields before the first Serve; the zero
// values are the usual ones. One Server may serve several clients, each of which gets the session from its start.
type Server struct {
	Match     Level           // LevelArguments
	Ignore    *reprise.Ignore // places of requests that do not count
	OnMiss    OnMiss          // OnMissError
	Exhausted Policy          // PolicyError
	// Speed is how fast time passes: 0 is instantly, 1 as recorded, 2 twice as fast.
	Speed float64
	// Faithful lets a server that died in the capture die again.
	Faithful bool
	// Upstream is the real server, for OnMissPassthrough.
	Upstream *Upstream
	// Log is told what a person may want to know: misses above all.
	Log func(string)
	// Now and After are the clock that Speed goes by.
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time

	capture *reprise.Capture
	tape    *tape

	grace time.Duration // graceOfServer

	once    sync.Once
	carried map[string]bool
}

// OnMiss says what to do about a request that nothing recorded answers.
type OnMiss string

const (
	OnMissError       OnMiss = "error"       // refuse it
	OnMissPassthrough OnMiss = "passthrough" // ask the real server
	OnMissNearest     OnMiss = "nearest"     // answer as the recorded call that is most alike, of the same tool
)

// OnMisses lists them.
func OnMisses() []OnMiss { return []OnMiss{OnMissError, OnMissPassthrough, OnMissNearest} }

// NewServer makes a server of a capture, which must not be changed while it serves.
func NewServer(c *reprise.Capture) *Server {
	return &Server{capture: c, tape: newTape(c), Log: func(string) {}, Now: time.Now, After: time.After, grace: graceOfServer}
}

// Report is what became of one conversation.
type Report struct {
	Session  string `json:"session"`
	Calls    int    `json:"calls"`    // requests of the client's
	Answered int    `json:"answered"` // with recorded bytes
	Repeated int    `json:"repeated"` // of them, with an answer that had been given before
	// Synthesized counts the answers that were not recorded and are certain, as that to a ping.
	Synthesized int    `json:"synthesized"`
	Misses      []Miss `json:"misses"`
	Nearest     []Miss `json:"nearest"` // answered as the call that is most alike
	Passed      []Miss `json:"passed"`  // to the real server
	// PassFailed counts those of them that got no answer, or one that could not be added to the capture.
	PassFailed  int      `json:"pass_failed"`
	Lost        int      `json:"lost"`                 // calls that the recorded server died of
	Unasked     int      `json:"unasked"`              // questions of the server's that the client does not take
	Differently int      `json:"answered_differently"` // questions that the client answered differently than then
	Unknown     int      `json:"unknown"`              // messages of the client's that the recorded one did not send
	Unused      []Unused `json:"unused"`
	// Died says that the server died as it had in the capture, with Code.
	Died bool `json:"died"`
	Code int  `json:"exit_code"`
}

// Unused is a recorded call that was not made.
type Unused struct {
	Seq  int64  `json:"seq"`
	Call string `json:"call"`
	// Repeatable calls, such as lists, are left out by clients that cache: they are not missed.
	Repeatable bool `json:"repeatable,omitempty"`
}

func (p *Report) unused(r *run) {
	for _, c := range r.tape.calls {
		if !r.used[c.n] {
			p.Unused = append(p.Unused, Unused{c.Seq, c.String(), isRepeatable(c.Method)})
		}
	}
}

// Failed says whether the client was refused anything that it asked; with unused also whether it left out recorded calls.
func (p *Report) Failed(unused bool) bool {
	return len(p.Misses) > 0 || p.PassFailed > 0 || unused && p.MissedCalls() > 0
}

// MissedCalls counts the recorded calls that a client which does what the recorded one did would have made.
func (p *Report) MissedCalls() (n int) {
	for _, u := range p.Unused {
		if !u.Repeatable {
			n++
		}
	}
	return n
}
