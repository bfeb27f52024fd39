package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts the p-values of several tests for a gate: with it, 5 of 100 gates fail where nothing has changed, however many tests they hold.
// The order of p is kept. ok is false when one of them is no probability.
//
// S. Holm, Scand. J. Statist. 6 (1979) 65–70.
func Holm(p []float64) (adjusted []float64, ok bool) {
	order, ok := ascending(p)
	if !ok {
		return nil, false
	}
	adjusted = make([]float64, len(p))
	var worst float64
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = worst
	}
	return adjusted, true
}

// BenjaminiHochberg adjusts them for a report: of what it calls changed, 5 of 100 have not.
// The order of p is kept. ok is false when one of them is no probability.
//
// Y. Benjamini & Y. Hochberg, J. R. Statist. Soc. B 57 (1995) 289–300.
func BenjaminiHochberg(p []float64) (adjusted []float64, ok bool) {
	order, ok := ascending(p)
	if !ok {
		return nil, false
	}
	adjusted = make([]float64, len(p))
	best := 1.0
	for rank, i := range slices.Backward(order) {
		best = min(best, p[i]*float64(len(p))/float64(rank+1))
		adjusted[i] = best
	}
	return adjusted, true
}

// ascending gives the places of probabilities, the smallest first.
func ascending(p []float64) (order []int, ok bool) {
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, false
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return order, true
}
