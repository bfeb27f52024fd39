package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reprise"
	"reprise/recorder"
)

// trail is where the arguments of a session came from, as far as somebody asked.
type trail struct {
	*view
	values []*reprise.Value // in seq order
	uses   []*reprise.Use   // in seq order
	births births
	called map[callRef]*reprise.Call // all calls
	chosen map[callRef]bool          // the calls that the filter lets through
	total  int64                     // uses in the whole session
	asked  int64                     // uses in the chosen calls
	hidden int64                     // births and uses of the wanted value in other calls
	// partial are the seqs of the calls whose result was harvested in part.
	partial []int64
}

// births are values by their number, which the arguments that are linked to them know.
type births map[int64]*reprise.Value

// readTrail reads what is known of the view's session, and keeps what was asked for.
func (v *view) readTrail(o provenanceOptions) (*trail, error) {
	t := &trail{view: v, births: births{}, called: map[callRef]*reprise.Call{}, chosen: map[callRef]bool{}}
	for u, err := range v.src.Uses(v.ctx, v.session.ID) {
		if err != nil {
			return nil, err
		}
		t.uses = append(t.uses, u)
		if u.ValueN != 0 {
			t.births[u.ValueN] = nil
		}
	}
	t.total = int64(len(t.uses))
	if err := t.readCalls(); err != nil {
		return nil, err
	}
	if err := t.readValues(o); err != nil {
		return nil, err
	}
	t.choose(o)
	return t, nil
}

// readValues reads the births of the arguments and, where they are shown, the values that were asked for: there may
// be millions.
func (t *trail) readValues(o provenanceOptions) error {
	shown := (o.json || o.values || o.value != nil) && !o.unsourced
	for v, err := range t.src.Values(t.ctx, t.session.ID) {
		if err != nil {
			return err
		}
		if _, used := t.births[v.N]; used {
			t.births[v.N] = v
		}
		if shown && t.keeps(t.chosen[callRef{v.CallSeq, v.CallIndex}], o.value == nil || o.value.is(v.JSON)) {
			t.values = append(t.values, v)
		}
	}
	return nil
}

// readCalls reads the calls that the filter lets through, and then all. Of a live session there may be more by then.
func (t *trail) readCalls() error {
	filters := []*reprise.Filter{t.filter}
	if t.filter.Expr != nil {
		filters = append(filters, &reprise.Filter{})
	}
	for _, filter := range filters {
		for e, err := range t.src.Entries(t.ctx, recorder.Query{Session: t.session.ID, Filter: filter}) {
			if err != nil {
				return err
			}
			ref := callRef{e.Call.Seq, e.Call.Index}
			t.called[ref] = e.Call
			if filter == t.filter {
				t.chosen[ref] = true
			}
			if filter.Expr == nil && e.Call.Partial {
				t.partial = append(t.partial, e.Call.Seq)
			}
		}
	}
	return nil
}

// choose keeps the arguments that were asked for, of the calls that the filter lets through.
func (t *trail) choose(o provenanceOptions) {
	t.uses = slices.DeleteFunc(t.uses, func(u *reprise.Use) bool {
		chosen := t.chosen[callRef{u.CallSeq, u.CallIndex}]
		if chosen {
			t.asked++
		}
		return !t.keeps(chosen, o.value == nil || t.about(u, o.value)) || o.unsourced && u.Source != reprise.SourceSynthesized
	})
}

// keeps says whether what is in a call is shown, and counts what only the filter hides.
func (t *trail) keeps(chosen, wanted bool) bool {
	if wanted && !chosen {
		t.hidden++
	}
	return wanted && chosen
}

// about says whether an argument is a value, or was made of it.
func (t *trail) about(u *reprise.Use, w *wanted) bool {
	if w.is(u.JSON) {
		return true
	}
	born := t.births[u.ValueN]
	return born != nil && w.is(born.JSON)
}

// wanted is a value as a person writes it: as JSON, or as the string itself.
type wanted struct{ json, text string }

func newWanted(text string) *wanted { return &wanted{canonical(text), canonical(jsonString(text))} }

func (w *wanted) is(value string) bool {
	same := canonical(value)
	return same == w.json || same == w.text
}

func canonical(text string) string { return string(reprise.Canonical(text)) }

// jsonString writes a text as JSON.
func jsonString(text string) string {
	quoted, _ := json.Marshal(text) // of a string it never fails
	return string(quoted)
}

// incomplete says, a sentence each, what the trail can't know.
func (t *trail) incomplete() (notes []string) {
	s := t.session
	if s.MetadataOnly {
		notes = append(notes, "Recorded without content (--metadata-only): nothing can be told of where values came from.")
	}
	if s.Gaps > 0 {
		notes = append(notes, fmt.Sprintf("%s (%s missing): what was born there looks as if it came from nowhere.", count(s.Gaps, "gap"), count(s.LostFrames, "frame")))
	}
	if n := len(t.partial); n > 0 {
		notes = append(notes, fmt.Sprintf("Results harvested in part, for they are long: %s.", strings.Join(few(seqs(t.partial), 6), ", ")))
	}
	if s.LeftOut > 0 {
		notes = append(notes, fmt.Sprintf("%s could not be looked up: too many, or too long.", count(s.LeftOut, "value")))
	}
	return notes
}

func seqs(list []int64) (texts []string) {
	for _, n := range list {
		texts = append(texts, fmt.Sprintf("#%d", n))
	}
	return texts
}
