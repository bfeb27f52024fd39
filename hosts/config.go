package hosts

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Config is the text of a config file, read. It changes nothing and keeps what it does not know.
type Config struct {
	shape   Shape
	src     []byte
	root    *node
	servers []Server
}

// SyntaxError says that a file is not what it should be, and is therefore not to be touched. It quotes nothing of it.
type SyntaxError struct{ error }

// Parse reads a config file. The error is a *SyntaxError.
func Parse(shape Shape, src []byte) (*Config, error) {
	root, err := shape.Format.syntax().parse(src)
	if err != nil {
		return nil, &SyntaxError{err}
	}
	c := &Config{shape: shape, src: src, root: root}
	c.readAll()
	return c, nil
}

// Wrapper is what is put in front of a server.
type Wrapper struct {
	Binary string // absolute path of reprise
	Host   string
	DB     string // "" for the usual database
}

// words are what stands in front of the original.
func (w Wrapper) words(server string) []string {
	words := []string{"record", "--host", w.Host}
	if strings.HasPrefix(server, "-") {
		words = append(words, "--name="+server)
	} else {
		words = append(words, "--name", server)
	}
	if w.DB != "" {
		words = append(words, "--db", w.DB)
	}
	return append(words, "--")
}

// Around is the command line that runs a server with the wrapper in front.
func (w Wrapper) Around(server string, command []string) []string {
	return slices.Concat([]string{w.Binary}, w.words(server), command)
}

// Check refuses what hosts would not hand on as it stands.
func (w Wrapper) Check() error {
	for _, part := range [][2]string{{"the path of this program", w.Binary}, {"the host's name", w.Host}, {"the database's path", w.DB}} {
		if why := hazard(part[1]); why != "" {
			return fmt.Errorf("%s has %s", part[0], why)
		}
	}
	return nil
}

// alteration is what is to be done to one server's entry.
type alteration struct {
	Server  Server
	Wrap    *Wrap    // what it remembers of a wrap; nil for an unwrap
	Command []string // what the entry will run
	edits   []edit
	args    argsAfter
}

// argsAfter is what has to become of the list beside the command.
type argsAfter struct {
	front []string // what is put in front of it
	drop  int      // how many of its items go, before that
	none  bool     // it is taken out with its key
}

// errUnsafe says that a change would do something else as well, which is a fault of ours: the file stays as it is.
var errUnsafe = errors.New("the edit would have changed more than this entry")

// apply makes the changes, reads the result anew, and refuses it when it says anything else than it should.
func (c *Config) apply(changes []alteration) ([]byte, error) {
	if len(changes) == 0 {
		return c.src, nil
	}
	var edits []edit
	for _, change := range changes {
		edits = append(edits, change.edits...)
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	for i := 1; i < len(edits); i++ {
		if edits[i].start < edits[i-1].end {
			return nil, errUnsafe
		}
	}
	out := splice(c.src, edits)
	if err := c.check(out, changes); err != nil {
		return nil, err
	}
	return out, nil
}

// check compares what the new text says with what the old one said and the changes.
func (c *Config) check(out []byte, changes []alteration) error {
	mean := c.shape.Format.syntax().mean
	want, err := mean(c.src)
	if err != nil {
		return err
	}
	for _, change := range changes {
		if !c.intend(want, change) {
			return errUnsafe
		}
	}
	got, err := mean(out)
	if err != nil || !reflect.DeepEqual(got, want) {
		return errUnsafe
	}
	return nil
}

// intend makes a change to what the file says.
func (c *Config) intend(root any, change alteration) bool {
	s := change.Server
	for _, key := range s.Container {
		root = step(root, key)
	}
	if s.index >= 0 {
		all, ok := root.([]any)
		if !ok || s.index >= len(all) {
			return false
		}
		root = all[s.index]
	} else {
		root = step(root, s.Name)
	}
	last := len(s.within) - 1
	for _, key := range s.within[:last] {
		root = step(root, key)
	}
	entry, ok := root.(map[string]any)
	if !ok {
		return false
	}
	return change.intend(entry, s.within[last], c.shape.Args)
}

func step(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}

// intend does to an entry what the edits do to its text.
func (change alteration) intend(entry map[string]any, command, args string) bool {
	key := args
	if change.Server.inList() {
		key = command
	} else {
		entry[command] = change.Command[0]
	}
	old, _ := entry[key].([]any)
	if change.args.drop > len(old) {
		return false
	}
	var all []any
	for _, word := range change.args.front {
		all = append(all, word)
	}
	if all = append(all, old[change.args.drop:]...); change.args.none {
		delete(entry, key)
	} else if all == nil {
		entry[key] = []any{}
	} else {
		entry[key] = all
	}
	return true
}
