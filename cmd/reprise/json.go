package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"reprise"
)

// object writes one JSON object with its members in the order they are given.
// encoding/json would re-indent the frames that stand in it: they are kept as they crossed.
// Every row has every key (docs/json.md).
type object struct {
	bytes.Buffer
	words *json.Encoder
}

func newObject() *object {
	o := &object{}
	o.words = json.NewEncoder(o)
	o.words.SetEscapeHTML(false)
	o.WriteByte('{')
	return o
}

func (o *object) key(name string) {
	if o.Len() > 1 {
		o.WriteByte(',')
	}
	o.WriteByte('"')
	o.WriteString(name)
	o.WriteString(`":`)
}

// set writes a string, a number, a bool, nil, or a list or map of them.
func (o *object) set(name string, value any) {
	o.key(name)
	if err := o.words.Encode(value); err != nil {
		panic(err) // of the types above, none fails
	}
	o.Truncate(o.Len() - 1) // the encoder's newline
}

// text writes a string, or null when there is none.
func (o *object) text(name, value string) {
	if value == "" {
		o.set(name, nil)
		return
	}
	o.set(name, value)
}

// number writes a number, or null for zero: a seq, a count that may be absent.
func (o *object) number(name string, value int64) {
	if value == 0 {
		o.set(name, nil)
		return
	}
	o.set(name, value)
}

// moment writes a time as RFC 3339 with nanoseconds, or null.
func (o *object) moment(name string, t time.Time) {
	if t.IsZero() {
		o.set(name, nil)
		return
	}
	o.set(name, t.UTC().Format(nanoseconds))
}

const nanoseconds = "2006-01-02T15:04:05.000000000Z07:00"

// millis writes a duration in milliseconds, exactly.
func (o *object) millis(name string, d time.Duration) {
	o.key(name)
	o.Write(strconv.AppendFloat(nil, float64(d)/1e6, 'f', -1, 64))
}

// token writes a raw JSON-RPC id: 1, "1", 1.0 and null stay what they are.
func (o *object) token(name, raw string) {
	if !reprise.Embeddable([]byte(raw)) {
		o.text(name, raw)
		return
	}
	o.key(name)
	o.WriteString(raw)
}

// verbatim writes the bytes of a frame as the JSON value that they are, else as a string.
func (o *object) verbatim(name string, data []byte) {
	switch {
	case data == nil:
		o.set(name, nil)
	case reprise.Embeddable(data):
		o.key(name)
		o.Write(data)
	default:
		o.set(name, string(data))
	}
}

// object writes an object in the object.
func (o *object) object(name string, inner *object) {
	o.key(name)
	o.Write(inner.Bytes())
	o.WriteByte('}')
}

// objects writes a list of objects, each when it is made.
func (o *object) objects(name string, n int, row func(i int) *object) {
	o.key(name)
	o.WriteByte('[')
	for i := range n {
		if i > 0 {
			o.WriteByte(',')
		}
		o.Write(row(i).Bytes())
		o.WriteByte('}')
	}
	o.WriteByte(']')
}

// frame writes the bytes under frame, text or base64, whichever keeps them, as a capture file does.
func (o *object) frame(data []byte) {
	switch {
	case reprise.Embeddable(data):
		o.key("frame")
		o.Write(data)
	case utf8.Valid(data):
		o.set("text", string(data))
	default:
		o.set("base64", base64.StdEncoding.EncodeToString(data))
	}
}

// writeTo ends the object and writes it as a line.
func (o *object) writeTo(w io.Writer) error {
	o.WriteString("}\n")
	row := o.Bytes()
	if _, ok := terminal(w); ok {
		row = spelled(row)
	}
	_, err := w.Write(row)
	return err
}

// spelled makes JSON safe for a terminal: what a terminal obeys, or does not show, is
// spelled as JSON has it. It means the same: such characters stand in strings only, but for
// the tab, which is harmless.
func spelled(row []byte) []byte {
	out := make([]byte, 0, len(row))
	for len(row) > 1 {
		r, size := utf8.DecodeRune(row)
		if shown, _ := glyph(r, string(row[:size])); shown == string(row[:size]) || r == '\t' {
			out = append(out, row[:size]...)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		row = row[size:]
	}
	return append(out, row...) // the newline
}

func sessionRow(s *reprise.Session) *object {
	o := newObject()
	o.set("id", s.ID)
	o.text("host", s.Host)
	o.text("server", s.Server)
	o.set("command", append([]string{}, s.Command...))
	o.text("url", s.URL)
	o.text("transport", s.Transport)
	o.text("protocol_version", s.ProtocolVersion)
	o.set("client", peer(s.Client))
	o.set("server_info", peer(s.Peer))
	o.moment("started_at", s.StartedAt)
	o.moment("ended_at", s.EndedAt)
	o.text("ending", string(s.Ending))
	o.set("exit_code", s.ExitCode)
	o.set("complete", s.Complete)
	o.set("frames", s.Frames)
	o.set("calls", s.Calls)
	o.set("errors", s.Errors)
	o.set("noise", s.Noise)
	o.set("invalid", s.Invalid)
	o.set("orphans", s.Orphans)
	o.set("gaps", s.Gaps)
	o.set("lost_frames", s.LostFrames)
	o.set("bytes", s.Bytes)
	o.set("values", s.Values)
	o.set("unsourced", s.Unsourced)
	o.set("left_out", s.LeftOut)
	o.set("metadata_only", s.MetadataOnly)
	o.text("purpose", s.Purpose)
	o.set("pinned", s.Pinned)
	o.set("imported", s.Imported)
	o.set("redacted", s.Redacted)
	return o
}

// peer is one side's own name, or null while it has not said it.
func peer(p reprise.Peer) any {
	if p.Name == "" {
		return nil
	}
	return map[string]string{"name": p.Name, "version": p.Version}
}

func callRow(e *reprise.Entry) *object {
	c := e.Call
	o := newObject()
	o.set("session", e.Session.ID)
	o.set("seq", c.Seq)
	o.number("response_seq", c.Response)
	o.set("direction", sender(c.Direction))
	o.token("id", c.ID)
	o.set("method", c.Method)
	o.text("tool", c.Tool())
	o.text("prompt", c.Prompt())
	o.text("uri", c.URI())
	o.text("name", c.Name)
	o.set("status", c.Status)
	o.set("code", c.Code)
	o.moment("started_at", e.Session.StartedAt.Add(c.Started))
	o.millis("offset_ms", c.Started)
	if c.Response == 0 {
		o.set("duration_ms", nil)
	} else {
		o.millis("duration_ms", c.Duration())
	}
	o.set("request_size", c.RequestSize)
	o.number("response_size", c.ResponseSize)
	o.set("progress", c.Progress)
	o.number("cancelled_seq", c.Cancelled)
	o.set("late", c.Late)
	o.set("flags", append([]string{}, c.Flags.Names()...))
	o.token("host_ids", c.HostIDs)
	o.text("link", string(c.Link))
	o.number("of", c.Of)
	o.text("rendered", c.Rendered)
	o.set("partial", c.Partial)
	o.objects("arguments", len(e.Uses), func(i int) *object { return argumentRow(e.Uses[i]) })
	o.verbatim("request", e.Request)
	o.verbatim("response", e.Response)
	return o
}

// argumentRow is an argument of the call's request or, where the server asked, of the client's answer.
func argumentRow(u *reprise.Use) *object {
	o := newObject()
	o.set("seq", u.Seq)
	o.argument(u)
	return o
}

// sender is the word of the filter language for who asked.
func sender(d reprise.Direction) string {
	if d == reprise.ClientToServer {
		return "client"
	}
	return "server"
}

func messageRow(e *reprise.Entry) *object {
	f, m := e.Frame, e.Message
	o := newObject()
	o.set("session", e.Session.ID)
	o.set("seq", f.Seq)
	o.set("index", m.Index)
	o.moment("at", e.Session.StartedAt.Add(f.At))
	o.millis("offset_ms", f.At)
	o.set("direction", f.Direction.String())
	o.set("stream", f.Stream)
	o.set("kind", m.Kind)
	o.token("id", m.ID)
	o.text("method", m.Method)
	o.text("name", m.Name)
	o.set("size", f.Size)
	o.set("eol", f.EOL)
	o.set("truncated", f.Truncated)
	o.set("flags", append([]string{}, m.Flags.Names()...))
	o.callOf(e)
	o.frame(f.Data)
	return o
}

// callOf writes the call that a message belongs to.
func (o *object) callOf(e *reprise.Entry) {
	if e.Call == nil {
		o.set("call_seq", nil)
		o.set("status", nil)
		return
	}
	o.set("call_seq", e.Call.Seq)
	o.set("status", e.Call.Status)
}
