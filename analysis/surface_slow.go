package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

var slowCall = &Analyzer{
	Name: "slow-call",
	Doc: "A call of a tool took more than five times as long as 95 of 100 of the tool's earlier calls did, and at least a second longer. It takes 20 earlier calls, " +
		"of this session or of ones before. Calls that waited for the client (an elicitation, sampling), ran beside more than eight others, reported progress, or were given " +
		"something to run or a time to wait do not count. Source: the tool's own history; the share is an estimate from at most 512 calls.",
	Severity: Medium,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		l := latency{pass: p, tools: map[string]*pace{}, asked: -1, full: -1}
		p.Messages(l.message)
		p.Calls(l.call)
		p.End(l.end)
	},
}

// Bounds of slow-call.
const (
	fewCalls  = 20 // earlier calls that it takes
	slower    = 5  // times
	atLeast   = time.Second
	crowded   = 8    // calls at once
	maxPaced  = 4096 // tools that are followed
	stalePace = 64   // calls until the 95 % are worked out again
)

// latency follows how long the calls of each tool take.
type latency struct {
	pass  *Pass
	tools map[string]*pace
	order []string
	open  int           // tools/call requests without an answer
	full  time.Duration // when more than crowded were open last
	asked time.Duration // when the server last asked the client something, or had its answer
}

// pace is how long the calls of one tool took.
type pace struct {
	took   recent
	before []time.Duration // in earlier sessions
	limit  time.Duration   // 95 of 100 calls are no slower, when calls were
	calls  int
	of     int
	slow   []slowOne
	more   int // slow calls that are not kept
}

// recent are the latest durations, up to maxSample.
type recent struct {
	list []time.Duration
	next int
}

func (r *recent) add(d time.Duration) {
	if len(r.list) < maxSample {
		r.list = append(r.list, d)
		return
	}
	r.list[r.next%maxSample] = d
	r.next++
}

type slowOne struct {
	took, usual   time.Duration
	seq, response int64
}

func (l *latency) message(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	switch {
	case c == nil || m.Kind != reprise.KindRequest && m.Kind != reprise.KindResponse:
	case c.Direction == reprise.ServerToClient:
		l.asked = f.At
	case c.Method == "tools/call":
		if m.Kind == reprise.KindRequest {
			l.open++
		}
		if l.open > crowded {
			l.full = f.At
		}
	}
}

func (l *latency) call(e *Exchange) {
	if !e.OfClient() || e.Tool() == "" {
		return
	}
	alone := l.full < e.Started && l.asked < e.Started
	l.open--
	p := l.pace(e.Name)
	if e.Response == 0 || e.Late || !alone || p == nil {
		return
	}
	if d := e.Duration(); d > atLeast && !asksForTime(e) {
		p.hold(e, d)
	}
	if e.Status == reprise.StatusOK {
		p.took.add(e.Duration())
		p.calls++
	}
}

// asksForTime says whether a call may take long because of what it asks for: it says so itself, or was told how long, or what to run.
func asksForTime(e *Exchange) bool {
	long := e.Progress > 0
	tried := 0
	gjson.Parse(e.Arguments()).ForEach(func(key, _ gjson.Result) bool {
		for _, word := range wordsOf(key.Str[:min(len(key.Str), 64)]) {
			switch word {
			case "timeout", "wait", "delay", "sleep", "duration", "seconds", "secs", "ms", "milliseconds", "minutes", "interval",
				"command", "commands", "cmd", "script", "code", "expression", "program", "args":
				long = true
			}
		}
		tried++
		return !long && tried < 200
	})
	return long
}

// pace is that of a tool, or nil when too many are followed.
func (l *latency) pace(tool string) *pace {
	p := l.tools[tool]
	if p == nil && len(l.tools) < maxPaced {
		p = &pace{before: l.pass.History.Took(ServerOf(l.pass.Session), tool), of: -1}
		l.tools[tool] = p
		l.order = append(l.order, tool)
	}
	return p
}

// hold holds a call against the earlier ones.
func (p *pace) hold(e *Exchange, d time.Duration) {
	if len(p.took.list)+len(p.before) < fewCalls {
		return
	}
	if p.of < 0 || p.calls-p.of >= stalePace {
		p.limit, p.of = percentile95(slices.Concat(p.before, p.took.list)), p.calls
	}
	if d <= slower*p.limit || d-p.limit < atLeast {
		return
	}
	if len(p.slow) == maxEvidence/2 {
		p.more++
		return
	}
	p.slow = append(p.slow, slowOne{d, p.limit, e.Seq, e.Response})
}

// percentile95 is the smallest of the durations that at least 95 of 100 do not exceed.
func percentile95(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[(len(took)*95+99)/100-1]
}

// end reports each tool once, by its slowest call.
func (l *latency) end() {
	for _, tool := range l.order {
		p := l.tools[tool]
		slices.SortStableFunc(p.slow, func(a, b slowOne) int { return cmp.Compare(b.took, a.took) })
		for _, s := range p.slow {
			l.pass.Report(slowFinding(tool, s))
		}
		for range p.more {
			l.pass.Report(Finding{Tool: tool})
		}
	}
}

func slowFinding(tool string, s slowOne) Finding {
	return Finding{
		Tool:        tool,
		What:        fmt.Sprintf("A call took %s, while 95 of 100 of the tool's earlier calls took no more than %s.", rounded(s.took), rounded(s.usual)),
		Consequence: "The agent and its user wait, and a host with a shorter time-out gives the call up and may repeat it.",
		Suggestion:  "Look at what this call did that the others did not (the evidence has it), and bound its work or report progress.",
		Evidence:    []int64{s.seq, s.response},
	}
}

// rounded is a duration with about three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Microsecond
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit)
}
