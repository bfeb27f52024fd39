package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reprise/analysis"
)

// covered writes what was exercised of one server:
//
//	TOOL          CALLS  PARAMETERS  VALUES  FAILED  CHECK
//	list_issues      12      2 of 5  1 of 4       3  yes
//	  never given   assignee, limit
func (s *screen) covered(c *covered) {
	s.coveredHead(c)
	s.coveredTools(c)
	s.coveredPrompts(c.Prompts)
	s.coveredTemplates(c.Templates)
	s.notCovered(c)
}

func (s *screen) coveredHead(c *covered) {
	calls := 0
	for _, t := range c.Tools {
		calls += t.Calls
	}
	s.line("%s %s", s.paint(bold, visible(cmp.Or(c.Server, "a server without a name"))),
		s.paint(dim, strings.Join([]string{count(int64(c.Sessions), "session"), count(int64(calls), "tool call")}, " · ")))
	t := totalOf(c)
	if t.listed.of == 0 {
		s.line("%s", s.paint(yellow, "No tool is listed in it: what was never exercised is not known."))
		return
	}
	parts := []string{t.listed.text() + " tools called"}
	if t.parameters.of > 0 {
		parts = append(parts, t.parameters.text()+" parameters given")
	}
	if t.values.of > 0 {
		parts = append(parts, t.values.text()+" values used")
	}
	s.paragraph("", 0, strings.Join(parts, " · "))
	if c.checks > 0 {
		s.line("%s tools have a check", t.checked.text())
	}
}

// part is a share of something, as it is written.
type part struct{ n, of int }

func (p part) text() string { return fmt.Sprintf("%d of %d", p.n, p.of) }

// short is text, or a dot where there is nothing to be had.
func (p part) short() string {
	if p.of == 0 {
		return "·"
	}
	return p.text()
}

func (p *part) add(met bool) {
	p.of++
	if met {
		p.n++
	}
}

// parts are the shares of one tool, or of all that are listed.
type parts struct{ listed, parameters, values, checked part }

func totalOf(c *covered) (sum parts) {
	for i := range c.Tools {
		t := &c.Tools[i]
		if !t.Listed {
			continue
		}
		sum.listed.add(t.Calls > 0)
		sum.checked.add(c.checked[t.Tool])
		sum.add(t)
	}
	return sum
}

func (p *parts) add(t *analysis.ToolCoverage) {
	for _, param := range t.Parameters {
		p.parameters.add(param.Calls > 0)
		for _, n := range param.Enum {
			p.values.add(n > 0)
		}
	}
}

func (s *screen) coveredTools(c *covered) {
	if len(c.Tools) == 0 {
		return
	}
	name := widthOf("TOOL", c.Tools, s.width-44)
	check := ""
	if c.checks > 0 {
		check = "  CHECK"
	}
	s.line("\n%s", s.paint(dim, fmt.Sprintf("%-*s  %6s  %10s  %8s  %6s%s", name, "TOOL", "CALLS", "PARAMETERS", "VALUES", "FAILED", check)))
	for i := range c.Tools {
		t := &c.Tools[i]
		if c.checks > 0 {
			check = "  " + yesOrNo(c.checked[t.Tool])
		}
		s.coveredTool(t, name, check)
	}
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// widthOf is what the longest name takes, up to a limit.
func widthOf(heading string, list []analysis.ToolCoverage, most int) int {
	width := len(heading)
	for _, t := range list {
		width = max(width, columnsOf(visible(t.Tool)))
	}
	return min(width, most)
}

// coveredTool writes the row of a tool, and beneath it what is missing.
func (s *screen) coveredTool(t *analysis.ToolCoverage, name int, check string) {
	st, given, values := plain, "·", "·"
	if t.Calls == 0 {
		st = yellow
	}
	if t.Listed { // else nobody knows how many there are
		var p parts
		p.add(t)
		given, values = p.parameters.short(), p.values.short()
	}
	s.line("%s  %6s  %10s  %8s  %6s%s", s.cell(name).add(st, visible(t.Tool)), zeroless(t.Calls), given, values, zeroless(failures(t)), check)
	if t.Calls == 0 {
		return
	}
	if !t.Listed {
		s.missing(dim, "not listed", "what else it takes is not known")
	} else {
		s.missing(plain, "never given", strings.Join(neverGiven(t), ", "))
		s.missing(plain, "never used", strings.Join(neverUsed(t), " · "))
	}
	s.missing(dim, "failed as", strings.Join(waysOf(t), ", "))
	s.missing(yellow, "not read", amount(t.Unread, "calls with arguments too long to follow"))
}

func failures(t *analysis.ToolCoverage) (n int) {
	for _, times := range t.Errors {
		n += times
	}
	return n
}

// missing writes a line beneath a row, unless there is nothing to say.
func (s *screen) missing(st style, what, text string) {
	if text == "" {
		return
	}
	const label = 15
	for i, line := range wrap(text, s.width-label, 6) {
		head := spaces(label)
		if i == 0 {
			head = fmt.Sprintf("  %-*s", label-2, what)
		}
		s.line("%s%s", s.paint(dim, head), s.paint(st, clip(line, s.width-label)))
	}
}

// mostNamed are as many names as one line is good for.
const mostNamed = 20

func neverGiven(t *analysis.ToolCoverage) (names []string) {
	for _, param := range t.Parameters {
		if param.Calls == 0 {
			names = append(names, oneOfMany(param.Name))
		}
	}
	return few(names, mostNamed)
}

// neverUsed are the values that parameters which were given never had.
func neverUsed(t *analysis.ToolCoverage) (list []string) {
	for _, param := range t.Parameters {
		var values []string
		for _, value := range param.Values {
			if param.Calls > 0 && param.Enum[value] == 0 {
				values = append(values, oneOfMany(value))
			}
		}
		if values != nil {
			list = append(list, oneOfMany(param.Name)+" "+strings.Join(few(values, mostNamed), ", "))
		}
	}
	return few(list, mostNamed)
}

// oneOfMany is a stranger's name among others.
func oneOfMany(text string) string { return clip(text, 40) }

func waysOf(t *analysis.ToolCoverage) (list []string) {
	for _, way := range slices.Sorted(maps.Keys(t.Errors)) {
		list = append(list, fmt.Sprintf("%s %d×", way, t.Errors[way]))
	}
	return few(list, mostNamed)
}

func (s *screen) coveredPrompts(list []analysis.ToolCoverage) {
	if len(list) == 0 {
		return
	}
	name := widthOf("PROMPT", list, s.width-44)
	s.line("\n%s", s.paint(dim, fmt.Sprintf("%-*s  %6s  %10s  %8s  %6s", name, "PROMPT", "GOT", "ARGUMENTS", "", "FAILED")))
	for i := range list {
		s.coveredTool(&list[i], name, "")
	}
}

func (s *screen) coveredTemplates(list []analysis.TemplateCoverage) {
	for i, t := range list {
		if i == 0 {
			s.line("\n%s", s.paint(dim, fmt.Sprintf("%6s  %s", "READ", "RESOURCE TEMPLATE")))
		}
		s.line("%6s  %s", zeroless(t.Reads), clip(t.Template, s.width-8))
	}
}

// notCovered says what the numbers leave open.
func (s *screen) notCovered(c *covered) {
	u := c.unseen
	list := nonEmpty(lost(u.Gaps, "gap in the record"), lost(u.LostFrames, "frame lost"), lost(u.Truncated, "frame cut short"),
		lost(u.TooLong, "message looked at in part"), lost(int64(c.More), "call left out, for there are too many tools"))
	if len(list) > 0 {
		s.line("")
		s.paragraph("", 0, "Not seen: "+strings.Join(list, ", ")+". What they exercised is not known.")
	}
	if c.checks == 0 && !s.quiet {
		s.line("")
		s.note("--checks FILE says which tools have a check.")
	}
}
