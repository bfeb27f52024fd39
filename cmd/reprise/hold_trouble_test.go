//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures/fixturetest"
	"reprise/recorder"

	_ "github.com/mattn/go-sqlite3"
)

// talk holds n round trips, and fails the test when one does not come back.
func (p *proxied) talk(t testing.TB, from, n, padding int) {
	t.Helper()
	out := bufio.NewReaderSize(p.out, 1<<16)
	for i := from; i < from+n; i++ {
		if _, err := io.WriteString(p.in, request(i, padding)); err != nil {
			t.Fatal(err)
		}
		if line, err := out.ReadString('\n'); err != nil {
			t.Fatalf("answer %d: %q, %v; stderr %s", i, line, err, &p.stderr)
		}
	}
}

// oneWarning wants exactly one line on stderr, and in it the words.
func (p *proxied) oneWarning(t testing.TB, words ...string) {
	t.Helper()
	text := p.stderr.String()
	if strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "reprise: warning: ") {
		t.Errorf("stderr = %q, want one warning", text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("stderr = %q, want %q in it", text, w)
		}
	}
}

func echoServer(t testing.TB) []string { return []string{fixturetest.Bin(t, "fixture"), "echo"} }

func TestNowhereToWrite(t *testing.T) {
	p := startRecord(t, "/dev/null/state/reprise.db", echoServer(t)...)
	p.talk(t, 0, 100, 10)
	if _, code := p.finish(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.oneWarning(t, "gap")
}

func TestDamagedDatabase(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"garbage": func(t *testing.T, path string) { put(t, path, strings.Repeat("no database ", 1000)) },
		"stranger": func(t *testing.T, path string) {
			exec1(t, path, `CREATE TABLE mine (x); PRAGMA user_version=7`)
		},
		"newer": func(t *testing.T, path string) {
			openDB(t, path).Close()
			exec1(t, path, `PRAGMA user_version=99`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := newDB(t)
			os.MkdirAll(filepath.Dir(path), 0o700)
			spoil(t, path)
			before := read(t, path)
			p := startRecord(t, path, echoServer(t)...)
			p.talk(t, 0, 100, 10)
			if _, code := p.finish(t); code != 0 {
				t.Errorf("exit code %d, stderr %s", code, &p.stderr)
			}
			if _, err := recorder.Open(context.Background(), path, recorder.Options{}); err == nil {
				t.Error("the database opens")
			}
			if !bytes.Equal(before, read(t, path)) {
				t.Error("the file was written to")
			}
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			wantAll(t, path, 200)
		})
	}
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func exec1(t testing.TB, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// wantAll wants the one session in the database complete with so many frames.
func wantAll(t testing.TB, path string, frames int64) *reprise.Session {
	t.Helper()
	db := openDB(t, path)
	s := lastSession(t, db)
	if s.Frames != frames || !s.Complete || s.Gaps != 0 || s.LostFrames != 0 {
		t.Errorf("session = %+v, want %d frames and no gap", s, frames)
	}
	return s
}

func TestDatabaseDeletedWhileRunning(t *testing.T) {
	path := newDB(t)
	p := startRecord(t, path, echoServer(t)...)
	p.talk(t, 0, 50, 10)
	waitFor(t, func() bool { _, err := os.Stat(path); return err == nil })
	for _, suffix := range []string{"", "-wal", "-shm"} {
		os.Remove(path + suffix)
	}
	time.Sleep(1100 * time.Millisecond) // it is noticed once a second
	p.talk(t, 50, 50, 10)
	if _, code := p.finish(t); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %s", code, &p.stderr)
	}
	wantAll(t, path, 200)
}

func TestJournalDeletedWhileRunning(t *testing.T) {
	path := newDB(t)
	p := startRecord(t, path, echoServer(t)...)
	p.talk(t, 0, 50, 10)
	journals, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "journal", "*"))
	if len(journals) != 1 {
		t.Fatalf("journals = %v", journals)
	}
	os.Remove(journals[0])
	p.talk(t, 50, 50, 10)
	if _, code := p.finish(t); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %s", code, &p.stderr)
	}
	wantAll(t, path, 200)
}

// TestJournalLost kills a session whose journal somebody has deleted: what was not in the database is gone, and that is said.
func TestJournalLost(t *testing.T) {
	path := newDB(t)
	p := startRecord(t, path, echoServer(t)...)
	p.talk(t, 0, 50, 10)
	waitFor(t, func() bool { return lastSessionOr(path).Frames == 100 })
	journals, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "journal", "*"))
	os.Remove(journals[0])
	p.Process.Kill()
	p.Wait()
	s := lastSession(t, openDB(t, path))
	if s.Complete || s.Gaps != 1 || s.EndedAt.IsZero() || s.Frames != 100 {
		t.Errorf("session = %+v", s)
	}
}

func lastSessionOr(path string) *reprise.Session {
	db, err := recorder.Open(context.Background(), path, recorder.Options{})
	if err != nil {
		return &reprise.Session{}
	}
	defer db.Close()
	s, err := db.Find(context.Background(), "last")
	if err != nil {
		return &reprise.Session{}
	}
	return s
}

func waitFor(t testing.TB, what func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !what(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come about")
		}
	}
}

// smallDisk mounts a file system of so many MiB.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700,size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system: %s", out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir
}

func TestDiskFull(t *testing.T) {
	dir := smallDisk(t, "4m")
	path := filepath.Join(dir, "state", "reprise.db")
	p := startRecord(t, path, echoServer(t)...)
	p.talk(t, 0, 200, 100_000) // 40 MB
	if _, code := p.finish(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.oneWarning(t, "gap")
	exec.Command("mount", "-o", "remount,size=200m", dir).Run()
	s := lastSession(t, openDB(t, path))
	if s.Complete || s.Gaps == 0 || s.LostFrames == 0 || s.Frames+s.LostFrames < 390 || s.Frames+s.LostFrames > 410 {
		t.Errorf("session = %+v", s)
	}
}

// TestDiskFullForAWhile frees the disk before the session ends: what has waited in memory is stored, and all after it.
func TestDiskFullForAWhile(t *testing.T) {
	dir := smallDisk(t, "64m")
	path := filepath.Join(dir, "state", "reprise.db")
	p := startRecord(t, path, echoServer(t)...)
	p.talk(t, 0, 10, 1000)
	ballast := filepath.Join(dir, "ballast")
	fill, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(fill, zeros{})
	fill.Close()
	p.talk(t, 10, 30, 100_000)
	os.Remove(ballast)
	p.talk(t, 40, 10, 1000)
	p.finish(t)
	s := lastSession(t, openDB(t, path))
	if s.Frames != 100 || !s.Complete {
		t.Errorf("session = %+v", s)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestReadOnlyWhileRunning(t *testing.T) {
	dir := smallDisk(t, "64m")
	path := filepath.Join(dir, "state", "reprise.db")
	p := startRecord(t, path, echoServer(t)...)
	p.talk(t, 0, 10, 1000)
	exec.Command("mount", "-o", "remount,ro", dir).Run() // refused while files are open for writing: then nothing is wrong, and nothing is lost
	p.talk(t, 10, 10, 1000)
	if _, code := p.finish(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	exec.Command("mount", "-o", "remount,rw", dir).Run()
	s := lastSession(t, openDB(t, path))
	if s.Frames+s.LostFrames != 40 {
		t.Errorf("session = %+v", s)
	}
}

// TestTwentyProxies records twenty sessions at once into one database that
// another process holds, and that a reader is in a long transaction with.
func TestTwentyProxies(t *testing.T) {
	held := 2 * time.Second
	if text := os.Getenv("REPRISE_HOLD"); text != "" { // the whole minute is for `make e2e`
		held, _ = time.ParseDuration(text)
	}
	path := newDB(t)
	openDB(t, path).Close()
	reader, holder := connect(t, path), connect(t, path)
	if _, err := reader.Exec(`BEGIN; SELECT count(*) FROM frames`); err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(`BEGIN EXCLUSIVE`); err != nil {
		t.Fatal(err)
	}
	release := time.AfterFunc(held, func() { holder.Exec(`ROLLBACK`) })
	defer release.Stop()
	end := time.Now().Add(held + time.Second)
	var all sync.WaitGroup
	for range 20 {
		p := startRecord(t, path, echoServer(t)...)
		all.Go(func() {
			for i := 0; i < 100 || time.Now().Before(end); i++ {
				io.WriteString(p.in, request(i, 10))
				time.Sleep(5 * time.Millisecond)
			}
			p.in.Close()
		})
		all.Go(func() { io.Copy(io.Discard, p.out); p.Wait() })
	}
	all.Wait()
	reader.Exec(`ROLLBACK`)
	db := openDB(t, path)
	var sessions int
	for s, err := range db.Sessions(context.Background(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if sessions++; !s.Complete || s.Frames != 2*s.Calls || s.Calls < 100 || s.Orphans != 0 || s.Gaps != 0 {
			t.Errorf("session = %+v", s)
		}
	}
	if sessions != 20 {
		t.Errorf("%d sessions", sessions)
	}
}

// connect opens one connection of another program.
func connect(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// TestModes makes everything for nobody else, whatever the umask.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	path := newDB(t)
	check := func() {
		filepath.WalkDir(filepath.Dir(path), func(name string, e fs.DirEntry, err error) error {
			want := fs.FileMode(0o600)
			if err != nil {
				return nil // gone by now
			}
			if e.IsDir() {
				want = fs.ModeDir | 0o700
			}
			if info, err := e.Info(); err == nil && info.Mode() != want {
				t.Errorf("%s has mode %v", name, info.Mode())
			}
			return nil
		})
	}
	p := startRecord(t, path, echoServer(t)...)
	p.talk(t, 0, 10, 10)
	waitFor(t, func() bool { _, err := os.Stat(path + "-wal"); return err == nil })
	check()
	p.finish(t)
	check()
	openDB(t, path)
	check()
}

// TestSecretsOfTheProcess keeps values of the environment out of every file, and secrets of the command line too.
func TestSecretsOfTheProcess(t *testing.T) {
	path := newDB(t)
	t.Setenv("TRACKER_TOKEN", "s3cr3t-of-the-environment")
	p := startRecord(t, path, append(echoServer(t), "--api-key", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789")...)
	p.finish(t)
	grepFiles(t, path, "s3cr3t-of-the-environment")
	grepFiles(t, path, "sk-proj-abcdefghijklmnopqrstuvwxyz")
	if strings.Contains(p.stderr.String(), "sk-proj") {
		t.Errorf("stderr = %s", &p.stderr)
	}
}

// TestManySessions leaves no process, descriptor or journal behind.
func TestManySessions(t *testing.T) {
	path := newDB(t)
	for i := range 1000 {
		p := startRecord(t, path, "true")
		if _, code := p.finish(t); code != 0 {
			t.Fatalf("session %d: exit code %d, stderr %s", i, code, &p.stderr)
		}
	}
	db := openDB(t, path)
	h, err := db.Health(context.Background())
	if err != nil || h.Sessions != 1000 || h.Open != 0 || len(h.Journals) != 0 {
		t.Errorf("health = %+v, %v", h, err)
	}
}
