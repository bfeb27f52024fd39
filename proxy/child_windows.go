package proxy

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// child is the server's process, in a job of its own: what it starts ends with
// it, and all of it ends when the last handle of the job is closed, as by our death.
type child struct {
	pid    int
	exited chan struct{}
	code   int
	job    windows.Handle // 0 where the system refused
}

// killedCode is the exit code of what we end: what taskkill /F gives.
const killedCode = 1

// startChild starts a command. The name is looked up as the host would have:
// with the endings of PATHEXT, and in the current folder too.
func startChild(command []string, files Files) (*child, error) {
	path, err := exec.LookPath(command[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, err
	}
	sys := &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_SUSPENDED}
	if isBatch(path) {
		// npx and its like are batch files, which CreateProcess would run with the
		// quoting of ordinary programs (CVE-2024-27980).
		if sys.CmdLine, err = batchLine(path, command[1:]); err != nil {
			return nil, err
		}
		system, err := windows.GetSystemDirectory()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(system, "cmd.exe")
	}
	process, err := os.StartProcess(path, command, &os.ProcAttr{Files: files.each(), Sys: sys})
	if err != nil {
		return nil, err
	}
	c := &child{pid: process.Pid, exited: make(chan struct{})}
	_ = process.WithHandle(func(handle uintptr) { c.job = newJob(windows.Handle(handle)) })
	if err := resume(c.pid); err != nil {
		_ = process.Kill()
		_, _ = process.Wait()
		return nil, err
	}
	go c.wait(process)
	return c, nil
}

func (c *child) wait(process *os.Process) {
	defer close(c.exited)
	c.code = killedCode
	if state, err := process.Wait(); err == nil {
		c.code = state.ExitCode()
	}
}

// newJob takes in a process that has not run yet, so that nothing that it starts escapes.
func newJob(process windows.Handle) windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
	}
	if err != nil {
		windows.CloseHandle(job)
		return 0
	}
	return job
}

// resume lets a suspended process run: its only thread, whose handle os.StartProcess does not give.
func resume(pid int) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID == uint32(pid) {
			return resumeThread(entry.ThreadID)
		}
	}
	return err
}

func resumeThread(id uint32) error {
	thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, id)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(thread)
	_, err = windows.ResumeThread(thread)
	return err
}

// exitCode is what shells make of an error of startChild.
func exitCode(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return 127
	}
	return 126
}

// signal has only one meaning here. The host's Ctrl-C is not passed on: the
// server has no console of ours to get it from, and is ended after its silence.
func (c *child) signal(sig os.Signal) {
	if sig == syscall.SIGTERM {
		c.kill()
	}
}

func (c *child) kill() {
	if c.job != 0 {
		_ = windows.TerminateJobObject(c.job, killedCode)
		return
	}
	if p, err := os.FindProcess(c.pid); err == nil {
		_ = p.Kill()
		_ = p.Release()
	}
}

// reap gives the code of an exited child, and closes its job.
func (c *child) reap() (code int, signal string) {
	if c.job != 0 {
		windows.CloseHandle(c.job)
	}
	return c.code, ""
}
