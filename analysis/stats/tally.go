package stats

import "math"

// z is the 97.5th percentile of the normal distribution: every interval here is of 95 %, two-sided.
const z = 1.9599639845400543

// Tally counts the runs of one story in one configuration. Runs are those with an outcome: what could not be tested is not among them.
type Tally struct{ Passed, Runs int }

// TallyOf counts runs in their order.
func TallyOf(runs []bool) Tally {
	t := Tally{Runs: len(runs)}
	for _, passed := range runs {
		if passed {
			t.Passed++
		}
	}
	return t
}

// maxRuns is more runs than anybody makes; above it numbers are taken for no counts, and sums of them could overflow.
const maxRuns = 1 << 29

// valid says whether these are counts: of no runs too.
func (t Tally) valid() bool { return t.Passed >= 0 && t.Passed <= t.Runs && t.Runs <= maxRuns }

// Rate is the share of runs that passed; undefined without a run.
func (t Tally) Rate() (rate float64, ok bool) {
	if !t.valid() || t.Runs == 0 {
		return 0, false
	}
	return float64(t.Passed) / float64(t.Runs), true
}

// Interval is where a number lies, with 95 % confidence.
type Interval struct{ Lower, Upper float64 }

// Wilson is the score interval of the true pass rate behind a tally. Three passes of three are compatible with a rate of 44 %.
// Without a run, and of numbers that are no counts, it is [0, 1] and ok is false: no data.
//
// E. B. Wilson, JASA 22 (1927) 209–212; recommended for small n by Brown, Cai & DasGupta, Statist. Sci. 16 (2001) 101–133.
func Wilson(t Tally) (in Interval, ok bool) {
	if !t.valid() || t.Runs == 0 {
		return Interval{0, 1}, false
	}
	x, n := float64(t.Passed), float64(t.Runs)
	centre := (x + z*z/2) / (n + z*z)
	half := z / (n + z*z) * math.Sqrt(x*(n-x)/n+z*z/4)
	in = Interval{max(0, centre-half), min(1, centre+half)}
	if t.Passed == 0 { // else 1e-17 is left of the subtraction
		in.Lower = 0
	}
	if t.Passed == t.Runs {
		in.Upper = 1
	}
	return in, true
}

// ZeroFailures is the upper bound, one-sided and of 95 %, on the failure rate behind n runs of which none failed: 1 − 0.05^(1/n).
// Without a run it is 1 and ok is false.
func ZeroFailures(n int) (upper float64, ok bool) {
	if n < 1 {
		return 1, false
	}
	return -math.Expm1(math.Log(0.05) / float64(n)), true
}
