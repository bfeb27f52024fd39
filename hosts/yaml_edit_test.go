package hosts

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// yamlStep is a key or an index on the way to a value.
type yamlStep any

// eachYAML visits every node that is not locked, with the way to it.
func eachYAML(n *node, way []yamlStep, visit func(*node, []yamlStep)) {
	if n.locked == "" {
		visit(n, way)
	}
	for i, item := range n.items {
		eachYAML(item.value, append(slices.Clip(way), i), visit)
	}
	for _, m := range n.members {
		eachYAML(m.value, append(slices.Clip(way), m.key), visit)
	}
}

// changeAt gives what a file says with one value changed, which is on a way of keys and indexes.
func changeAt(root any, way []yamlStep, change func(any) any) any {
	if len(way) == 0 {
		return change(root)
	}
	switch v := root.(type) {
	case map[string]any:
		v[way[0].(string)] = changeAt(v[way[0].(string)], way[1:], change)
	case []any:
		v[way[0].(int)] = changeAt(v[way[0].(int)], way[1:], change)
	}
	return root
}

// checkYAML makes every kind of edit there may be in a file, and compares what it says then with what it should.
func checkYAML(t *testing.T, src []byte) {
	t.Helper()
	_, cannot := meanYAML(src)
	root, err := parseYAML(src)
	if err != nil {
		if root != nil {
			t.Error("a tree and an error")
		}
		return
	}
	if cannot != nil {
		t.Fatalf("parse takes what mean refuses: %v", cannot)
	}
	c := yamlChecker{t, src}
	eachYAML(root, nil, func(n *node, way []yamlStep) {
		switch n.kind {
		case text:
			c.text(n, way)
		case list:
			c.list(n, way)
		case mapping:
			for i := range n.members {
				c.member(n, &n.members[i], way)
			}
		}
	})
}

type yamlChecker struct {
	t   *testing.T
	src []byte
}

func (c yamlChecker) expect(what string, edits []edit, way []yamlStep, change func(any) any) {
	c.t.Helper()
	before, err := meanYAML(c.src)
	if err != nil {
		c.t.Fatal(err)
	}
	want := changeAt(before, way, change)
	out := splice(c.src, edits)
	got, err := meanYAML(out)
	if err != nil || !reflect.DeepEqual(got, want) {
		c.t.Errorf("%s at %v of\n%q\ngives\n%q\nwhich says %#v (%v), want %#v", what, way, c.src, out, got, err, want)
	}
	if _, err := parseYAML(out); err != nil {
		c.t.Errorf("%s at %v of\n%q\ngives\n%q\nwhich is refused: %v", what, way, c.src, out, err)
	}
}

func (c yamlChecker) text(n *node, way []yamlStep) {
	c.t.Helper()
	spelt := c.src[n.start:n.end]
	if said, err := meanYAML(spelt); err != nil || said != n.text {
		c.t.Errorf("%q alone says %#v (%v), want %q; in %q", spelt, said, err, n.text, c.src)
	}
	again := n.text + ` "it's" # \ é`
	c.expect("writing a text", []edit{{n.start, n.end, quoteYAML(again)}}, way, func(any) any { return again })
}

func (c yamlChecker) list(n *node, way []yamlStep) {
	c.t.Helper()
	front := []any{"a", "b"}
	put := func(old any) any { return slices.Concat(front, old.([]any)) }
	if n.block {
		at := n.items[0].start
		column := at - strings.LastIndexByte("\n"+string(c.src[:at]), '\n')
		if strings.LastIndexByte(string(c.src[:at]), '\n') < 0 && strings.HasPrefix(string(c.src), byteOrderMark) {
			column -= len(byteOrderMark)
		}
		next := "\n" + strings.Repeat(" ", column)
		if len(n.items) > 1 {
			c.drop(n, way, n.items[1].start)
		}
		c.expect("putting items in front", []edit{{at, at, "- \"a\"" + next + "- \"b\"" + next}}, way, put)
		return
	}
	words := `"a", "b"`
	if len(n.items) > 1 {
		c.drop(n, way, n.items[0].after)
	}
	if len(n.items) > 0 {
		words += ", "
		first := n.items[0].start
		c.expect("putting items in front", []edit{{first, first, words}}, way, put)
	}
	c.expect("putting items behind the bracket", []edit{{n.start + 1, n.start + 1, words}}, way, put)
}

// drop takes the first item out of a list, with the space behind it.
func (c yamlChecker) drop(n *node, way []yamlStep, to int) {
	c.t.Helper()
	rest := c.src[to:]
	if rest = bytes.TrimLeft(rest, " \t\r\n"); bytes.HasPrefix(rest, []byte("#")) || bytes.ContainsRune(c.src[:to], '&') {
		return // behind a bracket it would be no comment, and an anchor may be asked for
	}
	gone := []edit{{n.items[0].start, len(c.src) - len(rest), ""}}
	c.expect("taking the first item out", gone, way, func(old any) any { return old.([]any)[1:] })
}

func (c yamlChecker) member(n *node, m *member, way []yamlStep) {
	c.t.Helper()
	if m.value.kind != text || m.value.locked != "" {
		return
	}
	key := "args"
	for i := 0; n.find(key) != nil; i++ {
		key = fmt.Sprint("args", i)
	}
	added := m.lead + keyYAML(key) + m.colon + `["a"]`
	add := func(old any) any { old.(map[string]any)[key] = []any{"a"}; return old }
	c.expect("adding a member", []edit{{m.value.end, m.value.end, added}}, way, add)
	c.expect("writing a text and adding a member", []edit{{m.value.start, m.value.end, `"/bin/x"` + added}}, way, func(old any) any {
		old.(map[string]any)[m.key] = "/bin/x"
		return add(old)
	})
}
