package hosts

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestExtendedAttributesStay(t *testing.T) {
	s, file := settings(t, plainText)
	if err := unix.Setxattr(file, "user.note", []byte("kept"), 0); err != nil {
		t.Skip(err)
	}
	mustEdit(t, s, file, wrapIt)
	value := make([]byte, 10)
	if n, err := unix.Getxattr(file, "user.note", value); err != nil || string(value[:n]) != "kept" {
		t.Errorf("got %q, %v", value[:max(n, 0)], err)
	}
}

const mountedEnv = "REPRISE_TEST_MOUNTED"

// inMounts runs a test anew in mounts of its own, which go with the process.
func inMounts(t *testing.T, test string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), mountedEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Skipf("no namespaces: %v", err)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestFullDisk(t *testing.T) {
	if os.Getenv(mountedEnv) == "" {
		inMounts(t, "TestFullDisk")
		return
	}
	for _, full := range []string{"file", "store"} {
		s, file := settings(t, plainText)
		at := map[string]string{"file": filepath.Dir(file), "store": filepath.Dir(s.Dir)}[full]
		if err := unix.Mount("tmpfs", at, "tmpfs", 0, "size=64k"); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
		putText(t, file, plainText)
		fillDisk(at)
		_, err := s.Edit(file, wrapIt)
		if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), ".reprise-") {
			t.Errorf("%s: got %v", full, err)
		}
		wantContent(t, file, plainText)
		wantStored(t, s, 0)
	}
}

// fillDisk leaves no room at all.
func fillDisk(folder string) {
	for _, size := range []int{4096, 1} {
		f, err := os.OpenFile(filepath.Join(folder, "filler"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		for err == nil {
			_, err = f.Write(make([]byte, size))
		}
		f.Close()
	}
}

func TestReadOnlyDisk(t *testing.T) {
	if os.Getenv(mountedEnv) == "" {
		inMounts(t, "TestReadOnlyDisk")
		return
	}
	s, file := settings(t, plainText)
	folder := filepath.Dir(file)
	if err := unix.Mount(folder, folder, "", unix.MS_BIND, ""); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
	if err := unix.Mount("", folder, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	_, err := s.Edit(file, wrapIt)
	if !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), ".reprise-") {
		t.Errorf("got %v", err)
	}
	wantContent(t, file, plainText)
	wantStored(t, s, 0)
}

// tellsWriters skips a test where nobody knows who has a file open.
func tellsWriters(t *testing.T) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "open")
	writer, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	reader, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err := unix.FcntlInt(reader.Fd(), unix.F_SETLEASE, unix.F_RDLCK); !errors.Is(err, unix.EAGAIN) {
		t.Skip("the file system has no leases")
	}
}

// TestOpenedBeforeAnExchange has a program that holds the file open when it goes away, and writes only later.
func TestOpenedBeforeAnExchange(t *testing.T) {
	canExchange(t)
	tellsWriters(t)
	later := strings.Replace(plainText, "secret", "later", 1)
	for _, c := range []struct {
		name                       string
		rename                     bool // somebody else has renamed the file before
		beforeOpen, afterOpen, end int  // exchanges
	}{
		{name: "the old file", beforeOpen: 1, end: 2},
		{name: "our file", rename: true, afterOpen: 1, end: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, file := settings(t, plainText)
			var f *os.File
			open := func(file string) { f, _ = os.OpenFile(file, os.O_WRONLY, 0) }
			m := &moments{before: map[int]func(string){}, after: map[int]func(string){}}
			m.before[c.beforeOpen], m.after[c.afterOpen] = open, open
			if c.rename {
				m.before[1] = func(file string) { writeByRename(t, file, plainText+"\n") }
			}
			written := make(chan error, 1)
			m.after[c.end] = func(string) {
				go func() {
					time.Sleep(50 * time.Millisecond)
					_, err := f.WriteAt([]byte(later), 0)
					written <- errors.Join(err, f.Truncate(int64(len(later))), f.Close())
				}()
			}
			s.swap = m.swap
			mustEdit(t, s, file, wrapIt)
			if m.count < c.end {
				t.Fatalf("there were %d exchanges", m.count)
			}
			if err := <-written; err != nil {
				t.Fatal(err)
			}
			wantContent(t, file, strings.Replace(later, "plain", "wrapped", 1))
		})
	}
}
