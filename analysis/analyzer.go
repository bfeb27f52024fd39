package analysis

import "reprise"

// Severity is how much a finding matters to the people who use the tool.
type Severity string

const (
	// High breaks what an agent does: it loses data, guesses, or cannot go on.
	High Severity = "high"
	// Medium costs it calls, tokens or time.
	Medium Severity = "medium"
	// Low is worth tidying up.
	Low Severity = "low"
)

// Sphere is where a rule looks: a session that has nothing of it says neither that a finding is there nor that it is gone.
type Sphere string

const (
	OfCalls   Sphere = "calls"   // calls of the tool
	OfListing Sphere = "listing" // the tool as it is listed
	OfSession Sphere = "session" // the session as a whole
)

// Analyzer is one rule that makes findings. It is a value; All lists them.
type Analyzer struct {
	// Name is the rule's, in lower case with dashes: invented-identifier.
	Name string
	// Doc says in a sentence or two what is found, and why it matters. It ends in the source: a section or a public bug.
	Doc      string
	Severity Severity
	Sphere   Sphere
	// Run is called once for each session, before its first frame. It hooks what it wants to see, and keeps its state in
	// the closures: bounded, whatever the session holds.
	Run func(*Pass)
}

// Pass is one session as one analyzer sees it.
type Pass struct {
	// Session is filled as the traffic is read, and has its end from the beginning where that is known.
	Session *reprise.Session
	// Tools is what the server has listed so far.
	Tools *Catalog
	// History is what earlier sessions of the same survey showed; nil without one.
	History *History

	rule  *Analyzer
	judge *Judge
	hooks hooks
}

type hooks struct {
	calls    []func(*Exchange)
	tools    []func(*Tool)
	messages []func(*reprise.Frame, *reprise.Message, *reprise.Call)
	end      []func()
}

// Calls is given every call of either side when it is settled: answered, cancelled and answered late, or never to be answered.
// Those without an answer come at the end. The strings of an exchange are valid during the call only.
func (p *Pass) Calls(f func(*Exchange)) { p.hooks.calls = append(p.hooks.calls, f) }

// Listed is given every tool when it is first listed, and again when its definition has changed.
func (p *Pass) Listed(f func(*Tool)) { p.hooks.tools = append(p.hooks.tools, f) }

// Messages is given every message, noise among them, as it is read. Its strings are valid during the call only.
func (p *Pass) Messages(f func(*reprise.Frame, *reprise.Message, *reprise.Call)) {
	p.hooks.messages = append(p.hooks.messages, f)
}

// End is called when the session is over.
func (p *Pass) End(f func()) { p.hooks.end = append(p.hooks.end, f) }

// Report adds a finding. Rule, severity and fingerprint are the driver's to fill in; Severity may be given where it differs from the rule's.
// What happens several times at one place (the same Tool and Place) is one finding: the first tells it, Count and Evidence grow.
func (p *Pass) Report(f Finding) { p.judge.reportFinding(p.rule, f) }
