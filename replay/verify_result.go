package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reprise"
)

// result compares what came with what was recorded. It is done at the end, when all that is bound is known.
func (v *verifier) result() *Verification {
	r := &Verification{Then: v.s.session, Now: v.session, Ended: v.ended, Heard: v.heard, Frames: v.frames}
	v.lost = v.losses()
	for _, o := range v.s.ops {
		if c := v.verdict(o); c != nil {
			r.Calls = append(r.Calls, c)
		}
	}
	for _, n := range v.s.notices {
		if c := v.notice(n); c != nil {
			r.Calls = append(r.Calls, c)
		}
	}
	slices.SortStableFunc(r.Calls, func(a, b *Verified) int { return int(a.Seq - b.Seq) })
	for _, o := range v.extras {
		r.Calls = append(r.Calls, v.extra(o))
	}
	r.Calls = append(r.Calls, v.tellNews()...)
	return r
}

// verdict says what has become of a recorded request; nil when nothing is to be said.
func (v *verifier) verdict(o *exchange) *Verified {
	c := &Verified{Kind: reprise.KindRequest, Seq: o.rec.Seq, Response: o.rec.Response, Direction: o.rec.Direction, Method: o.rec.Method, Name: o.rec.Name,
		Text: o.rec.Rendered, Recorded: Exchange{o.text, o.reply}, Live: Exchange{o.sentText, o.gotText}}
	switch {
	case o.rec.Direction == reprise.ServerToClient:
		return v.question(o, c)
	case o.state == opSkipped:
		c.Skip, c.Reason = o.skip, o.reason
		return c
	}
	if v.outcome(o, c); o.notice != nil {
		v.progressed(o, c)
	}
	return c
}

// outcome compares the answers to a request of the client's.
func (v *verifier) outcome(o *exchange, c *Verified) {
	answered := o.gotText != ""
	switch {
	case o.rec.Cancelled != 0:
		v.cancelled(o, c)
	case o.recorded() && !answered:
		c.Class, c.Reason = reprise.ClassMissing, o.reason
	case o.recorded():
		v.compare(o, c)
	case o.state == opGivenUp && o.sent == nil:
		c.Class, c.Reason = reprise.ClassMissing, o.reason
	case o.rec.Method == listen && answered && o.gotErr != "":
		c.Class, c.Reason = reprise.ClassChanged, "the server refuses what it had begun"
		c.Changed = []reprise.Difference{{Path: "error", Live: o.gotErr}}
	case o.rec.Status == reprise.StatusLost && answered:
		c.Class, c.Reason = reprise.ClassExtra, "the server had ended before it answered"
	default:
		c.Class = reprise.ClassEqual // the recorded client did not wait for the answer
	}
}

// cancelled looks at a call that was cancelled: whether an answer comes nevertheless is a race (protocol.md §5.2).
func (v *verifier) cancelled(o *exchange, c *Verified) {
	switch {
	case o.state == opGivenUp && o.sent == nil:
		c.Class, c.Reason = reprise.ClassMissing, o.reason
	case o.stopped == 0 && o.state == opAnswered:
		c.Class, c.Reason = reprise.ClassVolatile, "it was answered before it was cancelled"
	case o.recorded() != (o.gotText != ""):
		c.Class = reprise.ClassVolatile
	default:
		c.Class = reprise.ClassEqual
	}
}

// compare compares two answers.
func (v *verifier) compare(o *exchange, c *Verified) {
	names := []string{o.rec.Method, o.rec.Name}
	switch {
	case o.err == "" && o.gotErr != "":
		c.Class, c.Reason = reprise.ClassChanged, strings.TrimSuffix("an error instead of a result: "+reprise.Member(o.gotErr, "message").Str, ": ")
		c.Changed = []reprise.Difference{{Recorded: o.result, Live: o.gotErr}}
	case o.err != "" && o.gotErr == "":
		c.Class, c.Reason = reprise.ClassChanged, "a result instead of an error"
		c.Changed = []reprise.Difference{{Recorded: o.err, Live: o.got}}
	case o.err != "":
		c.is(reprise.CompareMessages(o.err, o.gotErr, names, v.s.bindings, v.Ignore))
	case v.isFurther(o):
		v.compareFurther(o, c)
	default:
		c.is(reprise.CompareMessages(o.result, o.got, names, v.s.bindings, v.Ignore))
		v.excuseTask(o, c)
	}
	v.excuse(o, c)
}

func (c *Verified) is(x reprise.Comparison) {
	c.Class, c.Changed, c.Volatile, c.Ignored = x.Class, x.Changed, x.Volatile, x.Ignored
}

// progressed looks at a call's progress: how often it is told, and when, is the server's affair; whether it is, is not.
func (v *verifier) progressed(o *exchange, c *Verified) {
	then, now := o.notice.then, o.progress
	if then == now || !o.made() {
		return
	}
	d := reprise.Difference{Path: o.notice.method, Recorded: strconv.Itoa(then), Live: strconv.Itoa(now)}
	switch {
	case now == 0 && c.Class != reprise.ClassChanged:
		c.Class, c.Reason, c.Changed = reprise.ClassMissing, "it tells no progress any more", append(c.Changed, d)
	case now == 0:
		c.Changed = append(c.Changed, d)
	default:
		if c.Volatile = append(c.Volatile, d); c.Class == reprise.ClassEqual {
			c.Class = reprise.ClassVolatile
		}
	}
}

// question looks at a request of the server's.
func (v *verifier) question(o *exchange, c *Verified) *Verified {
	switch {
	case o.rec.Method == "ping":
		return nil
	case o.state == opAnswered:
		params := reprise.ReadMessages([]byte(o.sentText))[0].Params
		c.is(reprise.CompareMessages(orEmpty(o.params), orEmpty(params), []string{o.rec.Method}, v.s.bindings, v.Ignore))
	case o.isMissed():
		c.Class, c.Reason = reprise.ClassMissing, "the server did not ask"
		if v.ended != "" {
			c.Reason = v.ended
		}
	default:
		i := slices.IndexFunc(o.owners, func(owner *exchange) bool { return !owner.made() })
		c.Skip, c.Reason = SkipDepends, fmt.Sprintf("depends on seq %d", o.owners[i].rec.Seq)
	}
	return c
}

func orEmpty(params string) string {
	if params == "" {
		return "{}"
	}
	return params
}

// notice looks at notifications of one kind that belong to no call; nil when nothing is to be said of them.
func (v *verifier) notice(n *notice) *Verified {
	if n.op != nil {
		return nil
	}
	c := &Verified{Kind: reprise.KindNotification, Seq: n.seq, Direction: reprise.ServerToClient, Method: n.method, Text: n.method}
	switch {
	case n.now == 0 && n.excused():
		return nil
	case n.now == 0:
		c.Class, c.Reason = reprise.ClassMissing, "none came"
	default:
		v.compareNotices(n, c)
	}
	if n.now != n.then {
		d := reprise.Difference{Path: n.method, Recorded: strconv.Itoa(n.then), Live: strconv.Itoa(n.now)}
		if c.Volatile = append(c.Volatile, d); c.Class == reprise.ClassEqual {
			c.Class = reprise.ClassVolatile
		}
	}
	if c.Class == reprise.ClassEqual {
		return nil
	}
	return c
}

// maxNotices bounds how many notifications are compared with each other.
const maxNotices = 256

// compareNotices compares two sets of notifications, in any order (protocol.md §7). What is left over on
// both sides has changed; what is on one side only is a matter of number.
func (v *verifier) compareNotices(n *notice, c *Verified) {
	c.Class = reprise.ClassEqual
	if len(n.said) > maxNotices || len(n.heard) > maxNotices {
		return
	}
	then, now := outcomesOf(n.method, n.said), outcomesOf(n.method, n.heard)
	compare := func(a, b string) reprise.Comparison {
		return reprise.CompareMessages(orEmpty(a), orEmpty(b), []string{n.method}, v.s.bindings, v.Ignore)
	}
	var left []string
	for _, said := range then {
		i := slices.IndexFunc(now, func(heard string) bool { return compare(said, heard).Class != reprise.ClassChanged })
		if i < 0 {
			left = append(left, said)
			continue
		}
		now = slices.Delete(now, i, i+1)
	}
	for i := range min(len(left), len(now)) {
		if x := compare(left[i], now[i]); len(x.Changed) > 0 && !n.excused() {
			c.Class, c.Changed = reprise.ClassChanged, append(c.Changed, x.Changed...)
		}
	}
}

// extra is a request of the server's that the capture does not have.
func (v *verifier) extra(o *exchange) *Verified {
	return &Verified{Kind: reprise.KindRequest, Direction: reprise.ServerToClient, Method: o.rec.Method, Name: o.rec.Name, Text: o.rec.Rendered,
		Class: reprise.ClassExtra, Reason: "the server had not asked this", Live: Exchange{Request: o.sentText}}
}
