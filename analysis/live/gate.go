package live

import (
	"slices"

	"reprise"
)

// Gate says which tools may be called. Its zero value lets those through that their server declares read-only (S64).
type Gate struct {
	Tools  []string // these too, * and ? match in them (S67)
	Writes bool     // all of them
}

// Refusal says why a tool is not called.
type Refusal struct {
	Tool string
	reprise.ToolSafety
}

func (g Gate) allows(tool string) bool {
	return g.Writes || slices.ContainsFunc(g.Tools, func(name string) bool { return reprise.Pattern{Text: name, Wild: true}.Match(tool) })
}

// refuses says why a tool may not be called, given what is known of the tools; nil when it may.
func (g Gate) refuses(tool string, b *toolbox) *Refusal {
	if g.allows(tool) {
		return nil
	}
	safety := b.safetyOf(tool)
	if safety.Safety == reprise.SafetyReadOnly {
		return nil
	}
	return &Refusal{tool, safety}
}
