package recorder

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// stepBack lets the goroutine go on in a thread of its own that gives way to
// all that is in a hurry. It is not undone: the goroutine must take its thread with it.
func stepBack() {
	runtime.LockOSThread()
	unix.Setpriority(unix.PRIO_PROCESS, 0, 19) // of this thread: on Linux each has its own
}
