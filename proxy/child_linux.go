package proxy

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// processAttr makes the child the leader of a group, and has it killed when we die.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// waitExit waits for the end of a child without reaping it.
func waitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
