package stats

import "math"

// Verdict is what a comparison of two tallies allows to be said.
type Verdict string

const (
	// Regression says that the candidate passes less often.
	Regression Verdict = "regression"
	// Improvement says that it passes more often.
	Improvement Verdict = "improvement"
	// InsufficientData says that a side has fewer than MinRuns runs.
	InsufficientData Verdict = "insufficient_data"
	// Inconclusive says neither: "no regression shown", which is not "no regression".
	Inconclusive Verdict = "inconclusive"
)

// MinRuns is how many runs either side must have before a verdict is given, and a sample of scores before it is more than a diagnostic.
const MinRuns = 5

// Comparison is of a candidate's pass rate with a base's.
type Comparison struct {
	Delta float64 // the candidate's rate less the base's
	Interval
	Verdict Verdict
}

// Newcombe compares two tallies by the hybrid score interval. A regression must be at least minEffect large (0.05 is five points; less than 0 counts as 0).
// Where a side has no run, or numbers that are no counts, ok is false: the interval is [-1, 1] and the verdict insufficient_data.
//
// R. G. Newcombe, Statist. Med. 17 (1998) 873–890, method 10. With five runs on either side it calls a regression where nothing has
// changed in 2 of 100 comparisons of stories that pass in 80 %; "fell by 20 points" would in 34.
func Newcombe(base, candidate Tally, minEffect float64) (c Comparison, ok bool) {
	pb, okBase := base.Rate()
	pc, okCandidate := candidate.Rate()
	if !okBase || !okCandidate {
		return Comparison{Interval: Interval{-1, 1}, Verdict: InsufficientData}, false
	}
	b, _ := Wilson(base)
	w, _ := Wilson(candidate)
	c.Delta = pc - pb
	c.Lower = max(-1, c.Delta-math.Hypot(pc-w.Lower, b.Upper-pb))
	c.Upper = min(1, c.Delta+math.Hypot(w.Upper-pc, pb-b.Lower))
	c.Verdict = c.verdict(min(base.Runs, candidate.Runs), minEffect)
	return c, true
}

// slack is what sums of fractions may be off: -0.1 is at least as large a fall as 0.1.
const slack = 1e-12

func (c Comparison) verdict(runs int, minEffect float64) Verdict {
	switch {
	case runs < MinRuns:
		return InsufficientData
	case c.Upper < 0 && !(c.Delta > -minEffect+slack):
		return Regression
	case c.Lower > 0:
		return Improvement
	}
	return Inconclusive
}
