//go:build !linux && !darwin

package recorder

import "os"

// writeBoth writes a and then b with one system call.
func writeBoth(f *os.File, a, b []byte) (int, error) {
	return f.Write(append(append(make([]byte, 0, len(a)+len(b)), a...), b...))
}
