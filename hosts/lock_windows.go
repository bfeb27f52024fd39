package hosts

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile holds the file for as long as it is open.
// The locked byte lies far behind the end: locks are mandatory on Windows.
func lockFile(f *os.File) error {
	beyond := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, beyond)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}
