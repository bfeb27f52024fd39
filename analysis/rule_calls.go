package analysis

import (
	"crypto/sha256"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

// What the rules about calls share: which calls they look at, and when two of them may be compared.

// callPatience is how long after a call another one still counts as the agent's next step. Later a user may have put right outside what
// was wrong, or others may have changed what the server knows.
const callPatience = 2 * time.Minute

// Bounds of what a rule about calls remembers: calls, tools, and places of findings.
const (
	maxKeptCalls  = 1024
	maxKeptTools  = 256
	maxRulePlaces = 256
)

// plainCall says whether an exchange is a tool's call with its arguments: no further round, no question about a task, and nothing of
// which only the beginning was read.
func plainCall(e *Exchange) bool {
	return e.OfClient() && e.Tool() != "" && e.Link == "" && e.Flags&(reprise.FlagCut|reprise.FlagTooDeep) == 0
}

// hasResult says whether a call has its final result: a task or a question is none.
func hasResult(e *Exchange) bool {
	if e.Status != reprise.StatusOK || e.Result == "" {
		return false
	}
	if !strings.Contains(e.Result, `"task`) && !strings.Contains(e.Result, `"resultType"`) {
		return true
	}
	kind := reprise.Member(e.Result, "resultType").String()
	return (kind == "" || kind == "complete") && !reprise.Member(e.Result, "task").IsObject()
}

// readsOnly says whether the called tool is declared to change nothing.
func readsOnly(e *Exchange) bool {
	return e.Listing != nil && e.Listing.Safety == reprise.SafetyReadOnly
}

// callDigest stands for a call or a text that is too long to keep.
type callDigest [sha256.Size]byte

// digestOf is the same for two calls of one tool with the same arguments, however they are spelt.
func digestOf(e *Exchange) callDigest {
	b := make([]byte, 0, 512)
	b = append(append(b, e.Name...), 0)
	if arguments := e.Arguments(); arguments != "" && arguments != "null" {
		return sha256.Sum256(append(b, reprise.Canonical(arguments)...))
	}
	return sha256.Sum256(append(b, "{}"...))
}

// resultSum stands for a result: that of another one is another, but for one in four thousand million of the same length.
type resultSum struct {
	length int
	check  uint32
}

func resultSumOf(text string) resultSum {
	return resultSum{len(text), crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))}
}

// blamesCall says whether a failure leaves nothing but the call to blame: it speaks neither of trouble outside nor of a state.
// A parameter's name may be part of the trouble's (limit), not of a state's (status).
func blamesCall(e *Exchange, said string) bool {
	return troubleOf(e, e.asked(), said) == "" && find(states(), apart(said, e)) == ""
}

// failedCall is a call that failed, and what it said.
type failedCall struct {
	*Exchange // without result and error
	said      string
}

// keepFailure keeps what blamesCall asks for beyond the call's turn.
func keepFailure(e *Exchange) *failedCall {
	kept := *e
	kept.Result, kept.Error = "", ""
	return &failedCall{&kept, e.Said()}
}

func (f *failedCall) blames() bool { return blamesCall(f.Exchange, f.said) }

// indices takes the numbers of elements out of a path: nothing in it changes from one call to the next.
func withoutIndices(path string) string {
	if strings.IndexByte(path, '[') < 0 {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		b.WriteByte(path[i])
		if path[i] == '[' {
			rest := strings.TrimLeft(path[i+1:], "0123456789")
			i = len(path) - len(rest) - 1
		}
	}
	return b.String()
}

// shownValue shows a JSON value in a sentence, a string without its own marks.
func shownValue(json string) string { return quote(plainText(json)) }

// plainText is a string's text, and any other value's JSON.
func plainText(json string) string {
	if strings.HasPrefix(json, `"`) {
		return gjson.Parse(json).Str
	}
	return json
}

// shownPath is a path as a sentence may show it.
func shownPath(path string) string {
	text := quote(path)
	return strings.TrimSuffix(strings.TrimPrefix(text, "“"), "”")
}

// placeRoom bounds how many findings a rule makes: names of tools and members of arguments are the agent's, and may be endless.
type placeRoom map[[2]string]bool

func (p placeRoom) room(tool, place string) bool {
	at := [2]string{tool, place}
	if !p[at] && len(p) >= maxRulePlaces {
		return false
	}
	p[at] = true
	return true
}

// worldChanges counts what may have changed what a call gives.
type worldChanges struct{ n int }

// watchChanges counts successful calls of tools that are not declared read-only, answers to the server's questions, notifications of
// change, and new beginnings.
func watchChanges(p *Pass) *worldChanges {
	c := &worldChanges{}
	p.Calls(func(e *Exchange) {
		switch {
		case !e.OfClient() && e.Method != "ping" && e.Method != "roots/list",
			e.Method == "initialize",
			e.Tool() != "" && !e.Status.Failed() && !readsOnly(e),
			e.Link == reprise.LinkTask && e.Status == reprise.StatusOK:
			c.n++
		}
	})
	p.Messages(func(_ *reprise.Frame, m *reprise.Message, call *reprise.Call) {
		if m.Kind == reprise.KindNotification && !tellsNoChange(m.Method) && (m.Method != "notifications/cancelled" || call != nil) {
			c.n++
		}
	})
	return c
}

// tellsNoChange says whether a notification tells of no change.
func tellsNoChange(method string) bool {
	return method == "notifications/progress" || method == "notifications/message" || method == "notifications/initialized"
}

// heldFindings keeps findings back until it is known whether the record has holes, which may have had what they rest on.
type heldFindings struct {
	list []Finding
}

const maxHeldFindings = 10_000

func holdBack(p *Pass) *heldFindings {
	h := &heldFindings{}
	p.End(func() {
		if p.Session.Gaps > 0 || p.Session.LostFrames > 0 || len(p.judge.lacks.holes) > 0 || len(p.judge.lacks.truncated) > 0 {
			return
		}
		for _, f := range h.list {
			p.Report(f)
		}
	})
	return h
}

func (h *heldFindings) add(f Finding) {
	if len(h.list) < maxHeldFindings {
		h.list = append(h.list, f)
	}
}

// pagesBy says whether an argument of this name walks through pages, or bounds them.
func pagesBy(key string) bool {
	return slices.Contains([]string{"cursor", "after", "before", "page", "pagenumber", "pageno", "pageindex", "pagetoken", "nextpagetoken", "nexttoken", "token",
		"continuation", "continuationtoken", "nextcursor", "offset", "skip", "start", "startindex", "startat", "startline", "endline", "from", "to", "since",
		"until", "limit", "count", "size", "pagesize", "perpage", "head", "tail", "viewrange", "range"}, key)
}
