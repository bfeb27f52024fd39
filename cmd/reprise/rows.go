package main

import (
	"fmt"
	"strings"
	"time"

	"reprise"
)

// A row is one line of a listing:
//
//	SEQ      TIME    CALL                              OUTCOME        TOOK   SIZE
//	  9   +0.214s  → tools/call get_issue {"id":"…     ✗ tool_error  1.2ms  310B
//
// All columns but one have a fixed width; that one takes what the terminal leaves.

const (
	timeWidth    = 9
	outcomeWidth = 12
	tookWidth    = 6
	sizeWidth    = 6
	kindWidth    = 12
	idWidth      = 4
)

// rows writes the calls or the messages of one session, or of many. An error is the screen's: nobody reads any more.
type rows struct {
	*screen
	seqWidth int
	clock    bool // of many sessions: the time of day and the server in front
}

func (r rows) callHeading() {
	r.heading("CALL", fmt.Sprintf(" %-*s %*s %*s", outcomeWidth, "OUTCOME", tookWidth, "TOOK", sizeWidth, "SIZE"))
}

func (r rows) frameHeading() {
	r.heading(fmt.Sprintf("%-*s %*s MESSAGE", kindWidth, "KIND", idWidth, "ID"), fmt.Sprintf(" %*s", sizeWidth, "SIZE"))
}

func (r rows) heading(what, right string) {
	left := fmt.Sprintf("%*s %*s   ", r.seqWidth, "SEQ", timeWidth, "TIME")
	if r.clock {
		left = fmt.Sprintf("%-*s %-*s %*s   ", clockWidth, "TIME", serverWidth, "SERVER", r.seqWidth, "SEQ")
	}
	middle := r.width - columnsOf(left) - columnsOf(right)
	r.note("%s%s%s", left, r.cell(middle).add(plain, what), right)
}

const (
	clockWidth  = 8
	serverWidth = 10
)

// start begins a row: where it stands in time, and which way it went.
func (r rows) start(e *reprise.Entry, dir reprise.Direction) (string, int) {
	return r.begin(e.Session, fmt.Sprint(e.Seq()), e.At(), r.arrow(dir))
}

func (r rows) begin(s *reprise.Session, number string, at time.Duration, sign string) (string, int) {
	seq := r.cell(r.seqWidth).add(dim, number).right()
	if !r.clock {
		passed := r.cell(timeWidth).add(dim, offset(at)).right()
		return seq + " " + passed + " " + sign + " ", r.seqWidth + timeWidth + 4
	}
	clock := r.cell(clockWidth).add(dim, s.StartedAt.Add(at).Local().Format(time.TimeOnly))
	server := r.cell(serverWidth).add(plain, s.Server)
	return fmt.Sprintf("%s %s %s %s ", clock, server, seq, sign), clockWidth + serverWidth + r.seqWidth + 5
}

func (r rows) arrow(dir reprise.Direction) string {
	if dir == reprise.ClientToServer {
		return r.paint(cyan, "→")
	}
	return r.paint(purple, "←")
}

// call writes the row of a call, and why it failed beneath.
func (r rows) call(e *reprise.Entry) error {
	c := e.Call
	start, used := r.start(e, c.Direction)
	what := r.cell(r.width - used - outcomeWidth - tookWidth - sizeWidth - 3)
	what.add(dimMethod(c.Name), r.method(c))
	r.addRequest(what, e)
	st, outcome := outcomeOf(c)
	err := r.line("%s%s %s %s %s", start, what, r.cell(outcomeWidth).add(st, outcome),
		r.cell(tookWidth).add(plain, tookBy(c)).right(), r.cell(sizeWidth).add(dim, bytesOf(c.RequestSize+c.ResponseSize)).right())
	if c.Status.Failed() {
		r.because(e, used)
	}
	return err
}

// method is a call's. Where there is little room the one that most calls have takes less of it.
func (r rows) method(c *reprise.Call) string {
	if c.Tool() != "" && r.width < roomy {
		return "call"
	}
	return c.Method
}

const roomy = 100

// addRequest writes what a call is about: its name, the call that it continues, and its arguments, each with the mark of its source.
func (r rows) addRequest(what *cell, e *reprise.Entry) {
	uses := ofRequest(e)
	if e.Call.Name != "" {
		m := markOfMember(uses, "uri")
		what.add(plain, " ").add(m.style, m.text).add(bold, e.Call.Name)
	}
	if e.Call.Link != "" {
		what.add(dim, fmt.Sprintf(" ↳%d", e.Call.Of))
	}
	if e.Request == nil {
		return
	}
	m := messageIn(e.Request, e.Call.Index, e.Call.RequestSize)
	between, last := " ", ""
	for key, value := range asked(&m) {
		if what.start(plain, last); what.cut {
			return
		}
		sign := markOfMember(uses, key)
		if key != "" {
			key += ": "
		}
		what.start(plain, between+key).start(sign.style, sign.text)
		between, last = ", ", value
	}
	what.add(plain, last)
}

// because says why a call failed, in the server's words.
func (r rows) because(e *reprise.Entry, indent int) {
	if e.Response == nil {
		return
	}
	m := messageIn(e.Response, e.Call.ResponseIndex, e.Call.ResponseSize)
	if why := reason(&m); why != "" {
		text := r.cell(r.width-indent-2).add(red, why)
		r.line("%s%s %s", spaces(indent), r.paint(dim, "└"), strings.TrimRight(text.String(), " "))
	}
}

// dimMethod lets the name stand out where there is one.
func dimMethod(name string) style {
	if name == "" {
		return bold
	}
	return dim
}

func tookBy(c *reprise.Call) string {
	if c.Response == 0 {
		return "–"
	}
	return took(c.Duration())
}

// outcomeOf is how a call ended, in the words of the filter language.
func outcomeOf(c *reprise.Call) (style, string) {
	switch c.Status {
	case reprise.StatusOK:
		return green, "✓ ok"
	case reprise.StatusToolError:
		return red, "✗ tool_error"
	case reprise.StatusError:
		if c.Code != nil {
			return red, fmt.Sprintf("✗ %d", *c.Code)
		}
		return red, "✗ error"
	case reprise.StatusCancelled:
		return yellow, "⊘ cancelled"
	case reprise.StatusOpen:
		return cyan, "… open"
	case reprise.StatusUnanswered:
		return yellow, "? unanswered"
	}
	return purple, "! " + string(c.Status)
}

// message writes the row of one message of a frame.
func (r rows) message(e *reprise.Entry) error {
	f := e.Frame
	m := messageIn(f.Data, e.Message.Index, f.Size)
	start, used := r.start(e, f.Direction)
	what := r.cell(r.width - used - kindWidth - idWidth - sizeWidth - 3)
	if m.Method != "" {
		what.add(dimMethod(m.Name), m.Method+" ")
	}
	if m.Name != "" {
		what.add(bold, m.Name+" ")
	}
	if odd := oddities(f, &m); len(odd) > 0 {
		what.add(yellow, "["+strings.Join(odd, ", ")+"] ")
	}
	what.add(plain, messagePreview(f, &m))
	size := r.cell(sizeWidth)
	if m.Index == 0 {
		size.add(dim, bytesOf(f.Size))
	}
	st, kind := kindOf(e, &m)
	return r.line("%s%s %s %s %s", start, r.cell(kindWidth).add(st, kind), r.cell(idWidth).add(plain, m.ID).right(), what, size.right())
}

func kindOf(e *reprise.Entry, m *reprise.Message) (style, string) {
	switch {
	case m.Kind == reprise.KindNoise || m.Kind == reprise.KindInvalid:
		return yellow, string(m.Kind)
	case m.Kind == reprise.KindResponse && e.Call == nil:
		return yellow, "orphan"
	case m.Kind == reprise.KindResponse && (m.Error != "" || e.Call.Status.Failed()):
		return red, string(m.Kind)
	case m.Kind == reprise.KindNotification:
		return dim, string(m.Kind)
	}
	return plain, string(m.Kind)
}

// messagePreview shows what could not be read as it is.
func messagePreview(f *reprise.Frame, m *reprise.Message) string {
	if m.Kind == reprise.KindNoise || m.Kind == reprise.KindInvalid {
		return string(f.Data[:min(len(f.Data), enough)])
	}
	return previewOf(m)
}

// oddities lists what is unusual about a frame and its message.
func oddities(f *reprise.Frame, m *reprise.Message) []string {
	odd := m.Flags.Names()
	switch f.EOL {
	case "":
		odd = append(odd, "no line end")
	case "\r\n":
		odd = append(odd, "crlf")
	}
	if f.Truncated {
		odd = append(odd, "truncated")
	}
	return odd
}

func columnsOf(text string) int {
	_, width, _ := fit(text, 1<<30)
	return width
}
