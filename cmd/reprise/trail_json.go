package main

import (
	"strings"

	"reprise"
)

// row is the whole trail as one object.
func (t *trail) row() *object {
	o := newObject()
	o.set("session", t.session.ID)
	o.objects("values", len(t.values), func(i int) *object { return birthRow(t.values[i]) })
	o.objects("uses", len(t.uses), func(i int) *object { return t.useRow(t.uses[i]) })
	o.object("left_out", t.leftOutRow())
	return o
}

// birthRow is a value and where it stands.
func birthRow(v *reprise.Value) *object {
	o := newObject()
	o.text("key", v.Key)
	o.text("entity", v.Entity)
	o.leaf("value", v.JSON)
	o.text("from", v.From)
	o.set("path", v.Path)
	o.set("seq", v.Seq)
	o.set("call_seq", v.CallSeq)
	o.set("echo", v.Echo)
	o.set("n", v.N)
	return o
}

// useRow is an argument with all that is known of it.
func (t *trail) useRow(u *reprise.Use) *object {
	o := newObject()
	o.set("seq", u.Seq)
	o.set("tool", u.Tool)
	o.argument(u)
	from := ""
	if born := t.births[u.ValueN]; born != nil {
		from = born.From
	}
	o.text("value_from", from)
	o.set("call_seq", u.CallSeq)
	return o
}

// argument writes what is known of an argument: of its entity and its birth nothing where it has none.
func (o *object) argument(u *reprise.Use) {
	o.set("path", u.Path)
	o.leaf("value", u.JSON)
	o.text("source", string(u.Source))
	born := u
	if u.ValueSeq == 0 {
		born = &reprise.Use{}
	}
	o.text("entity", string(born.Relation))
	o.text("value_entity", born.ValueEntity)
	o.set("stale", born.Stale)
	o.number("value_seq", born.ValueSeq)
	o.text("value_path", born.ValuePath)
	o.number("value_n", born.ValueN)
	o.text("ground", string(u.Ground))
	o.set("cut", u.Cut)
}

// leaf writes a JSON value as it crossed, but for what is not UTF-8 in it.
func (o *object) leaf(name, json string) {
	o.verbatim(name, []byte(strings.ToValidUTF8(json, "\ufffd")))
}

// leftOutRow says what the trail can't know: everything zero, false and empty when it is whole.
func (t *trail) leftOutRow() *object {
	o := newObject()
	s := t.session
	o.set("values", s.LeftOut)
	o.set("partial", append([]int64{}, t.partial...))
	o.set("gaps", s.Gaps)
	o.set("lost_frames", s.LostFrames)
	o.set("metadata_only", s.MetadataOnly)
	return o
}
