package hosts

import (
	"slices"
	"strings"
)

// Lines writes the command of an entry as it would stand in the file, one setting a line. What is not to be seen has to be masked by the caller.
func (s Shape) Lines(in Server, command []string) []string {
	name, asList := "command", false
	if in.command != nil {
		name, asList = in.command.key, in.command.value.kind == list
	} else if len(s.Command) > 0 {
		name, asList = s.Command[0][len(s.Command[0])-1], s.List
	}
	if asList {
		return []string{s.setting(name, s.listed(command))}
	}
	lines := []string{s.setting(name, s.Format.syntax().quote(command[0]))}
	if len(command) > 1 {
		lines = append(lines, s.setting(s.Args, s.listed(command[1:])))
	}
	return lines
}

func (s Shape) setting(key, value string) string {
	colon := ": "
	if s.Format == TOML {
		colon = " = "
	}
	return s.Format.syntax().key(key) + colon + value
}

func (s Shape) listed(words []string) string {
	return "[" + strings.Join(quoteAll(s.Format.syntax().quote, words), ", ") + "]"
}

// Snippet writes a whole entry with what it stands in, to be pasted.
func (s Shape) Snippet(in Server, command []string) string {
	container := in.Container
	if container == nil && len(s.Containers) > 0 {
		container = s.Containers[0]
	}
	lines := s.Lines(in, command)
	if s.Format == TOML {
		return s.table(container, in.Name, lines)
	}
	keys := append(slices.Clone(container), in.Name)
	var b strings.Builder
	end := ""
	if s.Format == JSON {
		b.WriteString("{\n")
		end = "}\n"
	}
	for i, key := range keys {
		indent := strings.Repeat("  ", i+1)
		if s.Format == JSON {
			b.WriteString(indent + s.setting(key, "{\n"))
			end = indent + "}\n" + end
			continue
		}
		b.WriteString(indent[2:] + strings.TrimSpace(s.setting(key, "")) + "\n")
	}
	indent, comma := strings.Repeat("  ", len(keys)+1), ",\n"
	if s.Format != JSON {
		indent, comma = indent[2:], "\n"
	}
	b.WriteString(indent + strings.Join(lines, comma+indent) + "\n" + end)
	return b.String()
}

// table is a snippet in TOML.
func (s Shape) table(container []string, name string, lines []string) string {
	key := s.Format.syntax().key
	var path []string
	for _, k := range append(slices.Clone(container), name) {
		path = append(path, key(k))
	}
	return "[" + strings.Join(path, ".") + "]\n" + strings.Join(lines, "\n") + "\n"
}
