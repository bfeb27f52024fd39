package hosts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// moments lets another program act right before and right behind the exchanges, counted from 1.
type moments struct {
	before, after map[int]func(file string)
	count         int
}

func (m *moments) swap(a, b string) error {
	m.count++
	if do := m.before[m.count]; do != nil {
		do(b)
	}
	err := swapFiles(a, b)
	if do := m.after[m.count]; do != nil {
		do(b)
	}
	return err
}

// canExchange skips a test where the file system cannot do what it is about.
func canExchange(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	putText(t, a, "a")
	putText(t, b, "b")
	if err := swapFiles(a, b); cannotExchange(err) {
		t.Skip(err)
	}
}

// TestNothingIsLostAroundAnExchange has another program write at the worst moments. Whatever it wrote last has to
// be in the file in the end, with our change.
func TestNothingIsLostAroundAnExchange(t *testing.T) {
	canExchange(t)
	first, second := strings.Replace(plainText, "secret", "first", 1), strings.Replace(plainText, "secret", "second", 1)
	renames := func(text string) func(string) { return func(file string) { writeByRename(t, file, text) } }
	writes := func(text string) func(string) { return func(file string) { putText(t, file, text) } }
	type at = map[int]func(string)
	for _, c := range []struct {
		name          string
		before, after at
		want          string
		kept          []string
	}{
		{name: "nobody", want: plainText},
		{name: "renamed before", before: at{1: renames(first)}, want: first},
		{name: "written before", before: at{1: writes(first)}, want: first},
		{name: "removed and written before", before: at{1: func(file string) { remove(file); putText(t, file, first) }}, want: first},
		{name: "emptied before", before: at{1: writes("")}, after: at{2: writes(first)}, want: first},
		{name: "renamed after", after: at{1: renames(first)}, want: first},
		{name: "written after", after: at{1: writes(first)}, want: first},
		{name: "renamed before and after", before: at{1: renames(first)}, after: at{1: renames(second)}, want: second, kept: []string{first}},
		{name: "renamed before, written after", before: at{1: renames(first)}, after: at{1: writes(second)}, want: second, kept: []string{first}},
		{name: "written before, renamed after", before: at{1: writes(first)}, after: at{1: renames(second)}, want: second, kept: []string{first}},
		{name: "renamed before, and when it is put back", before: at{1: renames(first), 2: renames(second)}, want: second, kept: []string{first}},
		{name: "renamed before, and when it was put back", before: at{1: renames(first)}, after: at{2: renames(second)}, want: second},
		{name: "one after the other", before: at{1: renames(first), 2: renames(plainText + "1"), 3: writes(plainText + "2")}, want: plainText + "2", kept: []string{plainText + "1"}},
		{name: "in three tries", before: at{1: renames(first), 3: renames(second), 5: renames(plainText + "3")}, want: plainText + "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantNothingLost(t, &moments{before: c.before, after: c.after}, c.want, c.kept)
		})
	}
}

func wantNothingLost(t *testing.T, m *moments, want string, wantKept []string) {
	t.Helper()
	s, file := settings(t, plainText)
	s.swap = m.swap
	edited := mustEdit(t, s, file, wrapIt)
	wantContent(t, file, strings.Replace(want, "plain", "wrapped", 1))
	wantContent(t, edited.Backup, want)
	if len(edited.Kept) != len(wantKept) {
		t.Fatalf("kept %q, want %q", edited.Kept, wantKept)
	}
	for i, kept := range edited.Kept {
		wantContent(t, kept, wantKept[i])
	}
	wantStored(t, s, 2+len(wantKept))
	s.swap = nil
	mustEdit(t, s, file, unwrapIt)
	wantContent(t, file, want)
	wantStored(t, s, len(wantKept))
}

func writeByRename(t *testing.T, file, text string) {
	putText(t, file+".theirs", text)
	if err := os.Rename(file+".theirs", file); err != nil {
		t.Error(err)
	}
}

// TestWrittenWhereItWasBefore has a program that asked for the file's place before an exchange and comes to
// write only when the first look is over.
func TestWrittenWhereItWasBefore(t *testing.T) {
	canExchange(t)
	late := strings.Replace(plainText, "secret", "late", 1)
	for name, before := range map[string]map[int]func(string){
		"the old file": {},
		"our file":     {1: func(file string) { writeByRename(t, file, plainText+"\n") }},
	} {
		s, file := settings(t, plainText)
		s.swap = (&moments{before: before}).swap
		syncs := 0
		s.sync = func(folder string) {
			if syncs++; syncs == 1 {
				beside, _ := filepath.Glob(filepath.Join(folder, ".*.reprise-*"))
				if ours := strings.Contains(content(t, beside[0]), "wrapped"); ours != (name == "our file") {
					t.Errorf("%s does not lie beside the target", name)
				}
				putText(t, beside[0], late)
			}
		}
		mustEdit(t, s, file, wrapIt)
		if got, want := content(t, file), strings.Replace(late, "plain", "wrapped", 1); got != want {
			t.Errorf("%s: it has %q, want %q", name, got, want)
		}
		wantAlone(t, file)
	}
}

// What is seen before the exchange needs none.
func TestNoExchangeOfWhatHasChanged(t *testing.T) {
	canExchange(t)
	s, file := settings(t, plainText)
	m := &moments{}
	s.swap = m.swap
	calls := 0
	mustEdit(t, s, file, func(src []byte, memo *Memo) ([]byte, error) {
		if calls++; calls == 1 {
			putText(t, file, plainText+"\n")
		}
		return wrapIt(src, memo)
	})
	wantContent(t, file, wrappedText+"\n")
	if m.count != 1 {
		t.Errorf("there were %d exchanges", m.count)
	}
}

func TestRemovedMeanwhile(t *testing.T) {
	canExchange(t)
	s, file := settings(t, plainText)
	s.swap = (&moments{before: map[int]func(string){1: func(file string) { remove(file) }}}).swap
	if _, err := s.Edit(file, wrapIt); !errors.Is(err, errAbsent) {
		t.Errorf("got %v", err)
	}
	wantAlone(t, file)
	if _, err := os.Lstat(file); err == nil {
		t.Error("the file is there again")
	}
}

func TestWhereNothingCanBeExchanged(t *testing.T) {
	for _, cause := range []error{syscall.EINVAL, syscall.ENOSYS, errors.ErrUnsupported} {
		s, file := settings(t, plainText)
		newer, calls := plainText+"\n", 0
		s.swap = func(string, string) error {
			if calls++; calls == 1 {
				putText(t, file, newer)
			}
			return cause
		}
		if edited := mustEdit(t, s, file, wrapIt); !edited.Changed || !edited.Window {
			t.Errorf("%v: got %+v", cause, edited)
		}
		wantContent(t, file, wrappedText+"\n")
		mustEdit(t, s, file, unwrapIt)
		wantContent(t, file, newer)
		wantStored(t, s, 0)
	}
}

func TestFailedExchangeNamesTheFile(t *testing.T) {
	s, file := settings(t, plainText)
	s.swap = func(a, b string) error { return &os.LinkError{Op: "rename", Old: a, New: b, Err: syscall.EACCES} }
	_, err := s.Edit(file, wrapIt)
	if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), ".reprise-") {
		t.Errorf("got %v", err)
	}
	wantContent(t, file, plainText)
	wantStored(t, s, 0)
}

// TestLeftovers has what a kill leaves at each step.
func TestLeftovers(t *testing.T) {
	foreign := strings.Replace(plainText, "secret", "foreign", 1)
	for _, c := range []struct {
		name, file, beside, part string
		kept, wrapped            bool
	}{
		{name: "before the exchange", file: plainText, beside: wrappedText},
		{name: "in the middle of the text", file: plainText, part: wrappedText[:9]},
		{name: "after the exchange", file: wrappedText, beside: plainText, wrapped: true},
		{name: "before it is put back", file: wrappedText, beside: foreign, kept: true, wrapped: true},
		{name: "after it was put back", file: foreign, beside: wrappedText},
		{name: "at the very end", file: wrappedText, wrapped: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, file := settings(t, plainText)
			mustEdit(t, s, file, wrapIt)
			putText(t, file, c.file)
			key := fileKey(file)
			known, _ := s.recall(key)
			known.Intent = &intent{Before: digest([]byte(plainText)), After: digest([]byte(wrappedText))}
			if err := s.remember(key, known); err != nil {
				t.Fatal(err)
			}
			beside := filepath.Join(filepath.Dir(file), ".mcp.json.reprise-"+content(t, s.lockName(key)))
			for name, text := range map[string]string{beside: c.beside, beside + partSuffix: c.part} {
				if text != "" {
					putText(t, name, text)
				}
			}
			if memo, _ := s.Memo(file); (len(memo.Wraps) > 0) != c.wrapped {
				t.Errorf("got memo %+v", memo)
			}
			edited := mustEdit(t, s, file, nothingToDo)
			wantContent(t, file, c.file)
			if (len(edited.Kept) == 1) != c.kept {
				t.Errorf("kept %q", edited.Kept)
			}
			for _, kept := range edited.Kept {
				wantContent(t, kept, foreign)
			}
			if memo, _ := s.Memo(file); (len(memo.Wraps) > 0) != c.wrapped || (memo.Backup != "") != c.wrapped {
				t.Errorf("got memo %+v", memo)
			}
		})
	}
}
