package proxy

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"reprise"
)

// Conn is a server that was started for us alone, as one connection: Write goes to
// its stdin, Read comes from its stdout. One goroutine may read while another
// writes, and any may close. It must be closed: that ends the server.
type Conn struct {
	Grace Grace // set it, if at all, before the connection is used

	child   *child
	in, out *os.File
	closing chan struct{} // closed by Close
	over    chan struct{} // closed when the server has exited and a pending Read was woken

	left, ended sync.Once
	exit        Exit

	reading  sync.Mutex // held by whoever reads; guards the rest
	exitedAt time.Time  // written before over is closed
	rest     int        // bytes that came after the server's exit
	silent   bool       // after its exit: nothing more is read
}

// Dial starts a server. Its stderr goes to the file, which stays the caller's, or
// nowhere when that is nil. The error is a *StartError.
func Dial(command []string, stderr *os.File) (*Conn, error) {
	if stderr == nil {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return nil, &StartError{126, os.DevNull, err}
		}
		defer null.Close()
		stderr = null
	}
	child, files, err := start(command, stderr)
	if err != nil {
		return nil, err
	}
	c := &Conn{child: child, in: files.In, out: files.Out, closing: make(chan struct{}), over: make(chan struct{})}
	go c.watch() // until the server has exited, which Close waits for
	return c, nil
}

// watch wakes a pending Read when the server has exited: from then on silence counts.
func (c *Conn) watch() {
	<-c.child.exited
	c.exitedAt = time.Now()
	if c.out.SetReadDeadline(longAgo) != nil { // Windows: only the end of all who hold the pipe ends a Read
		time.Sleep(Grace{}.orUsual().Drain)
		c.child.kill()
	}
	close(c.over)
}

// Read gives what the server writes, and io.EOF after the last of it: at the end of
// the pipe or, as a process that the server started may hold that, when nothing has
// come for Drain since the server's exit. After Close it gives os.ErrClosed.
func (c *Conn) Read(b []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	switch {
	case isClosed(c.closing):
		return 0, os.ErrClosed
	case isClosed(c.over):
		return c.readRest(b)
	}
	n, err := c.out.Read(b)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	select {
	case <-c.closing:
		return 0, os.ErrClosed
	case <-c.over:
		return c.readRest(b)
	}
}

// readRest reads after the server's exit. A process that never falls silent is given the
// time of Close; but what the pipe can hold may be the server's own, however late it is asked for.
func (c *Conn) readRest(b []byte) (int, error) {
	g := c.Grace.orUsual()
	if c.silent || c.rest > bufferSize && time.Since(c.exitedAt) > g.Close {
		return 0, io.EOF
	}
	_ = c.out.SetReadDeadline(time.Now().Add(g.Drain))
	n, err := c.out.Read(b)
	c.rest += n
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.silent, err = true, io.EOF
	}
	return n, err
}

// Write writes to the server's stdin. It waits for a server that does not read,
// until Close or CloseWrite.
func (c *Conn) Write(b []byte) (int, error) { return c.in.Write(b) }

// CloseWrite closes the server's stdin, upon which a polite server ends. Its last words can still be read.
func (c *Conn) CloseWrite() error {
	c.left.Do(func() {
		c.exit.Ending = reprise.EndedByClient
		if isClosed(c.child.exited) {
			c.exit.Ending = reprise.EndedByServer
		}
	})
	return c.in.Close()
}

// Close ends the server, and all of its process group: it closes its stdin, sends SIGTERM after
// Grace.Close and SIGKILL after Grace.Term more. It waits until the server is gone. What
// the server writes meanwhile is thrown away, so that no full pipe keeps it. The error is always nil.
func (c *Conn) Close() error {
	c.ended.Do(c.end)
	return nil
}

func (c *Conn) end() {
	close(c.closing)
	_ = c.CloseWrite()
	woken := c.out.SetReadDeadline(longAgo) == nil
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		c.drain()
	}()
	c.goDown()
	c.child.kill() // before the leader is reaped, while the group's id is surely ours
	<-c.over
	c.exit.Code, c.exit.Signal = c.child.reap()
	c.out.Close()
	if woken {
		<-drained
	}
}

func (c *Conn) drain() {
	c.reading.Lock()
	defer c.reading.Unlock()
	_ = c.out.SetReadDeadline(time.Time{})
	_, _ = io.Copy(io.Discard, c.out)
}

// goDown is the ladder for a server whose stdin is closed.
func (c *Conn) goDown() {
	g := c.Grace.orUsual()
	for _, step := range []struct {
		after time.Duration
		then  func()
	}{
		{g.Close, func() { c.child.signal(syscall.SIGTERM) }},
		{g.Term, c.child.kill},
	} {
		select {
		case <-c.child.exited:
			return
		case <-time.After(step.after):
			step.then()
		}
	}
	<-c.child.exited
}

// PID is the server's process id.
func (c *Conn) PID() int { return c.child.pid }

// Exit is how the server ended. It is known after Close.
func (c *Conn) Exit() Exit { return c.exit }
