package hosts

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
)

// Memo is what is remembered of one config file: what each wrap replaced, to the byte. Nothing depends on it but
// that: what stands behind `--` in a wrapped entry is the original.
type Memo struct {
	File   string `json:"file"`           // the config file, links followed
	Wraps  []Wrap `json:"wraps"`          // one for each wrapped server
	Host   string `json:"host,omitempty"` // whose file it is, and how servers stand in it: the table need not know it
	Shape  Shape  `json:"shape,omitzero"`
	Backup string `json:"backup,omitempty"` // the file as it was before the first wrap; in the store, a name in the folder of backups
}

// Wrap is what one server's entry had before and has now.
type Wrap struct {
	Container []string `json:"container"`
	Server    string   `json:"server"`
	Index     int      `json:"index,omitempty"` // where the servers are a list: which of it was wrapped
	Binary    string   `json:"binary"`          // the reprise that the entry runs
	Command   Piece    `json:"command"`         // at the command's value
	Args      Piece    `json:"args"`            // at the first item of the list of arguments; both empty where there was no list
}

// Piece is a text that took the place of another.
type Piece struct {
	Wrapped  string `json:"wrapped"`
	Original string `json:"original"`
}

// record is a memo as it is stored. With an intent, an edit was begun and its end is not known.
type record struct {
	Memo
	Intent *intent `json:"intent,omitempty"`
}

// intent is stored before a file changes, so that whoever comes after a kill can tell what happened.
type intent struct {
	Before string `json:"before"` // digests of the file
	After  string `json:"after"`
	Was    []Wrap `json:"was"` // the wraps before
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// settled is the memo that fits what the file says now.
func (r record) settled(data []byte) Memo {
	memo := r.Memo
	if r.Intent != nil {
		switch digest(data) {
		case r.Intent.After:
		case r.Intent.Before:
			memo.Wraps = r.Intent.Was
		default:
			memo.Wraps = ofEither(r.Intent.Was, memo.Wraps, string(data))
		}
	}
	return memo
}

// ofEither gives the wraps of two memos one of which is right, for a file that another program wrote since. It may
// have had the text before the edit or the one after it.
func ofEither(before, after []Wrap, data string) []Wrap {
	wraps := slices.DeleteFunc(slices.Clone(before), func(w Wrap) bool { return !w.isIn(after) && !w.stands(data) })
	for _, w := range after {
		if !w.isIn(before) && w.stands(data) {
			wraps = append(wraps, w)
		}
	}
	return wraps
}

func (w Wrap) equals(o Wrap) bool { return reflect.DeepEqual(w, o) }

func (w Wrap) isIn(wraps []Wrap) bool { return slices.ContainsFunc(wraps, w.equals) }

// stands says whether what the wrap put into a file is anywhere in it.
func (w Wrap) stands(data string) bool {
	return strings.Contains(data, w.Command.Wrapped) && strings.Contains(data, w.Args.Wrapped)
}
