package analysis

import "reprise"

// assess says what the end of a call proves.
func (j *Judge) assess(e *Exchange) Assessment {
	switch {
	case e.Method != "tools/call" && e.Method != "resources/read" && e.Method != "prompts/get":
		return Assessment{}
	case e.Status == reprise.StatusOK:
		return Assessment{Kind: OK}
	}
	return Assessment{Kind: Untestable, Reason: "not yet"}
}

// doubt takes back what the record's gaps leave open.
func (j *Judge) doubt() {}

// said is what a failure says in words.
func said(result, failure string) string { return "" }

// lacks is where the record has holes.
type lacks struct{ truncated []int64 }

func (l *lacks) gaps([]reprise.Gap) {}

// ledger remembers the latest calls, for those that use what they gave.
type ledger struct{}

func (l *ledger) add(e *Exchange) {}

// tasks remembers the calls that made tasks.
type tasks struct{}

func (t *tasks) of(e *Exchange) *Exchange { return nil }

func (t *tasks) add(e *Exchange) {}
