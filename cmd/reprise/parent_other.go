//go:build !linux

package main

import (
	"os"

	"reprise"
)

// parentProcess says which process started us.
func parentProcess() reprise.Parent { return reprise.Parent{PID: os.Getppid()} }
