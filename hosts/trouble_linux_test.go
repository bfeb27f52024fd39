package hosts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNothingToDoOnReadOnlyDisk is `unwrap` of what is not wrapped, in a store of the system's that nobody writes.
func TestNothingToDoOnReadOnlyDisk(t *testing.T) {
	if os.Getenv(mountedEnv) == "" {
		inMounts(t, "TestNothingToDoOnReadOnlyDisk")
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
	mustEdit(t, s, file, nothingToDo)
}

// TestLongName has a name that the system takes, but not with our words around it.
func TestLongName(t *testing.T) {
	s, file := settings(t, plainText)
	long := filepath.Join(filepath.Dir(file), strings.Repeat("x", 250)+".json")
	putText(t, long, plainText)
	mustEdit(t, s, long, wrapIt)
	mustEdit(t, s, long, unwrapIt)
	if content(t, long) != plainText {
		t.Error("it is not as it was")
	}
}
