package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reprise"
	"reprise/replay"
)

// showVerified tells a verification: on the screen or as JSON, and in the files that were asked for.
func (p *program) showVerified(o verifyOptions, v *verified, ignore *reprise.Ignore) error {
	if err := p.writeVerified(o, v); err != nil {
		return err
	}
	s := p.screen(o.shared)
	if o.json {
		for _, call := range v.Calls {
			if err := verifiedRow(call).writeTo(s); err != nil {
				return err
			}
		}
		return errors.Join(verificationRow(v).writeTo(s), s.Flush())
	}
	s.verification(v)
	for _, rule := range unused(ignore, v) {
		p.warn(o.shared, fmt.Sprintf("the rule %s ignored nothing", quote(rule)))
	}
	for _, name := range o.allowTools {
		if !slices.ContainsFunc(v.Calls, func(c *replay.Verified) bool { return reprise.Pattern{Text: name, Wild: true}.Match(c.Name) }) {
			p.warn(o.shared, "--allow-tool "+quote(name)+": the session calls no such tool")
		}
	}
	return s.Flush()
}

func (s *screen) verification(v *verified) {
	s.servers(v.Then.Peer, v.Now.Peer)
	width := s.width - len("  12345  volatile  ")
	for _, c := range v.Calls {
		if c.Skip == "" && (!s.quiet || c.Class != reprise.ClassEqual) {
			s.verifiedCall(c, width)
		}
	}
	s.skipped(v.Calls)
	s.foot(v)
}

// servers says which server was recorded, and which one answers today.
func (s *screen) servers(then, now reprise.Peer) {
	switch {
	case now.Name != then.Name && now.Name != "" && then.Name != "":
		s.line("%s", s.paint(red, fmt.Sprintf("ANOTHER SERVER: the session is of %s, and this one calls itself %s.", peerText(then), peerText(now))))
	case now.Version != then.Version:
		s.note("%s, which was %s", peerText(now), cmp.Or(visible(then.Version), "of no version"))
	default:
		s.note("%s", peerText(now))
	}
}

func peerText(p reprise.Peer) string {
	return strings.TrimSpace(visible(cmp.Or(p.Name, "a server without a name") + " " + p.Version))
}

var classStyles = map[reprise.Class]style{reprise.ClassEqual: dim, reprise.ClassVolatile: dim, reprise.ClassChanged: red,
	reprise.ClassMissing: red, reprise.ClassExtra: yellow}

func (s *screen) verifiedCall(c *replay.Verified, width int) {
	text := s.cell(width).add(plain, callText(c))
	s.line("%s", strings.TrimRight(fmt.Sprintf("%7s  %s%s  %s", seqText(c.Seq), s.paint(classStyles[c.Class], string(c.Class)),
		spaces(len(reprise.ClassVolatile)-len(c.Class)), text), " "))
	if c.Reason != "" {
		s.line("%s%s", besides, s.paint(yellow, clip(c.Reason, s.width-len(besides))))
	}
	list := once(c.Changed)
	for i, d := range list {
		if i == mostDifferences {
			s.line("%s%s", besides, s.paint(dim, fmt.Sprintf("and %d more: --json has them", len(list)-i)))
			break
		}
		s.difference(d)
	}
}

// mostDifferences of one call are shown.
const mostDifferences = 20

// callText is a call as it is written, a request of the server's with an arrow of its own.
func callText(c *replay.Verified) string {
	text := cmp.Or(c.Text, c.Method)
	if c.Direction == reprise.ServerToClient && c.Kind == reprise.KindRequest && c.Text != c.Method {
		return "← " + text
	}
	return text
}

func seqText(seq int64) string {
	if seq == 0 {
		return "·"
	}
	return fmt.Sprint(seq)
}

// difference writes a place with both of its values: in one line, or the live one below the recorded one, both from
// where they part.
func (s *screen) difference(d reprise.Difference) {
	width := s.width - len(besides)
	path, used, _ := fit(cmp.Or(d.Path, "all of it"), width/2)
	then, now := orNone(d.Recorded), orNone(d.Live)
	arrow := s.paint(dim, "→")
	head := besides + s.paint(bold, path)
	if room := width - used - len("   -> "); columnsOf(then)+columnsOf(now) <= room {
		s.line("%s  %s %s %s", head, s.paint(green, visible(then)), arrow, s.paint(red, visible(now)))
		return
	}
	room := width - used - 2
	then, now = parting(then, now, room)
	s.line("%s  %s", head, s.paint(green, clip(then, room)))
	s.line("%s%s%s %s", besides, spaces(used), arrow, s.paint(red, clip(now, room)))
}

// besides stands in front of what is said of a call.
const besides = "         "

// parting cuts what two texts begin with in common, when they are longer than the room for each.
func parting(a, b string, room int) (string, string) {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	if at = min(at-room/3, max(len(a), len(b))-room+1); at < 2 {
		return a, b
	}
	for at > 0 && !utf8.RuneStart(a[at]) {
		at--
	}
	return "…" + a[at:], "…" + b[at:]
}

// once leaves out what a text says again of the structured result.
func once(list []reprise.Difference) []reprise.Difference {
	seen := map[reprise.Difference]bool{}
	for _, d := range list {
		if place, ok := strings.CutPrefix(d.Path, "structuredContent."); ok {
			seen[reprise.Difference{Path: place, Recorded: d.Recorded, Live: d.Live}] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(d reprise.Difference) bool {
		_, place, ok := strings.Cut(d.Path, "].text.")
		return ok && strings.HasPrefix(d.Path, "content[") && seen[reprise.Difference{Path: place, Recorded: d.Recorded, Live: d.Live}]
	})
}

func orNone(raw string) string { return cmp.Or(raw, "none") }

func clip(text string, columns int) string {
	shown, _, _ := fit(text, columns)
	return shown
}

// skipKinds tell apart why requests were not sent, in the order in which they are told.
var skipKinds = []struct {
	kind replay.Skip
	text string
}{
	{replay.SkipDestructive, "The server declares that these tools destroy; --allow-tool NAME calls them:"},
	{replay.SkipUnknown, "The server does not declare that these tools only read; --allow-tool NAME calls them:"},
	{replay.SkipUnlisted, "The server does not list these tools:"},
	{replay.SkipMethod, "The protocol does not know these methods; --allow-writes sends them:"},
	{replay.SkipTask, "These would change tasks that are not of this run; --allow-writes sends them:"},
	{replay.SkipMasked, "These hold secrets that the capture masks:"},
	{replay.SkipDepends, "These can't be told without what was skipped:"},
}

func (s *screen) skipped(calls []*replay.Verified) {
	for _, k := range skipKinds {
		first := true
		for _, c := range calls {
			if c.Skip != k.kind {
				continue
			}
			if first {
				s.line("\n%s", s.paint(yellow, "Skipped. "+k.text))
			}
			first = false
			room := s.width - len("  12345  ")
			text := s.cell(room).add(plain, clip(callText(c), max(room-columnsOf(c.Reason)-2, room/2))).add(dim, "  "+c.Reason)
			s.line("%7s  %s", seqText(c.Seq), strings.TrimRight(text.String(), " "))
		}
	}
}

// foot counts, and says what ended the conversation before its time.
func (s *screen) foot(v *verified) {
	t := v.Total()
	var parts []string
	for _, n := range []struct {
		n    int
		text string
		show bool
	}{
		{t.Equal, "equal", true}, {t.Volatile, "volatile", t.Volatile > 0}, {t.Changed, "changed", true}, {t.Missing, "missing", true},
		{t.Extra, "extra", true}, {t.Skipped, "skipped", t.Skipped > 0},
	} {
		if n.show {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.text))
		}
	}
	st := green
	if t.Failed() {
		st = red
	}
	if v.Ended != "" {
		s.line("\n%s", s.paint(red, sentence(v.Ended)+fmt.Sprintf(" Its exit code was %d.", v.exit.Code)))
	}
	if odd := v.Now.Noise + v.Now.Invalid + v.Now.Orphans; odd > 0 {
		s.note("\n%s of the server's were no messages, or answered nothing.", count(odd, "line"))
	}
	s.line("\n%s", s.paint(st, strings.Join(parts, ", ")))
}

// verifiedRow is one call as JSON.
func verifiedRow(c *replay.Verified) *object {
	o := newObject()
	o.number("seq", c.Seq)
	o.number("response_seq", c.Response)
	o.set("direction", map[reprise.Direction]string{reprise.ClientToServer: "client", reprise.ServerToClient: "server"}[c.Direction])
	o.set("method", c.Method)
	o.text("name", c.Name)
	o.text("call", c.Text)
	o.text("class", string(c.Class))
	o.text("skipped", string(c.Skip))
	o.text("reason", c.Reason)
	for _, list := range []struct {
		name string
		all  []reprise.Difference
	}{{"changed", c.Changed}, {"volatile", c.Volatile}} {
		o.objects(list.name, len(list.all), func(i int) *object {
			d := newObject()
			d.set("path", list.all[i].Path)
			d.json("recorded", list.all[i].Recorded)
			d.json("live", list.all[i].Live)
			return d
		})
	}
	o.set("ignored", c.Ignored)
	for _, side := range []struct {
		name string
		x    replay.Exchange
	}{{"recorded", c.Recorded}, {"live", c.Live}} {
		x := newObject()
		x.json("request", side.x.Request)
		x.json("response", side.x.Response)
		o.object(side.name, x)
	}
	return o
}

// json writes raw JSON as it is, null when there is none.
func (o *object) json(name, raw string) {
	if raw == "" {
		o.set(name, nil)
		return
	}
	o.verbatim(name, []byte(raw))
}

// verificationRow is the last row: what it comes to.
func verificationRow(v *verified) *object {
	t := v.Total()
	o := newObject()
	o.set("total", map[string]int{"equal": t.Equal, "volatile": t.Volatile, "changed": t.Changed, "missing": t.Missing, "extra": t.Extra, "skipped": t.Skipped})
	o.set("then", v.Then.Peer)
	o.set("now", v.Now.Peer)
	o.text("ended", v.Ended)
	o.set("noise", v.Now.Noise)
	o.set("invalid", v.Now.Invalid)
	o.set("exit_code", v.exit.Code)
	return o
}

// unused are the rules that ignored nothing, though they could have.
func unused(ignore *reprise.Ignore, v *verified) []string {
	if t := v.Total(); ignore == nil || t.Skipped+t.Missing > 0 {
		return nil
	}
	return ignore.Unused()
}
