//go:build unix

package proxy

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"reprise"
)

// conn is a scripted server that was dialled.
func conn(t *testing.T, grace Grace, script string) *Conn {
	t.Helper()
	return connTo(t, grace, evilCommand(t, script)...)
}

func connTo(t *testing.T, grace Grace, command ...string) *Conn {
	t.Helper()
	c, err := Dial(command, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Grace = grace
	guard := time.AfterFunc(hangGuard, c.child.kill)
	t.Cleanup(func() {
		c.Close()
		guard.Stop()
	})
	return c
}

func (c *Conn) endsWith(t *testing.T, want Exit) {
	t.Helper()
	c.Close()
	if got := c.Exit(); got != want {
		t.Errorf("ended with %+v, want %+v", got, want)
	}
}

func TestDialTalks(t *testing.T) {
	c := conn(t, never, `recv; line hello; recv-eof; line bye; exit 3`)
	if _, err := io.WriteString(c, "{}\n"); err != nil {
		t.Fatal(err)
	}
	expect(t, c, "hello\n")
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(c); string(rest) != "bye\n" || err != nil {
		t.Errorf("got %q, %v", rest, err)
	}
	c.endsWith(t, Exit{Code: 3, Ending: reprise.EndedByClient})
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed connection gives %v", err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed connection takes a byte: %v", err)
	}
}

func TestDialPutsTheServersStderrIntoTheFile(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c, err := Dial(evilCommand(t, "stderr one; exit 0"), w)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, c)
	c.Close()
	if _, err := w.WriteString(" two"); err != nil {
		t.Errorf("the file was closed: %v", err)
	}
	w.Close()
	if got, _ := io.ReadAll(r); string(got) != "one two" {
		t.Errorf("got %q", got)
	}
}

func TestDialWhatCannotBeStarted(t *testing.T) {
	for want, command := range map[int][]string{126: {t.TempDir()}, 127: {"no-such-command-anywhere"}} {
		before := openFiles(t)
		var start *StartError
		if _, err := Dial(command, nil); !errors.As(err, &start) || start.Code != want {
			t.Errorf("got %v, want code %d", err, want)
		}
		if after := openFiles(t); after != before {
			t.Errorf("%d files are open, %d were", after, before)
		}
	}
	var start *StartError
	if _, err := Dial(nil, nil); !errors.As(err, &start) || start.Code != 127 {
		t.Errorf("no command: %v", err)
	}
}

func TestCloseGoesDownTheLadder(t *testing.T) {
	for name, tt := range map[string]struct {
		grace  Grace
		script string
		want   Exit
	}{
		"it leaves by itself": {never, "line on; recv-eof; exit 9", Exit{Code: 9, Ending: reprise.EndedByClient}},
		"its last words fill the pipe": {never, "line on; recv-eof; fill x 2m; exit 9",
			Exit{Code: 9, Ending: reprise.EndedByClient}},
		"it needs SIGTERM": {Grace{Close: time.Millisecond, Term: time.Hour}, "on SIGTERM ( fill x 2m; exit 9 ); line on; hang",
			Exit{Code: 9, Ending: reprise.EndedByClient}},
		"it needs SIGKILL": {quick, "ignore SIGTERM; line on; hang",
			Exit{Code: 137, Signal: "SIGKILL", Ending: reprise.EndedByClient}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := conn(t, tt.grace, tt.script)
			expect(t, c, "on\n")
			c.endsWith(t, tt.want)
		})
	}
}

func TestCloseFreesWhoWaits(t *testing.T) {
	c := conn(t, quick, "line on; hang")
	expect(t, c, "on\n")
	read, written := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		read <- err
	}()
	go func() {
		_, err := c.Write(make([]byte, 8<<20)) // more than goes in
		written <- err
	}()
	time.Sleep(20 * time.Millisecond) // both wait
	c.endsWith(t, Exit{Code: 143, Signal: "SIGTERM", Ending: reprise.EndedByClient})
	for what, err := range map[string]error{"read": <-read, "write": <-written} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestTheEndIsSeenThoughAGrandchildHoldsThePipe(t *testing.T) {
	for name, verb := range map[string]string{"of its group": "fork-holder", "of another": "setsid-holder"} {
		t.Run(name, func(t *testing.T) {
			pid := filepath.Join(t.TempDir(), "pid")
			c := conn(t, Grace{Close: time.Hour, Drain: 50 * time.Millisecond}, verb+" 1m "+pid+"; fill x 200k; exit 3")
			eventually(t, "it has exited", func() bool { return isClosed(c.over) })
			time.Sleep(200 * time.Millisecond) // we are slow, and get all of it
			if got, err := io.ReadAll(c); len(got) != 200<<10 || err != nil {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
			if _, err := c.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("after the end: %v", err)
			}
			c.endsWith(t, Exit{Code: 3, Ending: reprise.EndedByServer})
			if verb == "setsid-holder" { // is not ours to end
				_ = syscall.Kill(readPID(t, pid), syscall.SIGKILL)
			}
			gone(t, readPID(t, pid))
		})
	}
}

func TestAReadThatWaitsSeesTheEnd(t *testing.T) {
	c := conn(t, Grace{Close: time.Hour, Drain: 20 * time.Millisecond}, "fork-holder 1m; line on; recv; exit 3")
	expect(t, c, "on\n")
	read := make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		read <- err
	}()
	time.Sleep(20 * time.Millisecond) // it waits
	_, _ = io.WriteString(c, "\n")
	if err := <-read; err != io.EOF {
		t.Errorf("got %v", err)
	}
	c.endsWith(t, Exit{Code: 3, Ending: reprise.EndedByServer})
}

func TestALateWriterIsRead(t *testing.T) {
	c := connTo(t, Grace{Drain: 5 * time.Second}, "sh", "-c", "(sleep 0.3; echo late) & echo early; exit 3")
	if got, err := io.ReadAll(c); string(got) != "early\nlate\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	c.endsWith(t, Exit{Code: 3, Ending: reprise.EndedByServer})
}

func TestAWriterThatNeverFallsSilentIsLeft(t *testing.T) {
	c := connTo(t, Grace{Close: 50 * time.Millisecond, Drain: time.Hour}, "sh", "-c", "yes & exit 3")
	if n, err := io.Copy(io.Discard, c); n <= bufferSize || err != nil {
		t.Errorf("got %d bytes, %v", n, err)
	}
	c.endsWith(t, Exit{Code: 3, Ending: reprise.EndedByServer})
}

func TestDialLeavesNothing(t *testing.T) {
	one := func(script string) {
		c := conn(t, never, script)
		_, _ = io.WriteString(c, "{}\n")
		expect(t, c, "on\n")
		c.Close()
	}
	one("line on; recv-eof")
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	for range 50 {
		one("line on; recv-eof")
		one("fork-holder 1m; line on; exit 3")
	}
	eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= goroutines })
	if n := openFiles(t); n > files {
		t.Errorf("%d descriptors are open, %d were", n, files)
	}
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
		t.Errorf("a child is left: %d, %v", pid, err)
	}
}

// accept takes a host, and gives the host's ends.
func accept(t *testing.T, link link) (io.ReadWriteCloser, Files) {
	t.Helper()
	theirs, ours := twoWays(t, link)
	c := Accept(theirs.In, theirs.Out)
	t.Cleanup(func() { c.Close() })
	return c, ours
}

func TestAcceptTalks(t *testing.T) {
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			c, host := accept(t, link)
			big := strings.Repeat("x", 3<<20)
			go func() {
				_, _ = io.WriteString(host.In, "question\n")
				host.In.Close()
			}()
			if got, err := io.ReadAll(c); string(got) != "question\n" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
			go func() { _, _ = io.WriteString(c, big) }()
			expect(t, host.Out, big)
		})
	}
}

func TestCloseGivesTheHostBackAndFreesWhoWaits(t *testing.T) {
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			c, host := accept(t, link)
			read, written := make(chan error, 1), make(chan error, 1)
			go func() {
				_, err := c.Read(make([]byte, 1))
				read <- err
			}()
			go func() {
				_, err := c.Write(make([]byte, 8<<20))
				written <- err
			}()
			time.Sleep(20 * time.Millisecond) // both wait
			c.Close()
			for what, err := range map[string]error{"read": <-read, "write": <-written} {
				if !errors.Is(err, os.ErrClosed) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if _, err := host.In.WriteString("x"); err != nil {
				t.Errorf("the host's stream was closed: %v", err)
			}
		})
	}
}

func TestAHostThatReadsNoMoreIsAnError(t *testing.T) {
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			c, host := accept(t, link)
			host.Out.Close()
			if _, err := io.WriteString(c, "x\n"); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func BenchmarkDial(b *testing.B) {
	c, err := Dial([]string{"cat"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	roundTrips(b, c)
}

// BenchmarkPipes is what BenchmarkDial is to be held against.
func BenchmarkPipes(b *testing.B) {
	child, files, err := start([]string{"cat"}, os.Stderr)
	if err != nil {
		b.Fatal(err)
	}
	roundTrips(b, struct {
		io.Reader
		io.Writer
	}{files.Out, files.In})
	files.close()
	<-child.exited
	child.reap()
}

func roundTrips(b *testing.B, rw io.ReadWriter) {
	message := make([]byte, 200)
	for b.Loop() {
		if _, err := rw.Write(message); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(rw, message); err != nil {
			b.Fatal(err)
		}
	}
}
