package recorder

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// record records a captured session, each line and its newline apart when split is set.
func recordCapture(t *testing.T, path, name string, split bool) string {
	t.Helper()
	lines, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	l := startLive(t, path, nil)
	for _, line := range lines {
		dir, ok := map[string]reprise.Direction{"c2s": reprise.ClientToServer, "s2c": reprise.ServerToClient, "err": reprise.ServerLog}[line.Dir]
		switch {
		case ok && split:
			l.send(dir, line.Raw)
			l.send(dir, "\n")
		case ok:
			l.send(dir, line.Raw+"\n")
		}
	}
	l.end()
	return l.session.ID
}

// derivedOf dumps the session's derived rows, without its id and times.
func derivedOf(t *testing.T, db *DB, id string) []string {
	t.Helper()
	var rows []string
	for _, frames := range []bool{false, true} {
		for e, err := range db.Entries(context.Background(), Query{Session: id, Frames: frames}) {
			if err != nil {
				t.Fatal(err)
			}
			var c reprise.Call
			if e.Call != nil {
				c = *e.Call
				c.Started, c.Ended = 0, 0
			}
			code := int64(0)
			if c.Code != nil {
				code, c.Code = *c.Code, nil
			}
			rows = append(rows, fmt.Sprintf("%+v %+v %d", e.Message, c, code))
		}
	}
	s := find(t, db, id)
	s.ID, s.StartedAt, s.EndedAt = "", time.Time{}, time.Time{}
	return append(rows, fmt.Sprint(s.Frames, s.Calls, s.Errors, s.Noise, s.Invalid, s.Orphans, s.ProtocolVersion, s.Client, s.Peer))
}

// TestRebuild derives the same live, from a journal taken in, and offline.
func TestRebuild(t *testing.T) {
	path := newPath(t)
	for _, name := range fixtures.Names() {
		t.Run(name, func(t *testing.T) {
			id := recordCapture(t, path, name, false)
			apart := recordCapture(t, path, name, true)
			db := open(t, path)
			live := derivedOf(t, db, id)
			if got := derivedOf(t, db, apart); !reflect.DeepEqual(got, live) {
				t.Errorf("with newlines apart:\n%v\nwant\n%v", got, live)
			}
			if err := db.Rebuild(context.Background(), id); err != nil {
				t.Fatal(err)
			}
			if got := derivedOf(t, db, id); !reflect.DeepEqual(got, live) {
				t.Errorf("rebuilt:\n%v\nwant\n%v", got, live)
			}
		})
	}
}

// TestPrune deletes the oldest beyond the bounds, and never what is open or pinned.
func TestPrune(t *testing.T) {
	path, now := newPath(t), time.Now()
	begin := func(age time.Duration, name string) *live {
		return startLive(t, path, func(s *reprise.Session) { s.StartedAt, s.Server = now.Add(-age), name })
	}
	const day = 24 * time.Hour
	w := writer(t, path)
	if err := (&store{w}).pruneDaily(context.Background(), now); err != nil { // not by themselves today
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{"old": 100 * day, "pinned": 101 * day, "young": day, "younger": time.Hour} {
		l := begin(age, name)
		l.send(reprise.ClientToServer, string(make([]byte, 100_000))+"\n")
		l.end()
	}
	live := begin(102*day, "live")
	live.send(reprise.ClientToServer, "{}\n")
	defer live.end()
	db := open(t, path)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) { // it comes by itself
		if _, err := db.Find(context.Background(), live.session.ID); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if _, err := w.Exec(`UPDATE sessions SET pinned=1 WHERE server='pinned'`); err != nil {
		t.Fatal(err)
	}
	left := func() (names string) {
		for s, err := range db.Sessions(context.Background(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names += s.Server + " "
		}
		return names
	}
	dry, err := db.Prune(context.Background(), DefaultBounds, now, true)
	if err != nil || len(dry.Sessions) != 1 || left() != "younger young old pinned live " {
		t.Errorf("dry run: %+v, %v, left %s", dry, err, left())
	}
	if _, err := db.Prune(context.Background(), DefaultBounds, now, false); err != nil || left() != "younger young pinned live " {
		t.Errorf("by age: %v, left %s", err, left())
	}
	if _, err := db.Prune(context.Background(), Bounds{Age: 90 * day, Bytes: 350_000}, now, false); err != nil || left() != "younger pinned live " {
		t.Errorf("by size: %v, left %s", err, left())
	}
}

// TestPruneDaily keeps the default bounds by itself, once a day.
func TestPruneDaily(t *testing.T) {
	path, now := newPath(t), time.Now()
	old := startLive(t, path, func(s *reprise.Session) { s.StartedAt = now.Add(-100 * 24 * time.Hour) })
	old.send(reprise.ClientToServer, "{}\n")
	old.end()
	db := open(t, path)
	execute(t, path, `DELETE FROM settings`) // it may have looked for old sessions itself
	l := startLive(t, path, nil)
	l.send(reprise.ClientToServer, "{}\n")
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := db.Find(context.Background(), old.session.ID); errors.Is(err, ErrNotFound) {
			break
		} else if time.Now().After(end) {
			t.Fatal("the old session is still there")
		}
	}
	l.end()
}

// TestPruneDailyGoesOn where another process did not come to its end.
func TestPruneDailyGoesOn(t *testing.T) {
	path, now := newPath(t), time.Now()
	old := startLive(t, path, func(s *reprise.Session) { s.StartedAt = now.Add(-100 * 24 * time.Hour) })
	old.end()
	execute(t, path, `DELETE FROM settings`, `CREATE TRIGGER stop BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'no'); END`)
	w := writer(t, path)
	s := &store{w}
	if err := s.pruneDaily(context.Background(), now); err == nil {
		t.Fatal("it says that it has deleted what it has not")
	}
	execute(t, path, `DROP TRIGGER stop`)
	left := func(at time.Time) bool {
		if err := s.pruneDaily(context.Background(), at); err != nil {
			t.Fatal(err)
		}
		_, err := open(t, path).Find(context.Background(), old.session.ID)
		return err == nil
	}
	if !left(now.Add(time.Minute)) {
		t.Error("the first one was not given its time")
	}
	if left(now.Add(11 * time.Minute)) {
		t.Error("the old session is still there")
	}
}

func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	w := writer(t, path)
	defer w.Close()
	for _, statement := range statements {
		if _, err := w.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestImportWaits for another process that holds the database.
func TestImportWaits(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	w := writer(t, path)
	tx, err := w.Begin()
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { tx.Rollback() })
	header, items, err := reprise.ReadCapture(strings.NewReader(`{"reprise":"capture","version":1,"session":{"id":"0193-7"}}` + "\n" +
		`{"seq":1,"t":0,"dir":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"ping"}}` + "\n"))
	if err == nil {
		err = db.Import(context.Background(), header, items)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s := find(t, db, "0193-7"); s.Frames != 1 || s.Calls != 1 {
		t.Errorf("session = %+v", s)
	}
}
