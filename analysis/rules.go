package analysis

// All lists every rule.
func All() []*Analyzer {
	return []*Analyzer{
		badSchema,
		contradictoryHints,
		duplicateTool,
		largeResult,
		longDescription,
		noiseOnStdout,
		outputSchema,
		protocolErrorForToolError,
		slowCall,
		toolNeverOffered,
		unannotatedTool,
		uselessDescription,
	}
}
