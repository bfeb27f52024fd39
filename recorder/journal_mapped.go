//go:build linux && (amd64 || arm64)

package recorder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapped writes a journal through a mapping of its pages: a small record costs
// a tenth of what write(2) costs, and what is copied survives us just the same.
// A large record's data goes by write(2), which makes its pages faster than faults do.
//
// The file is mapped in windows. Each has an overhang into the next one, so that
// a record's head lies in the window that it begins in. Its blocks are reserved
// first, so that a full disk is an error and not a signal.
type mapped struct {
	off    bool // not possible here, or not any more
	window []byte
	start  int64 // of the window in the file
	end    int64 // of the records that begin in it
}

const (
	firstWindow = 256 << 10 // most sessions need no more
	nextWindow  = 4 << 20
	overhang    = 512 << 10
	largeRecord = 16 << 10
)

// append writes the record at the offset. It says false where that has to be done by write(2).
func (m *mapped) append(f *os.File, at int64, r *record) (written bool, err error) {
	if m.off || r.length() > overhang {
		return false, m.leave(f, at)
	}
	if at >= m.end {
		if err := m.turn(f); err != nil {
			if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOSYS) {
				return false, m.leave(f, at)
			}
			return false, err
		}
	}
	if len(r.data) >= largeRecord {
		if _, err := f.WriteAt(r.data, at+recordSize); err != nil {
			return false, err
		}
	}
	if err := m.put(at, r); err != nil {
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
func (m *mapped) put(at int64, r *record) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("write journal: %v", fault)
		}
	}()
	place := m.window[at-m.start:]
	if len(r.data) < largeRecord {
		copy(place[recordSize:], r.data)
	}
	binary.LittleEndian.PutUint64(place[8:], uint64(r.at))
	binary.LittleEndian.PutUint64(place[16:], uint64(r.stream))
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&place[0])), r.tag())
	return nil
}

// turn goes to the next window.
func (m *mapped) turn(f *os.File) error {
	size := int64(nextWindow)
	if m.window == nil {
		size = firstWindow
	}
	if err := unix.Fallocate(int(f.Fd()), 0, m.end, size+overhang); err != nil {
		return fmt.Errorf("reserve journal: %w", err)
	}
	window, err := unix.Mmap(int(f.Fd()), m.end, int(size+overhang), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map journal: %w", err)
	}
	m.close()
	m.window, m.start, m.end = window, m.end, m.end+size
	return nil
}

func (m *mapped) close() {
	if m.window != nil {
		unix.Munmap(m.window)
	}
	m.window = nil
}
