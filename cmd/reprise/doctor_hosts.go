package main

import (
	"fmt"
	"slices"
	"strings"

	"reprise/hosts"
)

// wraps looks at what hosts' configs have of us: whether it is still there, and whether it can still be started.
func (p *program) wraps() []finding {
	known, err := p.places()
	if err != nil {
		return []finding{{minor, "hosts", err.Error(), ""}}
	}
	list := []finding{{well, "hosts", "", ""}}
	var wrapped int64
	for _, f := range known.all() {
		looked := look(known.store, f)
		for _, s := range looked.servers {
			if s.State == hosts.Wrapped {
				wrapped++
			}
		}
		list = append(list, looked.ailments(known)...)
	}
	list[0].found = fmt.Sprintf("%s wrapped", count(wrapped, "server"))
	return list
}

// ailments are what is wrong with the wraps of one file.
func (f looked) ailments(known places) (list []finding) {
	var dead, gone []string
	for _, s := range f.servers {
		if s.State == hosts.Wrapped && !runs(s.Binary) && !slices.Contains(dead, s.Binary) {
			dead = append(dead, s.Binary)
		}
	}
	for _, w := range f.gone {
		gone = append(gone, w.Server)
	}
	path, again := known.Tilde(f.Path), fmt.Sprintf("`%s` puts this program in", known.again(f.File))
	switch {
	case f.trouble != "" && len(f.memo.Wraps) > 0:
		list = append(list, finding{wrong, "hosts", path + " has wrapped servers and cannot be read: " + f.trouble, "until that is mended it is neither wrapped nor unwrapped"})
	case f.trouble != "" && f.trouble != errEmpty.Error(): // some hosts make their files empty
		list = append(list, finding{minor, "hosts", path + ": " + f.trouble, "until that is mended it is neither wrapped nor unwrapped"})
	}
	if len(dead) > 0 {
		list = append(list, finding{wrong, "hosts", path + " starts what is gone: " + strings.Join(few(dead, 3), ", "), again})
	}
	if len(gone) > 0 {
		list = append(list, finding{minor, "hosts", path + " was written anew, without the wraps of " + strings.Join(few(gone, 3), ", "), again})
	}
	return list
}
