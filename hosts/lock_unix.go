//go:build unix

package hosts

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile holds the file for as long as it is open.
func lockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errHeld
	}
	return err
}
