//go:build linux || darwin

package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeAll writes the parts with one system call.
func writeAll(f *os.File, parts ...[]byte) (int, error) {
	for {
		n, err := unix.Writev(int(f.Fd()), parts)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}
