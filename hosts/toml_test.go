package hosts

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// tomlFiles are files with what TOML allows, and at which paths of keys which spelling of a value is to be found.
var tomlFiles = map[string]struct {
	src  string
	want map[string]string
}{
	"usual": {
		"model = \"gpt\"\n\n[mcp_servers.files]\ncommand = \"npx\" # the command\nargs = [\"-y\", \"x\"]\n\n[mcp_servers.files.env]\nK = \"v\"\n",
		map[string]string{"mcp_servers/files/command": `"npx"`, "mcp_servers/files/args": `["-y", "x"]`, "mcp_servers/files/env/K": `"v"`},
	},
	"quoted names":          {"[mcp_servers.\"my server\"]\ncommand='x'\n['mcp_servers' . 'a.b']\n\"c\\u006fmmand\"=\"n\\u0070x\"", map[string]string{"mcp_servers/my server/command": `'x'`, "mcp_servers/a.b/command": `"n\u0070x"`}},
	"dotted keys":           {"mcp_servers.a.command = \"x\"\nmcp_servers . b . command = \"y\"\nmcp_servers.a.args=[]\n[t]\n  u.v.command = 'z'\n", map[string]string{"mcp_servers/a/command": `"x"`, "mcp_servers/b/command": `"y"`, "mcp_servers/a/args": "[]", "t/u/v/command": "'z'"}},
	"inline":                {"mcp_servers = { a = { command = \"x\", args = [ 'a}' ] }, b.command = \"y,]\", e={} } # c", map[string]string{"mcp_servers": "{ a = { command = \"x\", args = [ 'a}' ] }, b.command = \"y,]\", e={} }", "mcp_servers/a": `{ command = "x", args = [ 'a}' ] }`, "mcp_servers/a/args/0": "'a}'", "mcp_servers/b/command": `"y,]"`, "mcp_servers/e": "{}"}},
	"inline over lines":     {"a = { # }\n  command = \"x\" # , }\n  , # y\n  env = { K = 'v', },\n}\n", map[string]string{"a/command": `"x"`, "a/env": "{ K = 'v', }"}},
	"array of tables":       {"[[mcp_servers]]\nname = \"a\"\ncommand = \"x\"\n[mcp_servers.env]\nK = \"1\"\n[[mcp_servers]]\nname = \"b\"\nargs = []\n[[mcp_servers.sub]]\nq = 's'\n", map[string]string{"mcp_servers/0/command": `"x"`, "mcp_servers/0/env/K": `"1"`, "mcp_servers/1/name": `"b"`, "mcp_servers/1/args": "[]", "mcp_servers/1/sub/0/q": "'s'"}},
	"array of inline":       {"mcp_servers = [\n  { name = \"a\", command = \"x\" },\n  {name='b'} # c\n]", map[string]string{"mcp_servers/0/command": `"x"`, "mcp_servers/1": "{name='b'}"}},
	"spread":                {"[s.a.env]\nK = 'v'\n[other]\nn = 1\n[s.b]\ncommand = 'y'\n[s.a]\ncommand = 'x'\n[s]\nz = 'z'\n", map[string]string{"s/a/env/K": "'v'", "s/a/command": "'x'", "s/b/command": "'y'", "s/z": "'z'"}},
	"array over lines":      {"args = [ # a, b ]\n  # one ]\n  \"a # ]\" , # two ,\n\n\t'b,\"]' # three\n  # four\n  , \"\"\"c\n]\"\"\", [ 1, [ ] , ], # five\n] # six\nz='z'", map[string]string{"args/0": `"a # ]"`, "args/1": `'b,"]'`, "args/2": "\"\"\"c\n]\"\"\"", "args/3": "[ 1, [ ] , ]", "args/3/1": "[ ]", "z": "'z'"}},
	"empty arrays":          {"a = []\nb = [ ]\nc = [ # none\n ]\nd = [\r\n]\ne=[#]\n]", map[string]string{"a": "[]", "b": "[ ]", "c": "[ # none\n ]", "d": "[\r\n]", "e": "[#]\n]"}},
	"strings over lines":    {"a = \"\"\"\nx \\\n   y\"\"\"\"\"\nb = '''\r\nz\r\n'''''\nc = [\"\"\"\"\"\", '''''']\n", map[string]string{"a": "\"\"\"\nx \\\n   y\"\"\"\"\"", "b": "'''\r\nz\r\n'''''", "c/0": `""""""`, "c/1": `''''''`}},
	"crlf":                  {"# c\r\n[a]\r\n  command = \"x\"\r\n  args = [\r\n    \"y\", # c\r\n  ]\r\n", map[string]string{"a/command": `"x"`, "a/args": "[\r\n    \"y\", # c\r\n  ]"}},
	"byte order mark":       {"\ufeffcommand = \"é\"", map[string]string{"command": `"é"`}},
	"mark and table":        {"\ufeff[a]\r\n\tx=\"日本\"\r\n", map[string]string{"a/x": `"日本"`}},
	"empty":                 {"", nil},
	"comment alone":         {"\ufeff # nothing", nil},
	"empty keys":            {"\"\" = 'a'\n[x.'']\n'' . \"\" = 'b'", map[string]string{"": "'a'", "x///": "'b'"}},
	"numbers and the like":  {"a = nan\nb = [-nan, inf, 1e3, 0x1F, 1_000]\nc = 1979-05-27 07:32:00Z\nd = 07:32:00\ne = [1979-05-27, 1979-05-27T00:32:00.5,]\nf = true", map[string]string{"a": "nan", "b/0": "-nan", "b/3": "0x1F", "c": "1979-05-27 07:32:00Z", "d": "07:32:00", "e/1": "1979-05-27T00:32:00.5", "f": "true"}},
	"numbers as keys":       {"3.14 = 'x'\n1979-05-27 = 'y'\ntrue = 'z'", map[string]string{"3/14": "'x'", "1979-05-27": "'y'", "true": "'z'"}},
	"tight":                 {"a=\"x\"#c\nb={c='y',d=['z','w']}", map[string]string{"a": `"x"`, "b/c": "'y'", "b/d/1": "'w'"}},
	"dotted, table between": {"[f]\na.b.c = 'x'\n[f.a.d]\ne = 'y'", map[string]string{"f/a/b/c": "'x'", "f/a/d/e": "'y'"}},
	"args as tables":        {"[[s.a.args]]\nx = 'y'", map[string]string{"s/a/args/0/x": "'y'"}},
	"a sign in a value":     {"a = '= b'\n'=' = \"==\"", map[string]string{"a": "'= b'", "=": `"=="`}},
}

func TestTOMLPlaces(t *testing.T) {
	for name, file := range tomlFiles {
		t.Run(name, func(t *testing.T) {
			root, err := parseTOML([]byte(file.src))
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range file.want {
				n := tomlAt(root, strings.Split(path, "/"))
				if n == nil || n.start < 0 {
					t.Errorf("%s has no place", path)
				} else if got := file.src[n.start:n.end]; got != want {
					t.Errorf("%s is %q, want %q", path, got, want)
				}
			}
			if err := tomlPromises([]byte(file.src)); err != nil {
				t.Error(err)
			}
		})
	}
}

// tomlAt goes down through mappings and, with numbers, through lists.
func tomlAt(n *node, path []string) *node {
	for _, step := range path {
		var index int
		if n == nil {
			return nil
		} else if n.kind != list {
			n = n.get(step)
		} else if _, err := fmt.Sscan(step, &index); err == nil && index < len(n.items) {
			n = n.items[index].value
		} else {
			return nil
		}
	}
	return n
}

func TestTOMLMembers(t *testing.T) {
	for name, c := range map[string]struct {
		src, path               string
		wantKey, lead, colonWas string
	}{
		"table":            {"[a]\n\tx  =\t'1'\n", "a/x", "x", "\n\t", "  =\t"},
		"crlf":             {"[a]\r\n x='1'", "a/x", "x", "\r\n ", "="},
		"mark":             {"\ufeffx = '1'", "x", "x", "\n", " = "},
		"mark and indent":  {"\ufeff  x = '1'", "x", "x", "\n  ", " = "},
		"dotted":           {"m . 'a b'. x = '1'", "m/a b/x", "m . 'a b'. x", "\nm . 'a b'. ", " = "},
		"dotted in table":  {"[t]\n  m.x = '1'", "t/m/x", "m.x", "\n  m.", " = "},
		"inline":           {"m = { x = '1'}", "m/x", "x", ", ", " = "},
		"dotted in inline": {"m = { a.x ='1'}", "m/a/x", "a.x", ", a.", " ="},
		"quoted":           {"\"x\\u0079\" = '1'", "xy", "\"x\\u0079\"", "\n", " = "},
		"table's own":      {"[ m . a ]\nx = 1", "m/a", "m . a", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := parseTOML([]byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			path := strings.Split(c.path, "/")
			last := len(path) - 1
			m := root.get(path[:last]...).find(path[last])
			if got := c.src[m.keyStart:m.keyEnd]; got != c.wantKey || m.lead != c.lead || m.colon != c.colonWas {
				t.Errorf("key %q, lead %q, colon %q", got, m.lead, m.colon)
			}
		})
	}
}

func TestTOMLCommas(t *testing.T) {
	for src, want := range map[string][]string{
		"a = ['x']":                        {"'x'"},
		"a = ['x',]":                       {"'x',"},
		"a = [ 'x' , \"y\" # ,\n]":         {"'x' ,", `"y"`},
		"a = ['x' # c,\n  # d\n\t, 'y']":   {"'x' # c,\n  # d\n\t,", "'y'"},
		"a = [\r\n  {b=','},\r\n[','],\n]": {"{b=','},", "[','],"},
	} {
		root, err := parseTOML([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range root.get("a").items {
			got = append(got, src[item.start:item.after])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has the items %q, want %q", src, got, want)
		}
	}
}

func TestTOMLArrayOfTablesHasNoPlace(t *testing.T) {
	root, err := parseTOML([]byte("[[s]]\nname = 'a'\n[[s]]\nname = 'b'"))
	if err != nil {
		t.Fatal(err)
	}
	n := root.get("s")
	if n.kind != list || n.start != -1 || n.end != -1 || n.locked == "" || len(n.items) != 2 {
		t.Errorf("got %+v", n)
	}
	for _, item := range n.items {
		if item.value.kind != mapping || item.value.locked != "" || item.start != -1 || item.end != -1 || item.after != -1 {
			t.Errorf("got %+v", item)
		}
	}
}

func TestTOMLRefuses(t *testing.T) {
	const secret = "hunter2"
	for name, c := range map[string]struct{ src, want string }{
		"key twice":               {"a = 1\nhunter2 = 1\nhunter2 = 2", "line 3"},
		"table twice":             {"[hunter2]\nx = 1\n\n[hunter2]", "line 4"},
		"table over value":        {"hunter2 = 1\n[hunter2.b]", "line 2"},
		"inline extended":         {"hunter2 = {}\n[hunter2.x]\ny = 1", "line 2"},
		"inline dotted":           {"hunter2 = {}\nhunter2.x = 1", "line 2"},
		"inline twice":            {"\na = { hunter2 = 1, hunter2 = 2 }", "line 2"},
		"array extended":          {"hunter2 = []\n[[hunter2]]", "line 2"},
		"dotted into a table":     {"[hunter2.b]\nx = 1\n[hunter2]\nb.y = 2", "line 4"},
		"open string":             {"# c\r\na = \"hunter2", "line 2"},
		"open array":              {"a = [\n'hunter2'", "line 2"},
		"two values":              {"a = 'hunter2' 'hunter2'", "line 1"},
		"no comma":                {"a = [ 'hunter2'\n'hunter2' ]", "line 2"},
		"comma alone":             {"a = [ , ] # hunter2", "line 1"},
		"no such date":            {"a = 1\nhunter2 = 2024-02-31", "line 2"},
		"no such escape":          {"a = \"hunter2\\q\"", "line 1"},
		"number too large":        {"hunter2 = 99999999999999999999", "line 1"},
		"unquoted":                {"a = hunter2", "line 1"},
		"return alone":            {"a = 1\rhunter2 = 2", "line 1"},
		"not UTF-8":               {"a = 'hunter2\xff'", "UTF-8"},
		"not UTF-8, comment":      {"# hunter2 \xc3", "UTF-8"},
		"mark inside":             {"a = 1\n\ufeffhunter2 = 1", "line 2"},
		"two marks":               {"\ufeff\ufeffhunter2 = 1", "line 1"},
		"NUL":                     {"hunter2 = 1\x00", "line 1"},
		"arrays too deep":         {"a = " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), ""},
		"keys too deep":           {strings.Repeat("a.", 15_000) + "a = 1", "deep"},
		"keys far too deep":       {strings.Repeat("a.", 200_000) + "a = 1", "keys"},
		"more keys than believed": {manyTOML(maxKeys+1, "k%d = 1\n"), "keys"},
		"more lists":              {"a = [" + strings.Repeat("[],", maxKeys+1) + "]", "keys"},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := parseTOML([]byte(c.src))
			if err == nil {
				t.Fatalf("accepted: %+v", root)
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
				t.Errorf("error %q, want one with %q", err, c.want)
			}
			if len(c.src) > 100_000 {
				return // the decoder alone would take its time
			}
			if _, err := meanTOML([]byte(c.src)); err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the decoder's error quotes the file: %q", err)
			}
		})
	}
}

func manyTOML(count int, format string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestTOMLMeaningIsEqualToItself(t *testing.T) {
	const src = "a = [nan, -0.0, 1, 1.0, 1979-05-27T07:32:00+01:00, 07:32:00]\nb.c = 'nan'"
	x, err := meanTOML([]byte(src))
	y, err2 := meanTOML([]byte(src))
	if err != nil || err2 != nil || !reflect.DeepEqual(x, y) {
		t.Errorf("%v and %v (%v, %v)", x, y, err, err2)
	}
	z, _ := meanTOML([]byte(strings.Replace(src, "nan", "'nan'", 1)))
	if reflect.DeepEqual(x, z) {
		t.Error("nan is the same as a text")
	}
}

func TestTOMLLargeFile(t *testing.T) {
	servers := manyTOML(300, "[mcp_servers.s%d]\ncommand = \"x\"\nargs = [\n"+strings.Repeat("  'an argument, as long as any ]', # and a comment\n", 330)+"]\n")
	root, err := parseTOML([]byte(servers))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(root.get("mcp_servers", "s299", "args").items); n != 330 {
		t.Errorf("%d words", n)
	}
}

func TestTOMLQuote(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r < 0x300; r++ {
		all.WriteRune(r)
	}
	for _, s := range []string{"", "npx", `C:\Users\A B\"x"`, "a\nb\r\n\tc", "'''\"\"\"", "<&>\u2028\u2029", "日本 😀", all.String()} {
		for what, src := range map[string]string{"quote": "x = [" + quoteTOML(s) + "]", "key": keyTOML(s) + " = 1"} {
			v, err := meanTOML([]byte(src))
			if err != nil || strings.Contains(src, "\n") {
				t.Errorf("%s of %q: %q: %v", what, s, src, err)
				continue
			}
			want := map[string]any{"x": []any{s}}
			if what == "key" {
				want = map[string]any{s: int64(1)}
			}
			if !reflect.DeepEqual(v, any(want)) {
				t.Errorf("%s of %q says %v", what, s, v)
			}
		}
	}
	if got := keyTOML("args"); got != "args" {
		t.Errorf("key is %s", got)
	}
	if got := quoteTOML("it's"); got != `"it's"` {
		t.Errorf("quoted is %s", got)
	}
}

func FuzzTOML(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(tomlFiles)) {
		f.Add([]byte(tomlFiles[name].src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if err := tomlPromises(src); err != nil {
			t.Errorf("%v\n%q", err, src)
		}
	})
}

// decodeTOML asks the library alone.
func decodeTOML(src []byte) (any, error) {
	var v any
	err := toml.Unmarshal(src, &v)
	return v, err
}
