package reprise_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	gjson   = "github.com/tidwall/gjson"
	sqlite  = "github.com/mattn/go-sqlite3"
	cli     = "github.com/urfave/cli/v2"
	gosdk   = "github.com/modelcontextprotocol/go-sdk"
	scripts = "github.com/rogpeppe/go-internal"
	xsys    = "golang.org/x/sys"
	xterm   = "golang.org/x/term"
	hujson  = "github.com/tailscale/hujson"
	toml    = "github.com/pelletier/go-toml/v2"
	yaml    = "github.com/goccy/go-yaml"
	schema  = "github.com/santhosh-tekuri/jsonschema/v6"
	xnet    = "golang.org/x/net"
)

// room is what the Go files of one top-level folder may import beside the
// standard library and their own room. Tests may import more: see testsMay.
type room struct {
	rooms []string // other rooms, "" is the root package
	third []string // other people's modules
}

// house lists every room. An adapter imports the root and never another
// adapter; whoever needs two of them together is cmd.
var house = map[string]room{
	"":         {third: []string{gjson}},
	"proxy":    {rooms: []string{""}, third: []string{gjson, xsys}},
	"recorder": {rooms: []string{""}, third: []string{gjson, xsys, sqlite}},
	"replay":   {rooms: []string{""}, third: []string{gjson}},
	"report":   {rooms: []string{""}},
	"analysis": {rooms: []string{""}, third: []string{gjson, yaml, schema, xnet}},
	"hosts":    {rooms: []string{""}, third: []string{xsys, hujson, toml, yaml}},
	"fixtures": {rooms: []string{""}, third: []string{gjson, xsys, gosdk}},
	"cmd": {
		rooms: []string{"", "proxy", "recorder", "replay", "report", "hosts", "analysis", "fixtures"},
		third: []string{gjson, xsys, xterm, cli},
	},
}

// testsMay is what _test.go files may import on top of their room's own list.
// Some read the database with plain SQL, as a stranger would.
var testsMay = room{rooms: []string{"", "fixtures"}, third: []string{gosdk, scripts, sqlite}}

func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	for file, imports := range importsByFile(t) {
		seen[roomOf(file)] = true
		for _, path := range imports {
			if why := forbidden(file, path); why != "" {
				t.Errorf("%s imports %q: %s", file, path, why)
			}
		}
	}
	for name := range house {
		if !seen[name] {
			t.Errorf("no Go file was found in room %q", name)
		}
	}
}

// TestLayersCanFail shows the checker arrows that it must refuse, and their lawful twins.
func TestLayersCanFail(t *testing.T) {
	for _, c := range []struct {
		file, path string
		allowed    bool
	}{
		{"frame.go", "bytes", true},
		{"frame.go", gjson, true},
		{"frame.go", sqlite, false},
		{"frame.go", "reprise/proxy", false},
		{"proxy/stdio.go", "reprise", true},
		{"proxy/stdio.go", "reprise/recorder", false},
		{"proxy/stdio_test.go", "reprise/recorder", false},
		{"proxy/stdio.go", "reprise/fixtures/tracker", false},
		{"proxy/stdio_test.go", "reprise/fixtures/fixturetest", true},
		{"proxy/stdio.go", gosdk + "/mcp", false},
		{"proxy/stdio_test.go", gosdk + "/mcp", true},
		{"proxy/stdio_windows.go", xsys + "/windows", true},
		{"proxy/stdio.go", xsys + "evil", false},
		{"recorder/db.go", sqlite, true},
		{"recorder/db.go", "reprise/cmd/reprise", false},
		{"cmd/reprise/show.go", sqlite, false},
		{"cmd/reprise/show_test.go", sqlite, true},
		{"cmd/reprise/show.go", "reprise/recorder", true},
		{"cmd/reprise/show.go", cli, true},
		{"recorder/db.go", cli, false},
		{"report/sarif.go", "reprise/replay", false},
		{"report/sarif.go", gjson, false},
		{"analysis/judge.go", "reprise", true},
		{"analysis/judge.go", "reprise/recorder", false},
		{"analysis/live/client.go", "reprise/analysis", true},
		{"analysis/live/client.go", "reprise/proxy", false},
		{"fixtures/tracker/tracker.go", "reprise/fixtures/wire", true},
		{"fixtures/tracker/tracker.go", "reprise/recorder", false},
		{"util/strings.go", "strings", false},
	} {
		why := forbidden(c.file, c.path)
		if allowed := why == ""; allowed != c.allowed {
			t.Errorf("%s imports %q: allowed is %v, want %v (%s)", c.file, c.path, allowed, c.allowed, why)
		}
	}
}

// forbidden says why a file must not import a path, or "" when it may.
func forbidden(file, path string) string {
	name := roomOf(file)
	own, ok := house[name]
	if !ok {
		return "the house has no room " + name
	}
	if strings.HasSuffix(file, "_test.go") {
		own.rooms = append(slices.Clone(own.rooms), testsMay.rooms...)
		own.third = append(slices.Clone(own.third), testsMay.third...)
	}
	if inside, ok := within(path, "reprise"); ok {
		target, _, _ := strings.Cut(inside, "/")
		if target == name || slices.Contains(own.rooms, target) {
			return ""
		}
		return "rooms may import " + strconv.Quote(target) + " only where the house says so"
	}
	if domain, _, _ := strings.Cut(path, "/"); !strings.Contains(domain, ".") {
		return "" // the standard library
	}
	for _, module := range own.third {
		if _, ok := within(path, module); ok {
			return ""
		}
	}
	return "this module has no place in that room"
}

// roomOf is the top-level folder of a file, "" for the root package.
func roomOf(file string) string {
	name, _, ok := strings.Cut(file, "/")
	if !ok {
		return ""
	}
	return name
}

// within cuts a module's path off a package's.
func within(path, module string) (rest string, ok bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// importsByFile reads every Go file of the tree, those of other systems too.
func importsByFile(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == "build" || path == "bin" || path == "third_party" || d.Name() == "testdata" || strings.HasPrefix(path, ".") && path != ".") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		found[path] = []string{}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[path] = append(found[path], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
