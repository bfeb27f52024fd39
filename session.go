package reprise

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Session is one conversation between one client and one server as run through us.
type Session struct {
	ID        string // UUIDv7
	Host      string
	Server    string   // the host's config key, else the command's base name
	Command   []string // as the redactor lets it through
	URL       string
	Transport string // stdio
	StartedAt time.Time
	EndedAt   time.Time // zero while it is open
	Cwd       string
	Parent    Parent
	// MetadataOnly says that frames were reduced to their skeleton before they were kept.
	MetadataOnly bool
	// Purpose is what it was made for: see the constants. Empty when an agent's work was recorded.
	Purpose string

	// Ending is how it ended: see the constants. Empty while it is open.
	Ending   Ending
	ExitCode *int
	// Complete says that the record has everything that either side received: it has ended and has no gap.
	Complete bool

	// Read from the traffic.
	ProtocolVersion string // as negotiated, else as first asked for
	Client          Peer
	Peer            Peer // what the server calls itself

	// Counted.
	Frames, Calls, Errors int64
	Noise, Invalid        int64
	Orphans               int64 // responses without a request
	Gaps, LostFrames      int64
	Bytes                 int64
	Values, Unsourced     int64 // provenance: values given, and arguments from nowhere
	LeftOut               int64 // values that the bounds on harvesting left out

	Pinned   bool
	Imported bool // came from a capture file, which need not tell its end
	Redacted bool // came from a redacted capture file
}

// Parent is the process that started us.
type Parent struct {
	PID       int    `json:"pid,omitempty"`
	StartedAt string `json:"started_at,omitempty"` // in the system's own terms
	Name      string `json:"name,omitempty"`
}

// Peer is one side's own name for itself.
type Peer struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// Ending is how a session ended.
type Ending string

const (
	EndedByClient Ending = "client closed" // the host closed our stdin, or went away
	EndedByServer Ending = "server exited" // of itself
	EndedBySignal Ending = "signal"        // the host signalled us
	EndedByKill   Ending = "killed"        // our process was killed; another one completed the record
	NeverStarted  Ending = "did not start" // the command could not be started
)

// The purposes of sessions that are not an agent's work. None of them is ever the last session, but for a harvest:
// what it is made for is to be looked at.
const (
	PurposeReplay  = "replay"  // a client talked to a capture
	PurposeVerify  = "verify"  // a capture's requests were sent to a server again
	PurposeCheck   = "check"   // a case of a checks file was held against a server
	PurposeHarvest = "harvest" // values were collected from a server
)

// Unanswered is what becomes of the calls that were open at such an end.
func (e Ending) Unanswered() Status {
	if e == EndedByServer || e == EndedByKill || e == NeverStarted {
		return StatusLost
	}
	return StatusUnanswered
}

// Describer reads what a session says about itself: versions and names. It never judges.
type Describer struct {
	asked      string // the last version that the client asked for
	negotiated bool
}

// MetaPrefix is what the protocol's own keys in _meta begin with (protocol.md §5.12).
const MetaPrefix = "io.modelcontextprotocol/"

// Add looks at one message, and at the call it belongs to.
func (d *Describer) Add(s *Session, dir Direction, m *Message, c *Call) {
	if m.Kind == KindRequest && dir == ClientToServer {
		d.request(s, m)
	}
	if m.Kind == KindResponse && dir == ServerToClient && c != nil && m.Result != "" {
		d.result(s, m, c)
	}
}

// request reads the handshake of the old era, or the _meta of the new one,
// which has no handshake and says it in every request.
func (d *Describer) request(s *Session, m *Message) {
	if s.Client.Name != "" && d.asked != "" && m.Method != "initialize" {
		return
	}
	object, prefix := m.Params, ""
	if m.Method != "initialize" {
		meta, _ := lookUp(m.Params, "_meta")
		object, prefix = meta.Raw, MetaPrefix
	}
	info, _ := lookUp(object, prefix+"clientInfo")
	version, _ := lookUp(object, prefix+"protocolVersion")
	setPeer(&s.Client, info)
	if version.Type == gjson.String && !d.negotiated {
		d.asked = strings.Clone(version.Str)
		s.ProtocolVersion = d.asked
	}
}

// result reads what the server calls itself: in the answer to initialize, or in
// the _meta of any result of the new era, which may begin without server/discover.
func (d *Describer) result(s *Session, m *Message, c *Call) {
	if c.Method == "initialize" {
		info, _ := lookUp(m.Result, "serverInfo")
		setPeer(&s.Peer, info)
		if v, _ := lookUp(m.Result, "protocolVersion"); v.Type == gjson.String {
			s.ProtocolVersion, d.negotiated = strings.Clone(v.Str), true
		}
		return
	}
	if s.Peer.Name == "" && d.asked != "" && !d.negotiated {
		meta, _ := lookUp(m.Result, "_meta")
		info, _ := lookUp(meta.Raw, MetaPrefix+"serverInfo")
		setPeer(&s.Peer, info)
	}
}

func setPeer(p *Peer, info gjson.Result) {
	if name, _ := lookUp(info.Raw, "name"); name.Type == gjson.String {
		version, _ := lookUp(info.Raw, "version")
		p.Name, p.Version = strings.Clone(name.Str), strings.Clone(version.String())
	}
}
