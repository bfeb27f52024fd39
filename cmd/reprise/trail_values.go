package main

import (
	"fmt"
	"strings"

	"reprise"
)

// listValues writes a row for each value that a result gave, and beneath it what used it.
//
//	SEQ VALUE                    ENTITY      BORN AS
//	 18 "ISS-4"                  issue       issues[0].id  list_issues({ status: 'open' })
//	    └ used 2 times: #21 get_issue issueId, #25 assign_issue issueId
func (t *trail) listValues() error {
	users := map[*reprise.Value][]*reprise.Use{}
	for _, u := range t.uses {
		if born := t.births[u.ValueN]; born != nil {
			users[born] = append(users[born], u)
		}
	}
	r := t.valueRows()
	if len(t.values) > 0 {
		r.heading("VALUE", "ENTITY", "BORN AS")
	}
	for _, v := range t.values {
		r.born(v, "")
		if err := r.usedBy(users[v]); err != nil {
			return err
		}
	}
	t.screen.note("%s, %d of them used", count(int64(len(t.values)), "value"), len(users))
	t.tellIncomplete()
	return nil
}

// valueRows writes rows of values: three columns behind a seq.
type valueRows struct {
	*screen
	seqWidth, first int
}

func (t *trail) valueRows() valueRows {
	seqWidth := t.rows().seqWidth
	return valueRows{t.screen, seqWidth, (t.screen.width - seqWidth - sourceWidth - 3) * 40 / 100}
}

func (r valueRows) heading(first, second, third string) {
	r.note("%*s %-*s %-*s %s", r.seqWidth, "SEQ", r.first, first, sourceWidth, second, third)
}

func (r valueRows) row(seq int64, first, second, third *cell) error {
	row := fmt.Sprintf("%s %s %s %s", r.cell(r.seqWidth).add(dim, fmt.Sprint(seq)).right(), first, second, third)
	return r.line("%s", strings.TrimRight(row, " "))
}

func (r valueRows) rest() *cell {
	return r.cell(r.width - r.seqWidth - r.first - sourceWidth - 3)
}

// born writes the birth of a value, with a word in front of it. Where its path does not say its key, that follows: of two rows
// that are the same but for it one sees what each is.
func (r valueRows) born(v *reprise.Value, before string) error {
	where := r.rest()
	if v.Echo {
		where.add(yellow, "an echo, ")
	}
	where.add(plain, v.Path)
	if !strings.Contains(v.Path, v.Key) {
		where.add(plain, " ("+v.Key+")")
	}
	where.add(dim, "  "+v.From)
	return r.row(v.Seq, r.cell(r.first).add(plain, before).addEnds(plain, v.JSON), r.cell(sourceWidth).add(purple, v.Entity), where)
}

// usedBy says which arguments were linked to a value: as many as fit.
func (r valueRows) usedBy(uses []*reprise.Use) error {
	if len(uses) == 0 {
		return nil
	}
	text := r.cell(r.width-r.seqWidth-3).add(dim, fmt.Sprintf("used %s: ", times(len(uses))))
	for i, u := range uses {
		if i > 0 {
			text.add(plain, ", ")
		}
		text.add(dim, fmt.Sprintf("#%d ", u.Seq)).add(plain, u.Tool+" ").add(cyan, u.Path)
	}
	return r.line("%s %s %s", spaces(r.seqWidth), r.paint(dim, "└"), text.trimmed())
}

// life writes the births and the uses of one value as they came.
//
//	SEQ EVENT                    ENTITY        WHERE
//	 18 born                     issue         issues[0].id  list_issues({ status: 'open' })
//	 21 get_issue issueId        ↑ harvested   #18 issues[0].id
func (t *trail) life(o provenanceOptions) error {
	r, a := t.valueRows(), argumentRows{t.screen, t.births, 0}
	if len(t.values)+len(t.uses) > 0 {
		r.heading("EVENT", "", "WHERE")
	}
	values, uses := t.values, t.uses
	for len(values)+len(uses) > 0 {
		if len(uses) == 0 || len(values) > 0 && values[0].Seq < uses[0].Seq {
			if err := r.born(values[0], "born "); err != nil {
				return err
			}
			values = values[1:]
			continue
		}
		if err := r.used(a, uses[0]); err != nil {
			return err
		}
		uses = uses[1:]
	}
	t.lifeFoot(o)
	return nil
}

func (r valueRows) used(a argumentRows, u *reprise.Use) error {
	sign := signs[u.Source]
	event := r.cell(r.first).add(bold, u.Tool).add(plain, " ").add(cyan, u.Path)
	if born := a.births[u.ValueN]; born == nil || u.Source != reprise.SourceHarvested {
		event.add(plain, ": ").addEnds(plain, u.JSON)
	}
	from := r.rest()
	a.from(from, u)
	return r.row(u.Seq, event, r.cell(sourceWidth).add(sign.style, sign.text+" "+string(u.Source)), from)
}

// lifeFoot counts, and says why there may be nothing to count.
func (t *trail) lifeFoot(o provenanceOptions) {
	switch {
	case len(t.values)+len(t.uses) > 0:
		t.screen.remark("%s, %s", count(int64(len(t.values)), "birth"), count(int64(len(t.uses)), "use"))
	case t.hidden > 0:
		t.screen.remark("Only calls that the filter leaves out have it: %s.", times(int(t.hidden)))
	case !t.session.MetadataOnly:
		t.screen.remark("No argument has it, and no value that was kept: of those that identify nothing only the used ones are.")
		t.screen.remark("`reprise show %s value:…` looks into every call.", visible(o.session))
	}
	t.tellIncomplete()
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
