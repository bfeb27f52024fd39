package hosts

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// State is how one server of a config file stands to us.
type State string

const (
	Plain   State = "not wrapped"
	Wrapped State = "wrapped"
	Foreign State = "foreign-wrapped" // another recorder or gateway stands in front of it
	Remote  State = "remote"          // it has an address and no command
	Unfit   State = "not wrappable"   // Why says why
)

// Server is one entry of a config file.
type Server struct {
	Name      string
	Container []string // the keys down to where it stands
	State     State
	Why       string   // of an unfit one: what is in the way; of a foreign one: what stands there
	Doubt     string   // why it is left alone unless it is asked for by name: it is switched off, it is debugged
	Command   []string // what starts the server itself, without us
	Runs      []string // what its entry runs: with us, where it is wrapped
	Binary    string   // of a wrapped one: the reprise that it runs

	index   int // in a container that is a list, else -1
	entry   *node
	command *member // the command's, or nil
	within  []string
	args    *node // nil when it has none
	flags   int   // of a wrapped one: how many words stand in front of the server's command
}

// inList says whether the command and its arguments are one list.
func (s Server) inList() bool { return s.command.value.kind == list }

// ours is the list that our words stand in, or nil.
func (s Server) ours() *node {
	if s.inList() {
		return s.command.value
	}
	return s.args
}

// Servers lists what stands in the file, in its order.
func (c *Config) Servers() []Server { return slices.Clone(c.servers) }

// read finds the servers below one container. "*" in its path stands for every key.
func (c *Config) read(n *node, done, left []string) {
	switch {
	case n == nil:
	case len(left) > 0 && left[0] == "*":
		for i := range n.members {
			if m := &n.members[i]; n.find(m.key) == m {
				c.read(m.value, append(slices.Clip(done), m.key), left[1:])
			}
		}
	case len(left) > 0:
		c.read(n.get(left[0]), append(slices.Clip(done), left[0]), left[1:])
	case n.kind == mapping:
		for i := range n.members {
			if m := &n.members[i]; n.find(m.key) == m {
				c.add(Server{Name: m.key, Container: done, index: -1, entry: m.value})
			}
		}
	case n.kind == list:
		for i, item := range n.items {
			if name := item.value.get("name"); name != nil && name.kind == text {
				c.add(Server{Name: name.text, Container: done, index: i, entry: item.value})
			}
		}
	}
}

func (c *Config) add(s Server) {
	s.State, s.Why = c.state(&s)
	if s.State != Remote {
		s.Doubt = c.doubt(s.entry)
	}
	c.servers = append(c.servers, s)
}

// state finds where the command stands and what it is.
func (c *Config) state(s *Server) (State, string) {
	if s.entry.kind != mapping {
		return Unfit, "it is not a table of settings"
	}
	for _, keys := range c.shape.Command {
		last := len(keys) - 1
		holder := s.entry.get(keys[:last]...)
		if m := holder.find(keys[last]); m != nil && (m.value.kind == text || m.value.kind == list) {
			s.command, s.args, s.within = m, holder.get(c.shape.Args), keys
			return c.commandState(s)
		}
	}
	for _, key := range c.shape.URL {
		if s.entry.get(key) != nil {
			return Remote, ""
		}
	}
	return Unfit, "it has no command"
}

func (c *Config) commandState(s *Server) (State, string) {
	words := c.words(s)
	switch {
	case len(words) == 0 || words[0] == "" || s.inList() && len(s.command.value.items) == 0:
		return Unfit, "its command is empty"
	case s.inList() && s.command.value.items[0].value.kind != text:
		return Unfit, "its command is not a text"
	case s.args != nil && s.args.kind != list:
		return Unfit, "its " + c.shape.Args + " are not a list"
	}
	for _, n := range []*node{s.entry, s.command.value, s.args} {
		if n != nil && n.locked != "" {
			return Unfit, n.locked
		}
	}
	s.Command, s.Runs = words, words
	if at, ok := original(words); ok && isPath(words[0]) {
		if at >= len(words) {
			return Unfit, "it runs `reprise record` already, with no command"
		}
		s.Binary, s.flags, s.Command = words[0], at, words[at:]
		return Wrapped, ""
	}
	if holdsReprise(words) {
		return Unfit, "`reprise record` is in it already, and not in front"
	}
	if why := hazard(s.Name); why != "" { // hosts look for variables in arguments
		return Unfit, "its name has " + why
	}
	if name := foreignName(words); name != "" {
		return Foreign, name
	}
	return Plain, ""
}

// hazard says what in a text hosts would not hand on as it is.
func hazard(s string) string {
	for _, r := range s {
		switch {
		case strings.ContainsRune("${}%", r):
			return fmt.Sprintf("%q in it, which hosts take for a variable", r)
		case r < ' ' || r == 0x7f:
			return "a control character in it"
		}
	}
	return ""
}

// words are the command and its arguments. What is not a text stands as it is spelt.
func (c *Config) words(s *Server) []string {
	var words []string
	if s.command.value.kind == text {
		words = append(words, s.command.value.text)
	} else {
		words = c.items(s.command.value)
	}
	if s.args != nil && s.args.kind == list {
		words = append(words, c.items(s.args)...)
	}
	return words
}

func (c *Config) items(n *node) []string {
	words := make([]string, len(n.items))
	for i, item := range n.items {
		if words[i] = item.value.text; item.value.kind != text {
			words[i] = c.spelt(item.value)
		}
	}
	return words
}

func (c *Config) spelt(n *node) string {
	if n.start < 0 {
		return ""
	}
	return string(c.src[n.start:n.end])
}

// doubt says why a server should not be wrapped unasked.
func (c *Config) doubt(entry *node) string {
	for _, key := range c.shape.Off {
		name, on := strings.CutPrefix(key, "!")
		if n := entry.get(name); n != nil && n.kind == other && strings.EqualFold(c.spelt(n), fmt.Sprint(!on)) {
			return "it is switched off"
		}
	}
	for _, d := range c.shape.Doubts {
		if n := entry.get(d.Keys...); n != nil && (n.kind != other || !slices.Contains([]string{"false", "null"}, c.spelt(n))) {
			return d.Why
		}
	}
	return ""
}

// base is a program's name, of whatever system its path is.
func base(program string) string {
	name := path.Base(strings.ReplaceAll(program, `\`, "/"))
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

// IsReprise knows this program under every path and version: reprise, reprise.exe, reprise-1.2, reprise_linux_amd64.
func IsReprise(word string) bool {
	rest, ok := strings.CutPrefix(base(word), "reprise")
	return ok && (rest == "" || strings.ContainsRune("-_.0123456789", rune(rest[0])))
}

// isPath tells one program, whose path may have blanks, from a line of several words.
func isPath(command string) bool {
	if !strings.ContainsAny(command, " \t") {
		return true
	}
	drive := len(command) > 2 && command[1] == ':'
	return (drive || strings.ContainsRune(`/\.~$`, rune(command[0]))) && !strings.Contains(command, " /")
}

// original gives the place of the server's command in a command line that runs `reprise record`, with -- in front of it or
// without. It is the line's end when there is none; false is for a line that does something else.
func original(words []string) (int, bool) {
	if !IsReprise(words[0]) {
		return 0, false
	}
	at := behindFlags(words, 1)
	if at >= len(words) || words[at] != "record" {
		return 0, false
	}
	at = behindFlags(words, at+1)
	if at < len(words) && words[at] == "--" {
		at++
	}
	return at, true
}

// behindFlags gives the place of the first word that is neither a flag nor a flag's value.
func behindFlags(words []string, at int) int {
	for at < len(words) && len(words[at]) > 1 && words[at][0] == '-' && words[at] != "--" {
		name := strings.TrimLeft(words[at], "-")
		alone := slices.Contains([]string{"metadata-only", "json", "no-color", "quiet", "q"}, name)
		if at++; !alone && !strings.Contains(name, "=") {
			at++
		}
	}
	return min(at, len(words))
}

// holdsReprise looks for `reprise record` anywhere, also in the text of a shell's -c.
func holdsReprise(words []string) bool {
	all := strings.Fields(strings.NewReplacer(`"`, " ", "'", " ").Replace(strings.Join(words, " ")))
	for i := range all {
		if _, ok := original(all[i:]); ok {
			return true
		}
	}
	return false
}

// value gives what a wrapped server's flag says, or "".
func (s Server) value(flag string) string {
	for i, word := range s.Runs[:s.flags] {
		if v, ok := strings.CutPrefix(word, flag+"="); ok {
			return v
		}
		if word == flag && i+1 < s.flags {
			return s.Runs[i+1]
		}
	}
	return ""
}

// foreignName names the wrapper of another kind that a command line begins with, or "".
func foreignName(words []string) string {
	for _, word := range words[:min(len(words), 4)] {
		name, _, _ := strings.Cut(base(word), "@")
		if slices.Contains([]string{"mcpsnoop", "mcp-scan", "snyk-agent-scan", "agent-scan", "invariant-gateway", "mcpproxy", "mcp-proxy-logger", "mcptee", "mcp-trace"}, name) {
			return name
		}
	}
	return ""
}
