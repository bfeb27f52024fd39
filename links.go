package reprise

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// LinksKept is how many results that ask for another round, and how many tasks, a session
// remembers: the oldest are forgotten first. Of each it keeps hashes, and a call of at most 8 KiB.
const LinksKept = 1024

// linker finds the call that another one continues. It looks across streams, for on modern HTTP
// each leg is an exchange of its own, and never guesses: what could be two calls is linked to none.
type linker struct {
	rounds   []round // oldest first
	tasks    []task
	discover callRef // the last server/discover
}

// callRef says which call.
type callRef struct {
	dir   Direction
	seq   int64
	index int
}

func refOf(c *Call) callRef { return callRef{c.Direction, c.Seq, c.Index} }

// round is a call whose result asks for another one (protocol.md §5.3).
type round struct {
	callRef
	state     digest // of requestState; zero when it gave none
	content   digest // of what the call asks for
	keys      digest // of the names of inputRequests
	continued bool
}

// task is what a call made instead of its result (protocol.md §5.5, §5.6).
type task struct {
	callRef
	id   digest
	tool bool  // a tools/call made it
	call *Call // while its progress token is valid
}

// question is what is kept of an open call's request, so that its answer can be linked.
type question struct {
	content digest
	task    bool // it wants to be a task
	tool    bool // its answer is a tool's
}

// digest stands for text of any length.
type digest [sha256.Size]byte

func digestOf(parts ...string) digest {
	h := sha256.New()
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(bytesOf(part))
	}
	return digest(h.Sum(nil))
}

// ask links a call that begins, bare ones to tasks only.
func (l *linker) ask(c *Call, m *Message, meta gjson.Result, bare bool) {
	var params [4]gjson.Result
	lookUpAll(m.Params, params[:], "arguments", "task", "requestState", "inputResponses")
	c.asked.tool = c.Method == "tools/call"
	c.asked.task = params[1].IsObject()
	switch c.Method {
	case "tasks/get", "tasks/result", "tasks/cancel", "tasks/update":
		l.aboutTask(c, c.Direction, c.Name)
		return
	case "server/discover":
		l.discover = refOf(c)
	case "initialize":
		if l.discover.seq != 0 && l.discover.dir == c.Direction {
			c.follow(LinkConnect, l.discover)
		}
	}
	if !bare && hasRounds(c.Method) && m.Flags&FlagCut == 0 {
		c.asked.content = digestOf(c.Method, c.Name, view(Canonical(params[0].Raw)))
		l.nextRound(c, stateOf(params[2]), params[3])
	}
	// What is done for a task comes from the side that works on it.
	if related, _ := lookUp(meta.Raw, MetaPrefix+"related-task"); c.Link == "" && related.IsObject() {
		id, _ := lookUp(related.Raw, "taskId")
		l.aboutTask(c, c.Direction.Opposite(), id.Str)
	}
}

// hasRounds says whether results of the method may ask for another round.
func hasRounds(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

func (c *Call) follow(link Link, to callRef) { c.Link, c.Of, c.OfIndex = link, to.seq, to.index }

// nextRound links a retry: by its state, else by what it asks for and answers.
func (l *linker) nextRound(c *Call, state digest, responses gjson.Result) {
	keys := keysOf(responses)
	same := func(r *round) bool { return r.content == c.asked.content && r.keys == keys }
	var found *round
	if state != (digest{}) {
		found = l.byState(c.Direction, state, same)
	}
	if found == nil && responses.IsObject() {
		found = one(l.rounds, func(r *round) bool {
			contradicts := state != (digest{}) && r.state != (digest{})
			return r.dir == c.Direction && !r.continued && !contradicts && same(r)
		})
	}
	if found != nil {
		found.continued = true
		c.follow(LinkRound, found.callRef)
	}
}

// byState finds the round that gave the state, which is conclusive. Where a server gives several the same
// one, it is the one that nobody has continued yet and that the call fits.
func (l *linker) byState(dir Direction, state digest, same func(*round) bool) *round {
	given := func(r *round) bool { return r.dir == dir && r.state == state }
	if found := one(l.rounds, given); found != nil {
		return found
	}
	return one(l.rounds, func(r *round) bool { return given(r) && !r.continued && same(r) })
}

// one is the only element that fits, or nil.
func one[T any](all []T, fits func(*T) bool) *T {
	var found *T
	for i := range all {
		if fits(&all[i]) {
			if found != nil {
				return nil
			}
			found = &all[i]
		}
	}
	return found
}

// stateOf is the digest of a requestState. Its escapes do not count: the client writes it anew.
func stateOf(state gjson.Result) digest {
	if state.Type == gjson.Null {
		return digest{}
	}
	return digestOf(view(Canonical(state.Raw)))
}

// keysOf is the digest of an object's member names, in any order.
func keysOf(object gjson.Result) digest {
	var keys []string
	if object.IsObject() {
		object.ForEach(func(key, _ gjson.Result) bool {
			keys = append(keys, key.Str)
			return true
		})
	}
	slices.Sort(keys)
	return digestOf(slices.Compact(keys)...)
}

// answer keeps what the result of a call begins, and sees what it ends.
func (l *linker) answer(c *Call, m *Message) {
	if strings.HasPrefix(c.Method, "tasks/") {
		status, _ := lookUp(m.Result, "status")
		l.statusOf(c.Direction, c.Name, c.Method == "tasks/result" || terminal(status.Str))
		return
	}
	if c.Status != StatusOK && !c.Late || !hasRounds(c.Method) && !c.asked.task {
		return
	}
	var result [5]gjson.Result
	lookUpAll(m.Result, result[:], "resultType", "taskId", "task", "requestState", "inputRequests")
	switch kind, id := result[0].Str, result[1]; {
	case c.asked.task && result[2].IsObject():
		id, _ = lookUp(result[2].Raw, "taskId")
		l.addTask(c, id)
	case kind == "task":
		l.addTask(c, id)
	case kind == "input_required" && !c.Late && m.Flags&FlagCut == 0:
		l.addRound(c, stateOf(result[3]), result[4])
	}
}

// addRound keeps a round of a call that can have one. The one before it has been continued for good.
func (l *linker) addRound(c *Call, state digest, requests gjson.Result) {
	if state == (digest{}) && !requests.IsObject() || c.asked.content == (digest{}) {
		return
	}
	l.rounds = slices.DeleteFunc(l.rounds, func(r round) bool {
		return c.Link == LinkRound && r.seq == c.Of && r.index == c.OfIndex
	})
	l.rounds = keep(l.rounds, round{callRef: refOf(c), state: state, content: c.asked.content, keys: keysOf(requests)})
}

// addTask keeps a task; one of the same id is gone.
func (l *linker) addTask(c *Call, id gjson.Result) {
	if id.Str == "" {
		return
	}
	t := task{callRef: refOf(c), id: digestOf(id.Str), tool: c.asked.tool}
	if c.token != nil && len(c.token.token)+len(c.ID)+len(c.Method)+len(c.Name)+len(c.HostIDs)+len(c.Rendered) <= longestToken {
		t.call = c
	}
	l.tasks = slices.DeleteFunc(l.tasks, func(old task) bool { return old.dir == t.dir && old.id == t.id })
	l.tasks = keep(l.tasks, t)
}

// keep adds an element, and drops the oldest of too many.
func keep[T any](all []T, add T) []T {
	if len(all) >= LinksKept {
		all = slices.Delete(all, 0, 1)
	}
	return append(all, add)
}

// aboutTask links a call to the one of that direction which made the task.
func (l *linker) aboutTask(c *Call, dir Direction, id string) {
	t := l.task(dir, id)
	if t == nil {
		return
	}
	c.follow(LinkTask, t.callRef)
	c.asked.tool = c.asked.tool || t.tool && (c.Method == "tasks/result" || c.Method == "tasks/get")
}

func (l *linker) task(dir Direction, id string) *task {
	if id == "" || len(l.tasks) == 0 {
		return nil
	}
	key := digestOf(id)
	return one(l.tasks, func(t *task) bool { return t.dir == dir && t.id == key })
}

// statusOf takes note of a task that has ended: its progress token is valid no more.
func (l *linker) statusOf(dir Direction, id string, ended bool) {
	if !ended {
		return
	}
	if t := l.task(dir, id); t != nil {
		t.call = nil
	}
}

// notified sees the tasks that end in the notifications of the side that works on them.
func (l *linker) notified(dir Direction, m *Message) {
	if m.Method == "notifications/tasks/status" || m.Method == "notifications/tasks" {
		var params [2]gjson.Result
		lookUpAll(m.Params, params[:], "taskId", "status")
		l.statusOf(dir.Opposite(), params[0].Str, terminal(params[1].Str))
	}
}

func terminal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// progressOf is the call that made the latest task for which the progress token is valid.
func (l *linker) progressOf(token callKey) *Call {
	for _, t := range slices.Backward(l.tasks) {
		if t.call != nil && *t.call.token == token {
			return t.call
		}
	}
	return nil
}

// lookUpAll looks several members of an object up in one go, by lookUp's rules. found has room for each of the keys.
func lookUpAll(raw string, found []gjson.Result, keys ...string) {
	if object := gjson.Parse(raw); object.IsObject() {
		object.ForEach(func(k, v gjson.Result) bool {
			if i := slices.Index(keys, k.Str); i >= 0 {
				found[i] = v
			}
			return true
		})
	}
}
