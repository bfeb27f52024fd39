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
	t         *Tracer
	origin    *origin
	partial   bool
	completes string  // the argument that completion/complete asked for
	left      int     // new values that this result may still give
	within    *leaf   // the text that what is read stands in
	under     []byte  // scratch
	objects   []scope // objects that have not ended
}

// scope is an object whose leaves are read.
type scope struct {
	typed []leaf // that only its "type" can give an entity
	kind  string // its "type" or "kind"
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
		h.json(values.Raw, &node{parent: at, key: "values", index: -1}, h.t.keys.named(h.completes))
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
		h.found(&leaf{spot: spot{at: at, key: h.t.keys.named(name), index: -1}, raw: value})
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
		h.text(b.text, &leaf{spot: spot{at: at, key: h.t.keys.named("text"), index: -1}}, only)
	}
	inside := &node{parent: at.parent, key: at.key, index: at.index, inside: "resource"}
	h.json(b.uri, inside, h.t.keys.named("uri"))
	h.json(b.name, inside, h.t.keys.named("name"))
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
	h.embedded(at, text)
	h.tokens(at, text, true)
	h.whole(at, text)
}

// maxEmbedded is how many pieces of JSON are looked for in one text.
const maxEmbedded = 64

// embedded harvests JSON that stands in a text, as behind "Results:". Its values are in the text, wherever there.
func (h *harvest) embedded(at *leaf, text string) {
	h.within = at
	for n := 0; n < maxEmbedded; n++ {
		i := firstOf(text, `{"`, `[{`, `["`)
		if i < 0 {
			break
		}
		var s scanner
		end := i + s.feed(bytesOf(text[i:]), true)
		if piece := text[i:end]; s.closed && isJSON(piece) {
			h.json(piece, nil, nil)
		}
		text = text[end:]
	}
	h.within = nil
}

// firstOf is the first place of one of several words in a text, or -1.
func firstOf(text string, words ...string) int {
	first := -1
	for _, word := range words {
		if i := strings.Index(text, word); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
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
	w := walker{keys: &h.t.keys, leaf: h.leaf, shaped: h.keyed, open: h.begin, close: h.end}
	h.begin()
	w.walk(raw, at, name)
	for len(h.objects) > 0 { // more than one where the text is cut short
		h.end()
	}
}

// deepest is how deep a leaf may stand in a result. Its whole way is remembered.
const deepest = 64

func (h *harvest) leaf(l *leaf) {
	named := l.key != nil && l.key.identifies
	switch {
	case h.left == 0 || l.walker != nil && len(l.walker.stack) > deepest:
		h.t.leftOut++
	case l.cut:
		h.tokens(l, strings.TrimPrefix(l.raw, `"`), true)
	case l.raw[0] == '"':
		h.stringLeaf(l, named)
	case h.partial && !named:
		h.t.leftOut++
	default:
		h.found(l)
	}
}

func (h *harvest) stringLeaf(l *leaf, named bool) {
	text := unquote(l.raw)
	l.text = text
	if l.key != nil && len(text) <= 32 && (l.key.norm == "type" || l.key.norm == "kind") {
		h.objects[len(h.objects)-1].kind = text
	}
	switch {
	case named || !h.partial:
		h.found(l)
	case len(text) <= longText && shapeOf(text) != shapeNone:
		h.found(l)
		return
	default:
		h.t.leftOut++
		return
	}
	if len(text) > 8 && strings.IndexByte(text, ' ') >= 0 {
		h.tokens(l, text, false)
	}
}

// keyed takes the id that is a member's name: {"ISS-1": "open"}.
func (h *harvest) keyed(l *leaf) {
	h.takeText(&finding{leaf: l, key: h.t.keys.named("id"), entity: holder(l.inside, h.origin.noun), text: l.key.name})
}

func (h *harvest) begin() { h.objects = append(h.objects, scope{}) }

// end gives the leaves of an object that had to wait for its type.
func (h *harvest) end() {
	last := len(h.objects) - 1
	o := h.objects[last]
	h.objects = h.objects[:last]
	for i := range o.typed {
		h.enter(&o.typed[i], entityOfType(o.kind))
	}
}

// entityOfType reads the value of a "type" member as an entity.
func entityOfType(kind string) string {
	words := splitWords(kind)
	if len(words) == 0 || len(words) > 3 {
		return ""
	}
	switch entity := insideOf(words); entity {
	case nobody, "text", "object", "string", "array", "number", "boolean", "json", "image", "audio":
		return ""
	default:
		return strings.Clone(entity)
	}
}

// whole takes a short text as one value, as it is and without the blanks around it.
func (h *harvest) whole(at *leaf, text string) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || len(text) > longLeaf || shapeOf(trimmed) != shapeNone { // then it is among the words
		return
	}
	h.takeText(&finding{leaf: at, text: trimmed, silent: true})
	if text != trimmed {
		h.takeText(&finding{leaf: at, text: text, silent: true})
	}
}

// maxTyped is how many leaves of one object wait for its type.
const maxTyped = 16

// found takes a leaf under the entity that its surroundings say.
func (h *harvest) found(l *leaf) {
	entity := h.t.entity(l.key, l.inside, h.origin.noun)
	unsure := entity == "" && l.key != nil && l.key.plain && l.inside != nobody
	if n := len(h.objects); unsure && n > 0 && len(h.objects[n-1].typed) < maxTyped {
		h.objects[n-1].typed = append(h.objects[n-1].typed, *l.settle())
		return
	}
	h.enter(l, entity)
}

func (h *harvest) enter(l *leaf, entity string) {
	h.t.token = l.appendToken(h.t.token[:0])
	at := l
	if h.within != nil {
		at = h.within
	}
	h.take(&finding{leaf: at, key: l.key, entity: entity, raw: l.raw, wanted: h.completes != ""}, h.t.token)
}

// finding is a value at its place.
type finding struct {
	leaf      *leaf // its place
	key       *keyInfo
	entity    string
	raw, text string // the token, or else the text that it would spell
	wanted    bool   // it is one of the values that the call asked for
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
	case f.wanted || f.names():
		return true
	case common(token):
		return false
	case f.raw == "" || f.key != nil && f.key.identifies:
		return true // a word was found by its shape
	}
	return token[0] == 's' && shapeOf(view(token[1:])) != shapeNone
}

func (h *harvest) takeText(f *finding) {
	h.t.token = appendTextToken(h.t.token[:0], f.text)
	h.take(f, h.t.token)
}

// take remembers a finding. What is too common to mean anything is remembered under its key, and under
// the entity that it identifies.
func (h *harvest) take(f *finding, token []byte) {
	if !common(token) {
		h.bear(h.known(&h.t.values, token, f, token), f, token)
		return
	}
	if f.key == nil {
		return
	}
	h.under = appendUnder(h.under[:0], f.key.norm, token)
	k := h.known(&h.t.values, h.under, f, token)
	if k == nil {
		return
	}
	if len(k.births) == 0 && len(token) > 2 && (f.key.identifies || token[0] == 's') {
		h.t.names.put(string(token[1:]), k)
	}
	b := h.bear(k, f, token)
	if f.names() && f.entity != f.key.norm {
		h.under = appendUnder(h.under[:0], f.entity, token)
		if k := h.known(&h.t.values, h.under, f, token); k != nil {
			k.add(b)
		}
	}
}

// part remembers a word of a text: it is no value itself, and an argument may be cut out of the text there. A common one
// counts in something longer only.
func (h *harvest) part(f *finding) {
	f.silent = true
	h.t.token = appendTextToken(h.t.token[:0], f.text)
	switch {
	case !common(h.t.token):
		h.bear(h.known(&h.t.words, h.t.token, f, h.t.token), f, h.t.token)
	case len(f.text) > 2:
		h.bear(h.known(&h.t.names, h.t.token[1:], f, h.t.token), f, h.t.token)
	}
}

// known finds what is remembered under a key, or begins to remember. It is nil when the result has given enough.
func (h *harvest) known(in *memory[*known], key []byte, f *finding, token []byte) *known {
	if h.left == 0 {
		h.t.leftOut++
		return nil
	}
	k, ok := in.get(key)
	if !ok {
		h.left--
		k = &known{}
		kept := string(key)
		in.put(kept, k)
		spelled := kept
		switch {
		case len(kept) > len(token): // under a name
			spelled = kept[len(kept)-len(token):]
		case len(kept) < len(token): // among the names
			spelled = string(token)
		}
		h.t.spell(k, spelled, f)
	}
	return k
}

// bear notes a generation of a value, and gives it if it is to be given at its first.
func (h *harvest) bear(k *known, f *finding, token []byte) *birth {
	if k == nil {
		return nil
	}
	b := k.birth(f.key, f.entity)
	if b != nil && b.origin == h.origin {
		return b // the first of a result counts
	}
	fresh := b == nil
	if fresh {
		b = &birth{key: f.key, entity: f.entity}
	}
	b.origin, b.spot, b.echo, b.n = h.origin, f.leaf.settle().spot, h.origin.invented[string(token)], 0
	if fresh {
		if k.add(b); f.tells(token) {
			h.t.give(b, f.json())
		}
	}
	return b
}
