package main

import (
	"fmt"
	"strings"

	"reprise"
)

// joined makes one gap of those that are one stretch: each direction has its own.
func joined(gaps []reprise.Gap) (list []reprise.Gap) {
	for _, g := range gaps {
		last := len(list) - 1
		if last >= 0 && list[last].At == g.At && list[last].Reason == g.Reason {
			list[last] = join(list[last], g)
		} else {
			list = append(list, g)
		}
	}
	return list
}

func join(a, b reprise.Gap) reprise.Gap {
	switch {
	case a.Frames == 0:
		a.From, a.To = b.From, b.To
	case b.Frames > 0:
		a.From, a.To = min(a.From, b.From), max(a.To, b.To)
	}
	a.Frames += b.Frames
	a.Bytes += b.Bytes
	return a
}

// extent says how much is missing.
func extent(g reprise.Gap) string {
	switch {
	case g.Frames == 1:
		return fmt.Sprintf("frame %d", g.From)
	case g.Frames > 1:
		return fmt.Sprintf("%d frames (%d to %d)", g.Frames, g.From, g.To)
	case g.Bytes > 0:
		return count(g.Bytes, "byte")
	}
	return "an unknown part" // the journal was deleted, and nobody had counted
}

// gap writes a row for what is missing.
func (r rows) gap(s *reprise.Session, g reprise.Gap) error {
	seq := ""
	if g.Frames > 0 {
		seq = fmt.Sprint(g.From)
	}
	start, used := r.begin(s, seq, g.At, r.paint(red, "⚠"))
	text := r.cell(r.width-used).add(red, extent(g)+" missing: "+g.Reason)
	return r.line("%s%s", start, strings.TrimRight(text.String(), " "))
}

// gapsUpTo writes those that lie before a frame, and gives the others.
func (r rows) gapsUpTo(seq int64, s *reprise.Session, gaps []reprise.Gap) ([]reprise.Gap, error) {
	for len(gaps) > 0 && gaps[0].From <= seq {
		if err := r.gap(s, gaps[0]); err != nil {
			return nil, err
		}
		gaps = gaps[1:]
	}
	return gaps, nil
}
