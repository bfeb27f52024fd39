package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reprise"
	"reprise/recorder"
)

// one shows the call that seq belongs to in full, or the message that stands there alone.
func (v *view) one(o showOptions) error {
	found, err := v.at(o.seq, v.filter)
	if err != nil {
		return err
	}
	if found == nil {
		return v.notThere(o)
	}
	if found.Message.Kind != reprise.KindRequest && found.Message.Kind != reprise.KindResponse || found.Call == nil {
		return v.oneMessage(o, found)
	}
	c := found.Call
	for e, err := range v.src.Entries(v.ctx, recorder.Query{Session: v.session.ID, Filter: v.filter, Data: true, Uses: true, After: c.Seq - 1, UpTo: c.Seq}) {
		if err != nil {
			return err
		}
		if e.Call.Index == c.Index {
			return v.oneCall(o, e)
		}
	}
	return v.oneMessage(o, found)
}

// notThere says why nothing is shown.
func (v *view) notThere(o showOptions) error {
	switch there, err := v.at(o.seq, &reprise.Filter{}); {
	case err != nil:
		return err
	case there != nil:
		return hint(usage(fmt.Errorf("the filter leaves out what is at seq %d", o.seq)), "`reprise show %s --seq %d` shows it", o.session, o.seq)
	}
	return hint(usage(fmt.Errorf("no message at seq %d", o.seq)), "`reprise show %s --frames` lists them", o.session)
}

// at is the first message at seq that the filter lets through, or nil.
func (v *view) at(seq int64, filter *reprise.Filter) (*reprise.Entry, error) {
	if seq < 1 { // no bound, to a query
		return nil, nil
	}
	for e, err := range v.src.Entries(v.ctx, recorder.Query{Session: v.session.ID, Filter: filter, Frames: true, Data: true, After: seq - 1, UpTo: seq}) {
		return e, err
	}
	return nil, nil
}

func (v *view) oneMessage(o showOptions, e *reprise.Entry) error {
	if o.json {
		return messageRow(e).writeTo(v.screen)
	}
	r := v.rows()
	r.frameHeading()
	r.message(e)
	v.screen.line("")
	return v.body(e.Frame.Data)
}

func (v *view) oneCall(o showOptions, e *reprise.Entry) error {
	if o.json {
		return callRow(e).writeTo(v.screen)
	}
	r := v.rows()
	r.callHeading()
	r.call(e)
	if text := linkText(e.Call); text != "" {
		v.screen.line("%s", v.screen.paint(dim, text))
	}
	v.title("request", e.Call.Seq)
	v.body(e.Request)
	if err := v.sources(e.Uses, e.Call.Seq); err != nil || e.Response == nil {
		return err
	}
	v.title("response", e.Call.Response)
	v.body(e.Response)
	return v.sources(e.Uses, e.Call.Response)
}

// linkText says how a call continues another one.
func linkText(c *reprise.Call) string {
	switch c.Link {
	case reprise.LinkRound:
		return fmt.Sprintf("next round of #%d", c.Of)
	case reprise.LinkTask:
		return fmt.Sprintf("about the task that #%d made", c.Of)
	case reprise.LinkConnect:
		return fmt.Sprintf("the same attempt to connect as #%d", c.Of)
	}
	return ""
}

// sources lists the arguments that stand in the frame at seq, and where they came from.
func (v *view) sources(uses []*reprise.Use, seq int64) error {
	uses = slices.DeleteFunc(slices.Clone(uses), func(u *reprise.Use) bool { return u.Seq != seq })
	if len(uses) == 0 {
		return nil
	}
	born, err := v.birthsOf(uses)
	if err != nil {
		return err
	}
	v.screen.line("\n%s", v.screen.paint(dim, "arguments and their sources"))
	for _, u := range uses {
		if err := (argumentRows{v.screen, born, 2}).argument(u); err != nil {
			return err
		}
	}
	return nil
}

// birthsOf reads the values that these arguments are linked to.
func (v *view) birthsOf(uses []*reprise.Use) (births, error) {
	born := births{}
	for _, u := range uses {
		value, err := v.src.ValueOf(v.ctx, v.session.ID, u)
		if err != nil {
			return nil, err
		}
		born[u.ValueN] = value
	}
	return born, nil
}

func (v *view) title(what string, seq int64) {
	v.screen.line("\n%s", v.screen.paint(dim, fmt.Sprintf("%s, seq %d", what, seq)))
}

// body writes the bytes of a frame for reading: indented when they are JSON.
func (v *view) body(data []byte) error {
	text := data
	var b bytes.Buffer
	if data = bytes.TrimSpace(data); reprise.Embeddable(data) && json.Indent(&b, data, "", "  ") == nil {
		text = b.Bytes()
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if err := v.screen.line("%s", v.screen.jsonLine(line)); err != nil {
			return err
		}
	}
	return nil
}

// jsonLine lets the key of an indented line of JSON stand out.
func (s *screen) jsonLine(line string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	rest := line[len(indent):]
	end := strings.Index(rest, `": `)
	if end < 0 || rest[0] != '"' || strings.Contains(rest[1:end], `"`) {
		return indent + visible(rest)
	}
	return indent + s.paint(cyan, visible(rest[:end+1])) + visible(rest[end+1:])
}

// stderr writes what the server wrote to its standard error. Into a file or a pipe it goes as it came.
func (v *view) stderr(o showOptions) error {
	for c, err := range v.src.Stderr(v.ctx, v.session.ID) {
		if err != nil {
			return err
		}
		if err := v.stderrChunk(o, c); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) stderrChunk(o showOptions, c reprise.Chunk) error {
	if o.json {
		row := newObject()
		row.set("session", v.session.ID)
		row.moment("at", v.session.StartedAt.Add(c.At))
		row.millis("offset_ms", c.At)
		row.set("withheld", c.Withheld)
		row.set("text", string(c.Data))
		return row.writeTo(v.screen)
	}
	if !v.screen.terminal {
		_, err := v.screen.Write(c.Data)
		return err
	}
	for line := range strings.Lines(string(c.Data)) {
		text, ended := strings.CutSuffix(line, "\n")
		v.screen.WriteString(visible(strings.TrimSuffix(text, "\r")))
		if ended {
			v.screen.WriteByte('\n')
		}
	}
	return nil
}
