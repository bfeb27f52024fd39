package reprise

// Bindings maps what a capture's identifiers are today: recorded ↔ live.
type Bindings struct{}

// NewBindings makes bindings that know nothing yet.
func NewBindings() *Bindings { return &Bindings{} }

// Learn takes a value or a use of the recorded capture; one of them is nil.
func (b *Bindings) Learn(v *Value, u *Use) {}

// Result binds at the places that provenance names in this recorded result.
func (b *Bindings) Result(seq int64, index int, recorded, live string) {}

// Live is today's JSON for the argument of a recorded use.
func (b *Bindings) Live(u *Use) (json string, bound bool) { return u.JSON, true }

// Same says whether two leaves stand for the same identifier.
func (b *Bindings) Same(recorded, live string) bool { return false }

// Translate replaces the bound identifiers in a recorded text by the live ones.
func (b *Bindings) Translate(text string) string { return text }
