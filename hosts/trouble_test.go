package hosts

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// leftover is what a killed run left beside a file that it had wrapped: another program's text.
func leftover(t *testing.T, s Store, file, text string) {
	t.Helper()
	putText(t, filepath.Join(filepath.Dir(file), ".mcp.json.reprise-"+content(t, s.lockName(fileKey(file)))), text)
}

// anywhere says whether a text is in any file of the folders.
func anywhere(t *testing.T, text string, folders ...string) bool {
	t.Helper()
	found := false
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				data, _ := os.ReadFile(path)
				found = found || bytes.Contains(data, []byte(text))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestWhatCannotBeKeptStays has the backups out of reach, as on a full disk. What another program wrote stays
// where it is, whether the edit can be made or not.
func TestWhatCannotBeKeptStays(t *testing.T) {
	theirs := strings.Replace(plainText, "secret", "theirs", 1)
	for name, block := range map[string]func(t *testing.T, s Store, file string){
		"the edit succeeds": func(t *testing.T, s Store, file string) {},
		"the edit fails": func(t *testing.T, s Store, file string) { // the memo cannot be stored
			if err := os.MkdirAll(s.memoName(fileKey(file))+newSuffix+"/x", 0o700); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, file := settings(t, plainText)
			mustEdit(t, s, file, wrapIt)
			leftover(t, s, file, theirs)
			backups := filepath.Join(s.Dir, "backups")
			if err := errors.Join(os.RemoveAll(backups), os.WriteFile(backups, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			edited, err := s.Edit(file, func(src []byte, memo *Memo) ([]byte, error) { // still wrapped: no new backup
				block(t, s, file)
				return append(src, '\n'), nil
			})
			if !anywhere(t, theirs, filepath.Dir(file), s.Dir) {
				t.Errorf("what the other program wrote is gone: %+v, %v", edited, err)
			}
		})
	}
}

// TestFailureMeansAsItWas has things go wrong once the new text is at the target. Whoever gets an error
// is told that the file is as it was.
func TestFailureMeansAsItWas(t *testing.T) {
	canExchange(t)
	for name, after := range map[string]func(s Store, file string) func(){
		"somebody holds the new file open": func(_ Store, file string) func() {
			f, _ := os.OpenFile(file, os.O_RDWR, 0)
			return func() { f.Close() }
		},
		"the memo cannot be stored again": func(s Store, file string) func() {
			_ = os.MkdirAll(s.memoName(fileKey(file))+newSuffix+"/x", 0o700)
			return func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, file := settings(t, plainText)
			s.patience = 100 * time.Millisecond
			end := func() {}
			s.swap = (&moments{after: map[int]func(string){1: func(string) { end = after(s, file) }}}).swap
			edited, err := s.Edit(file, wrapIt)
			end()
			if now := content(t, file); err != nil && now != plainText {
				t.Errorf("got %+v and %v, and the file is changed", edited, err)
			}
		})
	}
}

// A name need not be UTF-8.
func TestNameOfAnyBytes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names are text there")
	}
	s, file := settings(t, plainText)
	odd := filepath.Join(filepath.Dir(file), "od\xffd.json")
	putText(t, odd, plainText)
	mustEdit(t, s, odd, wrapIt)
	if memo, err := s.Memo(odd); err != nil || len(memo.Wraps) != 1 {
		t.Errorf("got memo %+v, %v", memo, err)
	}
	mustEdit(t, s, odd, unwrapIt)
	wantStored(t, s, 0)
}

// An exchange can be reported as failed when it has happened: a signal, a server that answers twice.
func TestFailedExchangeThatHappened(t *testing.T) {
	canExchange(t)
	theirs := strings.Replace(plainText, "secret", "theirs", 1)
	s, file := settings(t, plainText)
	s.swap = func(a, b string) error {
		writeByRename(t, b, theirs)
		_ = swapFiles(a, b)
		return syscall.EIO
	}
	_, err := s.Edit(file, wrapIt)
	if !anywhere(t, theirs, filepath.Dir(file), s.Dir) {
		t.Errorf("what the other program wrote is gone: %v", err)
	}
}

// TestLinkReplacedMeanwhile has a program that writes by rename and does not follow links.
func TestLinkReplacedMeanwhile(t *testing.T) {
	canExchange(t)
	s, file := settings(t, plainText)
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	theirs := strings.Replace(plainText, "secret", "theirs", 1)
	s.swap = (&moments{before: map[int]func(string){1: func(string) { writeByRename(t, link, theirs) }}}).swap
	edited, err := s.Edit(link, wrapIt)
	if now := content(t, link); err == nil && !strings.Contains(now, "wrapped") {
		t.Errorf("got %+v, and the host reads %q", edited, now)
	}
}
