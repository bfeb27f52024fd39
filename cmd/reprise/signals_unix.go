//go:build unix

package main

import (
	"os"
	"syscall"
)

// otherSignals are those that are for the server to understand.
func otherSignals() []os.Signal {
	return []os.Signal{syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGWINCH}
}
