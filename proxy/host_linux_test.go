package proxy

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reprise"
)

func pipeSize(f *os.File) (size int) {
	withFd(f, func(fd int) { size, _ = unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0) })
	return size
}

// bigPipe makes pipes that hold 1 MiB, the most that a user may ask for.
func bigPipe() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err == nil {
		withFd(w, func(fd int) { _, err = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 1<<20) })
	}
	return r, w, err
}

// What the host sent before it left is delivered as long as the server takes
// it, even past the time of Close.
func TestASlowServerGetsAllBeforeSIGTERM(t *testing.T) {
	if _, _, err := bigPipe(); err != nil {
		t.Skip(err)
	}
	h := dialOver(t, bigPipe, Grace{Close: 600 * time.Millisecond, Term: time.Millisecond}, nil,
		evilCommand(t, "repeat 10 ( sleep 100ms; recv-bytes 128k ); recv-eof; line all")...)
	h.send(strings.Repeat("x", 1280<<10))
	h.in.Close()
	h.expect("all\n")
	h.endsWith(Exit{Ending: reprise.EndedByClient})
}

func TestPipesGrowAndNeverShrink(t *testing.T) {
	for name, link := range map[string]link{"usual": os.Pipe, "big": bigPipe} {
		t.Run(name, func(t *testing.T) {
			theirs, ours := twoWays(t, link)
			before := pipeSize(theirs.In)
			s := &Stdio{Command: evilCommand(t, "line on; recv"), Host: theirs}
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan Exit, 1)
			go func() { ended <- s.Run(nil) }()
			expect(t, ours.Out, "on\n")
			if in, out := pipeSize(theirs.In), pipeSize(theirs.Out); in < before || out < before {
				t.Errorf("the host's pipes hold %d and %d bytes, %d before", in, out, before)
			}
			for _, f := range append(s.server.each(), theirs.In, theirs.Out) {
				if n := pipeSize(f); n < bufferSize && os.Geteuid() == 0 { // others have an allowance
					t.Errorf("a pipe holds %d bytes", n)
				}
			}
			ours.In.Close()
			<-ended
		})
	}
}
