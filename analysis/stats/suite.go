package stats

import "math"

// The runs of one story are not independent of each other: a suite of them is a sample of stories, not of runs. After Evan Miller,
// "Adding Error Bars to Evals", arXiv 2411.00640. Scores are by story and run; a run that passed or failed is 1 or 0.

// Errors are standard errors of a suite's mean.
type Errors struct {
	Mean          float64
	Stories, Runs int
	// Naive takes the runs for independent, with n and (NaiveSample) with n − 1 below the squares. They are too small, and there to be compared.
	Naive, NaiveSample float64
	// Clustered goes by story. Corrected has the factor √(G ÷ (G − 1)) for few stories too: the one to use.
	Clustered, Corrected float64
}

// Cluster gives the standard errors of scores by story. Undefined for fewer than two stories that have runs, for one has no spread of stories, and
// where a score is not finite. Stories without a run are left out.
func Cluster(scores [][]float64) (e Errors, ok bool) {
	var all []float64
	for _, runs := range scores {
		all = append(all, runs...)
		e.Stories += min(1, len(runs))
	}
	e.Runs = len(all)
	mean, ok := Mean(all)
	if !ok || e.Stories < 2 {
		return Errors{}, false
	}
	e.Mean = mean
	var squares float64
	for _, runs := range scores {
		var off float64
		for _, x := range runs {
			off += x - mean
		}
		squares += off * off
	}
	population, _ := PopulationSD(all)
	sample, _ := SampleSD(all)
	n, g := float64(e.Runs), float64(e.Stories)
	e.Naive, e.NaiveSample = population/math.Sqrt(n), sample/math.Sqrt(n)
	e.Clustered = math.Sqrt(squares) / n
	e.Corrected = e.Clustered * math.Sqrt(g/(g-1))
	return e, finite(e.Corrected)
}

// Unpaired is the standard error of the difference of two suites that share no story.
func Unpaired(base, candidate Errors) float64 { return math.Hypot(base.Corrected, candidate.Corrected) }

// Difference is of a candidate and its base over the same stories.
type Difference struct {
	ByStory  []float64 // the candidate's mean less the base's
	Mean, SE float64
	DF       int
}

// Paired compares two suites story by story: scores at the same index are of the same story. Pairing takes the spread between stories out of the error.
// Undefined when they differ in their stories, when a story has no run on a side, and for fewer than two stories.
func Paired(base, candidate [][]float64) (d Difference, ok bool) {
	if len(base) != len(candidate) {
		return Difference{}, false
	}
	for i := range base {
		b, okBase := Mean(base[i])
		c, okCandidate := Mean(candidate[i])
		if !okBase || !okCandidate {
			return Difference{}, false
		}
		d.ByStory = append(d.ByStory, c-b)
	}
	sd, ok := SampleSD(d.ByStory)
	if !ok {
		return Difference{}, false
	}
	d.Mean, _ = Mean(d.ByStory)
	d.SE, d.DF = sd/math.Sqrt(float64(len(d.ByStory))), len(d.ByStory)-1
	return d, true
}

// T is Student's t of the difference. Undefined where no story differs from another.
func (d Difference) T() (t float64, ok bool) {
	if d.SE < slack {
		return 0, false
	}
	return defined(d.Mean / d.SE)
}

// Significant says whether t exceeds what chance allows at 5 %; false where t is undefined.
func (d Difference) Significant() bool {
	t, okT := d.T()
	critical, ok := Student(d.DF)
	return okT && ok && math.Abs(t) > critical
}

// Spread is where a suite's uncertainty comes from, as variances.
type Spread struct{ Between, Within float64 }

// SpreadOf splits the variance of scores into the one between stories and the one within them. Undefined for fewer than two stories, stories
// of fewer than two runs, and stories of different numbers of runs.
func SpreadOf(scores [][]float64) (s Spread, ok bool) {
	var means, variances []float64
	for _, runs := range scores {
		sd, ok := SampleSD(runs)
		if !ok || len(runs) != len(scores[0]) {
			return Spread{}, false
		}
		mean, _ := Mean(runs)
		means, variances = append(means, mean), append(variances, sd*sd)
	}
	sd, ok := SampleSD(means)
	if !ok {
		return Spread{}, false
	}
	s.Within, ok = Mean(variances)
	s.Between = max(0, sd*sd-s.Within/float64(len(scores[0])))
	return s, ok && finite(s.Between)
}

// StandardError is what a suite of stories with runs each would have: √((between + within ÷ runs) ÷ stories). It says whether more repeats help, or only
// more stories. Undefined for fewer than one of either.
func (s Spread) StandardError(stories, runs int) (se float64, ok bool) {
	if stories < 1 || runs < 1 {
		return 0, false
	}
	return defined(math.Sqrt((s.Between + s.Within/float64(runs)) / float64(stories)))
}
