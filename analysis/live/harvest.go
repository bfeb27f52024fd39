package live

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"reprise"
	"reprise/analysis"
)

// HarvestOptions bound a harvest.
type HarvestOptions struct {
	Options
	MaxCalls int           // of tools
	MaxTime  time.Duration // of all of it
	Progress func(calls int)
}

// Harvest is what a server has given (S28–S33).
type Harvest struct {
	Peer   reprise.Peer
	Calls  []*Made
	Values []*reprise.Value // that identify something, in the order in which they were seen first
	Skips  []Skip
	Listed int    // tools
	Ended  string // why it ended before all was called; "" when it did not
	Heard  bool   // the server has said something that is a message
	Gone   bool   // it ended, or reads no more
	Failed string // why there was nothing to harvest; "" when there was
}

// Made is a call that was made.
type Made struct {
	analysis.Answer
	Tool  *analysis.Tool
	Args  []Filled
	Text  string // list_issues({ status: 'open' })
	Seq   int64  // of the request, as the session numbers its frames
	Wants string // the server asked for what this client has not
	Page  int    // 1, and of the pages behind it 2, 3, …
	of    *Made  // the page before
	// Pages is how the list goes on, where its cursor was followed.
	Pages *Pagination
}

// OK says whether the call succeeded.
func (m *Made) OK() bool { return m.Trouble == "" && !failed(&m.Answer) }

// Failure is what a failed call, or one with trouble, says in words.
func (m *Made) Failure() string {
	if m.Trouble != "" {
		return m.Trouble
	}
	return failure(&m.Answer)
}

// Filled is an argument with where it comes from.
type Filled struct {
	Name, JSON string
	Ground     reprise.Ground // of a literal: enum, const, default
	Value      *reprise.Value // of a harvested one
	birth      *Made
}

// Pagination is where a result has its next cursor, the argument that takes it, and where the items are.
type Pagination struct{ Cursor, Argument, Items string }

// Skip is a tool that was not called.
type Skip struct {
	Tool           string
	Safety         reprise.Safety
	Reason, Advice string
}

// maxFollowed is how many pages of one list are read.
const maxFollowed = 10

// harvester is a harvest on its way.
type harvester struct {
	*Client
	o       HarvestOptions
	out     *Harvest
	deriver reprise.Deriver
	framer  reprise.Framer
	begin   time.Time
	current *reprise.Call // the last tools/call
	made    map[int64]*Made
	byFit   map[string][]*reprise.Value // by entity
}

// Reap collects what a server gives: it calls the tools that it declares read-only, no other whatever the gate says (S29), and
// of those the ones whose required parameters are known (S31). It closes the connection.
func Reap(ctx context.Context, conn io.ReadWriteCloser, o HarvestOptions) *Harvest {
	h := &harvester{o: o, out: &Harvest{}, begin: o.Now(), made: map[int64]*Made{}, byFit: map[string][]*reprise.Value{}}
	o.Options.Gate, o.Options.Observe = Gate{}, h.observe
	h.deriver = reprise.Deriver{Session: &reprise.Session{}, Message: func(*reprise.Frame, *reprise.Message, *reprise.Call) {},
		Call: h.heard, Value: h.value, Use: func(*reprise.Use) {}}
	h.framer.Emit = func(f reprise.Frame) { h.deriver.Add(&f) }
	ctx, cancel := context.WithTimeout(ctx, o.MaxTime)
	defer cancel()
	client, err := Open(ctx, conn, o.Options)
	if h.Client = client; err != nil {
		h.out.Failed = err.Error()
	} else {
		h.harvest(ctx)
	}
	client.Close()
	h.out.Values = slices.DeleteFunc(h.out.Values, func(v *reprise.Value) bool { return h.made[v.CallSeq] == nil }) // the cursors of lists of tools
	h.out.Peer, h.out.Heard, h.out.Gone = client.Peer, client.Heard, client.Gone
	return h.out
}

// observe reads what crosses as the record of the session does.
func (h *harvester) observe(dir reprise.Direction, line []byte) {
	h.framer.Add(reprise.Chunk{Direction: dir, Data: line, At: h.o.Now().Sub(h.begin)})
}

func (h *harvester) heard(c *reprise.Call) {
	if c.Direction == reprise.ClientToServer && c.Method == "tools/call" && (h.current == nil || c.Seq > h.current.Seq) {
		h.current = c // the last one: an answer can come late
	}
}

// value keeps a value that identifies something.
func (h *harvester) value(v *reprise.Value) {
	if v.JSON[0] == '[' || v.JSON[0] == '{' {
		return // nothing stands in it
	}
	h.out.Values = append(h.out.Values, v)
	if v.Entity != "" && v.Entity != "cursor" && !v.Echo {
		h.byFit[v.Entity] = append(h.byFit[v.Entity], v)
	}
}

func (h *harvester) harvest(ctx context.Context) {
	tools, trouble := h.list(ctx)
	switch {
	case trouble != "":
		h.out.Failed = trouble
		return
	case tools.failed != "":
		h.out.Failed = tools.failed
		return
	}
	h.out.Listed = len(tools.tools)
	waiting := h.candidates(tools)
	for len(waiting) > 0 && h.goesOn() {
		i, args := h.ready(waiting)
		if i < 0 {
			break
		}
		h.follow(ctx, waiting[i], args)
		waiting = slices.Delete(waiting, i, i+1)
	}
	for _, t := range waiting {
		h.skip(t, cmp.Or(h.out.Ended, h.lacks(t)), "")
	}
}

func (h *harvester) skip(t *analysis.Tool, reason, advice string) {
	h.out.Skips = append(h.out.Skips, Skip{t.Name, t.Safety, reason, advice})
}

// candidates are the tools that may be called, in the order in which they are worth it: those that sound like lists first,
// fewest required parameters first among them (S30, S68).
func (h *harvester) candidates(b *toolbox) (list []*analysis.Tool) {
	for _, t := range b.tools {
		safety := b.safetyOf(t.Name)
		switch {
		case safety.Safety != reprise.SafetyReadOnly:
			h.out.Skips = append(h.out.Skips, Skip{t.Name, safety.Safety, safety.Reason, safety.Advice})
		case needsTask(t):
			h.skip(t, "can only be called as a task, which this client can't do", "")
		default:
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *analysis.Tool) int {
		return cmp.Or(cmp.Compare(shape(a), shape(b)), cmp.Compare(len(required(a)), len(required(b))))
	})
	return list
}

func shape(t *analysis.Tool) int {
	if reprise.ListShaped(t.Name) {
		return 0
	}
	return 1
}

// goesOn says whether the bounds allow a further call.
func (h *harvester) goesOn() bool {
	left := h.o.MaxTime - h.o.Now().Sub(h.begin)
	switch {
	case h.trouble != "":
		h.out.Ended = h.trouble
	case len(h.out.Calls) >= h.o.MaxCalls:
		h.out.Ended = fmt.Sprintf("%d calls are made, and no more are allowed", h.o.MaxCalls)
	case left <= 0:
		h.out.Ended = fmt.Sprintf("it has taken %s, and may not take longer", h.o.MaxTime)
	default:
		h.Client.Timeout = min(h.o.Timeout, left)
		return true
	}
	return false
}

// ready is the first tool whose required parameters are all known, with the arguments; -1 when there is none.
func (h *harvester) ready(waiting []*analysis.Tool) (int, []Filled) {
	for i, t := range waiting {
		if args, lacking := h.fill(t); lacking == "" {
			return i, args
		}
	}
	return -1, nil
}

// follow calls a tool, and reads the pages behind the first.
func (h *harvester) follow(ctx context.Context, t *analysis.Tool, args []Filled) {
	m, refusal := h.callOnce(ctx, t, args, nil)
	if refusal != nil {
		h.out.Skips = append(h.out.Skips, Skip{t.Name, refusal.Safety, refusal.Reason, refusal.Advice})
		return
	}
	p := h.pagination(t, m)
	if p == nil {
		return
	}
	seen := map[string]bool{}
	for page := m; page.Page < maxFollowed && page.OK() && h.goesOn(); {
		cursor := compact(Located(page.Result, p.Cursor))
		if noCursor(cursor) || seen[cursor] {
			return
		}
		seen[cursor], m.Pages = true, p
		v := &reprise.Value{Key: "cursor", Entity: "cursor", JSON: cursor, From: page.Text, Path: p.Cursor}
		more := slices.DeleteFunc(slices.Clone(args), func(a Filled) bool { return a.Name == p.Argument })
		page, refusal = h.callOnce(ctx, t, append(more, Filled{Name: p.Argument, JSON: cursor, Value: v, birth: page}), page)
		if refusal != nil {
			return
		}
	}
}

// callOnce makes a call, and keeps what came of it.
func (h *harvester) callOnce(ctx context.Context, t *analysis.Tool, args []Filled, before *Made) (*Made, *Refusal) {
	object := "{}"
	for _, a := range args {
		object = with(object, a.Name, a.JSON)
	}
	m := &Made{Tool: t, Args: args, Text: rendered(t.Name, object), Page: 1, of: before}
	if before != nil {
		m.Page = before.Page + 1
	}
	h.current = nil
	done := h.call(ctx, t.Name, object)
	if done.refusal != nil {
		return nil, done.refusal
	}
	m.Answer, m.Wants = done.Answer, done.wants
	if h.current != nil {
		m.Seq = h.current.Seq
		h.made[m.Seq] = m
	}
	h.out.Calls = append(h.out.Calls, m)
	if h.o.Progress != nil {
		h.o.Progress(len(h.out.Calls))
	}
	return m, nil
}
