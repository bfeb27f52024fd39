//go:build linux && (amd64 || arm64)

package recorder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapped writes a journal through a mapping of its pages: a record costs a
// fraction of what write(2) costs, and what is copied survives us just the same.
// A huge record's data goes by write(2), which makes many pages faster than faults do.
//
// The file is mapped in windows. Each has an overhang into the next one, so that
// a record lies in the window that it begins in. Its blocks are reserved first, so
// that a full disk is an error and not a signal. Under load the next window is made
// ready, its pages present, while the present one is filled.
type mapped struct {
	off    bool // not possible here, or not any more
	now    *window
	copied int64 // bytes copied into the present window
	ahead  chan *window
	busy   sync.WaitGroup
}

type window struct {
	mem        []byte
	start, end int64 // of the records that begin in it
}

const (
	firstWindow = 256 << 10 // most sessions need no more
	nextWindow  = 4 << 20
	hugeRecord  = 128 << 10
)

// append writes the record at the offset. It says false where that has to be done by write(2).
func (m *mapped) append(f *os.File, at int64, r *record) (written bool, err error) {
	if m.off || r.length() > overhang {
		return false, m.leave(f, at)
	}
	if m.now == nil || at >= m.now.end {
		if err := m.turn(f); err != nil {
			return false, m.leave(f, at) // also when the disk has no room for a window: there may be room for a record
		}
	}
	if len(r.data) < hugeRecord {
		m.copied += r.length()
	} else if _, err := f.WriteAt(r.data, at+recordSize); err != nil {
		return false, err
	}
	if err := m.now.put(at, r); err != nil {
		return false, m.leave(f, at)
	}
	return true, nil
}

// leave goes over to write(2), from the offset on.
func (m *mapped) leave(f *os.File, at int64) error {
	if m.off {
		return nil
	}
	m.close()
	m.off = true
	_, err := f.Seek(at, 0)
	return errors.Join(err, f.Truncate(at))
}

// put copies the record to its place. The tag is written last: without it there is no record.
// A page that can't be had (somebody cut the file short) is an error, not our death.
func (w *window) put(at int64, r *record) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("write journal: %v", fault)
		}
	}()
	place := w.mem[at-w.start:]
	if len(r.data) < hugeRecord {
		copy(place[recordSize:], r.data)
	}
	binary.LittleEndian.PutUint64(place[8:], uint64(r.at))
	binary.LittleEndian.PutUint64(place[16:], uint64(r.stream))
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&place[0])), r.tag())
	return nil
}

// turn goes to the next window, and has the one behind it made ready.
func (m *mapped) turn(f *os.File) error {
	if m.ahead == nil {
		m.ahead = make(chan *window, 1)
	}
	next, err := m.window(f)
	if err != nil {
		return err
	}
	old, busy := m.now, m.copied > nextWindow/2
	m.now, m.copied = next, 0
	if old == nil {
		return nil
	}
	if !busy {
		old.unmap()
		return nil
	}
	m.busy.Add(1)
	go func() {
		defer m.busy.Done()
		old.unmap()
		if w, err := mapWindow(f, next.end, nextWindow, true); err == nil {
			select {
			case m.ahead <- w:
			default:
				w.unmap()
			}
		}
	}()
	return nil
}

// window is the one that was made ready, or else one made now.
func (m *mapped) window(f *os.File) (*window, error) {
	if m.now == nil {
		return mapWindow(f, 0, firstWindow, false)
	}
	for {
		select {
		case w := <-m.ahead:
			if w.start == m.now.end {
				return w, nil
			}
			w.unmap()
		default:
			return mapWindow(f, m.now.end, nextWindow, false)
		}
	}
}

func mapWindow(f *os.File, start, size int64, ready bool) (*window, error) {
	length := size + overhang
	err := unix.Fallocate(int(f.Fd()), 0, start, length)
	for err == unix.EINTR { // tmpfs gives way to the runtime's own signals
		err = unix.Fallocate(int(f.Fd()), 0, start, length)
	}
	if err != nil {
		return nil, fmt.Errorf("reserve journal: %w", err)
	}
	mem, err := unix.Mmap(int(f.Fd()), start, int(length), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map journal: %w", err)
	}
	if ready {
		unix.Madvise(mem, unix.MADV_POPULATE_WRITE) // older systems make the pages as we come to them
	}
	return &window{mem: mem, start: start, end: start + size}, nil
}

func (w *window) unmap() { unix.Munmap(w.mem) }

func (m *mapped) close() {
	m.busy.Wait()
	if m.ahead != nil {
		select {
		case w := <-m.ahead:
			w.unmap()
		default:
		}
	}
	if m.now != nil {
		m.now.unmap()
	}
	m.now = nil
}
