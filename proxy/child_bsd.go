//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package proxy

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// processAttr makes the child the leader of a group. There is no parent-death
// signal here: a server whose proxy is killed sees the end of its stdin only.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// waitExit waits for the end of a child without reaping it. An error says that it has ended already.
func waitExit(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	unix.CloseOnExec(queue)
	change := make([]unix.Kevent_t, 1)
	unix.SetKevent(&change[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	change[0].Fflags = unix.NOTE_EXIT
	for {
		if _, err := unix.Kevent(queue, change, make([]unix.Kevent_t, 1), nil); err != unix.EINTR {
			return
		}
	}
}
