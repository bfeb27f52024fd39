package stats

import "math"

// Class is what the runs of one story in one configuration are like.
type Class string

const (
	// Insufficient is of fewer than three runs.
	Insufficient Class = "insufficient"
	// StablePass passed in every run.
	StablePass Class = "stable_pass"
	// StableFail failed in every run.
	StableFail Class = "stable_fail"
	// Flaky did both.
	Flaky Class = "flaky"
)

// ClassOf says what a tally is like; numbers that are no counts are insufficient.
func ClassOf(t Tally) Class {
	switch {
	case !t.valid() || t.Runs < 3:
		return Insufficient
	case t.Passed == t.Runs:
		return StablePass
	case t.Passed == 0:
		return StableFail
	}
	return Flaky
}

// FlipRate is how often an outcome differs from the one before it: flips ÷ (n − 1), runs in their order. Undefined for fewer than two.
//
// Kowalczyk et al., "Modeling and Ranking Flaky Tests at Apple", ICSE-SEIP 2020. A low flip rate with a high entropy is a change, a
// high flip rate is flakiness: only both together tell them apart.
func FlipRate(runs []bool) (rate float64, ok bool) {
	if len(runs) < 2 {
		return 0, false
	}
	flips := 0
	for i := 1; i < len(runs); i++ {
		if runs[i] != runs[i-1] {
			flips++
		}
	}
	return float64(flips) / float64(len(runs)-1), true
}

// Entropy is how mixed outcomes are, in bits: 0 when they are all the same, 1 at half and half. Undefined without a run.
func Entropy(t Tally) (bits float64, ok bool) {
	p, ok := t.Rate()
	if !ok || p == 0 || p == 1 {
		return 0, ok
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p), true
}

// RevealChance is how likely n runs show a story with the true pass rate p as flaky: 1 − pⁿ − (1−p)ⁿ. Undefined where p is no
// probability or n < 1.
func RevealChance(p float64, n int) (chance float64, ok bool) {
	if !(p >= 0 && p <= 1) || n < 1 {
		return 0, false
	}
	return max(0, 1-math.Pow(p, float64(n))-math.Pow(1-p, float64(n))), true
}
