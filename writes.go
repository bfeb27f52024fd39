package reprise

// writes follows the calls to tools that are not declared read-only, to know what may have changed since.
type writes struct {
	open map[*Call][]string // what each may touch
	last map[string]int64   // by entity, the seq of the answer to the last one that touched it; "" is any
	any  int64              // of the last one of all
}

// touchesAnything is an entity that is not known.
const touchesAnything = ""

// begin notes a call of the client's, if its tool may write.
func (w *writes) begin(t *Tracer, m *Message, c *Call) {
	if t.tools.readOnly(c.Name) {
		return
	}
	if w.open == nil {
		w.open, w.last = map[*Call][]string{}, map[string]int64{}
	}
	w.open[c] = t.touches(m, c)
}

// touches lists the entities that a call could touch: what its tool is about, and what its arguments identify.
func (t *Tracer) touches(m *Message, c *Call) []string {
	noun := t.tools.noun(c.Name)
	if noun == "" {
		return []string{touchesAnything}
	}
	entities := []string{noun}
	arguments, _ := lookUp(m.Params, "arguments")
	w := walker{keys: &t.keys, leaf: func(l *leaf) {
		if l.key != nil && l.key.entity != "" && len(entities) < 16 {
			entities = append(entities, l.key.entity)
		}
	}}
	if arguments.IsObject() {
		w.walk(arguments.Raw, nil, nil)
	}
	return entities
}

// end notes the answer. A call that the server refused to run has touched nothing.
func (w *writes) end(f *Frame, c *Call) {
	entities, ok := w.open[c]
	if !ok {
		return
	}
	delete(w.open, c)
	if c.Status == StatusError && c.Code != nil && (*c.Code == -32601 || *c.Code == -32602) {
		return
	}
	w.any = f.Seq
	for _, entity := range entities {
		if len(w.last) >= maxNouns {
			entity = touchesAnything
		}
		w.last[entity] = f.Seq
	}
}

// since says whether a write could have touched the entity after a seq, or may be doing so. What is not known to be
// another entity may be this one.
func (w *writes) since(seq int64, entity string) bool {
	if entity == "task" {
		return false // the protocol's own: no tool is about it
	}
	for _, entities := range w.open {
		for _, touched := range entities {
			if touched == touchesAnything || relate(touched, entity) != RelationOther {
				return true
			}
		}
	}
	if entity == "" {
		return w.any > seq
	}
	for touched, at := range w.last {
		if at > seq && relate(touched, entity) != RelationOther {
			return true
		}
	}
	return false
}
