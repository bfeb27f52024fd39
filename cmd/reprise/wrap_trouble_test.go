package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"reprise/hosts"
)

const wrapConfig = `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "a-server"]}}}` + "\n"

// homeWith makes a home folder with config files, and gives their paths.
func homeWith(t *testing.T, names ...string) (home string, files []string) {
	t.Helper()
	home = t.TempDir()
	for _, name := range names {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(wrapConfig), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return home, files
}

// TestAllHostsAreDoneThoughNobodyReads is `reprise unwrap --all-hosts | head -1`, before the program is removed.
func TestAllHostsAreDoneThoughNobodyReads(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a home folder is found in another way there")
	}
	home, files := homeWith(t, ".cursor/mcp.json", ".kiro/settings/mcp.json", ".lmstudio/mcp.json")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	cmd := self(t, t.Context(), filepath.Join(home, "x.db"), "wrap", "--all-hosts")
	cmd.Dir = home
	cmd.Env = append(cmd.Env, "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CONFIG_HOME=")
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = writer, &complaint
	if strings.Contains(cmd.Path, "go-build") { // wrap refuses to be what is not there to stay
		cmd.Args = []string{"reprise", "unwrap", "--all-hosts"}
		for _, file := range files {
			text := strings.Replace(wrapConfig, `"npx", "args": [`, `"/bin/reprise", "args": ["record", "--host", "h", "--name", "a", "--", "npx", `, 1)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = cmd.Run()
	for _, file := range files {
		data, readErr := os.ReadFile(file)
		done := readErr == nil && strings.Contains(string(data), "record") == (cmd.Args[1] == "wrap")
		if !done && err == nil {
			t.Errorf("%s is as it was, and the exit code 0 (stderr %q)", filepath.Base(filepath.Dir(file)), complaint.String())
		}
	}
}

// TestKeptIsToldBesideAnError has a killed run's leftover, and a file that cannot be edited now.
func TestKeptIsToldBesideAnError(t *testing.T) {
	home, files := homeWith(t, "mcp.json")
	store := hosts.Store{Dir: filepath.Join(home, "state", "reprise", "hosts")}
	if _, err := store.Edit(files[0], func(src []byte, _ *hosts.Memo) ([]byte, error) { return src, nil }); err != nil {
		t.Fatal(err)
	}
	locks, _ := filepath.Glob(filepath.Join(store.Dir, "locks", "*"))
	word, err := os.ReadFile(locks[0])
	if err != nil {
		t.Fatal(err)
	}
	file, _ := filepath.EvalSymlinks(files[0])
	for name, text := range map[string]string{".mcp.json.reprise-" + string(word): `{"theirs": 1}`, "mcp.json": `{"mcpServers": broken`} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := self(t, t.Context(), filepath.Join(home, "x.db"), "unwrap", "my-agent", "--config", files[0])
	cmd.Env = append(cmd.Env, "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"))
	out, _ := cmd.CombinedOutput()
	kept, _ := filepath.Glob(filepath.Join(store.Dir, "backups", "*", "kept-*"))
	if len(kept) == 1 && !strings.Contains(string(out), "kept-") {
		t.Errorf("another version of the file was moved away, and all that is said is %s", out)
	}
}
