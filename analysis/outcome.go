package analysis

// Verdict is what became of a session with a task (S46–S50).
type Verdict string

const (
	VerdictPass         Verdict = "pass"
	VerdictFailedAnswer Verdict = "failed_answer"
	VerdictTooManyCalls Verdict = "too_many_calls"
	VerdictUntestable   Verdict = "untestable"
)

// Outcome is the verdict with its reason; the zero Verdict is of a session without a task.
type Outcome struct {
	Verdict Verdict
	Reason  string // "no task", "no_answer", "judged_wrong", …
	Calls   int    // counted on the wire
	Budget  int
	// Unjudged says that the answer has passed without anybody having looked at its content (S59, D5).
	Unjudged bool
}

// Task is what a session was to do, and what came of it.
type Task struct {
	Text   string
	Budget int
}

func (j *Judge) outcome() Outcome { return Outcome{Reason: "no task"} }
