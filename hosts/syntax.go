package hosts

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// Format is how a config file is written.
type Format string

// JSON is read with comments, trailing commas and a byte order mark, whatever the host thinks of them:
// what is not understood is kept, byte for byte.
const (
	JSON Format = "json"
	TOML Format = "toml"
	YAML Format = "yaml"
)

// FormatOf tells the format from a file's name or from what a person calls it. "jsonc" is JSON.
func FormatOf(name string) (Format, error) {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	if ext == "" {
		ext = strings.ToLower(name)
	}
	switch ext {
	case "json", "jsonc", "json5":
		return JSON, nil
	case "toml":
		return TOML, nil
	case "yaml", "yml":
		return YAML, nil
	}
	return "", fmt.Errorf("format %q is not known", ext)
}

// syntax is what an editor needs to know of a format. Editing goes by parse's places; whether the
// result means what it should is asked of mean, which shares nothing with it but the library.
type syntax struct {
	// parse gives the places of everything. Its errors name a line and never quote the file: secrets stand in it.
	parse func(src []byte) (*node, error)
	// mean gives what the file says: map[string]any, []any, string, bool, numbers as they are spelt or decoded, nil.
	// Two files mean the same when reflect.DeepEqual says so.
	mean func(src []byte) (any, error)
	// quote writes a string so that it can stand in a list on one line.
	quote func(s string) string
	// key writes the key of a new member.
	key func(s string) string
}

func (f Format) syntax() syntax {
	switch f {
	case TOML:
		return tomlSyntax
	case YAML:
		return yamlSyntax
	}
	return jsonSyntax
}

// notANumber stands for nan, which is not equal to itself.
type notANumber struct{}

// forDeepEqual makes what was decoded fit for reflect.DeepEqual, and bounds its depth, which dotted keys of TOML
// can drive as far as the file is long.
func forDeepEqual(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	var err error
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) {
			return notANumber{}, nil
		}
	case map[string]any:
		for key, inner := range v {
			if v[key], err = forDeepEqual(inner, depth+1); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, inner := range v {
			if v[i], err = forDeepEqual(inner, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
