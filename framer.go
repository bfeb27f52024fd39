package reprise

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"
)

// Framer cuts the byte streams of one session into frames and numbers them.
//
// A frame takes its Seq when the bytes after which it could be whole are added:
// its newline, or an earlier chunk that closes the outermost brace. A server
// with a streaming JSON decoder answers at that brace, so a number taken at the
// newline would put the reply before its request. Such a frame waits for its line
// end, and frames of higher Seq wait with it: Emit is always called in order
// of Seq, so that the same chunks give the same frames live and offline. At most
// holdFrames frames or holdBytes bytes wait; then the waiting frame ends where it is.
//
// Lines over PartSize are emitted in parts as they come.
type Framer struct {
	// Emit receives each frame. Its Data is valid until Emit returns.
	Emit func(Frame)

	last    int64
	lanes   map[lane]*line
	waiting int     // lines that could be whole and have not ended
	held    []Frame // in order of Seq, all above the lowest waiting line
	size    int     // bytes held
}

const (
	holdFrames = 1024
	holdBytes  = 4 << 20
)

type lane struct {
	dir    Direction
	stream int64
}

// line is what has come of a line that has not ended yet.
type line struct {
	lane
	buf     []byte
	scan    scanner
	seq     int64 // taken already, or 0
	at      time.Duration
	parts   int
	size    int64
	broken  bool // a gap took bytes of it
	waiting bool // could be whole; later frames are held for it
}

// Add takes the next chunk of a stream.
func (f *Framer) Add(c Chunk) {
	l := f.line(c)
	for data := c.Data; len(data) > 0; {
		n := bytes.IndexByte(data, '\n')
		if n < 0 {
			f.grow(l, data, c.At)
			return
		}
		f.end(l, data[:n], c.At)
		data = data[n+1:]
	}
}

// Lose takes note that bytes of a stream were not kept: how many newlines stood
// in them, and whether they ended inside a line. It returns the gap in terms of Seq.
func (f *Framer) Lose(dir Direction, stream int64, lines, bytes int64, midLine bool, at time.Duration) Gap {
	l := f.line(Chunk{Direction: dir, Stream: stream})
	frames := lines
	if l.started() {
		frames = max(0, lines-1)
		l.broken = true
		f.finish(l, l.buf, "", at)
	}
	f.release()
	g := Gap{From: f.last + 1, To: f.last + frames, Frames: frames, Bytes: bytes, At: at}
	f.last += frames
	l.broken = midLine
	return g
}

// Pass numbers and emits a whole frame that was cut elsewhere.
func (f *Framer) Pass(fr Frame) {
	f.last++
	fr.Seq = f.last
	f.emit(fr)
}

// Flush ends every open line where it is: there is no more to come.
func (f *Framer) Flush(at time.Duration) {
	f.release()
	keys := slices.SortedFunc(maps.Keys(f.lanes), func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.stream, b.stream))
	})
	for _, key := range keys {
		if l := f.lanes[key]; l.started() {
			f.finish(l, l.buf, "", at)
		}
	}
}

// Last is the highest Seq given so far.
func (f *Framer) Last() int64 { return f.last }

func (f *Framer) line(c Chunk) *line {
	key := lane{c.Direction, c.Stream}
	l := f.lanes[key]
	if l == nil {
		if f.lanes == nil {
			f.lanes = map[lane]*line{}
		}
		l = &line{lane: key}
		f.lanes[key] = l
	}
	return l
}

func (l *line) started() bool { return len(l.buf) > 0 || l.parts > 0 }

// grow adds bytes that do not end the line.
func (f *Framer) grow(l *line, data []byte, at time.Duration) {
	l.scan.feed(data, false)
	l.buf = append(l.buf, data...)
	for len(l.buf) > PartSize {
		f.part(l, at)
	}
	// A line in parts has its number already, but what answers it must not be read before its end.
	if (l.scan.closed || l.scan.object && l.parts == 0) && !l.waiting {
		l.waiting = true
		f.waiting++
		f.number(l, at)
	}
}

// end adds the bytes before a newline and emits the frame.
func (f *Framer) end(l *line, rest []byte, at time.Duration) {
	if !l.started() && len(rest) <= PartSize {
		f.finish(l, rest, "\n", at)
		return
	}
	l.buf = append(l.buf, rest...)
	for len(l.buf) > PartSize {
		f.part(l, at)
	}
	f.finish(l, l.buf, "\n", at)
}

func (f *Framer) number(l *line, at time.Duration) {
	if l.seq == 0 {
		f.last++
		l.seq, l.at = f.last, at
	}
}

// part emits the first PartSize bytes of a long line. Nothing waits for it.
func (f *Framer) part(l *line, at time.Duration) {
	f.number(l, at)
	f.unwait(l)
	l.size += PartSize
	f.emit(Frame{Seq: l.seq, At: l.at, Direction: l.dir, Stream: l.stream, Part: l.parts,
		Data: l.buf[:PartSize], More: true, Truncated: l.broken, Size: l.size})
	l.parts++
	l.buf = append(l.buf[:0], l.buf[PartSize:]...)
	f.drain()
}

// finish emits what stands in data as the (last part of the) frame and starts a new line.
func (f *Framer) finish(l *line, data []byte, eol string, at time.Duration) {
	f.number(l, at)
	if eol == "\n" && len(data) > 0 && data[len(data)-1] == '\r' {
		data, eol = data[:len(data)-1], "\r\n"
	}
	f.unwait(l)
	f.emit(Frame{Seq: l.seq, At: l.at, Direction: l.dir, Stream: l.stream, Part: l.parts,
		Data: data, EOL: eol, Truncated: l.broken, Size: l.size + int64(len(data))})
	*l = line{lane: l.lane, buf: l.buf[:0]}
	if cap(l.buf) > 1<<20 && len(data) < cap(l.buf)/4 {
		l.buf = nil // long lines in a row share a buffer; an idle session keeps none
	}
	f.drain()
}

func (f *Framer) unwait(l *line) {
	if l.waiting {
		l.waiting = false
		f.waiting--
	}
}

// emit passes a frame on, or holds it while a frame of lower Seq waits for its line end.
func (f *Framer) emit(fr Frame) {
	if f.waiting == 0 && len(f.held) == 0 || fr.Seq < f.lowestWaiting() {
		f.Emit(fr)
		return
	}
	fr.Data = bytes.Clone(fr.Data)
	i, _ := slices.BinarySearchFunc(f.held, fr.Seq, func(h Frame, seq int64) int { return cmp.Compare(h.Seq, seq) })
	f.held = slices.Insert(f.held, i, fr)
	f.size += len(fr.Data)
	if len(f.held) > holdFrames || f.size > holdBytes {
		f.release()
	}
}

// lowestWaiting is the lowest Seq that waits for its line end.
func (f *Framer) lowestWaiting() int64 {
	lowest := int64(1<<63 - 1)
	for _, l := range f.lanes {
		if l.waiting {
			lowest = min(lowest, l.seq)
		}
	}
	return lowest
}

// drain emits the held frames that nothing waits for any more.
func (f *Framer) drain() {
	for len(f.held) > 0 && f.held[0].Seq < f.lowestWaiting() {
		f.Emit(f.held[0])
		f.size -= len(f.held[0].Data)
		f.held = f.held[1:]
	}
	if len(f.held) == 0 {
		f.held = nil
	}
}

// release ends the waiting frames where they are and emits all that was held for them.
func (f *Framer) release() {
	for {
		var first *line
		for _, l := range f.lanes {
			if l.waiting && (first == nil || l.seq < first.seq) {
				first = l
			}
		}
		if first == nil {
			return
		}
		f.finish(first, first.buf, "", first.at)
	}
}
