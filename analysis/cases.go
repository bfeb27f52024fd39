package analysis

import (
	"fmt"
	"io"
)

// Cases is a checks file (formats.md).
type Cases struct {
	Version int    `yaml:"version"`
	Cases   []Case `yaml:"cases"`
}

// Case is one direct case: a call and what must hold of it (S8).
type Case struct {
	Plan   `yaml:",inline"`
	Kind   string  `yaml:"kind"`
	Name   string  `yaml:"name"`
	Checks []Check `yaml:"checks"`
}

// Plan is a call to be made.
type Plan struct {
	Tool string `yaml:"tool"`
	Args []Arg  `yaml:"args"`
}

// Arg is one argument (S9, S10): its value as JSON text, or the place in a result that it is taken from.
type Arg struct {
	Name   string `yaml:"name"`
	JSON   string `yaml:"json"`
	Source string `yaml:"source"` // harvested, synthesized, literal
	From   *Birth `yaml:"from"`
}

// Birth says where a value comes from: the call, and the path in its result.
type Birth struct {
	Plan `yaml:",inline"`
	Path string `yaml:"path"`
}

// casesVersion is the version of checks files that is written, and the newest that is read.
const casesVersion = 1

// Sources that an argument may say.
const (
	fromHarvest   = "harvested"
	fromSynthesis = "synthesized"
	fromLiteral   = "literal"
)

// ReadCases reads a checks file, YAML or JSON. It takes nothing that it does not know, and says at which line that stands and what would be right.
func ReadCases(r io.Reader) (cases *Cases, err error) {
	src, err := io.ReadAll(io.LimitReader(r, maxCases+1))
	if err != nil {
		return nil, fmt.Errorf("read checks: %w", err)
	}
	defer func() {
		if wrong := recover(); wrong != nil { // in the YAML library
			cases, err = nil, fmt.Errorf("read checks: the file is no YAML: %v", wrong)
		}
	}()
	root, err := casesTree(src)
	if err != nil {
		return nil, fmt.Errorf("read checks: %w", err)
	}
	read := caseReader{}
	cases = read.file(root)
	if read.err != nil {
		return nil, fmt.Errorf("read checks: %w", read.err)
	}
	return cases, nil
}
