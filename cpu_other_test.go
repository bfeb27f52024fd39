//go:build !linux

package reprise_test

import "time"

var begun = time.Now()

// cpuTime is the clock where the system is not asked.
func cpuTime() time.Duration { return time.Since(begun) }
