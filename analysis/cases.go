package analysis

import "io"

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

// ReadCases reads a checks file, YAML or JSON. Its errors name the line.
func ReadCases(r io.Reader) (*Cases, error) { return nil, nil }
