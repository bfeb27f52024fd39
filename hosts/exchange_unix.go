//go:build unix

package hosts

import "os"

func openShared(name string) (*os.File, error) { return os.Open(name) }

func rename(from, to string) error { return os.Rename(from, to) }

// syncFolder puts names on the disk, as far as the file system does that.
func syncFolder(name string) {
	if f, err := os.Open(name); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
