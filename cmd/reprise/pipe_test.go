package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures/fixturetest"
	"reprise/recorder"
)

// self is this test binary under the name under which it is reprise (see TestMain), with a database of its own.
func self(t *testing.T, ctx context.Context, db string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Args = append([]string{"reprise"}, args...)
	cmd.Env = append(os.Environ(), "REPRISE_DB="+db, "COLUMNS=80")
	return cmd
}

// TestReaderGoesAway is `reprise show … | head -1`: no error, no message.
func TestReaderGoesAway(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"reprise":"capture","version":1,"session":{"id":"01a22d37-524b-7321-a9e1-834bf10bd1e8"}}` + "\n")
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"seq":%d,"dir":"c2s","frame":{"jsonrpc":"2.0","id":%d,"method":"ping"}}`+"\n", i+1, i)
	}
	file := filepath.Join(t.TempDir(), "big.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"show", file}, {"show", file, "--frames"}, {"show", file, "--json"}, {"export", file}} {
		cmd := self(t, t.Context(), filepath.Join(t.TempDir(), "x.db"), args...)
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReaderSize(out, 16).ReadString('\n'); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		out.Close()
		if err := cmd.Wait(); err != nil || complaint.Len() > 0 {
			t.Errorf("%v: %v, stderr %q", args, err, complaint.String())
		}
	}
}

// TestTail sees the calls of other processes, and ends in order when it is interrupted.
func TestTail(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nobody sends an interrupt to one process there")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a hang guard
	defer cancel()
	db := filepath.Join(t.TempDir(), "state", "x.db")
	for _, c := range []struct{ flag, want string }{
		{"--json", `"method":"tools/call","tool":"look"`},
		{"--quiet", "→ call look"},
		{"--frames", "tools/call look"},
	} {
		tail := self(t, ctx, db, "tail", "tool:look", c.flag)
		out, err := tail.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := tail.Start(); err != nil {
			t.Fatal(err)
		}
		seen := make(chan bool, 1)
		go func() { seen <- sees(out, c.want) }()
		for waiting := true; waiting; { // until tail is ready, which it does not tell
			record := self(t, ctx, db, "record", "--", fixturetest.Bin(t, "fixture"), "echo")
			record.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look"}}` + "\n")
			if err := record.Run(); err != nil {
				t.Fatal(err)
			}
			select {
			case ok := <-seen:
				waiting = false
				if !ok {
					t.Errorf("tail %s does not show %q", c.flag, c.want)
				}
			case <-time.After(50 * time.Millisecond):
			}
		}
		if err := tail.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, out) // until it has ended
		if err := tail.Wait(); err != nil {
			t.Errorf("tail %s after an interrupt: %v", c.flag, err)
		}
	}
}

func sees(r io.Reader, want string) bool {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if strings.Contains(lines.Text(), want) {
			return true
		}
	}
	return false
}

// TestTailTellsGaps before the next row of their session, once.
func TestTailTellsGaps(t *testing.T) {
	ctx := t.Context()
	db, err := recorder.Open(ctx, sampleDatabase(t), recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := quietProgram()
	var out strings.Builder
	p.stdout = &out
	tail, err := newTailing(ctx, db, rows{screen: p.screen(shared{}), seqWidth: 5, clock: true})
	if err != nil {
		t.Fatal(err)
	}
	importGap(t, db)
	for range 2 {
		for e, err := range db.Entries(ctx, recorder.Query{Session: "01a22d37-0000", Filter: &reprise.Filter{}, Data: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if err := tail.live(ctx, tailOptions{}, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	tail.Flush()
	const gap = "⚠ 2 frames (2 to 3) missing: the disk is full\n"
	if got := out.String(); strings.Count(got, gap) != 1 || strings.Index(got, gap) > strings.Index(got, "ping") {
		t.Errorf("tail writes\n%s", got)
	}
}

func importGap(t *testing.T, db *recorder.DB) {
	t.Helper()
	header, items, err := reprise.ReadCapture(strings.NewReader(
		`{"reprise":"capture","version":1,"session":{"id":"01a22d37-0000-7321-a9e1-834bf10bd1e8","server":"x","started_at":"2026-11-30T10:00:00Z"}}
{"seq":4,"t":3,"dir":"c2s","frame":{"jsonrpc":"2.0","id":0,"method":"ping"}}
{"end":{"gaps":[{"from":2,"to":2,"frames":1,"bytes":9,"t":1,"reason":"the disk is full"},{"from":3,"to":3,"frames":1,"bytes":9,"t":1,"reason":"the disk is full"}]}}
`))
	if err == nil {
		err = db.Import(t.Context(), header, items)
	}
	if err != nil {
		t.Fatal(err)
	}
}
