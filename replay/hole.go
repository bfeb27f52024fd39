package replay

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// Redacted captures hold placeholders where there were secrets. In a request they match any value, and
// everywhere the same one.

// holes are the places of a request's params that placeholders stand in.
type holes struct {
	paths map[string]bool
	mark  string // the paths, in order
}

// holesIn finds the places of params where a placeholder stands.
func holesIn(params string) holes {
	h := holes{paths: map[string]bool{}}
	leaves(params, "", func(path string, leaf gjson.Result) {
		counts := !strings.HasPrefix(path, "_meta") && !strings.HasPrefix(path, "inputResponses")
		if counts && strings.Contains(leaf.Str, reprise.PlaceholderStart) {
			h.paths[path] = true
			h.mark += path + "\x00"
		}
	})
	return h
}

// hole is what stands in a key for what a placeholder stands for.
const hole = "\x00hole"

// key is a request's loose key without what stands in the holes.
func (h holes) key(a *asked, g *reprise.Ignore) []byte {
	return a.appendKey([]byte("holes\x00"+h.mark), func(m member) string {
		if text := a.usual(m, 0); text != "" {
			return text
		}
		return rewrite(m.value.Raw, reprise.PathMember("", m.name), func(path string) string {
			if h.paths[path] {
				return hole
			}
			return a.ignored(path, g)
		})
	})
}

// punch finds a call by all but its secrets.
func (x *index) punch(a *asked, c *call) {
	h := holesIn(a.params)
	if len(h.paths) == 0 {
		return
	}
	name := nameKey(a.method, a.name)
	if !slices.ContainsFunc(x.holes[name], func(other holes) bool { return other.mark == h.mark }) {
		x.holes[name] = append(x.holes[name], h)
	}
	x.add(h.key(a, x.ignore), c)
}

// fill gives the values that stand for a recorded request's placeholders, or says that the params don't fit, or
// that one of them stands for another value already.
func (h holes) fill(recorded, live string, known map[string]string) (map[string]string, bool) {
	values := map[string]string{}
	at := map[string]gjson.Result{}
	leaves(live, "", func(path string, leaf gjson.Result) { at[path] = leaf })
	fits := true
	leaves(recorded, "", func(path string, leaf gjson.Result) {
		if fits && h.paths[path] {
			fits = at[path].Exists() && fill(leaf.Str, at[path], values)
		}
	})
	for name, value := range values {
		if old, ok := known[name]; ok && !sameSecret(old, value) {
			return nil, false
		}
	}
	return values, fits
}

// fill fits one string with placeholders to a live scalar.
func fill(recorded string, live gjson.Result, values map[string]string) bool {
	text := live.String()
	for recorded != "" {
		from := strings.Index(recorded, reprise.PlaceholderStart)
		if from < 0 {
			return text == recorded
		}
		if !strings.HasPrefix(text, recorded[:from]) {
			return false
		}
		text = text[from:]
		name, rest, whole := strings.Cut(recorded[from:], reprise.PlaceholderEnd)
		if !whole {
			return text == recorded[from:]
		}
		until := len(text)
		if next, _, _ := strings.Cut(rest, reprise.PlaceholderStart); next != "" {
			if until = strings.Index(text, next); until < 0 {
				return false
			}
		}
		if old, ok := values[name]; ok && !sameSecret(old, text[:until]) {
			return false
		}
		values[name], text, recorded = text[:until], text[until:], rest
	}
	return text == ""
}

// sameSecret says whether two texts are the same secret, of which one may stand in JSON in a string.
func sameSecret(a, b string) bool {
	escaped := func(s string) string { quoted := string(reprise.Quote(s)); return quoted[1 : len(quoted)-1] }
	return a == b || escaped(a) == b || a == escaped(b)
}
