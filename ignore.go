package reprise

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// IgnoreRule names a place whose differences do not count, and those of all that is below it.
type IgnoreRule struct {
	Text string // as it was written
	name string // a pattern for the tool, the prompt or the method; "" for all of them
	path []ruleStep
}

// ruleStep is one segment of a rule's path.
type ruleStep struct {
	key   string // a pattern for the name of a member; "" where it is an element
	exact bool   // key is a name, and no pattern
	index int    // of an element; anyIndex for each of them
	any   bool   // a member or an element
	deep  bool   // any number of segments, none included
}

const anyIndex = -1

// Ignore is a list of rules. The zero value ignores nothing. It counts how often a rule was used.
type Ignore struct{ rules []ignoring }

type ignoring struct {
	IgnoreRule
	used int64
}

// ParseIgnore reads a rule: PATH, or NAME:PATH. NAME is a tool, a prompt or a method, with * and ? in it. PATH is spelled as
// provenance spells places: items[0].id, items[*].id, ["odd key"]. In it * stands for any member or element, for
// a part of a member's name too where that is not quoted, and ** for any number of them. $, params. and result. in front change nothing.
func ParseIgnore(rule string) (IgnoreRule, error) {
	r := IgnoreRule{Text: strings.TrimSpace(rule)}
	name, path := cutName(r.Text)
	r.name = strings.TrimSpace(name)
	steps, err := parseSteps(withoutRoot(strings.TrimSpace(path)))
	switch {
	case err != nil:
		return r, fmt.Errorf("read rule %q: %w", r.Text, err)
	case strings.TrimSpace(path) == "":
		return r, fmt.Errorf("read rule %q: no path: $ is everything", r.Text)
	}
	r.path = steps
	return r, nil
}

// cutName cuts a rule at its last colon outside of quotes.
func cutName(rule string) (name, path string) {
	at, open := -1, false
	for i := 0; i < len(rule); i++ {
		switch {
		case open && rule[i] == '\\':
			i++
		case rule[i] == '"':
			open = !open
		case rule[i] == ':' && !open:
			at = i
		}
	}
	if at < 0 {
		return "", rule
	}
	return rule[:at], rule[at+1:]
}

// withoutRoot drops what people write for the message or its body.
func withoutRoot(path string) string {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "$"), ".")
	for _, root := range []string{"params", "result"} {
		rest, ok := strings.CutPrefix(path, root)
		switch {
		case ok && strings.HasPrefix(rest, "."):
			return rest[1:]
		case ok && strings.HasPrefix(rest, "["):
			return rest
		}
	}
	return path
}

// parseSteps reads a path: of a rule, or of a difference, whose names are patterns for themselves then.
func parseSteps(path string) (steps []ruleStep, err error) {
	for rest := path; rest != ""; {
		var s ruleStep
		if rest[0] == '[' {
			s, rest, err = readBracket(rest)
		} else {
			s, rest, err = readName(rest)
		}
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
		if after, ok := strings.CutPrefix(rest, "."); ok {
			if rest = after; rest == "" {
				return nil, errors.New("it ends in a dot")
			}
		}
	}
	return steps, nil
}

// At is what stands at a place of a JSON value, raw: a part of it; "" when nothing does.
func At(raw, path string) string {
	steps, err := parseSteps(path)
	if err != nil {
		return ""
	}
	for _, s := range steps {
		if s.any || s.deep || s.index == anyIndex {
			return "" // a pattern, not a place
		}
		if s.key != "" || s.exact {
			raw = Member(raw, s.key).Raw
			continue
		}
		list := rawList(raw)
		if s.index >= len(list) {
			return ""
		}
		raw = list[s.index]
	}
	return raw
}

func readName(path string) (ruleStep, string, error) {
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	switch key := path[:end]; key {
	case "":
		return ruleStep{}, "", errors.New("a name is missing before a dot")
	case "*":
		return ruleStep{any: true}, path[end:], nil
	case "**":
		return ruleStep{deep: true}, path[end:], nil
	default:
		return ruleStep{key: key}, path[end:], nil
	}
}

func readBracket(path string) (s ruleStep, rest string, err error) {
	if strings.HasPrefix(path, `["`) {
		end := 2
		for end < len(path) && path[end] != '"' {
			if path[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(path) || !strings.HasPrefix(path[end+1:], "]") {
			return s, "", errors.New(`a [" has no "]`)
		}
		return ruleStep{key: unquote(path[1 : end+1]), exact: true}, path[end+2:], nil
	}
	inside, rest, ok := strings.Cut(path[1:], "]")
	if !ok {
		return s, "", errors.New("a [ has no ]")
	}
	if inside == "*" {
		return ruleStep{index: anyIndex}, rest, nil
	}
	n, err := strconv.Atoi(inside)
	if err != nil || n < 0 {
		return s, "", fmt.Errorf("[%s] is no place in a list: it is [0], [*] or [\"a name\"]", inside)
	}
	return ruleStep{index: n}, rest, nil
}

// Add adds a rule.
func (g *Ignore) Add(rule IgnoreRule) { g.rules = append(g.rules, ignoring{IgnoreRule: rule}) }

// Load reads a file of rules: one on a line, with comments behind #.
func (g *Ignore) Load(r io.Reader) error {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(withoutComment(strings.TrimPrefix(lines.Text(), "\ufeff")))
		if text == "" {
			continue
		}
		rule, err := ParseIgnore(text)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		g.Add(rule)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read rules: %w", err)
	}
	return nil
}

// withoutComment cuts a line at a # that stands at its beginning or behind a blank, outside of quotes.
func withoutComment(line string) string {
	open := false
	for i := 0; i < len(line); i++ {
		switch {
		case open && line[i] == '\\':
			i++
		case line[i] == '"':
			open = !open
		case line[i] == '#' && !open && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		}
	}
	return line
}

// Unused are the rules that have ignored nothing, as they were written.
func (g *Ignore) Unused() (rules []string) {
	if g == nil {
		return nil
	}
	for i := range g.rules {
		if atomic.LoadInt64(&g.rules[i].used) == 0 {
			rules = append(rules, g.rules[i].Text)
		}
	}
	return rules
}

// Has says whether a difference at a path does not count. The names are the call's: its method, and its tool or prompt.
//
// Rules are lenient about where a path begins: at the arguments or in them, at structuredContent or in it, at the
// result or in the JSON of one of its texts.
func (g *Ignore) Has(names []string, path string) bool {
	if g == nil || len(g.rules) == 0 {
		return false
	}
	steps, _ := parseSteps(strings.TrimSuffix(path, "…"))
	for i := range g.rules {
		r := &g.rules[i]
		if r.isAbout(names) && r.covers(steps) {
			atomic.AddInt64(&r.used, 1) // one list may serve several conversations
			return true
		}
	}
	return false
}

func (r *IgnoreRule) isAbout(names []string) bool {
	return r.name == "" || slices.ContainsFunc(names, func(name string) bool { return glob(r.name, name) })
}

// covers says whether a path begins as the rule does, from its root or from one of those that may be left out.
func (r *IgnoreRule) covers(path []ruleStep) bool {
	for {
		if r.begins(path) {
			return true
		}
		n := rootOf(path)
		if n == 0 {
			return false
		}
		path = path[n:]
	}
}

// rootOf counts the segments at the beginning of a path that a rule may leave out.
func rootOf(path []ruleStep) int {
	if len(path) == 0 {
		return 0
	}
	switch path[0].key {
	case "arguments", "structuredContent", "params", "result":
		return 1
	case "content", "contents": // [0].text
		if len(path) > 3 && path[1].key == "" && path[2].key == "text" {
			return 3
		}
	}
	return 0
}

// begins walks the path with the set of places in the rule that may have been reached.
func (r *IgnoreRule) begins(path []ruleStep) bool {
	at := make([]bool, len(r.path)+1)
	at[0] = true
	for n := 0; ; n++ {
		for i, s := range r.path {
			at[i+1] = at[i+1] || at[i] && s.deep
		}
		if at[len(r.path)] {
			return true
		}
		if n == len(path) {
			return false
		}
		next := make([]bool, len(at))
		for i := range r.path {
			s := &r.path[i]
			next[i] = next[i] || at[i] && s.deep
			next[i+1] = next[i+1] || at[i] && s.takes(&path[n])
		}
		at = next
	}
}

func (s *ruleStep) takes(other *ruleStep) bool {
	switch {
	case s.any:
		return true
	case s.deep:
		return false
	case s.exact:
		return other.key == s.key && (s.key != "" || other.exact)
	case s.key != "":
		return other.key != "" && glob(s.key, other.key)
	}
	return other.key == "" && (s.index == anyIndex || s.index == other.index)
}
