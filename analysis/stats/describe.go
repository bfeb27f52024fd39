package stats

import (
	"cmp"
	"math"
	"slices"
)

// Mean is the arithmetic mean, in the unit of its values. Undefined of none, and where one is not finite.
func Mean(xs []float64) (mean float64, ok bool) {
	for i, x := range xs { // step by step, for the sum of large values may overflow
		mean += x/float64(i+1) - mean/float64(i+1)
	}
	return mean, len(xs) > 0 && finite(mean)
}

// SampleSD is the standard deviation with n − 1. Undefined for fewer than two values, and where one is not finite.
func SampleSD(xs []float64) (sd float64, ok bool) { return deviation(xs, len(xs)-1) }

// PopulationSD is the standard deviation with n. Undefined of no values, and where one is not finite.
func PopulationSD(xs []float64) (sd float64, ok bool) { return deviation(xs, len(xs)) }

func deviation(xs []float64, n int) (sd float64, ok bool) {
	mean, ok := Mean(xs)
	if !ok || n < 1 {
		return 0, false
	}
	var squares float64
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	return defined(math.Sqrt(squares / float64(n)))
}

// MeanInterval is the 95 % interval of a mean by Student's t. Undefined for fewer than MinRuns values: that would be a diagnostic,
// not an estimate.
func MeanInterval(xs []float64) (in Interval, ok bool) {
	if len(xs) < MinRuns {
		return Interval{}, false
	}
	return meanInterval(xs)
}

func meanInterval(xs []float64) (in Interval, ok bool) {
	mean, _ := Mean(xs)
	sd, okSD := SampleSD(xs)
	t, okT := Student(len(xs) - 1)
	if !okSD || !okT {
		return Interval{}, false
	}
	half := t * sd / math.Sqrt(float64(len(xs)))
	return Interval{mean - half, mean + half}, finite(mean-half) && finite(mean+half)
}

// Percentile is the nearest-rank one: the value at ⌈q·n⌉ of the sorted ones, which is always a value that was observed. q is from 0 (the
// smallest) to 1. Undefined of no values, of NaN among them, and of another q. Interpolating percentiles ("type 7") differ.
func Percentile[T cmp.Ordered](xs []T, q float64) (value T, ok bool) {
	if len(xs) == 0 || !(q >= 0 && q <= 1) || slices.ContainsFunc(xs, func(x T) bool { return x != x }) {
		return value, false
	}
	sorted := slices.Clone(xs)
	slices.Sort(sorted)
	return sorted[nearest(q, len(sorted))], true
}

// nearest is the index of the nearest rank. q·n of fractions like 0.07·100 is a little more than the whole number that is meant.
func nearest(q float64, n int) int {
	rank := int(math.Ceil(q*float64(n) - 1e-9))
	return min(max(rank, 1), n) - 1
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// defined is x, or 0 and false where it is no number to print.
func defined(x float64) (float64, bool) {
	if !finite(x) {
		return 0, false
	}
	return x, true
}
