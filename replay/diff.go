package replay

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// Diffs is what differs between two runs of a session.
type Diffs struct {
	// Handshake is how the two sides have introduced themselves: versions, names, instructions, and what the client can do. It
	// is not counted as a change of any call.
	Handshake []reprise.Difference
	// Calls are those of the first run in their order. What only the second has stands behind what it had done before.
	Calls []CallDiff
	// Repeated are calls that one run has made more often than the other: lists that clients cache, and polls.
	Repeated int
}

// CallDiff is one call in both runs.
type CallDiff struct {
	Class     reprise.Class
	A, B      *reprise.Call        // nil where the run has none
	Arguments []reprise.Difference // in the params
	Changed   []reprise.Difference // in the result or the error; Path "" where one has no answer, or of another kind
	Volatile  []reprise.Difference // in both: identifiers, and what each run makes anew
	Ignored   int
}

// Count is how many calls there are of a class.
func (d *Diffs) Count(class reprise.Class) (n int) {
	for i := range d.Calls {
		if d.Calls[i].Class == class {
			n++
		}
	}
	return n
}

// Same says whether no call differs in anything that counts.
func (d *Diffs) Same() bool {
	return d.Count(reprise.ClassEqual)+d.Count(reprise.ClassVolatile) == len(d.Calls)
}

// Diff compares two captures, call by call, of the client's and of the server's. The identifiers of the first are those of the
// second where the same calls brought them. Rules may be nil.
//
// Calls are aligned by method, name and arguments, as these are with the identifiers of the second run; equal ones in their
// order. What is left then is aligned by method and name, in order.
func Diff(a, b *reprise.Capture, g *reprise.Ignore) *Diffs {
	d := differ{bindings: reprise.NewBindings(), ignore: g, exact: map[string][]*half{}, loose: map[string][]*half{}, paired: map[string]bool{}}
	before, after := readRun(a, d.bindings.Learn), readRun(b, nil)
	for _, c := range after {
		key := d.key(c, false)
		d.exact[key] = append(d.exact[key], c)
		d.loose[c.kind()] = append(d.loose[c.kind()], c)
	}
	for _, c := range before {
		d.pair(c, d.take(d.exact, d.key(c, true)))
	}
	for _, c := range before {
		if c.partner == nil { // its identifiers may be known now
			d.pair(c, d.take(d.exact, d.key(c, true)))
		}
		if c.partner == nil {
			d.pair(c, d.take(d.loose, c.kind()))
		}
	}
	return d.compare(before, after)
}

// half is a call of one run, and its partner in the other.
type half struct {
	*reprise.Call
	params  string
	answer  string // raw result or error; "" when there is none
	failed  bool   // it is an error
	index   int    // of the response
	page    int    // of a list, from 1; 0 of what nobody handed out
	uses    map[string]*reprise.Use
	partner *half
}

// readRun reads the calls of a capture. learn is given its values and uses, if it is there.
func readRun(c *reprise.Capture, learn func(*reprise.Value, *reprise.Use)) (calls []*half) {
	byCall, bySeq, pages := map[*reprise.Call]*half{}, map[place]*half{}, map[string]int{}
	d := reprise.Deriver{Session: c.Session(), Call: func(*reprise.Call) {}}
	d.Message = func(_ *reprise.Frame, m *reprise.Message, made *reprise.Call) {
		switch {
		case made == nil:
		case m.Kind == reprise.KindRequest:
			s := &half{Call: made, params: m.Params, uses: map[string]*reprise.Use{}}
			byCall[made], bySeq[place{made.Seq, made.Index}] = s, s
			calls = append(calls, s)
			if s.page = 1; isList(m.Method) {
				if cursor := reprise.Member(m.Params, "cursor"); cursor.Exists() {
					s.page = pages[pageKey(m.Method, cursor.Raw)]
				}
			}
		case m.Kind == reprise.KindResponse:
			byCall[made].answered(m)
			if next := reprise.Member(m.Result, "nextCursor"); isList(made.Method) && byCall[made].page > 0 {
				pages[pageKey(made.Method, next.Raw)] = byCall[made].page + 1
			}
		}
	}
	if learn != nil {
		d.Value = func(v *reprise.Value) { learn(v, nil) }
		d.Use = func(u *reprise.Use) {
			learn(nil, u)
			kept := *u
			if s := bySeq[place{u.Seq, u.Index}]; s != nil { // and not an answer of the client's
				s.uses[u.Path] = &kept
			}
		}
	}
	for f := range c.Frames() {
		d.Add(f)
	}
	d.End()
	return calls
}

func (s *half) answered(m *reprise.Message) {
	s.answer, s.index = m.Result, m.Index
	if m.Error != "" {
		s.answer, s.failed = m.Error, true
	}
}

// kind is what a call is paired by when its arguments differ.
func (s *half) kind() string {
	if isHandshake(s.Method) {
		return "handshake"
	}
	return s.Direction.String() + "\x00" + nameKey(s.Method, s.nameless())
}

// nameless is the name of what is called, unless each run makes it anew.
func (s *half) nameless() string {
	if strings.HasPrefix(s.Method, "tasks/") {
		return ""
	}
	return s.Name
}

type differ struct {
	bindings     *reprise.Bindings
	ignore       *reprise.Ignore
	exact, loose map[string][]*half // of the second run
	paired       map[string]bool    // the kinds that have a pair
}

// key is what a call asks for; today with the identifiers of the second run.
func (d *differ) key(s *half, today bool) string {
	if isHandshake(s.Method) {
		return s.Method
	}
	a := ask(s.Method, s.Name, s.params)
	text := string(a.appendKey(nil, func(m member) string {
		switch m.name {
		case "requestState":
			return drop
		case "inputResponses":
			return "keys"
		}
		if text := a.usual(m, s.page); text != "" {
			return text
		}
		return rewrite(m.value.Raw, reprise.PathMember("", m.name), func(path string) string { return d.instead(s, path, today) })
	}))
	if s.Method == "tasks/get" { // polls
		text += reprise.Member(s.answer, "status").Raw
	}
	return s.Direction.String() + "\x00" + text
}

// instead is what counts in the place of an argument.
func (d *differ) instead(s *half, path string, today bool) string {
	if d.ignore.Has([]string{s.Method, s.Name}, path) {
		return drop
	}
	if !today {
		return ""
	}
	u := s.uses[path]
	if rest, ok := strings.CutPrefix(path, "arguments"); ok && u == nil {
		u = s.uses[strings.TrimPrefix(rest, ".")]
	}
	if u == nil {
		return ""
	}
	live, bound := d.bindings.Live(u)
	if !bound {
		return ""
	}
	return string(reprise.Canonical(live))
}

// take gives the first call in a queue that has no partner yet.
func (d *differ) take(from map[string][]*half, key string) *half {
	queue := from[key]
	for len(queue) > 0 && queue[0].partner != nil {
		queue = queue[1:]
	}
	if from[key] = queue; len(queue) == 0 {
		return nil
	}
	return queue[0]
}

// pair makes two calls one, and learns from their results what the identifiers of the first run are in the second.
func (d *differ) pair(a, b *half) {
	if b == nil {
		return
	}
	a.partner, b.partner = b, a
	d.paired[a.kind()] = true
	if a.Direction == reprise.ClientToServer && !a.failed && !b.failed {
		d.bindings.Result(a.Response, a.index, a.answer, b.answer)
	}
}

// compare compares all pairs, when everything is bound that can be.
func (d *differ) compare(before, after []*half) *Diffs {
	out := &Diffs{}
	behind := map[*half][]*half{} // what only the second run has, by the pair before
	var last *half
	for _, c := range after {
		if c.partner != nil {
			last = c
			continue
		}
		behind[last] = append(behind[last], c)
	}
	d.extra(out, behind[nil])
	for _, c := range before {
		switch {
		case c.partner != nil:
			d.both(out, c, c.partner)
			d.extra(out, behind[c.partner])
		case d.paired[c.kind()] && isRepeatable(c.Method):
			out.Repeated++
		default:
			out.Calls = append(out.Calls, CallDiff{Class: reprise.ClassMissing, A: c.Call})
		}
	}
	return out
}

func (d *differ) extra(out *Diffs, calls []*half) {
	for _, c := range calls {
		if d.paired[c.kind()] && isRepeatable(c.Method) {
			out.Repeated++
			continue
		}
		out.Calls = append(out.Calls, CallDiff{Class: reprise.ClassExtra, B: c.Call})
	}
}

// both compares a pair: its arguments and its answers.
func (d *differ) both(out *Diffs, a, b *half) {
	names := []string{a.Method, a.Name}
	params := d.params(a, b, names)
	answer := d.answers(a, b, names)
	diff := CallDiff{A: a.Call, B: b.Call, Arguments: params.Changed, Changed: answer.Changed,
		Volatile: slices.Concat(params.Volatile, answer.Volatile), Ignored: params.Ignored + answer.Ignored}
	if isHandshake(a.Method) {
		out.Handshake = append(out.Handshake, handshake(a, b, params, answer)...)
		diff.Arguments, diff.Volatile, diff.Changed = nil, nil, abilities(a, b, answer.Changed)
	}
	switch {
	case len(diff.Arguments)+len(diff.Changed) > 0:
		diff.Class = reprise.ClassChanged
	case len(diff.Volatile) > 0:
		diff.Class = reprise.ClassVolatile
	default:
		diff.Class = reprise.ClassEqual
	}
	out.Calls = append(out.Calls, diff)
}

// params compares what is asked for: no _meta, no cursor of a page that both ask for, no state of a round.
func (d *differ) params(a, b *half, names []string) reprise.Comparison {
	return reprise.CompareMessages(a.asks(b.page), b.asks(a.page), names, d.bindings, d.ignore)
}

// asks gives the params without what differs between any two runs.
func (s *half) asks(page int) string {
	params := gjson.Parse(s.params)
	if s.params != "" && !params.IsObject() {
		return s.params
	}
	var members []string
	params.ForEach(func(k, v gjson.Result) bool {
		cursor := k.Str == "cursor" && isList(s.Method) && s.page == page && page > 0
		if !cursor && k.Str != "_meta" && k.Str != "requestState" {
			members = append(members, k.Raw+":"+v.Raw)
		}
		return true
	})
	return "{" + strings.Join(members, ",") + "}"
}

func (d *differ) answers(a, b *half, names []string) reprise.Comparison {
	if a.answer == "" && b.answer == "" {
		return reprise.Comparison{Class: reprise.ClassEqual}
	}
	if a.failed != b.failed || a.answer == "" || b.answer == "" {
		return reprise.Comparison{Class: reprise.ClassChanged, Changed: []reprise.Difference{{Recorded: a.answer, Live: b.answer}}}
	}
	return reprise.CompareMessages(a.answer, b.answer, names, d.bindings, d.ignore)
}

// introductions are the members of a handshake's result that say who the server is.
var introductions = []string{"protocolVersion", "serverInfo", "instructions", "_meta", "ttlMs"}

// handshake gives the differences between two introductions.
func handshake(a, b *half, params, answer reprise.Comparison) (all []reprise.Difference) {
	if a.Method != b.Method {
		return []reprise.Difference{{Path: "method", Recorded: string(reprise.Quote(a.Method)), Live: string(reprise.Quote(b.Method))}}
	}
	for _, d := range slices.Concat(params.Changed, params.Volatile) {
		d.Path = under("params", d.Path)
		all = append(all, d)
	}
	for _, d := range slices.Concat(answer.Changed, answer.Volatile) {
		if introduces(d.Path) {
			d.Path = under("result", d.Path)
			all = append(all, d)
		}
	}
	return all
}

// under is a place in what stands at another one.
func under(root, path string) string {
	if path == "" || path[0] == '[' {
		return root + path
	}
	return root + "." + path
}

// abilities are the other differences of two handshakes of one kind.
func abilities(a, b *half, changed []reprise.Difference) (all []reprise.Difference) {
	for _, d := range changed {
		if a.Method == b.Method && !introduces(d.Path) {
			all = append(all, d)
		}
	}
	return all
}

func introduces(path string) bool {
	for _, name := range introductions {
		if rest, ok := strings.CutPrefix(path, name); ok && (rest == "" || strings.IndexByte(".[", rest[0]) >= 0) {
			return true
		}
	}
	return false
}
