package reprise

import "strings"

// Tracer follows values through a session: it harvests them from results and looks up the arguments of
// calls among them. It is fed one message at a time, and what it says depends on the messages alone.
// Its memory is bounded: by MaxValues, and by what the other constants of this kind say.
type Tracer struct {
	Value func(*Value)
	Use   func(*Use)

	Values    int64 // given to Value
	Unsourced int64 // uses that are synthesized
	leftOut   int64

	keys      keys
	values    memory[*known]
	words     memory[*known] // of JSON strings, and lines of texts
	fragments memory[*known] // by what may be cut out of a value: a path's directories, a digest's first digits
	names     memory[*known] // common values under a key that identifies: they count as a part of something longer
	tools     tools
	nouns     map[string]bool // entities that the session has tools for
	told      told
	invented  memory[int64] // the seqs at which values that came from nowhere were first used
	writes    writes
	open      map[*Call]*pending
	tasks     map[callRef]*pending // the calls that made tasks
	inOrder   []callRef            // of tasks
	asked     []asking             // what results have asked for, newest last
	token     []byte               // scratch
}

// pending is what is kept of a call until its answer comes.
type pending struct {
	call      *Call
	invented  map[string]bool // see origin
	schema    string          // requestedSchema of an elicitation
	completes string          // the argument that completion/complete asks for
	reads     string          // the uri that resources/read asks for
}

// maxTasks is how many calls that made tasks are remembered.
const maxTasks = 1024

// LeftOut counts the values that the bounds left out, or made the session forget.
func (t *Tracer) LeftOut() int64 {
	return t.leftOut + t.values.forgotten + t.words.forgotten + t.told.leftOut + t.tools.leftOut
}

// forgetful says whether a value that is not found may have been known once.
func (t *Tracer) forgetful() bool {
	return t.LeftOut() > 0 || t.fragments.forgotten > 0 || t.names.forgotten > 0
}

// Add looks at one message and at the call that it belongs to.
func (t *Tracer) Add(f *Frame, m *Message, c *Call) {
	if t.open == nil { // the zero value is ready for use
		t.open, t.tasks, t.nouns = map[*Call]*pending{}, map[callRef]*pending{}, map[string]bool{}
	}
	t.told.budget = maxToldRead
	switch {
	case m.Kind == KindNotification && f.Direction == ServerToClient:
		t.told.add(m.Params, telling{ground: GroundNotification, seq: f.Seq})
	case c == nil:
	case m.Kind == KindNotification && c.Status == StatusCancelled:
		t.cancelled(f, c)
	case m.Kind == KindRequest && f.Direction == ClientToServer:
		t.request(f, m, c)
	case m.Kind == KindRequest:
		t.question(f, m, c)
	case m.Kind == KindResponse && f.Direction == ServerToClient:
		t.response(f, m, c)
	case m.Kind == KindResponse:
		t.answer(f, m, c)
	}
}

// request notes a call of the client's, and where its arguments come from.
func (t *Tracer) request(f *Frame, m *Message, c *Call) {
	a := &pending{call: c}
	t.open[c] = a
	if name := c.Tool(); name != "" {
		t.addNoun(name)
		defer t.writes.begin(t, m, c)
	}
	u := uses{t: t, frame: f, message: m, pending: a, tool: c.Method, work: maxWork}
	u.request()
}

// cancelled closes a call: an answer that comes nevertheless is not read by anybody.
func (t *Tracer) cancelled(f *Frame, c *Call) {
	delete(t.open, c)
	t.writes.end(f, c)
}

// question notes a request of the server's: what it says has been told.
func (t *Tracer) question(f *Frame, m *Message, c *Call) {
	a := &pending{call: c}
	if c.Method == "elicitation/create" {
		schema, _ := lookUp(m.Params, "requestedSchema")
		a.schema = bounded(schema.Raw)
	}
	t.open[c] = a
	t.told.add(m.Params, telling{ground: GroundQuestion, seq: f.Seq})
}

// answer looks up the client's answer to the server, and notes what its user has told.
func (t *Tracer) answer(f *Frame, m *Message, c *Call) {
	a := t.open[c]
	delete(t.open, c)
	if a == nil || c.Status != StatusOK {
		return
	}
	u := uses{t: t, frame: f, message: m, pending: a, tool: c.Method, work: maxWork}
	u.answer()
}

// response harvests a result, or notes what a failure says.
func (t *Tracer) response(f *Frame, m *Message, c *Call) {
	a := t.open[c]
	delete(t.open, c)
	if a == nil {
		return
	}
	switch c.Status {
	case StatusError:
		t.told.add(m.Error, telling{ground: GroundError, tool: c.Tool(), seq: f.Seq})
	case StatusToolError:
		t.told.add(m.Result, telling{ground: GroundError, tool: c.Tool(), seq: f.Seq})
	case StatusOK:
		t.result(f, m, a)
	}
	if t.tasks[refOf(c)] == nil { // else it goes on
		t.writes.end(f, c)
	}
}

func (t *Tracer) result(f *Frame, m *Message, a *pending) {
	r := readResult(m.Result)
	if r.kind == "input_required" {
		t.ask(a.call, r.questions)
		t.told.add(r.questions, telling{ground: GroundQuestion, seq: f.Seq})
		return
	}
	t.keepTask(f, &r, a)
	c, raw := a.call, m.Result
	if made, result := t.madeTask(m, a); result != "" {
		a, raw, r = made, result, readResult(result)
		t.writes.end(f, made.call)
	} else if made != nil && terminal(r.status) {
		t.writes.end(f, made.call)
	}
	t.learn(f, a.call.Method, raw)
	h := harvest{t: t, left: MaxHarvest, completes: a.completes, partial: len(raw) > WholeResult || m.Flags&FlagCut != 0}
	c.Partial = h.partial
	h.origin = &origin{seq: f.Seq, index: m.Index, made: refOf(a.call), from: a.call.Rendered, noun: t.nounOf(a), invented: a.invented}
	h.result(a.call.Method, raw, &r)
	h.origin.invented = nil // births outlive it
}

// asking is what a result has asked for, until the next round answers it.
type asking struct {
	callRef
	questions string // inputRequests
}

// maxAskings is how many of them are remembered.
const maxAskings = 64

func (t *Tracer) ask(c *Call, questions string) {
	if len(t.asked) >= maxAskings {
		t.asked = t.asked[1:]
	}
	t.asked = append(t.asked, asking{refOf(c), bounded(questions)})
}

// askedSchema is the schema of a question that the round before has asked.
func (t *Tracer) askedSchema(c *Call, key string) string {
	for _, a := range t.asked {
		if c.Link == LinkRound && a.callRef == (callRef{c.Direction, c.Of, c.OfIndex}) {
			question, _ := lookUp(a.questions, key)
			params, _ := lookUp(question.Raw, "params")
			schema, _ := lookUp(params.Raw, "requestedSchema")
			return schema.Raw
		}
	}
	return ""
}

// madeTask is the call that made the task that a call is about, or nil; and the task's result, if it brings that.
func (t *Tracer) madeTask(m *Message, a *pending) (*pending, string) {
	made := t.tasks[callRef{a.call.Direction, a.call.Of, a.call.OfIndex}]
	if a.call.Link != LinkTask || made == nil {
		return nil, ""
	}
	switch a.call.Method {
	case "tasks/result":
		return made, m.Result
	case "tasks/get":
		if result, _ := lookUp(m.Result, "result"); result.IsObject() {
			return made, result.Raw
		}
	}
	return made, ""
}

// keepTask remembers a call whose result made a task. The oldest make room.
func (t *Tracer) keepTask(f *Frame, r *resultMembers, a *pending) {
	made := r.kind == "task" || strings.HasPrefix(r.inner, `"`)
	if !made || strings.HasPrefix(a.call.Method, "tasks/") {
		return
	}
	if len(t.inOrder) >= maxTasks {
		t.writes.end(f, t.tasks[t.inOrder[0]].call)
		delete(t.tasks, t.inOrder[0])
		t.inOrder = t.inOrder[1:]
	}
	ref := refOf(a.call)
	t.tasks[ref], t.inOrder = a, append(t.inOrder, ref)
}

// learn reads what tools there are, and what the server says of itself.
func (t *Tracer) learn(f *Frame, method, raw string) {
	switch method {
	case "tools/list":
		for _, name := range t.tools.learn(raw) {
			t.addNoun(name)
		}
	case "prompts/list":
		t.tools.learnPrompts(raw)
	case "initialize", "server/discover":
		text, _ := lookUp(raw, "instructions")
		t.told.add(text.Raw, telling{ground: GroundInstructions, seq: f.Seq})
	}
}

// addNoun notes the entity that a tool is about.
func (t *Tracer) addNoun(tool string) {
	if noun := t.tools.noun(tool); noun != "" && len(t.nouns) < maxNouns {
		t.nouns[noun] = true
	}
}

// nounOf is the entity that a call is about.
func (t *Tracer) nounOf(a *pending) string {
	switch c := a.call; {
	case c.Tool() != "":
		return t.tools.noun(c.Tool())
	case a.reads != "":
		return uriNoun(a.reads)
	case strings.HasPrefix(c.Method, "resources/"):
		return "resource"
	}
	return ""
}

// uriNoun is the entity of a resource: tracker://issues/ISS-1, tracker://issues → issue.
func uriNoun(uri string) string {
	_, path, _ := strings.Cut(uri, "://")
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if word := insideOf([]string{strings.ToLower(parts[i])}); word != "" && word != nobody && word != parts[i] && isPlain(word) {
			return word
		}
	}
	return ""
}

// isNoun says whether the session has tools for what a key names.
func (t *Tracer) isNoun(k *keyInfo) bool {
	if k.nouns != len(t.nouns) {
		k.noun, k.nouns = t.nouns[k.bare], len(t.nouns)
	}
	return k.noun
}

// entity infers what a value under a key identifies, or an argument asks for: from the key, from what holds it, from
// what the call is about.
func (t *Tracer) entity(k *keyInfo, inside, noun string) string {
	switch {
	case k == nil:
		return ""
	case k.entity != "":
		return k.entity
	case k.plain:
		return holder(inside, noun)
	case k.bare != "" && (k.bare == noun || t.isNoun(k)):
		return k.bare
	}
	return ""
}

// holder is the entity that the members of a container belong to, or else what the call is about.
func holder(inside, noun string) string {
	switch inside {
	case "":
		return noun
	case nobody:
		return ""
	}
	return inside
}

// give hands out a generation of a value.
func (t *Tracer) give(b *birth, json string) {
	t.Values++
	b.n = t.Values
	json, _ = beginning(json)
	t.Value(&Value{N: b.n, Seq: b.origin.seq, Index: b.origin.index, CallSeq: b.origin.made.seq, CallIndex: b.origin.made.index,
		Key: b.keyName(), Entity: b.entity, JSON: json, From: b.origin.from, Path: b.spot.path(), Echo: b.echo})
}

// beginning is a copy of a JSON token, of its beginning when it is longer than LeafSize.
func beginning(raw string) (json string, cut bool) {
	if len(raw) <= LeafSize {
		return strings.Clone(strings.ToValidUTF8(raw, "\ufffd")), false
	}
	if raw[0] != '"' {
		return strings.Clone(raw[:LeafSize]), true
	}
	text, _ := unescape(raw[1:LeafSize/2], false)
	return string(appendString(nil, strings.ToValidUTF8(text, ""))), true
}
