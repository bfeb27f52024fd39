package reprise

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Status is how a call ended.
//
// A subscriptions/listen is meant to have no answer (protocol.md §5.4). Open when the conversation ends
// in order it becomes StatusOK, without a response; its server lost, it is lost like any other.
type Status string

const (
	// StatusOpen is a call that may still be answered: its session has not ended.
	StatusOpen Status = "open"
	StatusOK   Status = "ok"
	// StatusToolError is a result with isError: the tool failed, the protocol did not. So is the answer
	// to tasks/result or tasks/get that holds such a result, where the task is a tool's.
	StatusToolError Status = "tool_error"
	// StatusError is a JSON-RPC error.
	StatusError Status = "error"
	// StatusCancelled was cancelled before an answer came. A late answer does not change it (Call.Late).
	StatusCancelled Status = "cancelled"
	// StatusUnanswered was open when the conversation ended in order.
	StatusUnanswered Status = "unanswered"
	// StatusLost was open when the server died, or when the record ends in a kill.
	StatusLost Status = "lost"
)

// Failed says whether the call counts as an error in listings.
func (s Status) Failed() bool { return s == StatusToolError || s == StatusError }

// Call is a request with its response. Server-to-client calls are calls too.
type Call struct {
	Seq       int64 // of the request
	Index     int   // of the request in its frame (batches, objects on one line)
	Direction Direction
	Stream    int64
	ID        string // raw token
	Method    string
	Name      string // tool or prompt name, uri, task
	Status    Status
	Code      *int64 // JSON-RPC error code

	Response      int64 // Seq of the response; 0 when there is none
	ResponseIndex int
	Started       time.Duration
	Ended         time.Duration // 0 while open; for unanswered and lost calls too
	RequestSize   int64         // bytes of the frame
	ResponseSize  int64
	Cancelled     int64  // Seq of the notification that cancelled it in time; 0 when none did
	Late          bool   // the response came after the cancellation
	Progress      int    // progress notifications seen
	HostIDs       string // JSON of the host's own ids in params._meta: claudecode/toolUseId, callId, traceparent, …
	Flags         Flag   // of request and response together

	// Link says how the call continues the one at Of, OfIndex; "" when it continues none.
	Link    Link
	Of      int64
	OfIndex int

	// Rendered is how a person would write the call: list_issues({ status: 'open' }).
	Rendered string
	// Partial says that its result was harvested in part: see WholeResult.
	Partial bool

	token *callKey // its progress token
	asked question
}

// Link is how a call continues another one (protocol.md §6).
type Link string

const (
	LinkRound   Link = "round"   // the next leg of a multi-round-trip request
	LinkTask    Link = "task"    // about the task that the other call made
	LinkConnect Link = "connect" // initialize after server/discover: one attempt to connect
)

// Tool is the tool's name when the call is a tools/call, and so on for Prompt and URI.
func (c *Call) Tool() string { return c.nameIf("tools/call") }

// Prompt is the prompt's name when the call is a prompts/get.
func (c *Call) Prompt() string { return c.nameIf("prompts/get") }

// URI is the resource's address when the call is about a resource.
func (c *Call) URI() string {
	if strings.HasPrefix(c.Method, "resources/") {
		return c.Name
	}
	return ""
}

func (c *Call) nameIf(method string) string {
	if c.Method == method {
		return c.Name
	}
	return ""
}

// Duration is the time from request to response, or 0 without a response.
func (c *Call) Duration() time.Duration {
	if c.Response == 0 {
		return 0
	}
	return c.Ended - c.Started
}

// Pairer pairs requests with responses: by the request's direction, stream and
// raw id token, first in first out on duplicates, numeric spelling only as a
// fallback (protocol.md §6). It links calls that continue others. It holds what is in flight, and of what
// was answered only as much as LinksKept says.
type Pairer struct {
	// Changed is given a call when it opens, and again when anything about it changes.
	Changed func(*Call)
	// Orphans counts the responses that no request was open for.
	Orphans int64
	// Bare calls are quicker: they are not rendered, have no HostIDs, and of links only those to tasks.
	Bare bool

	open     map[callKey][]*Call
	progress map[callKey]*Call // by progress token, while the call is open
	linker   linker
}

type callKey struct {
	dir    Direction // of the request
	stream int64
	token  string
}

// Add takes the next message of the session and returns the call it belongs to, or nil.
func (p *Pairer) Add(f *Frame, m *Message) *Call {
	switch m.Kind {
	case KindRequest:
		return p.request(f, m)
	case KindResponse:
		return p.response(f, m)
	case KindNotification:
		return p.notification(f, m)
	}
	return nil
}

// End closes what is still open, with StatusUnanswered or StatusLost.
func (p *Pairer) End(status Status) {
	var open []*Call
	for _, queue := range p.open {
		open = append(open, queue...)
	}
	slices.SortFunc(open, byRequest)
	for _, c := range open {
		if c.Status == StatusOpen {
			c.Status = status
			if c.Method == listen && status == StatusUnanswered {
				c.Status = StatusOK
			}
			p.Changed(c)
		}
	}
	p.open, p.progress, p.linker = nil, nil, linker{}
}

const listen = "subscriptions/listen"

func (p *Pairer) request(f *Frame, m *Message) *Call {
	c := &Call{Seq: f.Seq, Index: m.Index, Direction: f.Direction, Stream: f.Stream,
		ID: strings.Clone(m.ID), Method: strings.Clone(m.Method), Name: strings.Clone(m.Name),
		Status: StatusOpen, Started: f.At, RequestSize: f.Size, Flags: m.Flags}
	meta, _ := lookUp(m.Params, "_meta")
	if !p.Bare {
		c.HostIDs, c.Rendered = hostIDs(meta), Render(m)
	}
	if p.open == nil {
		p.open, p.progress = map[callKey][]*Call{}, map[callKey]*Call{}
	}
	key := callKey{f.Direction, f.Stream, c.ID}
	p.open[key] = append(p.open[key], c)
	if token, _ := lookUp(meta.Raw, "progressToken"); token.Exists() {
		c.token = &callKey{f.Direction, f.Stream, strings.Clone(token.Raw)}
		p.progress[*c.token] = c
	}
	p.linker.ask(c, m, meta, p.Bare)
	p.Changed(c)
	return c
}

func (p *Pairer) response(f *Frame, m *Message) *Call {
	c := p.take(callKey{f.Direction.Opposite(), f.Stream, m.ID})
	if c == nil {
		p.Orphans++
		return nil
	}
	c.Response, c.ResponseIndex, c.ResponseSize, c.Ended = f.Seq, m.Index, f.Size, f.At
	c.Flags |= m.Flags
	outcome(c, m)
	p.linker.answer(c, m)
	p.Changed(c)
	return c
}

// outcome derives status and code from the response. A cancelled call stays cancelled.
func outcome(c *Call, m *Message) {
	if c.Status == StatusCancelled {
		c.Late = true
		return
	}
	c.Status = StatusOK
	switch {
	case m.Error != "" && m.Error != "null":
		c.Status, c.Code = StatusError, codeOf(m.Error)
	case c.asked.tool:
		result := m.Result
		if c.Method == "tasks/get" { // the second kind of tasks has no tasks/result (protocol.md §5.6)
			inner, _ := lookUp(result, "result")
			result = inner.Raw
		}
		if failed, _ := lookUp(result, "isError"); failed.Type == gjson.True {
			c.Status = StatusToolError
		}
	}
}

// codeOf is the code of a JSON-RPC error, where it is a whole number that an int64 holds.
func codeOf(err string) *int64 {
	code, _ := lookUp(err, "code")
	if code.Type != gjson.Number || code.Num != math.Trunc(code.Num) || math.Abs(code.Num) >= 1<<63 {
		return nil
	}
	n := code.Int()
	return &n
}

// take removes and returns the oldest open call under the key. An id without
// a request of that spelling may be the same number spelt otherwise (1.0 for 1).
func (p *Pairer) take(key callKey) *Call {
	if len(p.open[key]) == 0 {
		var ok bool
		if key, ok = p.respelt(key); !ok {
			return nil
		}
	}
	queue := p.open[key]
	// One that was cancelled need not be answered: where its id is used again the answer is the other's.
	i := max(0, slices.IndexFunc(queue, func(c *Call) bool { return c.Status == StatusOpen }))
	c := queue[i]
	key.token = c.ID // the given token is part of a frame, and a map keeps the key of the last assignment
	if len(queue) == 1 {
		delete(p.open, key)
	} else {
		p.open[key] = slices.Delete(queue, i, i+1)
	}
	if c.token != nil && p.progress[*c.token] == c {
		delete(p.progress, *c.token)
	}
	return c
}

// respelt finds the oldest open call whose id is numerically equal to the key's.
func (p *Pairer) respelt(key callKey) (callKey, bool) {
	want, ok := number(key.token)
	if !ok {
		return key, false
	}
	var found *Call
	best := key
	for other, queue := range p.open {
		if other.dir != key.dir || other.stream != key.stream {
			continue
		}
		n, ok := number(other.token)
		if ok && n.Cmp(want) == 0 && (found == nil || byRequest(queue[0], found) < 0) {
			found, best = queue[0], other
		}
	}
	return best, found != nil
}

// byRequest orders calls as their requests came.
func byRequest(a, b *Call) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Index, b.Index))
}

// number reads a JSON number of at most 64 characters exactly.
func number(token string) (*big.Rat, bool) {
	if token == "" || len(token) > 64 || token[0] != '-' && (token[0] < '0' || token[0] > '9') {
		return nil, false
	}
	if i := strings.IndexAny(token, "eE"); i >= 0 && len(token)-i > 4 {
		return nil, false // an exponent of more than three characters: 1e999999999 would fill the memory
	}
	return new(big.Rat).SetString(token)
}

func (p *Pairer) notification(f *Frame, m *Message) *Call {
	switch m.Method {
	case "notifications/cancelled":
		return p.cancel(f, m)
	case "notifications/progress":
		token, _ := lookUp(m.Params, "progressToken")
		key := callKey{f.Direction.Opposite(), f.Stream, token.Raw}
		c := p.progress[key]
		if c == nil {
			c = p.linker.progressOf(key)
		}
		if c != nil {
			c.Progress++
			p.Changed(c)
		}
		return c
	}
	p.linker.notified(f.Direction, m)
	return nil
}

// cancel marks the oldest open call of that id. A call that was answered already is not touched:
// opencode sends a cancellation after every answer. A server may end a listen in this way (protocol.md §5.2).
func (p *Pairer) cancel(f *Frame, m *Message) *Call {
	id, _ := lookUp(m.Params, "requestId")
	c := p.cancellable(callKey{f.Direction, f.Stream, id.Raw})
	if c == nil {
		if c = p.cancellable(callKey{f.Direction.Opposite(), f.Stream, id.Raw}); c == nil || c.Method != listen {
			return nil
		}
	}
	c.Status, c.Cancelled = StatusCancelled, f.Seq
	p.Changed(c)
	return c
}

// cancellable is the oldest call under the key that was not answered and not cancelled.
func (p *Pairer) cancellable(key callKey) *Call {
	if len(p.open[key]) == 0 {
		key, _ = p.respelt(key)
	}
	for _, c := range p.open[key] {
		if c.Status == StatusOpen {
			return c
		}
	}
	return nil
}

// hostIDs gathers the host's own ids from a request's _meta, without which
// one agent run over several servers can never be joined.
func hostIDs(meta gjson.Result) string {
	var members []string
	meta.ForEach(func(key, value gjson.Result) bool {
		k := key.Str
		host := strings.HasPrefix(k, "claudecode/") || k == "callId" || k == "traceparent" ||
			k == "session_id" || k == "turn_id" || strings.HasSuffix(k, "/callId") || strings.HasSuffix(k, "/sessionId")
		if host && len(value.Raw) <= 256 {
			members = append(members, key.Raw+":"+value.Raw)
		}
		return true
	})
	if members == nil {
		return ""
	}
	return "{" + strings.Join(members, ",") + "}"
}
