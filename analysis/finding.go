package analysis

import (
	"crypto/sha256"
	"encoding/hex"
)

// Finding is a concrete, actionable problem, seen whether or not anything failed (W19–W25). It is never pass or fail.
type Finding struct {
	Rule     string
	Severity Severity
	// Tool is the tool that it is about; "" of the server or session as a whole.
	Tool string
	// Place tells two findings of one rule and tool apart: a path of an argument (indices as []), a keyword; most often "". It is normalised: nothing
	// in it changes from one session to the next.
	Place string
	// What happened, what it meant for the agent, and what the tool's owner can change: a sentence each.
	What, Consequence, Suggestion string
	// Evidence are the seqs that prove it, in order: of the first maxEvidence times.
	Evidence []int64
	// Count is how many times it happened in the session.
	Count int
	// Fingerprint is the same in every session that shows the same problem.
	Fingerprint string

	sphere Sphere
}

// maxEvidence is how many seqs a finding keeps.
const maxEvidence = 24

// fingerprint names a problem: rule, server, tool and place (formats.md, "Findings").
func fingerprint(rule, server, tool, place string) string {
	h := sha256.New()
	for _, part := range []string{rule, server, tool, place} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
