package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeTo writes an export where it was asked for. Only a regular file is
// replaced: a device, a pipe or what a link names is written to, and stays what it is.
func (p *program) writeTo(o exportOptions, write func(io.Writer) error) error {
	path := o.output
	there, err := os.Stat(path)
	switch {
	case path == "" || path == "-" || err == nil && p.isStdout(there): // such as /dev/stdout
		return write(p.stdout)
	case err == nil && there.IsDir():
		return hint(usage(fmt.Errorf("%s is a directory", path)), "name the file in it: %s", filepath.Join(path, "bug.capture.jsonl"))
	case err == nil && !there.Mode().IsRegular():
		return writeThrough(path, write)
	}
	entry, err := os.Lstat(path)
	switch {
	case err == nil && !o.force:
		return exists(path)
	case err == nil && !entry.Mode().IsRegular():
		return writeThrough(path, write)
	}
	return writeFile(path, o.force, write)
}

func (p *program) isStdout(there os.FileInfo) bool {
	f, ok := p.stdout.(*os.File)
	if !ok {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(own, there)
}

func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

const temporary = ".reprise-"

// writeFile makes a file that only its owner can read. It is there whole or not at all.
func writeFile(path string, force bool, write func(io.Writer) error) error {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return hint(fmt.Errorf("write %s: there is no folder %s", path, folder), "make it first")
	}
	f, err := os.CreateTemp(folder, temporary+"*") // 0600
	if err != nil {
		return about(path, err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return about(path, err)
	}
	if force {
		return about(path, os.Rename(f.Name(), path))
	}
	return place(f.Name(), path)
}

// replaceFile puts a new content in the place of a regular file's, keeping its mode and the links that lead to it. At any moment
// the file is the old one or the new one, whole.
func replaceFile(path string, write func(io.Writer) error) error {
	return replaceSame(path, nil, write)
}

// errChanged says that somebody else has changed a file since it was read.
var errChanged = errors.New("the file has changed meanwhile")

// replaceSame is replaceFile, if the file is still what it was when it was looked at: anything where that is nil.
func replaceSame(path string, seen os.FileInfo, write func(io.Writer) error) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	there, err := os.Stat(target)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(target), temporary+"*")
	if err != nil {
		return about(path, err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(f.Chmod(there.Mode().Perm()), write(f), f.Sync(), f.Close()); err != nil {
		return about(path, err)
	}
	if now, err := os.Stat(target); seen != nil && (err != nil || !sameState(seen, now)) {
		return fmt.Errorf("write %s: %w", path, errChanged)
	}
	return about(path, os.Rename(f.Name(), target))
}

func sameState(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// about is an error of the temporary file, told of the one that was asked for.
func about(path string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &link):
		return fmt.Errorf("write %s: %w", path, link.Err)
	case errors.As(err, &file) && strings.HasPrefix(filepath.Base(file.Path), temporary):
		return fmt.Errorf("write %s: %w", path, file.Err)
	}
	return err
}

// place gives a finished file its name, if nobody has taken it in the meantime.
func place(from, path string) error {
	err := os.Link(from, path)
	if errors.Is(err, fs.ErrExist) {
		return exists(path)
	}
	if err != nil { // a file system without links
		return about(path, os.Rename(from, path))
	}
	return nil
}

func exists(path string) error {
	return hint(usage(fmt.Errorf("%s exists already", path)), "--force overwrites it")
}
