package reprise_test

import (
	"fmt"
	"testing"

	"reprise"
	"reprise/fixtures/sources"
)

// BenchmarkHarvest goes through results of several kinds and sizes: what is measured is the Tracer
// alone, without reading the message. Each result has ids of its own.
func BenchmarkHarvest(b *testing.B) {
	for _, kind := range sources.ResultKinds {
		for _, size := range []int{64 << 10, 4 << 20} {
			b.Run(fmt.Sprintf("%s/%dKiB", kind, size>>10), func(b *testing.B) { benchmarkHarvest(b, kind, size) })
		}
	}
}

func benchmarkHarvest(b *testing.B, kind string, size int) {
	results := sources.Results(kind, size)
	b.SetBytes(int64(len(results[0])))
	t := &reprise.Tracer{Value: func(*reprise.Value) {}, Use: func(*reprise.Use) {}}
	seq, start := int64(0), cpuTime()
	for i := 0; b.Loop(); i++ {
		seq = sources.Answer(t, seq, results[i%len(results)])
	}
	b.ReportMetric(float64(b.N*len(results[0]))/1e6/(cpuTime()-start).Seconds(), "MB/cpu-s")
}

// TestScore holds provenance to what a person says of the captured sessions.
func TestScore(t *testing.T) {
	s, err := sources.ScoreLabels()
	if err != nil {
		t.Fatal(err)
	}
	if s.Missing > 0 || s.Agree < s.Labels*95/100 || s.Linked < s.Right*9/10 || s.Related < s.Right*8/10 {
		t.Errorf("of %d labels %d agree; of %d right ones %d are linked to the labelled line, %d have its entity\n%s",
			s.Labels, s.Agree, s.Right, s.Linked, s.Related, s.Differences)
	}
	if s.Labels < 150 || s.Precision() < 0.98 || s.Recall() < 0.95 {
		t.Errorf("of %d labels: precision %.3f, recall %.3f\n%s", s.Labels, s.Precision(), s.Recall(), s.Differences)
	}
}
