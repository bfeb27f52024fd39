//go:build unix

package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock holds the file for as long as it is open. Another holder is an error.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
