package proxy

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures/fixturetest"
)

// odd is what a proxy that reads lines, text or JSON would stumble over.
func odd() map[string]string {
	return map[string]string{
		"messages":       `{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}` + "\n" + `{"jsonrpc":"2.0","id":1.5,"method":"b"}` + "\n",
		"no line end":    `{"jsonrpc":"2.0","id":null,"method":"a"}`,
		"crlf and blank": "\xef\xbb\xbf{}\r\n\r\n\n{}\r\n",
		"bad utf-8":      "\"\xff\xfe\xc3\"\n\x00\x00\n",
		"line ends":      "\"\u2028\u2029\u0085\v\f\"\n",
		"two in a line":  "{}{}[{},{}]\n",
		"noise":          "\x1b[31mnpm warn\x1b[0m\n42\n{not json\n",
		"nested":         strings.Repeat("[", 1<<20) + "\n",
		"one long line":  strings.Repeat("0123456789abcde", 5<<20/15) + "\n",
		"65535":          strings.Repeat("x", 65534) + "\n",
		"65536":          strings.Repeat("x", 65535) + "\n",
		"65537":          strings.Repeat("x", 65536) + "\n",
	}
}

func TestBytesGoOnUnchangedBothWays(t *testing.T) {
	fixture := fixturetest.Bin(t, "fixture")
	for name, text := range odd() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasSuffix(text, "\n") {
				text += "\n" // the echo waits for it; ends without one are the evil server's
			}
			tap := &memory{}
			h := dial(t, never, tap, fixture, "echo", "-raw")
			go func() {
				h.send(text)
				h.in.Close()
			}()
			first(t, "to the host", h.rest(h.out), []byte(text))
			h.endsWith(Exit{Ending: reprise.EndedByClient})
			first(t, "tap, client to server", tap.bytes(reprise.ClientToServer), []byte(text))
			first(t, "tap, server to client", tap.bytes(reprise.ServerToClient), []byte(text))
		})
	}
}

func TestALastLineWithoutEnd(t *testing.T) {
	h := evil(t, never, nil, `expect "no end"; send "none either"`)
	h.send("no end")
	if got := h.rest(h.out); string(got) != "none either" {
		t.Errorf("got %q", got)
	}
	h.endsWith(Exit{Ending: reprise.EndedByServer})
}

func TestOneByteAtATime(t *testing.T) {
	const text = "{\"t\":\"— 読 🎉\"}\r\n"
	tap := &memory{}
	h := evil(t, never, tap, "expect "+fmt.Sprintf("%q", text)+"; slow 1ms "+fmt.Sprintf("%q", text))
	for _, b := range []byte(text) {
		h.send(string([]byte{b}))
	}
	first(t, "to the host", h.rest(h.out), []byte(text))
	first(t, "tap", tap.bytes(reprise.ClientToServer), []byte(text))
	h.endsWith(Exit{Ending: reprise.EndedByServer})
}

// A reply without a line end and without anything after it must not wait for more.
func TestNothingIsHeldBack(t *testing.T) {
	h := evil(t, never, nil, `repeat 100 ( expect "?"; send "!" )`)
	for range 100 {
		h.send("?")
		h.expect("!")
	}
	h.endsWith(Exit{Ending: reprise.EndedByServer})
}

func TestChunksCarryTheTimeOfTheSession(t *testing.T) {
	theirs, ours := twoWays(t, os.Pipe)
	elapsed := 41 * time.Second
	s := &Stdio{Command: evilCommand(t, "line x"), Host: theirs, Elapsed: func() time.Duration { elapsed++; return elapsed }}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	tap := &memory{}
	s.Run(tap)
	ours.Out.Close()
	if len(tap.chunks) != 1 || tap.chunks[0].At != 41*time.Second+1 {
		t.Errorf("the tap saw %+v", tap.chunks)
	}
}

func TestFullDuplexWithSlowReaders(t *testing.T) {
	const size = 8 << 20
	script := "async ( fill server 8m; line ); async stderr-fill log 10m; recv-rate 32m 8m; wait"
	for name, readsErr := range map[string]bool{"stderr read": true, "stderr not read": false} {
		t.Run(name, func(t *testing.T) {
			tap := &memory{}
			h := evil(t, never, tap, script)
			go func() {
				block := strings.Repeat("c", 64<<10)
				for range size / len(block) {
					h.send(block)
				}
			}()
			log := make(chan int64, 1)
			if readsErr {
				go func() {
					n, _ := io.Copy(io.Discard, h.err)
					log <- n
				}()
			}
			if n, err := io.Copy(io.Discard, slow{h.out}); n != size+1 || err != nil {
				t.Errorf("the host got %d bytes: %v", n, err)
			}
			h.endsWith(Exit{Ending: reprise.EndedByServer})
			if n := len(tap.bytes(reprise.ClientToServer)); n != size {
				t.Errorf("%d bytes to the server", n)
			}
			if n := len(tap.bytes(reprise.ServerLog)); n != 10<<20 {
				t.Errorf("the tap saw %d bytes of stderr", n)
			}
			if !readsErr {
				if tap.withheld == 0 {
					t.Error("nothing was marked as withheld")
				}
				return
			}
			if n := <-log; n != 10<<20 || tap.withheld != 0 {
				t.Errorf("the host got %d bytes of stderr, %d were withheld", n, tap.withheld)
			}
		})
	}
}

// slow reads a little at a time, with pauses.
type slow struct{ io.Reader }

func (s slow) Read(b []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return s.Reader.Read(b[:min(len(b), 32<<10)])
}

// A host that stops reading must stop the server, and must not fill our memory.
func TestBackpressure(t *testing.T) {
	size, script := int64(1<<30), "fill x 1g"
	if testing.Short() {
		size, script = 64<<20, "fill x 64m"
	}
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			tap := &counter{}
			h := dialOver(t, link, never, tap, evilCommand(t, script)...)
			before := int64(-1)
			eventually(t, "the server is blocked", func() bool {
				last := before
				before = tap.n.Load()
				time.Sleep(50 * time.Millisecond)
				return before > 0 && before == last
			})
			if before > 1<<20 {
				t.Errorf("%d bytes were read for a host that reads none", before)
			}
			if n, err := io.Copy(io.Discard, h.out); n != size || tap.n.Load() != size || err != nil {
				t.Errorf("the host got %d bytes, the tap %d, want %d: %v", n, tap.n.Load(), size, err)
			}
			h.endsWith(Exit{Ending: reprise.EndedByServer})
		})
	}
}

// counter is a tap that counts bytes.
type counter struct{ n atomic.Int64 }

func (c *counter) Observe(chunk reprise.Chunk) { c.n.Add(int64(len(chunk.Data))) }
func (c *counter) Miss(reprise.Chunk)          {}

func TestHostsOverEveryKindOfLink(t *testing.T) {
	text := odd()["one long line"]
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			h := dialOver(t, link, never, nil, fixturetest.Bin(t, "fixture"), "echo", "-raw")
			go func() {
				h.send(text)
				h.in.Close()
			}()
			first(t, "to the host", h.rest(h.out), []byte(text))
			h.endsWith(Exit{Ending: reprise.EndedByClient})
		})
	}
}

func TestFilesAsTheHostsStreams(t *testing.T) {
	dir := t.TempDir()
	text := bytes.Repeat([]byte("a line\n"), 100_000)
	if err := os.WriteFile(dir+"/in", text, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(dir + "/in")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(dir + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s := &Stdio{Command: []string{fixturetest.Bin(t, "fixture"), "echo", "-raw"}, Host: Files{in, out, out}}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if exit := s.Run(nil); exit != (Exit{Ending: reprise.EndedByClient}) {
		t.Errorf("ended with %+v", exit)
	}
	got, err := os.ReadFile(dir + "/out")
	if err != nil {
		t.Fatal(err)
	}
	first(t, "in the file", got, text)
}
