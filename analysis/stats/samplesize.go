package stats

import "math"

// zPower is the 80th percentile of the normal distribution: the power that sample sizes are given for.
const zPower = 0.8416212335729143

// Side is one side of a comparison to be planned: the variance of runs within a story, and how many runs each story gets.
type Side struct {
	Variance float64
	Runs     int
}

// SampleSize is how many stories a paired comparison needs to find a difference of delta, at 5 % and with a power of 80 %. omega2 is the variance of the stories' true
// differences; Variance 0 of a side stands for runs without end. Undefined for negative variances, fewer than one run, a delta
// of 0, and when nobody could run that many.
//
// Evan Miller, arXiv 2411.00640.
func SampleSize(omega2 float64, base, candidate Side, delta float64) (stories int, ok bool) {
	if !(omega2 >= 0 && base.Variance >= 0 && candidate.Variance >= 0) || base.Runs < 1 || candidate.Runs < 1 {
		return 0, false
	}
	variance := omega2 + base.Variance/float64(base.Runs) + candidate.Variance/float64(candidate.Runs)
	n := math.Ceil((z+zPower)*(z+zPower)*variance/(delta*delta) - 1e-9)
	if !(n <= maxRuns) {
		return 0, false
	}
	return max(1, int(n)), true
}
