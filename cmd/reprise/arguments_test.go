package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

func quietProgram() *program {
	return &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }, now: time.Now}
}

func TestArrangePutsFlagsFirst(t *testing.T) {
	p := quietProgram()
	commands := p.commands()
	p.app(commands)
	for in, want := range map[string]string{
		"show last --json":                 "show --json -- last",
		"show last --seq 3 tool:x":         "show --seq 3 -- last tool:x",
		"show last --seq=3":                "show --seq=3 -- last",
		"--db x show last":                 "show --db x -- last",
		"--json --db x show --frames last": "show --json --db x --frames -- last",
		"search -- --json":                 "search -- --json",
		"search a --json -- b --json":      "search --json -- a b --json",
		"import -":                         "import -- -",
		"sessions":                         "sessions",
		"sessions --limit":                 "sessions --limit",
		"help show":                        "show --help",
		"help":                             "--help",
		"shw last --json":                  "shw",
		"--db x record --name n -- cmd --db y -- z": "record --db x --name n -- cmd --db y -- z",
		"record cmd -y --json":                      "record cmd -y --json",
	} {
		if got := strings.Join(arrange(strings.Fields(in), commands), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"sessions", "show", "search", "tail", "prune", "record", "rebuild"}
	for typed, want := range map[string]string{"shw": "show", "session": "sessions", "sess": "sessions", "recrod": "record", "tial": "tail", "xyz": "", "a": "", "list": ""} {
		if got := nearest(typed, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}
