package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// fillTask takes the id of the task that this run has made in the recorded one's place, and answers its questions by today's keys.
func (v *verifier) fillTask(o *exchange, e *edits, params string) {
	if o.after == nil || !strings.HasPrefix(o.rec.Method, "tasks/") || !v.follows(o) {
		return
	}
	id := taskIn(o.after.got)
	if id == "" {
		o.giveUp(fmt.Sprintf("seq %d makes no task today", o.after.rec.Seq))
		return
	}
	e.replace(reprise.Member(params, "taskId").Raw, id)
	if o.rec.Method == "tasks/update" {
		v.fillTaskAnswers(o, e, params)
	}
}

// taskIn is the raw id of the task that a result gives, in either era's place.
func taskIn(result string) string { return reprise.Member(taskObject(result), "taskId").Raw }

func taskObject(result string) string {
	if reprise.Member(result, "taskId").Exists() {
		return result
	}
	return reprise.Member(result, "task").Raw
}

// fillTaskAnswers renames the answers as fillRound does: the questions stand in the latest answer to a poll.
func (v *verifier) fillTaskAnswers(o *exchange, e *edits, params string) {
	var then, now gjson.Result
	for poll := range v.polls(o.after) {
		if poll == o {
			break
		}
		if asked := reprise.Member(poll.result, "inputRequests"); asked.IsObject() {
			then = asked
		}
		if asked := reprise.Member(poll.got, "inputRequests"); poll.state == opAnswered && asked.IsObject() {
			now = asked
		}
	}
	switch {
	case !then.Exists(): // the questions came in another way
	case !now.Exists():
		o.giveUp(fmt.Sprintf("the task of seq %d asks nothing today", o.after.rec.Seq))
	default:
		rename(e, reprise.Member(params, "inputResponses").Raw, namesInOrder(then.Raw), namesInOrder(now.Raw))
	}
}

// polls are the recorded requests about a task, in their order.
func (v *verifier) polls(task *exchange) func(func(*exchange) bool) {
	return func(yield func(*exchange) bool) {
		for _, o := range v.s.ops {
			if o.after == task && strings.HasPrefix(o.rec.Method, "tasks/") && !yield(o) {
				return
			}
		}
	}
}

// isEarly says whether a task has not come so far today as it had when the recorded client asked.
func (v *verifier) isEarly(o *exchange) bool {
	return o.rec.Method == "tasks/get" && o.got != "" && progressOf(o.got) < progressOf(o.result)
}

// progressOf is how far a task is: it works, asks, is over.
func progressOf(result string) int {
	switch reprise.Member(taskObject(result), "status").Str {
	case "", "working":
		return 0
	case "input_required":
		return 1
	}
	return taskIsOver
}

const taskIsOver = 2

// isFurther says whether a task has come further today than it had when the recorded client asked: how quick it is, is a matter of time.
func (v *verifier) isFurther(o *exchange) bool {
	return o.rec.Method == "tasks/get" && o.err == "" && o.gotErr == "" && progressOf(o.got) > progressOf(o.result)
}

// compareFurther holds a poll against the later one that had found the task as far. Where there is none nobody knows what
// would have come; only that it fails counts.
func (v *verifier) compareFurther(o *exchange, c *Verified) {
	then := ""
	for poll := range v.polls(o.after) {
		if poll.rec.Seq > o.rec.Seq && poll.rec.Method == "tasks/get" && progressOf(poll.result) == progressOf(o.got) {
			then = poll.result
			break
		}
	}
	status := reprise.Member(o.got, "status")
	switch {
	case then != "":
		c.is(reprise.CompareMessages(then, o.got, []string{o.rec.Method, o.rec.Name}, v.s.bindings, v.Ignore))
	case status.Str == "failed" || status.Str == "cancelled":
		c.is(reprise.CompareMessages(o.result, o.got, []string{o.rec.Method, o.rec.Name}, v.s.bindings, v.Ignore))
		return
	default:
		c.Class = reprise.ClassVolatile
	}
	if c.Class != reprise.ClassChanged {
		c.Class, c.Reason = reprise.ClassVolatile, "the task has come further than it had"
		c.Volatile = append(c.Volatile, reprise.Difference{Path: "status", Recorded: reprise.Member(o.result, "status").Raw, Live: status.Raw})
	}
}

// excuseTask takes it for no change that a task was quicker, or slower, when it was made, as long as somebody asks for its outcome later.
func (v *verifier) excuseTask(o *exchange, c *Verified) {
	if taskIn(o.result) == "" || taskIn(o.got) == "" || progressOf(o.result) == progressOf(o.got) {
		return
	}
	for range v.polls(o) {
		c.Changed = slices.DeleteFunc(c.Changed, func(d reprise.Difference) bool {
			place := strings.TrimPrefix(d.Path, "task.")
			if place != "status" && place != "statusMessage" {
				return false
			}
			c.Volatile = append(c.Volatile, d)
			return true
		})
		if len(c.Changed) == 0 {
			c.Class = reprise.ClassVolatile
		}
		return
	}
}

// outcomesOf leaves of notifications about tasks those that tell of their end: how many states come before, is a matter of time.
func outcomesOf(method string, params []string) []string {
	if !strings.HasPrefix(method, "notifications/tasks") {
		return slices.Clone(params)
	}
	return slices.DeleteFunc(slices.Clone(params), func(p string) bool { return progressOf(p) < taskIsOver })
}
