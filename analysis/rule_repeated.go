package analysis

import (
	"fmt"
	"strings"
	"time"
)

var repeatedFailure = &Analyzer{
	Name: "repeated-failure",
	Doc: "A call failed, and the agent made the same call again, to the same failure, though nothing had happened in between that could have helped. " +
		"Nothing means: no call that may write, no answer of the user's, no notification, no more than two minutes. Failures that invite another try are left alone: " +
		"limits, time-outs, permissions, states. Source: W22.",
	Severity: Medium,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		if !p.Session.MetadataOnly {
			p.Calls((&retries{pass: p, world: watchChanges(p), failed: map[callDigest]knownFailure{}, room: placeRoom{}}).see)
		}
	},
}

// retries remembers the latest failure of each call.
type retries struct {
	pass   *Pass
	world  *worldChanges
	failed map[callDigest]knownFailure
	room   placeRoom
}

type knownFailure struct {
	seq, response int64
	ended         time.Duration
	world         int
	text          resultSum
}

func (r *retries) see(e *Exchange) {
	if !plainCall(e) || !e.Status.Failed() || e.Assessment.Kind == ConfirmedDefect { // there the tool is wrong, and no hint helps
		return
	}
	key, said := digestOf(e), e.Said()
	now := knownFailure{e.Seq, e.Response, e.Ended, r.world.n, resultSumOf(withoutDigits(said))}
	last, again := r.failed[key]
	if len(r.failed) >= maxKeptCalls && !again {
		clear(r.failed)
	}
	r.failed[key] = now
	if again && last.world == now.world && last.text == now.text && e.Seq > last.response && e.Started-last.ended <= callPatience &&
		blamesCall(e, said) && r.room.room(e.Name, "") {
		r.pass.Report(repeatedFinding(e, last, said))
	}
}

// withoutDigits is a failure without its numbers: a time or the number of a request makes it no other one.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

func repeatedFinding(e *Exchange, last knownFailure, said string) Finding {
	return Finding{
		Tool: e.Name,
		What: fmt.Sprintf("The same call of %s with the same arguments was made again after it had failed, and failed in the same way: %s.",
			quote(e.Name), quote(strings.TrimSpace(said))),
		Consequence: "The agent did not learn from the failure what to do differently, and spent a further call on it.",
		Suggestion:  "Say in the error what was wrong with the call and what would be right, or that trying again will not help.",
		Evidence:    []int64{last.seq, last.response, e.Seq, e.Response},
	}
}
