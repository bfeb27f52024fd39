//go:build unix

package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

// openShared opens a journal for reading and writing. Others may rename and remove it meanwhile.
func openShared(name string, create bool) (*os.File, error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE | os.O_EXCL
	}
	return os.OpenFile(name, flags, 0o600)
}

// lock holds the file for as long as it is open. Another holder is an error.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
