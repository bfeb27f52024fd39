package analysis

import (
	"cmp"
	"slices"

	"reprise"
)

// judgedCalls collects the assessed calls of a session. Most of a million calls are ok, and differ in their seq alone.
type judgedCalls struct {
	ok      []okCall
	names   []Judged // by okCall.name, without seq and index
	byName  map[[2]string]int32
	others  []Judged
	sourced int // of the others, those that have their sources
}

type okCall struct {
	seq         int64
	index, name int32
}

// maxSources is how many failed calls have the sources of their arguments in the report.
const maxSources = 10_000

func (c *judgedCalls) add(e *Exchange) {
	one := Judged{Seq: e.Seq, Index: e.Index, Method: e.Method, Name: e.asked().Name, Status: e.Status, Assessment: e.Assessment}
	if one.Kind == OK {
		c.ok = append(c.ok, okCall{e.Seq, int32(e.Index), c.name(&one)})
		return
	}
	if c.sourced < maxSources {
		one.Text, one.Sources = e.asked().Rendered, sourcesOf(e.asked().Uses)
		c.sourced++
	}
	c.others = append(c.others, one)
}

// name is the place of what a call has in common with others.
func (c *judgedCalls) name(one *Judged) int32 {
	key := [2]string{one.Method, one.Name}
	n, ok := c.byName[key]
	if !ok {
		if c.byName == nil {
			c.byName = map[[2]string]int32{}
		}
		n = int32(len(c.names))
		c.byName[key], c.names = n, append(c.names, Judged{Method: one.Method, Name: one.Name, Status: one.Status, Assessment: one.Assessment})
	}
	return n
}

// all are the calls in their order.
func (c *judgedCalls) all() []Judged {
	if len(c.ok)+len(c.others) == 0 {
		return nil
	}
	list := make([]Judged, 0, len(c.ok)+len(c.others))
	for _, one := range c.ok {
		j := c.names[one.name]
		j.Seq, j.Index = one.seq, int(one.index)
		list = append(list, j)
	}
	list = append(list, c.others...)
	c.ok, c.others = nil, nil
	slices.SortFunc(list, func(a, b Judged) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), a.Index-b.Index) })
	return list
}

func sourcesOf(uses []*reprise.Use) []Source {
	list := make([]Source, 0, min(len(uses), maxPairs))
	for _, u := range uses[:min(len(uses), maxPairs)] {
		list = append(list, Source{u.Path, u.Source, u.Ground, u.Relation, u.Stale, u.ValueSeq})
	}
	return list
}
