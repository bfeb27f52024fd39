package hosts

import (
	"path/filepath"
	"slices"
	"strings"
)

// Generic is the shape of a file that the table does not know. Keys lead to the servers; one key with dots in it is one
// key where the file has it so, and several where not. Without keys, the usual places are looked at.
func Generic(format Format, keys []string) Shape {
	shape := Shape{
		Format: format, Args: "args",
		Command: [][]string{{"command"}, {"transport", "command"}, {"command", "path"}, {"cmd"}},
		URL:     []string{"url", "uri", "httpUrl", "serverUrl"},
		Off:     []string{"disabled", "!enabled"},
	}
	switch {
	case len(keys) == 1 && strings.Contains(keys[0], "."):
		shape.Containers = [][]string{keys, strings.Split(keys[0], ".")}
	case len(keys) > 0:
		shape.Containers = [][]string{keys}
	default:
		shape.Containers = [][]string{{"mcpServers"}, {"mcp_servers"}, {"servers"}, {"mcp", "servers"}, {"context_servers"}, {"extensions"}, {"mcp"}, {}}
		shape.FirstOnly = true
	}
	return shape
}

// ShapeFor is how servers stand in a file of that name: a host can have several kinds of files.
func (h Host) ShapeFor(path string) Shape {
	for _, place := range h.Places {
		_, name := filepath.Split(filepath.FromSlash(place.Path))
		if ok, _ := filepath.Match(name, filepath.Base(path)); ok && place.Shape != nil {
			return *place.Shape
		}
	}
	return h.Shape
}

// readAll reads every container, or the first that has a server with a command or an address.
func (c *Config) readAll() {
	for _, container := range c.shape.Containers {
		before := len(c.servers)
		c.read(c.root, nil, container)
		found := c.servers[before:]
		if c.shape.FirstOnly && slices.ContainsFunc(found, func(s Server) bool { return s.State != Unfit }) {
			c.servers = found
			return
		}
	}
	if c.shape.FirstOnly {
		c.servers = nil
	}
}
