package stats

import (
	"slices"
	"sort"
)

// The tables of exact tests are weighed relative to the likeliest one, and by the ratio of neighbours: a million runs neither overflow
// nor need the logarithm of a factorial. What is less likely by 1e-300 counts as impossible.

// same is how much likelier than the observed table another may be to count as equally likely: as R has it.
const same = 1 + 1e-7

// Fisher is Fisher's exact test of two tallies: how likely tables as unlikely as this one are where nothing has changed, and (oneSided)
// how likely a candidate is that passes as seldom as this one or more seldom. ok is false where a side has no run or numbers that are no counts; both are 1 then.
func Fisher(base, candidate Tally) (twoSided, oneSided float64, ok bool) {
	if !base.valid() || !candidate.valid() || base.Runs == 0 || candidate.Runs == 0 {
		return 1, 1, false
	}
	n, other, passed := candidate.Runs, base.Runs, base.Passed+candidate.Passed
	lowest, highest := max(0, passed-other), min(n, passed)
	ratio := func(x int) float64 { // of the table with x+1 passes of the candidate to the one with x
		return float64(n-x) * float64(passed-x) / (float64(x+1) * float64(other-passed+x+1))
	}
	w := weigh(lowest, highest, ratio)
	return w.asUnlikely(candidate.Passed), w.atMost(candidate.Passed), true
}

// McNemar is the exact test of stories that changed sides: worse passed before and fail now, better the other way round. It gives the two-sided p:
// min(1, 2·Σ C(n, i) ÷ 2ⁿ for i to the smaller one). Without a story that changed it is 1; ok is false of numbers that are no counts.
func McNemar(worse, better int) (p float64, ok bool) {
	if worse < 0 || better < 0 || worse > maxRuns || better > maxRuns {
		return 1, false
	}
	n := worse + better
	w := weigh(0, n, func(x int) float64 { return float64(n-x) / float64(x+1) })
	return min(1, 2*w.atMost(min(worse, better))), true
}

// weights are those of the tables from lowest on, relative to the likeliest. Impossible ones at both ends are left out.
type weights struct {
	lowest int
	of     []float64
	total  float64
}

// weigh walks away from the likeliest table to both sides, as far as there is any weight. ratio falls with x.
func weigh(lowest, highest int, ratio func(int) float64) (w weights) {
	mode := lowest + sort.Search(highest-lowest, func(i int) bool { return ratio(lowest+i) <= 1 })
	w.lowest = mode
	for x, weight := mode, 1.0; weight > 0; {
		w.of, w.lowest = append(w.of, weight), x
		if x--; x < lowest {
			break
		}
		weight /= ratio(x)
	}
	slices.Reverse(w.of)
	for x, weight := mode, 1.0; x < highest; x++ {
		if weight *= ratio(x); weight == 0 {
			break
		}
		w.of = append(w.of, weight)
	}
	for _, weight := range w.of {
		w.total += weight
	}
	return w
}

// weight is of one table: 0 beyond both ends.
func (w weights) weight(x int) float64 {
	if i := x - w.lowest; i >= 0 && i < len(w.of) {
		return w.of[i]
	}
	return 0
}

func (w weights) atMost(x int) float64 {
	var sum float64
	for _, weight := range w.of[:min(max(0, x-w.lowest+1), len(w.of))] {
		sum += weight
	}
	return min(1, sum/w.total)
}

func (w weights) asUnlikely(x int) float64 {
	var sum float64
	for _, weight := range w.of {
		if weight <= w.weight(x)*same {
			sum += weight
		}
	}
	return min(1, sum/w.total)
}
