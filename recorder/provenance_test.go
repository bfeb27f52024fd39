package recorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reprise"
)

// TestReadProvenance reads values and uses back as they were given, in the order of their messages, over several pages.
func TestReadProvenance(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	var values []*reprise.Value
	var uses []*reprise.Use
	const calls = 3*page/2 + 1 // the later ones give the earlier values: whoever uses a value may do so late
	err := (&store{writer(t, path)}).inTx(context.Background(), func(run runner) error {
		errs := []error{run.session(&reprise.Session{ID: someID, StartedAt: someStart})}
		for i := int64(1); i <= calls; i++ {
			errs = append(errs, run.call(someID, &reprise.Call{Seq: i, Index: 1, Rendered: "get()", Link: reprise.LinkTask, Of: 7, OfIndex: 2, Partial: true}))
			for j := range i % 3 {
				values = append(values, &reprise.Value{N: 9*(calls-i) + j + 1, Seq: i + 1, Index: 2, CallSeq: i, CallIndex: 1, Key: "id", Entity: "issue", JSON: `"é"`, From: "get()", Path: "a[0].id", Echo: true})
				uses = append(uses, &reprise.Use{Seq: i, Index: 1, CallSeq: i, CallIndex: 1, Tool: "get", Path: "id", JSON: `"x"`, Source: reprise.SourceHarvested, Ground: reprise.GroundEnum,
					Relation: reprise.RelationSame, ValueN: 6, ValueSeq: 4, ValueIndex: 5, ValuePath: "b", ValueEntity: "project", Stale: true, Cut: true})
			}
		}
		uses = append(uses, &reprise.Use{Seq: calls + 9, CallSeq: calls, CallIndex: 1, JSON: "1"}) // an answer
		for _, v := range values {
			errs = append(errs, run.value(someID, v))
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
	for _, want := range []*reprise.Value{values[0], values[page]} {
		if v, err := db.ValueOf(context.Background(), someID, &reprise.Use{ValueN: want.N, ValueSeq: want.Seq, ValueIndex: want.Index}); err != nil || v == nil || *v != *want {
			t.Errorf("looked up: %+v, %v, want %+v", v, err, want)
		}
	}
	if v, err := db.ValueOf(context.Background(), someID, &reprise.Use{}); err != nil || v != nil {
		t.Errorf("from nowhere: %+v, %v", v, err)
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

// TestUsesOfFewCalls: whoever asks for some calls reads the uses of no others that stand far from them, as tail does at every look.
func TestUsesOfFewCalls(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	const calls, last = 3 * page, 3*page - 1
	err := (&store{writer(t, path)}).inTx(context.Background(), func(run runner) error {
		errs := []error{run.session(&reprise.Session{ID: someID, StartedAt: someStart})}
		for i := int64(1); i <= calls; i++ {
			response := int64(0)
			if i == last {
				response = calls + 1
			}
			errs = append(errs, run.call(someID, &reprise.Call{Seq: i, Response: response}), run.use(someID, i, &reprise.Use{Seq: i, CallSeq: i, JSON: "1"}))
		}
		m := messageRow{seq: calls + 1, call: &reprise.Call{Seq: last}, Message: reprise.Message{Kind: reprise.KindResponse}}
		errs = append(errs, run.message(someID, &m), run(`UPDATE sessions SET derived_seq = ?`, calls+1))
		return errors.Join(errs...)
	})
	if err != nil {
		t.Fatal(err)
	}
	filter, err := reprise.ParseFilter(fmt.Sprintf("seq:1 or seq:%d", last), someStart)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, path, `UPDATE provenance_uses SET cut = 7 WHERE call_seq BETWEEN 1000 AND 2000`) // no boolean: it can't be read
	q := Query{Session: someID, Uses: true}
	counted := 0
	each := func(e *reprise.Entry) error {
		if len(e.Uses) != 1 || e.Uses[0].Seq != e.Call.Seq {
			t.Errorf("call %d has %+v", e.Call.Seq, e.Uses)
		}
		counted++
		return nil
	}
	follow := &tailer{db: db, query: q, each: each, seen: map[string]mark{}}
	if err := follow.look(context.Background()); err != nil {
		t.Error(err)
	}
	q.Filter = filter
	for e, err := range db.Entries(context.Background(), q) {
		if err != nil {
			t.Fatal(err)
		}
		each(e)
	}
	if counted != 3 {
		t.Errorf("%d calls, want one that has ended, and two", counted)
	}
}

// TestBirthsInTheView: of the values in one result a use has the one that it is linked to.
func TestBirthsInTheView(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	err := (&store{writer(t, path)}).inTx(context.Background(), func(run runner) error {
		errs := []error{run.session(&reprise.Session{ID: someID, StartedAt: someStart})}
		for i, rendered := range []string{"one()", "two()"} {
			n := int64(i + 1)
			errs = append(errs, run.call(someID, &reprise.Call{Seq: n, Rendered: rendered}), run.value(someID, &reprise.Value{N: n, Seq: 3, CallSeq: n, JSON: "1"}),
				run.use(someID, n, &reprise.Use{Seq: 4, ValueN: n, ValueSeq: 3}))
		}
		return errors.Join(append(errs, run.use(someID, 3, &reprise.Use{Seq: 4}))...)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db.read, `SELECT born_seq, born_from FROM provenance`); !slices.Equal(got, []string{"[3 one()]", "[3 two()]", "[<nil> <nil>]"}) {
		t.Errorf("%q", got)
	}
}

// TestDerive rebuilds what an older version has derived, and says so where it can't.
func TestDerive(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	db := open(t, l.path)
	l.lines(1, 2)
	until(t, db, `SELECT derived_seq FROM sessions`, 2)
	if err := db.Derive(context.Background(), l.session.ID, nil); err != nil {
		t.Errorf("a live session is not up to date: %v", err)
	}
	execute(t, l.path, `UPDATE sessions SET derived_version = 0`)
	if err := db.Derive(context.Background(), l.session.ID, nil); !errors.Is(err, ErrLive) {
		t.Errorf("a session that an older version records: %v", err)
	}
	l.end()
	execute(t, l.path, `UPDATE sessions SET derived_version = 0`, `UPDATE messages SET kind = 'old'`)
	if err := db.Derive(context.Background(), "another", nil); err != nil {
		t.Error(err)
	}
	if kinds := dump(t, db.read, `SELECT kind FROM messages WHERE kind = 'old'`); len(kinds) != 2 {
		t.Errorf("another session was derived anew: %q", kinds)
	}
	if err := db.Derive(context.Background(), "", nil); err != nil {
		t.Error(err)
	}
	if kinds := dump(t, db.read, `SELECT kind FROM messages WHERE kind = 'noise'`); len(kinds) != 2 {
		t.Errorf("derived anew: %q", kinds)
	}
	execute(t, l.path, `UPDATE sessions SET derived_version = 1000`, `UPDATE messages SET kind = 'new'`)
	if err := db.Derive(context.Background(), "", nil); err != nil {
		t.Error(err)
	}
	if kinds := dump(t, db.read, `SELECT DISTINCT kind FROM messages`); len(kinds) != 1 || kinds[0] != "[noise]" {
		t.Errorf("what a newer version has derived: %q", kinds)
	}
}

// TestDeriveFails with what is the matter, whatever else is recorded at the moment, and derives what it can.
func TestDeriveFails(t *testing.T) {
	path := newPath(t)
	for range 2 {
		l := startLive(t, path, nil)
		l.lines(1, 2)
		l.end()
	}
	l := startLive(t, path, nil)
	defer l.end()
	l.lines(1, 2)
	db := open(t, path)
	until(t, db, `SELECT count(*) FROM sessions WHERE derived_seq = 2`, 3)
	execute(t, path, `UPDATE sessions SET derived_version = 0`,
		`CREATE TRIGGER stop BEFORE INSERT ON messages WHEN NEW.session_id = (SELECT min(id) FROM sessions WHERE ended_at > 0) BEGIN SELECT RAISE(ABORT, 'no room'); END`)
	told := ""
	err := db.Derive(context.Background(), "", func(n, of int) { told += fmt.Sprint(n, "/", of, " ") })
	if err == nil || errors.Is(err, ErrLive) || !strings.Contains(err.Error(), "no room") {
		t.Errorf("error %v", err)
	}
	if told != "1/3 2/3 3/3 " {
		t.Errorf("progress: %s", told)
	}
	if got := dump(t, db.read, `SELECT derived_version > 0, ended_at > 0 FROM sessions ORDER BY 2, 1`); !slices.Equal(got, []string{"[0 <nil>]", "[0 1]", "[1 1]"}) {
		t.Errorf("derived by %q", got)
	}
	db.Close()
	sealed := &DB{path: path, read: db.read, sealed: true}
	if err := sealed.Derive(context.Background(), "", nil); err == nil || errors.Is(err, ErrSealed) {
		t.Errorf("a database that can't be read: %v", err)
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
	p := startProcess(t, path)
	p.in.limit = p.size
	p.storeFacts(t)
	p.kill()
	os.Remove(filepath.Join(journalDir(path), someID))
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
