package proxy

import (
	"os"

	"golang.org/x/sys/unix"
)

// growPipe makes a pipe hold 256 KiB. 1 MiB would use up a user's allowance
// after 64 pipes, and then every new pipe is 8 KiB. Sockets, which Node hosts
// hand over, have no such size.
func growPipe(f *os.File) {
	withFd(f, func(fd int) {
		if size, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0); err == nil && size < bufferSize {
			_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, bufferSize)
		}
	})
}

// hangUps tells when the host closes its end of our stdin or stdout, even
// while the pumps are blocked elsewhere: a server that does not read would
// hide the end of the host's stdin behind what it has not read, and a server that
// is silent would hide that nobody reads our stdout.
//
// It is an epoll set of its own, which has no event but those, within the
// runtime's: the traffic does not wake it.
type hangUps struct {
	in, out chan struct{}
	set     *os.File
	done    chan struct{}
}

func watchHangUps(in, out *borrowed) *hangUps {
	h := &hangUps{in: make(chan struct{}), out: make(chan struct{}), done: make(chan struct{})}
	set, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		close(h.done)
		return h
	}
	watch := func(b *borrowed, side int32, events uint32) {
		event := unix.EpollEvent{Events: events | unix.EPOLLONESHOT, Fd: side}
		if b.tuned {
			withFd(b.File, func(fd int) { _ = unix.EpollCtl(set, unix.EPOLL_CTL_ADD, fd, &event) })
		}
	}
	watch(in, 0, unix.EPOLLRDHUP)   // with an error or a hang-up, which are always reported
	watch(out, 1, 0)                // a host may close the half of a socket that it does not use
	_ = unix.SetNonblock(set, true) // asks os.NewFile for the netpoller
	h.set = os.NewFile(uintptr(set), "hang-ups")
	go h.wait()
	return h
}

func (h *hangUps) wait() {
	defer close(h.done)
	conn, err := h.set.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(set uintptr) (over bool) {
		var events [2]unix.EpollEvent
		n, _ := unix.EpollWait(int(set), events[:], 0)
		for _, e := range events[:max(n, 0)] {
			close([]chan struct{}{h.in, h.out}[e.Fd])
		}
		return false // until stop
	})
}

func (h *hangUps) stop() {
	if h.set != nil {
		h.set.Close()
	}
	<-h.done
}
