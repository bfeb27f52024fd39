package hosts

import (
	"reflect"
	"slices"
	"testing"
)

var testWrapper = Wrapper{Binary: "/opt/reprise/bin/reprise", Host: "cursor"}

func always(string) bool { return true }

func usualShape() Shape {
	return Shape{Format: JSON, Containers: [][]string{{"mcpServers"}}, Command: [][]string{{"command"}, {"transport", "command"}, {"command", "path"}}, Args: "args", URL: []string{"url"}, Off: []string{"disabled"}}
}

// roundTrip wraps every server of a file, looks what it says, and takes the wraps out again, with and without a memo.
func roundTrip(t *testing.T, shape Shape, src string) string {
	t.Helper()
	var memo Memo
	wrapped, outcomes, err := Plan{Wrapper: testWrapper, Runs: always}.Do(shape, []byte(src), &memo)
	if err != nil {
		t.Fatalf("wrap: %v\n%s", err, src)
	}
	count := 0
	for _, o := range outcomes {
		if o.Did == DidWrap {
			checkWrapped(t, shape, wrapped, o)
			count++
		}
	}
	if count == 0 {
		t.Errorf("nothing was wrapped:\n%s", src)
	}
	again, _, err := Plan{Wrapper: Wrapper{Binary: "/elsewhere/reprise-2", Host: "cursor"}, Runs: always}.Do(shape, wrapped, &memo)
	if err != nil || string(again) != string(wrapped) {
		t.Errorf("wrapping twice is not wrapping once: %v\n%s", err, again)
	}
	blind, _, err := Plan{Unwrap: true}.Do(shape, wrapped, &Memo{})
	if err != nil {
		t.Errorf("unwrap without a memo: %v", err)
	}
	sameServers(t, shape, []byte(src), blind)
	back, _, err := Plan{Unwrap: true}.Do(shape, wrapped, &memo)
	if err != nil || string(back) != src {
		t.Errorf("unwrap: %v\n--- got\n%s\n--- want\n%s", err, back, src)
	}
	if len(memo.Wraps) > 0 {
		t.Errorf("after unwrap the memo still has %v", memo.Wraps)
	}
	return string(wrapped)
}

func checkWrapped(t *testing.T, shape Shape, src []byte, o Outcome) {
	t.Helper()
	c, err := Parse(shape, src)
	if err != nil {
		t.Fatalf("parse wrapped: %v\n%s", err, src)
	}
	for _, s := range c.Servers() {
		if s.Name != o.Server.Name || !slices.Equal(s.Container, o.Server.Container) || s.index != o.Server.index {
			continue
		}
		want := slices.Concat([]string{testWrapper.Binary}, testWrapper.words(s.Name), o.Server.Command)
		if got := c.words(&s); s.State != Wrapped || !slices.Equal(got, want) {
			t.Errorf("%s is %s and runs %q", s.Name, s.State, got)
		}
		return
	}
	t.Errorf("%s is gone:\n%s", o.Server.Name, src)
}

// sameServers says whether two files mean the same, but for empty lists of arguments.
func sameServers(t *testing.T, shape Shape, a, b []byte) {
	t.Helper()
	x, err := shape.Format.syntax().mean(a)
	y, err2 := shape.Format.syntax().mean(b)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if !reflect.DeepEqual(withoutEmptyArgs(x), withoutEmptyArgs(y)) {
		t.Errorf("unwrapping without a memo gives another meaning:\n%s\n---\n%s", a, b)
	}
}

func withoutEmptyArgs(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if all, ok := inner.([]any); ok && key == "args" && len(all) == 0 {
				delete(v, key)
			} else {
				v[key] = withoutEmptyArgs(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutEmptyArgs(v[i])
		}
	}
	return v
}

func TestJSONRoundTrip(t *testing.T) {
	for name, src := range map[string]string{
		"usual":            "{\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"server-files\", \"/a b\"],\n      \"env\": {\"K\": \"v\"}\n    }\n  }\n}\n",
		"bom and crlf":     "\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"files\": {\r\n\t\t\t\"command\": \"npx\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"-y\",\r\n\t\t\t\t\"x\"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}",
		"minified":         `{"mcpServers":{"a":{"command":"x","args":["y"]},"b":{"command":"z"}},"n":12345678901234567890,"f":1.0}`,
		"comments":         "// top\n{ /* c */ \"mcpServers\": { // x\n \"a\": { \"command\" /*k*/ : /*v*/ \"x\" /*w*/, // y\n \"args\": [ // the args, all of them\n \"-y\", /* , ] */ \"z\", // last\n ], }, }, }\n// end",
		"comment no args":  "{\"mcpServers\": {\"a\": {\n  // what is run\n  \"command\": \"x\" // the command\n  // nothing more\n}}}",
		"duplicate server": `{"mcpServers": {"a": {"command": "old"}, "a": {"command": "new", "args": []}}}`,
		"twice command":    `{"mcpServers": {"a": {"command": "old", "command": "new"}}}`,
		"escaped keys":     `{"mcp\u0053ervers": {"my\u002dserver": {"c\u006fmmand": "n\u0070x", "args": ["\u002dy"]}}}`,
		"empty args":       `{"mcpServers": {"a": {"command": "x", "args": []}, "b": {"command": "x", "args": [ ]}, "c": {"command": "x", "args": [ // none` + "\n" + `]}}}`,
		"args first":       `{"mcpServers": {"a": {"args": ["1"], "command": "x"}}}`,
		"nested":           `{"mcpServers": {"a": {"transport": {"type": "stdio", "command": "x", "args": ["1"]}}}}`,
		"zed old":          `{"mcpServers": {"a": {"command": {"path": "x", "args": ["1"], "env": {}}, "settings": {}}, "b": {"command": {"path": "x"}}}}`,
		"names":            `{"mcpServers": {"a.b c": {"command": "x"}, "it's \"q\"": {"command": "x"}, "日本\u00e9": {"command": "x"}, "-v": {"command": "x"}, "--": {"command": "x"}}}`,
		"windows":          `{"mcpServers": {"a": {"command": "C:\\Users\\A B\\node.exe", "args": ["C:\\x\\y.js"]}, "b": {"command": "cmd", "args": ["/c", "npx", "-y", "z"]}}}`,
		"variables":        `{"mcpServers": {"a": {"command": "${env:HOME}/x", "args": ["${input:k}", "${X:-d}", "%Y%"]}}}`,
		"numbers in args":  `{"mcpServers": {"a": {"command": "x", "args": ["-p", 8080, null]}}}`,
		"list command":     `{"mcpServers": {"a": {"type": "local", "command": ["npx", "-y", "z"]}, "b": {"command": [ "x" ]}}}`,
		"one string":       `{"mcpServers": {"a": {"command": "npx -y foo"}}}`,
		"surrogate":        `{"mcpServers": {"a": {"command": "\ud800x", "args": ["\ud83d\ude00"]}}}`,
	} {
		t.Run(name, func(t *testing.T) { t.Log("\n" + roundTrip(t, usualShape(), src)) })
	}
}
