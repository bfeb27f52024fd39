package hosts

import (
	"os"

	"golang.org/x/sys/unix"
)

func swapFiles(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }

// quiet cannot be known: the content has to do.
func quiet(*os.File) bool { return true }
