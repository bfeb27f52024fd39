package recorder

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// process takes in the journal of the only session, as far as in.limit, and may be killed anywhere.
type process struct {
	taking
	file *os.File
	size int64
}

func startProcess(t *testing.T, path string) *process {
	t.Helper()
	file, err := openShared(filepath.Join(journalDir(path), someID), false)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{taking{filler: newFiller(&store{writer(t, path)}, file)}, file, info.Size()}
	t.Cleanup(p.kill)
	return p
}

// storeFacts stores what stands in the journal, and derives nothing.
func (p *process) storeFacts(t *testing.T) {
	t.Helper()
	if done, err := p.filler.step(context.Background(), time.Now().Add(time.Minute)); !done || err != nil {
		t.Fatal(done, err)
	}
}

func (p *process) kill() {
	p.file.Close()
	p.store.db.Close()
}

// writer is another process that may write.
func writer(t *testing.T, path string) *sql.DB {
	t.Helper()
	w, err := openWriter(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}
