//go:build unix

package proxy

import (
	"os"
	"syscall"
)

// links are what hosts hand over: Codex pipes, Node and Bun socketpairs.
var links = map[string]link{"pipes": os.Pipe, "sockets": socketpair}

func socketpair() (r, w *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	return socket(fds[0]), socket(fds[1]), nil
}

// socket makes a file that Fd makes blocking again, as those of os.Pipe.
func socket(fd int) *os.File {
	return os.NewFile(uintptr(fd), "socket")
}
