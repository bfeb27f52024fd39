package live

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"reprise"
	"reprise/analysis"

	"github.com/tidwall/gjson"
)

// Outcome is what came of a case.
type Outcome struct {
	Case *analysis.Case
	Args []Given
	Call analysis.Answer // the case's own; its Request is "" where it was not made
	Held []analysis.Held // of each check
	// Refusal is why nothing was called, Trouble why nothing could be established.
	Refusal *Refusal
	Trouble string
	Peer    reprise.Peer
	Heard   bool // the server has said something that is a message
	Gone    bool // it ended, or reads no more
	Took    time.Duration
}

// Result of the whole: failed before untestable before passed before skipped.
func (o *Outcome) Result() analysis.Result {
	for _, r := range []analysis.Result{analysis.Failed, analysis.Unsure, analysis.Passed} {
		for i := range o.Held {
			if o.Held[i].Result == r {
				return r
			}
		}
	}
	return analysis.Skipped
}

// Check holds one case against a server, over a connection that is for it alone (S75). It closes the connection.
func Check(ctx context.Context, conn io.ReadWriteCloser, c *analysis.Case, o Options) *Outcome {
	out := &Outcome{Case: c}
	begin := o.Now()
	client, err := Open(ctx, conn, o)
	if err != nil {
		out.give(analysis.Unsure, err.Error())
	} else {
		r := &run{client, map[string]called{}}
		r.hold(ctx, out)
	}
	client.Close()
	out.Peer, out.Heard, out.Gone, out.Took = client.Peer, client.Heard, client.Gone, o.Now().Sub(begin)
	return out
}

// give is one result for every check.
func (o *Outcome) give(result analysis.Result, reason string) {
	if result == analysis.Unsure {
		o.Trouble = reason
	}
	if o.Held = nil; o.Args == nil {
		o.Args = planned(o.Case.Args)
	}
	for i := range o.Case.Checks {
		o.Held = append(o.Held, analysis.Held{Type: o.Case.Checks[i].Type, Result: result, Reason: reason})
	}
}

// planned are arguments as the file has them, of a call that is not made.
func planned(args []analysis.Arg) (list []Given) {
	for _, a := range args {
		g := Given{Name: a.Name, JSON: compact(a.JSON), Source: reprise.Source(a.Source)}
		if a.From != nil {
			g.Source, g.From, g.Path = reprise.SourceHarvested, a.From.Tool, a.From.Path
		}
		list = append(list, g)
	}
	return list
}

// stopped ends a case that does not go on.
func (o *Outcome) stopped(s *stop) {
	if o.Refusal = s.refusal; s.refusal != nil {
		o.give(analysis.Skipped, s.refusal.Tool+": "+s.refusal.Reason)
		return
	}
	o.give(analysis.Unsure, s.why)
}

// hold makes the calls of a case, once all of their tools may be called, and judges them.
func (r *run) hold(ctx context.Context, out *Outcome) {
	tools, trouble := r.list(ctx)
	if trouble != "" {
		out.stopped(&stop{why: trouble})
		return
	}
	for _, name := range toolsOf(out.Case) {
		if refusal := r.Gate.refuses(name, tools); refusal != nil {
			out.stopped(&stop{refusal: refusal})
			return
		}
	}
	tool := tools.byName[out.Case.Tool]
	if needsTask(tool) {
		out.stopped(&stop{why: "the tool can only be called as a task, which this client can't do"})
		return
	}
	args, object, s := r.arguments(ctx, out.Case.Args, 0)
	if s == nil {
		out.Args = args
		s = r.judge(ctx, out, analysis.Trial{Tool: tool, Args: filled(out.Case.Args, args), Weak: weakness(args)}, object)
	}
	if s != nil {
		out.stopped(s)
	}
}

// toolsOf are all tools that a case may call.
func toolsOf(c *analysis.Case) (names []string) {
	var add func(p *analysis.Plan)
	add = func(p *analysis.Plan) {
		names = append(names, p.Tool)
		for i := range p.Args {
			if from := p.Args[i].From; from != nil {
				add(&from.Plan)
			}
		}
	}
	add(&c.Plan)
	for i := range c.Checks {
		if w := c.Checks[i].Witness; w != nil {
			add(w)
		}
	}
	return names
}

// filled are arguments with the values that they had.
func filled(args []analysis.Arg, given []Given) (list []analysis.Arg) {
	for i, a := range args {
		a.JSON, a.Source = given[i].JSON, string(given[i].Source)
		list = append(list, a)
	}
	return list
}

// weakness says why a failure proves nothing (S35, S36): the weakest source decides. A harvested value counts as that where this
// very run has harvested it.
func weakness(args []Given) string {
	for _, a := range args {
		if a.Source == reprise.SourceSynthesized {
			return short(a.Name) + " is synthesized"
		}
	}
	for _, a := range args {
		if a.Source == reprise.SourceHarvested && a.birth == nil {
			return short(a.Name) + " was harvested once: nothing shows that the server still has it (name its birth with from)"
		}
	}
	return ""
}

// asked is the call that a case makes, with the witnesses that were called before it.
type asked struct {
	*run
	tool, object string
	trial        analysis.Trial
	witnesses    map[int]*witnessed // by the check that wants them
}

// judge makes the calls that the checks need, and asks each of them.
func (r *run) judge(ctx context.Context, out *Outcome, t analysis.Trial, object string) *stop {
	a := asked{run: r, tool: out.Case.Tool, object: object, trial: t, witnesses: map[int]*witnessed{}}
	again := false
	for i := range out.Case.Checks {
		needs := out.Case.Checks[i].Needs()
		again = again || needs.Again
		if needs.Witness == nil {
			continue
		}
		w, s := r.witness(ctx, needs.Witness)
		if s != nil {
			return s
		}
		a.witnesses[i] = w
	}
	if s := a.call(ctx, again); s != nil {
		return s
	}
	if out.Call = a.trial.Call; out.Call.Trouble != "" {
		out.give(analysis.Unsure, out.Call.Trouble) // S49, whatever a check would make of it
	}
	for i := range out.Case.Checks {
		if out.Call.Trouble != "" {
			out.Held[i].Evidence = []analysis.Answer{out.Call}
			continue
		}
		out.Held = append(out.Held, a.held(ctx, i, &out.Case.Checks[i]))
	}
	out.trace()
	return nil
}

// call makes the call, once more where that is wanted.
func (a *asked) call(ctx context.Context, again bool) *stop {
	made := a.run.call(ctx, a.tool, a.object)
	if made.refusal != nil {
		return &stop{refusal: made.refusal}
	}
	a.trial.Call, a.trial.Weak = made.Answer, cmp.Or(a.trial.Weak, made.wants)
	if !again || made.Trouble != "" {
		return nil
	}
	more := a.run.call(ctx, a.tool, a.object)
	if more.refusal != nil {
		return &stop{refusal: more.refusal}
	}
	a.trial.Again, a.trial.Weak = &more.Answer, cmp.Or(a.trial.Weak, more.wants)
	return nil
}

// held asks one check, after the calls that it alone needs.
func (a *asked) held(ctx context.Context, i int, c *analysis.Check) analysis.Held {
	t, needs := a.trial, c.Needs()
	if needs.Pages {
		t.Pages, t.More = a.pages(ctx, c)
	}
	if w := a.witnesses[i]; w != nil {
		after := a.run.call(ctx, w.tool, w.object)
		t.Before, t.After, t.Weak = &w.answer, &after.Answer, cmp.Or(t.Weak, w.weak, after.wants)
	}
	h := c.Judge(&t)
	h.Type = cmp.Or(h.Type, c.Type)
	if trouble := troubled(&t, needs); trouble != "" && h.Result == analysis.Failed {
		h.Result, h.Reason = analysis.Unsure, trouble
	}
	return h
}

// troubled says what was in the way of the calls that a check needs.
func troubled(t *analysis.Trial, needs analysis.Needs) string {
	answers := []*analysis.Answer{t.Before, t.After}
	if needs.Again {
		answers = append(answers, t.Again)
	}
	for i := range t.Pages {
		answers = append(answers, &t.Pages[i])
	}
	for _, one := range answers {
		if one != nil && one.Trouble != "" {
			return one.Trouble
		}
	}
	return ""
}

// trace puts the calls that gave the arguments before the evidence of what failed: both are what is shown (S34).
func (o *Outcome) trace() {
	var births []analysis.Answer
	for _, a := range o.Args {
		if a.birth != nil {
			births = append(births, *a.birth)
		}
	}
	for i := range o.Held {
		if h := &o.Held[i]; len(h.Evidence) > 0 && len(births) > 0 {
			h.Evidence = append(append([]analysis.Answer{}, births...), h.Evidence...)
		}
	}
}

// witnessed is a witness that was called before (S19).
type witnessed struct {
	tool, object string
	answer       analysis.Answer
	weak         string
}

// witness calls a witness twice: one whose answers differ when nothing happened proves nothing.
func (r *run) witness(ctx context.Context, p *analysis.Plan) (*witnessed, *stop) {
	_, object, s := r.arguments(ctx, p.Args, 0)
	if s != nil {
		return nil, s
	}
	first := r.call(ctx, p.Tool, object)
	second := r.call(ctx, p.Tool, object)
	for _, a := range []called{first, second} {
		if a.refusal != nil {
			return nil, &stop{refusal: a.refusal}
		}
	}
	w := &witnessed{tool: p.Tool, object: object, answer: second.Answer, weak: cmp.Or(first.wants, second.wants)}
	if string(reprise.Canonical(first.Result)) != string(reprise.Canonical(second.Result)) {
		w.weak = "the witness " + short(p.Tool) + " gives another answer each time"
	}
	return w, nil
}

// What a list's cursor goes into, and when it is said not to end, where a check does not say.
const (
	usualArgument = "cursor"
	usualPages    = 50
)

// pages follows the cursor of a first page. more says that a further page was named, and not asked for.
func (a *asked) pages(ctx context.Context, c *analysis.Check) (pages []analysis.Answer, more bool) {
	pages = []analysis.Answer{a.trial.Call}
	seen := map[string]bool{}
	for {
		page := &pages[len(pages)-1]
		if page.Trouble != "" || failed(page) {
			return pages, false
		}
		cursor := compact(c.Next(page))
		switch {
		case cursor == "":
			return pages, false
		case seen[cursor] || len(pages) >= cmp.Or(c.MaxPages, usualPages):
			return pages, true
		}
		seen[cursor] = true
		pages = append(pages, a.run.call(ctx, a.tool, with(a.object, cmp.Or(c.Argument, usualArgument), cursor)).Answer)
	}
}

// with is a JSON object with one member more, or with another value of it.
func with(object, name, value string) string {
	var b strings.Builder
	gjson.Parse(object).ForEach(func(k, v gjson.Result) bool {
		if k.String() != name {
			b.WriteString(k.Raw + ":" + v.Raw + ",")
		}
		return true
	})
	return "{" + b.String() + quote(name) + ":" + value + "}"
}

// CheckAll holds each case over a connection of its own, one after the other. dial opens one; when it can't, that is the error.
// done is told of each outcome.
func CheckAll(ctx context.Context, cases []analysis.Case, o Options, dial func(*analysis.Case) (io.ReadWriteCloser, error), done func(*Outcome) error) error {
	for i := range cases {
		conn, err := dial(&cases[i])
		if err != nil {
			return err
		}
		if err := done(Check(ctx, conn, &cases[i], o)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
