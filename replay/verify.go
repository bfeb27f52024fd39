package replay

import (
	"context"
	"io"
	"time"

	"reprise"
)

// Verify is the client that a capture had: it says to a live server what the recorded client said, and compares
// what comes back.
//
//	recorded client frames ─▶ safe to send? ─▶ today's ids, cursors and states put in ─▶ server
//	recorded answers       ◀─ compared, at the end, under all bindings                ◀─ its answers
//
// It promises:
//   - A frame goes out when everything that the recorded client had heard before it has been heard again, or has been given up.
//     So what was in flight together is so again.
//   - Frames are the recorded bytes. What is replaced are the tokens that this server hands out itself: values that
//     provenance traces to an earlier result, cursors, requestState, task ids.
//   - A tool that the live server does not declare read-only is not called, unless the options allow it. What can't be known, such as
//     when the server does not list its tools, forbids.
//   - It ends: no wait is longer than Timeout, and two in a row on a silent server are the last.
//
// The connection is closed, and every goroutine has ended, when it returns. The error is the context's, or says that there
// is nothing in the capture to verify; whatever the server does is a Verification.
func Verify(ctx context.Context, c *reprise.Capture, conn io.ReadWriteCloser, o VerifyOptions) (*Verification, error) {
	s, err := readScript(c)
	if err != nil {
		conn.Close()
		return nil, err
	}
	v := newVerifier(s, o.orUsual())
	if err := v.converse(ctx, conn); err != nil {
		return nil, err
	}
	return v.result(), nil
}

// VerifyOptions say what Verify may do.
type VerifyOptions struct {
	// AllowWrites allows every tool, and methods that the protocol does not know.
	AllowWrites bool
	// AllowTools allows the tools of these names; * and ? match inside.
	AllowTools []string
	Ignore     *reprise.Ignore // nil ignores nothing
	// Timeout is how long a call may take: 60 s when it is zero.
	Timeout time.Duration
	// Settle is how long is waited for what the server need not send, such as progress: 1 s when it is zero.
	Settle time.Duration
	// Progress, if set, is told how many of the recorded requests are done.
	Progress func(done, of int)
	// Now and After are the clock: time.Now and time.After when they are nil.
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

func (o VerifyOptions) orUsual() VerifyOptions {
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Settle <= 0 {
		o.Settle = time.Second
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	return o
}

// Verification is what became of a capture's conversation with a live server.
type Verification struct {
	Then, Now *reprise.Session // the recorded session, and today's as far as the traffic tells
	Calls     []*Verified      // in the recorded order; then what is extra
	// Ended says why the conversation ended before the script did; "" when it did not. See the constants.
	Ended string
	Heard bool // a message of the server's came
	// Frames are today's, without those of Verify's own questions about tools.
	Frames []*reprise.Frame
}

// Why a conversation ended before its time.
const (
	EndedExit   = "the server has ended"
	EndedDeaf   = "the server reads no more"
	EndedSilent = "the server has stopped answering"
	// EndedEndless: what it says would fill the memory.
	EndedEndless = "the server sends without end"
)

// Verified is what became of one request, of either side's, or of one kind of what the server says without being asked: a notification,
// a response to nothing, a line that is no message.
type Verified struct {
	Kind      reprise.Kind
	Seq       int64 // of the recorded request; 0 of what is extra
	Response  int64 // of the recorded response, 0 where there is none
	Direction reprise.Direction
	Method    string
	Name      string // of the tool, prompt or resource
	Text      string // the call as a person would write it
	Class     reprise.Class
	// Skip says why the request was not sent; then there is no Class.
	Skip   Skip
	Reason string // of a skip, of what is missing or extra, and of some changes
	// Changed and Volatile are the places that differ; Ignored is how many more do that a rule ignores.
	Changed, Volatile []reprise.Difference
	Ignored           int
	// Recorded and Live are the evidence: the raw messages.
	Recorded, Live Exchange
}

// Exchange is a raw request and its raw response, "" where there is none.
type Exchange struct{ Request, Response string }

// Skip is a kind of reason for which a request is not sent.
type Skip string

const (
	SkipDestructive Skip = "destructive" // the server declares that the tool destroys
	SkipUnknown     Skip = "unknown"     // the server does not declare that the tool only reads
	SkipUnlisted    Skip = "unlisted"    // the server does not list the tool, or no tools at all
	SkipMethod      Skip = "method"      // the protocol does not know the method: it may do anything
	SkipTask        Skip = "task"        // it would change a task that this run did not make
	SkipMasked      Skip = "masked"      // it holds a secret that the capture masks, and today's is not known
	SkipDepends     Skip = "depends"     // it needs what a skipped call gives
)

// Totals counts a verification's requests by what became of them.
type Totals struct {
	Equal, Volatile, Changed, Missing, Extra, Skipped int
}

// Total counts.
func (v *Verification) Total() (t Totals) {
	for _, c := range v.Calls {
		switch {
		case c.Skip != "":
			t.Skipped++
		case c.Class == reprise.ClassEqual:
			t.Equal++
		case c.Class == reprise.ClassVolatile:
			t.Volatile++
		case c.Class == reprise.ClassChanged:
			t.Changed++
		case c.Class == reprise.ClassMissing:
			t.Missing++
		default:
			t.Extra++
		}
	}
	return t
}

// Failed says whether anything is not as it was recorded.
func (t Totals) Failed() bool { return t.Changed+t.Missing+t.Extra > 0 }
