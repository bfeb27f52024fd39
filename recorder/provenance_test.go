package recorder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"reprise"
)

// TestReadProvenance reads values and uses back as they were given, in the order of their messages, over several pages.
func TestReadProvenance(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	w, err := openWriter(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var values []*reprise.Value
	var uses []*reprise.Use
	const calls = 3*page/2 + 1
	err = (&store{w}).inTx(context.Background(), func(run runner) error {
		errs := []error{run.session(&reprise.Session{ID: someID, StartedAt: someStart})}
		for i := int64(1); i <= calls; i++ {
			errs = append(errs, run.call(someID, &reprise.Call{Seq: i, Index: 1, Rendered: "get()", Link: reprise.LinkTask, Of: 7, OfIndex: 2, Partial: true}))
			for range i % 3 {
				values = append(values, &reprise.Value{Seq: i + 1, Index: 2, CallSeq: i, CallIndex: 1, Key: "id", Entity: "issue", JSON: `"é"`, From: "get()", Path: "a[0].id", Echo: true})
				uses = append(uses, &reprise.Use{Seq: i, Index: 1, CallSeq: i, CallIndex: 1, Tool: "get", Path: "id", JSON: `"x"`, Source: reprise.SourceHarvested, Ground: reprise.GroundEnum,
					Relation: reprise.RelationSame, ValueSeq: 4, ValueIndex: 5, ValuePath: "b", ValueEntity: "project", Stale: true, Cut: true})
			}
		}
		uses = append(uses, &reprise.Use{Seq: calls + 9, CallSeq: calls, CallIndex: 1, JSON: "1"}) // an answer
		for i, v := range values {
			errs = append(errs, run.value(someID, int64(len(values)-i), v)) // a later one may be of an earlier result
		}
		for i, u := range uses {
			errs = append(errs, run.use(someID, int64(i), u))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for v, err := range db.Values(context.Background(), someID) {
		if err != nil || *v != *values[n] {
			t.Fatalf("value %d is %+v, %v, want %+v", n, v, err, values[n])
		}
		n++
	}
	if n != len(values) {
		t.Errorf("%d values, want %d", n, len(values))
	}
	n = 0
	for u, err := range db.Uses(context.Background(), someID) {
		if err != nil || *u != *uses[n] {
			t.Fatalf("use %d is %+v, %v, want %+v", n, u, err, uses[n])
		}
		n++
	}
	if n != len(uses) {
		t.Errorf("%d uses, want %d", n, len(uses))
	}
	for _, after := range []int64{0, page + 5} {
		want := slices.DeleteFunc(slices.Clone(uses), func(u *reprise.Use) bool { return u.CallSeq <= after })
		for e, err := range db.Entries(context.Background(), Query{Session: someID, Uses: true, After: after}) {
			if err != nil || e.Call.Link != reprise.LinkTask || e.Call.Of != 7 || e.Call.OfIndex != 2 || !e.Call.Partial || e.Call.Rendered != "get()" {
				t.Fatalf("call %+v, %v", e.Call, err)
			}
			for _, u := range e.Uses {
				if *u != *want[0] || u.CallSeq != e.Call.Seq {
					t.Fatalf("call %d has %+v, want %+v", e.Call.Seq, u, want[0])
				}
				want = want[1:]
			}
		}
		if len(want) > 0 {
			t.Errorf("%d uses belong to no call", len(want))
		}
	}
}

// TestDerive rebuilds what an older version has derived, and says so where it can't.
func TestDerive(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	db := open(t, l.path)
	l.lines(1, 2)
	until(t, db, `SELECT derived_seq FROM sessions`, 2)
	if err := db.Derive(context.Background(), l.session.ID); err != nil {
		t.Errorf("a live session is not up to date: %v", err)
	}
	execute(t, l.path, `UPDATE sessions SET derived_version = 0`)
	if err := db.Derive(context.Background(), l.session.ID); !errors.Is(err, ErrLive) {
		t.Errorf("a session that an older version records: %v", err)
	}
	l.end()
	execute(t, l.path, `UPDATE sessions SET derived_version = 0`, `UPDATE messages SET kind = 'old'`)
	if err := db.Derive(context.Background(), "another"); err != nil {
		t.Error(err)
	}
	if kinds := dump(t, db.read, `SELECT kind FROM messages WHERE kind = 'old'`); len(kinds) != 2 {
		t.Errorf("another session was derived anew: %q", kinds)
	}
	if err := db.Derive(context.Background(), ""); err != nil {
		t.Error(err)
	}
	if kinds := dump(t, db.read, `SELECT kind FROM messages WHERE kind = 'noise'`); len(kinds) != 2 {
		t.Errorf("derived anew: %q", kinds)
	}
}

// TestOldRowsGo: what other rules have derived of a session is gone when its journal is taken in.
func TestOldRowsGo(t *testing.T) {
	chunks := traffic{{Data: []byte("noise\n")}}
	want := derivedRows(t, chunks.journal(t, nil))
	path := chunks.journal(t, nil)
	execute(t, path,
		`INSERT INTO sessions (id, started_at, derived_seq) VALUES ('`+someID+`', 0, 9)`,
		`INSERT INTO calls (session_id, seq, idx, direction, stream, rpc_id, method, name, status, started_ns, request_size) VALUES ('`+someID+`', 9, 0, 0, 0, '1', 'old', '', 'ok', 0, 0)`,
		`UPDATE sessions SET started_at = `+"1796040000000000000"+`, server = 'tracker'`, `UPDATE sessions SET derived_seq = 0`)
	sameRows(t, "taken in", derivedRows(t, path), want)
}

// TestJournalDeleted ends the session at its last frame, with everything derived.
func TestJournalDeleted(t *testing.T) {
	path := traffic{
		{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")},
		{Direction: reprise.ServerToClient, Data: []byte(`{"jsonrpc":"2.0","id":2,"result":{}}` + "\n")},
	}.journal(t, nil)
	w, err := openWriter(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	name := filepath.Join(journalDir(path), someID)
	file, err := openShared(name, false)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f := newFiller(&store{w}, file)
	f.in.limit = info.Size()
	if done, err := f.step(context.Background(), someStart); !done || err != nil { // facts, and no more
		t.Fatal(done, err)
	}
	file.Close()
	os.Remove(name)
	for range 2 {
		db := open(t, path)
		s := find(t, db, "last")
		if s.Ending != reprise.EndedByKill || s.Gaps != 1 || s.Complete || s.Calls != 2 {
			t.Errorf("session = %+v", s)
		}
		if got := dump(t, db.read, `SELECT name, status FROM calls ORDER BY seq`); len(got) != 2 || got[0] != "[a lost]" {
			t.Errorf("calls: %q", got)
		}
	}
}
