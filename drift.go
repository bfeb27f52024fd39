package reprise

// Tier is how much a change of a server's surface means for who uses it.
type Tier string

// From the worst down.
const (
	TierBreaking  Tier = "breaking"
	TierDangerous Tier = "dangerous"
	TierMinor     Tier = "minor"
	TierInfo      Tier = "info"
)

// Drifted is one change of a surface.
type Drifted struct {
	Tier    Tier
	Kind    string // tool, prompt, resource, template or server
	Name    string
	Path    string // in the entry, as provenance spells places; "" is the whole entry
	Message string
	// Old and New are the raw JSON on both sides; "" where there is none.
	Old, New string
}

// Drift compares two surfaces. What one of them does not know is not gone. The changes stand in the order of their tiers, kinds, names and paths.
func Drift(old, new *Surface) []Drifted {
	return nil
}
