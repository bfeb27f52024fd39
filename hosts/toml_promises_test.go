package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// tomlPromises is whether parse refuses a text or keeps everything that it promises of it.
func tomlPromises(src []byte) error {
	before := bytes.Clone(src)
	root, err := parseTOML(src)
	_, meanErr := meanTOML(src)
	switch {
	case !bytes.Equal(src, before):
		return errors.New("the source was changed")
	case err != nil:
		return nil
	case meanErr != nil:
		return fmt.Errorf("parse accepts what mean refuses: %w", meanErr)
	}
	p := tomlPromise{src: src}
	p.whole, _ = meanTOML(src)
	return p.node(root, nil)
}

// tomlPromise looks at every node. Splices are tried on the first few, each of which is a file to decode.
type tomlPromise struct {
	src     []byte
	whole   any // what it says
	splices int
}

const mostSplices = 60

func (p *tomlPromise) node(n *node, path []any) error {
	if err := p.place(n, path); err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	for i := range n.members {
		m := &n.members[i]
		below := append(path[:len(path):len(path)], m.key)
		if err := p.member(m, below); err != nil {
			return fmt.Errorf("%q: %w", below, err)
		}
		if err := p.node(m.value, below); err != nil {
			return err
		}
	}
	at := n.start
	for i, item := range n.items {
		if n.start >= 0 && (item.start < at || item.end < item.start || item.after < item.end || item.after > n.end) {
			return fmt.Errorf("%q: item %d is out of order", path, i)
		}
		at = item.after
		if err := p.node(item.value, append(path[:len(path):len(path)], i)); err != nil {
			return err
		}
	}
	return nil
}

// place looks at what stands at a node's place.
func (p *tomlPromise) place(n *node, path []any) error {
	if n.start < 0 {
		if n.end >= 0 || n.kind != mapping && n.kind != list {
			return errors.New("no place")
		}
		return nil
	}
	alone, err := decodeTOML([]byte("x = " + string(p.src[n.start:n.end])))
	if err != nil {
		return fmt.Errorf("%q is no value", p.src[n.start:n.end])
	}
	value, err := forDeepEqual(alone.(map[string]any)["x"], 0)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(value, meaningAt(p.whole, path)) {
		return fmt.Errorf("%q says %v", p.src[n.start:n.end], value)
	}
	if n.kind == text && value != n.text {
		return fmt.Errorf("text %q says %q", n.text, value)
	}
	if n.kind == list {
		return p.front(n, path)
	}
	return nil
}

func meaningAt(v any, path []any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

// front puts items in front of a list's.
func (p *tomlPromise) front(n *node, path []any) error {
	at, more := n.start+1, `"a", "b"`
	if len(n.items) > 0 {
		at, more = n.items[0].start, more+", "
	}
	return p.splice(at, more, func(whole any) {
		old := meaningAt(whole, path).([]any)
		replaceAt(whole, path, append([]any{"a", "b"}, old...))
	})
}

// member puts a further member behind a text.
func (p *tomlPromise) member(m *member, path []any) error {
	if key := string(p.src[m.keyStart:m.keyEnd]); key == "" || strings.ContainsAny(key, "\n") {
		return fmt.Errorf("key is %q", key)
	}
	if m.value.kind != text {
		return nil
	}
	parent := path[:len(path)-1]
	key := "args"
	for holder := meaningAt(p.whole, parent).(map[string]any); ; key += " 1" {
		if _, ok := holder[key]; !ok {
			break
		}
	}
	return p.splice(m.value.end, m.lead+keyTOML(key)+m.colon+`["a", "b"]`, func(whole any) {
		meaningAt(whole, parent).(map[string]any)[key] = []any{"a", "b"}
	})
}

// splice puts a text into the source and compares what it says then with what it said, changed as was meant.
func (p *tomlPromise) splice(at int, text string, change func(whole any)) error {
	if p.splices++; p.splices > mostSplices {
		return nil
	}
	want, err := meanTOML(p.src)
	if err != nil {
		return err
	}
	change(want)
	out := splice(p.src, []edit{{at, at, text}})
	got, err := meanTOML(out)
	if err != nil {
		return fmt.Errorf("with %q at %d: %w", text, at, err)
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("with %q at %d it says %v", text, at, got)
	}
	if _, err := parseTOML(out); err != nil {
		return fmt.Errorf("with %q at %d it is refused: %w", text, at, err)
	}
	return nil
}

func replaceAt(whole any, path []any, value any) {
	last := len(path) - 1
	switch step := path[last].(type) {
	case string:
		meaningAt(whole, path[:last]).(map[string]any)[step] = value
	case int:
		meaningAt(whole, path[:last]).([]any)[step] = value
	}
}
