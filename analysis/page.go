package analysis

// Page is an HTML document in a result, and how it is built (W33–W35). It is a signal, never a gate.
type Page struct {
	Seq  int64
	Tool string // that gave it
	URI  string // of the resource, ui://… among them
	Mode string // ui for ui:// resources, else result
	// Semantic and Generic count its elements; Ratio is Semantic ÷ (Semantic + Generic), -1 where it has neither.
	Semantic, Generic int
	Ratio             float64
}
