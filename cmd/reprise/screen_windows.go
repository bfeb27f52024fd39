package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// understandsColor asks the console to read escape sequences, which older ones do not do of themselves.
func understandsColor(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
