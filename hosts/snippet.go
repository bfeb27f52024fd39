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

// Snippet writes a whole entry with what it stands in, to be pasted. A server that is in no file gets what its host asks for besides.
func (s Shape) Snippet(in Server, command []string) string {
	container, named := in.Container, in.index >= 0
	lines := s.Lines(in, command)
	if in.entry == nil {
		container, named = s.Containers[0], s.Named
		lines = slices.Concat(s.Fixed, lines)
	}
	if named {
		lines = slices.Insert(lines, 0, s.setting("name", s.Format.syntax().quote(in.Name)))
	} else {
		container = append(slices.Clone(container), in.Name)
	}
	switch s.Format {
	case TOML:
		return s.table(container, named, lines)
	case YAML:
		return s.nested(container, named, lines)
	}
	return s.object(container, named, lines)
}

// table is a snippet in TOML.
func (s Shape) table(keys []string, named bool, lines []string) string {
	var path []string
	for _, key := range keys {
		path = append(path, s.Format.syntax().key(key))
	}
	head := "[" + strings.Join(path, ".") + "]"
	if named {
		head = "[" + head + "]"
	}
	return head + "\n" + strings.Join(lines, "\n") + "\n"
}

// nested is a snippet in YAML.
func (s Shape) nested(keys []string, named bool, lines []string) string {
	var b strings.Builder
	for i, key := range keys {
		b.WriteString(strings.Repeat("  ", i) + s.Format.syntax().key(key) + ":\n")
	}
	indent := strings.Repeat("  ", len(keys))
	if named {
		b.WriteString(indent + "- ")
		indent += "  "
	} else {
		b.WriteString(indent)
	}
	return b.String() + strings.Join(lines, "\n"+indent) + "\n"
}

// object is a snippet in JSON.
func (s Shape) object(keys []string, named bool, lines []string) string {
	inner := "{\n  " + strings.Join(lines, ",\n  ") + "\n}"
	if named {
		inner = "[\n  " + strings.ReplaceAll(inner, "\n", "\n  ") + "\n]"
	}
	for _, key := range slices.Backward(keys) {
		inner = "{\n  " + s.setting(key, strings.ReplaceAll(inner, "\n", "\n  ")) + "\n}"
	}
	return inner + "\n"
}
