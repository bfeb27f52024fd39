package main

import (
	"fmt"
	"strings"
	"time"

	"reprise"
)

// head writes what is known of the session, and what is missing from its record.
func (v *view) head() {
	if v.screen.quiet {
		return
	}
	s := v.session
	v.fact("session", plain, s.ID)
	v.fact("server", bold, named(s.Server, s.Peer))
	v.fact("host", plain, named(s.Host, s.Client))
	v.fact("command", plain, strings.Join(s.Command, " "))
	v.fact("url", plain, s.URL)
	v.fact("protocol", plain, strings.Join(nonEmpty(s.ProtocolVersion, s.Transport), " over "))
	v.fact("started", plain, startedAt(s))
	v.fact("ended", plain, endedIn(s))
	v.fact("recorded", plain, recordedIn(s))
	v.losses()
	v.screen.line("")
}

// fact writes a line of the head, or a few; one without a value is left out.
func (v *view) fact(name string, st style, value string) {
	if value == "" {
		return
	}
	for _, line := range wrap(value, v.screen.width-10, 3) {
		text := v.screen.cell(v.screen.width-10).add(st, line)
		v.screen.line("%s %s", v.screen.cell(9).add(dim, name), strings.TrimRight(text.String(), " "))
		name = ""
	}
}

// named joins our name for a side with its own for itself.
func named(ours string, theirs reprise.Peer) string {
	own := strings.TrimSpace(theirs.Name + " " + theirs.Version)
	switch {
	case ours == "" || ours == own || ours == theirs.Name:
		return own
	case own == "":
		return ours
	}
	return fmt.Sprintf("%s (%s)", ours, own)
}

func startedAt(s *reprise.Session) string {
	if s.StartedAt.IsZero() { // a capture file that does not say
		return ""
	}
	return s.StartedAt.Local().Format(time.DateTime)
}

func endedIn(s *reprise.Session) string {
	switch {
	case s.EndedAt.IsZero() && s.Imported:
		return "the file does not say"
	case s.EndedAt.IsZero():
		return "not yet"
	}
	text := fmt.Sprintf("after %s: %s", took(s.EndedAt.Sub(s.StartedAt)), s.Ending)
	if s.ExitCode != nil {
		text += fmt.Sprintf(", exit code %d", *s.ExitCode)
	}
	return text
}

func recordedIn(s *reprise.Session) string {
	text := fmt.Sprintf("%s, %s", count(s.Frames, "frame"), count(s.Calls, "call"))
	if s.Errors > 0 {
		text += fmt.Sprintf(" (%d failed)", s.Errors)
	}
	text += ", " + bytesOf(s.Bytes)
	if s.MetadataOnly {
		text += ", metadata only"
	}
	if s.Purpose != "" {
		text += ", made by " + s.Purpose
	}
	if s.Redacted {
		text += ", redacted"
	}
	return text
}

// losses says what is not as it should be. A clean record has none of these lines.
func (v *view) losses() {
	s := v.session
	gaps, err := v.src.Gaps(v.ctx, s.ID)
	if err != nil {
		v.fact("missing", red, err.Error())
	}
	for _, g := range joined(gaps) {
		v.fact("missing", red, fmt.Sprintf("%s at %s: %s", extent(g), offset(g.At), g.Reason))
	}
	if s.Noise > 0 {
		v.fact("noise", yellow, count(s.Noise, "line")+" (not JSON-RPC)")
	}
	if s.Invalid > 0 {
		v.fact("invalid", yellow, count(s.Invalid, "message")+" (broken JSON-RPC)")
	}
	if s.Orphans > 0 {
		v.fact("orphans", yellow, count(s.Orphans, "response")+" (no request for it)")
	}
}
