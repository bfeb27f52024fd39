package main

import (
	"fmt"
	"slices"
	"strings"

	"reprise/hosts"
)

// wraps looks at what hosts' configs have of us: whether it is still there, and whether it can still be started.
func (p *program) wraps() []finding {
	m, err := p.machine()
	if err != nil {
		return []finding{{minor, "hosts", err.Error(), ""}}
	}
	store, err := p.hostStore()
	if err != nil {
		return []finding{{minor, "hosts", err.Error(), ""}}
	}
	list := []finding{{well, "hosts", "", ""}}
	var wrapped int64
	for _, f := range filesOf(m, hosts.Table()) {
		looked := look(store, f)
		for _, s := range looked.servers {
			if s.State == hosts.Wrapped {
				wrapped++
			}
		}
		list = append(list, looked.ailments(m)...)
	}
	list[0].found = fmt.Sprintf("%s wrapped", count(wrapped, "server"))
	return list
}

// ailments are what is wrong with the wraps of one file.
func (f looked) ailments(m hosts.Machine) (list []finding) {
	var dead, gone []string
	for _, s := range f.servers {
		if s.State == hosts.Wrapped && !runs(s.Binary) && !slices.Contains(dead, s.Binary) {
			dead = append(dead, s.Binary)
		}
	}
	for _, w := range f.gone {
		gone = append(gone, w.Server)
	}
	path, again := m.Tilde(f.Path), fmt.Sprintf("`reprise wrap %s` puts this program in", f.Host.ID)
	if len(dead) > 0 {
		list = append(list, finding{wrong, "hosts", path + " starts what is gone: " + strings.Join(few(dead, 3), ", "), again})
	}
	if len(gone) > 0 {
		list = append(list, finding{minor, "hosts", path + " was written anew, without the wraps of " + strings.Join(few(gone, 3), ", "), again})
	}
	return list
}
