package proxy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// standBetween is the first argument that makes the test binary a proxy process, so that its own death can be tested:
//
//	proxy.test stand-between GRACE RESULT COMMAND ARG…
//
// GRACE is a JSON Grace, RESULT a file for the Exit or "".
const standBetween = "stand-between"

func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == standBetween {
		os.Exit(proxyMain(os.Args[2], os.Args[3], os.Args[4:]))
	}
	os.Exit(m.Run())
}

func proxyMain(grace, result string, command []string) int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	s := &Stdio{Command: command, Host: Files{os.Stdin, os.Stdout, os.Stderr}, Signals: signals}
	if err := json.Unmarshal([]byte(grace), &s.Grace); err != nil {
		panic(err)
	}
	if err := s.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return err.(*StartError).Code
	}
	exit := s.Run(nil)
	if result != "" {
		data, _ := json.Marshal(exit)
		if err := os.WriteFile(result, data, 0o600); err != nil {
			panic(err)
		}
	}
	return exit.Code
}
