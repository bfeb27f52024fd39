package main

import (
	"io"
	"time"

	"reprise"
)

// taped shows what passes over a connection to a tap, each chunk before it moves on: what is read before it is
// handed on, what is written before it is written. So a request stands before its
// reply, whichever side we are. A tap takes calls from several goroutines.
type taped struct {
	io.ReadWriteCloser
	tap         reprise.Tap
	elapsed     func() time.Duration // since the session's start
	read, write reprise.Direction
}

// tapeClient shows the traffic with a client at the far end.
func tapeClient(c io.ReadWriteCloser, tap reprise.Tap, elapsed func() time.Duration) *taped {
	return &taped{c, tap, elapsed, reprise.ClientToServer, reprise.ServerToClient}
}

// tapeServer shows the traffic with a server at the far end.
func tapeServer(c io.ReadWriteCloser, tap reprise.Tap, elapsed func() time.Duration) *taped {
	return &taped{c, tap, elapsed, reprise.ServerToClient, reprise.ClientToServer}
}

func (t *taped) Read(b []byte) (int, error) {
	n, err := t.ReadWriteCloser.Read(b)
	if n > 0 {
		t.tap.Observe(reprise.Chunk{Direction: t.read, Data: b[:n], At: t.elapsed()})
	}
	return n, err
}

func (t *taped) Write(b []byte) (int, error) {
	t.tap.Observe(reprise.Chunk{Direction: t.write, Data: b, At: t.elapsed()})
	return t.ReadWriteCloser.Write(b)
}
