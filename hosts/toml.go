package hosts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

var tomlSyntax = syntax{parse: parseTOML, mean: meanTOML, quote: quoteTOML, key: keyTOML}

// maxKeys bounds what is handed to the library's decoder: the time that it takes grows with the square of
// the number of keys. No host's file comes near.
const maxKeys = 20_000

var (
	errManyKeys = fmt.Errorf("it has more than %d keys and lists", maxKeys)
	errTwoMinds = errors.New("its places cannot be told for certain")
)

// parseTOML refuses everything that meanTOML refuses, and what the two of them do not read alike.
func parseTOML(src []byte) (*node, error) {
	root, err := placeTOML(src)
	if err != nil {
		return nil, err
	}
	v, err := meanTOML(src)
	if err != nil {
		return nil, err
	}
	if !root.says(v) {
		return nil, errTwoMinds
	}
	return root, nil
}

func meanTOML(src []byte) (any, error) {
	plain, err := withoutMark(src)
	if err != nil {
		return nil, err
	}
	v := map[string]any{}
	if err := toml.Unmarshal(plain, &v); err != nil {
		return nil, tomlError(err)
	}
	return forDeepEqual(v, 0)
}

// tomlError keeps the line and leaves out the rest, which quotes the file.
func tomlError(err error) error {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return errors.New("it is not TOML")
	}
	line, _ := at.Position()
	return tomlErrorAt(line)
}

func tomlErrorAt(line int) error { return fmt.Errorf("it is not TOML at line %d", line) }

// parserError is tomlError for what the parser says about the text that it was given.
func parserError(err error, plain []byte) error {
	var at *unstable.ParserError
	if !errors.As(err, &at) {
		return errors.New("it is not TOML")
	}
	// What the error highlights is part of the text, and so ends where its array ends.
	offset := min(max(cap(plain)-cap(at.Highlight), 0), len(plain))
	return tomlErrorAt(lineAt(plain, offset))
}

// quoteTOML writes a basic string. JSON's escapes are among TOML's, which wants one character more escaped.
func quoteTOML(s string) string {
	return strings.ReplaceAll(quoteJSON(s), "\x7f", `\u007f`)
}

func keyTOML(s string) string {
	quoted := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if s == "" || strings.ContainsFunc(s, quoted) {
		return quoteTOML(s)
	}
	return s
}
