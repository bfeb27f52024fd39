//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures/fixturetest"
	"reprise/recorder"
)

// The tests in the hold_ files are what Reprise promises of a recording, each
// with the real program between real processes.

// proxied is a running `reprise record`, seen from the host's side.
type proxied struct {
	*exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr bytes.Buffer
}

// startRecord starts `reprise record -- server…` with the database at db.
func startRecord(t testing.TB, db string, server ...string) *proxied {
	t.Helper()
	return startRecordWith(t, db, nil, server...)
}

func startRecordWith(t testing.TB, db string, flags []string, server ...string) *proxied {
	t.Helper()
	args := slices.Concat([]string{"record"}, flags, []string{"--"}, server)
	p := &proxied{Cmd: exec.Command(fixturetest.Bin(t, "reprise"), args...)}
	p.Env = append(os.Environ(), "REPRISE_DB="+db)
	p.Stderr = &p.stderr
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.out, err = p.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	return p
}

// finish closes the server's input, reads what is left and waits.
func (p *proxied) finish(t testing.TB) (rest []byte, code int) {
	t.Helper()
	p.in.Close()
	rest, _ = io.ReadAll(p.out)
	p.Wait()
	return rest, p.ProcessState.ExitCode()
}

func newDB(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "reprise.db") }

func openDB(t testing.TB, path string) *recorder.DB {
	t.Helper()
	db, err := recorder.Open(context.Background(), path, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for id, err := range db.Waiting {
		t.Errorf("session %s is not taken in: %v", id, err)
	}
	return db
}

func lastSession(t testing.TB, db *recorder.DB) *reprise.Session {
	t.Helper()
	s, err := db.Find(context.Background(), "last")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// onWire gives what the record says crossed in one direction.
func onWire(t testing.TB, db *recorder.DB, id string, dir reprise.Direction) []byte {
	t.Helper()
	var out []byte
	for f, err := range db.Frames(context.Background(), id) {
		if err != nil {
			t.Fatal(err)
		}
		if f.Direction == dir {
			out = append(append(out, f.Data...), f.EOL...)
		}
	}
	return out
}

// onlyCall gives the session's one call.
func onlyCall(db *recorder.DB, id string) (*reprise.Call, error) {
	var calls []*reprise.Call
	for e, err := range db.Entries(context.Background(), recorder.Query{Session: id}) {
		if err != nil {
			return nil, err
		}
		calls = append(calls, e.Call)
	}
	if len(calls) != 1 {
		return &reprise.Call{}, fmt.Errorf("%d calls, want one", len(calls))
	}
	return calls[0], nil
}

// grepFiles fails when a file of the database's folder has the text in it.
func grepFiles(t testing.TB, db, text string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(db), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte(text)) || strings.Contains(name, text) {
			t.Errorf("%s has %q in it", name, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func request(id int, padding int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":%d,"text":"%s"}}}`+"\n",
		id, id, strings.Repeat("x", padding))
}

// TestKill kills the proxy at random moments under load. Whatever either side
// had received must be in the database after the next command, which must be sound.
func TestKill(t *testing.T) {
	for _, how := range []struct {
		name  string
		kills int
		kill  func(*os.Process)
	}{
		{"SIGKILL", 200, func(p *os.Process) { p.Kill() }},
		{"SIGTERM and SIGKILL 30 ms later", 20, func(p *os.Process) {
			p.Signal(syscall.SIGTERM)
			time.Sleep(30 * time.Millisecond)
			p.Kill()
		}},
	} {
		t.Run(how.name, func(t *testing.T) {
			path, random := newDB(t), rand.New(rand.NewPCG(1, 2))
			for range how.kills {
				killOnce(t, path, time.Duration(random.IntN(40_000))*time.Microsecond, random.IntN(3000), how.kill)
			}
			health, err := openDB(t, path).Health(context.Background())
			if err != nil || health.Check != "ok" || health.Open != 0 || len(health.Journals) != 0 {
				t.Errorf("health = %+v, %v", health, err)
			}
		})
	}
}

func killOnce(t *testing.T, path string, after time.Duration, padding int, kill func(*os.Process)) {
	t.Helper()
	dir := t.TempDir()
	got, pid := filepath.Join(dir, "got"), filepath.Join(dir, "pid")
	p := startRecord(t, path, fixturetest.Bin(t, "fixture"), "evil", "-got", got, "-e", "pid "+pid+"; echo")
	go func() {
		for i := 0; ; i++ {
			if _, err := io.WriteString(p.in, request(i, padding)); err != nil {
				return
			}
		}
	}()
	head := make([]byte, 1)
	if _, err := io.ReadFull(p.out, head); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(after, func() { kill(p.Process) })
	rest, _ := io.ReadAll(p.out)
	p.Wait()
	waitGone(t, pid)

	db := openDB(t, path)
	defer db.Close()
	s := lastSession(t, db)
	if s.EndedAt.IsZero() {
		t.Errorf("session %s was not completed", s.ID)
	}
	if host := append(head, rest...); !bytes.HasPrefix(onWire(t, db, s.ID, reprise.ServerToClient), host) {
		t.Errorf("the host received %d bytes that are not all recorded", len(host))
	}
	server, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(onWire(t, db, s.ID, reprise.ClientToServer), server) {
		t.Errorf("the server received %d bytes that are not all recorded", len(server))
	}
}

// waitGone waits until the process whose id stands in the file has ended.
func waitGone(t testing.TB, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", pid)
		}
		if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && bytes.Contains(state, []byte(") Z ")) {
			return // dead, and nobody has asked for its status
		}
	}
}

// TestOrder holds 100,000 round trips with a server that answers at once: no
// response may be recorded before its request.
func TestOrder(t *testing.T) {
	path := newDB(t)
	fixture := fixturetest.Bin(t, "fixture")
	load := exec.Command(fixture, "load", "-count", "100000", "-warm", "0", "--",
		fixturetest.Bin(t, "reprise"), "record", "--db", path, "--", fixture, "echo")
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	db := openDB(t, path)
	s := lastSession(t, db)
	if s.Frames != 200_000 || s.Calls != 100_000 || s.Orphans != 0 {
		t.Errorf("%d frames, %d calls, %d orphans", s.Frames, s.Calls, s.Orphans)
	}
	for e, err := range db.Entries(context.Background(), recorder.Query{Session: s.ID}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Call.Status != reprise.StatusOK || e.Call.Response <= e.Call.Seq {
			t.Fatalf("call = %+v", e.Call)
		}
	}
}

// TestNewlineApart writes objects and their newlines apart to a server that
// answers at the closing brace.
func TestNewlineApart(t *testing.T) {
	path := newDB(t)
	p := startRecord(t, path, fixturetest.Bin(t, "tracker"))
	out := bufio.NewReader(p.out)
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`,
	} {
		io.WriteString(p.in, m)
		if _, err := out.ReadString('\n'); err != nil { // it answers before the newline
			t.Fatal(err)
		}
		io.WriteString(p.in, "\n")
	}
	p.finish(t)
	db := openDB(t, path)
	s := lastSession(t, db)
	if s.Frames != 8 || s.Calls != 4 || s.Orphans != 0 || s.Noise != 0 {
		t.Errorf("%d frames, %d calls, %d orphans, %d noise", s.Frames, s.Calls, s.Orphans, s.Noise)
	}
	for e, err := range db.Entries(context.Background(), recorder.Query{Session: s.ID, Frames: true}) {
		if err != nil || e.Frame.EOL != "\n" {
			t.Errorf("seq %d ends in %q, %v", e.Seq(), e.Frame.EOL, err)
		}
	}
}

// TestTwoCommandsComplete has two commands find the same dead session: neither may show a part of it.
func TestTwoCommandsComplete(t *testing.T) {
	path := newDB(t)
	p := startRecord(t, path, fixturetest.Bin(t, "fixture"), "echo")
	go io.Copy(io.Discard, p.out)
	for i := range 30_000 {
		if _, err := io.WriteString(p.in, request(i, 100)); err != nil {
			t.Fatal(err)
		}
	}
	p.Process.Kill()
	p.Wait()
	seen := make(chan reprise.Session)
	for range 2 {
		go func() { seen <- *lastSessionOr(path) }()
	}
	a, b := <-seen, <-seen
	if a.EndedAt.IsZero() || a.Frames < 1000 || a.Frames != b.Frames || !a.EndedAt.Equal(b.EndedAt) {
		t.Errorf("one saw %d frames until %v, the other %d until %v", a.Frames, a.EndedAt, b.Frames, b.EndedAt)
	}
}
