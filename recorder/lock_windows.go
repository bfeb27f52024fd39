package recorder

import (
	"os"

	"golang.org/x/sys/windows"
)

// openShared opens a journal for reading and writing. Others may rename and remove it
// meanwhile: Windows has to be told so, and os.OpenFile does not.
func openShared(name string, create bool) (*os.File, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	how := uint32(windows.OPEN_EXISTING)
	if create {
		how = windows.CREATE_NEW
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(path, windows.GENERIC_READ|windows.GENERIC_WRITE, share, nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(handle), name), nil
}

// lock holds the file for as long as it is open. Another holder is an error.
// The locked byte lies far behind the end: locks are mandatory on Windows, and others must read.
func lock(f *os.File) error {
	beyond := &windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, beyond)
}
