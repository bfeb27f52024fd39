package stats

import "math"

// Student is the 97.5th percentile of Student's t distribution with df degrees of freedom, what |t| must exceed to be significant
// at 5 %. Undefined for df < 1.
func Student(df int) (t float64, ok bool) {
	switch {
	case df < 1:
		return 0, false
	case df > 1000:
		return expandedT(float64(df)), true
	}
	low, high := 0.0, 13.0 // of one degree: 12.7
	for range 80 {
		if middle := (low + high) / 2; within(middle, df) < 0.95 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2, true
}

// within is the probability of |T| < t: Abramowitz & Stegun, 26.7.3 and 26.7.4.
func within(t float64, df int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(df)))
	sin, cos := math.Sincos(angle)
	term, sum := 1.0, 0.0
	first := df % 2 // the series goes in even or odd powers of the cosine
	if first == 1 {
		term = cos
	}
	for power := first; power <= df-2; power += 2 {
		sum += term
		term *= cos * cos * float64(power+1) / float64(power+2)
	}
	if first == 1 {
		return 2 / math.Pi * (angle + sin*sum)
	}
	return sin * sum
}

// expandedT is the percentile for many degrees of freedom: Abramowitz & Stegun, 26.7.5.
func expandedT(df float64) float64 {
	z2 := z * z
	g1 := z * (z2 + 1) / 4
	g2 := z * (5*z2*z2 + 16*z2 + 3) / 96
	g3 := z * (3*z2*z2*z2 + 19*z2*z2 + 17*z2 - 15) / 384
	return z + g1/df + g2/(df*df) + g3/(df*df*df)
}
