package stats

import (
	"fmt"
	"math"
	"testing"
)

func TestSuite(t *testing.T) {
	base := [][]float64{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 0}, {1, 1, 1, 0, 0}, {1, 0, 0, 0, 0}}
	candidate := [][]float64{{1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 0, 0, 0, 0}}
	b, _ := Cluster(base)
	c, _ := Cluster(candidate)
	round(t, "unpaired", Unpaired(b, c), 0.243242)
	s, ok := SpreadOf(base)
	if !ok {
		t.Fatal("no spread")
	}
	round(t, "within", s.Within, .175)
	round(t, "between", s.Between, .081667)
	for runs, want := range map[int]float64{1: .253311, 3: .187083, 5: .170783, 10: .157454, 100: .144410} {
		se, _ := s.StandardError(4, runs)
		round(t, "standard error", se, want)
	}
	p, ok := SignFlip([]float64{0, -.4, -.2, 0}, 1)
	half := .5
	optional(t, p, ok, &half)
}

func TestWhatIsUndefinedOfASuite(t *testing.T) {
	inf := math.Inf(1)
	for _, scores := range [][][]float64{nil, {{1, 0}}, {{}, {}}, {{1}, {}}, {{1}, {inf}}, {{1}, {math.NaN()}}} {
		if e, ok := Cluster(scores); ok {
			t.Errorf("Cluster(%v) is %v", scores, e)
		}
		if d, ok := Paired(scores, scores); ok {
			t.Errorf("Paired(%v) is %v", scores, d)
		}
		if s, ok := SpreadOf(scores); ok {
			t.Errorf("SpreadOf(%v) is %v", scores, s)
		}
	}
	if _, ok := Paired([][]float64{{1}, {1}}, [][]float64{{1}}); ok {
		t.Error("suites of different stories were paired")
	}
	d, ok := Paired([][]float64{{1}, {1}}, [][]float64{{0}, {0}})
	if _, okT := d.T(); !ok || okT || d.Significant() {
		t.Errorf("%v has a t", d)
	}
	if _, ok := (Spread{}).StandardError(0, 1); ok {
		t.Error("a suite without stories has an error")
	}
}

func TestStudent(t *testing.T) {
	for df, want := range map[int]float64{1: 12.706204736, 2: 4.302652730, 3: 3.182446305, 4: 2.776445105, 30: 2.042272456, 100: 1.983971518, 1000: 1.962339081} {
		got, ok := Student(df)
		within1e(t, fmt.Sprint(df), got, want, 1e-8)
		if !ok {
			t.Errorf("%d degrees have no percentile", df)
		}
	}
	exact, _ := Student(1000)
	near(t, "the expansion", expandedT(1000), exact)
	if got, ok := Student(0); ok || got != 0 {
		t.Errorf("no degree of freedom gives %v", got)
	}
	many, _ := Student(1e9)
	within1e(t, "many degrees", many, z, 1e-8)
}

func TestBootstrapOfManyStories(t *testing.T) {
	diffs := []float64{.1, -.2, 0, -.4, .2, -.1, -.3}
	a, ok := Bootstrap(diffs, 7)
	again, _ := Bootstrap(diffs, 7)
	other, _ := Bootstrap(diffs, 8)
	if !ok || a != again || a.Exact || a.Resamples != 10_000 || a.Seed != 7 {
		t.Errorf("%+v, then %+v", a, again)
	}
	if other.Seed = 7; other == a {
		t.Error("the seed does not matter")
	}
	within1e(t, "lower", a.Lower, -.242857, .03)
	within1e(t, "upper", a.Upper, .042857, .03)
	six, _ := Bootstrap(diffs[:6], 7)
	seeded, _ := Bootstrap(diffs[:6], 8)
	if seeded.Seed = 7; six.Resamples != 46656 || !six.Exact || six != seeded {
		t.Errorf("of six stories: %+v", six)
	}
}

func TestSignFlipOfManyStories(t *testing.T) {
	all := make([]float64, 20)
	for i := range all {
		all[i] = -.5
	}
	p, ok := SignFlip(all, 1)
	if !ok || p <= 0 || p > 0.001 {
		t.Errorf("twenty falls have p %v, %t", p, ok)
	}
	exact, _ := SignFlip(all[:15], 1)
	near(t, "fifteen", exact, 2.0/32768)
	few := []float64{.1, -.2, .3, .1, .2, -.1, .4, .1, -.3, .2, .1, 0, .2, -.1, .3, .1}
	a, _ := SignFlip(few, 1)
	b, _ := SignFlip(few, 1)
	if a != b {
		t.Errorf("the same seed gives %v and %v", a, b)
	}
}

func TestResamplingNeedsNumbers(t *testing.T) {
	for _, diffs := range [][]float64{nil, {}, {math.NaN()}, {0, math.Inf(-1)}, {math.Inf(1), math.Inf(-1)}} {
		if r, ok := Bootstrap(diffs, 1); ok || r != (Resampled{}) {
			t.Errorf("Bootstrap(%v) is %v", diffs, r)
		}
		if p, ok := SignFlip(diffs, 1); ok || p != 1 {
			t.Errorf("SignFlip(%v) is %v", diffs, p)
		}
	}
	if r, ok := Bootstrap([]float64{.1}, 1); !ok || r.Lower != .1 || r.Upper != .1 || r.Resamples != 1 {
		t.Errorf("one story gives %+v", r)
	}
}
