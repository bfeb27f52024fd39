//go:build unix

package proxy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reprise"
)

// quick is a ladder for servers that go down step by step.
var quick = Grace{Close: 50 * time.Millisecond, Term: 50 * time.Millisecond, Signal: 50 * time.Millisecond, Drain: 50 * time.Millisecond}

func TestTheServersCodeIsOurs(t *testing.T) {
	for _, tt := range []struct {
		script string
		want   Exit
	}{
		{"exit 0", Exit{Ending: reprise.EndedByServer}},
		{"exit 3", Exit{Code: 3, Ending: reprise.EndedByServer}},
		{"recv; exit 255", Exit{Code: 255, Ending: reprise.EndedByServer}},
		{"kill-self SIGTERM", Exit{Code: 143, Signal: "SIGTERM", Ending: reprise.EndedByServer}},
		{"kill-self SIGKILL", Exit{Code: 137, Signal: "SIGKILL", Ending: reprise.EndedByServer}},
		{"close stdin; exit 4", Exit{Code: 4, Ending: reprise.EndedByServer}},
		{"close stdout; close stderr; exit 4", Exit{Code: 4, Ending: reprise.EndedByServer}},
	} {
		t.Run(tt.script, func(t *testing.T) {
			t.Parallel()
			h := evil(t, never, nil, tt.script) // our stdin stays open
			_, _ = h.in.WriteString("{}\n")
			h.endsWith(tt.want)
		})
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tt := range map[string]struct {
		command string
		want    int
	}{
		"missing":         {filepath.Join(dir, "missing"), 127},
		"missing in PATH": {"no-such-command-anywhere", 127},
		"no command":      {"", 127},
		"not executable":  {file("plain", "#!/bin/sh\n", 0o644), 126},
		"no interpreter":  {file("orphan", "#!/no/such/interpreter\n", 0o755), 126},
		"no program":      {file("binary", "\x00\x01\x02", 0o755), 126},
		"a folder":        {dir, 126},
	} {
		t.Run(name, func(t *testing.T) {
			before := openFiles(t)
			s := &Stdio{Command: []string{tt.command}, Host: Files{os.Stdin, os.Stdout, os.Stderr}}
			var start *StartError
			if err := s.Start(); !errors.As(err, &start) || start.Code != tt.want || !strings.HasPrefix(err.Error(), "start ") {
				t.Errorf("got %v, want code %d", err, tt.want)
			}
			if after := openFiles(t); after != before {
				t.Errorf("%d files are open, %d were", after, before)
			}
		})
	}
}

// execvp, and so Node's spawn, runs such a file with the shell.
func TestAScriptWithoutInterpreterLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(path, []byte("echo $0 $1; exit 5\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	h := dial(t, never, nil, path, "arg")
	h.expect(path + " arg\n")
	h.endsWith(Exit{Code: 5, Ending: reprise.EndedByServer})
}

func TestPendingOutputIsDelivered(t *testing.T) {
	h := evil(t, quick, nil, `async ( fill x 1m; stderr-fill e 100k; send end; exit 7 ); hang`)
	time.Sleep(10 * quick.Drain) // far longer than anything in the ladder: the host is slow, but there
	log := make(chan []byte, 1)
	go func() { log <- h.rest(h.err) }()
	got := h.rest(h.out)
	if want := strings.Repeat("x", 1<<20) + "end"; string(got) != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
	if got := <-log; len(got) != 100<<10 {
		t.Errorf("got %d bytes of stderr", len(got))
	}
	h.endsWith(Exit{Code: 7, Ending: reprise.EndedByServer})
}

func TestTheHostLeaves(t *testing.T) {
	t.Run("the server says goodbye", func(t *testing.T) {
		h := evil(t, never, nil, "recv; recv-eof; line bye; exit 9")
		h.send("hello\nunfinished")
		h.in.Close()
		h.expect("bye\n")
		h.endsWith(Exit{Code: 9, Ending: reprise.EndedByClient})
	})
	t.Run("the server needs SIGTERM", func(t *testing.T) {
		h := evil(t, Grace{Close: time.Millisecond, Term: time.Hour}, nil, "on SIGTERM ( line bye; exit 9 ); line on; hang")
		h.expect("on\n")
		h.in.Close()
		h.expect("bye\n")
		h.endsWith(Exit{Code: 9, Ending: reprise.EndedByClient})
	})
	t.Run("the server needs SIGKILL", func(t *testing.T) {
		h := evil(t, quick, nil, "ignore SIGTERM; line on; hang")
		h.expect("on\n")
		h.in.Close()
		h.endsWith(Exit{Code: 137, Signal: "SIGKILL", Ending: reprise.EndedByClient})
	})
	t.Run("a stopped server", func(t *testing.T) {
		h := evil(t, quick, nil, "line on; hang")
		h.expect("on\n")
		if err := syscall.Kill(h.stdio.PID(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		h.in.Close()
		if exit := h.ends(); exit.Code != 137 || exit.Ending != reprise.EndedByClient {
			t.Errorf("ended with %+v", exit)
		}
	})
	t.Run("before the start", func(t *testing.T) {
		theirs, ours := twoWays(t, os.Pipe)
		ours.close()
		s := &Stdio{Command: evilCommand(t, "ignore SIGTERM; hang"), Host: theirs, Grace: quick}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		if exit := s.Run(nil); exit.Code != 137 || exit.Ending != reprise.EndedByClient {
			t.Errorf("ended with %+v", exit)
		}
	})
}

// A host that was killed may have left its end of our stdin to another child of
// its own: then nobody ever closes that.
func TestTheHostListensNoMore(t *testing.T) {
	for name, link := range links {
		t.Run("the server writes, "+name, func(t *testing.T) {
			h := dialOver(t, link, Grace{Close: time.Hour}, nil, evilCommand(t, "ignore SIGPIPE; recv; try fill x 1m; recv-eof; exit 9")...)
			h.out.Close()
			h.send("{}\n")
			h.endsWith(Exit{Code: 9, Ending: reprise.EndedByClient})
		})
		t.Run("the server is silent, "+name, func(t *testing.T) {
			if runtime.GOOS != "linux" {
				t.Skip("cannot be noticed here")
			}
			h := dialOver(t, link, Grace{Close: time.Hour}, nil, evilCommand(t, "recv-eof; exit 9")...)
			h.out.Close()
			h.endsWith(Exit{Code: 9, Ending: reprise.EndedByClient})
		})
	}
}

// Of a socket in the place of our stdout, a host uses one half only.
func TestTheHostClosesTheOtherHalfOfASocket(t *testing.T) {
	h := dialOver(t, socketpair, never, nil, evilCommand(t, "line on; recv; line still; exit 3")...)
	h.expect("on\n")
	withFd(h.out, func(fd int) { _ = syscall.Shutdown(fd, syscall.SHUT_WR) })
	time.Sleep(20 * time.Millisecond) // an end would come at once
	h.send("\n")
	h.expect("still\n")
	h.endsWith(Exit{Code: 3, Ending: reprise.EndedByServer})
}

// The end of the host's stdin stands behind bytes that the server does not read.
func TestTheHostLeavesAServerThatDoesNotRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("cannot be noticed here")
	}
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			h := dialOver(t, link, quick, nil, evilCommand(t, "hang")...)
			fillUp(t, h.in)
			h.in.Close()
			if exit := h.ends(); exit.Ending != reprise.EndedByClient {
				t.Errorf("ended with %+v", exit)
			}
		})
	}
}

// fillUp writes until nothing more goes in.
func fillUp(t *testing.T, f *os.File) {
	withFd(f, func(fd int) {
		_ = unix.SetNonblock(fd, true)
		eventually(t, "it is full", func() (full bool) {
			for full = true; ; full = false {
				if _, err := unix.Write(fd, make([]byte, 4096)); err != nil {
					time.Sleep(20 * time.Millisecond) // for the pump to go on
					return full
				}
			}
		})
	})
}

func TestSignalsArePassedOn(t *testing.T) {
	patient := Grace{Signal: time.Hour, Term: time.Hour}
	t.Run("at once, each", func(t *testing.T) {
		h := evil(t, patient, nil, "on SIGINT ( line int ); on SIGHUP ( line hup ); on SIGTERM ( line term; exit 6 ); line on; hang")
		h.expect("on\n")
		h.signals <- syscall.SIGPIPE // is not the host's
		h.signals <- syscall.SIGINT
		h.expect("int\n")
		h.signals <- syscall.SIGHUP
		h.expect("hup\n")
		h.signals <- syscall.SIGTERM
		h.expect("term\n")
		h.endsWith(Exit{Code: 6, Ending: reprise.EndedBySignal})
	})
	t.Run("the second one forces", func(t *testing.T) {
		h := evil(t, patient, nil, "on SIGINT ( line int ); line on; hang")
		h.expect("on\n")
		h.signals <- syscall.SIGINT
		h.expect("int\n")
		h.signals <- syscall.SIGINT
		h.endsWith(Exit{Code: 137, Signal: "SIGKILL", Ending: reprise.EndedBySignal})
	})
	t.Run("silence forces", func(t *testing.T) {
		h := evil(t, Grace{Signal: 20 * time.Millisecond, Term: time.Hour}, nil, "ignore SIGTERM; line on; hang")
		h.expect("on\n")
		h.signals <- syscall.SIGTERM
		h.endsWith(Exit{Code: 137, Signal: "SIGKILL", Ending: reprise.EndedBySignal})
	})
	t.Run("output is not silence", func(t *testing.T) {
		h := evil(t, Grace{Signal: 500 * time.Millisecond, Term: time.Hour}, nil,
			"on SIGTERM ( repeat 8 ( sleep 100ms; send . ); exit 6 ); line on; hang")
		h.expect("on\n")
		h.signals <- syscall.SIGTERM
		h.expect("........")
		h.endsWith(Exit{Code: 6, Ending: reprise.EndedBySignal})
	})
	t.Run("but does not last for ever", func(t *testing.T) {
		h := evil(t, Grace{Signal: time.Hour, Term: 100 * time.Millisecond}, nil, "ignore SIGTERM; line on; repeat 1g ( sleep 1ms; stderr . )")
		h.expect("on\n")
		go io.Copy(io.Discard, h.err)
		h.signals <- syscall.SIGTERM
		h.endsWith(Exit{Code: 137, Signal: "SIGKILL", Ending: reprise.EndedBySignal})
	})
	t.Run("to a host that does not read", func(t *testing.T) {
		h := evil(t, Grace{Signal: 50 * time.Millisecond, Term: time.Hour}, nil, "ignore SIGTERM; line on; fill x 64m")
		h.expect("on\n")
		h.signals <- syscall.SIGTERM
		h.endsWith(Exit{Code: 137, Signal: "SIGKILL", Ending: reprise.EndedBySignal})
	})
	t.Run("while the last bytes wait for a host that does not read", func(t *testing.T) {
		h := evil(t, Grace{Signal: 50 * time.Millisecond}, nil, "fill x 400k; write "+filepath.Join(t.TempDir(), "x")+" done; exit 5")
		eventually(t, "the server has exited", func() bool {
			select {
			case <-h.stdio.child.exited:
				return true
			default:
				return false
			}
		})
		h.signals <- syscall.SIGTERM
		h.endsWith(Exit{Code: 5, Ending: reprise.EndedByServer})
	})
}

// The server is a shell that starts what ignores every signal and holds its streams, as npx does.
func TestNothingOfTheGroupIsLeft(t *testing.T) {
	for name, end := range map[string]struct {
		script string
		act    func(*host)
		want   Exit
	}{
		"the server exits": {"send last; exit 3", func(*host) {}, Exit{Code: 3, Ending: reprise.EndedByServer}},
		"the server is killed": {"send last; kill-self SIGKILL", func(*host) {},
			Exit{Code: 137, Signal: "SIGKILL", Ending: reprise.EndedByServer}},
		"the host leaves":  {"recv-eof; send last; exit 3", func(h *host) { h.in.Close() }, Exit{Code: 3, Ending: reprise.EndedByClient}},
		"the host signals": {"on SIGTERM ( send last; exit 3 ); line on; hang", func(h *host) { h.expect("on\n"); h.signals <- syscall.SIGTERM }, Exit{Code: 3, Ending: reprise.EndedBySignal}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pid := filepath.Join(t.TempDir(), "pid")
			h := evil(t, Grace{Close: time.Hour, Term: time.Hour, Signal: 50 * time.Millisecond, Drain: 50 * time.Millisecond}, nil,
				"fork-holder 1m "+pid+"; fill x 1m; "+end.script)
			h.expect(strings.Repeat("x", 1<<20))
			end.act(h)
			h.expect("last")
			h.endsWith(end.want)
			gone(t, readPID(t, pid))
			if err := syscall.Kill(-h.stdio.PID(), 0); err != syscall.ESRCH {
				eventually(t, "the group is gone", func() bool { return syscall.Kill(-h.stdio.PID(), 0) == syscall.ESRCH })
			}
		})
	}
}

func TestWhatAGrandchildWritesLateIsDelivered(t *testing.T) {
	h := dial(t, Grace{Drain: 5 * time.Second}, nil, "sh", "-c", "(sleep 0.3; echo late) & echo early; exit 3")
	h.expect("early\nlate\n")
	h.endsWith(Exit{Code: 3, Ending: reprise.EndedByServer})
}

func TestAGrandchildThatNeverFallsSilent(t *testing.T) {
	grace := Grace{Close: 200 * time.Millisecond, Drain: time.Hour}
	for _, escape := range []string{"", "setsid "} {
		t.Run(escape, func(t *testing.T) {
			if escape != "" && runtime.GOOS != "linux" {
				t.Skip("no setsid")
			}
			flag := filepath.Join(t.TempDir(), "stop")
			defer os.WriteFile(flag, nil, 0o600)
			loop := `trap "" TERM; while ! test -e ` + flag + `; do echo tick; sleep 0.01; done`
			h := dial(t, grace, nil, "sh", "-c", escape+"sh -c '"+loop+"' & exit 3")
			out := make(chan []byte, 1)
			go func() { out <- h.rest(h.out) }()
			h.endsWith(Exit{Code: 3, Ending: reprise.EndedByServer})
			if !bytes.HasPrefix(<-out, []byte("tick\n")) {
				t.Error("its output was not delivered")
			}
		})
	}
}

func TestWhatLeftTheGroupIsNotOurs(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	h := evil(t, quick, nil, "setsid-holder 1m "+pid+"; send last; exit 3")
	h.expect("last")
	h.endsWith(Exit{Code: 3, Ending: reprise.EndedByServer})
	holder := readPID(t, pid)
	if err := syscall.Kill(holder, 0); err != nil {
		t.Errorf("the holder is gone: %v", err)
	}
	_ = syscall.Kill(holder, syscall.SIGKILL)
}

func TestTheServerClosesItsStdoutAndLivesOn(t *testing.T) {
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			h := dialOver(t, link, Grace{Drain: 20 * time.Millisecond, Close: time.Hour}, nil, evilCommand(t, "send last; close stdout; recv-eof; exit 8")...)
			if got := h.rest(h.out); string(got) != "last" { // the host sees the end
				t.Errorf("got %q", got)
			}
			h.in.Close()
			h.endsWith(Exit{Code: 8, Ending: reprise.EndedByClient})
		})
	}
}

func TestTheServerClosesItsStdinAndLivesOn(t *testing.T) {
	h := evil(t, never, nil, "close stdin; line on; wait-file "+filepath.Join(t.TempDir(), "never"))
	h.expect("on\n")
	eventually(t, "the host sees that nobody reads", func() bool {
		_, err := h.in.Write(make([]byte, 64<<10))
		return err != nil
	})
	h.signals <- syscall.SIGTERM
	h.endsWith(Exit{Code: 143, Signal: "SIGTERM", Ending: reprise.EndedBySignal})
}

// A server whose host reads no more dies of its next write, as it would without us, and what it says is not kept.
func TestTheServerSeesThatTheHostReadsNoMore(t *testing.T) {
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			h := dialOver(t, link, never, nil, evilCommand(t, `fill "flood " 100m; exit 0`)...)
			h.expect("flood ")
			h.out.Close()
			exit := h.ends()
			if exit.Ending != reprise.EndedByClient || exit.Code == 0 {
				t.Errorf("ended with %+v", exit)
			}
		})
	}
}

// What the server alone understands is passed on, and ends nothing.
func TestOtherSignals(t *testing.T) {
	h := evil(t, never, nil, "on SIGUSR1 line usr1; line on; recv-eof; exit 7")
	h.expect("on\n")
	for range 2 {
		h.signals <- syscall.SIGUSR1
		h.expect("usr1\n")
	}
	h.in.Close()
	h.endsWith(Exit{Code: 7, Ending: reprise.EndedByClient})
}

func readPID(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// gone waits for a process to be nothing but, at most, a zombie of somebody else's.
func gone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "process "+strconv.Itoa(pid)+" is gone", func() bool {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return true
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err == nil && bytes.Contains(stat, []byte(") Z "))
	})
}

func openFiles(t *testing.T) int {
	t.Helper()
	n := 0
	for fd := range 1024 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
			n++
		}
	}
	return n
}
