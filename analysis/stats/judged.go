package stats

import "math"

// Agreement is how well two raters agree on the same items.
type Agreement struct {
	Observed float64 // share of the items on which they agree
	Expected float64 // share on which they would by chance
	Kappa    float64 // Cohen's: (observed − expected) ÷ (1 − expected)
	Items    int
}

// Kappa is of a square table: what one rater said by row, the other by column. Undefined for an empty table, one that is not square or has
// negative counts, and where both always say the same one thing: there chance explains all. Fewer than 50 items are not worth quoting.
//
// J. Cohen, Educ. Psychol. Meas. 20 (1960) 37–46.
func Kappa(table [][]int) (a Agreement, ok bool) {
	rows, columns := make([]float64, len(table)), make([]float64, len(table))
	var total, same float64
	for i, row := range table {
		if len(row) != len(table) {
			return Agreement{}, false
		}
		for j, count := range row {
			if count < 0 {
				return Agreement{}, false
			}
			rows[i] += float64(count)
			columns[j] += float64(count)
			total += float64(count)
		}
		same += float64(row[i])
	}
	if total == 0 {
		return Agreement{}, false
	}
	a.Items, a.Observed = int(total), same/total
	for i := range rows {
		a.Expected += rows[i] / total * (columns[i] / total)
	}
	if 1-a.Expected < slack {
		return Agreement{}, false
	}
	a.Kappa = (a.Observed - a.Expected) / (1 - a.Expected)
	return a, true
}

// Score is a mean with its standard error.
type Score struct{ Mean, SE float64 }

// GoldFloor is the gold score below which the judge or the gold must be broken, on a scale to 1.
const GoldFloor = 0.5

// GoldRatio is a score as a share of the gold's, with its standard error (the delta method, of independent scores). Both are to come from the same judge and
// the same number of repeats. More than 1 is allowed, and says that the gold should be replaced. Undefined below the floor, for a gold of 0 or
// less, and for scores that are negative or not finite.
func GoldRatio(score, gold Score, floor float64) (ratio Score, ok bool) {
	for _, v := range []float64{score.Mean, score.SE, gold.Mean, gold.SE} {
		if !finite(v) || v < 0 {
			return Score{}, false
		}
	}
	if gold.Mean < floor || gold.Mean == 0 {
		return Score{}, false
	}
	r := score.Mean / gold.Mean
	ratio = Score{r, math.Hypot(score.SE, r*gold.SE) / gold.Mean} // also where the score is 0
	return ratio, finite(ratio.Mean) && finite(ratio.SE)
}
