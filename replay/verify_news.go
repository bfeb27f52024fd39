package replay

import (
	"fmt"
	"slices"
	"strings"

	"reprise"
)

// news is what the server says and no call asks for, of a kind that the recording does not have: a method, a log of an
// error, a response to nothing, a line that is no message. It is told once.
type news struct {
	kind   reprise.Kind
	method string
	class  reprise.Class
	text   string // the first of them
	count  int
}

// timely are notifications that come when it suits the server, or the world: that one comes today says nothing.
var timely = []string{"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed",
	"notifications/resources/updated", "notifications/subscriptions/acknowledged", "notifications/tasks/status", "notifications/tasks",
	"notifications/elicitation/complete"}

// belated are those about a call that has come to an end meanwhile: they may always come.
var belated = []string{"notifications/progress", "notifications/cancelled"}

const logging = "notifications/message"

// isLoud says whether a log message tells of an error or worse (protocol.md §5).
func isLoud(params string) bool {
	return slices.Contains([]string{"error", "critical", "alert", "emergency"}, reprise.Member(params, "level").Str)
}

// seen notes of the recording what takeNews looks for.
func (s *scribe) seen(f *reprise.Frame, m *reprise.Message, c *reprise.Call) {
	if f.Direction != reprise.ServerToClient {
		return
	}
	switch {
	case m.Kind == reprise.KindNotification && m.Method == logging && isLoud(m.Params),
		m.Kind == reprise.KindResponse && c == nil, m.Kind == reprise.KindInvalid, m.Kind == reprise.KindNoise:
		s.odd[m.Kind] = true
	}
}

// takeNews takes a message of the server's that belongs to no call.
func (v *verifier) takeNews(f *reprise.Frame, m *reprise.Message) {
	class := reprise.ClassExtra
	switch {
	case m.Kind == reprise.KindNoise && strings.TrimSpace(string(f.Data)) == "":
		return
	case m.Kind != reprise.KindNotification, m.Method == logging:
		if v.s.odd[m.Kind] || m.Method == logging && !isLoud(m.Params) {
			return
		}
	case v.s.kinds[m.Method] != nil, slices.Contains(belated, m.Method):
		return
	case slices.Contains(timely, m.Method):
		class = reprise.ClassVolatile
	}
	for _, n := range v.news {
		if n.kind == m.Kind && n.method == m.Method {
			n.count++
			return
		}
	}
	if len(v.news) < maxNews {
		v.news = append(v.news, &news{m.Kind, strings.Clone(m.Method), class, m.Raw, 1})
	}
}

// maxNews bounds the kinds of notifications that a server invents.
const maxNews = 1000

// tellNews gives the rows; what a rule ignores as a whole has none.
func (v *verifier) tellNews() (all []*Verified) {
	for _, n := range v.news {
		c := &Verified{Direction: reprise.ServerToClient, Kind: n.kind, Method: n.method, Class: n.class, Live: Exchange{Request: n.text}}
		name := n.method
		switch n.kind {
		case reprise.KindNoise:
			c.Text, c.Reason, name = "noise on stdout", "the server wrote only messages there", string(n.kind)
		case reprise.KindInvalid:
			c.Text, c.Reason, name = "broken JSON-RPC", "the server wrote none", string(n.kind)
		case reprise.KindResponse:
			c.Text, c.Reason, name = "a response to nothing that was asked", "the server gave none", string(n.kind)
		default:
			if c.Text, c.Reason = n.method, "the server did not say this"; n.method == logging {
				c.Text, c.Reason = logging+" of an error", "the server logged none"
			}
		}
		if n.count > 1 {
			c.Reason += fmt.Sprintf("; today it does %d times", n.count)
		}
		if !v.Ignore.Has([]string{name}, "") {
			all = append(all, c)
		}
	}
	return all
}

// Bounds for a server that talks without end: how many requests of its own are answered beyond the recorded ones, and how much is kept
// of what it says beyond what was recorded. frameCost is what a frame takes beside its bytes.
const (
	maxAsked  = 10_000
	maxKept   = 256 << 20
	frameCost = 256
)

// endures says whether a line still fits.
func (v *verifier) endures(line []byte) bool {
	if v.room -= int64(len(line)) + frameCost; v.room < 0 {
		v.end(EndedEndless)
	}
	return v.room >= 0
}
