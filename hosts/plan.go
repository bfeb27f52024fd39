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
	var changes []alteration
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
	out, err := c.apply(changes)
	if err != nil { // one of them cannot be made: the others can
		changes = c.possible(changes, outcomes)
		if out, err = c.apply(changes); err != nil {
			return nil, nil, err
		}
	}
	if len(changes) > 0 {
		if c, err = Parse(shape, out); err != nil {
			return nil, nil, err
		}
	}
	memo.update(c, changes, p)
	return out, outcomes, nil
}

// possible gives the changes that can be made, and tells the outcomes of those that cannot. It halves them
// until it knows, for each try reads the whole file.
func (c *Config) possible(changes []alteration, outcomes []Outcome) []alteration {
	_, err := c.apply(changes)
	if err == nil {
		return changes
	}
	if half := len(changes) / 2; half > 0 {
		return slices.Concat(c.possible(changes[:half], outcomes), c.possible(changes[half:], outcomes))
	}
	if s := changes[0].Server; s.State == Wrapped {
		if blind, failed := c.unwrap(s, nil); failed == nil && changes[0].Wrap == nil {
			if _, failed = c.apply([]alteration{blind}); failed == nil {
				return []alteration{blind} // what is remembered does not fit what somebody has made of it
			}
		}
	}
	for i := range outcomes {
		if o := &outcomes[i]; o.Server.entry == changes[0].Server.entry {
			o.Did, o.Why, o.Failed = Left, err.Error(), true
		}
	}
	return nil
}

func (p Plan) decide(c *Config, s Server, memo *Memo) (Outcome, *alteration) {
	o := Outcome{Server: s, Did: Left, Why: s.Why, Command: s.Command}
	var change alteration
	var err error
	switch {
	case p.Unwrap && s.State == Wrapped:
		o.Did = DidUnwrap
		change, err = c.unwrap(s, memo.Wraps)
	case p.Unwrap:
		return o.plain(s), nil
	case s.State == Wrapped && p.Runs(s.Binary):
		return Outcome{Server: s, Did: Kept, Why: p.differs(s), Command: s.Runs}, nil
	case s.State == Wrapped:
		o.Did = DidRepair
		change, err = c.point(s, p.Wrapper.Binary, memo.Wraps), c.splits(s, p.Wrapper.Binary)
	case s.State == Remote || s.State == Unfit:
		return o, nil
	case s.Doubt != "" && !slices.Contains(p.Names, s.Name):
		o.Why = s.Doubt
		return o, nil
	default:
		o.Did, o.Command = DidWrap, p.Wrapper.Around(s.Name, s.Command)
		change, err = c.wrap(s, p.Wrapper)
	}
	if err != nil {
		o.Did, o.Why, o.Failed = Left, err.Error(), true
		return o, nil
	}
	o.Command = change.Command
	return o, &change
}

// differs says what a wrapped server records otherwise than it would if it were wrapped now.
func (p Plan) differs(s Server) string {
	w := p.Wrapper
	switch host, name, db := s.value("--host"), s.value("--name"), s.value("--db"); {
	case host != "" && host != w.Host:
		return "it is recorded as of the host " + host
	case name != "" && name != s.Name:
		return "it is recorded under the name " + name
	case w.DB != "" && db != w.DB:
		return "it records into another database: unwrap it first"
	}
	return ""
}

// plain is the outcome of unwrapping what is not wrapped.
func (o Outcome) plain(s Server) Outcome {
	if s.State == Plain || s.State == Foreign {
		o.Did, o.Why = Kept, ""
	}
	return o
}

// update remembers wraps, and forgets those that the text has no more: they were taken out now, or before
// by the host or a person. In a list several servers can have one name.
func (m *Memo) update(c *Config, changes []alteration, p Plan) {
	for _, change := range changes {
		s := change.Server
		m.Wraps = slices.DeleteFunc(m.Wraps, func(w Wrap) bool {
			return w.is(s) && (s.index < 0 || w.Index == s.index) || change.Wrap != nil && w.equals(*change.Wrap)
		})
		if change.Wrap != nil {
			m.Wraps = append(m.Wraps, *change.Wrap)
			m.Host, m.Shape = p.Wrapper.Host, c.shape
		}
	}
	m.Wraps = slices.DeleteFunc(m.Wraps, func(w Wrap) bool {
		return !c.has(w) && (len(p.Names) == 0 || slices.Contains(p.Names, w.Server))
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
