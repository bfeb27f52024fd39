package stats

import (
	"fmt"
	"math"
	"testing"
)

func TestTalliesWithoutARunGiveNoData(t *testing.T) {
	for _, tally := range []Tally{{}, {0, -1}, {-1, 3}, {4, 3}, {math.MaxInt, math.MaxInt}, {math.MinInt, math.MinInt}} {
		if in, ok := Wilson(tally); ok || in != (Interval{0, 1}) {
			t.Errorf("Wilson%v is %v, %t", tally, in, ok)
		}
		if c, ok := Newcombe(Tally{5, 5}, tally, 0); ok || c.Verdict != InsufficientData || c.Interval != (Interval{-1, 1}) {
			t.Errorf("Newcombe%v is %v, %t", tally, c, ok)
		}
		two, one, ok := Fisher(tally, Tally{5, 5})
		if ok || two != 1 || one != 1 {
			t.Errorf("Fisher%v is %v and %v, %t", tally, two, one, ok)
		}
		_, rate := tally.Rate()
		_, entropy := Entropy(tally)
		_, at := PassAtK(tally, 1)
		_, hat := PassHatK(tally, 1)
		if rate || entropy || at || hat || ClassOf(tally) != Insufficient {
			t.Errorf("%v: rate %t, entropy %t, pass@k %t, pass^k %t, %s", tally, rate, entropy, at, hat, ClassOf(tally))
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		base, candidate Tally
		minEffect       float64
		lower, upper    float64
		want            Verdict
	}{
		{Tally{5, 5}, Tally{3, 5}, 0, -0.769276, 0.118182, Inconclusive},
		{Tally{5, 5}, Tally{2, 5}, 0, -0.882379, -0.029790, Regression},
		{Tally{5, 5}, Tally{2, 5}, 0.6, -0.882379, -0.029790, Regression},
		{Tally{5, 5}, Tally{2, 5}, 0.61, -0.882379, -0.029790, Inconclusive},
		{Tally{10, 10}, Tally{6, 10}, 0.4, -0.687326, -0.038386, Regression},
		{Tally{9, 10}, Tally{5, 10}, 0, -0.675912, 0.002356, Inconclusive},
		{Tally{30, 30}, Tally{24, 30}, 0.2, -0.373057, -0.045405, Regression},
		{Tally{45, 50}, Tally{40, 50}, 0, -0.242097158, 0.043431786, Inconclusive},
		{Tally{8, 10}, Tally{9, 10}, 0, -0.236224991, 0.420536442, Inconclusive},
		{Tally{3, 3}, Tally{0, 3}, 0, -1, -0.205923, InsufficientData},
		{Tally{0, 5}, Tally{5, 5}, 0, 0.385549, 1, Improvement},
		{Tally{0, 5}, Tally{5, 5}, math.NaN(), 0.385549, 1, Improvement},
		{Tally{5, 5}, Tally{5, 5}, 0, -0.434482, 0.434482, Inconclusive},
		{Tally{1e6, 1e6}, Tally{1, 1e6}, 0.5, -1, -0.999993, Regression},
	} {
		got, ok := Newcombe(c.base, c.candidate, c.minEffect)
		if !ok || got.Verdict != c.want {
			t.Errorf("%v to %v is %s, want %s", c.base, c.candidate, got.Verdict, c.want)
		}
		round(t, "lower", got.Lower, c.lower)
		round(t, "upper", got.Upper, c.upper)
	}
}

func TestFirstFallFromAPerfectBaseline(t *testing.T) {
	for n, want := range map[int]int{5: 2, 8: 4, 10: 6, 15: 11, 20: 15, 30: 25, 50: 45} {
		first := -1
		for x := range n + 1 {
			if c, _ := Newcombe(Tally{n, n}, Tally{x, n}, 0); c.Verdict == Regression {
				first = x
			}
		}
		if first != want {
			t.Errorf("of %d the first one flagged is %d, want %d", n, first, want)
		}
	}
}

// regressions is how likely a regression is called when the true rates are pb and pc.
func regressions(n int, pb, pc float64) (chance float64) {
	for b := range n + 1 {
		for c := range n + 1 {
			if got, _ := Newcombe(Tally{b, n}, Tally{c, n}, 0); got.Verdict == Regression {
				chance += binomial(n, b, pb) * binomial(n, c, pc)
			}
		}
	}
	return chance
}

func binomial(n, x int, p float64) float64 {
	ways := 1.0
	for i := range x {
		ways *= float64(n-i) / float64(i+1)
	}
	return ways * math.Pow(p, float64(x)) * math.Pow(1-p, float64(n-x))
}

func TestHowOftenAComparisonCriesWolf(t *testing.T) {
	for _, c := range []struct {
		n      int
		pb, pc float64
		want   float64
		digits float64
	}{
		{5, .6, .6, .0309, 1e-4}, {5, .8, .8, .0192, 1e-4}, {5, .9, .9, .0051, 1e-4}, {5, .95, .95, .0009, 1e-4},
		{10, .6, .6, .0202, 1e-4}, {10, .8, .8, .0150, 1e-4}, {10, .9, .9, .0045, 1e-4}, {10, .95, .95, .0006, 1e-4},
		{30, .6, .6, .0244, 1e-4}, {30, .8, .8, .0227, 1e-4}, {30, .9, .9, .0130, 1e-4}, {30, .95, .95, .0036, 1e-4},
		{5, .9, .5, .308, 1e-3}, {10, .9, .5, .471, 1e-3}, {20, .9, .5, .837, 1e-3}, {30, .9, .5, .949, 1e-3},
		{5, .9, .2, .688, 1e-3}, {10, .9, .2, .937, 1e-3},
	} {
		within1e(t, fmt.Sprint(c), regressions(c.n, c.pb, c.pc), c.want, c.digits/2+1e-9)
	}
}

func TestPassKOfASuite(t *testing.T) {
	stories := []Tally{{5, 5}, {4, 5}, {2, 5}, {0, 5}}
	for k, want := range map[int]float64{1: .55, 2: .425, 3: .35, 5: .25} {
		got, counted, ok := Suite(PassHatK, stories, k)
		optional(t, got, ok && counted == 4, &want)
	}
	for k, want := range map[int]float64{2: .675, 3: .725, 5: .75} {
		got, counted, ok := Suite(PassAtK, stories, k)
		optional(t, got, ok && counted == 4, &want)
	}
	if got, counted, ok := Suite(PassHatK, append(stories, Tally{6, 6}), 6); got != 1 || counted != 1 || !ok {
		t.Errorf("pass^6 is %v of %d, %t", got, counted, ok)
	}
	for _, k := range []int{7, 0, -1, math.MaxInt} {
		if _, counted, ok := Suite(PassHatK, stories, k); ok || counted != 0 {
			t.Errorf("pass^%d is of %d stories", k, counted)
		}
	}
}

func TestTestsOfManyRuns(t *testing.T) {
	many := Tally{900_000, 1_000_000}
	two, one, ok := Fisher(many, many)
	if !ok || two != 1 || one < 0.5 || one > 0.51 {
		t.Errorf("no change has p %v and %v, %t", two, one, ok)
	}
	if two, one, ok = Fisher(many, Tally{100_000, 1_000_000}); !ok || two != 0 || one != 0 {
		t.Errorf("a collapse has p %v and %v, %t", two, one, ok)
	}
	if _, one, _ = Fisher(Tally{100_000, 1_000_000}, many); one != 1 {
		t.Errorf("a rise has p %v of a fall", one)
	}
	two, _, _ = Fisher(Tally{900_000, 1_000_000}, Tally{899_000, 1_000_000}) // chi-squared: z = 2.3512, p = 0.0187
	within1e(t, "two-sided", two, 0.0187, 2e-4)
	p, ok := McNemar(500_000, 501_000) // with continuity z = 0.9985, p = 0.31804
	if !ok {
		t.Error("McNemar is undefined")
	}
	within1e(t, "McNemar", p, 0.31804, 1e-5)
	if p, _ := McNemar(1_000_000, 0); p != 0 {
		t.Errorf("McNemar of a collapse is %v", p)
	}
	if p, ok := McNemar(-1, 0); ok || p != 1 {
		t.Errorf("McNemar of -1 is %v, %t", p, ok)
	}
	hat, ok := PassHatK(Tally{999_999, 1_000_000}, 1000)
	want := 1 - 1000.0/1_000_000
	optional(t, hat, ok, &want)
}

func TestAdjusting(t *testing.T) {
	for _, f := range []func([]float64) ([]float64, bool){Holm, BenjaminiHochberg} {
		if got, ok := f(nil); !ok || len(got) != 0 {
			t.Errorf("of no tests: %v, %t", got, ok)
		}
		for _, bad := range []float64{-.1, 1.1, math.NaN(), math.Inf(1)} {
			if got, ok := f([]float64{.1, bad}); ok || got != nil {
				t.Errorf("%v was adjusted: %v", bad, got)
			}
		}
		p := []float64{.2, .003, .041, .012, .030}
		got, _ := f(p)
		if p[0] != .2 || got[1] != .015 || got[0] != .2 {
			t.Errorf("%v became %v", p, got)
		}
	}
}

func TestClasses(t *testing.T) {
	for tally, want := range map[Tally]Class{
		{2, 2}: Insufficient, {3, 3}: StablePass, {0, 3}: StableFail, {1, 3}: Flaky, {2, 3}: Flaky, {999_999, 1_000_000}: Flaky,
	} {
		if got := ClassOf(tally); got != want {
			t.Errorf("%v is %s, want %s", tally, got, want)
		}
	}
	for _, runs := range []string{"", "P"} {
		if _, ok := FlipRate(runsOf(runs)); ok {
			t.Errorf("%q has a flip rate", runs)
		}
	}
}

func TestRevealChance(t *testing.T) {
	for _, c := range []struct {
		p    float64
		n    int
		want float64
	}{{.8, 3, .48}, {.8, 5, .672}, {.8, 10, .8926}, {.9, 3, .27}, {.9, 5, .4095}, {.9, 10, .6513}, {.9, 20, .8784}, {.95, 5, .2262}, {.95, 10, .4013}} {
		got, ok := RevealChance(c.p, c.n)
		within1e(t, fmt.Sprint(c), got, c.want, 5e-5)
		if !ok {
			t.Errorf("%v is undefined", c)
		}
	}
	for _, p := range []float64{-.1, 1.1, math.NaN()} {
		if _, ok := RevealChance(p, 3); ok {
			t.Errorf("%v is taken for a probability", p)
		}
	}
}

func TestScores(t *testing.T) {
	in, ok := meanInterval([]float64{.4, .8, .85})
	if !ok {
		t.Fatal("no interval")
	}
	within1e(t, "half width", (in.Upper-in.Lower)/2, .6127, 5e-5)
	if _, ok := MeanInterval([]float64{.4, .8, .85}); ok {
		t.Error("three scores were taken for an estimate")
	}
	if in, ok := MeanInterval([]float64{1, 1, 1, 1, 1}); !ok || in != (Interval{1, 1}) {
		t.Errorf("five equal scores give %v", in)
	}
	for _, xs := range [][]float64{nil, {math.NaN()}, {math.Inf(1), 1}, {math.Inf(1), math.Inf(-1)}} {
		mean, ok := Mean(xs)
		_, okSD := SampleSD(xs)
		_, okPopulation := PopulationSD(xs)
		if ok || okSD || okPopulation {
			t.Errorf("%v has mean %v", xs, mean)
		}
	}
	if mean, ok := Mean([]float64{math.MaxFloat64, math.MaxFloat64}); !ok || mean != math.MaxFloat64 {
		t.Errorf("the mean of large values is %v", mean)
	}
	if sd, ok := SampleSD([]float64{-math.MaxFloat64, math.MaxFloat64}); ok {
		t.Errorf("the deviation of large values is %v", sd)
	}
	if _, ok := SampleSD([]float64{1}); ok {
		t.Error("one value has a sample deviation")
	}
}

func TestPercentiles(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i
	}
	for q, want := range map[float64]int{0: 1, .01: 1, .07: 7, .29: 29, .5: 50, .57: 57, .95: 95, .951: 96, 1: 100} {
		if got, ok := Percentile(hundred, q); !ok || got != want {
			t.Errorf("the percentile %v is %d, want %d", q, got, want)
		}
	}
	if hundred[0] != 100 {
		t.Error("the values were sorted in place")
	}
	for _, q := range []float64{-.1, 1.1, math.NaN()} {
		if _, ok := Percentile(hundred, q); ok {
			t.Errorf("there is a percentile %v", q)
		}
	}
	if _, ok := Percentile([]float64{1, math.NaN()}, .5); ok {
		t.Error("NaN has a percentile")
	}
	if _, ok := Percentile([]int(nil), .5); ok {
		t.Error("nothing has a percentile")
	}
}

func TestWhatIsUndefinedOfJudges(t *testing.T) {
	for _, table := range [][][]int{nil, {{0}}, {{3}}, {{0, 0}, {0, 0}}, {{5, 0}, {0, 0}}, {{1, 2}}, {{1, 2}, {3}}, {{1, -1}, {1, 1}}} {
		if a, ok := Kappa(table); ok {
			t.Errorf("Kappa(%v) is %v", table, a)
		}
	}
	nan := math.NaN()
	for _, c := range [][2]Score{{{.5, .1}, {.4, .1}}, {{.5, .1}, {nan, .1}}, {{nan, .1}, {.9, .1}}, {{-1, .1}, {.9, .1}}, {{.5, math.Inf(1)}, {.9, .1}}} {
		if r, ok := GoldRatio(c[0], c[1], GoldFloor); ok {
			t.Errorf("GoldRatio(%v) is %v", c, r)
		}
	}
	if _, ok := GoldRatio(Score{.5, .1}, Score{0, 0}, 0); ok {
		t.Error("there is a share of nothing")
	}
	r, ok := GoldRatio(Score{0, .05}, Score{.8, .02}, GoldFloor)
	want := .0625
	optional(t, r.SE, ok && r.Mean == 0, &want)
}

func TestSampleSizes(t *testing.T) {
	if n, ok := SampleSize(1.0/9, Side{0, 1}, Side{0, 1}, .03); !ok || n != 969 {
		t.Errorf("without variance within stories: %d", n)
	}
	if n, ok := SampleSize(0, Side{0, 1}, Side{0, 1}, .03); !ok || n != 1 {
		t.Errorf("without any variance: %d", n)
	}
	for _, c := range []struct {
		omega2 float64
		side   Side
		delta  float64
	}{{-1, Side{.1, 1}, .1}, {.1, Side{-.1, 1}, .1}, {.1, Side{.1, 0}, .1}, {.1, Side{.1, 1}, 0}, {0, Side{0, 1}, 0}, {math.NaN(), Side{.1, 1}, .1}, {.1, Side{.1, 1}, math.NaN()}, {.1, Side{.1, 1}, 1e-300}} {
		if n, ok := SampleSize(c.omega2, c.side, c.side, c.delta); ok {
			t.Errorf("%v needs %d", c, n)
		}
	}
}

func TestZeroFailuresWithoutARun(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt} {
		if upper, ok := ZeroFailures(n); ok || upper != 1 {
			t.Errorf("%d runs give %v", n, upper)
		}
	}
	upper, _ := ZeroFailures(1_000_000)
	within1e(t, "a million runs", upper, 2.995728e-6, 1e-11)
}
