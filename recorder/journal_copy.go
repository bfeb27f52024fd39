//go:build !linux && !darwin

package recorder

import (
	"bytes"
	"os"
)

// writeAll writes the parts with one system call.
func writeAll(f *os.File, parts ...[]byte) (int, error) { return f.Write(bytes.Join(parts, nil)) }
