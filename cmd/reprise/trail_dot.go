package main

import (
	"fmt"
	"strings"

	"reprise"
)

// draw writes the graph, and says when there is nothing in it.
func (p *program) draw(t *trail, o provenanceOptions) error {
	n, err := t.graph()
	if n == 0 && err == nil {
		p.warn(o.shared, "the graph is empty: no argument here has a value from a result, or from nowhere")
	}
	return err
}

// graph writes a graph for Graphviz: calls are nodes, and an edge is a value on its way from the call whose result
// gave it into an argument of another. What came from nowhere comes from a node of its own. It returns the number of edges.
func (t *trail) graph() (edges int, err error) {
	s := t.screen
	s.line("digraph provenance {\n  rankdir=LR\n  node [shape=box, style=rounded, fontname=\"sans-serif\"]\n  edge [fontname=\"sans-serif\", fontsize=10]")
	drawn := map[callRef]bool{}
	nowhere := false
	for _, u := range t.uses {
		to := callRef{u.CallSeq, u.CallIndex}
		born := t.births[u.ValueN]
		switch {
		case born != nil:
			from := callRef{born.CallSeq, born.CallIndex}
			t.node(drawn, from)
			t.node(drawn, to)
			edges++
			s.line("  %s -> %s [label=%s%s]", nodeName(from), nodeName(to), edgeLabel(u), edgeLook(u))
		case u.Source == reprise.SourceSynthesized:
			if !nowhere {
				s.line("  nowhere [label=\"from nowhere\", shape=plaintext]")
				nowhere = true
			}
			t.node(drawn, to)
			edges++
			s.line("  nowhere -> %s [label=%s, style=dashed]", nodeName(to), edgeLabel(u))
		}
	}
	return edges, s.line("}")
}

// node writes a call's node once.
func (t *trail) node(drawn map[callRef]bool, ref callRef) {
	if drawn[ref] {
		return
	}
	drawn[ref] = true
	label, look := fmt.Sprintf("#%d", ref.seq), ""
	if c := t.called[ref]; c != nil {
		label += " " + strings.Join(nonEmpty(toolOr(c), otherName(c)), " ")
		if c.Status.Failed() {
			look = ", color=red"
		}
	}
	t.screen.line("  %s [label=%s%s]", nodeName(ref), dotString(label), look)
}

func nodeName(ref callRef) string { return fmt.Sprintf("c%d_%d", ref.seq, ref.index) }

func edgeLabel(u *reprise.Use) string {
	value, _, _ := fit(u.JSON, dotColumns)
	return dotString(u.Path + "=" + value)
}

// dotColumns is how much of a value a label shows.
const dotColumns = 40

// edgeLook tells what was cut out of a value, or may be wrong, from what is the same.
func edgeLook(u *reprise.Use) string {
	switch {
	case doubtful(u):
		return ", color=orange"
	case u.Source == reprise.SourceDerived:
		return ", style=dotted"
	}
	return ""
}

// dotString quotes a text for Graphviz, which reads \n and &lt; and the like in it.
func dotString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(visible(text)) + `"`
}
