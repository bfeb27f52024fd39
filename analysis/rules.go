package analysis

// All lists every rule.
func All() []*Analyzer {
	return []*Analyzer{
		badSchema,
		batchWish,
		changedArgument,
		changedEcho,
		contradictoryHints,
		crossEntity,
		duplicateTool,
		inventedIdentifier,
		largeResult,
		lateAnswer,
		longDescription,
		noiseOnStdout,
		outputSchema,
		paginationDuplicates,
		paginationIgnored,
		protocolErrorForToolError,
		refusedArguments,
		repeatedFailure,
		sameListAgain,
		slowCall,
		toolNeverOffered,
		unannotatedTool,
		unansweredCall,
		uselessDescription,
	}
}
