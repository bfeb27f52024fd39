package reprise

import "time"

// Entry is what a filter looks at and a listing shows: a call, or one message of
// a frame, each with its session.
type Entry struct {
	Session *Session
	// Call is the call itself, or the one that the message belongs to; nil when it belongs to none.
	Call *Call
	// Frame and Message are nil when the entry is a call.
	Frame   *Frame
	Message *Message
	// Request and Response are the call's frames as far as they were read: at most
	// PartSize bytes each, nil when absent. When the entry is a message they are nil.
	Request, Response []byte
	// Uses are the sources of the call's arguments, where they were asked for.
	Uses []*Use
}

// Seq is the entry's place: the request's, or the frame's.
func (e *Entry) Seq() int64 {
	if e.Frame != nil {
		return e.Frame.Seq
	}
	return e.Call.Seq
}

// At is the entry's time since the session's start.
func (e *Entry) At() time.Duration {
	if e.Frame != nil {
		return e.Frame.At
	}
	return e.Call.Started
}
