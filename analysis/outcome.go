package analysis

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"reprise"

	"github.com/goccy/go-yaml"
)

// Verdict is what became of a session with a task (S46–S50).
type Verdict string

const (
	VerdictPass         Verdict = "pass"
	VerdictFailedAnswer Verdict = "failed_answer"
	VerdictTooManyCalls Verdict = "too_many_calls"
	VerdictUntestable   Verdict = "untestable"
)

// The reasons that programs look for.
const (
	ReasonNoTask      = "no task"
	ReasonNoAnswer    = "no_answer"
	ReasonJudgedWrong = "judged_wrong"
)

// Outcome is the verdict with its reason; the zero Verdict is of a session without a task.
type Outcome struct {
	Verdict Verdict
	Reason  string // ReasonNoTask, ReasonNoAnswer, ReasonJudgedWrong, or in words
	Calls   int    // of tools, counted on the wire
	Budget  int    // 0 without one
	// Unjudged says that the answer has passed without anybody having looked at its content (S59).
	Unjudged bool
}

// Task is what a session was to do, and what came of it. The final answer never crosses the wire between host and server: it has to be
// told. The budget is the task's own, and the same for every run and model (S54).
type Task struct {
	Text   string `yaml:"task"`
	Budget int    `yaml:"budget"` // of calls; 0 is none
	// Ceiling is where the loop was stopped. It stands above the budget, so that going over is seen and not cut off (S52).
	Ceiling     int    `yaml:"ceiling"`
	Expectation string `yaml:"expectation"` // for a judge's eyes only (S41)
	Answer      string `yaml:"answer"`      // blank is none
	// Trouble is what went wrong in the host or on its way to a model, in words.
	Trouble string `yaml:"trouble"`
	// Judged is what a judge said about the answer's content; nil when none did.
	Judged *Judgment `yaml:"judged"`
}

// Judgment is a judge's answer to its one question: is the answer right? (S56)
type Judgment struct {
	Correct bool   `yaml:"correct"`
	Reason  string `yaml:"reason"`
}

// maxTask is how long a task file may be.
const maxTask = 4 << 20

// ReadTask reads a task file, YAML or JSON.
func ReadTask(r io.Reader) (*Task, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTask+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read task: %w", err)
	case len(data) > maxTask:
		return nil, fmt.Errorf("read task: the file is longer than %d bytes", maxTask)
	}
	var t Task
	if err := yaml.UnmarshalWithOptions(data, &t, yaml.Strict()); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read task: %s", yaml.FormatError(err, false, false))
	}
	return &t, t.check()
}

func (t *Task) check() error {
	switch {
	case strings.TrimSpace(t.Text) == "":
		return errors.New("read task: it has no task")
	case t.Budget < 0 || t.Ceiling < 0:
		return errors.New("read task: a budget or ceiling below 0")
	case t.Ceiling > 0 && t.Ceiling <= t.Budget:
		return fmt.Errorf("read task: the ceiling (%d) has to stand above the budget (%d): else going over looks like no answer", t.Ceiling, t.Budget)
	}
	return nil
}

// outcome derives what became of the task, in this order: what was not the agent's doing, no answer or a
// wrong one, too many calls.
func (j *Judge) outcome() Outcome {
	t := j.task
	if t == nil {
		return Outcome{Reason: ReasonNoTask, Calls: j.toolCalls}
	}
	o := Outcome{Calls: j.toolCalls, Budget: t.Budget}
	switch trouble := j.harness(); {
	case trouble != "":
		o.Verdict, o.Reason = VerdictUntestable, trouble
	case strings.TrimSpace(t.Answer) == "":
		o.Verdict, o.Reason = VerdictFailedAnswer, ReasonNoAnswer
	case t.Judged != nil && !t.Judged.Correct:
		o.Verdict, o.Reason = VerdictFailedAnswer, ReasonJudgedWrong
	case t.Budget > 0 && o.Calls > t.Budget:
		o.Verdict, o.Reason = VerdictTooManyCalls, fmt.Sprintf("%d calls, %d allowed for", o.Calls, t.Budget)
	default:
		o.Verdict, o.Unjudged = VerdictPass, t.Judged == nil
	}
	return o
}

// harness says what went wrong between host, model and server, "" when nothing did (S49): an agent that never had the tools
// answers all the same, and exits with 0.
func (j *Judge) harness() string {
	s := j.report.Session
	switch {
	case strings.TrimSpace(j.task.Trouble) != "":
		return strings.TrimSpace(j.task.Trouble)
	case s.Ending == reprise.NeverStarted:
		return "the server did not start"
	case j.catalog.Pages == 0:
		return "the host never read the server's list of tools"
	case j.lost > 0:
		return "the server went away before it answered a call"
	case s.Ending == reprise.EndedByServer && s.ExitCode != nil && *s.ExitCode != 0:
		return fmt.Sprintf("the server exited by itself, with %d", *s.ExitCode)
	}
	return ""
}
