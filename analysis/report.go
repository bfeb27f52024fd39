package analysis

import (
	"time"

	"reprise"
)

// Report is what one session shows.
type Report struct {
	Session *reprise.Session
	// Outcome is of the session's task; the zero value says that there is none.
	Outcome Outcome
	// Calls are the assessed ones, in order of their seq.
	Calls []Judged
	// Findings are in order of severity, rule, tool and place.
	Findings []Finding
	// Tools are those that were listed or called, by name.
	Tools []ToolUse
	// Checks are what the nine checks say of the traffic as it happened, by tool and type.
	Checks []CheckTally
	// Cases are what the session shows of those of a checks file, in the file's order; nil without one.
	Cases []CaseHeld
	// Pages are the HTML documents that were found, in order.
	Pages []Page
	// Coverage is what the session exercised.
	Coverage *Coverage
	// Unseen is what the record lacks.
	Unseen Unseen
}

// Defects counts the calls that confirm a defect.
func (r *Report) Defects() (n int) {
	for i := range r.Calls {
		if r.Calls[i].Kind == ConfirmedDefect {
			n++
		}
	}
	return n
}

// Judged is a call with its assessment.
type Judged struct {
	Seq    int64
	Index  int
	Method string
	Name   string // tool, prompt or uri
	Status reprise.Status
	Assessment
	// Text is how a person would write the call, and Sources are its arguments' (S38): of the first maxSources calls that failed.
	Text    string
	Sources []Source
}

// Source is where an argument came from.
type Source struct {
	Path     string
	Source   reprise.Source
	Ground   reprise.Ground
	Relation reprise.Relation
	Stale    bool
	ValueSeq int64 // of the result that gave it; 0 without one
}

// Tool is the tool's name when the call was a tools/call, or brought the result of a task that one had made.
func (j *Judged) Tool() string {
	if j.Method != "resources/read" && j.Method != "prompts/get" {
		return j.Name
	}
	return ""
}

// ToolUse is how a session used one tool.
type ToolUse struct {
	Name   string
	Listed bool
	Safety reprise.ToolSafety
	Calls  int // answered or not
	Failed int // of them, those that ended in an error
	// Took and Sizes are of the answered calls, in their order: how long they took, and the bytes of their responses.
	Took  []time.Duration
	Sizes []int64
	// Assessed counts the calls by their assessment.
	Assessed map[Kind]int
}

// Unseen is what is not in the record, or could not be read.
type Unseen struct {
	Gaps, LostFrames int64 // that the recorder missed
	Truncated        int64 // frames of which a part is missing
	TooLong          int64 // messages of which only the beginning was looked at
	LeftOut          int64 // values that the bounds on provenance left out
	Calls            int64 // calls that are not assessed, for they were never answered by the record's end
	Pages            int64 // HTML documents beyond those that are kept
}
