package hosts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUsualFile is the table of the main hosts' files. Folders are those of a system without variables.
func TestUsualFile(t *testing.T) {
	for _, c := range []struct{ id, linux, darwin, windows string }{
		{"claude-desktop", "~/.config/Claude/claude_desktop_config.json", "~/Library/Application Support/Claude/claude_desktop_config.json", "~/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"vscode", "~/.config/Code/User/mcp.json", "~/Library/Application Support/Code/User/mcp.json", "~/AppData/Roaming/Code/User/mcp.json"},
		{"vscode-insiders", "~/.config/Code - Insiders/User/mcp.json", "~/Library/Application Support/Code - Insiders/User/mcp.json", "~/AppData/Roaming/Code - Insiders/User/mcp.json"},
		{"zed", "~/.config/zed/settings.json", "~/.config/zed/settings.json", "~/AppData/Roaming/Zed/settings.json"},
		{"goose", "~/.config/goose/config.yaml", "~/.config/goose/config.yaml", "~/AppData/Roaming/Block/goose/config/config.yaml"},
		{"amp", "~/.config/amp/settings.json", "~/.config/amp/settings.json", "~/AppData/Roaming/amp/settings.json"},
		{"windsurf", "~/.codeium/windsurf/mcp_config.json", "", ""},
		{"claude-code", "~/.claude.json", "", ""},
		{"cursor", "~/.cursor/mcp.json", "", ""},
		{"cline", "~/.cline/data/settings/cline_mcp_settings.json", "", ""},
		{"continue", "~/.continue/config.yaml", "", ""},
		{"gemini-cli", "~/.gemini/settings.json", "", ""},
		{"codex", "~/.codex/config.toml", "", ""},
		{"opencode", "~/.config/opencode/opencode.jsonc", "", ""},
		{"lm-studio", "~/.lmstudio/mcp.json", "", ""},
		{"junie", "~/.junie/mcp/mcp.json", "", ""},
		{"amazon-q", "~/.aws/amazonq/mcp.json", "", ""},
		{"kiro", "~/.kiro/settings/mcp.json", "", ""},
		{"copilot-cli", "~/.copilot/mcp-config.json", "", ""},
		{"warp", "~/.warp/.mcp.json", "", ""},
		{"factory", "~/.factory/mcp.json", "", ""},
		{"kimi", "~/.kimi-code/mcp.json", "", ""},
		{"mistral-vibe", "~/.vibe/config.toml", "", ""},
	} {
		h, _ := Find(c.id)
		for os, want := range map[string]string{"linux": c.linux, "darwin": c.darwin, "windows": c.windows} {
			if want == "" { // the same everywhere
				want = c.linux
			}
			m := Machine{OS: os, Home: filepath.FromSlash("/home/ann"), Getenv: noVariables}
			if got := filepath.ToSlash(m.Tilde(m.Usual(h))); got != want {
				t.Errorf("%s on %s: %s, want %s", c.id, os, got, want)
			}
		}
	}
	if got := (Machine{OS: "linux", Home: "/home/ann", Getenv: noVariables}).Usual(Host{}); got != "" {
		t.Errorf("a host without files has its servers in %s", got)
	}
}

func noVariables(string) string { return "" }

// machine has an empty home, with signs in its name that patterns are made of, and an empty root.
func machine(t *testing.T, system string, variables map[string]string) Machine {
	t.Helper()
	base := t.TempDir()
	m := Machine{OS: system, Home: filepath.Join(base, "home", "a[b] {c}"), Root: filepath.Join(base, "root"), Getenv: func(name string) string { return variables[name] }}
	if err := os.MkdirAll(m.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

// put writes files below a folder; a name that ends in a slash is a folder.
func put(t *testing.T, below string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(below, filepath.FromSlash(name))
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if dir == path {
			continue
		}
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// listed gives a host's files, relative to a folder.
func listed(t *testing.T, m Machine, id, below string) []string {
	t.Helper()
	h, ok := Find(id)
	if !ok {
		t.Fatalf("no host %s", id)
	}
	names := []string{}
	for _, f := range m.Files(h) {
		rel, err := filepath.Rel(below, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(rel))
	}
	return names
}

func TestFilesInAHome(t *testing.T) {
	for _, c := range []struct {
		id, system string
		files      []string // there, and listed in this order
		others     []string // there, and not listed
	}{
		{id: "cursor", system: "linux"},
		{"cursor", "linux", []string{".cursor/mcp.json"}, []string{".cursor/other.json"}},
		{"cursor", "linux", nil, []string{".cursor/mcp.json/"}}, // a folder
		{"claude-desktop", "linux", []string{".config/Claude/claude_desktop_config.json"}, []string{"AppData/Roaming/Claude/claude_desktop_config.json"}},
		{"claude-desktop", "darwin", []string{"Library/Application Support/Claude/claude_desktop_config.json"}, []string{".config/Claude/claude_desktop_config.json"}},
		{"vscode", "darwin", []string{
			"Library/Application Support/Code/User/mcp.json",
			"Library/Application Support/Code/User/profiles/-1a/mcp.json",
			"Library/Application Support/Code/User/profiles/[x]/mcp.json",
			".vscode-server/data/User/mcp.json",
			"Library/Application Support/Code/User/settings.json",
		}, []string{"Library/Application Support/Code/User/profiles/mcp.json", "Library/Application Support/Code - Insiders/User/mcp.json"}},
		{"cline", "windows", []string{
			".cline/data/settings/cline_mcp_settings.json",
			"AppData/Roaming/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
			"AppData/Roaming/Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
			"AppData/Roaming/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
		}, nil},
		{"opencode", "linux", []string{".config/opencode/opencode.jsonc", ".config/opencode/opencode.json"}, nil},
		{"opencode", "windows", []string{".config/opencode/opencode.json", "AppData/Roaming/opencode/opencode.json", "AppData/Local/opencode/opencode.json"}, nil},
		{"amazon-q", "linux", []string{".aws/amazonq/mcp.json", ".aws/amazonq/cli-agents/a.json", ".aws/amazonq/cli-agents/b.json"}, []string{".aws/amazonq/cli-agents/c.txt"}},
		{"continue", "linux", []string{".continue/config.yaml", ".continue/mcpServers/a.yaml", ".continue/mcpServers/b.json"}, nil},
		{"qoder", "linux", []string{".config/QoderCN/0af/SharedClientCache/mcp.json", ".qoder/settings.json"}, nil},
		{id: "jetbrains", system: "darwin"},
	} {
		m := machine(t, c.system, nil)
		put(t, m.Home, append(slices.Clone(c.files), c.others...)...)
		got := listed(t, m, c.id, m.Home)
		want := slices.Clone(c.files)
		if c.id == "vscode" || c.id == "cline" { // names of one pattern come in the folder's order
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%s on %s:\n got %q\nwant %q", c.id, c.system, got, want)
		}
	}
}

// TestClaudeOnWindows: the installer's own folder wins, and both files are shown.
func TestClaudeOnWindows(t *testing.T) {
	const (
		msix  = "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json"
		plain = "AppData/Roaming/Claude/claude_desktop_config.json"
	)
	h, _ := Find("claude-desktop")
	m := machine(t, "windows", nil)
	put(t, m.Home, plain)
	if files := m.Files(h); len(files) != 1 || files[0].Shadowed != "" {
		t.Errorf("the plain file alone: %+v", files)
	}
	put(t, m.Home, msix)
	files := m.Files(h)
	if got := listed(t, m, h.ID, m.Home); !slices.Equal(got, []string{msix, plain}) {
		t.Fatalf("both: %q", got)
	}
	if files[0].Shadowed != "" || files[1].Shadowed != files[0].Path {
		t.Errorf("shadowed: %q and %q", files[0].Shadowed, files[1].Shadowed)
	}
}

// TestVariables: a variable leads elsewhere, an empty or relative one does not.
func TestVariables(t *testing.T) {
	for _, c := range []struct{ id, system, variable, inside, usual string }{
		{"codex", "linux", "CODEX_HOME", "config.toml", ".codex/config.toml"},
		{"claude-code", "linux", "CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json"},
		{"copilot-cli", "darwin", "COPILOT_HOME", "mcp-config.json", ".copilot/mcp-config.json"},
		{"gemini-cli", "linux", "GEMINI_CLI_HOME", ".gemini/settings.json", ".gemini/settings.json"},
		{"kimi", "linux", "KIMI_SHARE_DIR", "mcp.json", ".kimi/mcp.json"},
		{"mistral-vibe", "linux", "VIBE_HOME", "config.toml", ".vibe/config.toml"},
		{"zed", "linux", "XDG_CONFIG_HOME", "zed/settings.json", ".config/zed/settings.json"},
		{"claude-desktop", "windows", "APPDATA", "Claude/claude_desktop_config.json", "AppData/Roaming/Claude/claude_desktop_config.json"},
	} {
		elsewhere := t.TempDir()
		for value, want := range map[string]string{elsewhere: elsewhere, "": "", "relative/folder": ""} {
			m := machine(t, c.system, map[string]string{c.variable: value})
			put(t, m.Home, c.usual)
			put(t, elsewhere, c.inside)
			if want = filepath.Join(want, filepath.FromSlash(c.inside)); value != elsewhere {
				want = filepath.Join(m.Home, filepath.FromSlash(c.usual))
			}
			h, _ := Find(c.id)
			if files := m.Files(h); len(files) != 1 || files[0].Path != want {
				t.Errorf("%s with %s=%q: %+v, want %s", c.id, c.variable, value, files, want)
			}
		}
	}
}

// TestFilesThatVariablesName: they come on top of the usual ones.
func TestFilesThatVariablesName(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "mine.json", "folder/opencode.jsonc", "system.json")
	m := machine(t, "linux", map[string]string{
		"OPENCODE_CONFIG": filepath.Join(dir, "mine.json"), "OPENCODE_CONFIG_DIR": filepath.Join(dir, "folder"),
		"GEMINI_CLI_SYSTEM_SETTINGS_PATH": filepath.Join(dir, "system.json"),
	})
	if got := listed(t, m, "opencode", dir); !slices.Equal(got, []string{"mine.json", "folder/opencode.jsonc"}) {
		t.Errorf("opencode: %q", got)
	}
	if got := listed(t, m, "gemini-cli", dir); !slices.Equal(got, []string{"system.json"}) {
		t.Errorf("gemini-cli: %q", got)
	}
}

func TestSystemFiles(t *testing.T) {
	m := machine(t, "linux", nil)
	put(t, m.Root, "etc/codex/config.toml", "etc/gemini-cli/settings.json")
	for id, want := range map[string]string{"codex": "etc/codex/config.toml", "gemini-cli": "etc/gemini-cli/settings.json"} {
		h, _ := Find(id)
		if files := m.Files(h); len(files) != 1 || files[0].Place.Scope != System || files[0].Path != filepath.Join(m.Root, want) {
			t.Errorf("%s: %+v", id, files)
		}
	}
	windows := machine(t, "windows", map[string]string{"ProgramData": m.Root})
	put(t, m.Root, "OpenAI/Codex/config.toml")
	if got := listed(t, windows, "codex", m.Root); !slices.Equal(got, []string{"OpenAI/Codex/config.toml"}) {
		t.Errorf("codex on windows: %q", got)
	}
}

func TestProjectFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string // below the home folder
		dir   string
		want  []string
		git   string // below the home folder, of the first
	}{
		{"in the folder", []string{"p/.cursor/mcp.json"}, "p", []string{"p/.cursor/mcp.json"}, ""},
		{"above it", []string{"p/.cursor/mcp.json"}, "p/a/b", []string{"p/.cursor/mcp.json"}, ""},
		{"the nearest", []string{"p/.cursor/mcp.json", "p/a/.cursor/mcp.json"}, "p/a/b", []string{"p/a/.cursor/mcp.json"}, ""},
		{"not beyond the work tree", []string{".git/", "p/.cursor/mcp.json", "p/a/.git/"}, "p/a/b", []string{}, ""},
		{"in the work tree's root", []string{"p/.git/", "p/.cursor/mcp.json"}, "p/a", []string{"p/.cursor/mcp.json"}, "p"},
		{"in a linked work tree", []string{"p/.git", "p/a/.cursor/mcp.json"}, "p/a", []string{"p/a/.cursor/mcp.json"}, "p"},
		{"not below", []string{"p/a/.cursor/mcp.json"}, "p", []string{}, ""},
		{"the user's own is no project's", []string{".cursor/mcp.json"}, "p", []string{".cursor/mcp.json"}, ""},
		{"nor in the home folder", []string{".cursor/mcp.json"}, ".", []string{".cursor/mcp.json"}, ""},
		{"not beyond the home folder", []string{"../.cursor/mcp.json"}, "p", []string{}, ""},
		{"both", []string{".cursor/mcp.json", "p/.cursor/mcp.json"}, "p", []string{".cursor/mcp.json", "p/.cursor/mcp.json"}, ""},
	} {
		m := machine(t, "linux", nil)
		m.Dir = filepath.Join(m.Home, filepath.FromSlash(c.dir))
		put(t, m.Home, append([]string{c.dir + "/"}, c.files...)...)
		if got := listed(t, m, "cursor", m.Home); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
			continue
		}
		h, _ := Find("cursor")
		for _, f := range m.Files(h)[min(1, len(c.want)):] {
			if f.Place.Scope != Project || f.Git != "" {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		if len(c.want) == 1 && c.git != "" {
			if f := m.Files(h)[0]; f.Place.Scope != Project || f.Git != filepath.Join(m.Home, c.git) {
				t.Errorf("%s: scope %s, git %q", c.name, f.Place.Scope, f.Git)
			}
		}
	}
}

// TestOneFileOfTwoNames: a link to a file that is listed is not listed again.
func TestOneFileOfTwoNames(t *testing.T) {
	m := machine(t, "linux", nil)
	m.Dir = filepath.Join(m.Home, "p")
	put(t, m.Home, ".cursor/mcp.json", "p/.cursor/")
	if err := os.Symlink(filepath.Join(m.Home, ".cursor", "mcp.json"), filepath.Join(m.Dir, ".cursor", "mcp.json")); err != nil {
		t.Skip(err)
	}
	if got := listed(t, m, "cursor", m.Home); !slices.Equal(got, []string{".cursor/mcp.json"}) {
		t.Errorf("%q", got)
	}
	if err := os.Remove(filepath.Join(m.Home, ".cursor", "mcp.json")); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, m, "cursor", m.Home); len(got) != 0 {
		t.Errorf("a link that leads nowhere: %q", got)
	}
}

func TestTilde(t *testing.T) {
	home := filepath.FromSlash("/home/ann")
	for path, want := range map[string]string{
		"/home/ann/.cursor/mcp.json": "~/.cursor/mcp.json", "/home/ann": "~", "/home/anna/x": "/home/anna/x", "/etc/x": "/etc/x", "/home/ann/..x": "~/..x",
	} {
		if got := (Machine{Home: home}).Tilde(filepath.FromSlash(path)); filepath.ToSlash(got) != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := (Machine{}).Tilde("/x"); got != "/x" {
		t.Errorf("without a home: %s", got)
	}
}
