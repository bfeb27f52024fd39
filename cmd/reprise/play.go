package main

import (
	"io"
	"os"
	"time"

	"reprise"
	"reprise/recorder"
)

// recordPlay records what passes over a connection that replay or verify made. tape is tapeClient or tapeServer. Where there
// can be no record it says so, and things go on.
func (p *program) recordPlay(o shared, conn io.ReadWriteCloser, s reprise.Session, tape func(io.ReadWriteCloser, reprise.Tap, func() time.Duration) *taped) (io.ReadWriteCloser, *recorder.Recorder) {
	path, err := p.path(o)
	start := p.now()
	if err == nil && s.ID == "" {
		s.ID, err = reprise.NewID(start)
	}
	if err != nil {
		p.warn(o, "this session is not recorded: "+err.Error())
		return conn, nil
	}
	s.StartedAt = start
	elapsed := func() time.Duration { return p.now().Sub(start) }
	log := recorder.Start(path, s, elapsed, func(text string) { p.warn(o, text) })
	return tape(conn, log, elapsed), log
}

// playSession is what is known of a session that replay or verify makes.
func playSession(of *reprise.Capture, name, purpose string) reprise.Session {
	then := of.Session()
	if name == "" {
		name = then.Server
	}
	cwd, _ := os.Getwd()
	return reprise.Session{Server: name, Transport: "stdio", Cwd: cwd, Parent: parentProcess(), Purpose: purpose}
}
