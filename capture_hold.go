package reprise

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Capture is one session read back, whole and in memory: what replay plays and what files are made of.
type Capture struct {
	Header *CaptureHeader
	Items  []CaptureItem // in the order of a capture file; frames are whole
}

// ErrCutCapture says that the end of a capture file is missing.
var ErrCutCapture = errors.New("the file is cut short: its header says that the session is complete, and its last line, the end, is missing")

// LoadCapture reads a capture file whole. Its errors are ReadCapture's, and ErrCutCapture.
func LoadCapture(r io.Reader) (*Capture, error) {
	header, items, err := ReadCapture(r)
	if err != nil {
		return nil, err
	}
	c, err := hold(header, items, func(i CaptureItem) CaptureItem { return i }) // what a file gives is its own
	if err == nil && header.Session.Complete && c.End() == nil {
		err = fmt.Errorf("read capture: %w", ErrCutCapture)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// HoldCapture keeps what an iterator gives, and makes one of a frame's parts.
func HoldCapture(h *CaptureHeader, items iter.Seq2[CaptureItem, error]) (*Capture, error) {
	return hold(h, items, CaptureItem.clone)
}

func hold(h *CaptureHeader, items iter.Seq2[CaptureItem, error], keep func(CaptureItem) CaptureItem) (*Capture, error) {
	c := &Capture{Header: h}
	var open *Frame // whose further parts are to come
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		if f := item.Frame; f != nil && open != nil && f.Part > 0 && f.Seq == open.Seq {
			open.Data = append(open.Data, f.Data...)
			open.EOL, open.More, open.Size, open.Truncated = f.EOL, f.More, f.Size, open.Truncated || f.Truncated
			continue
		}
		c.Items = append(c.Items, keep(item))
		if f := c.Items[len(c.Items)-1].Frame; f != nil {
			open = f
		}
	}
	return c, nil
}

// clone keeps an item beyond its turn.
func (i CaptureItem) clone() CaptureItem {
	switch {
	case i.Frame != nil:
		f := *i.Frame
		f.Data = bytes.Clone(f.Data)
		i.Frame = &f
	case i.Log != nil:
		l := *i.Log
		l.Data = bytes.Clone(l.Data)
		i.Log = &l
	case i.Line != nil:
		i.Line = &CaptureLine{i.Line.After, bytes.Clone(i.Line.Text)}
	}
	return i
}

// Frames gives the frames in their order.
func (c *Capture) Frames() iter.Seq[*Frame] {
	return func(yield func(*Frame) bool) {
		for i := range c.Items {
			if f := c.Items[i].Frame; f != nil && !yield(f) {
				return
			}
		}
	}
}

// End is the last line, nil where there is none.
func (c *Capture) End() *CaptureEnd {
	for i := len(c.Items) - 1; i >= 0; i-- {
		if c.Items[i].End != nil {
			return c.Items[i].End
		}
	}
	return nil
}

// Session is the capture's session, with its end.
func (c *Capture) Session() *Session {
	s := c.Header.Session
	if end := c.End(); end != nil {
		end.Apply(&s)
	}
	return &s
}

// All gives the items in their order, as ReadCapture does.
func (c *Capture) All() iter.Seq2[CaptureItem, error] {
	return func(yield func(CaptureItem, error) bool) {
		for _, item := range c.Items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// Write writes the capture file.
func (c *Capture) Write(w io.Writer) error { return WriteCapture(w, c.Header, c.All()) }
