package hosts

import (
	"reflect"
	"testing"
)

// FuzzConfig wraps whatever a file may be. Either it is refused, or wrapping and unwrapping gives the same bytes, wrapping
// twice is wrapping once, and unwrapping without a memo gives the same meaning.
func FuzzConfig(f *testing.F) {
	for format, sources := range map[int][]string{
		0: {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [ // c\n\"y\",], \"disabled\": false}}}", `{"servers": {"a": {"command": ["x", "y"]}, "b": {"url": "u"}}, "mcp": 1}`,
			`{"mcpServers": {"a": {"command": "/x/reprise", "args": ["record", "--name", "a", "--", "y", "z"]}}}`, `{"extensions": [{"name": "a", "cmd": "x"}, {"name": "a", "cmd": "x", "args": []}]}`},
		1: {"[mcp_servers.a]\ncommand = \"x\"\nargs = [\n 'y', # z\n]\n", "mcp_servers = { a = { command = 'x' } }\n", "mcp_servers.a.command = \"x\"\n[mcp_servers.a.env]\nk = 1\n", "[[mcp_servers]]\nname = 'a'\ncommand = '''x'''\n"},
		2: {"extensions:\n  a:\n    cmd: x # y\n    args:\n    - -z\n", "mcpServers:\n  - name: a\n    command: 'x'\n    args: [y, \"z\"]\n", "servers: {a: {command: x}}\n", "mcpServers:\n- name: a\n  command: &c x\n- name: b\n  command: *c\n"},
	} {
		for _, src := range sources {
			f.Add(format, []byte(src))
		}
	}
	f.Fuzz(func(t *testing.T, format int, src []byte) {
		if len(src) > 1<<12 {
			return
		}
		shape := Generic([]Format{JSON, TOML, YAML}[uint(format)%3], nil)
		var memo Memo
		wrapped, outcomes, err := Plan{Wrapper: testWrapper, Runs: always}.Do(shape, src, &memo)
		if err != nil {
			return
		}
		for _, o := range outcomes {
			if o.Did == DidWrap {
				checkWrapped(t, shape, wrapped, o)
			}
		}
		again, _, err := Plan{Wrapper: testWrapper, Runs: always}.Do(shape, wrapped, &Memo{})
		if err != nil || string(again) != string(wrapped) {
			t.Errorf("wrapping twice is not wrapping once: %v\n%q\n%q", err, wrapped, again)
		}
		mine := ownOnly(outcomes)
		back, _, err := mine.Do(shape, wrapped, &memo)
		if err != nil || len(mine.Names) > 0 && string(back) != string(src) {
			t.Errorf("unwrap: %v\n%q\nwant\n%q", err, back, src)
		}
		blind, _, err := mine.Do(shape, wrapped, &Memo{})
		if err != nil {
			t.Errorf("unwrap without a memo: %v", err)
		} else if len(mine.Names) > 0 {
			sameServers(t, shape, src, blind)
		}
	})
}

// ownOnly unwraps what a plan has wrapped: what was wrapped before stays, unless it has the same name.
func ownOnly(outcomes []Outcome) Plan {
	plan := Plan{Unwrap: true}
	for _, o := range outcomes {
		if o.Did == DidWrap {
			plan.Names = append(plan.Names, o.Server.Name)
		}
	}
	for _, o := range outcomes {
		for _, name := range plan.Names {
			if o.Server.Name == name && o.Server.State == Wrapped {
				return Plan{Unwrap: true, Names: nil}
			}
		}
	}
	return plan
}

// TestNodesAreBytes asks whether every place that parse gives is inside the file and in order.
func TestNodesAreBytes(t *testing.T) {
	src := []byte(`{"mcpServers": {"a": {"command": "x", "args": ["y", "z"]}}}`)
	root, err := parseJSON(src)
	if err != nil {
		t.Fatal(err)
	}
	args, ok := root.get("mcpServers", "a", "args").texts()
	if !ok || !reflect.DeepEqual(args, []string{"y", "z"}) {
		t.Errorf("args are %q", args)
	}
}
