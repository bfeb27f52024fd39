package reprise

// Difference is one place where two JSON values differ.
type Difference struct {
	// Path is its place in the values, as provenance spells places: content[0].text, items[0].id. The place in a JSON text that
	// stands in a string goes on behind the string's: content[0].text.items[0].id. "" is the whole value.
	Path string
	// Recorded and Live are the raw JSON on both sides; "" where there is none.
	Recorded, Live string
}
