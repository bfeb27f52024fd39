package analysis

import (
	"slices"
	"testing"
	"time"
)

// TestLifeOfAFinding goes through every transition: from each state by each thing that can happen.
func TestLifeOfAFinding(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	with := func(n int) sighting { return sighting{day(n), true} }
	without := func(n int) sighting { return sighting{day(n), false} }
	for name, c := range map[string]struct {
		claimed int // day; 0 is never
		seen    []sighting
		want    State
	}{
		"nobody claims it": {0, []sighting{with(1)}, Open},
		"nobody claims it and nobody sees it any more": {0, []sighting{with(1), without(2), without(3), without(4)}, Open},
		"open, claimed": {5, []sighting{with(1)}, Claimed},
		"claimed, sessions before it say nothing":        {5, []sighting{with(1), without(2), without(3), without(4)}, Claimed},
		"claimed, one that began at that moment neither": {5, []sighting{with(1), with(5), without(5)}, Claimed},
		"claimed, seen again":                            {5, []sighting{with(1), with(6)}, Open},
		"claimed, one without it":                        {5, []sighting{with(1), without(6)}, Verifying},
		"verifying, a second":                            {5, []sighting{with(1), without(6), without(7)}, Verifying},
		"verifying, a third":                             {5, []sighting{with(1), without(6), without(7), without(8)}, Closed},
		"verifying, seen again":                          {5, []sighting{with(1), without(6), with(7)}, Open},
		"closed, a fourth":                               {5, []sighting{with(1), without(6), without(7), without(8), without(9)}, Closed},
		"closed, seen again":                             {5, []sighting{with(1), without(6), without(7), without(8), with(9)}, Open},
		"spent: sessions behind the new evidence":        {5, []sighting{with(1), with(6), without(7), without(8), without(9)}, Open},
		"open again, claimed again":                      {7, []sighting{with(1), without(6), with(7)}, Claimed},
		"claimed again, one without it":                  {7, []sighting{with(1), with(6), without(8)}, Verifying},
		"claimed again, what closed it before is spent":  {9, []sighting{with(1), without(6), without(7), without(8)}, Claimed},
	} {
		var claim *Claim
		if c.claimed > 0 {
			claim = &Claim{At: day(c.claimed)}
		}
		if got := stateOf(claim, c.seen); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		slices.Reverse(c.seen)
		if got := stateOf(claim, c.seen); got != c.want {
			t.Errorf("%s, told backwards: %s, want %s", name, got, c.want)
		}
	}
}

// TestSessionsWithoutATimeChangeNoState: whether they came before or after the claim is not known.
func TestSessionsWithoutATimeChangeNoState(t *testing.T) {
	for _, at := range []time.Time{{}, time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC)} {
		if got := stateOf(&Claim{At: at}, []sighting{{seen: true}, {}, {}, {}}); got != Claimed {
			t.Errorf("claimed at %v: %s", at, got)
		}
	}
}
