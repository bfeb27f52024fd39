package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

const (
	// maxExact is how many resamples are made to have all of them.
	maxExact = 50_000
	// draws is how many are made when all would be too many.
	draws = 10_000
)

// Resampled is what a bootstrap shows of a mean difference.
type Resampled struct {
	Mean float64
	Interval
	// BelowZero is the share of resamples whose mean is below zero.
	BelowZero float64
	// Resamples is how many were made. Exact says that these are all there are: the seed did nothing then.
	Resamples int
	Exact     bool
	Seed      uint64
}

// Bootstrap resamples stories, not runs, with replacement: diffs are candidate less base, one for each story. Of up to six stories it makes all resamples;
// of more, 10,000 from a generator with the seed, which belongs into the report. Its quantiles are nearest rank. Undefined without
// a story, and where a difference is not finite.
func Bootstrap(diffs []float64, seed uint64) (r Resampled, ok bool) {
	if r.Mean, ok = Mean(diffs); !ok {
		return Resampled{}, false
	}
	means, exact := resamples(diffs, seed)
	slices.Sort(means)
	below := 0
	for below < len(means) && means[below] < -slack { // the sums are not exact
		below++
	}
	r.Interval = Interval{means[nearest(0.025, len(means))], means[nearest(0.975, len(means))]}
	r.BelowZero = float64(below) / float64(len(means))
	r.Resamples, r.Exact, r.Seed = len(means), exact, seed
	return r, finite(r.Lower) && finite(r.Upper)
}

func resamples(diffs []float64, seed uint64) (means []float64, exact bool) {
	if all, ok := power(len(diffs), len(diffs)); ok {
		return everyMean(diffs, all), true
	}
	source := rand.NewPCG(seed, 0)
	means = make([]float64, draws)
	for i := range means {
		for range diffs {
			means[i] += diffs[below(source, len(diffs))] / float64(len(diffs))
		}
	}
	return means, false
}

// everyMean counts through the resamples as through numbers whose digits are stories.
func everyMean(diffs []float64, all int) []float64 {
	means := make([]float64, all)
	for i := range means {
		for digits, left := i, len(diffs); left > 0; left-- {
			means[i] += diffs[digits%len(diffs)] / float64(len(diffs))
			digits /= len(diffs)
		}
	}
	return means
}

// power is base^exponent, unless it is more than maxExact.
func power(base, exponent int) (result int, ok bool) {
	result = 1
	for range exponent {
		if result *= base; result > maxExact {
			return 0, false
		}
	}
	return result, true
}

// below is a number from 0 to n-1. It is made here, for how the library makes one may change with its version.
func below(source *rand.PCG, n int) int {
	high, _ := bits.Mul64(source.Uint64(), uint64(n))
	return int(high)
}

// SignFlip is the test of whether the mean difference could be chance: the share of all ways to give the differences signs whose mean is at least as far
// from zero as this one, two-sided. Of up to 15 stories it tries all ways; of more, 10,000 from a generator with the seed. Undefined (1 and
// false) without a story, and where a difference is not finite.
func SignFlip(diffs []float64, seed uint64) (p float64, ok bool) {
	mean, ok := Mean(diffs)
	if !ok {
		return 1, false
	}
	observed := math.Abs(mean) - slack
	all, exact := power(2, len(diffs))
	hits := 0
	if exact {
		for signs := range all {
			hits += atLeast(observed, diffs, func(i int) bool { return signs>>i&1 == 1 })
		}
		return float64(hits) / float64(all), true
	}
	source := rand.NewPCG(seed, 1)
	for range draws {
		hits += atLeast(observed, diffs, func(int) bool { return source.Uint64()>>63 == 1 })
	}
	return float64(hits+1) / float64(draws+1), true // the observed one is a way too: never 0
}

func atLeast(observed float64, diffs []float64, flip func(int) bool) int {
	var mean float64
	for i, d := range diffs {
		if flip(i) {
			d = -d
		}
		mean += d / float64(len(diffs))
	}
	if math.Abs(mean) >= observed {
		return 1
	}
	return 0
}
