package analysis

import "reprise"

// lacks is where the record has holes.
type lacks struct {
	truncated []int64       // frames of which a part is missing
	holes     []reprise.Gap // in the order of the record
}

// gaps are told at the end of the record.
func (j *Judge) gaps(gaps []reprise.Gap) {
	s := j.report.Session
	s.Gaps, s.LostFrames = int64(len(gaps)), 0
	for _, g := range gaps {
		s.LostFrames += g.Frames
	}
	j.lacks.holes = gaps
}

// within says whether something is missing between two seqs: what was lost there may have changed what a value stood for.
func (l *lacks) within(from, to int64) bool {
	for _, g := range l.holes {
		if g.From <= 0 || g.From <= to && max(g.From, g.To) >= from {
			return true
		}
	}
	for _, seq := range l.truncated {
		if seq >= from && seq <= to {
			return true
		}
	}
	return false
}

// doubt takes back the proofs that the record's holes leave open.
func (j *Judge) doubt() {
	if len(j.lacks.holes) == 0 && len(j.lacks.truncated) == 0 {
		return
	}
	for i := range j.report.Calls {
		c := &j.report.Calls[i]
		if n := len(c.Evidence); c.Kind != ConfirmedDefect || n == 0 || !j.lacks.within(c.Evidence[0], c.Evidence[n-1]) {
			continue
		}
		c.Kind, c.Reason = Untestable, "the record has a gap between what was given and the call"
		if u := j.use[c.Tool()]; u != nil {
			u.Assessed[ConfirmedDefect]--
			u.Assessed[Untestable]++
		}
	}
}
