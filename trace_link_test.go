package reprise_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"reprise"
	"reprise/fixtures"
)

// traced is what a session's frames give.
type traced struct {
	session reprise.Session
	frames  map[int64][]byte
	values  []reprise.Value
	uses    []reprise.Use
	calls   map[int64]string
}

// trace derives a captured session whose chunks are cut as cut says.
func trace(t *testing.T, name string, cut func(n int) int) *traced {
	t.Helper()
	lines, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	r := &traced{frames: map[int64][]byte{}, calls: map[int64]string{}}
	seen := map[*reprise.Call]bool{}
	d := reprise.Deriver{Session: &r.session, Message: func(*reprise.Frame, *reprise.Message, *reprise.Call) {},
		Call:  func(c *reprise.Call) { seen[c] = true },
		Value: func(v *reprise.Value) { r.values = append(r.values, *v) }, Use: func(u *reprise.Use) { r.uses = append(r.uses, *u) }}
	framer := reprise.Framer{Emit: func(f reprise.Frame) {
		f.Data = bytes.Clone(f.Data)
		r.frames[f.Seq] = bytes.Clone(f.Data)
		d.Add(&f)
		clear(f.Data)
	}}
	for _, line := range lines {
		dir, ok := map[string]reprise.Direction{"c2s": reprise.ClientToServer, "s2c": reprise.ServerToClient}[line.Dir]
		for rest := []byte(line.Raw + "\n"); ok && len(rest) > 0; {
			n := cut(len(rest))
			framer.Add(reprise.Chunk{Direction: dir, Data: rest[:n]})
			rest = rest[n:]
		}
	}
	framer.Flush(0)
	d.End()
	for c := range seen {
		r.calls[c.Seq*1000+int64(c.Index)] = fmt.Sprint(c.Link, c.Of, c.OfIndex, c.Rendered, c.Partial, c.Status)
	}
	return r
}

func whole(n int) int { return n }

// TestLinks re-reads the bytes that every link and every value points at.
func TestLinks(t *testing.T) {
	links := 0
	for _, name := range fixtures.Names() {
		r := trace(t, name, whole)
		for _, v := range r.values {
			if err := r.holds(v.Seq, v.Index, v.Path, v.JSON); err != nil {
				t.Errorf("%s: value %+v: %v", name, v, err)
			}
		}
		for _, u := range r.uses {
			if u.ValueSeq == 0 {
				continue
			}
			links++
			if u.ValueSeq >= u.Seq {
				t.Errorf("%s: used before it was generated: %+v", name, u)
			}
			if err := r.linked(&u); err != nil {
				t.Errorf("%s: use %+v: %v", name, u, err)
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links in all fixtures", links)
	}
}

// linked looks for the value row that a use is linked to, and for a harvested value at its place.
func (r *traced) linked(u *reprise.Use) error {
	given := false
	for _, v := range r.values {
		given = given || v.Seq == u.ValueSeq && v.Index == u.ValueIndex && v.Path == u.ValuePath
	}
	if !given {
		return fmt.Errorf("its value was not given")
	}
	if u.Source == reprise.SourceDerived {
		return nil
	}
	return r.holds(u.ValueSeq, u.ValueIndex, u.ValuePath, u.JSON)
}

// holds says whether a value stands at a path of the result in a frame: it is the leaf there, or a word of its text.
func (r *traced) holds(seq int64, index int, path, value string) error {
	messages := reprise.ReadMessages(r.frames[seq])
	if index >= len(messages) || messages[index].Result == "" {
		return fmt.Errorf("no result there")
	}
	var result any
	d := json.NewDecoder(strings.NewReader(messages[index].Result))
	d.UseNumber()
	if err := d.Decode(&result); err != nil {
		return err
	}
	var tried []string
	for _, root := range roots(result) {
		found, ok := descend(root, path)
		if ok && same(found, value) {
			return nil
		}
		tried = append(tried, fmt.Sprint(found))
	}
	return fmt.Errorf("%s is not at %s: %q", value, path, tried)
}

// roots are what paths may begin at: structured content, the JSON of a text, the result.
func roots(result any) []any {
	all := []any{result}
	object, _ := result.(map[string]any)
	for _, key := range []string{"structuredContent", "result"} {
		if object[key] != nil {
			all = append(all, object[key])
		}
	}
	for _, key := range []string{"content", "contents"} {
		blocks, _ := object[key].([]any)
		for _, b := range blocks {
			block, _ := b.(map[string]any)
			if resource, ok := block["resource"].(map[string]any); ok {
				block = resource
			}
			if text, ok := parsed(block["text"]); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

func parsed(text any) (v any, ok bool) {
	s, ok := text.(string)
	if !ok {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	return v, d.Decode(&v) == nil
}

// descend follows a path as people write it: items[0]["odd key"].id. A name in the last place may be the value itself.
func descend(v any, path string) (any, bool) {
	for path != "" {
		if text, ok := parsed(v); ok {
			v = text
		}
		var key string
		switch {
		case strings.HasPrefix(path, `["`):
			end := strings.Index(path, `"]`)
			for strings.HasSuffix(path[:end], `\`) {
				end += 1 + strings.Index(path[end+1:], `"]`)
			}
			if json.Unmarshal([]byte(path[1:end+1]), &key) != nil {
				return nil, false
			}
			path = path[end+2:]
		case path[0] == '[':
			end := strings.IndexByte(path, ']')
			i, err := strconv.Atoi(path[1:end])
			list, ok := v.([]any)
			if err != nil || !ok || i >= len(list) {
				return nil, false
			}
			v, path = list[i], path[end+1:]
			continue
		default:
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			key, path = path[:end], path[end:]
		}
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = object[key]; !ok {
			return nil, false
		}
		if path == "" {
			v = [2]any{key, v}
		}
	}
	return v, true
}

func same(found any, value string) bool {
	if pair, ok := found.([2]any); ok {
		return same(pair[0], value) || same(pair[1], value)
	}
	var want any
	d := json.NewDecoder(strings.NewReader(value))
	d.UseNumber()
	if d.Decode(&want) != nil {
		return false
	}
	if reflect.DeepEqual(found, want) {
		return true
	}
	if n, ok := want.(json.Number); ok {
		m, ok := found.(json.Number)
		return ok && reprise.CanonicalNumber(n.String()) == reprise.CanonicalNumber(m.String())
	}
	text, ok := found.(string)
	word, is := want.(string)
	return ok && is && strings.ContainsAny(text, " \n") && strings.Contains(text, word)
}

// TestTraceAlike: where the chunks were cut makes no difference.
func TestTraceAlike(t *testing.T) {
	for _, name := range fixtures.Names() {
		want := trace(t, name, whole)
		for seed := range uint64(3) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			got := trace(t, name, func(n int) int { return 1 + rnd.IntN(min(n, 1+rnd.IntN(4000))) })
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, seed %d: another trace", name, seed)
			}
		}
	}
}
