package proxy

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"reprise"
)

// Stdio stands between a host and a server that talk over the server's standard
// streams. Start it, then Run it, once.
type Stdio struct {
	Command []string // the server's argv
	Host    Files    // the host's side: our own standard streams
	// Elapsed is the time since the session's start, taken for each chunk. It
	// counts from Start when it is nil.
	Elapsed func() time.Duration
	// Signals brings the signals that the host sends us; all but SIGPIPE are passed on.
	// A signal that was ignored when we started should not be asked for (signal.Ignored).
	Signals <-chan os.Signal
	Grace   Grace

	child  *child
	server Files // our ends of the server's pipes
	log    *hostLog

	running atomic.Bool // Run is there to flush the log
}

// Files are the three standard streams of one side.
type Files struct{ In, Out, Err *os.File }

// Grace is how long each step of an ending may take. Zero means the usual time.
type Grace struct {
	Close  time.Duration // from the end of the server's stdin to SIGTERM: 5 s
	Term   time.Duration // from SIGTERM to SIGKILL: 2 s
	Signal time.Duration // of silence between a signal from the host and SIGKILL: 300 ms
	Drain  time.Duration // of silence after which an exited server's pipes count as empty though someone holds them: 300 ms
}

func (g Grace) orUsual() Grace {
	or := func(d, usual time.Duration) time.Duration {
		if d == 0 {
			return usual
		}
		return d
	}
	return Grace{
		Close: or(g.Close, 5*time.Second), Term: or(g.Term, 2*time.Second),
		Signal: or(g.Signal, 300*time.Millisecond), Drain: or(g.Drain, 300*time.Millisecond),
	}
}

// Exit is how a session ended.
type Exit struct {
	Code   int            // the server's own, 128+n when it died of signal n
	Signal string         // the signal that the server died of, such as "SIGKILL"; empty when it exited
	Ending reprise.Ending // what came first
}

// StartError is why a server could not be started.
type StartError struct {
	Code    int // as shells have it: 127 when there is no such command, 126 when it cannot be executed
	Command string
	Err     error
}

func (e *StartError) Error() string { return fmt.Sprintf("start %s: %v", e.Command, e.Err) }

func (e *StartError) Unwrap() error { return e.Err }

// Start starts the server. Its error is a *StartError. Nothing is read from the
// host before Run, which must follow whatever the caller does in between.
func (s *Stdio) Start() error {
	s.log = newHostLog(s.Host.Err)
	if s.Elapsed == nil {
		start := time.Now()
		s.Elapsed = func() time.Duration { return time.Since(start) }
	}
	var err error
	s.child, s.server, err = start(s.Command, nil)
	return err
}

// PID is the server's process id.
func (s *Stdio) PID() int { return s.child.pid }

// Warn writes one line of our own to the host's stderr, between two lines of the
// server's: at once, unless one of those is unfinished. It never waits for the host for long.
func (s *Stdio) Warn(line string) {
	s.log.warn(line)
	if !s.running.Load() {
		s.log.flush()
	}
}

// Run moves bytes until the session has ended. It shows each chunk to the tap,
// which may be nil. It leaves goroutines behind only where nothing can call
// them back: blocked in the tap, on a terminal or file of the host, or on the host's stderr.
func (s *Stdio) Run(tap reprise.Tap) Exit {
	r := newRun(s, tap)
	defer r.close()
	r.live()
	r.drain(r.grace.Drain)
	r.child.kill() // before the leader is reaped, while the group's id is surely ours
	r.drain(r.pause)
	code, signal := r.child.reap()
	return Exit{Code: code, Signal: signal, Ending: r.ending}
}

// start starts a server on pipes, and gives our ends of them. Where stderr is
// given, the server has that in the place of a pipe. The error is a *StartError.
func start(command []string, stderr *os.File) (c *child, ours Files, err error) {
	if len(command) == 0 || command[0] == "" {
		return nil, ours, &StartError{127, `""`, os.ErrNotExist}
	}
	theirs, ours, err := pipes(stderr == nil)
	defer theirs.close() // these, and so not the caller's
	if stderr != nil {
		theirs.Err = stderr
	}
	if err == nil {
		c, err = startChild(command, theirs)
	}
	if err != nil {
		ours.close()
		return nil, Files{}, &StartError{exitCode(err), command[0], err}
	}
	for _, f := range ours.each() {
		growPipe(f)
	}
	return c, ours, nil
}

// pipes makes a server's streams: the ends that become the server's, and ours.
// os.Pipe makes both ends non-blocking; taking the descriptor of an end for the
// server turns that one back.
func pipes(withErr bool) (theirs, ours Files, err error) {
	if theirs.In, ours.In, err = os.Pipe(); err != nil {
		return theirs, ours, err
	}
	if ours.Out, theirs.Out, err = os.Pipe(); err == nil && withErr {
		ours.Err, theirs.Err, err = os.Pipe()
	}
	return theirs, ours, err
}

func (f Files) each() []*os.File { return []*os.File{f.In, f.Out, f.Err} }

func (f Files) close() {
	for _, file := range f.each() {
		file.Close() // nil is no trouble
	}
}
