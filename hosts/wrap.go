package hosts

import (
	"errors"
	"fmt"
	"strings"
)

// wrap puts the wrapper in front of a server that is not wrapped.
//
//	"command": "npx",                "command": "/usr/local/bin/reprise",
//	"args": ["-y", "some-server"] →  "args": ["record", "--host", "cursor", "--name", "some", "--", "npx", "-y", "some-server"]
//
// Our words and the old command go in front of what is there, so that the rest of the list keeps its bytes and its comments.
func (c *Config) wrap(s Server, w Wrapper) (alteration, error) {
	if s.State != Plain && s.State != Foreign {
		return alteration{}, fmt.Errorf("%s is %s", s.Name, s.State)
	}
	if err := c.splits(s, w.Binary); err != nil {
		return alteration{}, err
	}
	quote, words := c.shape.Format.syntax().quote, w.words(s.Name)
	change := alteration{Server: s, Command: w.Around(s.Name, s.Command)}
	change.Wrap = s.wrapBy(w.Binary)
	command := s.command.value
	if s.inList() {
		change.args.front = append([]string{w.Binary}, words...)
		change.insert(c, command, quoteAll(quote, change.args.front))
		return change, nil
	}
	change.args.front = append(words, command.text)
	inserted := append(quoteAll(quote, words), c.again(command))
	if s.args != nil {
		change.replace(c, command, quote(w.Binary))
		change.insert(c, s.args, inserted)
		return change, nil
	}
	key := c.shape.Format.syntax().key(c.shape.Args)
	change.replace(c, command, quote(w.Binary)+s.command.lead+key+s.command.colon+"["+strings.Join(inserted, ", ")+"]")
	return change, nil
}

// splits refuses a path that the host would take for several words.
func (c *Config) splits(s Server, binary string) error {
	if c.shape.Shell && !s.inList() && strings.ContainsAny(binary, " \t\\'\"") {
		return errors.New("this host splits commands as a shell does, and the path of reprise has a blank or a backslash")
	}
	return nil
}

// wrapBy is what is remembered of a wrap, but for what it replaced.
func (s Server) wrapBy(binary string) *Wrap {
	return &Wrap{Container: s.Container, Server: s.Name, Index: max(s.index, 0), Binary: binary}
}

func quoteAll(quote func(string) string, words []string) []string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return quoted
}

// again writes a text so that it can stand elsewhere: as it is spelt, but in YAML, where that depends on the place.
func (c *Config) again(n *node) string {
	if c.shape.Format == YAML {
		return yamlSyntax.quote(n.text)
	}
	return c.spelt(n)
}

// replace puts a text in the place of the command's.
func (change *alteration) replace(c *Config, command *node, text string) {
	change.edits = append(change.edits, edit{command.start, command.end, text})
	change.Wrap.Command = Piece{Wrapped: text, Original: c.spelt(command)}
}

// insert puts items in front of a list's.
func (change *alteration) insert(c *Config, n *node, items []string) {
	at, text := c.front(n, items)
	change.edits = append(change.edits, edit{at, at, text})
	change.Wrap.Args = Piece{Wrapped: text}
}

// front gives the place of a list's first item and the text that puts items there. A line for the first is a line for them all.
func (c *Config) front(n *node, items []string) (int, string) {
	switch {
	case n.block:
		at := n.items[0].start
		between := firstLineEnd(c.src) + strings.Repeat(" ", at-(strings.LastIndexByte(string(c.src[:at]), '\n')+1))
		return at, strings.ReplaceAll("- "+strings.Join(items, "\x00- ")+"\x00", "\x00", between)
	case len(n.items) == 0:
		return n.start + 1, strings.Join(items, ", ")
	}
	inside := string(c.src[n.start+1 : n.end])
	gap := inside[:len(inside)-len(strings.TrimLeft(inside, " \t\r\n"))]
	between := " "
	if strings.Contains(gap, "\n") {
		between = gap
	}
	return n.start + 1 + len(gap), strings.Join(items, ", ") + "," + between
}

// point makes a wrapped server run another reprise: its own is gone.
func (c *Config) point(s Server, binary string, known []Wrap) alteration {
	quote := c.shape.Format.syntax().quote
	place := s.command.value
	if place.kind == list {
		place = place.items[0].value
	}
	change := alteration{Server: s, Command: c.words(&s), edits: []edit{{place.start, place.end, quote(binary)}}}
	change.Command[0] = binary
	if s.inList() {
		change.args = argsAfter{front: []string{binary}, drop: 1}
	}
	wrap := s.wrapBy(binary)
	if w := c.remembered(s, known); w != nil {
		*wrap = *w
		wrap.Command.Wrapped = strings.Replace(w.Command.Wrapped, quote(w.Binary), quote(binary), 1)
		if s.inList() {
			wrap.Args.Wrapped = strings.Replace(w.Args.Wrapped, quote(w.Binary), quote(binary), 1)
		}
		wrap.Binary = binary
	}
	change.Wrap = wrap
	return change
}
