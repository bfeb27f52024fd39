package hosts

import (
	"bytes"
	"strings"
)

// kind is what a node is.
type kind int

const (
	other   kind = iota // number, boolean, null, date: what we never write
	text                // a string
	list                // JSON array, TOML array or array of tables, YAML sequence
	mapping             // JSON object, TOML table (wherever its members stand), YAML mapping
)

// node is one value of a config file with the place of its bytes.
//
//	"args": [ "-y", "some-server" ],
//	        └ start                └ end
//	          └ items[0].start
//	               └ items[0].end and, behind the comma, items[0].after
type node struct {
	kind       kind
	start, end int    // its bytes; both -1 where they do not hang together, as those of a TOML table
	text       string // of a text: what it says
	members    []member
	items      []item

	// locked says why no byte inside may be changed, "" when they may: a YAML anchor whose
	// other users would change with it, an alias, a merge, a tag, a string over several lines.
	locked string
	// block is set for a list whose items stand on lines of their own behind a dash.
	block bool
}

// member is one key of a mapping with its value.
type member struct {
	key              string // what it says, unescaped
	keyStart, keyEnd int
	value            *node
	lead             string // what stands before the key of a further member that is put right behind this one's value: `,⏎    `
	colon            string // what stands between its key and its value, without comments: `: `
}

// item is one value of a list. In a block list it begins with the dash.
type item struct {
	value      *node
	start, end int
	after      int // behind the comma that follows; end when none does
}

// find gives the last member of that name, which is the one that programs see, or nil.
func (n *node) find(key string) *member {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return &n.members[i]
		}
	}
	return nil
}

// get goes down through mappings, and gives nil where there is nothing.
func (n *node) get(path ...string) *node {
	for _, key := range path {
		m := n.find(key)
		if m == nil {
			return nil
		}
		n = m.value
	}
	return n
}

// says compares a tree with what the library's decoder says, but for what is neither text nor list nor mapping, and for locked
// bytes: aliases are not followed in a tree. An array of tables is locked and has none: its tables can be changed.
func (n *node) says(said any) bool {
	if n.skipped() {
		return true
	}
	switch v := said.(type) {
	case string:
		return n.kind == text && n.text == v
	case []any:
		if n.kind != list || len(n.items) != len(v) {
			return false
		}
		for i := range v {
			if !n.items[i].value.says(v[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		return n.kind == mapping && n.saysAll(v)
	}
	return n.kind == other
}

func (n *node) saysAll(said map[string]any) bool {
	if len(n.members) != len(said) {
		return false
	}
	for i := range n.members {
		m := &n.members[i]
		if v, ok := said[m.key]; !m.value.skipped() && (!ok || !m.value.says(v)) {
			return false
		}
	}
	return true
}

func (n *node) skipped() bool { return n.locked != "" && n.start >= 0 }

// edit puts a text in the place of some bytes.
type edit struct {
	start, end int
	text       string
}

// splice makes all edits, which are in the order of their places and do not overlap.
func splice(src []byte, edits []edit) []byte {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.Write(src[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(src[at:])
	return []byte(b.String())
}

// firstLineEnd is how the first line of a text ends, and with it those that we add.
func firstLineEnd(src []byte) string {
	if at := bytes.IndexByte(src, '\n'); at > 0 && src[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineAt is the number of the line that a place is in.
func lineAt(src []byte, at int) int { return 1 + bytes.Count(src[:at], []byte("\n")) }
