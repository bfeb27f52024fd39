package hosts

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table in docs/hosts.md anew")

const (
	docFile  = "../docs/hosts.md"
	docBegin = "<!-- The table is written by: go test ./hosts -run TestHostsDoc -update -->\n"
	docEnd   = "<!-- end of the table -->\n"
)

// TestHostsDoc: the document has the table that the code has.
func TestHostsDoc(t *testing.T) {
	data, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), docBegin)
	written, after, closed := strings.Cut(rest, docEnd)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", docFile)
	}
	table := docTable()
	if *update {
		if err := os.WriteFile(docFile, []byte(before+docBegin+table+docEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if written != table {
		t.Errorf("%s does not fit the table: go test ./hosts -run TestHostsDoc -update", docFile)
	}
}

func docTable() string {
	var b strings.Builder
	b.WriteString("\n`<support>` is `~/.config` on Linux (`$XDG_CONFIG_HOME` where that is set), `~/Library/Application Support` on macOS, and " +
		"`%APPDATA%` on Windows. A project's file is looked for in the current folder and those above it.\n")
	b.WriteString("\n| Host | Files | Scope | Format |\n|---|---|---|---|\n")
	for _, h := range Table() {
		name := h.Label + "<br>`" + strings.Join(append([]string{h.ID}, h.Aliases...), "`, `") + "`"
		if len(h.Places) == 0 {
			fmt.Fprintf(&b, "| %s | %s | | |\n", name, h.Note)
		}
		for len(h.Places) > 0 {
			first := File{Host: h, Place: h.Places[0]}
			var files []string
			h.Places = slices.DeleteFunc(h.Places, func(p Place) bool {
				same := p.Scope == first.Place.Scope && File{Host: h, Place: p}.Shape().Format == first.Shape().Format
				if same {
					files = append(files, docPlace(p))
				}
				return same
			})
			format := map[Format]string{JSON: "JSON", TOML: "TOML", YAML: "YAML"}[first.Shape().Format]
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, strings.Join(files, "<br>"), first.Place.Scope, format)
			name = ""
		}
	}
	return b.String() + "\n"
}

// docPlace writes a place, with the systems that have it.
func docPlace(p Place) string {
	notes := map[string][]string{"unix": {"Linux", "macOS"}, "linux": {"Linux"}, "darwin": {"macOS"}, "windows": {"Windows"}}[p.OS]
	if p.Note != "" {
		notes = append(notes, p.Note)
	}
	if notes == nil {
		return docPath(p.Path)
	}
	return docPath(p.Path) + " (" + strings.Join(notes, ", ") + ")"
}

// docPath writes a template as people write paths, with what a variable changes.
func docPath(template string) string {
	if !strings.HasPrefix(template, "{") {
		return "`" + template + "`"
	}
	name, rest := braces(template)
	if variable, usual, _ := strings.Cut(name, "|"); usual != "" {
		path := strings.Trim(docPath(usual), "`") + rest
		return "`" + path + "` or `" + variable + rest + "`"
	}
	begin := map[string]string{
		"project": "", "config": "~/.config", "support": "<support>", "appdata": "%APPDATA%", "localappdata": "%LOCALAPPDATA%",
		"programdata": "%ProgramData%", "programfiles": "%ProgramFiles%",
	}
	folder, ok := begin[name]
	switch {
	case !ok: // a variable
		folder = name
	case name == "project":
		rest = strings.TrimPrefix(rest, "/")
	case folder[0] == '%':
		rest = strings.ReplaceAll(rest, "/", `\`)
	}
	return "`" + folder + rest + "`"
}
