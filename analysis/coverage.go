package analysis

// Coverage is what captured use exercised of a server, and what it did not. Coverages of one server add up.
type Coverage struct {
	Server string
	Tools  []ToolCoverage // by name: listed or called
}

// ToolCoverage is of one tool.
type ToolCoverage struct {
	Tool       string
	Listed     bool
	Calls      int
	Parameters []ParameterCoverage // in the schema's order
	// Errors are the ways in which it was seen failing: "tool_error", "error -32602", …, each with how often.
	Errors map[string]int
}

// ParameterCoverage is of one parameter.
type ParameterCoverage struct {
	Name     string
	Required bool
	Calls    int            // that gave it
	Enum     map[string]int // raw JSON value → calls, of a parameter with an enum or const
}

// Add takes another session of the same server in.
func (c *Coverage) Add(other *Coverage) {}

// watchCoverage follows what a session exercises.
func watchCoverage(p *Pass) func() *Coverage { return func() *Coverage { return &Coverage{} } }
