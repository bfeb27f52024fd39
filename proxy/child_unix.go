//go:build unix

package proxy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// child is the server's process, the leader of a process group of its own.
type child struct {
	pid    int
	exited chan struct{} // closed when it has exited; it is not reaped yet
	bury   chan struct{}
	status chan syscall.WaitStatus
}

// startChild starts a command. The name is looked up as the host would have: the folder "." in PATH counts.
func startChild(command []string, files Files) (*child, error) {
	path, err := exec.LookPath(command[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, err
	}
	c := &child{exited: make(chan struct{}), bury: make(chan struct{}), status: make(chan syscall.WaitStatus, 1)}
	started := make(chan error)
	go c.live(path, command, files, started)
	return c, <-started
}

// live is the thread that the child hangs on: the parent-death signal comes
// when the thread that started the child ends, not the process.
func (c *child) live(path string, argv []string, files Files, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	c.pid, err = forkExec(path, argv, files)
	started <- err
	if err != nil {
		return
	}
	waitExit(c.pid)
	close(c.exited)
	<-c.bury
	var status syscall.WaitStatus
	for {
		if _, err = syscall.Wait4(c.pid, &status, 0, nil); err != syscall.EINTR {
			break
		}
	}
	c.status <- status
}

func forkExec(path string, argv []string, files Files) (int, error) {
	attr := &syscall.ProcAttr{
		Env:   syscall.Environ(), // not exec.Cmd, which edits it
		Files: []uintptr{files.In.Fd(), files.Out.Fd(), files.Err.Fd()},
		Sys:   processAttr(),
	}
	pid, err := syscall.ForkExec(path, argv, attr)
	if err == syscall.ENOEXEC && isScript(path) {
		// No "#!" line: execvp, which Node hosts use, runs it with the shell.
		pid, err = syscall.ForkExec("/bin/sh", append([]string{"/bin/sh", path}, argv[1:]...), attr)
	}
	return pid, err
}

func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	return (err == nil || err == io.ErrUnexpectedEOF) && bytes.IndexByte(head[:n], 0) < 0
}

// exitCode is what shells make of an error of startChild. A file that exists
// and still is not found lacks its interpreter.
func exitCode(err error) int {
	var lookup *exec.Error
	if errors.As(err, &lookup) && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist)) {
		return 127
	}
	return 126
}

// signal sends a signal to the whole group.
func (c *child) signal(sig os.Signal) {
	if s, ok := sig.(syscall.Signal); ok {
		_ = unix.Kill(-c.pid, s)
	}
}

// kill ends the whole group. It must not be called once the child is reaped.
func (c *child) kill() {
	_ = unix.Kill(-c.pid, unix.SIGKILL)
	_ = unix.Kill(c.pid, unix.SIGKILL) // it may have moved to another group
}

// reap collects an exited child: its code, or 128+n and the name of the signal that it died of.
func (c *child) reap() (code int, signal string) {
	close(c.bury)
	status := <-c.status
	if status.Signaled() {
		return 128 + int(status.Signal()), unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}
