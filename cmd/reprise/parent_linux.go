package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reprise"
)

// parentProcess says which process started us. Its start time, in clock ticks
// since boot, tells it from a later process of the same id.
func parentProcess() reprise.Parent {
	p := reprise.Parent{PID: os.Getppid()}
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID)); err == nil {
		p.Name = filepath.Base(exe)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return p
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name in front may have blanks
	if fields := strings.Fields(rest); len(fields) > 19 {
		p.StartedAt = fields[19] // field 22 of proc_pid_stat(5)
	}
	return p
}
