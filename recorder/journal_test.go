package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"reprise"
)

func readJournal(t testing.TB, name string) (records []record, err error) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r := reader{file: file, limit: info.Size()}
	for {
		rec, err := r.next()
		if err != nil {
			return records, err
		}
		rec.data = bytes.Clone(rec.data)
		records = append(records, rec)
	}
}

// TestJournal writes records of all sizes, through the mapping and without it, and over from one to the other.
func TestJournal(t *testing.T) {
	sizes := []int{0, 1, 7, 8, 9, 200, 4096, 256 << 10}
	for name, leaveAt := range map[string]int{"as the system does": -1, "written": 0, "written from the middle on": 100} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			j, err := createJournal(path, "s")
			if err != nil {
				t.Fatal(err)
			}
			var want []record
			for i := range 200 {
				if i == leaveAt {
					if err := j.view.leave(j.file, j.size); err != nil {
						t.Fatal(err)
					}
				}
				r := record{kind: kindChunk, dir: reprise.Direction(i % 3), flags: byte(i % 2), at: time.Duration(i), stream: int64(i),
					data: bytes.Repeat([]byte{byte(i + 1)}, sizes[i%len(sizes)])}
				if err := j.append(&r); err != nil {
					t.Fatal(err)
				}
				want = append(want, r)
			}
			check := func() {
				got, err := readJournal(t, filepath.Join(journalDir(path), "s"))
				if !errors.Is(err, io.EOF) || len(got) != len(want) {
					t.Fatalf("%d records, want %d: %v", len(got), len(want), err)
				}
				for i, w := range want {
					if g := got[i]; g.kind != w.kind || g.dir != w.dir || g.flags != w.flags || g.at != w.at || g.stream != w.stream || !bytes.Equal(g.data, w.data) {
						t.Fatalf("record %d is another: %d bytes, want %d", i, len(g.data), len(w.data))
					}
				}
			}
			check() // as a killed process leaves it
			j.close()
			check()
		})
	}
}

// TestJournalCut takes in what a journal still has when its end is missing or is not ours.
func TestJournalCut(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(*testing.T, string)
		frames int64
		gaps   int64
	}{
		{"nothing", func(*testing.T, string) {}, 3, 0},
		{"torn in the last record", func(t *testing.T, name string) { truncate(t, name, -10) }, 2, 0},
		{"torn in its header", func(t *testing.T, name string) { truncate(t, name, -60) }, 2, 0},
		{"followed by zeros", func(t *testing.T, name string) { truncate(t, name, 100_000) }, 3, 0},
		{"followed by rubbish", func(t *testing.T, name string) { appendTo(t, name, bytes.Repeat([]byte("rubbish "), 100)) }, 3, 1},
		{"cut in the file's header", func(t *testing.T, name string) { os.Truncate(name, 10) }, 0, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := newPath(t)
			r := &Recorder{session: reprise.Session{ID: "s", StartedAt: time.Now()}}
			j, err := createJournal(path, r.session.ID)
			if err != nil {
				t.Fatal(err)
			}
			j.append(r.sessionRecord())
			for range 3 {
				j.append(&record{kind: kindChunk, data: []byte(`{"jsonrpc":"2.0","method":"0123456"}` + "\n")})
			}
			j.close()
			name := filepath.Join(journalDir(path), r.session.ID)
			c.spoil(t, name)

			db := open(t, path)
			if _, err := os.Stat(name); err == nil {
				t.Error("the journal is still there")
			}
			if c.gaps < 0 {
				return
			}
			s := find(t, db, "last")
			if s.Frames != c.frames || s.Gaps != c.gaps || s.Ending != reprise.EndedByKill || s.Complete != (c.gaps == 0) {
				t.Errorf("session = %+v", s)
			}
		})
	}
}

func truncate(t *testing.T, name string, by int64) {
	t.Helper()
	info, err := os.Stat(name)
	if err == nil {
		err = os.Truncate(name, info.Size()+by)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, name string, data []byte) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
}

// TestJournalOfTheLiving is not taken from a session that still runs.
func TestJournalOfTheLiving(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	l.send(reprise.ClientToServer, "{}\n")
	db := open(t, l.path)
	for s, err := range db.Sessions(context.Background(), nil) {
		if err != nil || !s.EndedAt.IsZero() {
			t.Errorf("session = %+v, %v", s, err)
		}
	}
	if j := Journals(l.path); len(j) != 1 || !j[0].Live {
		t.Errorf("journals = %+v", j)
	}
	l.end()
	if s := find(t, open(t, l.path), "last"); !s.Complete || s.Frames != 1 {
		t.Errorf("session = %+v", s)
	}
}

// TestLate keeps in order what passed while a write hung, and counts what was too much.
func TestLate(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	l.send(reprise.ClientToServer, "1\n")
	big := string(bytes.Repeat([]byte("x"), lateBytes/2-1)) + "\n"
	l.mu.Lock()
	for _, text := range []string{"2\n", big, "3\n", big, "lost\nlost\nlo"} {
		l.Miss(reprise.Chunk{Direction: reprise.ClientToServer, Data: []byte(text), At: l.elapsed()})
	}
	l.mu.Unlock()
	<-l.warns
	l.send(reprise.ClientToServer, "st\n4\n")
	l.end()
	db := open(t, l.path)
	s := find(t, db, "last")
	want := "1\n2\n" + big + "3\n" + "st\n4\n"
	if got := wire(t, db, s.ID, reprise.ClientToServer); got != want {
		t.Errorf("%d bytes on record, want %d", len(got), len(want))
	}
	gaps, err := db.Gaps(context.Background(), s.ID)
	if err != nil || len(gaps) != 1 || gaps[0].Frames != 3 || s.LostFrames != 3 || s.Complete {
		t.Errorf("gaps = %+v, %v; session = %+v", gaps, err, s)
	}
	for f, err := range db.Frames(context.Background(), s.ID) {
		if err != nil || f.Truncated != (string(f.Data) == "st") {
			t.Errorf("frame %d truncated: %v, %v", f.Seq, f.Truncated, err)
		}
	}
}

// TestOrderAfterAHang: what waited for a hanging write stands before what moved on meanwhile.
func TestOrderAfterAHang(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	l.send(reprise.ClientToServer, "0\n")
	l.mu.Lock()
	came := make(chan bool)
	go func() {
		l.send(reprise.ClientToServer, "1\n")
		came <- true
	}()
	for !l.late.some.Load() {
		time.Sleep(time.Millisecond)
	}
	l.Miss(reprise.Chunk{Direction: reprise.ClientToServer, Data: []byte("2\n"), At: l.elapsed()})
	l.mu.Unlock()
	<-came
	l.send(reprise.ClientToServer, "3\n")
	l.end()
	db := open(t, l.path)
	if s := find(t, db, "last"); wire(t, db, s.ID, reprise.ClientToServer) != "0\n1\n2\n3\n" || !s.Complete {
		t.Errorf("on record: %q, complete %v", wire(t, db, s.ID, reprise.ClientToServer), s.Complete)
	}
}

// TestLateKeepsItsOrder: what waited and could not be written is copied where it stands, or counted when there is no room.
func TestLateKeepsItsOrder(t *testing.T) {
	var l late
	buf := []byte("1\n")
	place := l.wait(reprise.Chunk{Data: buf})
	l.add(reprise.Chunk{Data: []byte("2\n")}, errSlow)
	l.giveBack(l.take())
	l.own(place, errSlow)
	copy(buf, "x\n")
	for range 2 {
		l.own(l.wait(reprise.Chunk{Data: make([]byte, lateBytes)}), errSlow)
	}
	var got []string
	for i := l.take(); i != nil; i = l.take() {
		if i.loss != nil {
			got = append(got, fmt.Sprintf("%d lost", i.loss.Lanes[0].Bytes))
		} else {
			got = append(got, string(i.chunk.Data))
		}
	}
	if want := []string{"1\n", "2\n", fmt.Sprintf("%d lost", 2*lateBytes)}; !slices.Equal(got, want) {
		t.Errorf("late has %q, want %q", got, want)
	}
	if l.some.Load() || l.held != (tally{}) {
		t.Errorf("%+v is still held", l.held)
	}
}

// TestPause counts what passes while recording is paused, and records again afterwards.
func TestPause(t *testing.T) {
	l := startLive(t, newPath(t), nil)
	l.send(reprise.ClientToServer, "1\n")
	if err := Pause(l.path); err != nil {
		t.Fatal(err)
	}
	l.looked = -time.Hour
	l.send(reprise.ClientToServer, "unseen\nunseen\n")
	if err := Resume(l.path); err != nil {
		t.Fatal(err)
	}
	l.looked = -time.Hour
	l.send(reprise.ClientToServer, "2\n")
	l.end()
	db := open(t, l.path)
	s := find(t, db, "last")
	gaps, err := db.Gaps(context.Background(), s.ID)
	if err != nil || len(gaps) != 1 || gaps[0].Frames != 2 || gaps[0].From != 2 || gaps[0].To != 3 || gaps[0].Reason != errPaused.Error() {
		t.Errorf("gaps = %+v, %v", gaps, err)
	}
	if got := wire(t, db, s.ID, reprise.ClientToServer); got != "1\n2\n" {
		t.Errorf("on record: %q", got)
	}
	grep(t, l.path, "unseen")
}

// TestPausedFromTheStart keeps nothing, even of what comes while the journal is made.
func TestPausedFromTheStart(t *testing.T) {
	path := newPath(t)
	if err := Pause(path); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		l := startLive(t, path, nil)
		l.send(reprise.ClientToServer, "unseen\n")
		l.end()
		if s := find(t, open(t, path), l.session.ID); s.Frames != 0 || s.LostFrames != 1 {
			t.Fatalf("session = %+v", s)
		}
	}
	grep(t, path, "unseen")
}

func grep(t *testing.T, path, text string) {
	t.Helper()
	names, _ := filepath.Glob(path + "*")
	for _, name := range names {
		if data, err := os.ReadFile(name); err != nil || bytes.Contains(data, []byte(text)) {
			t.Errorf("%s has %q in it, %v", name, text, err)
		}
	}
}

// TestHole counts what stands behind a hole that a stopped machine has left.
func TestHole(t *testing.T) {
	path := newPath(t)
	l := startLive(t, path, nil)
	line := string(bytes.Repeat([]byte("x"), 99_999)) + "\n"
	for range 20 {
		l.send(reprise.ClientToServer, line)
	}
	l.settled(t)
	l.mu.Lock() // the machine stops here
	name := filepath.Join(journalDir(path), l.session.ID)
	l.journal.close()
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 500_000), 500_000); err != nil {
		t.Fatal(err)
	}
	f.Close()
	other := filepath.Join(filepath.Dir(path), "journal", l.session.ID)
	anew := newPath(t)
	os.MkdirAll(journalDir(anew), 0o700)
	if err := os.Rename(other, filepath.Join(journalDir(anew), l.session.ID)); err != nil {
		t.Fatal(err)
	}
	s := find(t, open(t, anew), "last")
	if s.Complete || s.Gaps != 1 || s.Frames == 0 || s.Frames >= 20 {
		t.Errorf("session = %+v", s)
	}
}

// TestTwoDatabases in one folder take in their own journals, and are paused on their own.
func TestTwoDatabases(t *testing.T) {
	path := newPath(t)
	other := filepath.Join(filepath.Dir(path), "other.db")
	l := startLive(t, path, nil)
	l.send(reprise.ClientToServer, "{}\n")
	l.settled(t)
	l.mu.Lock() // its process ends here
	l.journal.close()
	if err := Pause(other); err != nil || Paused(path) || !Paused(other) {
		t.Errorf("paused: %v and %v, %v", Paused(path), Paused(other), err)
	}
	db := open(t, other)
	if _, err := db.Find(context.Background(), "last"); !errors.Is(err, ErrNotFound) || len(Journals(other)) != 0 {
		t.Errorf("the other database has taken the session: %v, %v", err, Journals(other))
	}
	if s := find(t, open(t, path), "last"); s.Frames != 1 || !s.Complete {
		t.Errorf("session = %+v", s)
	}
}

// TestReducedLoss ends a line whose rest was not kept; what follows is read for itself.
func TestReducedLoss(t *testing.T) {
	l := startLive(t, newPath(t), func(s *reprise.Session) { s.MetadataOnly = true })
	l.send(reprise.ClientToServer, `{"jsonrpc":"2.0","id":1,"method":"a"}`+"\n"+`{"jsonrpc":"2.0","id":2,"met`)
	Pause(l.path)
	l.looked = -time.Hour
	l.send(reprise.ClientToServer, `hod":"b"}`+"\n"+`{"jsonrpc":"2.0","id":3,"method":"c"}`+"\n"+`{"json`)
	Resume(l.path)
	l.looked = -time.Hour
	l.send(reprise.ClientToServer, `rpc":"2.0","id":4,"method":"d"}`+"\n"+`{"jsonrpc":"2.0","id":5,"method":"e"}`+"\n")
	l.end()
	db := open(t, l.path)
	s := find(t, db, "last")
	var got []string
	for f, err := range db.Frames(context.Background(), s.ID) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %v", f.Seq, f.Truncated))
	}
	if want := []string{"1 false", "2 true", "4 true", "5 false"}; !slices.Equal(got, want) || s.LostFrames != 1 || s.Calls != 2 {
		t.Errorf("frames %q, want %q; session = %+v", got, want, s)
	}
}
