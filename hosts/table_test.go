package hosts

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTableIsSound: every row can be found, shown, and used.
func TestTableIsSound(t *testing.T) {
	names := map[string]string{}
	for _, h := range Table() {
		for _, name := range append([]string{h.ID}, h.Aliases...) {
			if other, ok := names[name]; ok {
				t.Errorf("%s is the name of %s and of %s", name, other, h.ID)
			}
			names[name] = h.ID
			if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) {
				t.Errorf("%s has a name that nobody types: %q", h.ID, name)
			}
			if found, ok := Find(name); !ok || found.ID != h.ID {
				t.Errorf("%q finds %q", name, found.ID)
			}
		}
		if len(h.Places) == 0 && h.Note == "" {
			t.Errorf("%s has no file and does not say why", h.ID)
		}
		for what, s := range map[string]string{"Advice": h.Advice, "Approval": h.Approval, "Trust": h.Trust, "Note": h.Note} {
			if s != "" && !strings.HasSuffix(s, ".") || s != strings.TrimSpace(s) || what == "Advice" && s == "" {
				t.Errorf("%s: %s is no sentence: %q", h.ID, what, s)
			}
		}
		checkPlaces(t, h)
		checkShape(t, h.ID, h.Shape)
	}
}

func checkPlaces(t *testing.T, h Host) {
	t.Helper()
	seen := map[string]bool{}
	project := false
	for _, p := range h.Places {
		id := h.ID + ": " + p.OS + " " + p.Path
		if seen[p.OS+p.Path] {
			t.Errorf("%s stands there twice", id)
		}
		seen[p.OS+p.Path] = true
		project = project || p.Scope == Project
		if p.Scope == User && project {
			t.Errorf("%s stands behind a project's place, which would take it for its own", id)
		}
		if (p.Scope == Project) != strings.HasPrefix(p.Path, "{project}/") {
			t.Errorf("%s is of scope %s", id, p.Scope)
		}
		if !slices.Contains([]string{"", "unix", "linux", "darwin", "windows"}, p.OS) || !slices.Contains([]Scope{User, Project, System}, p.Scope) {
			t.Errorf("%s has system %q, scope %q", id, p.OS, p.Scope)
		}
		checkTemplate(t, id, p)
		shape := File{Host: h, Place: p}.Shape()
		checkShape(t, id, shape)
		if format, err := FormatOf(p.Path); !strings.HasSuffix(p.Path, "}") && (err != nil || format != shape.Format) {
			t.Errorf("%s is read as %s", id, shape.Format)
		}
	}
}

// checkTemplate resolves a template on all its systems, with every variable set and with none.
func checkTemplate(t *testing.T, id string, p Place) {
	t.Helper()
	if strings.ContainsAny(p.Path, `[]?\`) || strings.Contains(p.Path, "//") {
		t.Errorf("%s has signs that are not meant for patterns", id)
	}
	if p.Scope == Project {
		return
	}
	for _, os := range []string{"linux", "darwin", "windows"} {
		for _, value := range []string{"", t.TempDir()} {
			m := Machine{OS: os, Home: "/home/ann", Getenv: func(string) string { return value }}
			folder, rest, ok := m.resolve(p.Path)
			// A place that is a variable's and has none otherwise is the only one that may be missing.
			if want := value != "" || !strings.HasPrefix(p.Path, "{$") || strings.Contains(p.Path, "|"); ok != want {
				t.Errorf("%s on %s with variables %q: found is %v", id, os, value, ok)
			}
			if strings.ContainsAny(folder+rest, "{}$|~") {
				t.Errorf("%s on %s stays %s %s", id, os, folder, rest)
			}
		}
	}
}

func checkShape(t *testing.T, id string, s Shape) {
	t.Helper()
	if !slices.Contains([]Format{JSON, TOML, YAML}, s.Format) || len(s.Containers) == 0 || len(s.Command) == 0 || s.Args == "" || len(s.URL) == 0 {
		t.Errorf("%s: its shape lacks something: %+v", id, s)
	}
	for _, d := range s.Doubts {
		if len(d.Keys) == 0 || d.Why == "" {
			t.Errorf("%s: an empty doubt", id)
		}
	}
}

// TestTableIsItsCallersOwn: what one caller does to it no other sees.
func TestTableIsItsCallersOwn(t *testing.T) {
	for _, h := range Table() {
		h.Shape.Containers[0][0] = "x"
		for i := range h.Places {
			h.Places[i].Path = "x"
			if s := h.Places[i].Shape; s != nil {
				s.Containers[0][0] = "x"
			}
		}
	}
	for _, h := range Table() {
		if h.Shape.Containers[0][0] == "x" || len(h.Places) > 0 && h.Places[0].Path == "x" {
			t.Errorf("%s has changed", h.ID)
		}
	}
}

// TestShapesReadTheirHosts: one entry of each kind of notation is found, with its command and arguments.
func TestShapesReadTheirHosts(t *testing.T) {
	for _, c := range []struct{ id, file, text string }{
		{"claude-code", "", `{"mcpServers":{"a":{"command":"npx","args":["x"]}},"projects":{"/b c":{"mcpServers":{"a":{"command":"npx","args":["x"]}}}}}`},
		{"vscode", "mcp.json", `{"servers":{"a":{"type":"stdio","command":"npx","args":["x"]}}}`},
		{"vscode", "settings.json", `{"mcp":{"servers":{"a":{"command":"npx","args":["x"]}}}}`},
		{"zed", "", `{"context_servers":{"a":{"command":"npx","args":["x"]}, "b":{"command":{"path":"npx","args":["x"]}}}}`},
		{"cline", "", `{"mcpServers":{"a":{"transport":{"type":"stdio","command":"npx","args":["x"]}}}}`},
		{"opencode", "", `{"mcp":{"a":{"type":"local","command":["npx","x"]}}}`},
		{"amp", "", `{"amp.mcpServers":{"a":{"command":"npx","args":["x"]}}}`},
		{"continue", "config.json", `{"mcpServers":{"a":{"command":"npx","args":["x"]}}}`},
	} {
		h, _ := Find(c.id)
		shape := h.Shape
		if c.file != "" {
			at := slices.IndexFunc(h.Places, func(p Place) bool { return strings.HasSuffix(p.Path, "/"+c.file) })
			shape = File{Host: h, Place: h.Places[at]}.Shape()
		}
		config, err := Parse(shape, []byte(c.text))
		if err != nil || len(config.Servers()) == 0 {
			t.Errorf("%s %s: no servers, %v", c.id, c.file, err)
			continue
		}
		for _, s := range config.Servers() {
			if s.State != Plain || !slices.Equal(s.Command, []string{"npx", "x"}) {
				t.Errorf("%s %s: %s is %s, runs %q", c.id, c.file, s.Name, s.State, s.Command)
			}
		}
	}
}

func TestDoubtsOfVSCode(t *testing.T) {
	h, _ := Find("vscode")
	config, err := Parse(h.Shape, []byte(`{"servers":{
		"free": {"command":"a","dev":{"watch":"*"},"sandboxEnabled":false},
		"debugged": {"command":"a","dev":{"debug":{"type":"node"}}},
		"caged": {"command":"a","sandboxEnabled":true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Servers() {
		if (s.Doubt != "") != (s.Name != "free") {
			t.Errorf("%s: doubt %q", s.Name, s.Doubt)
		}
	}
}

func TestFindAndSuggest(t *testing.T) {
	for typed, want := range map[string]string{
		"gemini": "gemini-cli", "Claude Desktop": "claude-desktop", "AMAZONQ": "amazon-q", "kimi_cli": "kimi",
		"claude": "", "": "", "nothing": "",
	} {
		if h, ok := Find(typed); h.ID != want || ok != (want != "") {
			t.Errorf("%q finds %q", typed, h.ID)
		}
	}
	if got := Suggest("claude"); !slices.Equal(got, []string{"claude-desktop", "claude-code"}) {
		t.Errorf("claude suggests %q", got)
	}
	if got := Suggest(""); got != nil {
		t.Errorf("nothing suggests %q", got)
	}
}
