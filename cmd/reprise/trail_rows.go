package main

import (
	"cmp"
	"fmt"
	"strings"

	"reprise"
)

// The arguments of a session, each beneath its call:
//
//	SEQ ARGUMENT                SOURCE        FROM
//	 21 → get_issue                                                 ✗ tool_error
//	      issueId: "ISS-4"      ↑ harvested   #18 issues[0].id  list_issues({ st…

const sourceWidth = 13 // ? synthesized

// listArguments writes the calls that have arguments, and each argument's source.
func (t *trail) listArguments(o provenanceOptions) error {
	seqWidth := t.rows().seqWidth
	a := argumentRows{t.screen, t.births, seqWidth + 3}
	if len(t.uses) > 0 {
		a.heading()
	}
	for i, u := range t.uses {
		if i == 0 || t.uses[i-1].Seq != u.Seq || t.uses[i-1].Index != u.Index {
			t.call(u, seqWidth)
		}
		if err := a.argument(u); err != nil {
			return err
		}
	}
	t.argumentsFoot(o)
	return nil
}

// call writes the row of the call that an argument belongs to.
func (t *trail) call(u *reprise.Use, seqWidth int) {
	s, call := t.screen, t.called[callRef{u.CallSeq, u.CallIndex}]
	st, outcome := outcomeOf(call)
	what := s.cell(s.width-seqWidth-outcomeWidth-4).add(bold, toolOr(call))
	if u.Seq != u.CallSeq {
		what.add(dim, fmt.Sprintf(" answer to #%d", u.CallSeq))
	} else if name := otherName(call); name != "" {
		what.add(plain, " "+name)
	}
	s.line("%s %s %s %s", s.cell(seqWidth).add(dim, fmt.Sprint(u.Seq)).right(), rows{screen: s}.arrow(sentBy(u, call)), what, s.paint(st, outcome))
}

// toolOr is a call's tool; of other calls the method.
func toolOr(c *reprise.Call) string { return cmp.Or(c.Tool(), c.Method) }

// otherName is the name of what a call is about that is no tool.
func otherName(c *reprise.Call) string {
	if c.Tool() != "" {
		return ""
	}
	return c.Name
}

// sentBy is the way that an argument went.
func sentBy(u *reprise.Use, call *reprise.Call) reprise.Direction {
	if u.Seq != u.CallSeq {
		return call.Direction.Opposite()
	}
	return call.Direction
}

// argumentRows writes a row for each argument, behind an indent: its path and value, its source, and where that is.
type argumentRows struct {
	*screen
	births births
	indent int
}

func (a argumentRows) argWidth() int { return (a.width - a.indent - sourceWidth - 2) * 45 / 100 }

func (a argumentRows) heading() {
	a.note("%-*s%-*s %-*s %s", a.indent, "SEQ", a.argWidth(), "ARGUMENT", sourceWidth, "SOURCE", "FROM")
}

func (a argumentRows) argument(u *reprise.Use) error {
	width := a.argWidth()
	from := a.cell(a.width - a.indent - width - sourceWidth - 2)
	a.from(from, u)
	if u.ValueSeq == 0 { // what it leaves free is of use to a long value
		_, needed, _ := fit(u.Path+": "+u.JSON, width+from.left+1)
		needed = min(max(needed, width), width+from.left)
		from.left -= needed - width
		width = needed
	}
	sign := signs[u.Source]
	source := a.cell(sourceWidth).add(sign.style, sign.text+" "+string(u.Source))
	row := fmt.Sprintf("%s%s %s %s", spaces(a.indent), a.cell(width).addArgument(u), source, from)
	return a.line("%s", strings.TrimRight(row, " "))
}

// addArgument writes a path and its value, each as far as there is room for both.
func (c *cell) addArgument(u *reprise.Use) *cell {
	_, value, _ := fit(u.JSON, c.left/3)
	return c.addPath(u.Path, c.left-value-len(": ")).add(plain, ": ").addEnds(plain, u.JSON)
}

// addPath writes as much of a path as fits into so many columns: its end, which says more.
func (c *cell) addPath(path string, columns int) *cell {
	if _, _, whole := fit(path, columns); whole {
		return c.add(cyan, path)
	}
	return c.add(dim, "…").add(cyan, endOf(path, columns-1))
}

// addEnds writes as much of a text as fits: of what looks like a path both ends, for the beginning is that of many.
func (c *cell) addEnds(st style, text string) *cell {
	if _, _, whole := fit(text, c.left); whole || c.left < 4 || len(text) > enough || strings.Count(text, "/") < 2 || strings.Contains(text, " ") {
		return c.add(st, text)
	}
	end := endOf(text, c.left*2/3)
	start, _, _ := fit(text, c.left-columnsOf(end))
	return c.add(st, start).add(st, end)
}

// trimmed is the last cell of a row.
func (c *cell) trimmed() string { return strings.TrimRight(c.String(), " ") }

// from says where an argument came from, the doubts first.
func (a argumentRows) from(c *cell, u *reprise.Use) {
	if u.ValueSeq == 0 {
		rests := groundText(u.Ground)
		if u.Source == reprise.SourceSynthesized && u.Identifies() {
			c.add(yellow, "looks like an id")
			if rests != "" {
				c.add(dim, ", ")
			}
		}
		c.add(dim, rests)
		return
	}
	for _, doubt := range doubts(u) {
		c.add(yellow, doubt+", ")
	}
	c.add(dim, fmt.Sprintf("#%d ", u.ValueSeq)).add(plain, u.ValuePath)
	if born := a.births[u.ValueN]; born != nil {
		c.add(dim, "  "+born.From)
	}
}

// doubts say why an argument with a birth may be wrong nevertheless.
func doubts(u *reprise.Use) (list []string) {
	if u.Relation == reprise.RelationOther {
		list = append(list, "of another entity")
		if u.ValueEntity != "" {
			list[0] = "id of " + article(u.ValueEntity) + " " + u.ValueEntity
		}
	}
	if u.Stale {
		list = append(list, "stale")
	}
	if u.Ground == reprise.GroundEcho {
		list = append(list, "an echo")
	}
	return list
}

// article is the one that a noun has. That of user and unit is not what their letter says, and few begin as under does.
func article(noun string) string {
	if noun != "" && strings.ContainsRune("aeioAEIO", rune(noun[0])) {
		return "an"
	}
	return "a"
}

// groundText says what a source rests on, in words.
func groundText(g reprise.Ground) string {
	switch g {
	case reprise.GroundEnum, reprise.GroundConst, reprise.GroundDefault, reprise.GroundExamples, reprise.GroundType:
		return string(g) + " in the schema"
	case reprise.GroundDescription:
		return "the tool's description"
	case reprise.GroundElicitation:
		return "the user's answer"
	case reprise.GroundRoots:
		return "the client's roots"
	case reprise.GroundInstructions:
		return "the server's instructions"
	case reprise.GroundError:
		return "an earlier error"
	case reprise.GroundNotification:
		return "a notification"
	case reprise.GroundQuestion:
		return "a question of the server's"
	case reprise.GroundForgotten:
		return "perhaps seen"
	case reprise.GroundCommon:
		return "a common value, seen before"
	}
	return string(g)
}

// argumentsFoot counts what is shown, and says what is not known.
func (t *trail) argumentsFoot(o provenanceOptions) {
	shown := int64(len(t.uses))
	switch {
	case t.total == 0:
		if !t.session.MetadataOnly {
			t.screen.remark("No call of this session has arguments.")
		}
	case t.asked == 0:
		t.screen.remark("No such call has arguments; the session has %s.", count(t.total, "argument"))
	case o.unsourced && shown == 0:
		t.screen.remark("No argument came from nowhere, of %d.", t.asked)
	case o.unsourced:
		t.screen.remark("%d of %s came from nowhere: made up by the agent, or said by its user", shown, count(t.asked, "argument"))
	default:
		t.screen.remark("%d of %s: %s", shown, count(t.total, "argument"), t.tally())
	}
	t.tellIncomplete()
}

// tellIncomplete says what the trail can't know.
func (t *trail) tellIncomplete() {
	for _, text := range t.incomplete() {
		t.screen.remark("%s", text)
	}
}

// remark is a note that may be longer than a line.
func (s *screen) remark(format string, args ...any) {
	for _, line := range wrap(fmt.Sprintf(format, args...), s.width, 9) {
		s.note("%s", line)
	}
}

// tally counts the sources of what is shown.
func (t *trail) tally() string {
	counts := map[reprise.Source]int{}
	for _, u := range t.uses {
		counts[u.Source]++
	}
	var parts []string
	for _, source := range []reprise.Source{reprise.SourceHarvested, reprise.SourceDerived, reprise.SourceLiteral, reprise.SourceTold, reprise.SourceSynthesized} {
		if counts[source] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[source], source))
		}
	}
	return strings.Join(parts, ", ")
}
