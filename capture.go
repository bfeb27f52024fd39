package reprise

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// CaptureVersion is the newest version of the capture file that we read, and the one that we write.
const CaptureVersion = 1

// CaptureHeader is the first line of a capture file. Of the session it holds what
// the traffic cannot tell: no command, no folder, no process, for such files are shared.
type CaptureHeader struct {
	Session   Session // ID, Host, Server, URL, Transport, StartedAt, MetadataOnly, Purpose, Complete
	Redaction string  // JSON object, "" when nothing was redacted
	// Extra is a JSON object of the members that we do not know, "" when there
	// are none. Those of the session stand in its member "session".
	Extra string
}

// CaptureItem is one further line of a capture file: one of its fields is set.
type CaptureItem struct {
	Frame *Frame // whole, however long: see Frame.Parts
	Log   *Chunk // of direction ServerLog
	Line  *CaptureLine
	End   *CaptureEnd
}

// CaptureLine is what a capture file holds beside our own words, kept word for
// word: a line of a kind that we do not know, which stands behind the frame with
// Seq After (0: before the first), or, when it begins with a comma, the unknown
// members of that frame's line, or of the end's where After is AfterEnd.
type CaptureLine struct {
	After int64
	Text  []byte
}

// AfterEnd is the place of what belongs to the last line.
const AfterEnd = 1<<63 - 1

// CaptureEnd is the last line: how the session ended and what is missing.
type CaptureEnd struct {
	Ended    bool          // whether the session has ended
	At       time.Duration // when it did
	Ending   Ending
	ExitCode *int
	Gaps     []Gap
}

// EndOf tells the end of a session. It is nil while there is nothing to tell.
func EndOf(s *Session, gaps []Gap) *CaptureEnd {
	if s.EndedAt.IsZero() && len(gaps) == 0 {
		return nil
	}
	e := &CaptureEnd{Ending: s.Ending, ExitCode: s.ExitCode, Gaps: gaps}
	if !s.EndedAt.IsZero() {
		e.Ended, e.At = true, s.EndedAt.Sub(s.StartedAt)
	}
	return e
}

// Apply tells the session its end.
func (e *CaptureEnd) Apply(s *Session) {
	s.Ending, s.ExitCode = e.Ending, e.ExitCode
	if e.Ended {
		s.EndedAt = s.StartedAt.Add(e.At)
	}
}

// Parts cuts a whole frame into the parts that a Framer would have given.
func (f *Frame) Parts() iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		part := *f
		for part.Size = PartSize; len(part.Data) > PartSize; part.Size += PartSize {
			rest := part.Data[PartSize:]
			part.Data, part.EOL, part.More = part.Data[:PartSize], "", true
			if !yield(part) {
				return
			}
			part.Data, part.More = rest, false
			part.Part++
		}
		part.EOL, part.Size = f.EOL, f.Size
		yield(part)
	}
}

// WriteCapture writes a capture file: JSON Lines made for git, with a stable
// order of lines and members, and frames embedded verbatim where they are JSON.
// A raw U+2028, U+2029 or U+0085 in such a frame stays: only \n ends a line of the file,
// and a reader that splits at others cannot read it.
func WriteCapture(w io.Writer, h *CaptureHeader, items iter.Seq2[CaptureItem, error]) error {
	out := bufio.NewWriterSize(w, 64<<10)
	c := captureWriter{out: out}
	if err := c.write(h.append(nil)); err != nil {
		return err
	}
	for item, err := range items {
		if err == nil {
			err = c.item(&item)
		}
		if err != nil {
			return err
		}
	}
	if err := c.flush(); err != nil {
		return err
	}
	return out.Flush()
}

// captureWriter writes the lines of a capture file. It keeps a frame or the end
// back until it is known whether unknown members belong to it.
type captureWriter struct {
	out  *bufio.Writer
	kept []byte // the line without its closing braces
	shut string // the closing braces
	seq  int64  // whose it is
	logs int
}

func (c *captureWriter) item(item *CaptureItem) error {
	if l := item.Line; l != nil && len(l.Text) > 0 && l.Text[0] == ',' && l.After == c.seq && c.shut != "" {
		c.kept = append(c.kept, l.Text...)
		return nil
	}
	if err := c.flush(); err != nil {
		return err
	}
	switch {
	case item.Frame != nil:
		c.kept, c.shut, c.seq = appendFrame(c.kept[:0], item.Frame), "}", item.Frame.Seq
	case item.End != nil:
		c.kept, c.shut, c.seq = appendEnd(c.kept[:0], item.End), "}}", AfterEnd
	case item.Log != nil:
		c.logs++
		return c.write(appendOutput(nil, c.logs, item.Log))
	case item.Line != nil:
		return c.line(item.Line.Text)
	}
	return nil
}

// line writes a line word for word. Members whose own line is gone become one.
func (c *captureWriter) line(text []byte) error {
	if len(text) > 0 && text[0] == ',' {
		text = fmt.Appendf(nil, "{%s}", text[1:])
	}
	return c.write(text)
}

// flush writes the line that was kept back.
func (c *captureWriter) flush() error {
	if c.shut == "" {
		return nil
	}
	line := append(c.kept, c.shut...)
	c.shut = ""
	return c.write(line)
}

func (c *captureWriter) write(line []byte) error {
	if _, err := c.out.Write(line); err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	if err := c.out.WriteByte('\n'); err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	return nil
}

func (h *CaptureHeader) append(b []byte) []byte {
	s := &h.Session
	b = append(b, `{"reprise":"capture","version":`...)
	b = strconv.AppendInt(b, CaptureVersion, 10)
	b = append(b, `,"session":{"id":`...)
	b = appendString(b, s.ID)
	b = appendMember(b, "host", s.Host)
	b = appendMember(b, "server", s.Server)
	if s.URL != "" {
		b = appendMember(b, "url", s.URL)
	}
	b = appendMember(b, "transport", s.Transport)
	if !s.StartedAt.IsZero() {
		b = appendMember(b, "started_at", s.StartedAt.UTC().Format(timeFormat))
	}
	if s.MetadataOnly {
		b = append(b, `,"metadata_only":true`...)
	}
	if s.Purpose != "" {
		b = appendMember(b, "purpose", s.Purpose)
	}
	b = append(b, `,"complete":`...)
	b = strconv.AppendBool(b, s.Complete)
	extra := gjson.Parse(h.Extra)
	b = append(appendMembers(b, extra.Get("session")), '}')
	if h.Redaction != "" {
		b = append(append(b, `,"redaction":`...), h.Redaction...)
	}
	return append(appendMembers(b, extra, "session"), '}')
}

// timeFormat is RFC 3339 with all nanoseconds.
const timeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// appendMembers adds an object's members but the one named.
func appendMembers(b []byte, object gjson.Result, but ...string) []byte {
	object.ForEach(func(k, v gjson.Result) bool {
		if !slices.Contains(but, k.Str) {
			b = append(append(append(append(b, ','), k.Raw...), ':'), v.Raw...)
		}
		return true
	})
	return b
}

func appendFrame(b []byte, f *Frame) []byte {
	b = strconv.AppendInt(append(b, `{"seq":`...), f.Seq, 10)
	b = appendSeconds(append(b, `,"t":`...), f.At)
	b = appendMember(b, "dir", f.Direction.String())
	if f.Stream != 0 {
		b = strconv.AppendInt(append(b, `,"stream":`...), f.Stream, 10)
	}
	if Embeddable(f.Data) {
		b = append(append(b, `,"frame":`...), f.Data...)
	} else {
		b = appendData(b, f.Data)
	}
	if f.EOL != "\n" {
		b = appendMember(b, "eol", f.EOL)
	}
	if f.Truncated {
		b = append(b, `,"truncated":true`...)
	}
	if f.Size != int64(len(f.Data)) {
		b = strconv.AppendInt(append(b, `,"size":`...), f.Size, 10)
	}
	return b
}

// Embeddable says whether the bytes can stand in a line of JSON as they are and be
// found again: one JSON value on one line with no blank around it. A carriage return
// is a line end to many readers of JSON Lines. What is nested too deep never reaches
// the validator, which is recursive.
func Embeddable(data []byte) bool {
	text := view(data)
	return text != "" && text[0] > ' ' && text[len(text)-1] > ' ' && strings.IndexByte(text, '\r') < 0 &&
		strings.IndexByte(text, '\n') < 0 && utf8.ValidString(text) && !tooDeep(data) && gjson.Valid(text)
}

func appendOutput(b []byte, n int, o *Chunk) []byte {
	b = strconv.AppendInt(append(b, `{"stderr":`...), int64(n), 10)
	b = appendSeconds(append(b, `,"t":`...), o.At)
	b = appendData(b, o.Data)
	if o.Withheld {
		b = append(b, `,"withheld":true`...)
	}
	return append(b, '}')
}

func appendEnd(b []byte, e *CaptureEnd) []byte {
	b = append(b, `{"end":{`...)
	if e.Ended {
		b = append(appendSeconds(append(b, `"t":`...), e.At), ',')
	}
	if e.ExitCode != nil {
		b = append(strconv.AppendInt(append(b, `"exit_code":`...), int64(*e.ExitCode), 10), ',')
	}
	if e.Ending != "" {
		b = append(appendString(append(b, `"ending":`...), string(e.Ending)), ',')
	}
	b = append(b, `"gaps":[`...)
	for i, g := range e.Gaps {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"from":%d,"to":%d,"frames":%d,"bytes":%d,"t":`, g.From, g.To, g.Frames, g.Bytes)
		b = append(appendMember(appendSeconds(b, g.At), "reason", g.Reason), '}')
	}
	return append(b, ']')
}

// appendData adds bytes as text where they are valid UTF-8, else as base64.
func appendData(b, data []byte) []byte {
	if utf8.Valid(data) {
		return appendMember(b, "text", view(data))
	}
	return append(base64.StdEncoding.AppendEncode(append(b, `,"base64":"`...), data), '"')
}

func appendMember(b []byte, key, value string) []byte {
	b = append(append(append(b, `,"`...), key...), `":`...)
	return appendString(b, value)
}

// Quote writes a JSON string: see appendString.
func Quote(s string) []byte { return appendString(nil, s) }

// appendString adds a JSON string. All that some reader takes for a line end is
// escaped, and bytes that are no UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			b = append(b, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// appendSeconds adds a duration in seconds, exact to the nanosecond and no longer than needed.
func appendSeconds(b []byte, d time.Duration) []byte {
	ns := uint64(d)
	if d < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendUint(b, ns/1e9, 10)
	if ns %= 1e9; ns != 0 {
		b = append(b, bytes.TrimRight(fmt.Appendf(nil, ".%09d", ns), "0")...)
	}
	return b
}
