package analysis

import (
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

// ledger remembers the latest calls of the client's that succeeded, for those that use what they gave.
type ledger struct {
	entries map[callRef]*entry // by the response
	inOrder []callRef
	bytes   int
	spent   map[string]bool // cursors that a successful call has used
}

// Bounds of what is remembered: calls, their results together, and one result.
const (
	maxEntries = 1 << 15
	maxResults = 32 << 20
	maxResult  = 256 << 10
	maxArgs    = 32
)

// entry is a call that gave a result.
type entry struct {
	seq, response int64
	tool          string // its name, of other calls the method
	task          bool   // the response is a task's
	readOnly      bool
	destructive   bool
	harmless      bool // declares to destroy nothing
	ended         time.Duration
	args          []argument
	cut           bool   // it had more of them
	result        string // "" when it was too long
}

// argument is a leaf of a call's arguments.
type argument struct{ path, json string }

// add remembers a call. The oldest make room.
func (l *ledger) add(e *Exchange) {
	if e.Status != reprise.StatusOK || e.Result == "" {
		return
	}
	if l.entries == nil {
		l.entries = map[callRef]*entry{}
	}
	l.spend(e)
	one := newEntry(e)
	ref := callRef{e.Response, e.ResponseIndex}
	l.entries[ref] = one
	l.inOrder = append(l.inOrder, ref)
	l.bytes += len(one.result)
	for len(l.inOrder) > maxEntries || l.bytes > maxResults {
		l.bytes -= len(l.entries[l.inOrder[0]].result)
		delete(l.entries, l.inOrder[0])
		l.inOrder = l.inOrder[1:]
	}
}

// maxSpent is how many used cursors are remembered; behind them every cursor counts as used.
const maxSpent = 1 << 16

func (l *ledger) spend(e *Exchange) {
	for _, u := range e.asked().Uses {
		if u.ValueEntity != "cursor" {
			continue
		}
		if l.spent == nil {
			l.spent = map[string]bool{}
		}
		if len(l.spent) < maxSpent {
			l.spent[u.JSON] = true
		}
	}
}

func newEntry(e *Exchange) *entry {
	asked := e.asked()
	one := &entry{seq: asked.Seq, response: e.Response, tool: asked.Tool(), ended: e.Ended, task: asked != e}
	switch {
	case one.tool == "":
		one.tool, one.readOnly = asked.Method, true
	case asked.Listing != nil:
		hint := reprise.Member(reprise.Member(asked.Listing.JSON, "annotations").Raw, "destructiveHint")
		one.readOnly, one.destructive = asked.Listing.Safety == reprise.SafetyReadOnly, asked.Listing.Safety == reprise.SafetyDestructive
		one.harmless = hint.Type == gjson.False && !asked.Listing.Contradictory
	}
	for _, u := range asked.Uses {
		if len(one.args) == maxArgs {
			one.cut = true
			break
		}
		one.args = append(one.args, argument{u.Path, u.JSON})
	}
	if len(e.Result) <= maxResult {
		if one.result = e.Result; e.ResponseSize > int64(2*len(e.Result)+512) {
			one.result = strings.Clone(e.Result) // else it keeps the frame
		}
	}
	return one
}

// gave is the call that gave a harvested value, nil when it is not remembered.
func (l *ledger) gave(u *reprise.Use) *entry { return l.entries[callRef{u.ValueSeq, u.ValueIndex}] }

// has says whether a value was among the call's own arguments; one of which not all are remembered may have had it.
func (x *entry) has(json string) bool {
	for _, a := range x.args {
		if a.json == json {
			return true
		}
	}
	return x.cut
}

// record is the object in the result that holds what stands at a path.
func (x *entry) record(path string) gjson.Result {
	root := reprise.Member(x.result, "structuredContent")
	if !root.IsObject() {
		root = onlyText(x.result)
	}
	end := strings.LastIndexAny(path, ".[")
	if !root.Exists() || end < 0 {
		return root
	}
	held := gjson.Parse(reprise.At(root.Raw, path[:end]))
	if held.IsArray() { // ids in a list: the object around it
		return x.record(path[:end])
	}
	return held
}

// onlyText is the JSON in the only text block of a result.
func onlyText(result string) (root gjson.Result) {
	texts := 0
	reprise.Member(result, "content").ForEach(func(_, block gjson.Result) bool {
		if text := reprise.Member(block.Raw, "text"); text.Type == gjson.String {
			texts++
			root = gjson.Parse(strings.TrimSpace(text.Str))
		}
		return texts < 2
	})
	if texts != 1 || !root.IsObject() && !root.IsArray() || !gjson.Valid(root.Raw) {
		return gjson.Result{}
	}
	return root
}

// asked is the call whose arguments count: the one that made the task, where a task is asked about.
func (e *Exchange) asked() *Exchange {
	if e.Origin != nil {
		return e.Origin
	}
	return e
}

// tasks remembers the calls that made tasks, the latest maxTasks.
type tasks struct {
	made    map[callRef]*Exchange
	inOrder []callRef
}

const maxTasks = 1024

// of is the call that made the task which a call is about, nil without one.
func (t *tasks) of(e *Exchange) *Exchange {
	if e.Link != reprise.LinkTask {
		return nil
	}
	return t.made[callRef{e.Of, e.OfIndex}]
}

// add remembers a call whose result is a task.
func (t *tasks) add(e *Exchange) {
	if e.Tool() == "" || e.Status != reprise.StatusOK || !strings.Contains(e.Result, "task") {
		return
	}
	if kind := reprise.Member(e.Result, "resultType"); kind.String() != "task" && !reprise.Member(e.Result, "task").IsObject() {
		return
	}
	if t.made == nil {
		t.made = map[callRef]*Exchange{}
	}
	if len(t.inOrder) == maxTasks {
		delete(t.made, t.inOrder[0])
		t.inOrder = t.inOrder[1:]
	}
	kept := *e
	kept.Result, kept.Error = "", ""
	ref := refOf(e.Call)
	t.made[ref], t.inOrder = &kept, append(t.inOrder, ref)
}
