package hosts

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// facts are what os.FileInfo does not tell here.
type facts struct{ links uint64 }

func factsOf(f *os.File, _ fs.FileInfo) facts {
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return facts{links: 1}
	}
	return facts{links: uint64(info.NumberOfLinks)}
}

// dress has nothing to do: the replaced file's attributes and access list stay at the name.
func dress(*os.File, sight, string) error { return nil }
