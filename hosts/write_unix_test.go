//go:build unix

package hosts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestModeStays(t *testing.T) {
	old := unix.Umask(0o077)
	defer unix.Umask(old)
	for _, mode := range []fs.FileMode{0o600, 0o444, 0o644, 0o666, 0o400, 0o755} {
		s, file := settings(t, plainText)
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		mustEdit(t, s, file, wrapIt)
		info, err := os.Stat(file)
		if err != nil || info.Mode() != mode {
			t.Errorf("mode %v became %v, %v", mode, info.Mode(), err)
		}
		wantContent(t, file, wrappedText)
		wantStored(t, s, 2)
	}
}

func TestModeThatAnotherGivesMeanwhileStays(t *testing.T) {
	canExchange(t)
	s, file := settings(t, plainText)
	s.swap = (&moments{before: map[int]func(string){1: func(file string) { _ = os.Chmod(file, 0o644) }}}).swap
	mustEdit(t, s, file, wrapIt)
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o644 {
		t.Errorf("got mode %v, %v", info.Mode(), err)
	}
}

func TestOwnerStays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	s, file := settings(t, plainText)
	if err := errors.Join(os.Chown(file, 1234, 4321), os.Chmod(file, 0o640)); err != nil {
		t.Fatal(err)
	}
	mustEdit(t, s, file, wrapIt)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 4321 || info.Mode() != 0o640 {
		t.Errorf("owner is %d:%d, mode %v", st.Uid, st.Gid, info.Mode())
	}
}

func TestPipeIsRefused(t *testing.T) {
	s, file := settings(t, plainText)
	pipe := filepath.Join(filepath.Dir(file), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := s.Edit(pipe, wrapIt); !errors.Is(err, errIrregular) {
		t.Errorf("got %v", err)
	}
}

func TestFolderThatIsNotOurs(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	s, file := settings(t, plainText)
	folder := filepath.Dir(file)
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(folder, 0o700)
	_, err := s.Edit(file, wrapIt)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), ".reprise-") {
		t.Errorf("got %v", err)
	}
	wantContent(t, file, plainText)
	wantStored(t, s, 0)
}
