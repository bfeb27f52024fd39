package reprise

// Tracer follows values through a session: it harvests them from results and looks up the arguments of
// calls among them. It is fed one message at a time, and what it says depends on the messages alone.
type Tracer struct {
	Value func(*Value)
	Use   func(*Use)

	Values    int64 // given to Value
	Unsourced int64 // uses that are synthesized
	LeftOut   int64 // values that the bounds left out

	// Bounds of memory: see the constants.
}

// WholeResult is the size, in bytes, up to which every leaf of a result is harvested. Of longer
// ones only what identifies something is: see docs/provenance.md.
const WholeResult = 256 << 10

// Add looks at one message and at the call that it belongs to.
func (t *Tracer) Add(f *Frame, m *Message, c *Call) {}
