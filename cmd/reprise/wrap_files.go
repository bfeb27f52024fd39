package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"reprise/hosts"
	"reprise/recorder"
)

func (p *program) machine() (hosts.Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return hosts.Machine{}, fmt.Errorf("find your home folder: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = home // a folder that is gone has no project files
	}
	return hosts.Machine{OS: runtime.GOOS, Home: home, Dir: dir, Getenv: p.getenv}, nil
}

// hostStore is our own folder for what gives files back. It does not move with --db: a wrap has to be found again.
func (p *program) hostStore() (hosts.Store, error) {
	path, err := recorder.DefaultPath(p.withoutDB)
	return hosts.Store{Dir: filepath.Join(filepath.Dir(path), "hosts")}, err
}

// files are those that the options mean.
func (p *program) files(m hosts.Machine, o wrapOptions) ([]hosts.File, error) {
	if o.config != "" {
		f, err := configFile(o)
		return []hosts.File{f}, err
	}
	if o.allHosts {
		return filesOf(m, hosts.Table()), nil
	}
	h, err := knownHost(o.host)
	if err != nil {
		return nil, err
	}
	list := m.Files(h)
	if len(list) == 0 && !o.print {
		return nil, noFile(m, h)
	}
	return list, nil
}

func filesOf(m hosts.Machine, table []hosts.Host) (list []hosts.File) {
	for _, h := range table {
		list = append(list, m.Files(h)...)
	}
	return list
}

func knownHost(id string) (hosts.Host, error) {
	if h, ok := hosts.Find(id); ok {
		return h, nil
	}
	ids := hostIDs()
	err := usage(fmt.Errorf("unknown host %q", id))
	near := hosts.Suggest(id)
	if other := nearest(id, ids); len(near) == 0 && other != "" {
		near = []string{other}
	}
	if len(near) > 0 {
		return hosts.Host{}, hint(err, "did you mean %s? --config FILE takes a file of any other host", strings.Join(near, " or "))
	}
	return hosts.Host{}, hint(err, "known are %s; --config FILE takes a file of any other", strings.Join(ids, ", "))
}

func hostIDs() (ids []string) {
	for _, h := range hosts.Table() {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
	return ids
}

func noFile(m hosts.Machine, h hosts.Host) error {
	err := usage(fmt.Errorf("%s has no config file here", h.Label))
	if usual := m.Usual(h); usual != "" {
		return hint(err, "it would be %s; --config FILE names another; --print shows what to paste", m.Tilde(usual))
	}
	return hint(err, "%s", h.Note)
}

// configFile is the file that --config names, of a host that is known or of any other.
func configFile(o wrapOptions) (f hosts.File, err error) {
	path, err := filepath.Abs(o.config)
	if err != nil {
		return f, err
	}
	h, known := hosts.Find(o.host)
	if !known {
		h = hosts.Host{ID: o.host, Label: o.host}
		if o.host == "" {
			h.ID, h.Label = "generic", filepath.Base(path)
		}
	}
	shape := h.ShapeFor(path)
	format := shape.Format
	if o.format != "" || !known {
		if format, err = hosts.FormatOf(cmp.Or(o.format, path)); err != nil {
			return f, hint(usage(err), "--format is json, toml or yaml")
		}
	}
	if !known || len(o.keys) > 0 || format != shape.Format {
		shape = hosts.Generic(format, o.keys)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return f, hint(usage(fmt.Errorf("no file %s", path)), "only a file that is there can be edited")
	}
	return hosts.File{Host: h, Path: path, Place: hosts.Place{Scope: hosts.User, Shape: &shape}}, nil
}
