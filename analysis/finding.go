package analysis

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
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

// reportFinding adds what a rule has found.
func (j *Judge) reportFinding(rule *Analyzer, f Finding) {
	at := place{rule.Name, f.Tool, f.Place}
	if i, ok := j.places[at]; ok {
		known := &j.report.Findings[i]
		known.Count++
		known.Evidence = merged(known.Evidence, f.Evidence)
		return
	}
	f.Rule, f.Count, f.sphere = rule.Name, 1, rule.Sphere
	f.Severity = cmp.Or(f.Severity, rule.Severity)
	f.Evidence = merged(nil, f.Evidence)
	j.places[at] = len(j.report.Findings)
	j.report.Findings = append(j.report.Findings, f)
}

// merged adds seqs to those that a finding keeps.
func merged(kept, more []int64) []int64 {
	for _, seq := range more {
		if len(kept) < maxEvidence && seq != 0 && !slices.Contains(kept, seq) {
			kept = append(kept, seq)
		}
	}
	slices.Sort(kept)
	return kept
}

func (j *Judge) sortFindings() {
	server := ServerOf(j.report.Session)
	for i := range j.report.Findings {
		f := &j.report.Findings[i]
		f.Fingerprint = fingerprint(f.Rule, server, f.Tool, f.Place)
	}
	slices.SortFunc(j.report.Findings, func(a, b Finding) int {
		return cmp.Or(a.Severity.rank()-b.Severity.rank(), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Tool, b.Tool), strings.Compare(a.Place, b.Place))
	})
}

// rank orders severities, the worst first.
func (s Severity) rank() int {
	i := slices.Index(Severities(), s)
	if i < 0 {
		panic(fmt.Sprintf("no severity %q", s))
	}
	return i
}

// Worse says whether a severity is worse than another.
func (s Severity) Worse(than Severity) bool { return s.rank() < than.rank() }

// Severities are all of them, the worst first.
func Severities() []Severity { return []Severity{High, Medium, Low} }
