package hosts

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A list without items beside arguments is not a command, and no reason to fall over.
func TestEmptyCommandListBesideArguments(t *testing.T) {
	for format, src := range map[Format]string{
		JSON: `{"mcpServers":{"a":{"command":[],"args":["x"]},"b":{"command":"y"}}}`,
		TOML: "[mcp_servers.a]\ncommand = []\nargs = ['x']\n[mcp_servers.b]\ncommand = 'y'\n",
		YAML: "mcpServers: {a: {command: [], args: [x]}, b: {command: y}}\n",
	} {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s: %v", format, p)
				}
			}()
			c, err := Parse(Generic(format, nil), []byte(src))
			if err != nil || c.Servers()[0].State != Unfit || c.Servers()[1].State != Plain {
				t.Errorf("%s: %v", format, err)
			}
		}()
	}
}

// Somebody adds an argument to an entry that had an empty list when it was wrapped.
func TestUnwrapWithAnArgumentAddedToAnEmptyList(t *testing.T) {
	for name, tt := range map[string]struct{ host, src, end, edited, want string }{
		"json":           {"cursor", `{"mcpServers":{"a":{"command":"x","args":[]}}}`, `"x"]`, `"x", "more"]`, `{"mcpServers":{"a":{"command":"x","args":["more"]}}}`},
		"trailing comma": {"vscode", `{"servers":{"a":{"command":"x","args":[]}}}`, `"x"]`, `"x",]`, `{"servers":{"a":{"command":"x","args":[]}}}`},
		"toml":           {"codex", "[mcp_servers.a]\ncommand = 'x'\nargs = []\n", `'x']`, `'x', 'more']`, "[mcp_servers.a]\ncommand = 'x'\nargs = ['more']\n"},
		"yaml":           {"goose", "extensions:\n  a:\n    cmd: x\n    args: []\n", `"x"]`, `"x", more]`, "extensions:\n  a:\n    cmd: x\n    args: [more]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			shape := shapeOf(t, tt.host)
			var memo Memo
			wrapped, _, err := Plan{Wrapper: testWrapper, Runs: always}.Do(shape, []byte(tt.src), &memo)
			if err != nil || strings.Count(string(wrapped), tt.end) != 1 {
				t.Fatal(err, string(wrapped))
			}
			edited := strings.Replace(string(wrapped), tt.end, tt.edited, 1)
			back, outcomes, err := Plan{Unwrap: true}.Do(shape, []byte(edited), &memo)
			if err != nil || outcomes[0].Failed {
				t.Fatalf("%v %q", err, outcomes[0].Why)
			}
			sameServers(t, shape, []byte(tt.want), back)
		})
	}
}

// What cannot be done has to be shown, to be done by hand.
func TestAFailedOutcomeCanBeShown(t *testing.T) {
	for name, tt := range map[string]struct {
		host, src string
		plan      Plan
	}{
		"shell, and a blank in our path": {"mistral-vibe", "[[mcp_servers]]\nname = 'a'\ncommand = 'uvx x'\n", Plan{Wrapper: Wrapper{Binary: "/opt/a b/reprise", Host: "mistral-vibe"}, Runs: always}},
		"foreign, with an odd name":      {"cursor", `{"mcpServers":{"a${X}":{"command":"mcpsnoop","args":["--","x"]}}}`, Plan{Wrapper: testWrapper, Runs: always}},
		"a number behind --":             {"cursor", `{"mcpServers":{"a":{"command":"/x/reprise","args":["record","--",5]}}}`, Plan{Unwrap: true}},
	} {
		t.Run(name, func(t *testing.T) {
			shape := shapeOf(t, tt.host)
			_, outcomes, err := tt.plan.Do(shape, []byte(tt.src), &Memo{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if p := recover(); p != nil {
					t.Error(p)
				}
			}()
			shape.Lines(outcomes[0].Server, outcomes[0].Command)
			shape.Snippet(outcomes[0].Server, outcomes[0].Command)
		})
	}
}

// `record` runs what follows its flags, with -- or without. A -- further on belongs to the server.
func TestHandWrapWithoutDashesKeepsItsCommand(t *testing.T) {
	const src = `{"mcpServers":{"a":{"command":"reprise","args":["record","--name","a","npx","-y","foo","--","--verbose"]}}}`
	back, _, err := Plan{Unwrap: true}.Do(usualShape(), []byte(src), &Memo{})
	if err != nil || !strings.Contains(string(back), `"npx"`) {
		t.Errorf("the command is lost: %v %s", err, back)
	}
}

// However somebody has put us in front, we do not go in front of ourselves.
func TestNeverNested(t *testing.T) {
	for _, entry := range []string{
		`"command":"/usr/bin/reprise","args":["-q","record","--","x"]`,
		`"command":"/usr/bin/reprise","args":["--db","/x/r.db","record","--","x"]`,
		`"command":"env","args":["REPRISE_DB=/x/reprise","/usr/bin/reprise","record","--","x"]`,
		`"command":"uv","args":["--directory","/src/reprise","run","/usr/bin/reprise","record","--","x"]`,
		`"command":"reprise record --name a -- npx -y foo"`,
		`"command":"/usr/bin/reprise record --name a","args":["--","npx"]`,
		`"command":"sh","args":["-c","exec reprise record --name a -- npx -y foo"]`,
		`"command":"cmd","args":["/c","C:\\x\\reprise.exe record -- npx"]`,
	} {
		src := `{"mcpServers":{"a":{` + entry + `}}}`
		out, outcomes, err := Plan{Wrapper: testWrapper, Runs: always}.Do(usualShape(), []byte(src), &Memo{})
		if err != nil || outcomes[0].Did == DidWrap {
			t.Errorf("%v nested: %s", err, out)
		}
	}
}

// A command line in one text that ends with our path is not our path.
func TestWhatStandsBeforeUsInTheCommandIsKept(t *testing.T) {
	const src = `{"mcpServers":{"a":{"command":"env API_TOKEN=abcsekret /usr/bin/reprise","args":["record","--","npx"]}}}`
	gone := func(string) bool { return false }
	for what, plan := range map[string]Plan{"wrap": {Wrapper: testWrapper, Runs: gone}, "unwrap": {Unwrap: true}} {
		out, outcomes, err := plan.Do(usualShape(), []byte(src), &Memo{})
		if err != nil || !strings.Contains(string(out), "API_TOKEN") {
			t.Errorf("%s loses a variable: %v %s", what, err, out)
		}
		if strings.Contains(outcomes[0].Server.Binary+outcomes[0].Why, "sekret") {
			t.Errorf("%s tells a secret", what)
		}
	}
}

// The reason must not quote the command.
func TestReasonsQuoteNothing(t *testing.T) {
	const src = `{"mcpServers":{"a":{"command":"env API_TOKEN=abcsekret","args":["reprise","record","--","npx"]}}}`
	c, err := Parse(usualShape(), []byte(src))
	if err != nil || strings.Contains(c.Servers()[0].Why, "sekret") {
		t.Errorf("%v %s", err, c.Servers()[0].Why)
	}
}

// A list of servers is put in another order; after unwrap nothing is to be remembered.
func TestReorderedListLeavesNoMemo(t *testing.T) {
	shape := shapeOf(t, "continue")
	const a, b = "  - name: a\n    command: npx\n    args:\n      - x\n", "  - name: b\n    command: y\n"
	var memo Memo
	wrapped, _, err := Plan{Wrapper: testWrapper, Runs: always}.Do(shape, []byte("mcpServers:\n"+a+b), &memo)
	if err != nil {
		t.Fatal(err)
	}
	at, from := strings.Index(string(wrapped), "  - name: b"), len("mcpServers:\n")
	moved := string(wrapped[:from]) + string(wrapped[at:]) + string(wrapped[from:at])
	back, _, err := Plan{Unwrap: true}.Do(shape, []byte(moved), &memo)
	if err != nil || string(back) != "mcpServers:\n"+b+a {
		t.Fatalf("%v\n%s", err, back)
	}
	if len(memo.Wraps) > 0 {
		t.Errorf("the memo still has %v", memo.Wraps)
	}
}

// A server that somebody renamed or took out is not gone for ever: wrapping again is what the person is told to do.
func TestWrapAgainForgetsWhatIsGone(t *testing.T) {
	var memo Memo
	plan := Plan{Wrapper: testWrapper, Runs: always}
	wrapped, _, err := plan.Do(usualShape(), []byte(`{"mcpServers":{"a":{"command":"x","args":["1"]},"b":{"command":"y"}}}`), &memo)
	if err != nil {
		t.Fatal(err)
	}
	i, j := strings.Index(string(wrapped), `,"b"`), strings.LastIndex(string(wrapped), "}}")
	edited := strings.Replace(string(wrapped[:i])+string(wrapped[j:]), `"a"`, `"renamed"`, 1)
	again, _, err := plan.Do(usualShape(), []byte(edited), &memo)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(usualShape(), again)
	if err != nil {
		t.Fatal(err)
	}
	if gone := c.Gone(memo); len(gone) > 0 {
		t.Errorf("still gone: %v", gone)
	}
}

// A snippet can be read as the host reads its file.
func TestSnippetIsOfTheShape(t *testing.T) {
	for host, src := range map[string]string{
		"continue":     "mcpServers:\n  - name: a\n    command: npx\n",
		"mistral-vibe": "[[mcp_servers]]\nname = 'a'\ncommand = 'npx'\n",
	} {
		shape := shapeOf(t, host)
		c, err := Parse(shape, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		snippet := shape.Snippet(c.Servers()[0], []string{"/x/reprise", "record", "--", "npx"})
		p, err := Parse(shape, []byte(snippet))
		if err != nil || len(p.Servers()) != 1 || p.Servers()[0].Name != "a" || p.Servers()[0].index != 0 {
			t.Errorf("%s: its servers are a list, and this is none: %v\n%s", host, err, snippet)
		}
	}
}

// An outcome tells what the entry runs now, also of what was wrapped already.
func TestKeptRunsWithUs(t *testing.T) {
	const src = `{"mcpServers":{"a":{"command":"/x/reprise","args":["record","--","npx"]}}}`
	_, outcomes, err := Plan{Wrapper: testWrapper, Runs: always}.Do(usualShape(), []byte(src), &Memo{})
	if want := []string{"/x/reprise", "record", "--", "npx"}; err != nil || !slices.Equal(outcomes[0].Command, want) {
		t.Errorf("got %v, %v", outcomes[0].Command, err)
	}
}

// One entry that cannot be done must not cost a reading of the file for every other.
func TestOneFailureAmongMany(t *testing.T) {
	shape := usualShape()
	var b strings.Builder
	b.WriteString("{\"mcpServers\":{\"bad\":{\"command\":\"x\",\"args\":[]}")
	for i := range 100 {
		fmt.Fprintf(&b, ",\"s%d\":{\"command\":\"x\",\"args\":[\"y\"]}", i)
	}
	b.WriteString("}}")
	var memo Memo
	wrapped, _, err := Plan{Wrapper: testWrapper, Runs: always}.Do(shape, []byte(b.String()), &memo)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(wrapped), `"--", "x"]`, `"--", "x", "more"]`, 1) // any edit that is refused will do
	allocated := testing.AllocsPerRun(1, func() {
		m := Memo{Wraps: slices.Clone(memo.Wraps)}
		_, _, _ = Plan{Unwrap: true}.Do(shape, []byte(edited), &m)
	})
	usual := testing.AllocsPerRun(1, func() {
		m := Memo{Wraps: slices.Clone(memo.Wraps)}
		_, _, _ = Plan{Unwrap: true}.Do(shape, wrapped, &m)
	})
	if allocated > 20*usual {
		t.Errorf("%.0f allocations, where all goes well %.0f", allocated, usual)
	}
}

// A comment behind our last word needs a blank in front of it when our words are gone.
func TestYAMLCommentBehindOurWords(t *testing.T) {
	const src = "extensions:\n  a:\n    cmd: /x/reprise\n    args: [record, --, npx, # mine\n      -y]\n"
	back, outcomes, err := Plan{Unwrap: true}.Do(shapeOf(t, "goose"), []byte(src), &Memo{})
	if err != nil || outcomes[0].Did != DidUnwrap {
		t.Fatalf("%v %s", err, outcomes[0].Why)
	}
	said, err := meanYAML(back)
	want := map[string]any{"extensions": map[string]any{"a": map[string]any{"cmd": "npx", "args": []any{"-y"}}}}
	if err != nil || !reflect.DeepEqual(said, want) {
		t.Errorf("%v %v\n%s", err, said, back)
	}
}

// A wrap whose program is gone is pointed to this one, and still gives back every byte.
func TestRepairGivesBackTheBytes(t *testing.T) {
	for host, src := range map[string]string{
		"cursor":   `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "args": [ /* z */ "z"]}}}`,
		"opencode": `{"mcp": {"a": {"command": [ "x" ], "type": "local"}}}`,
		"codex":    "[mcp_servers.a]\ncommand = 'x' # mine\n",
		"goose":    "extensions:\n  a:\n    cmd: x\n    args:\n    - y\n",
	} {
		shape := shapeOf(t, host)
		var memo Memo
		wrapped, _, err := Plan{Wrapper: testWrapper, Runs: always}.Do(shape, []byte(src), &memo)
		if err != nil {
			t.Fatal(err)
		}
		moved := Wrapper{Binary: "/new/place/reprise", Host: "cursor"}
		repaired, outcomes, err := Plan{Wrapper: moved, Runs: func(string) bool { return false }}.Do(shape, wrapped, &memo)
		if err != nil || outcomes[0].Did != DidRepair || outcomes[0].Command[0] != moved.Binary || strings.Contains(string(repaired), testWrapper.Binary) {
			t.Errorf("%s: %v %+v\n%s", host, err, outcomes, repaired)
		}
		back, _, err := Plan{Unwrap: true}.Do(shape, repaired, &memo)
		if err != nil || string(back) != src {
			t.Errorf("%s: %v\n%s", host, err, back)
		}
	}
}

// What is known of a wrap that would be another now is said, and the entry stays.
func TestKeptSaysWhatDiffers(t *testing.T) {
	for src, want := range map[string]string{
		`{"mcpServers":{"a":{"command":"reprise","args":["record","--host","zed","--name","a","--","x"]}}}`:      "it is recorded as of the host zed",
		`{"mcpServers":{"a":{"command":"reprise","args":["record","--host","cursor","--name=b","--","x"]}}}`:     "it is recorded under the name b",
		`{"mcpServers":{"a":{"command":"reprise","args":["record","--metadata-only","--","x"]}}}`:                "",
		`{"mcpServers":{"a":{"command":"reprise","args":["record","--host","cursor","--name","a","--","--x"]}}}`: "",
	} {
		out, outcomes, err := Plan{Wrapper: testWrapper, Runs: always}.Do(usualShape(), []byte(src), &Memo{})
		if err != nil || string(out) != src || outcomes[0].Did != Kept || outcomes[0].Why != want {
			t.Errorf("%s: %v %+v", src, err, outcomes)
		}
	}
}
