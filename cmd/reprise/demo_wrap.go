package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reprise/hosts"
)

// demoConfig is a host's config file, wrapped and given back.
type demoConfig struct {
	before, after string
	command       []string // what the host starts
	short         *strings.Replacer
}

// wrapDemo writes a config as a host has it, wraps its server as `reprise wrap` does, and unwraps it again.
func wrapDemo(db string) (d demoConfig, err error) {
	self, err := os.Executable()
	if err != nil {
		return d, err
	}
	dir, err := os.MkdirTemp("", "reprise-demo-")
	if err != nil {
		return d, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "mcp.json")
	command, err := json.Marshal(self)
	if err != nil {
		return d, err
	}
	d.short = strings.NewReplacer(string(command), `"reprise"`)
	d.before = fmt.Sprintf("{\n  // servers of mine\n  \"mcpServers\": {\n    \"tracker\": {\n      \"command\": %s,\n      \"args\": [\"demo-server\"],\n    },\n  },\n}\n", command)
	if err := os.WriteFile(file, []byte(d.before), 0o600); err != nil {
		return d, err
	}
	store := hosts.Store{Dir: filepath.Join(dir, "kept")}
	plan := hosts.Plan{Wrapper: hosts.Wrapper{Binary: self, Host: demoHost, DB: db}, Runs: runs}
	if d.after, d.command, err = planned(store, plan, file); err != nil {
		return d, err
	}
	back, _, err := planned(store, hosts.Plan{Unwrap: true}, file)
	if err == nil && back != d.before {
		err = errors.New("unwrap did not give the file back")
	}
	return d, err
}

// show writes what the wrap has changed.
func (d demoConfig) show(s *screen) {
	s.prompt("reprise wrap demo --config mcp.json")
	before, after := strings.Split(d.before, "\n"), strings.Split(d.after, "\n")
	s.line("    %s", strings.TrimSpace(before[3]))
	for _, side := range []struct {
		lines []string
		st    style
		sign  string
	}{{before, red, "-"}, {after, green, "+"}} {
		for _, line := range side.lines[4:6] {
			s.paragraph("  "+s.paint(side.st, side.sign)+"   ", 6, visible(d.short.Replace(strings.TrimSpace(line))))
		}
	}
}

// planned does a plan to a file with one server, and gives the text and what the server's entry runs.
func planned(store hosts.Store, plan hosts.Plan, file string) (text string, command []string, err error) {
	_, err = store.Edit(file, func(src []byte, memo *hosts.Memo) ([]byte, error) {
		out, outcomes, err := plan.Do(hosts.Generic(hosts.JSON, []string{"mcpServers"}), src, memo)
		if err == nil && len(outcomes) == 1 {
			command = outcomes[0].Command
		}
		return out, err
	})
	if err != nil {
		return "", nil, err
	}
	data, err := os.ReadFile(file)
	return string(data), command, err
}
