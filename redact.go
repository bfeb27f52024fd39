package reprise

import (
	"bytes"
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Redactor masks secrets in one capture: token shapes, the values of secret
// names, credentials in URLs and headers, and what the user's own rules name.
//
// The same secret gets the same placeholder wherever it stands: in an argument, in JSON
// inside text, in a URL, in the server's output. Placeholders are ordinals, so that nothing
// can be guessed from them, and what links one message to another still does.
// A secret may be named in one place and stand bare in an earlier one; so all of a
// capture is shown to Learn before any of it goes through Mask.
//
// Only the strings that hold a secret are edited, and of them only the secret: every
// other byte stays. Progress tokens and cursors are no secrets; requestState is
// masked, since it may hold anything and whoever sends it back sends it as it came.
type Redactor struct {
	// Paths are the user's own places in a frame, such as params.arguments.ssn:
	// member names and indexes, * for any one of them, ** for any number.
	Paths []string
	// Patterns are the user's own. What the first group matches is masked, or all when there is none.
	Patterns []*regexp.Regexp

	names map[string]string // placeholder by secret
	last  map[string]int    // highest ordinal by kind
	taken map[string]bool   // placeholders that stood in the traffic
	known knownValues
	used  map[string]bool // the user's rules that named something
}

// Unused are the user's own rules that have named nothing so far: paths, and patterns between slashes.
func (r *Redactor) Unused() (rules []string) {
	for _, p := range r.Patterns {
		rules = append(rules, "/"+p.String()+"/")
	}
	return slices.DeleteFunc(append(rules, r.Paths...), func(rule string) bool { return r.used[rule] })
}

func (r *Redactor) use(rule string) {
	if r.used == nil {
		r.used = map[string]bool{}
	}
	r.used[rule] = true
}

// Learn takes note of the secrets in a frame, or in any other text.
func (r *Redactor) Learn(data []byte) { r.Mask(data) }

// Mask replaces the secrets in a frame, or in any other text. It gives the data
// itself when it holds none. What is valid JSON stays valid, and what is masked stays as it is.
func (r *Redactor) Mask(data []byte) []byte {
	for range maxRounds {
		spans := r.find(view(data))
		if len(spans) == 0 {
			break
		}
		var b []byte
		done := 0
		for _, s := range spans {
			b = append(b, data[done:s.from]...)
			if s.bare {
				b = append(append(append(b, '"'), r.placeholder(s)...), '"')
			} else {
				b = append(b, r.placeholder(s)...)
			}
			done = s.to
		}
		data = append(b, data[done:]...)
	}
	return data
}

// maxRounds bounds how often the masked text is looked at again: what stands beside a
// placeholder may read as a secret only now.
const maxRounds = 8

// Placeholders is how many different placeholders have been given or seen.
func (r *Redactor) Placeholders() int { return r.given() + len(r.taken) }

func (r *Redactor) given() int { return len(r.names) }

// secret is a secret in a text.
type secret struct {
	from, to int
	kind     string
	value    string // the secret itself, free of any escape
	bare     bool   // a number or literal, which a string replaces
}

// placeholder gives the secret's placeholder, a new one at first sight.
func (r *Redactor) placeholder(s secret) string {
	if name := r.names[s.value]; name != "" {
		return name
	}
	if r.names == nil {
		r.names, r.last = map[string]string{}, map[string]int{}
	}
	name := ""
	for name == "" || r.taken[name] {
		r.last[s.kind]++
		name = PlaceholderStart + s.kind + ":" + strconv.Itoa(r.last[s.kind]) + PlaceholderEnd
	}
	value := strings.Clone(s.value)
	r.names[value] = name
	r.known.add(value)
	return name
}

// What a placeholder begins and ends with.
const (
	PlaceholderStart = "«redacted:"
	PlaceholderEnd   = "»"
)

// placeholders finds the placeholders that stand in a text.
func placeholders(text string) (all []secret) {
	for at := 0; ; {
		n := strings.Index(text[at:], PlaceholderStart)
		if n < 0 {
			return all
		}
		from := at + n
		at = from + len(PlaceholderStart)
		kind := strings.TrimLeft(text[at:], "abcdefghijklmnopqrstuvwxyz-")
		rest := strings.TrimLeft(strings.TrimPrefix(kind, ":"), "0123456789")
		whole := strings.HasPrefix(kind, ":") && len(rest) < len(kind)-1 && strings.HasPrefix(rest, PlaceholderEnd)
		if whole && len(kind) < len(text)-at {
			at = len(text) - len(rest) + len(PlaceholderEnd)
			all = append(all, secret{from: from, to: at})
		}
	}
}

// find gives the secrets of a frame in order.
func (r *Redactor) find(text string) []secret {
	if spans, ok := r.inJSON(text, 0); ok {
		return spans
	}
	if value := strings.Trim(text, " \t\r\n"); value != "" && strings.IndexByte("{[", value[0]) < 0 && gjson.Valid(value) {
		if value[0] != '"' {
			return nil // a number or literal
		}
		w := walk{redactor: r, text: text, open: []container{{array: true}}}
		w.value(strings.IndexByte(text, '"'), len(text))
		return w.spans
	}
	return r.inText(text)
}

// settle puts spans in order, joins those that overlap and leaves placeholders
// that stand there already alone.
func (r *Redactor) settle(text string, spans []secret) []secret {
	there := placeholders(text)
	for _, p := range there {
		if r.taken == nil {
			r.taken = map[string]bool{}
		}
		if name := text[p.from:p.to]; !r.gave(name) {
			r.taken[strings.Clone(name)] = true
		}
	}
	slices.SortStableFunc(spans, func(a, b secret) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var joined []secret
	for _, s := range spans {
		last := len(joined) - 1
		switch {
		case last < 0 || s.from >= joined[last].to:
			joined = append(joined, s)
		case s.to > joined[last].to:
			joined[last].to = s.to
			joined[last].value = text[joined[last].from:s.to]
		}
	}
	return without(text, joined, there)
}

// gave says whether the placeholder is one of ours.
func (r *Redactor) gave(name string) bool {
	kind, ordinal, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(name, PlaceholderStart), PlaceholderEnd), ":")
	n, err := strconv.Atoi(ordinal)
	return err == nil && !r.taken[name] && n > 0 && n <= r.last[kind]
}

// without cuts the holes out of the spans. Both are in order.
func without(text string, spans, holes []secret) []secret {
	if len(holes) == 0 {
		return spans
	}
	var cut []secret
	for _, s := range spans {
		for _, hole := range holes {
			if hole.to <= s.from || hole.from >= s.to {
				continue
			}
			if hole.from > s.from {
				cut = append(cut, secret{from: s.from, to: hole.from, kind: s.kind, value: text[s.from:hole.from]})
			}
			s.from = min(hole.to, s.to)
			s.value = text[s.from:s.to]
		}
		if s.from < s.to {
			cut = append(cut, s)
		}
	}
	return cut
}

// Capture masks a whole capture: it goes through the items once to learn and
// gives the header and the items as they may leave the machine. The items are read twice.
func (r *Redactor) Capture(h *CaptureHeader, items iter.Seq2[CaptureItem, error]) (*CaptureHeader, iter.Seq2[CaptureItem, error], error) {
	masked := *h
	r.Learn([]byte(h.Session.URL))
	r.Learn([]byte(h.Extra))
	for item, err := range items {
		if err != nil {
			return nil, nil, err
		}
		r.item(&item, func(data []byte) []byte {
			r.Learn(data)
			return data
		})
	}
	masked.Session.URL = string(r.Mask([]byte(h.Session.URL)))
	masked.Extra = string(r.Mask([]byte(h.Extra)))
	masked.Redaction = r.note(h.Redaction)
	return &masked, func(yield func(CaptureItem, error) bool) {
		for item, err := range items {
			if err == nil {
				r.item(&item, r.Mask)
			}
			if !yield(item, err) {
				return
			}
		}
	}, nil
}

// item masks one item. The size on the wire of a frame would tell the length of
// a secret, and is kept only where no data stands for it.
func (r *Redactor) item(item *CaptureItem, mask func([]byte) []byte) {
	switch {
	case item.Frame != nil:
		f := *item.Frame
		f.Data = mask(f.Data)
		f.Size += int64(len(f.Data) - len(item.Frame.Data))
		item.Frame = &f
	case item.Log != nil:
		log := *item.Log
		log.Data = mask(log.Data)
		item.Log = &log
	case item.Line != nil && bytes.HasPrefix(item.Line.Text, []byte(",")):
		object := mask(slices.Concat([]byte("{"), item.Line.Text[1:], []byte("}")))
		item.Line = &CaptureLine{After: item.Line.After, Text: append([]byte(","), object[1:len(object)-1]...)}
	case item.Line != nil:
		item.Line = &CaptureLine{After: item.Line.After, Text: mask(item.Line.Text)}
	}
}

// note is the header's word on the redaction: what stood there, brought up to date when anything was masked now.
func (r *Redactor) note(before string) string {
	if before != "" && r.given() == 0 {
		return before
	}
	rules := "default"
	if len(r.Paths)+len(r.Patterns) > 0 {
		rules = "default and own"
	}
	b := appendString([]byte(`{"rules":`), rules)
	b = strconv.AppendInt(append(b, `,"placeholders":`...), int64(r.Placeholders()), 10)
	return string(append(appendMembers(b, gjson.Parse(before), "rules", "placeholders"), '}'))
}
