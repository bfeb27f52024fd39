package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"reprise"
	"reprise/replay"

	"github.com/tidwall/gjson"
)

// learnNoise holds the conversation twice, with two processes, and takes for noise what differs between the two. What differs from the
// recorded session in both alike is none.
func (p *program) learnNoise(ctx context.Context, o verifyOptions, c *reprise.Capture, ignore *reprise.Ignore) error {
	first, err := p.verifyOnce(ctx, o, c, ignore)
	if err != nil {
		return err
	}
	today, err := p.today(c, first)
	if err != nil {
		return err
	}
	again, err := p.verifyOnce(ctx, o, today, ignore)
	if err != nil {
		return err
	}
	rules := noiseIn(again.Calls)
	file := o.noiseFile()
	if err := addRules(file, rules); err != nil {
		return err
	}
	s := p.screen(o.shared)
	for _, r := range rules {
		if o.json {
			err = r.row(file).writeTo(s)
		} else {
			err = s.line("%s  %s", visible(r.rule), s.paint(dim, r.comment()))
		}
		if err != nil {
			return err
		}
	}
	if !o.json {
		s.note("%s", learnt(rules, file))
	}
	return s.Flush()
}

// noise is a place that differs between two runs.
type noise struct {
	name   string // of the tool or method
	rule   string
	differ int // in how many calls
	of     int // calls of its tool or method
}

func (n *noise) comment() string { return fmt.Sprintf("# differed in %d of %d", n.differ, n.of) }

func (n *noise) row(file string) *object {
	o := newObject()
	o.set("rule", n.rule)
	o.set("differed", n.differ)
	o.set("of", n.of)
	o.set("file", file)
	return o
}

// noiseIn finds the places, most frequent first.
func noiseIn(calls []*replay.Verified) []*noise {
	found, of := map[string]*noise{}, map[string]int{}
	for _, c := range calls {
		name := cmp.Or(c.Name, c.Method)
		if c.Skip != "" || c.Class == reprise.ClassMissing || c.Class == reprise.ClassExtra {
			continue
		}
		of[name]++
		seen := map[string]bool{}
		for _, d := range c.Changed {
			rule := ruleFor(c, d)
			if rule == "" || seen[rule] {
				continue
			}
			seen[rule] = true
			if found[rule] == nil {
				found[rule] = &noise{name: name, rule: rule}
			}
			found[rule].differ++
		}
	}
	for _, n := range found {
		n.of = of[n.name]
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *noise) int {
		return cmp.Or(b.differ-a.differ, strings.Compare(a.rule, b.rule))
	})
}

// learnt says what has become of the rules.
func learnt(rules []*noise, file string) string {
	if len(rules) == 0 {
		return "Nothing differs between the two runs: no rule is needed."
	}
	return count(int64(len(rules)), "rule") + " written to " + visible(file)
}

// ruleFor spells the rule that ignores a difference; "" where none says it. Whatever a server calls its tools and
// members, the rule reads back as what it was meant for.
func ruleFor(c *replay.Verified, d reprise.Difference) string {
	if d.Path == "" {
		return ""
	}
	text := patternOf(cmp.Or(c.Name, c.Method)) + ":" + placeOf(d.Path, d.Recorded == "" || d.Live == "")
	rule, err := reprise.ParseIgnore(text)
	if err != nil || rule.Text != text {
		return ""
	}
	var g reprise.Ignore
	g.Add(rule)
	if !g.Has([]string{c.Method, c.Name}, d.Path) {
		return ""
	}
	return text
}

// patternOf is a name as a rule can have it, with ? for what means something else there.
func patternOf(name string) string {
	rest := strings.TrimSpace(name)
	pattern := strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"\\#*", r) || unicode.IsControl(r) {
			return '?'
		}
		return r
	}, rest)
	from := strings.Index(name, rest)
	return strings.Repeat("?", len([]rune(name[:from]))) + pattern + strings.Repeat("?", len([]rune(name[from+len(rest):])))
}

var (
	aStep = regexp.MustCompile(`^(?:\["(?:[^"\\]|\\.)*"\]|\[\d+\]|\.?[^.\[]+)`)
	aRoot = regexp.MustCompile(`^(structuredContent\.|contents?\[\*\]\.text[.])`)
)

// placeOf is a path for every element of its lists, without the roots that a rule may leave out: a structured result and its copy
// as text have one rule. Where only one side has the place, a member whose name looks like an identifier stands for every
// member: tomorrow it is called otherwise.
func placeOf(path string, oneSided bool) string {
	var b strings.Builder
	for rest := path; rest != ""; {
		step := aStep.FindString(rest)
		if step == "" {
			return path
		}
		rest = rest[len(step):]
		switch {
		case step[0] == '[' && step[1] != '"':
			b.WriteString("[*]")
		case oneSided && isRandom(step):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteByte('*')
		default:
			b.WriteString(step)
		}
	}
	return aRoot.ReplaceAllString(b.String(), "")
}

// isRandom says whether the name of a member looks like an identifier: it does, and has a digit.
func isRandom(step string) bool {
	name := gjson.Parse(strings.TrimSuffix(strings.TrimPrefix(step, "["), "]")).Str
	if step[0] != '[' {
		name = strings.TrimPrefix(step, ".")
	}
	text, err := json.Marshal(name)
	value := reprise.Use{Path: "of", JSON: string(text)}
	digits := strings.Trim(name, "0123456789") == ""
	return err == nil && (digits || strings.ContainsAny(name, "0123456789") && value.Identifies())
}

// addRules adds those to the file that are not in it.
func addRules(file string, rules []*noise) error {
	before, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	var there reprise.Ignore // its rules, none of them used: see Unused
	if err := there.Load(bytes.NewReader(before)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var b bytes.Buffer
	b.Write(before)
	if len(before) > 0 && before[len(before)-1] != '\n' {
		b.WriteByte('\n')
	}
	old := b.Len()
	for _, r := range rules {
		if !slices.Contains(there.Unused(), r.rule) {
			fmt.Fprintf(&b, "%s  %s\n", r.rule, r.comment())
		}
	}
	if b.Len() == old {
		return nil
	}
	write := func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	}
	if len(before) > 0 {
		return replaceFile(file, write)
	}
	return writeFile(file, true, write)
}
