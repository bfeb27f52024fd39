package analysis

import "time"

// History is what a survey remembers of the sessions before, oldest first: how long the calls of each tool took. It is bounded.
type History struct{ took map[string]*sample }

// maxSample is how many durations of one tool are remembered: the latest.
const maxSample = 256

type sample struct {
	list []time.Duration
	next int
}

// Took gives the durations of a tool's earlier calls, in no order.
func (h *History) Took(server, tool string) []time.Duration {
	if h == nil || h.took[server+"\x00"+tool] == nil {
		return nil
	}
	return h.took[server+"\x00"+tool].list
}

// Add remembers one.
func (h *History) Add(server, tool string, d time.Duration) {
	key := server + "\x00" + tool
	if h.took == nil {
		h.took = map[string]*sample{}
	}
	s := h.took[key]
	if s == nil {
		s = &sample{}
		h.took[key] = s
	}
	if len(s.list) < maxSample {
		s.list = append(s.list, d)
		return
	}
	s.list[s.next%maxSample] = d
	s.next++
}
