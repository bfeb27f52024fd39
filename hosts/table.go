package hosts

import "slices"

// Table lists every host that is known, its own copy for every caller.
func Table() []Host {
	return slices.Concat(desktopHosts(), editorHosts(), terminalHosts())
}

// mcpServers is the form that most hosts have taken over from Claude Desktop, with the keys that switch a server off.
func mcpServers(off ...string) Shape {
	return Shape{
		Format:     JSON,
		Containers: [][]string{{"mcpServers"}},
		Command:    [][]string{{"command"}},
		Args:       "args",
		URL:        []string{"url", "serverUrl", "httpUrl"},
		Off:        off,
	}
}

// in gives a shape with other containers, for a file of the same host.
func (s Shape) in(containers ...[]string) *Shape {
	s.Containers = containers
	return &s
}

// as gives a shape in another format.
func (s Shape) as(f Format) *Shape {
	s.Format = f
	return &s
}

// user, project and system give places of a scope, on all systems.
func user(paths ...string) []Place    { return places(User, "", paths) }
func project(paths ...string) []Place { return places(Project, "{project}/", paths) }
func system(paths ...string) []Place  { return places(System, "", paths) }

func places(scope Scope, prefix string, paths []string) []Place {
	all := make([]Place, len(paths))
	for i, path := range paths {
		all[i] = Place{Scope: scope, Path: prefix + path}
	}
	return all
}

// on gives the places on one system alone.
func on(os string, all []Place) []Place {
	for i := range all {
		all[i].OS = os
	}
	return all
}

// with gives the places another shape than their host's.
func with(shape *Shape, all []Place) []Place {
	for i := range all {
		all[i].Shape = shape
	}
	return all
}

// noted gives the places a word that is shown with them.
func noted(note string, all []Place) []Place {
	for i := range all {
		all[i].Note = note
	}
	return all
}

// instead says that the host reads only the first of the places.
func instead(word string, all []Place) []Place {
	for i := range all {
		all[i].Instead = word
	}
	return all
}

const (
	newSession = "Start a new session."
	asksAnew   = "It may ask for approval again, because the entry has changed."
	trusted    = "Project files count in trusted folders only."
)
