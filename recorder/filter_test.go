//go:build cgo

package recorder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reprise"
)

// TestFilterInSQLAndInMemory: whatever the filter and whatever the traffic, the
// database gives exactly the calls, messages and sessions that Filter.Match
// and Filter.MatchSession select. A failure names its seed.
func TestFilterInSQLAndInMemory(t *testing.T) {
	seen := map[string]*selection{}
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w := newWorld(t, seed)
			for range 120 {
				w.compare(t, w.filter(), seen)
			}
		})
	}
	for _, kind := range strings.Fields("session host server transport version since until direction kind method tool prompt uri id " +
		"status code dur size seq source value text regexp") {
		if n := seen[kind]; n == nil || n.hits < 20 || n.misses < 20 {
			t.Errorf("the filters on %s selected and left out %+v: the test says nothing of it", kind, n)
		}
	}
}

// selection counts what filters of one term selected and left out.
type selection struct{ hits, misses int }

// TestFilterOnLongLines: size is that of the whole line, and the bytes are those of its first part, in both.
func TestFilterOnLongLines(t *testing.T) {
	w := &world{Rand: rand.New(rand.NewPCG(1, 1))}
	w.open(t)
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"put","arguments":{"a":"early","b":"` +
		strings.Repeat("x", reprise.PartSize) + `","c":"late"}}}` + "\n"
	w.record(t, &reprise.Session{ID: "long", StartedAt: w.start()}, [][]byte{[]byte(line)})
	for _, text := range []string{"size:>16mb", fmt.Sprintf("size:%d", len(line)-1), "value:early", "not value:early", "value:late", "late", "/early/"} {
		w.compare(t, text, map[string]*selection{})
	}
}

// TestFilterOfManyTerms: the largest filter that parses is not too large for SQLite.
func TestFilterOfManyTerms(t *testing.T) {
	w := newWorld(t, 1)
	for _, text := range []string{
		strings.Repeat("not kind:noise ", 300),
		strings.Repeat("kind:noise or ", 299) + "value:x",
		strings.Repeat("not ", 49) + "tool:x",
		strings.Repeat("(seq:1 or (seq:2 ", 24) + "/x/" + strings.Repeat("))", 24),
		strings.Repeat("/x/ or ", 299) + `"x"`,
		strings.Repeat("not source:told or ", 299) + "source:*",
	} {
		w.compare(t, text, map[string]*selection{})
	}
}

// compare selects with one filter in SQL and in memory.
func (w *world) compare(t *testing.T, text string, seen map[string]*selection) {
	t.Helper()
	f, err := reprise.ParseFilter(text, w.start())
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, c := range []struct {
		what        string
		sql, memory []string
		of          int
	}{
		{"calls", w.stored(t, f, false), w.selected(f, w.calls), len(w.calls)},
		{"messages", w.stored(t, f, true), w.selected(f, w.messages), len(w.messages)},
		{"sessions", w.storedSessions(t, f), w.selectedSessions(f), 0},
	} {
		if !slices.Equal(c.sql, c.memory) {
			t.Fatalf("%s\nselects of the %s\nin SQL    %q\nin memory %q", text, c.what, c.sql, c.memory)
		}
		if kind := kindOf(f.Expr); kind != "" && c.of > 0 {
			if seen[kind] == nil {
				seen[kind] = &selection{}
			}
			seen[kind].hits += len(c.memory)
			seen[kind].misses += c.of - len(c.memory)
		}
	}
}

func kindOf(x reprise.Expr) string {
	switch x := x.(type) {
	case reprise.Like:
		return string(x.Field)
	case reprise.Compare:
		return string(x.Field)
	case reprise.Contains:
		return "text"
	case reprise.Matches:
		return "regexp"
	}
	return ""
}

// nameOf tells entries apart.
func nameOf(e *reprise.Entry) string {
	if e.Message != nil {
		return fmt.Sprintf("%s/%d.%d", e.Session.ID, e.Seq(), e.Message.Index)
	}
	return fmt.Sprintf("%s/%d.%d", e.Session.ID, e.Seq(), e.Call.Index)
}

func (w *world) stored(t *testing.T, f *reprise.Filter, messages bool) []string {
	names := []string{}
	for e, err := range w.db.Entries(context.Background(), Query{Filter: f, Frames: messages}) {
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		names = append(names, nameOf(e))
	}
	slices.Sort(names)
	return names
}

func (w *world) selected(f *reprise.Filter, entries []*reprise.Entry) []string {
	names := []string{}
	for _, e := range entries {
		if f.Match(e) {
			names = append(names, nameOf(e))
		}
	}
	slices.Sort(names)
	return names
}

func (w *world) storedSessions(t *testing.T, f *reprise.Filter) []string {
	names := []string{}
	for s, err := range w.db.Sessions(context.Background(), f) {
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		names = append(names, s.ID)
	}
	slices.Sort(names)
	return names
}

func (w *world) selectedSessions(f *reprise.Filter) []string {
	names := []string{}
	for _, s := range w.sessions {
		if f.MatchSession(s) {
			names = append(names, s.ID)
		}
	}
	slices.Sort(names)
	return names
}

func (w *world) pick(from ...string) string { return from[w.IntN(len(from))] }
