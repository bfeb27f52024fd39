package hosts

import (
	"bytes"
	"fmt"
	"strings"
)

// unwrap takes the wrapper away. Where the bytes are still those that a wrap put there, what it replaced comes back to
// the byte; else what stands behind `--` becomes the command, and the items in front of it go.
func (c *Config) unwrap(s Server, known []Wrap) (alteration, error) {
	if s.State != Wrapped {
		return alteration{}, fmt.Errorf("%s is %s", s.Name, s.State)
	}
	change := alteration{Server: s, Command: s.Command}
	change.args.drop = s.flags // in one list: binary, our words, --; else: our words, --, the command
	if w := c.remembered(s, known); w != nil {
		c.restore(&change, *w)
		return change, nil
	}
	if s.inList() {
		if s.flags >= len(s.command.value.items) {
			return alteration{}, fmt.Errorf("the command of %s is not all in one list", s.Name)
		}
		change.edits = []edit{c.dropped(s.command.value, s.flags)}
		return change, nil
	}
	original := s.args.items[s.flags-1].value
	if original.kind != text {
		return alteration{}, fmt.Errorf("the command of %s is not a text", s.Name)
	}
	change.edits = []edit{{s.command.value.start, s.command.value.end, c.again(original)}, c.dropped(s.args, s.flags)}
	return change, nil
}

// remembered gives the wrap of this server whose bytes still stand where it put them. In a list, where several can
// have one name, that of the same place comes first.
func (c *Config) remembered(s Server, known []Wrap) *Wrap {
	var found *Wrap
	for i, w := range known {
		if w.is(s) && c.fits(s, w) && (found == nil || w.Index == s.index) {
			found = &known[i]
		}
	}
	return found
}

func (c *Config) fits(s Server, w Wrap) bool {
	if s.State != Wrapped {
		return false
	}
	if !s.inList() && !c.stands(s.command.value.start, w.Command.Wrapped) {
		return false
	}
	at := c.listed(s)
	switch {
	case w.Args.Wrapped != "":
		return at >= 0 && c.stands(at, w.Args.Wrapped) && (s.ours().block || strings.HasSuffix(strings.TrimSpace(w.Args.Wrapped), ",") || s.alone())
	case s.inList() || w.Command.Wrapped == "":
		return false
	}
	return s.args != nil && s.args.end == s.command.value.start+len(w.Command.Wrapped)
}

// alone says whether the list has our words and nothing that somebody has added: it was empty.
func (s Server) alone() bool {
	items := s.ours().items
	return len(items) == s.flags && items[s.flags-1].after == items[s.flags-1].end
}

func (c *Config) stands(at int, text string) bool {
	return text != "" && at >= 0 && bytes.HasPrefix(c.src[at:], []byte(text))
}

// listed is the place of the first item of the list that has our words, or -1.
func (c *Config) listed(s Server) int {
	n := s.ours()
	if n == nil || len(n.items) == 0 {
		return -1
	}
	return n.items[0].start
}

// restore puts back what a wrap replaced.
func (c *Config) restore(change *alteration, w Wrap) {
	s := change.Server
	if w.Args.Wrapped != "" {
		at := c.listed(s)
		change.edits = append(change.edits, edit{at, at + len(w.Args.Wrapped), w.Args.Original})
	} else {
		change.args.none = true
	}
	if !s.inList() {
		at := s.command.value.start
		change.edits = append(change.edits, edit{at, at + len(w.Command.Wrapped), w.Command.Original})
	}
}

// dropped takes the first items out of a list, with the commas and the space behind them.
func (c *Config) dropped(n *node, count int) edit {
	last := n.items[count-1]
	switch {
	case n.block && count == len(n.items):
		return edit{n.start, n.end, "  []"} // further in than its key, at whose column a block list may stand
	case n.block:
		return edit{n.items[0].start, n.items[count].start, ""}
	case count == len(n.items):
		return edit{n.items[0].start, last.after, ""}
	}
	rest := bytes.TrimLeft(c.src[last.after:], " \t\r\n")
	between := ""
	if bytes.HasPrefix(rest, []byte("#")) {
		between = " " // a comment of YAML does not begin at a bracket
	}
	return edit{n.items[0].start, len(c.src) - len(rest), between}
}
