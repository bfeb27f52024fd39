package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
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
		"help help":                        "--help",
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

func TestHelpFitsTheScreen(t *testing.T) {
	p := quietProgram()
	commands := p.commands()
	texts := map[string]string{"reprise": appHelp(commands)}
	for _, c := range commands {
		texts[c.Name] = commandHelp(c, c.Flags)
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			if columns := columnsOf(strings.TrimSuffix(line, "\n")); columns > 80 {
				t.Errorf("help of %s has a line of %d columns: %s", name, columns, line)
			}
		}
	}
}

// TestTextThatIsNoUTF8 can be looked for, and is then not highlighted.
func TestTextThatIsNoUTF8(t *testing.T) {
	f, err := reprise.ParseFilter("a \xff", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if p := lookedFor(f); p != nil {
		t.Errorf("looked for %v", p)
	}
}

func TestShortIDsNameOneEach(t *testing.T) {
	ids := []string{"0193a7b2-c3d4-7aaa", "0193a7b2-c3d4-7aab", "0193a7b2-c3d5-7aaa", "abcd", "abcde"}
	short := shortIDs(slices.Clone(ids))
	for _, id := range ids {
		for _, other := range ids {
			if id != other && short[id] != other && strings.HasPrefix(other, short[id]) && short[id] != id {
				t.Errorf("%q names %q too", short[id], other)
			}
		}
	}
	if short[ids[2]] != "0193a7b2-c3d5" {
		t.Errorf("%q is shown as %q", ids[2], short[ids[2]])
	}
}

// TestExamplesFindFailures: one of a tool is a tool_error, which status:error does not select.
func TestExamplesFindFailures(t *testing.T) {
	p := quietProgram()
	commands := p.commands()
	texts := map[string]string{"reprise help": appHelp(commands)}
	for _, c := range commands {
		texts["help of "+c.Name] = commandHelp(c, c.Flags)
	}
	for _, name := range []string{"../../README.md", "../../docs/filter.md", "../../docs/commands.md", "../../docs/provenance.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	for name, text := range texts {
		if regexp.MustCompile(`status:(tool_)?error`).MatchString(text) {
			t.Errorf("%s has an example that does not select every failure", name)
		}
	}
}
