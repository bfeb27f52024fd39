package replay

import (
	"cmp"
	"slices"
	"time"

	"reprise"
)

// line is what goes to the client: recorded bytes with the client's own tokens in their places.
type line struct {
	data  []byte // with its line end
	after time.Duration
	ask   bool // data is not for the client: the real server is to be asked it
	op    *op
	kept  bool // it comes though its call was cancelled
	drop  bool // not a line: what is still to be written of op comes no more
}

// lines makes lines of what is to be sent, valid until the next message. The members of a recorded batch that come together are one.
func (r *run) lines() []line {
	all := r.lineRoom[:0]
	whole := r.whole()
	for i := range r.out {
		s := &r.out[i]
		switch {
		case s.drop:
			all = append(all, line{op: s.op, drop: true})
		case s.item == nil:
			all = append(all, line{data: s.data, after: s.after, ask: s.ask})
		case whole[s.item.frame] == nil:
			all = append(all, line{data: r.splice(r.out[i:i+1], s.item.from, s.item.to), after: s.after, op: s.op, kept: s.kept})
		case whole[s.item.frame][s.item.members-1].item == s.item:
			all = append(all, line{data: r.splice(whole[s.item.frame], 0, len(s.item.frame.Data)), after: s.after})
		}
	}
	r.out, r.lineRoom = r.out[:0], all
	return all
}

// whole finds the lines of several messages all of which are to be sent, each once.
func (r *run) whole() map[*reprise.Frame][]sending {
	var parts map[*reprise.Frame][]sending
	for _, s := range r.out {
		if s.item != nil && s.item.members > 1 {
			if parts == nil {
				parts = map[*reprise.Frame][]sending{}
			}
			parts[s.item.frame] = append(parts[s.item.frame], s)
		}
	}
	for f, all := range parts {
		seen := map[int]bool{}
		for _, s := range all {
			seen[s.item.member] = true
		}
		if n := all[0].item.members; len(all) != n || len(seen) != n {
			delete(parts, f)
		}
	}
	return parts
}

// splice copies recorded bytes and puts tokens in: nothing else of them changes.
func (r *run) splice(parts []sending, from, to int) []byte {
	frame := parts[0].item.frame
	type edit struct {
		slot
		token string
	}
	var room [4]edit
	edits := room[:0]
	for i := range parts {
		for _, slot := range parts[i].item.slots {
			edits = append(edits, edit{slot, r.token(slot, &parts[i])})
		}
	}
	if len(edits) > 1 {
		slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	}
	data := make([]byte, 0, to-from+32)
	for _, e := range edits {
		data = append(append(data, frame.Data[from:e.from]...), e.token...)
		from = e.to
	}
	data = append(data, frame.Data[from:to]...)
	if frame.EOL == "" {
		return append(data, '\n') // the last line of a session may have had none
	}
	return append(data, frame.EOL...)
}

// token is what stands in a slot today.
func (r *run) token(s slot, of *sending) string {
	recorded := string(of.item.frame.Data[s.from:s.to])
	o := of.op
	if s.call != nil && (o == nil || o.call != s.call) {
		o = r.live[s.call.n]
	}
	switch s.what {
	case questionID:
		return of.id
	case cancelledID:
		return cmp.Or(r.given[s.question], recorded)
	case clientTask:
		return cmp.Or(r.tasks[recorded], recorded)
	case acceptedFilter:
		if o != nil && o.filter != "" {
			return o.accepted(recorded)
		}
		return recorded
	}
	switch {
	case o == nil, s.what == callID && o.id == o.call.ID:
		return recorded // an answer may spell its id otherwise than the request did
	case s.what == progressToken:
		return o.token
	}
	return o.id
}
