package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// Error codes of our own, outside of what JSON-RPC and MCP reserve (-32768 … -32000).
const (
	codeMiss = -40404 // nothing recorded answers the request
	codeLost = -40503 // the recorded server was gone before it answered
)

// Miss is a request that nothing recorded answers.
type Miss struct {
	Method string `json:"method"`
	Name   string `json:"name,omitempty"`
	Reason string `json:"reason"`
	// Nearest is the seq of the recorded request that is most alike; 0 when there is none.
	Nearest int64 `json:"nearest,omitempty"`
	// Path is the first place where the two differ, with what stands there in each.
	Path     string `json:"path,omitempty"`
	Recorded string `json:"recorded,omitempty"`
	Live     string `json:"live,omitempty"`
}

// String says it in a sentence.
func (m *Miss) String() string {
	about := strings.TrimSpace(m.Method + " " + m.Name)
	if m.Nearest == 0 {
		return fmt.Sprintf("no recorded answer to %s: %s", about, m.Reason)
	}
	text := fmt.Sprintf("no recorded answer to %s: %s; nearest is seq %d", about, m.Reason, m.Nearest)
	if m.Path != "" {
		text += fmt.Sprintf(", which differs at %s: recorded %s, got %s", m.Path, cmp.Or(m.Recorded, "nothing"), cmp.Or(m.Live, "nothing"))
	}
	return text
}

// missed reports a request that nothing answers, and does about it what was chosen.
func (r *run) missed(m *reprise.Message, a *asked) {
	nearest, miss := r.nearest(a)
	if r.OnMiss == OnMissNearest && nearest != nil && nearest.Name == a.name {
		r.report.Nearest = append(r.report.Nearest, miss)
		again := r.used[nearest.n]
		r.used[nearest.n] = true
		r.learn(nearest.params, a.params)
		r.answer(m, a, nearest, again)
		return
	}
	if r.OnMiss == OnMissPassthrough {
		r.report.Passed = append(r.report.Passed, miss)
		r.away[strings.Clone(m.ID)] = true
		r.out = append(r.out, sending{data: requestOf(m), ask: true})
		return
	}
	r.report.Misses = append(r.report.Misses, miss)
	r.Log(miss.String())
	r.refuse(strings.Clone(m.ID), codeMiss, "reprise: "+miss.String(), miss.data())
}

// requestOf is a request's own text, whatever else stood on its line.
func requestOf(m *reprise.Message) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...)
	b = append(append(b, `,"method":`...), reprise.Quote(m.Method)...)
	if m.Params != "" {
		b = append(append(b, `,"params":`...), m.Params...)
	}
	return append(b, '}')
}

func (m *Miss) data() string {
	b := append([]byte(`{"reprise":"replay","reason":`), reprise.Quote(m.Reason)...)
	b = append(append(b, `,"method":`...), reprise.Quote(m.Method)...)
	if m.Name != "" {
		b = append(append(b, `,"name":`...), reprise.Quote(m.Name)...)
	}
	if m.Nearest != 0 {
		b = fmt.Appendf(b, `,"nearest":%d`, m.Nearest)
	}
	for _, part := range [][2]string{{"path", m.Path}, {"recorded", m.Recorded}, {"live", m.Live}} {
		if part[1] != "" {
			b = append(fmt.Appendf(b, `,"%s":`, part[0]), reprise.Quote(part[1])...)
		}
	}
	return string(append(b, '}'))
}

// refuse answers with an error of our own.
func (r *run) refuse(id string, code int, message, data string) {
	r.out = append(r.out, sending{data: refusal(id, code, message, data)})
}

// refusal is a line with an error.
func refusal(id string, code int, message, data string) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(fmt.Appendf(b, `,"error":{"code":%d,"message":`, code), reprise.Quote(message)...)
	if data != "" {
		b = append(append(b, `,"data":`...), data...)
	}
	return append(b, "}}\n"...)
}

// A miss is compared with so many recorded calls, and with fewer where that is too much to read.
const (
	compared      = 500
	comparedBytes = 4 << 20
)

// nearest is the recorded call that is most alike, of the same tool if there is one.
func (r *run) nearest(a *asked) (*call, Miss) {
	miss := Miss{Method: strings.Clone(a.method), Name: strings.Clone(a.name)}
	if last, n := r.alike(); last != nil {
		miss.Reason, miss.Nearest = fmt.Sprintf("all %d recorded calls like it have been used", n), last.Seq
		return last, miss
	}
	all := r.index.named[nameKey(a.method, a.name)]
	switch {
	case len(all) > 0 && !slices.ContainsFunc(all, func(c *call) bool { return !r.used[c.n] }):
		miss.Reason = fmt.Sprintf("all %d recorded calls of it have been used", len(all))
	case len(all) > 0:
		miss.Reason = "it was not called like this"
	default:
		miss.Reason = "it was never called in the session"
		all = slices.DeleteFunc(slices.Clone(r.tape.calls), func(c *call) bool { return c.Method != a.method })
	}
	live := withoutMeta(a.params)
	best := mostAlike(r.unusedFirst(all, len(live)), live)
	if best != nil {
		miss.Nearest = best.Seq
		d, _ := reprise.FirstDifference(withoutMeta(best.params), live)
		miss.Path, miss.Recorded, miss.Live = strings.Clone(d.Path), shown(d.Recorded), shown(d.Live)
	}
	return best, miss
}

// alike is the last of the recorded calls that the request at hand is, all of which have been used, and how many there are.
func (r *run) alike() (last *call, n int) {
	for _, k := range r.keys.all {
		if q := r.index.calls[string(k)]; q != nil {
			return q.calls[len(q.calls)-1], len(q.calls)
		}
	}
	return nil, 0
}

// unusedFirst gives as many calls as are compared with, those first that may still answer.
func (r *run) unusedFirst(all []*call, size int) []*call {
	var unused, used []*call
	compared := max(1, min(compared, comparedBytes/max(1, size)))
	for _, c := range all {
		switch {
		case len(unused) == compared:
			return unused
		case !r.used[c.n]:
			unused = append(unused, c)
		case len(used) < compared:
			used = append(used, c)
		}
	}
	return append(unused, used...)[:min(compared, len(unused)+len(used))]
}

// withoutMeta is a request's params as they are compared.
func withoutMeta(params string) string {
	var b []byte
	gjson.Parse(params).ForEach(func(k, v gjson.Result) bool {
		if k.Str != "_meta" {
			b = append(append(append(append(b, ','), k.Raw...), ':'), v.Raw...)
		}
		return true
	})
	if b == nil {
		return "{}"
	}
	b[0] = '{'
	return string(append(b, '}'))
}

// mostAlike is the call that differs from a request in the fewest places.
func mostAlike(calls []*call, live string) *call {
	best, fewest := (*call)(nil), 0
	at := map[string]string{}
	leaves(live, "", func(path string, leaf gjson.Result) { at[path] = string(reprise.Canonical(leaf.Raw)) })
	for _, c := range calls {
		same, other := 0, 0
		leaves(withoutMeta(c.params), "", func(path string, leaf gjson.Result) {
			if now, ok := at[path]; ok && now == string(reprise.Canonical(leaf.Raw)) {
				same++
			} else if !ok {
				other++
			}
		})
		if n := len(at) - same + other; best == nil || n < fewest {
			best, fewest = c, n
		}
	}
	return best
}

// shown cuts a value to what a sentence can hold, and leaves secrets out.
func shown(raw string) string {
	const most = 200
	var r reprise.Redactor
	text := string(r.Mask([]byte(raw)))
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
