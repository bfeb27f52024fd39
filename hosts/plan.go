package hosts

import "slices"

// Did is what became of one server.
type Did string

const (
	DidWrap   Did = "wrapped"
	DidUnwrap Did = "unwrapped"
	DidRepair Did = "repaired" // it ran a reprise that is gone, and runs this one now
	Kept      Did = "kept"     // it is as it should be already
	Left      Did = "left"     // it is left alone, for a reason
	Unasked   Did = ""         // nobody asked for it
)

// Changes says whether the entry is written.
func (d Did) Changes() bool { return d == DidWrap || d == DidUnwrap || d == DidRepair }

// Plan is what is to be done to the servers of a file.
type Plan struct {
	Unwrap  bool
	Names   []string // of these servers only; all when empty
	Wrapper Wrapper
	Runs    func(binary string) bool // says whether a wrapped server's reprise is still there
}

// Outcome is what became of one server, or would become of it.
type Outcome struct {
	Server  Server
	Did     Did
	Why     string   // Left: why
	Command []string // what its entry runs now
	Failed  bool     // Left, since the edit could not be made: it has to be done by hand
}

// Do reads a file and gives its new text, which is src itself when nothing is to be done. The memo is brought up to date.
// An error means that nothing may be written.
func (p Plan) Do(shape Shape, src []byte, memo *Memo) ([]byte, []Outcome, error) {
	c, err := Parse(shape, src)
	if err != nil {
		return nil, nil, err
	}
	var outcomes []Outcome
	var changes []Change
	for _, s := range c.servers {
		if len(p.Names) > 0 && !slices.Contains(p.Names, s.Name) {
			outcomes = append(outcomes, Outcome{Server: s, Did: Unasked, Command: s.Runs})
			continue
		}
		o, change := p.decide(c, s, memo)
		outcomes = append(outcomes, o)
		if change != nil {
			changes = append(changes, *change)
		}
	}
	out, err := c.Apply(changes)
	if err != nil { // one of them cannot be made: the others can
		changes = slices.DeleteFunc(changes, func(change Change) bool { return !c.can(change, outcomes) })
		if out, err = c.Apply(changes); err != nil {
			return nil, nil, err
		}
	}
	memo.note(c, changes)
	if p.Unwrap {
		memo.forget(c, p.Names)
	}
	return out, outcomes, nil
}

// can says whether a change can be made, and tells the outcomes when it cannot.
func (c *Config) can(change Change, outcomes []Outcome) bool {
	_, err := c.Apply([]Change{change})
	if err == nil {
		return true
	}
	for i := range outcomes {
		if o := &outcomes[i]; o.Server.entry == change.Server.entry {
			o.Did, o.Why, o.Failed = Left, err.Error(), true
		}
	}
	return false
}

func (p Plan) decide(c *Config, s Server, memo *Memo) (Outcome, *Change) {
	o := Outcome{Server: s, Did: Left, Why: s.Why, Command: s.Command}
	var change Change
	var err error
	switch {
	case p.Unwrap && s.State == Wrapped:
		o.Did = DidUnwrap
		change, err = c.Unwrap(s, memo.Wraps)
	case p.Unwrap:
		return o.plain(s), nil
	case s.State == Wrapped && p.Runs(s.Binary):
		o.Did = Kept
		return o, nil
	case s.State == Wrapped:
		o.Did = DidRepair
		change = c.Point(s, p.Wrapper.Binary, memo.Wraps)
	case s.State == Remote || s.State == Unfit:
		return o, nil
	case s.Doubt != "" && !slices.Contains(p.Names, s.Name):
		o.Why = s.Doubt
		return o, nil
	default:
		o.Did = DidWrap
		change, err = c.Wrap(s, p.Wrapper)
	}
	if o.Command = change.Command; err != nil {
		o.Did, o.Why, o.Failed = Left, err.Error(), true
		return o, nil
	}
	return o, &change
}

// plain is the outcome of unwrapping what is not wrapped.
func (o Outcome) plain(s Server) Outcome {
	if s.State == Plain || s.State == Foreign {
		o.Did, o.Why = Kept, ""
	}
	return o
}

// note remembers wraps and forgets what was unwrapped. In a list several servers can have one name.
func (m *Memo) note(c *Config, changes []Change) {
	for _, change := range changes {
		s := change.Server
		m.Wraps = slices.DeleteFunc(m.Wraps, func(w Wrap) bool {
			return w.is(s) && (s.index < 0 || w.Index == s.index && c.fits(s, w)) || change.Wrap != nil && w.equals(*change.Wrap)
		})
	}
	for _, change := range changes {
		if change.Wrap != nil {
			m.Wraps = append(m.Wraps, *change.Wrap)
		}
	}
}

// forget drops what is remembered of servers that are wrapped no more: the host, or a person, has taken them out.
func (m *Memo) forget(c *Config, names []string) {
	m.Wraps = slices.DeleteFunc(m.Wraps, func(w Wrap) bool {
		return !c.has(w) && (len(names) == 0 || slices.Contains(names, w.Server))
	})
}

func (w Wrap) is(s Server) bool {
	return w.Server == s.Name && slices.Equal(w.Container, s.Container)
}

// has says whether the server of a wrap is still wrapped.
func (c *Config) has(w Wrap) bool {
	return slices.ContainsFunc(c.servers, func(s Server) bool { return s.State == Wrapped && w.is(s) })
}

// Gone are the wraps of a memo that the file has no more: somebody wrote the file anew.
func (c *Config) Gone(m Memo) []Wrap {
	var gone []Wrap
	for _, w := range m.Wraps {
		if !c.has(w) {
			gone = append(gone, w)
		}
	}
	return gone
}
