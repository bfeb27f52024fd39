package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"reprise/hosts"
	"reprise/recorder"
)

// places is where config files are: those that the table knows on this machine, and those that were wrapped elsewhere.
type places struct {
	hosts.Machine
	store hosts.Store
}

func (p *program) places() (l places, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return l, fmt.Errorf("find your home folder: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = home // a folder that is gone has no project files
	}
	// The store does not move with --db: a wrap has to be found again.
	path, err := recorder.DefaultPath(p.withoutDB)
	return places{
		Machine: hosts.Machine{OS: runtime.GOOS, Home: home, Dir: dir, Getenv: p.getenv},
		store:   hosts.Store{Dir: filepath.Join(filepath.Dir(path), "hosts")},
	}, err
}

// all are the files of every host.
func (l places) all() []hosts.File {
	usual := l.usual()
	return append(usual, l.elsewhere(usual)...)
}

// usual are the files that the table knows.
func (l places) usual() (list []hosts.File) {
	for _, h := range hosts.Table() {
		list = append(list, l.Files(h)...)
	}
	return list
}

// elsewhere are files that are wrapped and stand where the table does not look: named with --config, of another project.
func (l places) elsewhere(usual []hosts.File) []hosts.File {
	return slices.DeleteFunc(l.store.Wrapped(), func(f hosts.File) bool {
		return slices.ContainsFunc(usual, func(u hosts.File) bool { return sameFile(u.Path, f.Path) })
	})
}

// elsewhereOf are those of one host.
func (l places) elsewhereOf(id string) []hosts.File {
	return slices.DeleteFunc(l.elsewhere(l.usual()), func(f hosts.File) bool { return f.Host.ID != id })
}

// hostNamed finds one by its name: in the table, or among the wrapped files elsewhere.
func (l places) hostNamed(name string) (hosts.Host, error) {
	if h, ok := hosts.Find(name); ok {
		return h, nil
	}
	if list := l.elsewhereOf(name); len(list) > 0 {
		return list[0].Host, nil
	}
	return hosts.Host{}, unknownHost(name)
}

// files are those that the options mean. Elsewhere nothing is wrapped that is not named; unwrapping is for all that was.
func (l places) files(o wrapOptions) ([]hosts.File, error) {
	switch {
	case o.config != "":
		f, err := l.configFile(o)
		return []hosts.File{f}, err
	case o.allHosts && o.unwrap:
		return l.all(), nil
	case o.allHosts:
		return l.usual(), nil
	}
	h, err := l.hostNamed(o.host)
	if err != nil {
		return nil, err
	}
	list := l.Files(h)
	if o.unwrap || len(h.Places) == 0 {
		list = append(list, l.elsewhereOf(h.ID)...)
	}
	if len(list) == 0 && !o.print {
		return nil, l.noFile(h)
	}
	return list, nil
}

func unknownHost(name string) error {
	ids := hostIDs()
	err := usage(fmt.Errorf("unknown host %q", name))
	near := hosts.Suggest(name)
	if other := nearest(name, ids); len(near) == 0 && other != "" {
		near = []string{other}
	}
	if len(near) > 0 {
		return hint(err, "did you mean %s? --config FILE takes a file of any other host", strings.Join(near, " or "))
	}
	return hint(err, "known are %s; --config FILE takes a file of any other", strings.Join(ids, ", "))
}

func hostIDs() (ids []string) {
	for _, h := range hosts.Table() {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
	return ids
}

func (l places) noFile(h hosts.Host) error {
	err := usage(fmt.Errorf("%s has no config file here", h.Label))
	if usual := l.Usual(h); usual != "" {
		return hint(err, "it would be %s; --config FILE names another; --print shows what to paste", l.Tilde(usual))
	}
	return hint(err, "%s", h.Note)
}

// configFile is the file that --config names, of a host that is known or of any other.
func (l places) configFile(o wrapOptions) (f hosts.File, err error) {
	path, err := filepath.Abs(o.config)
	if err != nil {
		return f, err
	}
	if err := isFile(path); err != nil {
		return f, err
	}
	h, known := hosts.Find(o.host)
	if f, ok := l.remembered(path); ok && o.format == "" && len(o.keys) == 0 && (o.host == "" || f.Host.ID == cmp.Or(h.ID, o.host)) {
		return f, nil
	}
	if !known {
		h = hosts.Host{ID: o.host, Label: o.host}
		if o.host == "" {
			h.ID, h.Label = "generic", filepath.Base(path)
		}
	}
	shape := h.ShapeFor(path)
	format := shape.Format
	if o.format != "" || !known {
		if format, err = hosts.FormatOf(cmp.Or(o.format, path)); err != nil && o.format == "" {
			err = fmt.Errorf("--format is needed: the name of %s does not say it", path)
		}
		if err != nil {
			return f, hint(usage(err), "--format is json, toml or yaml")
		}
	}
	if !known || len(o.keys) > 0 || format != shape.Format {
		shape = hosts.Generic(format, o.keys)
	}
	return hosts.File{Host: h, Path: path, Place: hosts.Place{Scope: hosts.User, Shape: &shape}}, nil
}

// remembered is a wrapped file as it was named then: with its host, and the keys that lead to its servers.
func (l places) remembered(path string) (hosts.File, bool) {
	for _, f := range l.store.Wrapped() {
		if sameFile(f.Path, path) {
			f.Path, f.Place.Note = path, ""
			return f, true
		}
	}
	return hosts.File{}, false
}

func isFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hint(usage(fmt.Errorf("no file %s", path)), "only a file that is there can be edited")
	case err != nil:
		return usage(err)
	case info.IsDir():
		return hint(usage(fmt.Errorf("%s is a folder", path)), "name the file in it")
	case !info.Mode().IsRegular():
		return usage(fmt.Errorf("%s is not a regular file", path))
	}
	return nil
}

// again is the command line that wraps a file's servers anew.
func (l places) again(f hosts.File) string {
	if f.Place.Path != "" { // the table knows it
		return "reprise wrap " + f.Host.ID
	}
	return fmt.Sprintf("reprise wrap %s --config %s", f.Host.ID, shownWord(f.Path))
}
