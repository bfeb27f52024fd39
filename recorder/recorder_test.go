package recorder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reprise"
)

// live is a recorder of a session in a fresh database, with its clock.
type live struct {
	*Recorder
	path  string
	start time.Time
	warns chan string
}

func startLive(t testing.TB, path string, change func(*reprise.Session)) *live {
	t.Helper()
	l := &live{path: path, start: time.Now(), warns: make(chan string, 10)}
	id, err := reprise.NewID(l.start)
	if err != nil {
		t.Fatal(err)
	}
	s := reprise.Session{ID: id, Server: "tracker", Command: []string{"tracker"}, Transport: "stdio", StartedAt: l.start}
	if change != nil {
		change(&s)
	}
	l.Recorder = Start(path, s, l.elapsed, func(w string) { l.warns <- w })
	return l
}

func (l *live) elapsed() time.Duration { return time.Since(l.start) }

func (l *live) send(dir reprise.Direction, text string) {
	l.Observe(reprise.Chunk{Direction: dir, Data: []byte(text), At: l.elapsed()})
}

func (l *live) end() {
	zero := 0
	l.End(reprise.EndedByClient, &zero, 10*time.Second)
}

// settled waits until all of a session that will not go on is in the database: its folder can be removed.
func (l *live) settled(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		w := openReader(l.path)
		var behind bool
		err := w.QueryRow(`SELECT derived_seq < (SELECT max(seq) FROM frames) FROM sessions WHERE frames > 0`).Scan(&behind)
		w.Close()
		if err == nil && !behind {
			return
		}
	}
	t.Fatal("the session is not in the database")
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "reprise.db") }

func open(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for id, err := range db.Waiting {
		t.Errorf("session %s waits: %v", id, err)
	}
	return db
}

func find(t testing.TB, db *DB, ref string) *reprise.Session {
	t.Helper()
	s, err := db.Find(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wire gives the bytes of one direction as the database has them.
func wire(t testing.TB, db *DB, id string, dir reprise.Direction) string {
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
	return string(out)
}

func TestRecordThenRead(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	for i := range 3 {
		l.send(reprise.ClientToServer, fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"get\"}}\n", i))
		l.send(reprise.ServerLog, "working\n")
		l.send(reprise.ServerToClient, fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\r\n", i))
	}
	l.end()
	if left, _ := os.ReadDir(journalDir(l.path)); len(left) != 0 {
		t.Errorf("the journal is still there: %v", left)
	}

	db := open(t, l.path)
	s := find(t, db, "last")
	if s.Frames != 6 || s.Calls != 3 || s.Errors != 0 || !s.Complete || *s.ExitCode != 0 || s.Ending != reprise.EndedByClient {
		t.Errorf("session = %+v", s)
	}
	var calls int
	for e, err := range db.Entries(context.Background(), Query{Session: s.ID, Data: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Call.Status != reprise.StatusOK || e.Call.Tool() != "get" || len(e.Response) == 0 {
			t.Errorf("call = %+v", e.Call)
		}
		calls++
	}
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
	for e, err := range db.Entries(context.Background(), Query{Session: s.ID, Frames: true}) {
		if err != nil || e.Call == nil || e.Frame.EOL == "" {
			t.Errorf("message = %+v, %v", e, err)
		}
	}
}

// TestNoJournal: what no journal could take is in the database, or counted where only metadata may be kept.
func TestNoJournal(t *testing.T) {
	for _, metadataOnly := range []bool{false, true} {
		path := newPath(t)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(journalDir(path), nil, 0o600); err != nil { // a file is in its way
			t.Fatal(err)
		}
		l := startLive(t, path, func(s *reprise.Session) { s.MetadataOnly = metadataOnly })
		l.send(reprise.ClientToServer, "{}\n")
		l.send(reprise.ServerToClient, "{}\n")
		l.end()
		if warning := <-l.warns; !strings.Contains(warning, "journal") {
			t.Errorf("warning = %q", warning)
		}
		s := find(t, open(t, path), "last")
		if s.Frames+s.LostFrames != 2 || s.Complete != (s.Frames == 2) || metadataOnly != (s.Frames == 0) {
			t.Errorf("metadata only %v: session = %+v", metadataOnly, s)
		}
	}
}
