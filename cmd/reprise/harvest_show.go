package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reprise"
	"reprise/analysis/live"
)

func (p *program) showHarvest(o harvestOptions, h *harvested) error {
	s := p.screen(o.shared)
	if o.json {
		return errors.Join(s.harvestRows(h), s.Flush())
	}
	if o.cases == "-" { // the standard output is the checks file
		return nil
	}
	s.note("%s", peerText(h.Peer))
	s.harvestCalls(h)
	s.harvestValues(h)
	s.harvestSkips(h)
	s.harvestFoot(h)
	return s.Flush()
}

func (s *screen) harvestCalls(h *harvested) {
	if len(h.Calls) > 0 {
		s.line("\n%s", s.paint(bold, "Called"))
	}
	for _, m := range h.Calls {
		word, st, more := "ok", green, ""
		switch {
		case m.Trouble != "":
			word, st, more = "trouble", yellow, m.Failure()
		case !m.OK():
			word, st, more = "error", red, m.Failure()
		}
		text := s.cell(s.width-18).add(plain, m.Text).add(dim, pageText(m))
		s.line("  %s%s%s %s", s.paint(st, word), spaces(9-len(word)), text, s.cell(6).add(dim, took(m.Took)).right())
		if more != "" {
			s.line("           %s", s.paint(st, clip(more, s.width-11)))
		}
	}
}

func pageText(m *live.Made) string {
	if m.Page > 1 {
		return fmt.Sprintf("  page %d", m.Page)
	}
	return ""
}

// mostValues of one entity are shown.
const mostValues = 8

// harvestValues shows the values that identify something, by what they identify (S33).
func (s *screen) harvestValues(h *harvested) {
	groups, names := byEntity(h.Values)
	if len(names) > 0 {
		s.line("\n%s", s.paint(bold, "Harvested"))
	}
	for _, name := range names {
		list := groups[name]
		s.line("  %s%s", s.paint(cyan, clip(cmp.Or(name, "of no known kind"), s.width/2)), s.paint(dim, "  "+count(int64(len(list)), "value")))
		for i, v := range list {
			if i == mostValues {
				s.line("    %s", s.paint(dim, fmt.Sprintf("and %d more: --json has them", len(list)-i)))
				break
			}
			half := (s.width - 6) / 2
			what := s.cell(half).add(dim, v.Key+" ").add(plain, v.JSON)
			where := s.cell(s.width-6-half).add(dim, v.Path+" of "+v.From)
			s.line("    %s  %s", what, strings.TrimRight(where.String(), " "))
		}
	}
}

// byEntity groups values, those of no known entity last.
func byEntity(values []*reprise.Value) (groups map[string][]*reprise.Value, names []string) {
	groups = map[string][]*reprise.Value{}
	for _, v := range values {
		if groups[v.Entity] == nil {
			names = append(names, v.Entity)
		}
		groups[v.Entity] = append(groups[v.Entity], v)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case a == "" && b != "":
			return 1
		case b == "" && a != "":
			return -1
		}
		return 0
	})
	return groups, names
}

// harvestSkips lists the tools that were not called, by why (S65).
func (s *screen) harvestSkips(h *harvested) {
	for _, safety := range []reprise.Safety{reprise.SafetyDestructive, reprise.SafetyUnknown, reprise.SafetyReadOnly} {
		first := true
		for _, skip := range h.Skips {
			if skip.Safety != safety {
				continue
			}
			if first && safety == reprise.SafetyReadOnly {
				s.skipHead("Skipped. These only read, and were not called all the same:")
			} else if first {
				s.skipHead("Skipped. " + refusalText(safety))
			}
			first = false
			s.refusal(skip.Tool, reprise.ToolSafety{Reason: skip.Reason})
		}
	}
}

func (s *screen) harvestFoot(h *harvested) {
	_, names := byEntity(h.Values)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	s.line("\n%s, %s of %s, %s not called", count(int64(len(h.Calls)), "call"), count(int64(len(h.Values)), "value"),
		kindsText(len(names)), count(int64(len(h.Skips)), "tool"))
	if h.Ended != "" {
		s.line("%s", s.paint(yellow, clip("It ended early: "+h.Ended+".", s.width)))
	}
	if h.session != "" {
		s.note("session %s: `reprise provenance last`", h.session)
	}
}

func kindsText(n int) string {
	if n == 1 {
		return "1 kind"
	}
	return fmt.Sprintf("%d kinds", n)
}

// harvestRows writes a row for each call, value and tool that was not called, and one for the whole.
func (s *screen) harvestRows(h *harvested) error {
	for _, m := range h.Calls {
		if err := madeRow(m).writeTo(s); err != nil {
			return err
		}
	}
	for _, v := range h.Values {
		if err := valueRow(v).writeTo(s); err != nil {
			return err
		}
	}
	for _, skip := range h.Skips {
		o := newObject()
		o.set("row", "skipped")
		o.set("tool", skip.Tool)
		o.set("safety", string(skip.Safety))
		o.set("reason", skip.Reason)
		o.text("advice", skip.Advice)
		if err := o.writeTo(s); err != nil {
			return err
		}
	}
	return harvestTotal(h).writeTo(s)
}

func madeRow(m *live.Made) *object {
	o := newObject()
	o.set("row", "call")
	o.set("call", m.Text)
	o.set("tool", m.Tool.Name)
	o.set("page", m.Page)
	o.set("ok", m.OK())
	o.text("trouble", m.Trouble)
	o.text("wants", m.Wants)
	o.objects("arguments", len(m.Args), func(i int) *object {
		a := newObject()
		a.set("name", m.Args[i].Name)
		a.json("value", m.Args[i].JSON)
		source, from, path := reprise.SourceLiteral, "", ""
		if v := m.Args[i].Value; v != nil {
			source, from, path = reprise.SourceHarvested, v.From, v.Path
		}
		a.set("source", string(source))
		a.text("ground", string(m.Args[i].Ground))
		a.text("from", from)
		a.text("path", path)
		return a
	})
	o.crossed("request", m.Request)
	o.crossed("response", m.Response)
	o.millis("duration_ms", m.Took)
	return o
}

func valueRow(v *reprise.Value) *object {
	o := newObject()
	o.set("row", "value")
	o.text("entity", v.Entity)
	o.text("key", v.Key)
	o.json("value", v.JSON)
	o.set("from", v.From)
	o.set("path", v.Path)
	return o
}

func harvestTotal(h *harvested) *object {
	o := newObject()
	o.set("row", "total")
	o.set("calls", len(h.Calls))
	o.set("values", len(h.Values))
	o.set("skipped", len(h.Skips))
	o.set("tools", h.Listed)
	o.text("ended", h.Ended)
	o.text("session", h.session)
	o.set("server", h.Peer)
	return o
}
