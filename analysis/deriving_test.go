package analysis

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"reprise"
)

// TestSideBySideIsTheSame: a session that is derived in a goroutine of its own gives what it gives item by item, all rules included.
func TestSideBySideIsTheSame(t *testing.T) {
	paths, err := filepath.Glob(judgedDir + "/*.capture.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := reprise.LoadCapture(bytes.NewReader(data))
		if err != nil {
			continue // one of those that are cut on purpose
		}
		j := NewJudge(&c.Header.Session, Options{})
		for item := range c.All() {
			j.Add(&item)
		}
		one := j.End()
		other, err := Analyze(&c.Header.Session, c.All(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(one, other) {
			t.Errorf("%s: item by item another report than side by side", path)
		}
	}
}

// TestAnErrorEndsTheAnalysis and leaves nothing running.
func TestAnErrorEndsTheAnalysis(t *testing.T) {
	broken := errors.New("broken")
	var items iter.Seq2[reprise.CaptureItem, error] = func(yield func(reprise.CaptureItem, error) bool) {
		for _, f := range framesOf(t, tale(listIssues).lines) {
			if !yield(reprise.CaptureItem{Frame: f}, nil) {
				return
			}
		}
		yield(reprise.CaptureItem{}, broken)
	}
	if r, err := Analyze(&reprise.Session{}, items, Options{}); !errors.Is(err, broken) || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}
