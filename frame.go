package reprise

import "time"

// Direction says which way bytes crossed.
type Direction uint8

const (
	ClientToServer Direction = 0
	ServerToClient Direction = 1
	// ServerLog is the server's standard error: kept beside the frames, never one of them.
	ServerLog Direction = 2
)

// String gives the short name used in capture files: c2s, s2c or err.
func (d Direction) String() string {
	switch d {
	case ClientToServer:
		return "c2s"
	case ServerToClient:
		return "s2c"
	}
	return "err"
}

// Opposite is the way an answer takes.
func (d Direction) Opposite() Direction { return d ^ 1 }

// Chunk is a run of bytes as one read gave it: part of a line, a line, or many.
type Chunk struct {
	Direction Direction
	Stream    int64 // 0 on stdio; the HTTP exchange otherwise
	Data      []byte
	At        time.Duration // since the session's start
	// Withheld marks ServerLog bytes that were kept but not passed on,
	// because the host did not read them.
	Withheld bool
}

// Tap is shown every chunk before it moves on. It can neither alter nor refuse
// it, must not keep Data after it returns, and is called from several
// goroutines at once.
type Tap interface {
	// Observe is called before the chunk is forwarded.
	Observe(Chunk)
	// Miss is called instead when an earlier Observe has not come back in
	// time. It must return at once: keep a copy or count the loss.
	Miss(Chunk)
}

// Frame is the fact: the exact bytes of one line that crossed once.
// Data followed by EOL is what was on the wire.
type Frame struct {
	Seq       int64
	At        time.Duration // since the session's start: when the frame was, or could first have been, whole
	Direction Direction
	Stream    int64
	// Part is 0, and counts on in the further parts of a line over PartSize.
	// The parts share a Seq; only the last one has an EOL.
	Part int
	Data []byte
	EOL  string // "", "\n" or "\r\n"
	// More says that another part of the same frame follows.
	More bool
	// Truncated says that bytes of this line are missing from the record (a gap touched it).
	Truncated bool
	// Size is the length of the line on the wire without its line end. It differs from
	// len(Data) in parts, and where only metadata is kept.
	Size int64
}

// PartSize is how much of a line one Frame holds; longer lines are kept in parts,
// and what is derived looks at the first part only.
const PartSize = 16 << 20

// Gap is a stretch of traffic that was forwarded but not kept.
type Gap struct {
	From, To int64 // seqs that the lost frames would have had; To < From when only part of a line was lost
	Frames   int64
	Bytes    int64
	At       time.Duration
	Reason   string
}
