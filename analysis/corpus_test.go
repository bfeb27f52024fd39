package analysis

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// judgedCapture is what a person says of a captured session (fixtures/judged/README.md).
type judgedCapture struct {
	Healthy bool         `json:"healthy"`
	Kind    string       `json:"kind"` // real or made
	About   string       `json:"about"`
	Calls   []judgedCall `json:"calls"`
}

type judgedCall struct {
	Seq        int64  `json:"seq"`
	Index      int    `json:"index"`
	Method     string `json:"method"`
	Name       string `json:"name"`
	Assessment Kind   `json:"assessment"`
	Why        string `json:"why"`
	Planted    bool   `json:"planted"` // it fails of a planted defect, and the session shows it
}

const judgedDir = "../fixtures/judged"

func corpus(t *testing.T) map[string]judgedCapture {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(judgedDir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]judgedCapture
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// judgedReport judges a capture of the corpus, or one of fixtures/captures, by no rule.
func judgedReport(t *testing.T, name string) *Report {
	t.Helper()
	if raw, ok := strings.CutPrefix(name, "captures/"); ok {
		return rawReport(t, raw)
	}
	f, err := os.Open(filepath.Join(judgedDir, name+".capture.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, items, err := reprise.ReadCapture(f)
	if err != nil {
		t.Fatal(name, err)
	}
	r, err := Analyze(&h.Session, items, Options{Analyzers: []*Analyzer{}})
	if err != nil {
		t.Fatal(name, err)
	}
	return r
}

func rawReport(t *testing.T, name string) *Report {
	t.Helper()
	lines, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	j := NewJudge(&reprise.Session{Server: name}, Options{Analyzers: []*Analyzer{}})
	seq := int64(0)
	for _, line := range lines {
		dir, ok := map[string]reprise.Direction{"c2s": reprise.ClientToServer, "s2c": reprise.ServerToClient}[line.Dir]
		if !ok {
			continue
		}
		seq++
		j.Add(&reprise.CaptureItem{Frame: &reprise.Frame{Seq: seq, At: time.Duration(line.US) * time.Microsecond, Direction: dir,
			Data: []byte(line.Raw), EOL: "\n", Size: int64(len(line.Raw))}})
	}
	return j.End()
}

// corpusScore counts how the code agrees with the person.
type corpusScore struct {
	captures, planted, found int
	wrong                    []string // confirmed on a healthy server
	differences              []string
}

func (s *corpusScore) add(name string, want judgedCapture, got *Report) {
	s.captures++
	for i := range max(len(want.Calls), len(got.Calls)) {
		if i >= len(want.Calls) || i >= len(got.Calls) || want.Calls[i].Seq != got.Calls[i].Seq || want.Calls[i].Index != got.Calls[i].Index {
			s.differences = append(s.differences, fmt.Sprintf("%s: other calls than expected from number %d on: %d for %d", name, i, len(got.Calls), len(want.Calls)))
			return
		}
		s.call(name, want.Healthy, &want.Calls[i], &got.Calls[i])
	}
}

func (s *corpusScore) call(name string, healthy bool, want *judgedCall, got *Judged) {
	if want.Planted {
		s.planted++
	}
	if got.Kind == ConfirmedDefect && want.Planted {
		s.found++
	}
	if got.Kind == want.Assessment && got.Name == want.Name {
		return
	}
	line := fmt.Sprintf("%s #%d %s %s is %s (%s), expected %s (%s)", name, got.Seq, got.Name, got.Text, got.Kind, got.Reason, want.Assessment, want.Why)
	if got.Kind == ConfirmedDefect && healthy {
		s.wrong = append(s.wrong, line)
	}
	s.differences = append(s.differences, line)
}

// TestCorpus: never a confirmed defect on a healthy server; nearly every planted one where the session shows it;
// and all else as a careful person says.
func TestCorpus(t *testing.T) {
	all := corpus(t)
	var s corpusScore
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s.add(name, all[name], judgedReport(t, name))
	}
	if s.captures < 60 || s.planted < 20 {
		t.Errorf("only %d captures with %d planted defects", s.captures, s.planted)
	}
	for _, line := range s.differences {
		t.Error(line)
	}
	if len(s.wrong) > 0 {
		t.Errorf("%d defects confirmed on healthy servers", len(s.wrong))
	}
	if 100*s.found < 95*s.planted {
		t.Errorf("found %d of %d planted defects", s.found, s.planted)
	}
}

func TestCorpusIsWhole(t *testing.T) {
	all := corpus(t)
	files, err := filepath.Glob(filepath.Join(judgedDir, "*.capture.jsonl"))
	if err != nil || len(files) < 60 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".capture.jsonl"); len(all[name].Calls) == 0 {
			t.Errorf("nobody has judged %s", name)
		}
	}
	for name, c := range all {
		for _, call := range c.Calls {
			if (call.Assessment != OK) != (call.Why != "") || call.Planted != (call.Assessment == ConfirmedDefect) || call.Planted && c.Healthy {
				t.Errorf("%s #%d contradicts itself", name, call.Seq)
			}
		}
	}
}

func TestCorpusTwiceTheSame(t *testing.T) {
	for name := range corpus(t) {
		if first, again := judgedReport(t, name), judgedReport(t, name); !reflect.DeepEqual(first, again) {
			t.Errorf("%s is judged in two ways", name)
		}
	}
}

// ofCorpus judges the captures whose name begins with one of these, and gives their calls that did not end well.
func ofCorpus(t *testing.T, prefixes ...string) (list []Judged) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(corpus(t))) {
		if !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		for _, c := range judgedReport(t, name).Calls {
			if c.Kind != OK {
				list = append(list, c)
			}
		}
	}
	if len(list) == 0 {
		t.Fatal("no such captures")
	}
	return list
}

// all says that the calls are of one kind.
func all(t *testing.T, kind Kind, calls []Judged) {
	t.Helper()
	for _, c := range calls {
		if c.Kind != kind {
			t.Errorf("%s is %s: %s", c.Text, c.Kind, c.Reason)
		}
	}
}

// An id of another entity proves nothing.
func TestS25_OtherEntity(t *testing.T) {
	all(t, Untestable, ofCorpus(t, "s25-", "tracker-ok-other-entity", "pair-"))
}

// A value that looks like one of an enum proves nothing, and one that the enum excludes is rejected rightly.
func TestS26_EnumLikeInvention(t *testing.T) {
	calls := ofCorpus(t, "s26-")
	if slices.ContainsFunc(calls, func(c Judged) bool { return c.Kind == ConfirmedDefect }) {
		t.Error("a defect is confirmed")
	}
	all(t, RightlyRejected, ofCorpus(t, "s26-region-enum"))
}

// A session in which every call goes out with {} accuses nobody.
func TestS27_EmptyArguments(t *testing.T) {
	all(t, RightlyRejected, ofCorpus(t, "s27-all-empty", "tracker-ok-empty"))
	all(t, Untestable, ofCorpus(t, "s27-one-of", "s27-no-arguments"))
}

// What the server gave and then rejects is a defect, with both calls as evidence: what it listed or gave, and what it did not take.
func TestS34_BothCallsAreEvidence(t *testing.T) {
	for _, c := range ofCorpus(t, "defect-", "tracker-denies-", "tracker-internal-error") {
		if c.Kind != ConfirmedDefect {
			continue
		}
		if !slices.Contains(c.Evidence, c.Seq) || c.Evidence[0] >= c.Seq || c.Evidence[len(c.Evidence)-1] <= c.Seq {
			t.Errorf("%s: evidence %v of #%d", c.Text, c.Evidence, c.Seq)
		}
	}
}

// What was invented proves nothing.
func TestS35_Invented(t *testing.T) {
	all(t, Untestable, ofCorpus(t, "s35-", "tracker-ok-guesses", "modern-guess", "task-guess", "fs-missing", "git-refs"))
}

// The weakest source decides.
func TestS36_WeakestSource(t *testing.T) {
	all(t, Untestable, ofCorpus(t, "s36-"))
}

// Untestable is an outcome of its own: it says why, and no untestable call counts as a defect.
func TestS37_UntestableSaysWhy(t *testing.T) {
	for name := range corpus(t) {
		r := judgedReport(t, name)
		confirmed := 0
		for _, c := range r.Calls {
			if (c.Kind == OK) != (c.Reason == "") || c.Kind != OK && len(c.Evidence) == 0 {
				t.Errorf("%s #%d is %s: %q, %v", name, c.Seq, c.Kind, c.Reason, c.Evidence)
			}
			if c.Kind == ConfirmedDefect {
				confirmed++
			}
		}
		if confirmed != r.Defects() {
			t.Errorf("%s: %d defects, %d confirmed", name, r.Defects(), confirmed)
		}
	}
}
