package main

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
)

// The name of a server may be empty, and the session has it then, whichever way the line is read.
func TestRecordName(t *testing.T) {
	for _, tt := range []struct {
		line []string
		want string
	}{
		{[]string{"--host", "h", "--", "npx"}, "npx"},
		{[]string{"--host", "h", "--name", "", "--", "npx"}, ""},
		{[]string{"--name=", "--", "npx"}, ""},
		{[]string{"--name=-n", "--", "npx"}, "-n"},
		{[]string{"--name", "n", "--", "npx"}, "n"},
		{[]string{"--", "/opt/bin/server.exe", "x"}, "server"},
		{[]string{"--", "no-such/prog.sh --token abcsekret foo"}, "prog"},
		{[]string{"--", `"no such/my prog" --token 'abcsekret`}, `"no`},
		{[]string{"--", "API_TOKEN=abcsekret npx"}, "API_TOKEN=«redacted:token:1»"},
	} {
		o, plain := recordLine(tt.line)
		if !plain {
			t.Errorf("%q is read the slow way", tt.line)
		}
		for way, o := range map[string]recordOptions{"quick": o, "slow": parsedRecord(t, tt.line)} {
			session, err := o.session(time.Now())
			if err != nil || session.Server != tt.want {
				t.Errorf("%q, the %s way: got %q, %v, want %q", tt.line, way, session.Server, err, tt.want)
			}
		}
	}
}

// parsedRecord reads the line with the flag package.
func parsedRecord(t *testing.T, line []string) (o recordOptions) {
	t.Helper()
	p := &program{stdin: bytes.NewReader(nil), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }, now: time.Now}
	command := p.recordCommand()
	command.Action = func(c *cli.Context) error {
		o = givenRecord(c)
		return nil
	}
	if err := p.app([]*cli.Command{command}).Run(append([]string{"reprise", "record"}, line...)); err != nil {
		t.Fatal(err)
	}
	return o
}
