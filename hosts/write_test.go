package hosts

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	plainText   = `{"mcpServers": {"a": {"command": "plain"}}, "token": "secret"}` + "\n"
	wrappedText = `{"mcpServers": {"a": {"command": "wrapped"}}, "token": "secret"}` + "\n"
)

var aWrap = Wrap{Container: []string{"mcpServers"}, Server: "a", Binary: "/bin/reprise", Command: Piece{`"wrapped"`, `"plain"`}}

// wrapIt and unwrapIt are what wrapping is to a store: an edit and a line in the memo.
func wrapIt(src []byte, memo *Memo) ([]byte, error) {
	memo.Wraps = []Wrap{aWrap}
	return bytes.Replace(src, []byte("plain"), []byte("wrapped"), 1), nil
}

func unwrapIt(src []byte, memo *Memo) ([]byte, error) {
	memo.Wraps = nil
	return bytes.Replace(src, []byte("wrapped"), []byte("plain"), 1), nil
}

func nothingToDo(src []byte, _ *Memo) ([]byte, error) { return src, nil }

// settings makes a store and a config file, each in a folder of its own.
func settings(t *testing.T, text string) (Store, string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "mcp.json")
	putText(t, file, text)
	return Store{Dir: filepath.Join(t.TempDir(), "store")}, file
}

func putText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// stored lists the store's files but the locks, and checks that they are ours alone.
func stored(t *testing.T, s Store) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if name, _ := filepath.Rel(s.Dir, path); !d.IsDir() && !strings.HasPrefix(name, "locks") {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

func wantStored(t *testing.T, s Store, files int) {
	t.Helper()
	if names := stored(t, s); len(names) != files {
		t.Errorf("the store has %q, want %d files", names, files)
	}
}

func wantAlone(t *testing.T, file string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".reprise-") {
			t.Errorf("%s was left beside the file", e.Name())
		}
	}
}

func wantContent(t *testing.T, file, want string) {
	t.Helper()
	if got := content(t, file); got != want {
		t.Errorf("%s has %q, want %q", filepath.Base(file), got, want)
	}
	wantAlone(t, file)
}

func mustEdit(t *testing.T, s Store, file string, change changer) Edited {
	t.Helper()
	edited, err := s.Edit(file, change)
	if err != nil {
		t.Fatal(err)
	}
	return edited
}

func TestEditWrapsAndUnwraps(t *testing.T) {
	s, file := settings(t, plainText)
	edited := mustEdit(t, s, file, wrapIt)
	wantContent(t, file, wrappedText)
	if !edited.Changed || edited.Window || len(edited.Kept) > 0 {
		t.Errorf("got %+v", edited)
	}
	memo, err := s.Memo(file)
	if err != nil || memo.File != file || len(memo.Wraps) != 1 || memo.Backup != edited.Backup {
		t.Errorf("got memo %+v, %v", memo, err)
	}
	wantContent(t, edited.Backup, plainText)
	if strings.Contains(edited.Backup, "mcp.json") {
		t.Errorf("the name of the backup %s tells the file's", edited.Backup)
	}
	wantStored(t, s, 2)
	if edited = mustEdit(t, s, file, unwrapIt); edited.Backup != "" || !edited.Changed {
		t.Errorf("got %+v", edited)
	}
	wantContent(t, file, plainText)
	wantStored(t, s, 0)
}

func TestBackupIsMadeOnce(t *testing.T) {
	s, file := settings(t, plainText)
	first := mustEdit(t, s, file, wrapIt)
	second := mustEdit(t, s, file, func(src []byte, memo *Memo) ([]byte, error) {
		if memo.Backup != first.Backup || len(memo.Wraps) != 1 {
			t.Errorf("the second edit got the memo %+v", memo)
		}
		return append(src, '\n'), nil
	})
	if second.Backup != first.Backup {
		t.Errorf("the backup was %s and is %s", first.Backup, second.Backup)
	}
	wantContent(t, first.Backup, plainText)
	wantStored(t, s, 2)
}

func TestNothingToDoWritesNothing(t *testing.T) {
	s, file := settings(t, plainText)
	before, _ := os.Stat(file)
	if edited := mustEdit(t, s, file, nothingToDo); edited.Changed {
		t.Errorf("got %+v", edited)
	}
	if after, _ := os.Stat(file); !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Error("the file was written")
	}
	wantStored(t, s, 0)
}

func TestMemoAloneIsStored(t *testing.T) {
	s, file := settings(t, plainText)
	mustEdit(t, s, file, wrapIt)
	putText(t, file, plainText) // the host has written its own
	mustEdit(t, s, file, func(src []byte, memo *Memo) ([]byte, error) {
		memo.Wraps = append(memo.Wraps, Wrap{Server: "b"})
		return src, nil
	})
	if memo, _ := s.Memo(file); len(memo.Wraps) != 2 {
		t.Errorf("got %+v", memo)
	}
	mustEdit(t, s, file, func(src []byte, memo *Memo) ([]byte, error) {
		memo.Wraps = nil
		return src, nil
	})
	wantStored(t, s, 0)
}

func TestMemos(t *testing.T) {
	s, file := settings(t, plainText)
	if memos, err := s.Memos(); err != nil || len(memos) != 0 {
		t.Errorf("an empty store has %v, %v", memos, err)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	putText(t, other, plainText)
	mustEdit(t, s, file, wrapIt)
	mustEdit(t, s, other, wrapIt)
	memos, err := s.Memos()
	if err != nil || len(memos) != 2 {
		t.Errorf("got %v, %v", memos, err)
	}
	if memo, err := s.Memo(filepath.Join(t.TempDir(), "absent")); err != nil || memo.File != "" || memo.Wraps != nil {
		t.Errorf("got %+v, %v for a file that is not known", memo, err)
	}
}

func TestFailedChangeLeavesEverything(t *testing.T) {
	failure := errors.New("no")
	for _, wrapped := range []bool{false, true} {
		s, file := settings(t, plainText)
		if wrapped {
			mustEdit(t, s, file, wrapIt)
		}
		was, text := stored(t, s), content(t, file)
		calls := 0
		_, err := s.Edit(file, func(src []byte, memo *Memo) ([]byte, error) {
			calls++
			clear(src)
			memo.Wraps = nil
			return []byte("other"), failure
		})
		if !errors.Is(err, failure) || calls != 1 {
			t.Errorf("got %v after %d calls", err, calls)
		}
		wantContent(t, file, text)
		if now := stored(t, s); !slices.Equal(was, now) {
			t.Errorf("the store had %q and has %q", was, now)
		}
	}
}

// A file that another program is in the middle of writing does not parse.
func TestChangeIsAskedAgainWhenTheFileWasHalf(t *testing.T) {
	s, file := settings(t, plainText[:20])
	edited := mustEdit(t, s, file, func(src []byte, memo *Memo) ([]byte, error) {
		if len(src) == 20 {
			putText(t, file, plainText)
			return nil, errors.New("it is not JSON")
		}
		return wrapIt(src, memo)
	})
	wantContent(t, file, wrappedText)
	if !edited.Changed {
		t.Errorf("got %+v", edited)
	}
}

func TestEditRefuses(t *testing.T) {
	s, file := settings(t, plainText)
	for name, c := range map[string]struct {
		make func(path string) error
		want error
	}{
		"absent":        {func(string) error { return nil }, errAbsent},
		"absent folder": {func(path string) error { return os.Symlink(path+"-no/folder", path) }, errAbsent},
		"dangling link": {func(path string) error { return os.Symlink(path+"-no", path) }, errAbsent},
		"folder":        {func(path string) error { return os.Mkdir(path, 0o700) }, errIrregular},
		"hard link":     {func(path string) error { return os.Link(file, path) }, ErrLinked},
		"large":         {func(path string) error { return sparse(path, maxConfig+1) }, errLarge},
	} {
		path := filepath.Join(filepath.Dir(file), "odd")
		if err := c.make(path); err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		_, err := s.Edit(path, wrapIt)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		wantAlone(t, file)
	}
	wantContent(t, file, plainText)
	wantStored(t, s, 0)
}

func sparse(path string, size int64) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Truncate(path, size)
}

func TestLinkStaysAndItsTargetIsEdited(t *testing.T) {
	s, file := settings(t, plainText)
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	mustEdit(t, s, link, wrapIt)
	wantContent(t, file, wrappedText)
	if to, err := os.Readlink(link); err != nil || to != file {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if memo, _ := s.Memo(link); memo.File != file {
		t.Errorf("got %+v", memo)
	}
	mustEdit(t, s, file, unwrapIt) // one file, one memo
	wantStored(t, s, 0)
}

func TestBrokenMemoIsMovedAside(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"file": "/other"}`, "\x00"} {
		s, file := settings(t, plainText)
		backup := mustEdit(t, s, file, wrapIt).Backup
		putText(t, s.memoName(fileKey(file)), text)
		if memo, err := s.Memo(file); err != nil || len(memo.Wraps) > 0 {
			t.Errorf("%q: got %+v, %v", text, memo, err)
		}
		if memos, err := s.Memos(); err != nil || len(memos) > 0 {
			t.Errorf("%q: got %+v, %v", text, memos, err)
		}
		mustEdit(t, s, file, unwrapIt)
		wantContent(t, file, plainText)
		wantContent(t, backup, plainText) // nobody knows any more whose it is
		wantStored(t, s, 2)
	}
}

func TestBusyFileIsTheirs(t *testing.T) {
	s, file := settings(t, plainText)
	s.patience = 200 * time.Millisecond
	last, calls := "", 0
	edited, err := s.Edit(file, func(src []byte, memo *Memo) ([]byte, error) {
		last += "x"
		calls++
		putText(t, file, plainText+last)
		return wrapIt(src, memo)
	})
	if !errors.Is(err, errBusy) || edited.Changed || calls < 2 || !strings.Contains(err.Error(), file) {
		t.Errorf("got %+v, %v after %d calls", edited, err, calls)
	}
	wantContent(t, file, plainText+last)
	wantStored(t, s, 0)
}

// Only one edits at a time, and every edit counts.
func TestEditsWaitForEachOther(t *testing.T) {
	s, file := settings(t, "")
	done := make(chan error)
	for range 10 {
		go func() {
			_, err := s.Edit(file, func(src []byte, _ *Memo) ([]byte, error) { return append(src, 'x'), nil })
			done <- err
		}()
	}
	for range 10 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	wantContent(t, file, strings.Repeat("x", 10))
}
