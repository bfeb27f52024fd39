package analysis

// watchChecks holds the traffic as it happens against the checks.
func watchChecks(p *Pass) func() []CheckTally { return func() []CheckTally { return nil } }
