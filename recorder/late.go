package recorder

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"reprise"
)

// late holds, in order, what could not be written to the journal yet.
type late struct {
	some  atomic.Bool
	mu    sync.Mutex
	items []*item
	first int   // the items before it are taken
	held  tally // in items
	lost  tally // for good
}

// tally counts what was lost.
type tally struct{ frames, bytes int64 }

func (t *tally) add(c reprise.Chunk, times int64) {
	t.frames += times * linesIn(c)
	t.bytes += times * int64(len(c.Data))
}

// linesIn counts the frames that end in the chunk.
func linesIn(c reprise.Chunk) int64 {
	if c.Direction == reprise.ServerLog {
		return 0
	}
	return int64(bytes.Count(c.Data, []byte{'\n'}))
}

// item is a chunk, or what was lost at that place.
type item struct {
	chunk reprise.Chunk
	loss  *loss
}

// loss is a stretch of traffic that was not kept, as the journal notes it.
type loss struct {
	At     time.Duration `json:"at"`
	Reason string        `json:"reason"`
	Lanes  []lostLane    `json:"lanes"`
}

type lostLane struct {
	Direction reprise.Direction `json:"direction"`
	Stream    int64             `json:"stream,omitempty"`
	Lines     int64             `json:"lines"`
	Bytes     int64             `json:"bytes"`
	MidLine   bool              `json:"mid_line"`
	// Framed says that the lines were whole frames already, which only a metadata-only session loses.
	Framed bool `json:"framed,omitempty"`
}

// add keeps a copy of the chunk while there is room, and counts it as lost otherwise.
func (l *late) add(c reprise.Chunk, why error) (kept bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.some.Store(true)
	if l.held.bytes+int64(len(c.Data)) > lateBytes || l.losing() {
		l.count(c, why)
		return false
	}
	c.Data = bytes.Clone(c.Data)
	l.push(c)
	return true
}

// wait gives the chunk of an Observe that has to wait its place before all that
// comes meanwhile: it may move on before its turn comes, and then be answered. The bytes
// stay the caller's, until own.
func (l *late) wait(c reprise.Chunk) *item {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.some.Store(true)
	return l.push(c)
}

func (l *late) push(c reprise.Chunk) *item {
	i := &item{chunk: c}
	l.held.add(c, 1)
	l.items = append(l.items, i)
	return i
}

// own makes a copy of what has waited and could not be written, if there is room and it may be kept.
func (l *late) own(i *item, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := len(l.items) - 1
	for at >= l.first && l.items[at] != i {
		at--
	}
	switch {
	case at < l.first: // it was written
	case why == errPaused || l.held.bytes > lateBytes || at > l.first && l.items[at-1].loss != nil:
		l.items = slices.Delete(l.items, at, at+1)
		l.held.add(i.chunk, -1)
		l.count(i.chunk, why)
	default:
		i.chunk.Data = bytes.Clone(i.chunk.Data)
	}
}

// losing says whether a loss is the latest item. Once something is lost, all is until the journal can be written again: one gap, not a hundred.
func (l *late) losing() bool {
	return len(l.items) > l.first && l.items[len(l.items)-1].loss != nil
}

func (l *late) lose(c reprise.Chunk, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.some.Store(true)
	l.count(c, why)
}

func (l *late) count(c reprise.Chunk, why error) {
	l.lost.add(c, 1)
	l.gap(c.At, why).add(c, linesIn(c))
}

// gap is the loss that goes on, or begins now.
func (l *late) gap(at time.Duration, why error) *loss {
	if !l.losing() {
		l.items = append(l.items, &item{loss: &loss{At: at, Reason: why.Error()}})
	}
	return l.items[len(l.items)-1].loss
}

// add counts bytes that came through a pump.
func (g *loss) add(c reprise.Chunk, lines int64) {
	l := g.lane(lostLane{Direction: c.Direction, Stream: c.Stream})
	l.Lines += lines
	l.Bytes += int64(len(c.Data))
	l.MidLine = c.Data[len(c.Data)-1] != '\n'
}

// lane finds the lane of the same place, or makes it.
func (g *loss) lane(of lostLane) *lostLane {
	for i := range g.Lanes {
		if l := &g.Lanes[i]; l.Direction == of.Direction && l.Stream == of.Stream && l.Framed == of.Framed {
			return l
		}
	}
	g.Lanes = append(g.Lanes, of)
	return &g.Lanes[len(g.Lanes)-1]
}

// loseFrame counts a frame that was whole already.
func (l *late) loseFrame(f reprise.Frame, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.some.Store(true)
	lane := l.gap(f.At, why).lane(lostLane{Direction: f.Direction, Stream: f.Stream, Framed: true})
	size := f.Size + int64(len(f.EOL))
	lane.Lines++
	lane.Bytes += size
	l.lost.frames++
	l.lost.bytes += size
}

// take removes and returns the first item, or nil.
func (l *late) take() *item {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == len(l.items) {
		l.items, l.first = nil, 0
		l.some.Store(false)
		return nil
	}
	i := l.items[l.first]
	l.items[l.first] = nil
	l.first++
	l.held.add(i.chunk, -1)
	return i
}

// giveBack undoes the latest take.
func (l *late) giveBack(i *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first--
	l.items[l.first] = i
	l.held.add(i.chunk, 1)
}

// total is what is lost if we die now.
func (l *late) total() tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	return tally{l.held.frames + l.lost.frames, l.held.bytes + l.lost.bytes}
}
