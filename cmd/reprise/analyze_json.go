package main

import (
	"io"

	"reprise/analysis"
)

// writeReport writes what one session shows as one line of JSON, piece by piece: a session may have a million calls.
func writeReport(s *screen, r *analysis.Report) error {
	w := &pieces{screen: s}
	head := newObject()
	head.set("session", r.Session.ID)
	head.text("host", r.Session.Host)
	head.text("server", r.Session.Server)
	head.moment("started_at", r.Session.StartedAt)
	head.text("outcome", string(r.Outcome.Verdict))
	head.text("reason", r.Outcome.Reason)
	head.set("tool_calls", r.Outcome.Calls)
	head.number("budget", int64(r.Outcome.Budget))
	head.set("unjudged", r.Outcome.Unjudged)
	w.write(head.Bytes())
	w.list("calls", len(r.Calls), func(i int) *object { return judgedRow(&r.Calls[i]) })
	w.list("findings", len(r.Findings), func(i int) *object { return findingRow(&r.Findings[i]) })
	w.list("tools", len(r.Tools), func(i int) *object { return toolUseRow(&r.Tools[i]) })
	w.list("checks", len(r.Checks), func(i int) *object { return tallyRow(&r.Checks[i]) })
	w.list("cases", len(r.Cases), func(i int) *object { return caseHeldRow(&r.Cases[i]) })
	w.list("pages", len(r.Pages), func(i int) *object { return pageRow(&r.Pages[i]) })
	tail := newObject()
	tail.object("unseen", unseenRow(&r.Unseen))
	w.write([]byte(","))
	w.write(tail.Bytes()[1:])
	w.write([]byte("}\n"))
	return w.err
}

// pieces writes a row piece by piece, safely for a terminal.
type pieces struct {
	*screen
	err error
}

func (w *pieces) write(p []byte) {
	if w.err != nil {
		return
	}
	if w.terminal {
		p = spelled(append(p, '\n'))
		p = p[:len(p)-1]
	}
	_, w.err = w.Write(p)
}

func (w *pieces) list(name string, n int, row func(int) *object) {
	w.write([]byte(`,"` + name + `":[`))
	for i := range n {
		o := row(i)
		o.WriteByte('}')
		if i > 0 {
			w.write([]byte{','})
		}
		w.write(o.Bytes())
	}
	w.write([]byte{']'})
}

var _ io.Writer = (*pieces)(nil)

func judgedRow(c *analysis.Judged) *object {
	o := newObject()
	o.set("seq", c.Seq)
	o.text("tool", c.Tool())
	o.set("method", c.Method)
	o.text("name", c.Name)
	o.set("status", c.Status)
	o.set("assessment", c.Kind)
	o.text("reason", c.Reason)
	o.set("evidence", append([]int64{}, c.Evidence...))
	o.objects("sources", len(c.Sources), func(i int) *object { return sourceRow(&c.Sources[i]) })
	return o
}

func sourceRow(x *analysis.Source) *object {
	o := newObject()
	o.set("path", x.Path)
	o.set("source", x.Source)
	o.text("ground", string(x.Ground))
	o.text("entity", string(x.Relation))
	o.set("stale", x.Stale)
	o.number("value_seq", x.ValueSeq)
	return o
}

func findingRow(f *analysis.Finding) *object {
	o := newObject()
	o.set("fingerprint", f.Fingerprint)
	o.set("rule", f.Rule)
	o.set("severity", f.Severity)
	o.text("tool", f.Tool)
	o.text("place", f.Place)
	o.set("what", f.What)
	o.set("consequence", f.Consequence)
	o.set("suggestion", f.Suggestion)
	o.set("count", f.Count)
	o.set("evidence", append([]int64{}, f.Evidence...))
	return o
}

func toolUseRow(u *analysis.ToolUse) *object {
	o := newObject()
	o.set("tool", u.Name)
	o.set("listed", u.Listed)
	o.set("safety", u.Safety.Safety)
	o.set("safety_reason", u.Safety.Reason)
	o.text("advice", u.Safety.Advice)
	o.set("calls", u.Calls)
	o.set("failed", u.Failed)
	for _, kind := range []analysis.Kind{analysis.OK, analysis.ConfirmedDefect, analysis.RightlyRejected, analysis.Untestable} {
		o.set(string(kind), u.Assessed[kind])
	}
	return o
}

func tallyRow(c *analysis.CheckTally) *object {
	o := newObject()
	o.set("tool", c.Tool)
	o.set("type", c.Type)
	o.set("passed", c.Passed)
	o.set("failed", c.Failed)
	o.set("skipped", c.Skipped)
	o.set("untestable", c.Untestable)
	o.text("reason", c.Reason)
	o.set("evidence", append([]int64{}, c.Evidence...))
	return o
}

func pageRow(page *analysis.Page) *object {
	o := newObject()
	o.set("seq", page.Seq)
	o.text("tool", page.Tool)
	o.text("uri", page.URI)
	o.set("mode", page.Mode)
	o.set("semantic", page.Semantic)
	o.set("generic", page.Generic)
	if page.Ratio < 0 {
		o.set("semantic_html_ratio", nil)
	} else {
		o.set("semantic_html_ratio", page.Ratio)
	}
	return o
}

func unseenRow(u *analysis.Unseen) *object {
	o := newObject()
	o.set("gaps", u.Gaps)
	o.set("lost_frames", u.LostFrames)
	o.set("truncated", u.Truncated)
	o.set("too_long", u.TooLong)
	o.set("left_out", u.LeftOut)
	o.set("pages", u.Pages)
	return o
}

// caseHeldRow is what the traffic shows of a case of a checks file.
func caseHeldRow(c *analysis.CaseHeld) *object {
	o := newObject()
	o.text("name", c.Case.Name)
	o.set("tool", c.Case.Tool)
	o.number("seq", c.Seq)
	o.objects("checks", len(c.Held), func(i int) *object {
		h := newObject()
		h.set("type", c.Held[i].Type)
		h.set("result", c.Held[i].Result)
		h.text("reason", c.Held[i].Reason)
		return h
	})
	return o
}
