package recorder

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// TestDerivedAlike: however a session has come into the database, what is derived of it is the same to the last row. A failure names its seed.
func TestDerivedAlike(t *testing.T) {
	var linked, values int
	for i, name := range fixtures.Names() {
		for _, mixed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, seed %d, mixed %v", name, i, mixed), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(i), 3))
				chunks := cutUp(t, rnd, name, mixed)
				path := chunks.live(t)
				want := derivedRows(t, path)
				sameRows(t, "from its journal", derivedRows(t, chunks.journal(t, &someEnd)), want)
				db := open(t, path)
				if err := db.Rebuild(context.Background(), someID); err != nil {
					t.Fatal(err)
				}
				sameRows(t, "rebuilt", derivedRows(t, path), want)
				linked += len(dump(t, db.read, `SELECT n FROM provenance_uses WHERE value_seq > 0`))
				values += len(dump(t, db.read, `SELECT n FROM provenance_values`))
			})
		}
	}
	if linked < 10 || values < 100 {
		t.Errorf("%d values and %d linked uses: the test says nothing of them", values, linked)
	}
}

// TestDerivedAfterAKill: what a process has stored before it was killed makes no difference to what the next one completes.
func TestDerivedAfterAKill(t *testing.T) {
	for i, name := range fixtures.Names() {
		t.Run(fmt.Sprintf("%s, seed %d", name, i), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(i), 4))
			chunks := cutUp(t, rnd, name, i%2 == 1)
			chunks = chunks[:1+rnd.IntN(len(chunks))]
			want := derivedRows(t, chunks.journal(t, nil))
			path := chunks.journal(t, nil)
			for range 3 {
				storeSome(t, rnd, path)
			}
			sameRows(t, "killed and completed", derivedRows(t, path), want)
		})
	}
}

// storeSome is a process that takes the journal in, and is killed between two transactions.
func storeSome(t *testing.T, rnd *rand.Rand, path string) {
	t.Helper()
	p := startProcess(t, path)
	defer p.kill()
	for p.in.limit = headerSize; rnd.IntN(6) > 0; p.in.limit = min(p.size, p.in.limit+rnd.Int64N(p.size)) {
		p.storeFacts(t)
		left := rnd.IntN(40)
		if p.session == nil {
			continue
		}
		if _, err := p.derive(context.Background()).step(context.Background(), func() bool { left--; return left > 0 }); err != nil {
			t.Fatal(err)
		}
	}
}

// lines sends n lines that are a row each, and gives the number of the last.
func (l *live) lines(from, n int) int {
	for i := range n {
		l.send(reprise.ClientToServer, fmt.Sprintf("line %d\n", from+i))
	}
	return from + n
}

// until polls the database for a number.
func until(t *testing.T, db *DB, query string, want int64) {
	t.Helper()
	var got int64
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err := db.read.QueryRow(query).Scan(&got); err == nil && got == want {
			return
		}
	}
	t.Fatalf("%s gives %d, want %d", query, got, want)
}

// TestFactsGoOn while nothing can be derived; when it can, nothing is missing or there twice.
func TestFactsGoOn(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	db := open(t, l.path)
	execute(t, l.path, `CREATE TRIGGER stop BEFORE INSERT ON messages WHEN NEW.seq = 1500 BEGIN SELECT RAISE(ABORT, 'no'); END`)
	last := l.lines(1, 3000)
	until(t, db, `SELECT count(*) FROM frames`, 3000)
	l.lines(last, 500)
	until(t, db, `SELECT count(*) FROM frames`, 3500)
	var derived int64
	if err := db.read.QueryRow(`SELECT derived_seq FROM sessions`).Scan(&derived); err != nil || derived >= 1500 {
		t.Fatalf("derived up to %d, %v: the trigger does not stop it", derived, err)
	}
	execute(t, l.path, `DROP TRIGGER stop`)
	until(t, db, `SELECT derived_seq FROM sessions`, 3500)
	l.end()
	if s := find(t, db, "last"); s.Noise != 3500 || !s.Complete {
		t.Errorf("session = %+v", s)
	}
	live := derivedRows(t, l.path)
	if err := db.Rebuild(context.Background(), l.session.ID); err != nil {
		t.Fatal(err)
	}
	sameRows(t, "rebuilt", derivedRows(t, l.path), live)
}

// TestEndWithoutDerivation: what can't be derived by the end is left to the next command.
func TestEndWithoutDerivation(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	open(t, l.path).Close()
	execute(t, l.path, `CREATE TRIGGER stop BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'no'); END`)
	l.lines(1, 10)
	l.end()
	if got := dump(t, writer(t, l.path), `SELECT frames, ended_at IS NULL, derived_seq FROM sessions`); len(got) != 1 || got[0] != "[10 1 0]" {
		t.Errorf("%q: an ended session that is not derived, or facts that are missing", got)
	}
	l.journal.close() // as its process does when it exits
	execute(t, l.path, `DROP TRIGGER stop`)
	if s := find(t, open(t, l.path), "last"); s.Noise != 10 || !s.Complete || s.Ending != reprise.EndedByClient {
		t.Errorf("session = %+v", s)
	}
}

// TestSlowDerivation: facts are stored while a frame is being derived.
func TestSlowDerivation(t *testing.T) {
	var chunks traffic
	for i := range 20 {
		chunks = append(chunks, reprise.Chunk{At: time.Duration(i), Data: []byte(fmt.Sprintf("line %d\n", i))})
	}
	p := startProcess(t, chunks.journal(t, nil))
	p.in.limit = 1000
	p.storeFacts(t)
	d := p.derive(context.Background())
	began, goOn := make(chan bool), make(chan bool)
	message := d.derive.Message
	d.derive.Message = func(fr *reprise.Frame, m *reprise.Message, c *reprise.Call) {
		if fr.Seq == 1 {
			began <- true
			<-goOn
		}
		message(fr, m, c)
	}
	v := startDeriver(&Recorder{elapsed: func() time.Duration { return time.Hour }}, d)
	v.tell()
	<-began
	p.in.limit = p.size
	p.storeFacts(t)
	if got := dump(t, p.store.db, `SELECT count(*) FROM frames`); got[0] != "[20]" {
		t.Errorf("facts while frame 1 is derived: %q", got)
	}
	close(goOn)
	v.stop()
	if err := d.finish(context.Background(), reprise.EndedByServer, always, nil); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, p.store.db, `SELECT count(*), (SELECT derived_seq FROM sessions) FROM messages`); got[0] != "[20 20]" {
		t.Errorf("derived in the end: %q", got)
	}
}

// TestSmallTransactions: one frame with many messages is stored in many transactions, and none of them twice when some fail.
func TestSmallTransactions(t *testing.T) {
	chunks := traffic{{Data: []byte("[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 4999) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n")}}
	path := chunks.journal(t, &someEnd)
	db := open(t, path)
	want := derivedRows(t, path)
	execute(t, path, `DELETE FROM messages; DELETE FROM calls; UPDATE sessions SET derived_seq=0, derived_version=0`)
	st := &store{writer(t, path)}
	tries, largest, no := 0, 0, errors.New("no")
	d := newDerivation(someID, db.read, func(f func(runner) error) error {
		return st.inTx(context.Background(), func(run runner) error {
			rows := 0
			err := f(func(query string, args ...any) error { rows++; return run(query, args...) })
			largest = max(largest, rows)
			if tries++; tries%3 == 2 {
				return no
			}
			return err
		})
	})
	for err := no; err != nil; {
		if err = d.finish(context.Background(), someEnd.Ending, always, nil); err != nil && (!errors.Is(err, no) || errors.Is(err, errOutOfTime)) {
			t.Fatal(err)
		}
	}
	if tries < 12 || largest > batchRows+10 {
		t.Errorf("%d transactions of up to %d rows", tries, largest)
	}
	sameRows(t, "derived", derivedRows(t, path), want)
}

// TestLongLineGoesOn: nothing behind the beginning of a long line is derived before its end is there, for a rebuild finds it whole.
func TestLongLineGoesOn(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"put","arguments":{"text":"` + strings.Repeat("x", reprise.PartSize)
	chunks := traffic{
		{Data: []byte(`{"jsonrpc":"2.0","id":0,"method":"ping"}` + "\n")},
		{Data: []byte(long)},
		{Direction: reprise.ServerToClient, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")},
		{Data: []byte(`"}}}` + "\n")},
	}
	path := chunks.journal(t, &someEnd)
	p := startProcess(t, path)
	step := func(upTo int64) {
		p.in.limit = upTo
		for done := false; !done; {
			var err error
			if done, err = p.step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	last := record{data: chunks[3].Data}
	step(p.size - last.length())
	if got := dump(t, p.store.db, `SELECT (SELECT max(seq) FROM frames), derived_seq FROM sessions`); got[0] != "[3 1]" {
		t.Errorf("frames and what is derived: %q", got)
	}
	step(p.size)
	if err := p.finish(context.Background(), someEnd, always); err != nil {
		t.Fatal(err)
	}
	p.kill()
	want := derivedRows(t, path)
	if err := open(t, path).Rebuild(context.Background(), someID); err != nil {
		t.Fatal(err)
	}
	sameRows(t, "rebuilt", derivedRows(t, path), want)
}
