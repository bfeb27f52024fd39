package reprise

import (
	"bytes"
	"iter"
)

// CaptureItems puts a session as it is kept in the order of a capture file.
// Frames come by Seq, the parts of long ones adjacent, and are joined; what the
// server wrote on its standard error stands where its time falls, cut at line ends;
// unknown lines follow the frame that they followed. The same session gives
// the same order, wherever it has been imported since.
func CaptureItems(frames iter.Seq2[Frame, error], logs iter.Seq2[Chunk, error],
	lines iter.Seq2[CaptureLine, error], end *CaptureEnd) iter.Seq2[CaptureItem, error] {
	return func(yield func(CaptureItem, error) bool) {
		o := captureOrder{yield: yield}
		var stopLogs, stopLines func()
		o.logs.next, stopLogs = iter.Pull2(wholeLines(logs))
		defer stopLogs()
		o.lines.next, stopLines = iter.Pull2(lines)
		defer stopLines()
		o.run(wholeFrames(frames), end)
	}
}

// captureOrder merges three sequences. A yield that says stop, and an error, end it.
type captureOrder struct {
	yield func(CaptureItem, error) bool
	logs  head[Chunk]
	lines head[CaptureLine]
}

func (o *captureOrder) run(frames iter.Seq2[Frame, error], end *CaptureEnd) {
	if !o.linesUpTo(0) {
		return
	}
	for f, err := range frames {
		before := func(s *Chunk) bool { return s.At < f.At }
		if err != nil {
			o.yield(CaptureItem{}, err)
			return
		}
		if !o.logsWhile(before) || !o.yield(CaptureItem{Frame: &f}, nil) || !o.linesUpTo(f.Seq) {
			return
		}
	}
	all := func(*Chunk) bool { return true }
	if !o.logsWhile(all) || !o.linesUpTo(AfterEnd-1) {
		return
	}
	if end == nil || o.yield(CaptureItem{End: end}, nil) {
		o.linesUpTo(AfterEnd)
	}
}

func (o *captureOrder) logsWhile(wanted func(*Chunk) bool) bool {
	for {
		log, err := o.logs.peek()
		if err != nil {
			o.yield(CaptureItem{}, err)
			return false
		}
		if log == nil || !wanted(log) {
			return true
		}
		if !o.yield(CaptureItem{Log: o.logs.take()}, nil) {
			return false
		}
	}
}

func (o *captureOrder) linesUpTo(seq int64) bool {
	for {
		line, err := o.lines.peek()
		if err != nil {
			o.yield(CaptureItem{}, err)
			return false
		}
		if line == nil || line.After > seq {
			return true
		}
		if !o.yield(CaptureItem{Line: o.lines.take()}, nil) {
			return false
		}
	}
}

// head looks one ahead in a sequence.
type head[T any] struct {
	next func() (T, error, bool)
	got  *T
	err  error
}

func (h *head[T]) peek() (*T, error) {
	if h.got == nil && h.err == nil {
		if v, err, ok := h.next(); ok {
			h.got, h.err = &v, err
		}
	}
	return h.got, h.err
}

func (h *head[T]) take() *T {
	got := h.got
	h.got = nil
	return got
}

// wholeFrames joins the parts of long frames.
func wholeFrames(parts iter.Seq2[Frame, error]) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		var data []byte
		truncated := false
		for f, err := range parts {
			if err == nil && (f.More || f.Part > 0) {
				data, truncated = append(data, f.Data...), truncated || f.Truncated
				if f.More {
					continue
				}
				f.Data, f.Truncated, f.Part = data, truncated, 0
				data, truncated = nil, false
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// longestOutput is how much of a line without an end one item holds.
const longestOutput = 64 << 10

// wholeLines cuts the server's output at line ends, for it was kept as it was
// read: a secret, or a character, that two reads have cut is whole again.
func wholeLines(logs iter.Seq2[Chunk, error]) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		var rest Chunk
		for log, err := range logs {
			if err != nil {
				yield(log, err)
				return
			}
			if len(rest.Data) > 0 && rest.Withheld != log.Withheld {
				if !yield(rest, nil) {
					return
				}
				rest.Data = nil
			}
			log.Data = append(rest.Data, log.Data...)
			n := bytes.LastIndexByte(log.Data, '\n') + 1
			if len(log.Data)-n > longestOutput {
				n = len(log.Data)
			}
			rest = Chunk{Direction: ServerLog, At: log.At, Withheld: log.Withheld, Data: bytes.Clone(log.Data[n:])}
			if log.Data = log.Data[:n]; n > 0 && !yield(log, nil) {
				return
			}
		}
		if len(rest.Data) > 0 {
			yield(rest, nil)
		}
	}
}
