package hosts

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// swapFiles lets the target have a's content and its own name, attributes and access list. What it had comes
// out under a third name and gets a's. Programs that read at that moment without sharing are waited for.
func swapFiles(a, b string) error {
	old := a + oldSuffix
	err := sharing(func() error { return replaceFile(b, a, old) })
	if errors.Is(err, windows.ERROR_UNABLE_TO_MOVE_REPLACEMENT_2) {
		return errors.Join(err, rename(old, b)) // the only failure that leaves the target without its name
	}
	if err != nil {
		return err
	}
	return rename(old, a)
}

func replaceFile(replaced, replacement, backup string) error {
	var names [3]*uint16
	for i, name := range []string{replaced, replacement, backup} {
		p, err := windows.UTF16PtrFromString(name)
		if err != nil {
			return err
		}
		names[i] = p
	}
	proc := windows.NewLazySystemDLL("kernel32.dll").NewProc("ReplaceFileW")
	ok, _, err := proc.Call(uintptr(unsafe.Pointer(names[0])), uintptr(unsafe.Pointer(names[1])), uintptr(unsafe.Pointer(names[2])), 0, 0, 0)
	if ok == 0 {
		return err
	}
	return nil
}

func rename(from, to string) error { return sharing(func() error { return os.Rename(from, to) }) }

// sharing tries again for as long as another program, often one that looks for viruses, has the file open.
func sharing(do func() error) error {
	for until := time.Now().Add(2 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := do()
		if !inUse(err) || time.Now().After(until) {
			return err
		}
	}
}

func inUse(err error) bool {
	for _, e := range []error{windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_ACCESS_DENIED,
		windows.ERROR_UNABLE_TO_REMOVE_REPLACED, windows.ERROR_UNABLE_TO_MOVE_REPLACEMENT} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// openShared opens a file to read, and lets others rename, remove and write it meanwhile: os.Open does not.
func openShared(name string) (*os.File, error) {
	return openSharing(name, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE)
}

func openSharing(name string, share uint32) (*os.File, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(path, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(handle), name), nil
}

// quiet opens the file once more without sharing it with writers, which fails while there is one.
func quiet(f *os.File) bool {
	again, err := openSharing(f.Name(), windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE)
	if err == nil {
		_ = again.Close()
	}
	return !errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// syncFolder is for other systems: here names are on the disk when they are made.
func syncFolder(string) {}
