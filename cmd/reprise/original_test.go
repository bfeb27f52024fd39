package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"reprise/proxy"
)

// What is a program as it is written is started so; else it is read as a shell would read it, if that gives a program.
func TestStartable(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	for _, path := range []string{filepath.Join(bin, "npx.exe"), filepath.Join(bin, "my dir", "my server.exe"), filepath.Join(home, "bin", "server.exe")} {
		writeProgram(t, path)
	}
	spaced, server := filepath.Join(bin, "my dir", "my server.exe"), filepath.Join(home, "bin", "server.exe")
	for _, tt := range []struct{ command, want []string }{
		{[]string{"npx.exe", "-y", "a b"}, []string{"npx.exe", "-y", "a b"}},
		{[]string{spaced, "x"}, []string{spaced, "x"}},
		{[]string{"npx.exe -y  some-server", "a b"}, []string{"npx.exe", "-y", "some-server", "a b"}},
		{[]string{"\tnpx.exe\t'a b' \"\" c' 'd "}, []string{"npx.exe", "a b", "", "c d"}},
		{[]string{`npx.exe "it's" '"'`}, []string{"npx.exe", "it's", `"`}},
		{[]string{`npx.exe $HOME ~/x *`}, []string{"npx.exe", "$HOME", "~/x", "*"}},
		{[]string{`npx.exe C:\a\b`}, []string{"npx.exe", `C:\a\b`}},
		{[]string{`"` + spaced + `" x`}, []string{spaced, "x"}},
		{[]string{"~/bin/server.exe", "x"}, []string{server, "x"}},
		{[]string{"~/bin/server.exe -v"}, []string{server, "-v"}},
		{[]string{"~other/bin/server.exe -v"}, []string{"~other/bin/server.exe -v"}},
		{[]string{"~/bin/none -v"}, []string{"~/bin/none -v"}},
		{[]string{"none -y x", "y"}, []string{"none -y x", "y"}},
		{[]string{"npx.exe 'a b"}, []string{"npx.exe 'a b"}},
		{[]string{"'' npx.exe"}, []string{"'' npx.exe"}},
		{[]string{" "}, []string{" "}},
		{[]string{""}, []string{""}},
	} {
		given := slices.Clone(tt.command)
		got := startable(tt.command, func() (string, error) { return home, nil })
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q is started as %q, want %q", tt.command, got, tt.want)
		}
		if !slices.Equal(tt.command, given) {
			t.Errorf("%q was changed to %q", given, tt.command)
		}
	}
	homeless := func() (string, error) { return "", errors.New("no home") }
	if got := startable([]string{"~/bin/server.exe"}, homeless); got[0] != "~/bin/server.exe" {
		t.Errorf("without a home folder it is started as %q", got)
	}
}

// The error tells of the command as it was written, but for its secrets, and of why it can't be started, once.
func TestStartText(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&proxy.StartError{Command: "none -y x", Err: &exec.Error{Name: "none -y x", Err: exec.ErrNotFound}}, "start none -y x: " + exec.ErrNotFound.Error()},
		{&proxy.StartError{Command: "x --token S", Err: &os.PathError{Op: "exec", Path: "x --token S", Err: os.ErrPermission}}, "start x --token «redacted:token:1»: permission denied"},
		{&proxy.StartError{Command: "x --token=S", Err: os.ErrNotExist}, "start x --token=«redacted:token:1»: file does not exist"},
		{os.ErrClosed, os.ErrClosed.Error()},
	} {
		if got := startText(tt.err); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestShellWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                           nil,
		" \t ":                       nil,
		"a  b\tc":                    {"a", "b", "c"},
		`a 'b c' "d 'e'" f' 'g ''`:   {"a", "b c", "d 'e'", "f g", ""},
		`"C:\Program Files\x.exe" \`: {`C:\Program Files\x.exe`, `\`},
		`C:\a\b.exe -p \\host\s\`:    {`C:\a\b.exe`, "-p", `\\host\s\`},
		`a "b`:                       nil,
		`a 'b" c`:                    nil,
		`a b'`:                       nil,
	} {
		if got := shellWords(line); !slices.Equal(got, want) {
			t.Errorf("%s gives %q, want %q", line, got, want)
		}
	}
}

func writeProgram(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o700); err != nil {
		t.Fatal(err)
	}
}
