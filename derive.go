package reprise

import "bytes"

// Deriver reads the frames of one session, in order, into messages and calls,
// and keeps the session's counts and names. Live and offline it is the same machine.
type Deriver struct {
	Session *Session
	// Message is given every message, with the call it belongs to or nil. It must not keep them.
	Message func(*Frame, *Message, *Call)
	// Call is given a call whenever anything about it has changed.
	Call func(*Call)
	// Value and Use are given provenance as it is found, in an order that the frames alone decide. When
	// they are nil it is not traced.
	Value func(*Value)
	Use   func(*Use)

	pairer   Pairer
	describe Describer
	trace    Tracer
	broken   bool            // tracing has failed
	heads    map[lane][]byte // first parts of frames whose last part has not come
}

// Add takes the next frame, or part of one.
func (d *Deriver) Add(f *Frame) {
	if f.Part == 0 {
		d.Session.Frames++
	}
	d.Session.Bytes += int64(len(f.Data) + len(f.EOL))
	key := lane{f.Direction, f.Stream}
	switch {
	case f.More && f.Part == 0:
		if d.heads == nil {
			d.heads = map[lane][]byte{}
		}
		d.heads[key] = bytes.Clone(f.Data)
	case f.More:
	case f.Part > 0:
		m := ReadLong(d.heads[key], f.Data)
		delete(d.heads, key)
		d.message(f, &m)
	default:
		for _, m := range ReadMessages(f.Data) {
			d.message(f, &m)
		}
	}
}

func (d *Deriver) message(f *Frame, m *Message) {
	d.pairer.Changed = d.Call
	c := d.pairer.Add(f, m)
	d.describe.Add(d.Session, f.Direction, m, c)
	d.count(m, c)
	d.Message(f, m, c)
	if d.Value != nil && d.Use != nil && !d.broken {
		d.follow(f, m, c)
	}
}

// follow traces the values of a message. A rule that fails on one stops the tracing of its session, in the same place live
// and offline, and neither the traffic nor the record: the session says that something was left out.
func (d *Deriver) follow(f *Frame, m *Message, c *Call) {
	t := &d.trace
	defer func() {
		if recover() != nil {
			d.broken = true
			d.Session.LeftOut++
		}
	}()
	t.Value, t.Use = d.Value, d.Use
	if t.Add(f, m, c); c != nil && c.Partial {
		d.Call(c)
	}
	d.Session.Values, d.Session.Unsourced, d.Session.LeftOut = t.Values, t.Unsourced, t.LeftOut()
}

func (d *Deriver) count(m *Message, c *Call) {
	switch m.Kind {
	case KindNoise:
		d.Session.Noise++
	case KindInvalid:
		d.Session.Invalid++
	case KindRequest:
		d.Session.Calls++
	case KindResponse:
		if c != nil && c.Status.Failed() {
			d.Session.Errors++
		}
	}
	d.Session.Orphans = d.pairer.Orphans
}

// End closes the calls that are still open as the session's ending says.
func (d *Deriver) End() {
	d.pairer.Changed = d.Call
	d.pairer.End(d.Session.Ending.Unanswered())
}
