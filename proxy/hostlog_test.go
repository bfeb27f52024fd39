package proxy

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"reprise"
)

// logPipe is a hostLog and the host's end of it.
func logPipe(t *testing.T) (*hostLog, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	w.Fd() // blocking, as a host's stderr
	return newHostLog(w), r
}

func TestWhatTheHostDoesNotReadIsWithheldUntilItReads(t *testing.T) {
	log, host := logPipe(t)
	block := strings.Repeat("x", 32<<10)
	passed := 0
	for log.admit(len(block)) {
		log.pass([]byte(block))
		passed += len(block)
	}
	if passed < logLimit/2 || passed > 2*logLimit {
		t.Errorf("%d bytes were admitted", passed)
	}
	if log.admit(len(block)) {
		t.Error("admitted while nothing moves")
	}
	if _, err := io.CopyN(io.Discard, host, int64(passed)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is admitted again", func() bool { return log.admit(1) })
	log.pass([]byte("y"))
	if b := make([]byte, 1); !reads(host, b) || b[0] != 'y' {
		t.Errorf("got %q", b)
	}
}

func reads(f *os.File, b []byte) bool {
	_ = f.SetReadDeadline(time.Now().Add(hangGuard))
	_, err := io.ReadFull(f, b)
	return err == nil
}

func TestTheHostClosesItsStderr(t *testing.T) {
	h := evil(t, never, nil, "stderr-fill e 1m; line on; recv; exit 3")
	h.err.Close()
	h.expect("on\n")
	h.send("go\n")
	h.endsWith(Exit{Code: 3, Ending: reprise.EndedByServer})
}

func TestWarnStandsOnALineOfItsOwn(t *testing.T) {
	log, host := logPipe(t)
	pass := func(text string) {
		if log.admit(len(text)) {
			log.pass([]byte(text))
		}
	}
	log.warn("first")
	pass("half a ")
	log.warn("second")
	pass("line\nand another ")
	pass("half\n")
	log.warn("third")
	pass("no end")
	log.warn("last")
	log.flush()
	want := "first\nhalf a line\nsecond\nand another half\nthird\nno end\nlast\n"
	if got := make([]byte, len(want)); !reads(host, got) || string(got) != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestWarnBeforeAndAfterTheSession(t *testing.T) {
	theirs, ours := twoWays(t, os.Pipe)
	s := &Stdio{Command: evilCommand(t, `stderr "log\n"`), Host: theirs}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	s.Warn("before")
	s.Run(nil)
	s.Warn("after")
	theirs.close() // as the end of the process does, at once
	if got, err := io.ReadAll(ours.Err); string(got) != "before\nlog\nafter\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWarnDoesNotWaitForAHostThatDoesNotRead(t *testing.T) {
	log, _ := logPipe(t)
	for log.admit(32 << 10) {
		log.pass(make([]byte, 32<<10))
	}
	log.warn("a line")
	log.flush()
}
