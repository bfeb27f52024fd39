package proxy

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures/fixturetest"
)

// stuck is a tap that hangs on chunks that begin with a given byte, until let go.
type stuck struct {
	memory
	on      byte
	hanging chan struct{} // one token for each call that hangs
	letGo   chan struct{}
}

func newStuck(on byte) *stuck {
	return &stuck{on: on, hanging: make(chan struct{}, 100), letGo: make(chan struct{})}
}

func (s *stuck) Observe(c reprise.Chunk) {
	if c.Data[0] == s.on {
		s.hanging <- struct{}{}
		<-s.letGo
	}
	s.memory.Observe(c)
}

func (s *stuck) misses() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missed
}

func TestAHungTapDoesNotStallTraffic(t *testing.T) {
	tap := newStuck('!')
	h := dial(t, never, tap, fixturetest.Bin(t, "fixture"), "echo", "-raw")
	h.send("before\n")
	h.expect("before\n")
	if tap.misses() > 0 {
		t.Error("a tap that does not hang is told to miss")
	}
	h.send("!\n") // hangs on both ways; both are taken over
	h.expect("!\n")
	h.send("while it hangs\n")
	h.expect("while it hangs\n")
	eventually(t, "the chunks are missed", func() bool { return tap.misses() >= 2 })
	close(tap.letGo)
	missed := tap.misses()
	eventually(t, "the tap is shown chunks again", func() bool {
		h.send("after\n")
		h.expect("after\n")
		again := tap.misses() == missed
		missed = tap.misses()
		return again
	})
	h.in.Close()
	h.endsWith(Exit{Ending: reprise.EndedByClient})
	if got := tap.bytes(reprise.ClientToServer); !bytes.HasPrefix(got, []byte("before\n!\nwhile it hangs\nafter\n")) {
		t.Errorf("shown or missed: %q", got)
	}
}

// One hung call is enough to know: the other directions must not wait for the same disk once more.
func TestAHangInOneDirectionSparesTheOthers(t *testing.T) {
	tap := newStuck('!')
	h := evil(t, never, tap, "recv; recv; line answer; recv-eof")
	h.send("!\n")
	<-tap.hanging
	h.send("taken over\n") // reaches the server once it is
	h.expect("answer\n")
	tap.mu.Lock()
	if tap.missed != 2 || len(tap.chunks) != 2 {
		t.Errorf("%d chunks were missed, %d shown, want the last two of three missed", tap.missed, len(tap.chunks)-tap.missed)
	}
	tap.mu.Unlock()
	close(tap.letGo)
	h.in.Close()
	h.ends()
}

func TestATapThatHangsForEverDoesNotKeepUsAlive(t *testing.T) {
	for name, script := range map[string]string{"the server exits": "line !; stderr !; exit 3", "the host leaves": "recv-eof; line !; exit 3"} {
		t.Run(name, func(t *testing.T) {
			tap := newStuck('!')
			defer close(tap.letGo)
			h := evil(t, Grace{Close: time.Hour}, tap, script)
			h.in.Close()
			h.expect("!\n")
			if exit := h.ends(); exit.Code != 3 {
				t.Errorf("ended with %+v", exit)
			}
		})
	}
}

// moody hangs now and then for a time around the watchdog's patience.
type moody struct {
	memory
	rnd sync.Mutex
	*rand.Rand
}

func (m *moody) Observe(c reprise.Chunk) {
	m.rnd.Lock()
	nap := time.Duration(m.IntN(120)) * time.Millisecond
	sleeps := m.IntN(20) == 0
	m.rnd.Unlock()
	if sleeps {
		time.Sleep(nap)
	}
	m.memory.Observe(c)
}

// Whatever the tap does, the bytes go on in order, and the tap gets each chunk once, shown or missed.
func TestBytesStayInOrderHoweverTheTapHangs(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	for seed := range rounds {
		tap := &moody{Rand: rand.New(rand.NewPCG(uint64(seed), 0))}
		text := numbers(20_000)
		h := dial(t, never, tap, fixturetest.Bin(t, "fixture"), "echo", "-raw")
		go func() {
			dice := rand.New(rand.NewPCG(uint64(seed), 1))
			for rest := text; len(rest) > 0; {
				n := min(len(rest), 1+dice.IntN(2000))
				h.send(string(rest[:n]))
				rest = rest[n:]
			}
			h.in.Close()
		}()
		first(t, "to the host", h.rest(h.out), text)
		h.endsWith(Exit{Ending: reprise.EndedByClient})
		eventually(t, "the last naps are over", func() bool {
			return len(tap.bytes(reprise.ServerToClient))+len(tap.bytes(reprise.ClientToServer)) == 2*len(text)
		})
		first(t, "tap, client to server", tap.bytes(reprise.ClientToServer), text)
		first(t, "tap, server to client", tap.bytes(reprise.ServerToClient), text)
	}
}

// numbers are lines of which no stretch repeats.
func numbers(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		b.WriteString(strings.Repeat("x", i%50))
		b.WriteString(time.Duration(i).String() + "\n")
	}
	return b.Bytes()
}

func TestAnIdlePumpCausesNoWakeUps(t *testing.T) {
	p, in, out := barePump(t, nobody{}, bufferSize)
	go p.run()
	for range 3 {
		_, _ = in.WriteString("x")
		_, _ = out.Read(make([]byte, 1))
		eventually(t, "the watchdog sleeps", func() bool { return !p.watch.awake.Load() })
		if p.watch.timer.Stop() {
			t.Error("a timer is set")
		}
	}
	in.Close()
	<-p.done
}

func TestTheWatchdogStaysAwakeWhileACallHangs(t *testing.T) {
	tap := newStuck('!')
	p, in, out := barePump(t, tap, bufferSize)
	go p.run()
	_, _ = in.WriteString("!")
	<-tap.hanging
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	if n := p.watch.hung.Load(); n != 1 {
		t.Errorf("%d calls count as hung", n)
	}
	close(tap.letGo)
	eventually(t, "the call came back", func() bool { return p.watch.hung.Load() == 0 })
	in.Close()
	<-p.done
}

// barePump makes a pump and the far ends of its source and sink.
func barePump(t *testing.T, tap reprise.Tap, size int) (p *pump, in, out *os.File) {
	t.Helper()
	src, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, dst, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Files{src, out, in}.close() })
	p = &pump{src: src, sink: newWire(dst), size: size, atEnd: func() { dst.Close() }, tap: tap,
		elapsed: func() time.Duration { return 0 }, watch: newWatchdog(), done: make(chan struct{})}
	p.watch.watch(p)
	return p, in, out
}

// FuzzPump feeds one pump any bytes in any pieces while its tap hangs at will.
func FuzzPump(f *testing.F) {
	f.Add([]byte("{}\n{}\r\n"), uint64(1), uint8(3), uint8(0))
	f.Add([]byte(strings.Repeat("[", 4096)), uint64(7), uint8(1), uint8(128))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, piece, hang uint8) {
		data = data[:min(len(data), 512)]
		dice := rand.New(rand.NewPCG(seed, 0))
		tap := &snatched{hang: func() bool { return dice.IntN(256) < int(hang) }}
		p, in, out := barePump(t, tap, 1+int(piece))
		tap.pump = p
		go p.run()
		go func() {
			_, _ = in.Write(data)
			in.Close()
		}()
		got, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		<-p.done
		eventually(t, "all calls came back", func() bool { return p.watch.hung.Load() == 0 })
		first(t, "passed on", got, data)
		first(t, "the tap was shown or missed", tap.all, data)
	})
}

// snatched is a tap that is taken over at once when it hangs, and comes back at some later time.
type snatched struct {
	pump *pump
	mu   sync.Mutex
	hang func() bool
	all  []byte
}

func (s *snatched) Observe(c reprise.Chunk) {
	s.mu.Lock()
	s.all = append(s.all, c.Data...)
	hang := s.hang()
	s.mu.Unlock()
	if hang {
		s.pump.takeOver(s.pump.state.Load())
		for range len(c.Data) { // comes back sooner or later
			runtime.Gosched()
		}
	}
}

func (s *snatched) Miss(c reprise.Chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, c.Data...)
}
