package stats

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"
)

// sections are the ways to read testdata/vectors.json, which was computed independently of this package.
var sections = map[string]func(*testing.T, json.RawMessage){
	"z":                               func(t *testing.T, raw json.RawMessage) { near(t, "z", z, read[float64](t, raw)) },
	"note":                            func(*testing.T, json.RawMessage) {},
	"wilson":                          vectorsOfWilson,
	"newcombe":                        vectorsOfNewcombe,
	"pass_k":                          vectorsOfPassK,
	"fisher":                          vectorsOfFisher,
	"mcnemar_exact":                   vectorsOfMcNemar,
	"flip":                            vectorsOfFlips,
	"clustered":                       vectorsOfClusters,
	"paired_bootstrap_exact":          vectorsOfBootstrap,
	"multiple":                        vectorsOfMultiple,
	"percentile":                      vectorsOfPercentiles,
	"zero_failures_upper95_one_sided": vectorsOfZeroFailures,
	"kappa":                           vectorsOfKappa,
	"webflow":                         vectorsOfScores,
	"gold":                            vectorsOfGold,
	"power":                           vectorsOfPower,
}

func TestVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	file := read[map[string]json.RawMessage](t, raw)
	for name, vectors := range file {
		if sections[name] == nil {
			t.Errorf("no test uses section %q", name)
			continue
		}
		t.Run(name, func(t *testing.T) { sections[name](t, vectors) })
	}
	for name := range sections {
		if file[name] == nil {
			t.Errorf("the file has no section %q", name)
		}
	}
}

// read refuses fields that no test looks at.
func read[T any](t *testing.T, raw []byte) (v T) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func each[T any](t *testing.T, raw json.RawMessage, f func(T)) {
	t.Helper()
	list := read[[]T](t, raw)
	if len(list) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range list {
		f(v)
	}
}

// near holds a number against a vector.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	within1e(t, what, got, want, 1e-9)
}

// round holds it against a rounded value of a publication.
func round(t *testing.T, what string, got, want float64) {
	t.Helper()
	within1e(t, what, got, want, 1e-6)
}

func within1e(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.12f, want %.12f", what, got, want)
	}
}

func vectorsOfWilson(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		X, N         int
		Lower, Upper float64
	}) {
		in, ok := Wilson(Tally{v.X, v.N})
		near(t, "lower", in.Lower, v.Lower)
		near(t, "upper", in.Upper, v.Upper)
		if ok != (v.N > 0) {
			t.Errorf("%d/%d is defined: %t", v.X, v.N, ok)
		}
	})
}

// sides are the two tallies of a vector.
type sides struct {
	BaseX int `json:"base_x"`
	BaseN int `json:"base_n"`
	CmpX  int `json:"cmp_x"`
	CmpN  int `json:"cmp_n"`
}

func (s sides) tallies() (base, candidate Tally) {
	return Tally{s.BaseX, s.BaseN}, Tally{s.CmpX, s.CmpN}
}

func vectorsOfNewcombe(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		sides
		Delta, Lower, Upper float64
	}) {
		base, candidate := v.tallies()
		c, ok := Newcombe(base, candidate, 0)
		if !ok {
			t.Errorf("%v is undefined", v)
		}
		near(t, "delta", c.Delta, v.Delta)
		near(t, "lower", c.Lower, v.Lower)
		near(t, "upper", c.Upper, v.Upper)
	})
}

func vectorsOfPassK(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		N, C, K int
		At      *float64 `json:"pass_at_k"`
		Hat     *float64 `json:"pass_hat_k"`
	}) {
		at, ok := PassAtK(Tally{v.C, v.N}, v.K)
		optional(t, at, ok, v.At)
		hat, ok := PassHatK(Tally{v.C, v.N}, v.K)
		optional(t, hat, ok, v.Hat)
	})
}

// optional holds what may be undefined against a vector that may be null.
func optional(t *testing.T, got float64, ok bool, want *float64) {
	t.Helper()
	if ok != (want != nil) {
		t.Errorf("defined is %t, want %t", ok, want != nil)
	} else if ok {
		near(t, "value", got, *want)
	}
}

func vectorsOfFisher(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		sides
		Two float64 `json:"two_sided"`
		One float64 `json:"one_sided"`
	}) {
		base, candidate := v.tallies()
		two, one, ok := Fisher(base, candidate)
		if !ok {
			t.Errorf("%v is undefined", v)
		}
		near(t, "two-sided", two, v.Two)
		near(t, "one-sided", one, v.One)
	})
}

func vectorsOfMcNemar(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		B, C int
		P    float64
	}) {
		p, ok := McNemar(v.B, v.C)
		optional(t, p, ok, &v.P)
	})
}

func runsOf(letters string) (runs []bool) {
	for _, letter := range letters {
		runs = append(runs, letter == 'P')
	}
	return runs
}

func vectorsOfFlips(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		Runs    string
		Flips   float64 `json:"flip_rate"`
		Entropy float64
	}) {
		flips, ok := FlipRate(runsOf(v.Runs))
		optional(t, flips, ok, &v.Flips)
		bits, ok := Entropy(TallyOf(runsOf(v.Runs)))
		optional(t, bits, ok, &v.Entropy)
	})
}

func vectorsOfClusters(t *testing.T, raw json.RawMessage) {
	v := read[struct {
		Base, Compare [][]float64
		Mean          float64 `json:"mean_base"`
		Naive         float64 `json:"se_naive"`
		NaiveSample   float64 `json:"se_naive_n_minus_1"`
		Clustered     float64 `json:"se_clustered"`
		Corrected     float64 `json:"se_clustered_corrected"`
		Difference    float64 `json:"paired_mean_diff"`
		SE            float64 `json:"paired_se"`
		T             float64
		DF            int
		Critical      float64 `json:"t_crit_975_df3"`
	}](t, raw)
	e, ok := Cluster(v.Base)
	optional(t, e.Mean, ok, &v.Mean)
	near(t, "naive", e.Naive, v.Naive)
	near(t, "naive, n-1", e.NaiveSample, v.NaiveSample)
	near(t, "clustered", e.Clustered, v.Clustered)
	near(t, "corrected", e.Corrected, v.Corrected)
	d, ok := Paired(v.Base, v.Compare)
	optional(t, d.Mean, ok, &v.Difference)
	near(t, "paired", d.SE, v.SE)
	score, ok := d.T()
	optional(t, score, ok, &v.T)
	critical, ok := Student(d.DF)
	optional(t, critical, ok, &v.Critical)
	if d.DF != v.DF || d.Significant() {
		t.Errorf("%d degrees of freedom, significant %t", d.DF, d.Significant())
	}
}

func vectorsOfBootstrap(t *testing.T, raw json.RawMessage) {
	v := read[struct {
		Diffs        []float64
		Resamples    int
		Lower, Upper float64
		Below        float64 `json:"p_mean_lt_0"`
	}](t, raw)
	r, ok := Bootstrap(v.Diffs, 1)
	optional(t, r.Lower, ok, &v.Lower)
	near(t, "upper", r.Upper, v.Upper)
	near(t, "share below zero", r.BelowZero, v.Below)
	if r.Resamples != v.Resamples || !r.Exact {
		t.Errorf("%d resamples, exact %t", r.Resamples, r.Exact)
	}
}

func vectorsOfMultiple(t *testing.T, raw json.RawMessage) {
	v := read[struct{ P, BH, Holm []float64 }](t, raw)
	bh, okBH := BenjaminiHochberg(v.P)
	holm, okHolm := Holm(v.P)
	for i := range v.P {
		optional(t, bh[i], okBH, &v.BH[i])
		optional(t, holm[i], okHolm, &v.Holm[i])
	}
}

func vectorsOfPercentiles(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		XS   []float64
		Q    float64
		Want float64 `json:"nearest_rank"`
	}) {
		got, ok := Percentile(v.XS, v.Q)
		optional(t, got, ok, &v.Want)
	})
}

func vectorsOfZeroFailures(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		N     int
		Upper float64
	}) {
		upper, ok := ZeroFailures(v.N)
		optional(t, upper, ok, &v.Upper)
	})
}

func vectorsOfKappa(t *testing.T, raw json.RawMessage) {
	v := read[struct {
		Table         [][]int
		PO, PE, Kappa float64
	}](t, raw)
	a, ok := Kappa(v.Table)
	optional(t, a.Kappa, ok, &v.Kappa)
	near(t, "observed", a.Observed, v.PO)
	near(t, "expected", a.Expected, v.PE)
}

func vectorsOfScores(t *testing.T, raw json.RawMessage) {
	v := read[struct {
		XS         []float64
		Mean       float64
		Sample     float64 `json:"sd_sample"`
		Population float64 `json:"sd_population"`
	}](t, raw)
	mean, ok := Mean(v.XS)
	optional(t, mean, ok, &v.Mean)
	sd, ok := SampleSD(v.XS)
	optional(t, sd, ok, &v.Sample)
	sd, ok = PopulationSD(v.XS)
	optional(t, sd, ok, &v.Population)
}

func vectorsOfGold(t *testing.T, raw json.RawMessage) {
	v := read[struct {
		Score, Gold, Ratio float64
		SEScore            float64 `json:"se_score"`
		SEGold             float64 `json:"se_gold"`
		SERatio            float64 `json:"se_ratio"`
	}](t, raw)
	r, ok := GoldRatio(Score{v.Score, v.SEScore}, Score{v.Gold, v.SEGold}, GoldFloor)
	optional(t, r.Mean, ok, &v.Ratio)
	near(t, "standard error", r.SE, v.SERatio)
}

func vectorsOfPower(t *testing.T, raw json.RawMessage) {
	each(t, raw, func(v struct {
		Omega2 float64
		A      float64 `json:"sigma2_a"`
		KA     int     `json:"k_a"`
		B      float64 `json:"sigma2_b"`
		KB     int     `json:"k_b"`
		Delta  float64
		N      int
	}) {
		n, ok := SampleSize(v.Omega2, Side{v.A, v.KA}, Side{v.B, v.KB}, v.Delta)
		if !ok || n != v.N {
			t.Errorf("%d stories (%t), want %d", n, ok, v.N)
		}
	})
}
