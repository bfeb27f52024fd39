//go:build linux || darwin

package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBoth writes a and then b with one system call.
func writeBoth(f *os.File, a, b []byte) (int, error) {
	for {
		n, err := unix.Writev(int(f.Fd()), [][]byte{a, b})
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}
