package recorder

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock holds the file for as long as it is open. Another holder is an error.
// The locked byte lies far behind the end: locks are mandatory on Windows, and others must read.
func lock(f *os.File) error {
	beyond := &windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, beyond)
}
