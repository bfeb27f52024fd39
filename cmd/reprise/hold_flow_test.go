//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"reprise"
	"reprise/fixtures/evil"
	"reprise/fixtures/fixturetest"
)

// between holds a session between two scripted peers and returns what the client saw.
func between(t *testing.T, db, server, client string, clientFlags ...string) evil.Report {
	t.Helper()
	fixture, report := fixturetest.Bin(t, "fixture"), filepath.Join(t.TempDir(), "report.json")
	args := append([]string{"evil", "-e", client, "-report", report, "-timeout", "5m"}, clientFlags...)
	args = append(args, "--", fixturetest.Bin(t, "reprise"), "record", "--", fixture, "evil", "-timeout", "5m", "-e", server)
	host := exec.Command(fixture, args...)
	host.Env = append(os.Environ(), "REPRISE_DB="+db)
	if out, err := host.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r evil.Report
	if err := json.Unmarshal(read(t, report), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFullDuplex has both sides write at once and read slowly, and the server log a lot, read or not.
func TestFullDuplex(t *testing.T) {
	for _, stderr := range []string{"read", "hold"} {
		t.Run("stderr "+stderr, func(t *testing.T) {
			db := newDB(t)
			slowly := `async ( recv-rate 16m 8388609 ); fill "0123456789abcde" 8m; line ""; wait`
			r := between(t, db, `async ( stderr-fill "log line\n" 10m ); `+slowly+`; recv-eof`, slowly, "-stderr", stderr)
			if r.ExitCode == nil || *r.ExitCode != 0 || r.Got.Bytes != 8<<20+1 {
				t.Errorf("the client saw %+v", r)
			}
			s := lastSession(t, openDB(t, db))
			if s.Frames != 2 || s.Bytes != 2*(8<<20+1) || !s.Complete {
				t.Errorf("session = %+v", s)
			}
		})
	}
}

// TestHostStopsReading floods a host that does not read: the server is blocked, our
// memory stays small, and nothing is lost when the host goes on.
func TestHostStopsReading(t *testing.T) {
	megabytes := 64
	if os.Getenv("REPRISE_E2E") != "" {
		megabytes = 1024
	}
	db := newDB(t)
	line := `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + string(make1k()) + `"}}`
	lines := megabytes << 20 / (len(line) + 1)
	server := fmt.Sprintf("recv; repeat %d line `%s`; recv-eof", lines, line)
	client := fmt.Sprintf("line `{}`; recv; sleep 2s; recv-bytes %d; measure", (lines-1)*(len(line)+1))
	r := between(t, db, server, client)
	if r.ExitCode == nil || *r.ExitCode != 0 || r.Got.Bytes != int64(lines*(len(line)+1)) {
		t.Errorf("the client saw %+v", r)
	}
	if limit := int64(96 << 20); r.PeakMemory > limit && os.Getenv("REPRISE_BIN") != "" { // not with the race detector's own
		t.Errorf("peak memory %d MiB", r.PeakMemory>>20)
	}
	s := lastSession(t, openDB(t, db))
	if s.Frames != int64(lines+1) || !s.Complete || s.Ending != reprise.EndedByClient {
		t.Errorf("session = %+v, want %d frames", s, lines+1)
	}
}

func make1k() []byte {
	text := make([]byte, 1000)
	for i := range text {
		text[i] = 'a' + byte(i%26)
	}
	return text
}
