package reprise

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Bindings maps what a capture's identifiers are today: recorded ↔ live. An identifier is a value that the capture
// shows being used after a result had generated it. It is bound once, and stays what it was bound to.
//
// A distinctive one (ISS-7, a UUID) is bound at its first occurrence, wherever that is, and counts wherever it occurs,
// within texts too. A common one (7, open) is bound only where provenance says that the value was generated, and apart
// for each entity: the issue 7 is not the project 7. It counts where names or words say that it names something.
//
// It is fed the whole of a recorded capture first (Learn), then one recorded result after the other with the live one
// (Result). It is not for several goroutines at once.
type Bindings struct {
	ids    map[string]*identifier // by their texts
	index  index                  // of ids
	places map[callRef][]valuePlace
	texts  map[int64]string // of the values, by their numbers
	born   map[string]int64 // the seq of the first of each text
	values index            // of the distinctive ones, which others are composed of
	live   map[tied]string  // back: what was recorded for it
	moved  bool             // some identifier is another one today
}

// tied is a text and the entity that it is bound for: "" of distinctive ones.
type tied struct{ entity, text string }

// valuePlace is where a value was generated.
type valuePlace struct{ path, text, entity string }

// identifier is a value that the capture shows being used.
type identifier struct {
	text     string
	common   bool
	shown    bool              // provenance traces it to a result
	guess    int64             // the seq of the use that is from nowhere, if there is one: what was said before may be where it is from
	hints    map[string]bool   // what such uses ask for
	entities map[string]bool   // of the values that are used; "" is an unknown one
	asked    map[tied]bool     // what uses ask for instead of the value's entity
	live     map[string]string // what it is today, by entity; under "" of a distinctive one
	parts    []string          // that uses have cut out of it
	contexts map[string]bool   // of a common one: words that it was bound behind in texts
}

// NewBindings makes bindings that know nothing yet.
func NewBindings() *Bindings {
	return &Bindings{ids: map[string]*identifier{}, places: map[callRef][]valuePlace{},
		texts: map[int64]string{}, born: map[string]int64{}, live: map[tied]string{}}
}

// Learn takes a value or a use of the recorded capture as the Deriver gives them; the other one is nil.
func (b *Bindings) Learn(v *Value, u *Use) {
	if v != nil {
		b.learnValue(v)
	}
	switch {
	case u == nil || u.Cut:
	case u.linked():
		b.learnUse(u)
	case u.Source == SourceSynthesized && u.Identifies():
		b.guess(u)
	}
}

// linked says whether a use shows a value of the server's at work. What a result only repeats is the client's own.
func (u *Use) linked() bool {
	return (u.Source == SourceHarvested || u.Source == SourceDerived) && u.Ground != GroundEcho
}

func (b *Bindings) learnValue(v *Value) {
	text, ok := scalarText(v.JSON)
	if !ok || text == "" || len(v.JSON) >= LeafSize {
		return
	}
	b.texts[v.N] = text
	b.bear(text, v.Seq)
	if !commonJSON(v.JSON) {
		b.values.add(text)
	}
	ref := callRef{seq: v.Seq, index: v.Index}
	b.places[ref] = append(b.places[ref], valuePlace{v.Path, text, v.Entity})
}

func (b *Bindings) learnUse(u *Use) {
	text, ok := scalarText(u.JSON)
	if !ok || text == "" {
		return
	}
	whole := text
	if u.Source == SourceDerived && b.texts[u.ValueN] != "" {
		whole = b.texts[u.ValueN]
	}
	switch {
	case whole == text:
		b.identify(text, u)
	case isPartOf(text, whole):
		b.identify(text, u)
		if id := b.identify(whole, u); id != nil && !slices.Contains(id.parts, text) {
			id.parts = append(id.parts, text)
		}
	default: // composed
		b.identify(whole, u)
		for _, o := range b.values.find(text) {
			b.identify(text[o.from:o.to], u)
		}
	}
}

// identify makes an identifier of a text that a use shows. It gives nil for a common word whose use does not say that it
// names anything: the status of one issue that is set on another is compared as all else.
func (b *Bindings) identify(text string, u *Use) *identifier {
	id := b.ids[text]
	if id == nil {
		id = newIdentifier(text)
		if id.common && !isNumeric(text) && u.ValueEntity == "" && !readKey(lastKey(u.Path)).identifies {
			return nil
		}
		b.ids[text] = id
		b.index.add(text)
	}
	id.shown, id.entities[u.ValueEntity] = true, true
	if asks := u.asks(); asks != u.ValueEntity {
		id.asked[tied{u.ValueEntity, asks}] = true
	}
	b.bear(id.text, u.ValueSeq)
	return id
}

func newIdentifier(text string) *identifier {
	common := commonText(text) || isNumeric(text) && commonJSON(text)
	return &identifier{text: text, common: common, entities: map[string]bool{}, asked: map[tied]bool{}, live: map[string]string{}}
}

// isNumeric says whether a text is a number as it is spelled here.
func isNumeric(text string) bool {
	return CanonicalNumber(text) == text && gjson.Valid(text) && classOf[text[len(text)-1]]&isDigit != 0
}

// longGuess is how long an identifier is that is looked for in texts before provenance knows it.
const longGuess = 256

// guess makes an identifier of an argument that provenance knows nothing of: where a text before shows it, it is what stands
// there today. "Created issue 4372" has no form that says so before the 4372 is used.
func (b *Bindings) guess(u *Use) {
	text, ok := scalarText(u.JSON)
	if !ok || text == "" || len(text) > longGuess || strings.ContainsAny(text, " \n") {
		return
	}
	id := b.ids[text]
	if id == nil {
		id = newIdentifier(text)
		b.ids[text] = id
		b.index.add(text)
	}
	if id.guess == 0 {
		id.guess, id.hints = u.Seq, map[string]bool{}
	}
	if asks := u.asks(); asks != "" {
		id.hints[asks] = true
	}
}

// bear notes that a result shows a text.
func (b *Bindings) bear(text string, seq int64) {
	if first, ok := b.born[text]; !ok || seq < first {
		b.born[text] = seq
	}
}

// identifier is the one with a text, if there is one.
func (b *Bindings) identifier(text string) *identifier {
	if b == nil {
		return nil
	}
	return b.ids[text]
}

func commonJSON(raw string) bool { return common(appendToken(nil, raw)) }

// entityFor is the entity that a value of this one is bound for. ok is false where no use asks for it.
func (id *identifier) entityFor(entity string) (string, bool) {
	switch {
	case !id.common, id.entities[entity], id.entities[""]:
		if !id.common || !id.entities[entity] {
			entity = ""
		}
		return entity, true
	case entity == "" && len(id.entities) == 1:
		for only := range id.entities {
			return only, true
		}
	}
	return "", false
}

// bind notes what an identifier is today, if nothing contradicts: it is not bound to anything else, and nothing else to
// that.
func (b *Bindings) bind(id *identifier, entity, live string) bool {
	if old, ok := id.live[entity]; ok {
		return old == live
	}
	scope := entity
	if !id.common {
		scope = "\x00"
	}
	if other, taken := b.live[tied{scope, live}]; taken && other != id.text {
		return false
	}
	id.live[entity], b.live[tied{scope, live}] = live, id.text
	b.moved = b.moved || live != id.text
	for _, part := range id.parts {
		if cut, ok := cutLike(id.text, part, live); ok && b.ids[part] != nil {
			b.bind(b.ids[part], "", cut)
		}
	}
	b.bindWithin(id.text, live)
	return true
}

// bindWithin binds the identifiers that another one is put together of: the GARDEN-17 of "ticket GARDEN-17".
func (b *Bindings) bindWithin(text, live string) {
	parts := slices.DeleteFunc(b.index.within(text), func(o occurrence) bool { return b.ids[text[o.from:o.to]].common })
	found, whole := alignText(text, live, parts)
	if !whole {
		return
	}
	for i, o := range parts {
		b.bind(b.ids[text[o.from:o.to]], "", found[i])
	}
}

func (id *identifier) isBound() bool { return len(id.live) > 0 }

// spread puts the parts of those that do not count into their places.
func (b *Bindings) spread(text string, places []occurrence, counts func(*identifier) bool) (all []occurrence) {
	for _, o := range b.known(text, places) {
		word := text[o.from:o.to]
		if o.wild || counts(b.ids[word]) {
			all = append(all, o)
			continue
		}
		for _, part := range b.spread(word, b.index.within(word), counts) {
			all = append(all, occurrence{from: o.from + part.from, to: o.from + part.to, wild: part.wild})
		}
	}
	return all
}

// Translate replaces every bound identifier in a recorded text by what it is today, the longest first, where it is a
// word or several: ISS-7 is no part of ISS-77. Common ones are left.
func (b *Bindings) Translate(text string) string {
	if b == nil || !b.moved {
		return text
	}
	return b.replace(text, b.bound(text), func(id *identifier, _ occurrence) (string, bool) {
		live, ok := id.live[""]
		return live, ok && !id.common
	})
}

// Name is what a member's name is today: a common identifier, too, that is more than a word.
func (b *Bindings) Name(recorded string) string {
	if b == nil || !b.moved {
		return recorded
	}
	if id := b.ids[recorded]; id != nil && id.common && (id.isNumber() || id.isSlug()) && len(id.live) == 1 {
		return b.today(recorded)
	}
	return b.Translate(recorded)
}

func (b *Bindings) replace(text string, places []occurrence, with func(*identifier, occurrence) (string, bool)) string {
	var out strings.Builder
	at := 0
	for _, o := range places {
		if live, ok := with(b.ids[text[o.from:o.to]], o); ok {
			out.WriteString(text[at:o.from])
			out.WriteString(live)
			at = o.to
		}
	}
	if at == 0 {
		return text
	}
	out.WriteString(text[at:])
	return out.String()
}

// occurrences finds the identifiers in a text, and the placeholders of secrets: each stands for one value, too.
func (b *Bindings) occurrences(text string) []occurrence {
	return b.known(text, b.index.find(text))
}

// bound are the occurrences in a text of what is bound, if only as a part of what is not.
func (b *Bindings) bound(text string) []occurrence {
	return b.spread(text, b.index.find(text), (*identifier).isBound)
}

// known adds the placeholders of a text to what was found in it.
func (b *Bindings) known(text string, found []occurrence) []occurrence {
	if !strings.Contains(text, PlaceholderStart) {
		return found
	}
	var all []occurrence
	for _, s := range placeholders(text) {
		for len(found) > 0 && found[0].from < s.from {
			if found[0].to <= s.from {
				all = append(all, found[0])
			}
			found = found[1:]
		}
		for len(found) > 0 && found[0].from < s.to {
			found = found[1:]
		}
		b.placeholder(text[s.from:s.to])
		all = append(all, occurrence{s.from, s.to, true})
	}
	return append(all, found...)
}

// placeholder is the identifier that a masked secret is.
func (b *Bindings) placeholder(name string) *identifier {
	if b.ids[name] == nil {
		name = strings.Clone(name)
		b.ids[name] = &identifier{text: name, shown: true, entities: map[string]bool{"": true}, live: map[string]string{}}
	}
	return b.ids[name]
}
