package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

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
	what := s.cell(s.width-seqWidth-outcomeWidth-4).add(bold, u.Tool)
	if u.Seq != u.CallSeq {
		what.add(dim, fmt.Sprintf(" answer to #%d", u.CallSeq))
	} else if call.Name != "" && call.Tool() == "" {
		what.add(plain, " "+call.Name)
	}
	s.line("%s %s %s %s", s.cell(seqWidth).add(dim, fmt.Sprint(u.Seq)).right(), rows{screen: s}.arrow(sentBy(u, call)), what, s.paint(st, outcome))
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
	name := a.cell(a.argWidth())
	name.addPath(u.Path, a.argWidth()*2/3).add(plain, ": "+u.JSON)
	sign := signs[u.Source]
	source := a.cell(sourceWidth).add(sign.style, sign.text+" "+string(u.Source))
	from := a.cell(a.width - a.indent - a.argWidth() - sourceWidth - 2)
	a.from(from, u)
	row := fmt.Sprintf("%s%s %s %s", spaces(a.indent), name, source, from)
	return a.line("%s", strings.TrimRight(row, " "))
}

// addPath writes as much of a path as leaves room for a value: its end, which says more.
func (c *cell) addPath(path string, columns int) *cell {
	text := path[max(0, len(path)-columns*utf8.UTFMax):]
	for {
		if _, _, whole := fit(text, columns); whole {
			break
		}
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	if text != path {
		c.add(dim, "…")
	}
	return c.add(cyan, text)
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
			list[0] = "id of a " + u.ValueEntity
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
		return "perhaps known once"
	}
	return string(g)
}

// argumentsFoot counts what is shown, and says what is not known.
func (t *trail) argumentsFoot(o provenanceOptions) {
	shown := int64(len(t.uses))
	switch {
	case t.total == 0:
		t.screen.remark("No call of this session has arguments.")
	case o.unsourced && shown == 0:
		t.screen.remark("No argument came from nowhere, of %d.", t.total)
	case o.unsourced:
		t.screen.remark("%d of %s came from nowhere: the agent made it up, or its user said it", shown, count(t.total, "argument"))
	case shown == 0:
		t.screen.remark("No such argument, of %d.", t.total)
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
