//go:build !linux && !darwin && !windows

package hosts

import "os"

func copyExtended(_, _ *os.File) {}
