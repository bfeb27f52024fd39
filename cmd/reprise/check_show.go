package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reprise"
	"reprise/analysis"
	"reprise/analysis/live"

	"github.com/tidwall/gjson"
)

// showChecked tells what came of the cases: on the screen or as JSON, and in the files that were asked for.
func (p *program) showChecked(o checkOptions, all *checked) error {
	if err := p.reportChecked(o, all); err != nil {
		return err
	}
	s := p.screen(o.shared)
	if o.json {
		for _, c := range all.cases {
			if err := checkedRow(c).writeTo(s); err != nil {
				return err
			}
		}
		return errors.Join(checkedTotal(all).writeTo(s), s.Flush())
	}
	s.checked(all)
	for _, name := range o.allowTools {
		if !slices.ContainsFunc(all.cases, func(c checkedCase) bool {
			return slices.ContainsFunc(toolsIn(c.Case), reprise.Pattern{Text: name, Wild: true}.Match)
		}) {
			p.warn(o.shared, "--allow-tool "+quote(name)+": no case calls such a tool")
		}
	}
	return s.Flush()
}

// toolsIn are the tools of a case, without what its arguments come from.
func toolsIn(c *analysis.Case) []string {
	names := []string{c.Tool}
	for _, a := range c.Args {
		if a.From != nil {
			names = append(names, a.From.Tool)
		}
	}
	for _, check := range c.Checks {
		if check.Witness != nil {
			names = append(names, check.Witness.Tool)
		}
	}
	return names
}

func (s *screen) checked(all *checked) {
	if all.peer.Name != "" {
		s.note("%s", peerText(all.peer))
	}
	for _, c := range all.cases {
		if c.Refusal == nil && (!s.quiet || c.Result() != analysis.Passed) {
			s.checkedCase(c)
		}
	}
	s.refused(all)
	st := green
	if all.count(analysis.Failed) > 0 {
		st = red
	}
	parts := []string{fmt.Sprintf("%d passed", all.count(analysis.Passed)), fmt.Sprintf("%d failed", all.count(analysis.Failed))}
	for _, r := range []analysis.Result{analysis.Unsure, analysis.Skipped} {
		if n := all.count(r); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, r))
		}
	}
	s.line("\n%s", s.paint(st, strings.Join(parts, ", ")))
}

// resultWidth is that of the column of results; what belongs to a case stands to its right.
const resultWidth = len("  untestable  ")

func (s *screen) checkedCase(c checkedCase) {
	result, name := c.Result(), caseText(c.Outcome)
	time := s.cell(6).add(dim, "")
	if c.Call.Request != "" {
		time = s.cell(6).add(dim, took(c.Call.Took))
	}
	text := s.cell(s.width-resultWidth-7).add(plain, name)
	s.line("%s", strings.TrimRight(fmt.Sprintf("  %s%s%s %s", s.paint(resultStyles[string(result)], string(result)), spaces(resultWidth-2-len(result)), text, time.right()), " "))
	for _, a := range c.Args {
		at := s.cell(s.width-resultWidth).add(dim, a.Name+" ").add(dim, a.JSON+"  ").add(dim, givenSource(a))
		s.line("%s%s", spaces(resultWidth), strings.TrimRight(at.String(), " "))
	}
	if c.Trouble != "" {
		s.said(yellow, c.Trouble)
		return
	}
	for _, h := range c.Held {
		if h.Result != analysis.Passed {
			s.said(resultStyles[string(h.Result)], fmt.Sprintf("%s: %s", h.Type, h.Reason))
		}
		if h.Result == analysis.Failed {
			s.answers(h.Evidence)
		}
	}
}

// said writes a sentence below a case.
func (s *screen) said(st style, text string) {
	width := s.width - resultWidth
	for _, line := range wrap(visible(text), width, 4) {
		s.line("%s%s", spaces(resultWidth), s.paint(st, clip(line, width)))
	}
}

// answers writes calls and what came of them, as much as fits into a line.
func (s *screen) answers(list []analysis.Answer) {
	width := s.width - resultWidth - 4
	for _, a := range list {
		s.line("%s  %s %s", spaces(resultWidth), s.paint(dim, "→"), clip(cmp.Or(callOf(a.Request), a.Request), width))
		s.line("%s  %s %s", spaces(resultWidth), s.paint(dim, "←"), clip(cmp.Or(a.Error, a.Result, a.Trouble), width))
	}
}

// caseText is a case's call as it was made, with its own name behind it; as the file has it where it was not made.
func caseText(o *live.Outcome) string {
	text := callOf(o.Call.Request)
	if text == "" {
		text = o.Case.Tool + "({ … })"
		if len(o.Case.Args) == 0 {
			text = o.Case.Tool + "({})"
		}
	}
	if name := o.Case.Name; name != "" && name != text {
		text += "  " + name
	}
	return text
}

// callOf is how a person would write the call that a request makes.
func callOf(request string) string {
	for _, m := range reprise.ReadMessages([]byte(request)) {
		if m.Kind == reprise.KindRequest {
			return reprise.Render(&m)
		}
	}
	return ""
}

// refused lists the cases that were not called, by what the server says of their tools (S65): it did say that they
// destroy, or it said nothing.
func (s *screen) refused(all *checked) {
	for _, safety := range []reprise.Safety{reprise.SafetyDestructive, reprise.SafetyUnknown} {
		first := true
		for _, c := range all.cases {
			if c.Refusal == nil || c.Refusal.Safety != safety {
				continue
			}
			if first {
				s.skipHead("Skipped. " + refusalText(safety) + " --allow-tool NAME calls one where its effects do no harm:")
			}
			first = false
			what := c.Refusal.Tool
			if what != c.Case.Tool {
				what = c.Case.Tool + " needs " + what
			}
			s.refusal(what, c.Refusal.ToolSafety)
		}
	}
}

// paragraph writes sentences of ours above a list.
func (s *screen) skipHead(text string) {
	s.line("")
	for _, line := range wrap(text, s.width, 9) {
		s.line("%s", s.paint(yellow, line))
	}
}

// refusal writes a tool that is not called, why, and what its owner can do.
func (s *screen) refusal(tool string, r reprise.ToolSafety) {
	width := s.width - 2
	text := s.cell(width).add(plain, clip(tool, width/2)+"  ").add(dim, r.Reason)
	s.line("  %s", strings.TrimRight(text.String(), " "))
}

// checkedRow is one case as JSON.
func checkedRow(c checkedCase) *object {
	o := newObject()
	o.set("file", c.file)
	o.text("name", c.Case.Name)
	o.set("tool", c.Case.Tool)
	o.text("call", callOf(c.Call.Request))
	o.set("result", string(c.Result()))
	o.text("trouble", c.Trouble)
	o.key("skipped")
	if c.Refusal == nil {
		o.WriteString("null")
	} else {
		skipped := newObject()
		skipped.set("tool", c.Refusal.Tool)
		skipped.set("safety", string(c.Refusal.Safety))
		skipped.set("reason", c.Refusal.Reason)
		skipped.text("advice", c.Refusal.Advice)
		o.Write(skipped.Bytes())
		o.WriteByte('}')
	}
	o.objects("arguments", len(c.Args), func(i int) *object {
		a := newObject()
		a.set("name", c.Args[i].Name)
		a.json("value", c.Args[i].JSON)
		a.set("source", string(c.Args[i].Source))
		a.text("from", c.Args[i].From)
		a.text("path", c.Args[i].Path)
		return a
	})
	o.objects("checks", len(c.Held), func(i int) *object {
		h := newObject()
		h.set("type", c.Held[i].Type)
		h.set("result", string(c.Held[i].Result))
		h.text("reason", c.Held[i].Reason)
		h.objects("evidence", len(c.Held[i].Evidence), func(n int) *object { return answerRow(&c.Held[i].Evidence[n]) })
		return h
	})
	o.object("made", answerRow(&c.Call))
	o.millis("took_ms", c.Took)
	return o
}

// answerRow is a call with its bytes (S12).
func answerRow(a *analysis.Answer) *object {
	o := newObject()
	o.crossed("request", a.Request)
	o.crossed("response", a.Response)
	o.text("trouble", a.Trouble)
	o.millis("duration_ms", a.Took)
	return o
}

// crossed writes bytes that crossed: as the JSON value that they are, else as a string, null when there are none.
func (o *object) crossed(name, text string) {
	if text == "" || gjson.Parse(text).Type == gjson.Null {
		o.set(name, nil)
		return
	}
	o.verbatim(name, []byte(text))
}

// checkedTotal is the last row: what it comes to.
func checkedTotal(all *checked) *object {
	o := newObject()
	o.set("total", map[string]int{"passed": all.count(analysis.Passed), "failed": all.count(analysis.Failed),
		"untestable": all.count(analysis.Unsure), "skipped": all.count(analysis.Skipped)})
	o.set("server", all.peer)
	o.millis("took_ms", all.took)
	return o
}
