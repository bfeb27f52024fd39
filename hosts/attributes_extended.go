//go:build linux || darwin

package hosts

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// copyExtended makes the extended attributes of a file those of another, access lists of Linux among them. What
// the system does not allow is left.
func copyExtended(from, to *os.File) {
	names := extended(from)
	for _, name := range extended(to) { // inherited from the folder
		if !slices.Contains(names, name) {
			_ = unix.Fremovexattr(int(to.Fd()), name)
		}
	}
	for _, name := range names {
		size, err := unix.Fgetxattr(int(from.Fd()), name, nil)
		if err != nil {
			continue
		}
		value := make([]byte, size)
		if size, err = unix.Fgetxattr(int(from.Fd()), name, value); err == nil {
			_ = unix.Fsetxattr(int(to.Fd()), name, value[:size], 0)
		}
	}
}

func extended(f *os.File) []string {
	size, err := unix.Flistxattr(int(f.Fd()), nil)
	if err != nil || size == 0 {
		return nil
	}
	list := make([]byte, size)
	if size, err = unix.Flistxattr(int(f.Fd()), list); err != nil {
		return nil
	}
	return strings.FieldsFunc(string(list[:size]), func(r rune) bool { return r == 0 })
}
