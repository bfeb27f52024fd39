package reprise

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// ErrNewerCapture says that a capture file is from the future.
var ErrNewerCapture = errors.New("made by a newer Reprise: please upgrade")

// ReadCapture reads the header of a capture file, and gives its further lines in
// their order, once. Data is valid until the next item. Lines may be of any length and are
// read kindly (people edit these files): unknown lines and members are kept, seqs may be missing.
// What cannot be understood ends the items with an error that names the line.
func ReadCapture(r io.Reader) (*CaptureHeader, iter.Seq2[CaptureItem, error], error) {
	c := captureReader{in: bufio.NewReaderSize(r, 64<<10)}
	line, err := c.line()
	if err == io.EOF {
		return nil, nil, errors.New("read capture: the file is empty")
	}
	var h *CaptureHeader
	if err == nil {
		h, err = readHeader(bytes.TrimPrefix(line, []byte("\ufeff")))
	}
	if err != nil {
		return nil, nil, c.wrap(err)
	}
	return h, c.items, nil
}

type captureReader struct {
	in      *bufio.Reader
	members members // of the line at hand
	long    []byte  // that line, where the reader's own memory does not hold it
	n       int     // the line's number
	last    int64   // the highest seq so far
	ended   bool
}

func (c *captureReader) wrap(err error) error {
	return fmt.Errorf("read capture: line %d: %w", c.n, err)
}

// line gives the next line that is not blank, without its end, valid until the one after it.
func (c *captureReader) line() ([]byte, error) {
	for {
		line, err := c.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			c.long = c.long[:0]
			for errors.Is(err, bufio.ErrBufferFull) {
				c.long = append(c.long, line...)
				line, err = c.in.ReadSlice('\n')
			}
			c.long = append(c.long, line...)
			line = c.long
		}
		c.n++
		if line = bytes.TrimRight(line, " \t\r\n"); len(line) > 0 {
			if err == io.EOF {
				err = nil
			}
			return line, err
		}
		if err != nil {
			return nil, err
		}
	}
}

func (c *captureReader) items(yield func(CaptureItem, error) bool) {
	for {
		line, err := c.line()
		if err == io.EOF {
			return
		}
		var items []CaptureItem
		if err == nil {
			items, err = c.read(line)
		}
		if err != nil {
			yield(CaptureItem{}, c.wrap(err))
			return
		}
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// read reads one line: an item, and another one for the members that we do not know.
func (c *captureReader) read(line []byte) ([]CaptureItem, error) {
	m := &c.members
	err := m.read(line)
	if err != nil {
		return nil, err
	}
	var item CaptureItem
	var extra []byte
	after := c.last
	switch {
	case m.has("seq"):
		item.Frame, err = c.frame(m)
		after = c.last
	case m.has("end"):
		item.End, extra, err = c.end(m)
		after = AfterEnd
	case m.has("reprise"):
		err = errors.New("a second header")
	case m.has("stderr"):
		if item.Log, err = readOutput(m); m.unknown() != nil {
			item.Log = nil // to be kept with its unknown members, word for word
		}
	}
	switch {
	case err != nil:
		return nil, err
	case item == CaptureItem{}:
		return []CaptureItem{{Line: &CaptureLine{After: after, Text: bytes.Clone(line)}}}, nil
	}
	if extra = append(extra, m.unknown()...); extra != nil {
		return []CaptureItem{item, {Line: &CaptureLine{After: after, Text: extra}}}, nil
	}
	return []CaptureItem{item}, nil
}

func readHeader(line []byte) (*CaptureHeader, error) {
	if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("{")) {
		return nil, errors.New("no capture file: it begins with a line like {\"reprise\":\"capture\",…}")
	}
	m, err := membersOf(line)
	if err != nil {
		return nil, err
	}
	if m.text("reprise") != "capture" {
		return nil, errors.New("no capture file: it begins with a line like {\"reprise\":\"capture\",…}")
	}
	version := m.whole("version")
	if m.err == nil && version > CaptureVersion {
		return nil, fmt.Errorf("format version %d: %w", version, ErrNewerCapture)
	}
	if m.err == nil && version < 1 {
		return nil, errors.New("no format version")
	}
	h := &CaptureHeader{Session: Session{Imported: true}}
	if m.has("redaction") {
		redaction, err := m.object("redaction")
		if err != nil {
			return nil, err
		}
		h.Redaction, h.Session.Redacted = redaction.raw, true
	}
	session, err := m.object("session")
	if err != nil {
		return nil, err
	}
	readSession(session, &h.Session)
	h.Extra = headerExtra(m.unknown(), session.unknown())
	return h, errors.Join(m.err, session.err)
}

func readSession(m *members, s *Session) {
	s.ID, s.Host, s.Server = m.text("id"), m.text("host"), m.text("server")
	s.URL, s.Transport, s.Purpose = m.text("url"), m.text("transport"), m.text("purpose")
	s.MetadataOnly, s.Complete = m.truth("metadata_only"), m.truth("complete")
	if started := m.text("started_at"); started != "" {
		at, err := time.Parse(time.RFC3339Nano, started)
		if err != nil {
			m.fail("started_at", "no RFC 3339 time")
		}
		s.StartedAt = at.UTC()
	}
}

// headerExtra makes one object of the unknown members of the header and its session.
func headerExtra(header, session []byte) string {
	if session != nil {
		header = append(header, `,"session":{`...)
		header = append(append(header, session[1:]...), '}')
	}
	if header == nil {
		return ""
	}
	return "{" + string(header[1:]) + "}"
}

func (c *captureReader) frame(m *members) (*Frame, error) {
	f := &Frame{Seq: m.whole("seq"), At: m.seconds("t"), Stream: m.whole("stream"), EOL: "\n", Truncated: m.truth("truncated")}
	switch m.get("dir").Str {
	case "c2s":
		f.Direction = ClientToServer
	case "s2c":
		f.Direction = ServerToClient
	default:
		m.fail("dir", "neither c2s nor s2c")
	}
	if m.has("eol") {
		f.EOL = m.text("eol")
	}
	f.Data = m.data()
	f.Size = int64(len(f.Data))
	if m.has("size") {
		f.Size = m.whole("size")
	}
	switch {
	case m.err != nil:
		return nil, m.err
	case f.Seq <= c.last:
		return nil, fmt.Errorf("seq %d after seq %d", f.Seq, c.last)
	case f.Seq == AfterEnd:
		return nil, fmt.Errorf("seq %d is too high", f.Seq)
	case f.EOL != "" && f.EOL != "\n" && f.EOL != "\r\n":
		return nil, fmt.Errorf("eol %q is no line end", f.EOL)
	case bytes.IndexByte(f.Data, '\n') >= 0:
		return nil, errors.New("a frame is one line, and this one holds a line end")
	}
	c.last = f.Seq
	return f, nil
}

func readOutput(m *members) (*Chunk, error) {
	m.whole("stderr") // its place tells its number
	o := &Chunk{Direction: ServerLog, At: m.seconds("t"), Data: m.data(), Withheld: m.truth("withheld")}
	return o, m.err
}

// end reads the end, and the members of it that we do not know.
func (c *captureReader) end(line *members) (*CaptureEnd, []byte, error) {
	m, err := line.object("end")
	if err != nil {
		return nil, nil, err
	}
	if c.ended {
		return nil, nil, errors.New("a second end")
	}
	c.ended = true
	e, err := readEnd(m)
	return e, m.unknown(), err
}

func readEnd(m *members) (*CaptureEnd, error) {
	e := &CaptureEnd{Ended: m.has("t"), At: m.seconds("t"), Ending: Ending(m.text("ending"))}
	if m.has("exit_code") {
		code := int(m.whole("exit_code"))
		e.ExitCode = &code
	}
	for _, raw := range m.list("gaps") {
		g, err := membersOf([]byte(raw))
		if err != nil {
			return nil, err
		}
		e.Gaps = append(e.Gaps, Gap{From: g.whole("from"), To: g.whole("to"), Frames: g.whole("frames"),
			Bytes: g.whole("bytes"), At: g.seconds("t"), Reason: g.text("reason")})
		if g.err != nil {
			return nil, g.err
		}
	}
	return e, m.err
}
