package hosts

import (
	"slices"
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

func TestJSONPlaces(t *testing.T) {
	const src = "\ufeff{\"a\": {\"command\": \"\\u0078\" /* c */, \"args\": [ \"y\" /* , */ , {\"k\": 1} ]}} // end"
	root, err := parseJSON([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	command := root.get("a").find("command")
	if got := src[command.keyStart:command.keyEnd] + src[command.value.start:command.value.end]; got != `"command""\u0078"` || command.value.text != "x" {
		t.Errorf("the command is %s, which says %q", got, command.value.text)
	}
	args := root.get("a", "args")
	got := []string{src[args.start:args.end]}
	for _, item := range args.items {
		got = append(got, src[item.start:item.end], src[item.end:item.after])
	}
	if want := []string{`[ "y" /* , */ , {"k": 1} ]`, `"y"`, ` /* , */ ,`, `{"k": 1}`, ""}; !slices.Equal(got, want) {
		t.Errorf("the arguments are %q", got)
	}
}
