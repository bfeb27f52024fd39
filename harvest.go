package reprise

import (
	"strings"

	"github.com/tidwall/gjson"
)

// WholeResult is the size, in bytes, up to which every leaf of a result is harvested, and the words of
// those that are texts. Of longer ones only what identifies something is, by its key or by its shape: Call.Partial says so.
const WholeResult = 256 << 10

// MaxHarvest is how many new values one result can give. Those behind are counted: Tracer.LeftOut.
const MaxHarvest = 10_000

// longLeaf is the longest string that becomes a Value when it is born. Longer ones are remembered by their hash, and become
// one when they are used.
const longLeaf = 1 << 10

// harvest goes through one result.
type harvest struct {
	*Tracer
	origin    *origin
	partial   bool
	completes string // the argument that completion/complete asked for
	left      int    // new values that this result may still give
	// typed are the leaves of the object at hand that only its "type" can give an entity.
	typed []leaf
	kind  string // the object's "type" or "kind"
}

// result harvests a successful result by its method.
func (h *harvest) result(method, raw string, r *resultMembers) {
	switch method {
	case "tools/call":
		h.toolResult(r)
	case "resources/read", "prompts/get":
		h.blocks(r.content, r.contentKey, true)
	case "completion/complete":
		completion, _ := lookUp(raw, "completion")
		values, _ := lookUp(completion.Raw, "values")
		at := &node{key: "completion", index: -1}
		h.json(values.Raw, &node{parent: at, key: "values", index: -1}, h.keys.named(h.completes))
	case "resources/list", "resources/templates/list", "tasks/list":
		h.json(raw, nil, nil)
	case "tasks/get", "tasks/cancel", "tasks/update":
		h.task(r)
	case "tools/list", "prompts/list":
		h.member(nil, "nextCursor", r.cursor)
	}
}

// toolResult harvests structuredContent first: the text beside it is most often a copy, whose births
// are the same generation. The JSON in the only text is the root of its paths, unless there is structured content.
func (h *harvest) toolResult(r *resultMembers) {
	structured := r.structured != "" && r.structured != "null"
	if structured {
		h.json(r.structured, nil, nil)
	}
	h.blocks(r.content, r.contentKey, !structured)
	h.task(r)
}

// task harvests the task's id, wherever it stands.
func (h *harvest) task(r *resultMembers) {
	h.member(&node{key: "task", index: -1}, "taskId", r.inner)
	h.member(nil, "taskId", r.task)
}

// member harvests one member of an object by its name, if it is there.
func (h *harvest) member(at *node, name, value string) {
	if value != "" && value[0] == '"' {
		h.found(&leaf{spot: spot{at: at, key: h.keys.named(name), index: -1}, raw: value})
	}
}

// blocks harvests content blocks, the contents of a resource, or a prompt's messages. The JSON in an only text is the
// root of its paths where that may be.
func (h *harvest) blocks(list []block, name string, mayBeRoot bool) {
	at := &node{key: name, index: -1}
	texts := 0
	for i := range list {
		texts += list[i].texts()
	}
	for i := range list {
		n := &node{parent: at, index: i}
		if name == "messages" {
			n = &node{parent: n, key: "content", index: -1}
		}
		h.block(&list[i], n, mayBeRoot && texts == 1 && name != "messages")
	}
}

func (h *harvest) block(b *block, at *node, only bool) {
	if b.text != "" {
		h.text(b.text, &leaf{spot: spot{at: at, key: h.keys.named("text"), index: -1}}, only)
	}
	inside := &node{parent: at.parent, key: at.key, index: at.index, inside: "resource"}
	h.json(b.uri, inside, h.keys.named("uri"))
	h.json(b.name, inside, h.keys.named("name"))
	if b.resource != nil {
		h.block(b.resource, &node{parent: at, key: "resource", index: -1}, only)
	}
}

// text harvests a text block: as JSON where it is that, else as text.
func (h *harvest) text(raw string, at *leaf, only bool) {
	text := unquote(raw)
	if trimmed := strings.TrimSpace(text); isJSON(trimmed) {
		var root *node
		if !only {
			root = at.node("")
		}
		h.json(trimmed, root, nil)
		return
	}
	at.raw = raw
	h.tokens(at, text, true)
	h.whole(at, text)
}

// isJSON says whether a text is an object or array, not nested too deep for a reader that recurses.
func isJSON(text string) bool {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	deep := strings.Count(text, "[")+strings.Count(text, "{") > MaxDepth && depthOf(bytesOf(text)) > MaxDepth
	return !deep && gjson.Valid(text)
}

// json harvests every leaf of a JSON text.
func (h *harvest) json(raw string, at *node, name *keyInfo) {
	if raw == "" {
		return
	}
	w := walker{keys: &h.keys, leaf: h.leaf, shaped: h.keyed, close: h.ended}
	w.walk(raw, at, name)
	h.ended()
}

func (h *harvest) leaf(l *leaf) {
	named := l.key != nil && l.key.identifies
	switch {
	case h.left == 0:
		h.LeftOut++
	case l.cut:
		h.tokens(l, strings.TrimPrefix(l.raw, `"`), true)
	case l.raw[0] == '"':
		h.stringLeaf(l, named)
	case h.partial && !named:
		h.LeftOut++
	default:
		h.found(l)
	}
}

func (h *harvest) stringLeaf(l *leaf, named bool) {
	text := unquote(l.raw)
	l.text = text
	if l.key != nil && len(text) <= 32 && (l.key.norm == "type" || l.key.norm == "kind") {
		h.kind = text
	}
	switch {
	case named || !h.partial:
		h.found(l)
	case len(text) <= longText && shapeOf(text) != shapeNone:
		h.found(l)
		return
	default:
		h.LeftOut++
		return
	}
	if len(text) > 8 && strings.IndexByte(text, ' ') >= 0 {
		h.tokens(l, text, false)
	}
}

// keyed takes the id that is a member's name: {"ISS-1": "open"}.
func (h *harvest) keyed(l *leaf) {
	h.take(&finding{leaf: l, key: h.keys.named("id"), entity: h.insideOf(l.inside), text: l.key.name}, appendTextToken(h.token[:0], l.key.name))
}

// ended gives the leaves of an object that had to wait for its type.
func (h *harvest) ended() {
	for i := range h.typed {
		h.enter(&h.typed[i], entityOfType(h.kind))
	}
	h.typed, h.kind = h.typed[:0], ""
}

// entityOfType reads the value of a "type" member as an entity.
func entityOfType(kind string) string {
	words := splitWords(kind)
	if len(words) == 0 || len(words) > 3 {
		return ""
	}
	last := singular(words[len(words)-1])
	switch last {
	case "text", "object", "string", "array", "number", "boolean", "json", "image", "audio":
		return ""
	}
	if wrappers[last] || roles[last] {
		return ""
	}
	return strings.Clone(last)
}

// whole takes a short text as one value, and without the blanks around it.
func (h *harvest) whole(at *leaf, text string) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || len(text) > longLeaf {
		return
	}
	for _, one := range []string{text, trimmed} {
		h.token = appendTextToken(h.token[:0], one)
		if !common(h.token) && shapeOf(one) == shapeNone { // else it is among the words
			h.bear(h.known(&h.values, h.token), &finding{leaf: at, text: one, silent: true}, h.token)
		}
	}
}

// found takes a leaf under the entity that its surroundings say.
func (h *harvest) found(l *leaf) {
	entity, sure := h.entityOf(l)
	if !sure && len(h.typed) < 16 {
		h.typed = append(h.typed, *l.settle())
		return
	}
	h.enter(l, entity)
}

func (h *harvest) enter(l *leaf, entity string) {
	if l.text != "" {
		h.token = appendTextToken(h.token[:0], l.text)
	} else {
		h.token = appendToken(h.token[:0], l.raw)
	}
	h.take(&finding{leaf: l, key: l.key, entity: entity, raw: l.raw, told: h.completes != ""}, h.token)
}

// entityOf infers what a leaf identifies: from its key, from its container, from what the call is about. It is
// not sure when only a "type" beside it can tell.
func (h *harvest) entityOf(l *leaf) (entity string, sure bool) {
	switch k := l.key; {
	case k == nil:
		return "", true
	case k.entity != "":
		return k.entity, true
	case k.plain:
		entity = h.insideOf(l.inside)
		return entity, entity != "" || l.inside == nobody
	case k.bare != "" && h.isNoun(k):
		return k.bare, true
	}
	return "", true
}

// insideOf is the entity that the members of a container belong to.
func (h *harvest) insideOf(inside string) string {
	switch inside {
	case "":
		return h.origin.noun
	case nobody:
		return ""
	}
	return inside
}

// finding is a value at its place.
type finding struct {
	leaf      *leaf // its place
	key       *keyInfo
	entity    string
	raw, text string // the token, or else the text that it would spell
	told      bool   // it is one of the values that were asked for
	silent    bool   // it is given when it is used only
}

func (f *finding) json() string {
	if f.raw != "" {
		return f.raw
	}
	return string(appendString(nil, f.text))
}

func (f *finding) names() bool {
	return f.entity != "" && f.key != nil && (f.key.identifies || f.key.bare != "")
}

// tells says whether a value is given at its birth: when it identifies something, by its key or by its shape. The others
// would be as much as the results themselves, and are given when they are used.
func (f *finding) tells(token []byte) bool {
	switch {
	case f.silent || len(f.raw) > longLeaf:
		return false
	case f.told || f.names():
		return true
	case common(token):
		return false
	case f.raw == "" || f.key != nil && f.key.identifies:
		return true // a word was found by its shape
	}
	return token[0] == 's' && shapeOf(view(token[1:])) != shapeNone
}

// take remembers a finding. What is too common to mean anything is remembered under its key, and under
// the entity that it identifies.
func (h *harvest) take(f *finding, token []byte) {
	if !common(token) {
		h.bear(h.known(&h.values, token), f, token)
		return
	}
	if f.key == nil {
		return
	}
	n := len(token)
	k := h.known(&h.values, append(append(token, 0), f.key.norm...))
	if k == nil {
		return
	}
	if len(k.births) == 0 && n > 2 && (f.key.identifies || token[0] == 's') {
		h.names.put(string(token[1:n]), k)
	}
	b := h.bear(k, f, token[:n])
	if f.names() && f.entity != f.key.norm {
		if k := h.known(&h.values, append(append(token[:n], 0), f.entity...)); k != nil {
			*k.slot(b.key, b.entity) = b
		}
	}
}

// cut remembers a part of a text: it is no value itself, and an argument may be cut out of the text there.
func (h *harvest) cut(f *finding) {
	h.token = appendTextToken(h.token[:0], f.text)
	isCommon := common(h.token)
	if isCommon {
		h.token = append(h.token, 0) // found as a part of something longer only
	}
	k := h.known(&h.cuts, h.token)
	if isCommon && k != nil && len(k.births) == 0 && len(f.text) > 2 {
		h.names.put(strings.Clone(f.text), k)
	}
	f.silent = true
	h.bear(k, f, h.token)
}

// known finds what is remembered under a key, or begins to remember. It is nil when the result has given enough.
func (h *harvest) known(in *memory[*known], key []byte) *known {
	if h.left == 0 {
		h.LeftOut++
		return nil
	}
	k, ok := in.get(key)
	if !ok {
		h.left--
		k = &known{}
		in.put(h.remember(k, key), k)
	}
	return k
}

// bear notes a generation of a value, and gives it if it is to be given at its first.
func (h *harvest) bear(k *known, f *finding, token []byte) *birth {
	if k == nil {
		return nil
	}
	slot := k.slot(f.key, f.entity)
	fresh := *slot == nil
	if fresh {
		*slot = &birth{}
	}
	b := *slot
	if b.origin == h.origin {
		return b // the first of a result counts
	}
	*b = birth{origin: h.origin, key: f.key, entity: f.entity, spot: f.leaf.settle().spot, echo: h.origin.invented[string(token)]}
	if fresh && f.tells(token) {
		h.give(b, f.json())
	}
	return b
}
