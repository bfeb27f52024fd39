package stats

// PassHatK is pass^k: the chance that k runs of the story, picked from those that were made, all pass: C(c, k) ÷ C(n, k). It is what a regression
// suite shows, for users meet every run. Undefined, never 0, when fewer than k runs were made, and for k < 1.
//
// Yao et al., τ-bench, arXiv 2406.12045. The product form has no large numbers in it; (c/n)^k would be biased upward.
func PassHatK(t Tally, k int) (p float64, ok bool) {
	if !t.valid() || k < 1 || k > t.Runs {
		return 0, false
	}
	if k > t.Passed {
		return 0, true
	}
	p = 1
	for i := range k {
		p *= float64(t.Passed-i) / float64(t.Runs-i)
	}
	return p, true
}

// PassAtK is pass@k: the chance that at least one of k runs passes: 1 − C(n−c, k) ÷ C(n, k). Undefined as PassHatK is.
//
// Chen et al. 2021, arXiv 2107.03374.
func PassAtK(t Tally, k int) (p float64, ok bool) {
	none, ok := PassHatK(Tally{t.Runs - t.Passed, t.Runs}, k)
	if !ok {
		return 0, false
	}
	return 1 - none, true
}

// Suite is the plain mean of a pass@k or pass^k over the stories that have at least k runs; of says how many these are. Undefined when none has.
func Suite(of func(t Tally, k int) (float64, bool), stories []Tally, k int) (mean float64, counted int, ok bool) {
	var sum float64
	for _, t := range stories {
		if p, ok := of(t, k); ok {
			sum += p
			counted++
		}
	}
	if counted == 0 {
		return 0, 0, false
	}
	return sum / float64(counted), counted, true
}
