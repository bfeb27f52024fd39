package reprise

import "github.com/tidwall/gjson"

// today is what a text is in the live value: a common one too, where it can be one only.
func (b *Bindings) today(text string) string {
	if b == nil {
		return text
	}
	if id := b.ids[text]; id != nil && len(id.live) == 1 {
		for _, live := range id.live {
			return live
		}
	}
	return b.Translate(text)
}

// Live is today's JSON for the argument of a recorded use: the whole value, or put together, cut out and retyped as the
// recorded one was. bound is false when it came from a value that has no live counterpart yet, or is cut.
func (b *Bindings) Live(u *Use) (json string, bound bool) {
	if u.Cut {
		return u.JSON, false
	}
	text, ok := scalarText(u.JSON)
	switch {
	case !ok || u.Source == SourceLiteral:
		return u.JSON, true
	case u.linked():
		id := b.ids[text]
		if id != nil {
			if live, ok := id.liveFor(u.ValueEntity); ok || u.Source != SourceDerived {
				return retype(u.JSON, text, live, ok)
			}
		}
		if u.Source == SourceDerived { // a text that a later result shows may have been put together before
			live, ok := b.compose(text, id != nil, u.Seq)
			return retype(u.JSON, text, live, ok)
		}
	case u.Source == SourceSynthesized && b.ids[text] != nil && u.Identifies():
		if live, ok := b.ids[text].liveAt(u.asks()); ok {
			return retype(u.JSON, text, live, true)
		}
	case u.JSON[0] == '"':
		return retype(u.JSON, text, b.argument(text), true)
	}
	return u.JSON, true
}

// argument puts today's identifiers into the text of an argument.
func (b *Bindings) argument(text string) string {
	if !b.moved {
		return text
	}
	return b.replace(text, b.bound(text), func(id *identifier, o occurrence) (string, bool) {
		if id.common {
			return id.inArgument(text, o)
		}
		live, ok := id.live[""]
		return live, ok
	})
}

func retype(recorded, text, live string, bound bool) (string, bool) {
	switch {
	case !bound || live == text:
		return recorded, bound
	case recorded[0] != '"' && gjson.Valid(live):
		return live, true
	}
	return string(appendString(nil, live)), true
}

// liveFor is what the identifier is today for a use that asks for an entity, or for any. One that hardly means two things
// may have been bound for another.
func (id *identifier) liveFor(entity string) (string, bool) {
	if !id.common {
		entity = ""
	}
	live, ok := id.liveAt(entity)
	if !ok && len(id.live) == 1 && (entity == "" || id.isRare()) {
		for _, live := range id.live {
			return live, true
		}
	}
	return live, ok
}

// liveAt is what it is today for an entity, or for an unknown one.
func (id *identifier) liveAt(entity string) (string, bool) {
	live, ok := id.live[entity]
	if !ok {
		live, ok = id.live[""]
	}
	return live, ok
}

// compose puts a composed text together of what its parts are today. All that were known when it was used have to be bound,
// and of a text that is an identifier itself there has to be one.
func (b *Bindings) compose(text string, whole bool, seq int64) (string, bool) {
	all, some := true, !whole
	places := b.spread(text, b.index.within(text), func(id *identifier) bool {
		return id.isBound() || !id.common && b.born[id.text] < seq
	})
	live := b.replace(text, places, func(id *identifier, o occurrence) (string, bool) {
		if id.common {
			return id.inArgument(text, o)
		}
		live, ok := id.live[""]
		all, some = all && ok, true
		return live, ok
	})
	return live, all && some
}
