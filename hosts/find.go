package hosts

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Machine is where config files are looked for. All its fields but Root are needed.
type Machine struct {
	OS     string // a GOOS
	Home   string
	Dir    string // the current folder
	Getenv func(string) string
	Root   string // what stands for /, in tests
}

// File is a config file that is there.
type File struct {
	Host     Host
	Place    Place
	Path     string // links not followed
	Shadowed string // the file that the host reads instead of this one, or ""
	Git      string // of a project's file: the work tree that it lies in, or ""
}

// Shape is how this file is written.
func (f File) Shape() Shape {
	if f.Place.Shape != nil {
		return *f.Place.Shape
	}
	return f.Host.Shape
}

// Files lists a host's files that are there, in the order of the table. A file that two names lead to is listed once,
// so that a user's own file is not a project's as well when the current folder is the home folder.
func (m Machine) Files(h Host) []File {
	var files []File
	var seen []os.FileInfo
	read := map[string]string{}
	for _, place := range h.Places {
		for _, name := range m.paths(place) {
			info, err := os.Stat(name)
			if err != nil || slices.ContainsFunc(seen, func(s os.FileInfo) bool { return os.SameFile(s, info) }) {
				continue
			}
			seen = append(seen, info)
			f := File{Host: h, Place: place, Path: name, Shadowed: read[place.Instead]}
			if place.Instead != "" && f.Shadowed == "" {
				read[place.Instead] = name
			}
			if place.Scope == Project {
				f.Git = workTree(filepath.Dir(name))
			}
			files = append(files, f)
		}
	}
	return files
}

// Usual is where the host's user has the servers, whether or not the file is there; "" when it has no file.
func (m Machine) Usual(h Host) string {
	for _, place := range h.Places {
		if place.Scope != User || !m.has(place.OS) || strings.Contains(place.Path, "*") {
			continue
		}
		if folder, rest, ok := m.resolve(place.Path); ok {
			return filepath.Join(folder, rest)
		}
	}
	return ""
}

// Tilde is a path for people to read: ~/.cursor/mcp.json.
func (m Machine) Tilde(path string) string {
	rel, err := filepath.Rel(m.Home, path)
	if m.Home == "" || err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.Join("~", rel)
}

func (m Machine) has(os string) bool {
	return os == "" || os == m.OS || os == "unix" && m.OS != "windows"
}

// paths gives the files of one place.
func (m Machine) paths(p Place) []string {
	if !m.has(p.OS) {
		return nil
	}
	if inside, ok := strings.CutPrefix(p.Path, "{project}/"); ok {
		for _, dir := range m.above() {
			if found := match(dir, inside); len(found) > 0 {
				return found
			}
		}
		return nil
	}
	folder, rest, ok := m.resolve(p.Path)
	if !ok {
		return nil
	}
	return match(folder, rest)
}

// above lists the current folder and those above it, up to the work tree's or to the home folder.
func (m Machine) above() []string {
	if m.Dir == "" {
		return nil
	}
	var all []string
	for dir := filepath.Clean(m.Dir); ; dir = filepath.Dir(dir) {
		all = append(all, dir)
		if sameFile(dir, m.Home) || hasGit(dir) || dir == filepath.Dir(dir) {
			return all
		}
	}
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// workTree is the nearest folder with .git in it, from this one upwards, or "".
func workTree(dir string) string {
	for ; !hasGit(dir); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return dir
}

// hasGit finds a repository, or the file that stands for one in a linked work tree.
func hasGit(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil
}

// match lists the files below a folder that a pattern fits. It goes step by step, because
// only the pattern's own `*` is one: folders may have that in their names, or brackets.
func match(folder, pattern string) []string {
	found := []string{folder}
	for step := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		found = matchStep(found, step)
	}
	return slices.DeleteFunc(found, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	})
}

func matchStep(folders []string, step string) []string {
	var found []string
	for _, folder := range folders {
		if !strings.Contains(step, "*") {
			found = append(found, filepath.Join(folder, step))
			continue
		}
		entries, _ := os.ReadDir(folder) // what cannot be read has nothing to offer
		for _, entry := range entries {
			if ok, _ := path.Match(step, entry.Name()); ok {
				found = append(found, filepath.Join(folder, entry.Name()))
			}
		}
	}
	return found
}

// resolve gives the folder that a template begins with, and the rest of the template.
func (m Machine) resolve(template string) (folder, rest string, ok bool) {
	switch template[0] {
	case '~':
		return m.Home, template[1:], m.Home != ""
	case '/':
		return cmp.Or(m.Root, "/"), template, true
	case '{':
		name, rest := braces(template)
		folder, ok := m.named(name)
		return folder, rest, ok
	}
	return filepath.FromSlash(template), "", true // C:/ProgramData
}

// braces cuts what stands in the braces that a template begins with.
func braces(template string) (name, rest string) {
	depth := 0
	for i, r := range template {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return template[1:i], template[i+1:]
		}
	}
	return "", ""
}

// named gives the folder of a name in braces.
func (m Machine) named(name string) (string, bool) {
	switch name {
	case "config":
		return m.variable("XDG_CONFIG_HOME", "~/.config")
	case "appdata":
		return m.variable("APPDATA", "~/AppData/Roaming")
	case "localappdata":
		return m.variable("LOCALAPPDATA", "~/AppData/Local")
	case "programdata":
		return m.variable("ProgramData", "C:/ProgramData")
	case "programfiles":
		return m.variable("ProgramFiles", "C:/Program Files")
	case "support":
		return m.support()
	}
	if name, usual, _ := strings.Cut(name, "|"); strings.HasPrefix(name, "$") {
		return m.variable(name[1:], usual)
	}
	return "", false
}

func (m Machine) support() (string, bool) {
	switch m.OS {
	case "windows":
		return m.named("appdata")
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support"), m.Home != ""
	}
	return m.named("config")
}

// variable gives a variable's value, or what is usual. A path that is not absolute counts as none, as with XDG's:
// it would be another one in the folder where the host is started.
func (m Machine) variable(name, usual string) (string, bool) {
	if v := m.Getenv(name); m.absolute(v) {
		return filepath.Clean(v), true
	}
	if usual == "" {
		return "", false
	}
	folder, rest, ok := m.resolve(usual)
	return filepath.Join(folder, rest), ok
}

// absolute knows paths of Windows on every system, for a machine that is not this one.
func (m Machine) absolute(path string) bool {
	drive := len(path) > 2 && path[1] == ':' && strings.ContainsRune(`\/`, rune(path[2]))
	return filepath.IsAbs(path) || m.OS == "windows" && runtime.GOOS != "windows" && drive
}

// Find gives the host of that name.
func Find(name string) (Host, bool) {
	id := spelling(name)
	for _, h := range Table() {
		if h.ID == id || slices.Contains(h.Aliases, id) {
			return h, true
		}
	}
	return Host{}, false
}

// Suggest lists the hosts that a word may have meant: "claude" is claude-desktop or claude-code.
func Suggest(name string) []string {
	id := spelling(name)
	var ids []string
	for _, h := range Table() {
		if id != "" && (strings.Contains(h.ID, id) || strings.Contains(id, h.ID)) {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// spelling makes a label an ID: "Claude Desktop".
func spelling(name string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
}
