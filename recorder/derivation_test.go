package recorder

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures"
)

// traffic is what a session's pumps would show, in one order.
type traffic []reprise.Chunk

// cutUp cuts a capture anywhere. mixed says that its directions come in any order: answers may come before their questions.
func cutUp(t *testing.T, rnd *rand.Rand, name string, mixed bool) (chunks traffic) {
	t.Helper()
	lines, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	if mixed {
		return mix(rnd, lines)
	}
	for i, l := range lines {
		for text := l.Raw + "\n"; direction(l) >= 0 && text != ""; {
			n := 1 + rnd.IntN(len(text))
			chunks = append(chunks, reprise.Chunk{Direction: reprise.Direction(direction(l)), Data: []byte(text[:n]), At: time.Duration(i)})
			text = text[n:]
		}
	}
	return chunks
}

func direction(l fixtures.Line) int { return slices.Index([]string{"c2s", "s2c", "err"}, l.Dir) }

func mix(rnd *rand.Rand, lines []fixtures.Line) (chunks traffic) {
	var wires [3]string
	for _, l := range lines {
		if dir := direction(l); dir >= 0 {
			wires[dir] += l.Raw + "\n"
		}
	}
	longest := 1 + rnd.IntN(1<<rnd.IntN(14))
	for at := time.Duration(1); wires != [3]string{}; at += time.Duration(rnd.IntN(2)) {
		dir := rnd.IntN(3)
		n := min(len(wires[dir]), 1+rnd.IntN(longest))
		if n > 0 {
			chunks = append(chunks, reprise.Chunk{Direction: reprise.Direction(dir), Data: []byte(wires[dir][:n]), At: at})
		}
		wires[dir] = wires[dir][n:]
	}
	return chunks
}

var (
	someStart = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	someEnd   = ending{At: time.Hour, Ending: reprise.EndedByServer}
)

const someID = "01a22d8b-2787-74c2-b638-2f712055fc94"

// live records the traffic as a proxy does.
func (chunks traffic) live(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	s := reprise.Session{ID: someID, Server: "tracker", Transport: "stdio", StartedAt: someStart}
	pausing := func() time.Duration { return someEnd.At } // always: there is something to do before the end
	r := Start(path, s, pausing, func(w string) { t.Error(w) })
	for i, c := range chunks {
		r.Observe(c)
		if i == len(chunks)/2 {
			time.Sleep(2 * settled)
		}
	}
	r.End(someEnd.Ending, nil, time.Minute)
	return path
}

// journal leaves what a killed proxy leaves that had stored nothing, and is told of its end if there is one.
func (chunks traffic) journal(t *testing.T, end *ending) string {
	t.Helper()
	path := newPath(t)
	r := &Recorder{session: reprise.Session{ID: someID, Server: "tracker", Transport: "stdio", StartedAt: someStart}}
	j, err := createJournal(path, someID)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	records := []*record{r.sessionRecord()}
	for _, c := range chunks {
		records = append(records, &record{kind: kindChunk, dir: c.Direction, at: c.At, data: c.Data})
	}
	for _, rec := range records {
		if err := j.append(rec); err != nil {
			t.Fatal(err)
		}
	}
	if end != nil {
		j.noteEnd(*end)
	}
	return path
}

// derivedRows dumps everything that is derived of the only session.
func derivedRows(t *testing.T, path string) (all []string) {
	t.Helper()
	db := open(t, path)
	defer db.Close()
	for _, query := range []string{
		`SELECT frames, calls, errors, noise, invalid, orphans, protocol_version, client_name, client_version, server_name, server_version, host,
			value_count, unsourced, left_out, derived_seq, derived_version, ended_at, ending, complete FROM sessions`,
		`SELECT * FROM messages ORDER BY seq, idx`,
		`SELECT * FROM calls ORDER BY seq, idx`,
		`SELECT * FROM provenance_values ORDER BY n`,
		`SELECT * FROM provenance_uses ORDER BY n`,
	} {
		all = append(all, dump(t, db.read, query)...)
	}
	return all
}

func dump(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(values))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func sameRows(t *testing.T, how string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("%s: lacks %s", how, want[i])
		case i >= len(want) || got[i] != want[i]:
			t.Fatalf("%s: row %d of %d is\n%s\nwant\n%s", how, i, len(got), got[i], append(want, "nothing")[min(i, len(want))])
		}
	}
}

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
	w, err := openWriter(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	file, err := openShared(filepath.Join(journalDir(path), someID), false)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f := newFiller(&store{w}, file)
	taking := taking{filler: f}
	for f.in.limit = headerSize; rnd.IntN(6) > 0; f.in.limit = min(info.Size(), f.in.limit+rnd.Int64N(info.Size())) {
		if _, err := f.step(context.Background(), time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		left := rnd.IntN(40)
		if f.session == nil {
			continue
		}
		if _, err := taking.derive(context.Background()).step(context.Background(), func() bool { left--; return left > 0 }); err != nil {
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
	w, err := openWriter(context.Background(), l.path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got := dump(t, w, `SELECT frames, ended_at IS NULL, derived_seq FROM sessions`); len(got) != 1 || got[0] != "[10 1 0]" {
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
	path := chunks.journal(t, nil)
	w, err := openWriter(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	file, err := openShared(filepath.Join(journalDir(path), someID), false)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := newFiller(&store{w}, file)
	fill := func(upTo int64) {
		f.in.limit = upTo
		if _, err := f.step(context.Background(), time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	fill(1000)
	d := newDerivation(someID, w, f.store.transaction(context.Background()))
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
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	fill(info.Size())
	if got := dump(t, w, `SELECT count(*) FROM frames`); got[0] != "[20]" {
		t.Errorf("facts while frame 1 is derived: %q", got)
	}
	close(goOn)
	v.stop()
	if err := d.finish(context.Background(), reprise.EndedByServer, always, nil); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, w, `SELECT count(*), (SELECT derived_seq FROM sessions) FROM messages`); got[0] != "[20 20]" {
		t.Errorf("derived in the end: %q", got)
	}
}

// TestSmallTransactions: one frame with many messages is stored in many transactions, and none of them twice when some fail.
func TestSmallTransactions(t *testing.T) {
	chunks := traffic{{Data: []byte("[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 4999) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n")}}
	path := chunks.journal(t, &someEnd)
	db := open(t, path)
	want := derivedRows(t, path)
	w, err := openWriter(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Exec(`DELETE FROM messages; DELETE FROM calls; UPDATE sessions SET derived_seq=0, derived_version=0`); err != nil {
		t.Fatal(err)
	}
	st := &store{w}
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
		if err = d.finish(context.Background(), someEnd.Ending, always, nil); err != nil && !errors.Is(err, no) {
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
	w, err := openWriter(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	file, err := openShared(filepath.Join(journalDir(path), someID), false)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	taking := taking{filler: newFiller(&store{w}, file)}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	last := record{data: chunks[3].Data}
	step := func(upTo int64) {
		taking.in.limit = upTo
		for done := false; !done; {
			if done, err = taking.step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	step(info.Size() - last.length())
	if got := dump(t, w, `SELECT (SELECT max(seq) FROM frames), derived_seq FROM sessions`); got[0] != "[3 1]" {
		t.Errorf("frames and what is derived: %q", got)
	}
	step(info.Size())
	if err := taking.finish(context.Background(), someEnd); err != nil {
		t.Fatal(err)
	}
	file.Close()
	w.Close()
	want := derivedRows(t, path)
	if err := open(t, path).Rebuild(context.Background(), someID); err != nil {
		t.Fatal(err)
	}
	sameRows(t, "rebuilt", derivedRows(t, path), want)
}
