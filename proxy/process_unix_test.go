//go:build unix

package proxy

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reprise"
	"reprise/fixtures/bench"
)

// process makes a proxy process in front of a command. Its streams are the caller's to set.
func process(t *testing.T, grace Grace, result string, command ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := json.Marshal(grace)
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(self, append([]string{standBetween, string(g), result}, command...)...)
}

// piped starts a proxy process on pipes.
func piped(t *testing.T, cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(hangGuard, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { guard.Stop() })
	return in, out
}

func expect(t *testing.T, r io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r, got); string(got) != want {
		t.Fatalf("got %q, want %q: %v", got[:n], want, err)
	}
}

// The server holds on to its streams and ignores what it can: only the parent-death signal is left.
func TestWhenWeAreKilledTheServerDies(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no parent-death signal here")
	}
	pid := filepath.Join(t.TempDir(), "pid")
	cmd := process(t, never, "", evilCommand(t, "ignore SIGTERM SIGHUP SIGPIPE; pid "+pid+"; line on; hang")...)
	in, out := piped(t, cmd)
	defer in.Close()
	expect(t, out, "on\n")
	runtime.Gosched()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone(t, readPID(t, pid))
}

// Not before: the signal would come, too, when only the thread that started the server ends.
func TestTheServerOutlivesOurThreads(t *testing.T) {
	h := evil(t, never, nil, `line on; recv; line "still on"`)
	h.expect("on\n")
	for range 20 {
		ended := make(chan struct{})
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			close(ended)
		}()
		<-ended
	}
	time.Sleep(50 * time.Millisecond)
	h.send("\n")
	h.expect("still on\n")
	h.endsWith(Exit{Ending: reprise.EndedByServer})
}

func TestRealSignals(t *testing.T) {
	result := filepath.Join(t.TempDir(), "result")
	cmd := process(t, Grace{Signal: time.Hour, Term: time.Hour}, result, evilCommand(t, "on SIGINT ( line int ); on SIGTERM ( exit 6 ); line on; hang")...)
	in, out := piped(t, cmd)
	defer in.Close()
	expect(t, out, "on\n")
	_ = cmd.Process.Signal(os.Interrupt)
	expect(t, out, "int\n")
	_ = cmd.Process.Signal(syscall.SIGTERM)
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 6 {
		t.Errorf("ended with %v", err)
	}
	data, err := os.ReadFile(result)
	if want := `{"Code":6,"Signal":"","Ending":"signal"}`; string(data) != want {
		t.Errorf("ended with %s, want %s: %v", data, want, err)
	}
}

// SIGPIPE must not be our death: the server's end would go unrecorded, and its children unended.
func TestAHostThatListensNoMoreIsNotOurDeath(t *testing.T) {
	result := filepath.Join(t.TempDir(), "result")
	cmd := process(t, Grace{Close: time.Hour}, result, evilCommand(t, "ignore SIGPIPE; recv; stderr log; try line x; recv-eof; exit 9")...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = w
	in, out := piped(t, cmd)
	w.Close()
	r.Close()
	out.Close()
	_, _ = io.WriteString(in, "{}\n")
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 9 {
		t.Errorf("ended with %v", cmd.ProcessState)
	}
}

// A closed stdin, as in a shell's "<&-", is an end that comes at once.
func TestStdinClosedAtStart(t *testing.T) {
	cmd := process(t, quick, "", evilCommand(t, "ignore SIGTERM; hang")...)
	script := strings.Join(append([]string{"exec"}, quoted(cmd.Args)...), " ") + " <&-"
	sh := exec.Command("sh", "-c", script)
	_, out := piped(t, sh)
	if data, err := io.ReadAll(out); len(data) > 0 || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
	_ = sh.Wait()
	if code := sh.ProcessState.ExitCode(); code != 137 {
		t.Errorf("ended with %v", sh.ProcessState)
	}
	if used := sh.ProcessState.UserTime() + sh.ProcessState.SystemTime(); used > 2*time.Second {
		t.Errorf("it took %v of processor time", used) // no busy loop
	}
}

func quoted(args []string) []string {
	var quoted []string
	for _, a := range args {
		quoted = append(quoted, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	return quoted
}

func TestMemoryStaysBounded(t *testing.T) {
	cmd := process(t, never, "", evilCommand(t, "fill x 512m; recv-eof")...)
	in, out := piped(t, cmd)
	if _, err := io.CopyN(io.Discard, out, 512<<20); err != nil {
		t.Fatal(err)
	}
	if peak, err := bench.PeakMemory(cmd.Process.Pid); peak > 96<<20 {
		t.Errorf("peak memory of %d MiB", peak>>20)
	} else if err != nil {
		t.Log(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestTheServerIsStartedAsTheHostStartedUs(t *testing.T) {
	extra, err := os.Open(os.DevNull) // a descriptor that the host hands over
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	run := func(cmd *exec.Cmd) string {
		t.Helper()
		cmd.Env = []string{"ZEBRA=1", "empty=", "PATH=" + os.Getenv("PATH"), "odd=a=b", "no-equals-sign", "line=a\nb", "UTF=\xff\xfe", "ALPHA=2"}
		cmd.Dir = os.TempDir()
		cmd.ExtraFiles = []*os.File{extra}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for name, command := range map[string][]string{
		"environment": {"env", "-0"},
		"folder":      {"pwd", "-P"},
		"arguments":   {"printf", "<%s>", "--flag", "", "a b", `"$x"`, "\xff"},
		"descriptors": {"sh", "-c", "ls /dev/fd"},
		"signals":     {"sh", "-c", "grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status || true"},
	} {
		bare, wrapped := run(exec.Command(command[0], command[1:]...)), run(process(t, never, "", command...))
		if wrapped != bare || bare == "" && name != "signals" {
			t.Errorf("%s\n got %q\nwant %q", name, wrapped, bare)
		}
	}
}

// The descriptions behind descriptors are shared with whoever started us.
func TestTheHostsStreamsAreGivenBackAsTheyWere(t *testing.T) {
	nonblocking := func(f *os.File) (is bool) {
		withFd(f, func(fd int) {
			flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			is = err == nil && flags&unix.O_NONBLOCK != 0
		})
		return is
	}
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			theirs, ours := twoWays(t, link)
			s := &Stdio{Command: evilCommand(t, "line on; stderr x; recv"), Host: theirs}
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan Exit, 1)
			go func() { ended <- s.Run(nil) }()
			expect(t, ours.Out, "on\n")
			if !nonblocking(theirs.In) || !nonblocking(theirs.Out) {
				t.Error("the host's streams are blocking: the pumps will be slow")
			}
			if nonblocking(theirs.Err) {
				t.Error("the host's stderr was made non-blocking")
			}
			_, _ = io.WriteString(ours.In, "\n")
			<-ended
			for _, f := range theirs.each() {
				if nonblocking(f) {
					t.Errorf("%s was left non-blocking", f.Name())
				}
			}
		})
	}
}

// Node makes its own pipes non-blocking, and children that inherit one share that.
func TestANonBlockingStderrIsWaitedFor(t *testing.T) {
	theirs, ours := twoWays(t, os.Pipe)
	withFd(theirs.Err, func(fd int) { _ = unix.SetNonblock(fd, true) })
	s := &Stdio{Command: evilCommand(t, "stderr-fill x 1m"), Host: theirs}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	got := make(chan int64)
	go func() {
		n, _ := io.Copy(io.Discard, slow{ours.Err})
		got <- n
	}()
	s.Run(nil)
	theirs.Err.Close()
	if n := <-got; n != 1<<20 {
		t.Errorf("got %d bytes", n)
	}
}

func TestManySessionsLeaveNothing(t *testing.T) {
	sessions := 1000
	if testing.Short() {
		sessions = 100
	}
	one := func(script string, act func(*host)) {
		h := evil(t, Grace{Signal: time.Millisecond}, nil, script)
		act(h)
		h.ends()
		Files{h.in, h.out, h.err}.close()
	}
	kinds := []func(){
		func() { one("recv-eof", func(h *host) { h.in.Close() }) },
		func() { one("exit 3", func(*host) {}) },
		func() { one("line on; hang", func(h *host) { h.expect("on\n"); h.signals <- syscall.SIGTERM }) },
	}
	deaf := func() { one("recv-eof", func(h *host) { h.out.Close() }) } // takes its time
	for _, kind := range append(kinds, deaf) {
		kind()
	}
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	for i := range sessions {
		kinds[i%len(kinds)]()
	}
	deaf()
	eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= goroutines })
	if n := openFiles(t); n > files {
		t.Errorf("%d descriptors are open, %d were", n, files)
	}
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
		t.Errorf("a child is left: %d, %v", pid, err)
	}
}
