package analysis

import "time"

// State is where a finding stands between being seen and being gone.
type State string

const (
	// Open: nobody says that it is mended, or a session since then shows it again.
	Open State = "open"
	// Claimed: somebody says that it is mended, and no session since then says anything of it.
	Claimed State = "claimed"
	// Verifying: sessions since then exercised its place without showing it, and are too few.
	Verifying State = "verifying"
	// Closed: enough of them did.
	Closed State = "closed"
)

// States are all of them, in the order in which a finding goes through them.
func States() []State { return []State{Open, Claimed, Verifying, Closed} }

// Claim says that a finding is mended since a moment. A session that shows it later spends the claim; a later claim starts anew.
type Claim struct {
	Fingerprint string
	At          time.Time
}

// sessionsToClose is how many sessions in a row close a finding that is claimed to be mended.
const sessionsToClose = 3

// sighting is a session that exercised the place of a finding.
type sighting struct {
	began time.Time
	seen  bool // it shows the finding
}

// stateOf is the state of a finding after these sessions, in any order. A session that began before the claim ran, for all
// that is known, against what was not mended yet: it says nothing, and so does one that began nobody knows when.
func stateOf(claim *Claim, sightings []sighting) State {
	if claim == nil {
		return Open
	}
	without := 0
	for _, s := range sightings {
		switch {
		case !s.began.After(claim.At):
		case s.seen:
			return Open
		default:
			without++
		}
	}
	switch {
	case without == 0:
		return Claimed
	case without < sessionsToClose:
		return Verifying
	}
	return Closed
}
