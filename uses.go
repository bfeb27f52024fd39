package reprise

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// MaxUses is how many leaves of one message are looked up. Those behind are counted: Tracer.LeftOut.
const MaxUses = 10_000

// maxInvented is how many invented arguments of one call are remembered until its answer comes.
const maxInvented = 256

// uses looks up the leaves of one message.
type uses struct {
	t       *Tracer
	frame   *Frame
	message *Message
	pending *pending
	tool    string // see Use.Tool
	schema  schema // of the arguments
	given   Ground // what a leaf is when nothing else explains it: the user has said it
	noun    string
	n       int
	work    int // see maxWork
}

// used is one leaf that is looked up.
type used struct {
	leaf
	token  []byte
	common bool
	entity string // that the argument asks for
	tool   string
	key    *keyInfo
}

// request looks up what a request of the client's carries.
func (u *uses) request() {
	params := u.message.Params
	switch c := u.pending.call; {
	case c.Tool() != "":
		u.tool, u.noun, u.schema = c.Name, u.t.tools.noun(c.Name), u.t.tools.schema(c.Name)
		u.member(params, "arguments", true)
	case c.Method == "prompts/get":
		u.schema = u.t.tools.promptSchema(c.Name)
		u.member(params, "arguments", true)
	case c.Method == "completion/complete":
		u.completion(params)
	case c.Method == "resources/read", c.Method == "resources/subscribe", c.Method == "resources/unsubscribe":
		u.noun = "resource"
		u.pending.reads = c.Name
		u.member(params, "uri", false)
	case c.Method == "subscriptions/listen":
		u.noun = "resource"
		filter, _ := lookUp(params, "notifications")
		uris, _ := lookUp(filter.Raw, "resourceSubscriptions")
		u.walk(uris.Raw, &node{parent: &node{key: "notifications", index: -1}, key: "resourceSubscriptions", index: -1}, u.t.keys.named("uri"))
	case strings.HasPrefix(c.Method, "tasks/"):
		u.member(params, "taskId", false)
	}
	if strings.HasSuffix(u.pending.call.Method, "/list") {
		u.member(params, "cursor", false)
	}
	u.inputResponses(params)
}

// member looks up one member of the params: the root of its paths, or a leaf of its own.
func (u *uses) member(params, name string, root bool) {
	value, _ := lookUp(params, name)
	switch {
	case !value.Exists():
	case !root:
		u.walk(value.Raw, nil, u.t.keys.named(name))
	case !value.IsObject() || !isEmpty(value.Raw):
		u.walk(value.Raw, nil, nil)
	}
}

func isEmpty(object string) bool { return strings.TrimSpace(object[1:len(object)-1]) == "" }

// completion looks up what completion/complete begins with, and the arguments around it.
func (u *uses) completion(params string) {
	argument, _ := lookUp(params, "argument")
	name, _ := lookUp(argument.Raw, "name")
	value, _ := lookUp(argument.Raw, "value")
	u.pending.completes = strings.Clone(name.Str)
	u.walk(value.Raw, &node{key: "argument", index: -1}, u.t.keys.named("value"))
	around, _ := lookUp(params, "context")
	arguments, _ := lookUp(around.Raw, "arguments")
	u.walk(arguments.Raw, &node{parent: &node{key: "context", index: -1}, key: "arguments", index: -1}, nil)
}

// inputResponses looks up the answers in a multi-round-trip request's next leg.
func (u *uses) inputResponses(params string) {
	answers, _ := lookUp(params, "inputResponses")
	at := &node{key: "inputResponses", index: -1}
	answers.ForEach(func(key, answer gjson.Result) bool {
		u.schema = schema{raw: u.t.askedSchema(u.pending.call, key.Str), above: 3} // inputResponses.key.content.name
		u.answered(answer.Raw, &node{parent: at, key: strings.Clone(key.Str), index: -1})
		return true
	})
}

// answer looks up the client's answer to a request of the server's.
func (u *uses) answer() {
	u.schema = schema{raw: u.pending.schema, above: 1} // content.name
	u.answered(u.message.Result, nil)
}

// answered tells an elicitation's answer from roots and from a sampled message by what it has.
func (u *uses) answered(raw string, at *node) {
	content, _ := lookUp(raw, "content")
	roots, _ := lookUp(raw, "roots")
	action, _ := lookUp(raw, "action")
	switch {
	case roots.Exists():
		u.given = GroundRoots
		u.walk(roots.Raw, &node{parent: at, key: "roots", index: -1}, u.t.keys.named("roots"))
	case action.Exists():
		u.given = GroundElicitation
		u.walk(content.Raw, &node{parent: at, key: "content", index: -1}, nil)
	default:
		u.sampled(content, &node{parent: at, key: "content", index: -1})
	}
	u.given = ""
}

// sampled looks up the text of a sampled message: of one content block, or of several.
func (u *uses) sampled(content gjson.Result, at *node) {
	w := walker{text: content.Raw}
	if !content.IsArray() {
		b := w.block()
		u.walk(b.text, at, u.t.keys.named("text"))
		return
	}
	for i, b := range w.blocks(false) {
		u.walk(b.text, &node{parent: at, index: i}, u.t.keys.named("text"))
	}
}

// walk looks up every leaf of a JSON text.
func (u *uses) walk(raw string, at *node, name *keyInfo) {
	if raw == "" {
		return
	}
	w := walker{keys: &u.t.keys, leaf: u.leaf}
	w.walk(raw, at, name)
}

func (u *uses) leaf(l *leaf) {
	if u.n++; u.n > MaxUses || l.cut {
		u.t.leftOut++
		return
	}
	l.settle()
	v := used{leaf: *l, key: l.key, tool: u.tool}
	v.token = v.appendToken(nil)
	if v.key == nil {
		v.key = u.t.keys.named("")
	}
	v.common = common(v.token)
	v.entity = u.entityOf(&v)
	use := &Use{Seq: u.frame.Seq, Index: u.message.Index, CallSeq: u.pending.call.Seq, CallIndex: u.pending.call.Index,
		Tool: u.tool, Path: l.path()}
	use.JSON, use.Cut = beginning(l.raw)
	u.source(use, &v)
	u.t.Use(use)
	if u.given != "" {
		u.t.told.keep(telling{text: bounded(l.raw), ground: u.given, key: v.key.norm, seq: u.frame.Seq})
	}
}

// source finds the first source that holds.
func (u *uses) source(use *Use, v *used) {
	literal := u.schema.literal(v, &u.work)
	if literal == GroundEnum || literal == GroundConst {
		use.Source, use.Ground = SourceLiteral, literal
		return
	}
	if k, b := u.harvested(v); b != nil {
		use.Source = SourceHarvested
		u.link(use, v, k, b)
		return
	}
	if k, b := u.derived(v); b != nil {
		use.Source = SourceDerived
		u.link(use, v, k, b)
		return
	}
	first, _ := u.t.invented.get(v.token)
	switch told := u.t.told.find(v, first); {
	case literal != "":
		use.Source, use.Ground = SourceLiteral, literal
	case told != "":
		use.Source, use.Ground = SourceTold, told
	case u.given != "":
		use.Source, use.Ground = SourceTold, u.given
	default:
		u.invented(use, v)
	}
}

func (u *uses) invented(use *Use, v *used) {
	use.Source = SourceSynthesized
	u.t.Unsourced++
	if u.t.told.budget <= 0 || u.work <= 0 {
		u.t.leftOut++ // not looked for everywhere
	}
	switch _, seen := u.t.names.get(v.token[1:]); {
	case v.common && seen:
		use.Ground = GroundCommon
	case u.t.forgetful():
		use.Ground = GroundForgotten
	}
	if _, ok := u.t.invented.get(v.token); !ok {
		u.t.invented.put(string(v.token), u.frame.Seq)
	}
	u.suspect(v)
}

// suspect remembers an argument from nowhere: a result that says it again only echoes it.
func (u *uses) suspect(v *used) {
	if len(u.pending.invented) >= maxInvented {
		return
	}
	if u.pending.invented == nil {
		u.pending.invented = map[string]bool{}
	}
	u.pending.invented[string(v.token)] = true
}

// link points a use at a generation, which is given if it has not been.
func (u *uses) link(use *Use, v *used, k *known, b *birth) {
	if b.n == 0 {
		json := use.JSON
		if use.Source == SourceDerived {
			json = k.json()
		}
		u.t.give(b, json)
	}
	use.ValueN = b.n
	if use.Relation = u.relation(v, b); use.Source == SourceDerived && use.Relation == RelationOther {
		use.Relation = RelationUnknown // a part of it may be anything
	}
	use.ValueSeq, use.ValueIndex, use.ValuePath, use.ValueEntity = b.origin.seq, b.origin.index, b.spot.path(), b.entity
	if use.Relation == RelationUnknown && use.Source == SourceHarvested {
		u.identify(use, v, k)
	}
	use.Stale = u.t.writes.since(b.origin.seq, b.entity)
	if b.echo {
		use.Ground = GroundEcho
		u.suspect(v)
	}
}

// identify says what a value identifies where the generation at hand does not (assignee), and another one does (users[0].id).
func (u *uses) identify(use *Use, v *used, k *known) {
	for _, b := range k.births {
		if b.entity == "" || b.origin.seq >= use.Seq {
			continue
		}
		use.ValueEntity, use.Relation = b.entity, u.relation(v, b)
	}
}

// harvested finds the value itself. A common one counts under a matching key only.
func (u *uses) harvested(v *used) (*known, *birth) {
	k := u.matching(v.token, v)
	return k, u.best(k, v)
}

// matching finds a token among the values; one that is common under the argument's key or entity.
func (u *uses) matching(token []byte, v *used) *known {
	if !common(token) {
		k, _ := u.t.values.get(token)
		return k
	}
	k, ok := u.t.values.get(appendUnder(nil, v.key.norm, token))
	if !ok && v.entity != "" {
		k, _ = u.t.values.get(appendUnder(nil, v.entity, token))
	}
	return k
}

// best is the latest birth, of the entity that the argument asks for if there is one.
func (u *uses) best(k *known, v *used) (best *birth) {
	if k == nil {
		return nil
	}
	var rank [3]int64
	for _, b := range k.births {
		r := [3]int64{0, b.origin.seq, 0}
		if u.relation(v, b) == RelationSame {
			r[0] = 1
		}
		if b.key != nil && b.key.norm == v.key.norm {
			r[2] = 1
		}
		if best == nil || slices.Compare(r[:], rank[:]) >= 0 {
			best, rank = b, r
		}
	}
	return best
}

// relation compares what an argument asks for with what a value identifies. Where neither key names an entity but
// they are the same, the value is the same attribute, if it may be one of the same entity: status of an issue.
func (u *uses) relation(v *used, b *birth) Relation {
	r := relate(v.entity, b.entity)
	if r == RelationUnknown && b.key != nil && !b.key.plain && b.key.norm == v.key.norm && relate(u.noun, b.owner()) != RelationOther {
		return RelationSame
	}
	return r
}

// entityOf is what an argument asks for. An object that it stands in counts where the session knows such an entity.
func (u *uses) entityOf(v *used) string {
	inside := v.inside
	if inside != nobody && !u.t.nouns[inside] {
		inside = ""
	}
	return u.t.entity(v.key, inside, u.noun)
}
