package analysis

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"reprise"
)

var refusedArguments = &Analyzer{
	Name: "refused-arguments",
	Doc: "A tool refused three calls in a row or more, each with other arguments and each for its arguments, though its declared schema allows them: the schema does not say what " +
		"the tool wants. Failures on identifiers that are not there do not count, nor do calls made before the last refusal was known. " +
		"Source: S26.",
	Severity: High,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		if !p.Session.MetadataOnly {
			p.Calls((&refusedCalls{pass: p, inRow: map[string]*refusedTries{}}).see)
		}
	},
}

// refusedCalls remembers the refused calls of each tool since its last success.
type refusedCalls struct {
	pass  *Pass
	inRow map[string]*refusedTries
}

// refusedTries are refused calls of one tool in a row.
type refusedTries struct {
	asked map[callDigest]bool
	last  int64 // seq of the latest refusal
	seqs  []int64
}

// Bounds: how many refusals make a finding, and how many of a row are told apart.
const (
	leastRefusals = 3
	maxTries      = 64
)

func (r *refusedCalls) see(e *Exchange) {
	switch {
	case !plainCall(e):
	case e.Status == reprise.StatusOK:
		delete(r.inRow, e.Name)
	case e.Status.Failed() && e.Listing != nil && e.Assessment.Kind != ConfirmedDefect && e.Assessment.Kind != RightlyRejected:
		r.refuse(e)
	}
}

func (r *refusedCalls) refuse(e *Exchange) {
	t := r.inRow[e.Name]
	if t != nil && (e.Seq < t.last || len(t.asked) >= maxTries) || t == nil && len(r.inRow) >= maxKeptTools {
		return
	}
	said := e.Said()
	if !refusesForm(e, said) || !blamesCall(e, said) {
		return
	}
	if t == nil {
		t = &refusedTries{asked: map[callDigest]bool{}}
		r.inRow[e.Name] = t
	}
	key := digestOf(e)
	if t.asked[key] {
		return
	}
	t.asked[key], t.last = true, e.Response
	if t.seqs = append(t.seqs, e.Seq, e.Response); len(t.asked) >= leastRefusals {
		r.pass.Report(refusedFinding(e, said, t.seqs))
	}
}

// refusesForm says whether a failure is about the arguments' form: it speaks of it, and not of a thing that is not there.
func refusesForm(e *Exchange, said string) bool {
	for _, u := range e.Uses[:min(len(e.Uses), maxPairs)] {
		if u.Source == reprise.SourceSynthesized && u.Identifies() && absences().MatchString(said) {
			return false
		}
	}
	if e.Code != nil && *e.Code == invalidParams {
		return !strings.Contains(strings.ToLower(said), "unknown tool")
	}
	return e.Status == reprise.StatusToolError && formWords().MatchString(said) && namesArgument(e, strings.ToLower(said))
}

// formWords are the words by which a value's form is refused.
var formWords = sync.OnceValue(func() *regexp.Regexp {
	return words(`invalid|validation|required|missing|expected|must|should be|not (?:a )?valid|unrecogni[sz]ed|unsupported|malformed|cannot parse|could not parse|failed to parse`)
})

// namesArgument says whether a failure speaks of arguments, or names one of the tool's.
func namesArgument(e *Exchange, text string) bool {
	for _, word := range []string{"argument", "arguments", "parameter", "parameters", "input", "field", "property"} {
		if hasWord(text, word) {
			return true
		}
	}
	for i, p := range e.Listing.Parameters() {
		if i < maxPairs && len(p.Name) > 1 && hasWord(text, strings.ToLower(p.Name)) {
			return true
		}
	}
	return false
}

func refusedFinding(e *Exchange, said string, seqs []int64) Finding {
	return Finding{
		Tool: e.Name,
		What: fmt.Sprintf("%s refused three calls in a row or more, each with other arguments that its schema allows, the latest with %s.",
			quote(e.Name), quote(strings.TrimSpace(said))),
		Consequence: "The agent tries one form of the arguments after the other, and may give up before it hits the one that is taken.",
		Suggestion:  "Put into the inputSchema what the tool checks (types, enums, formats, what goes with what), and an example into its description.",
		Evidence:    seqs,
	}
}
