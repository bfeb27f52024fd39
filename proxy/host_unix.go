//go:build unix

package proxy

import (
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// borrowed is one of the host's ends, made fit for the netpoller: a pipe or
// socket is set non-blocking, and given back as it was. Anything else, a terminal
// above all, is shared with others and used as it is.
type borrowed struct {
	*os.File
	lent    *os.File
	tuned   bool // File is a duplicate of our own, and can be interrupted
	changed bool // the host's end was blocking
}

// borrow does without what it cannot have: the worst that comes of it is a slower pump.
func borrow(f *os.File) *borrowed {
	b := &borrowed{File: f, lent: f}
	withFd(f, func(fd int) {
		if !isStream(fd) {
			return
		}
		dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		b.changed = err == nil && flags&unix.O_NONBLOCK == 0 && unix.SetNonblock(dup, true) == nil
		b.File, b.tuned = os.NewFile(uintptr(dup), f.Name()), true
	})
	growPipe(b.File)
	return b
}

// readSoon reads, and tries again and again for a while before it waits. On a single processor nobody could write meanwhile.
func (b *borrowed) readSoon(p []byte, while time.Duration) (n int, err error) {
	conn, failed := b.SyscallConn()
	if !b.tuned || failed != nil || len(p) == 0 || runtime.NumCPU() == 1 {
		return b.Read(p)
	}
	var until time.Time
	failed = conn.Read(func(fd uintptr) bool {
		for {
			n, err = unix.Read(int(fd), p)
			switch {
			case err == unix.EAGAIN && until.IsZero():
				until = time.Now().Add(while)
			case err == unix.EINTR, err == unix.EAGAIN && time.Now().Before(until):
			default:
				return err != unix.EAGAIN
			}
		}
	})
	switch {
	case failed != nil:
		return b.Read(p) // which says it as all readers do: os.ErrClosed
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// interruptible says whether Close ends a pending Read.
func interruptible(b *borrowed) bool { return b.tuned || isRegular(b.File) }

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

func (b *borrowed) giveBack() {
	if b.tuned {
		b.File.Close()
	}
	if b.changed {
		withFd(b.lent, func(fd int) { _ = unix.SetNonblock(fd, false) })
	}
}

// hangUp closes the end for the host. The descriptor stays taken, so that
// nothing that is opened later is mistaken for it.
func (b *borrowed) hangUp() {
	if !b.tuned {
		return
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	b.giveBack()
	b.tuned, b.changed = false, false
	withFd(b.lent, func(fd int) { _ = unix.Dup2(int(null.Fd()), fd) })
}

func isStream(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	kind := st.Mode & unix.S_IFMT
	return kind == unix.S_IFIFO || kind == unix.S_IFSOCK
}

// writeBlocking writes all of b. A descriptor that somebody else has made
// non-blocking, as Node does with pipes, is waited for.
func writeBlocking(f *os.File, b []byte) (err error) {
	withFd(f, func(fd int) {
		for len(b) > 0 && err == nil {
			var n int
			n, err = unix.Write(fd, b)
			b = b[max(n, 0):]
			switch err {
			case unix.EINTR:
				err = nil
			case unix.EAGAIN:
				_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1)
				err = nil
			}
		}
	})
	return err
}

// withFd uses a descriptor without the side effects of File.Fd.
func withFd(f *os.File, use func(fd int)) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { use(int(fd)) })
}
