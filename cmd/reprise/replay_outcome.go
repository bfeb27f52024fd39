package main

import (
	"fmt"
	"strings"

	"reprise/replay"
)

// summary tells what became of a replay in a line.
func summary(r *replay.Report) string {
	parts := []string{"replayed " + count(int64(r.Answered), "answer"), missCount(len(r.Misses) + r.PassFailed)}
	for _, more := range []struct {
		n    int
		text string
	}{
		{len(r.Nearest), "%d answered as the nearest"},
		{len(r.Passed), "%d passed through"},
		{r.PassFailed, "in vain: %d"},
		{r.Repeated, "%d given again"},
		{r.Synthesized, "%d not recorded but certain"},
		{r.Lost, "%d that the recorded server died of"},
		{r.Unasked, "questions that this client does not take: %d"},
		{r.Differently, "questions answered otherwise: %d"},
		{r.MissedCalls(), "recorded and not called: %d"},
	} {
		if more.n > 0 {
			parts = append(parts, fmt.Sprintf(more.text, more.n))
		}
	}
	if r.Died {
		parts = append(parts, fmt.Sprintf("the recorded server died here, with exit code %d", r.Code))
	}
	return strings.Join(parts, ", ")
}

func missCount(n int) string {
	if n == 1 {
		return "1 miss"
	}
	return fmt.Sprintf("%d misses", n)
}

// playOutcome is the outcome of a replay as JSON.
func playOutcome(name string, r *replay.Report) *object {
	row := newObject()
	if name != "" {
		row.set("server", name)
	}
	row.set("outcome", outcomeWord(r))
	row.set("report", r)
	return row
}

func outcomeWord(r *replay.Report) string {
	switch {
	case r.Died:
		return "died"
	case r.Failed(false):
		return "missed"
	}
	return "replayed"
}
