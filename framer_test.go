package reprise

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// step is one thing that happens to a Framer: a chunk, or a loss.
type step struct {
	dir  Direction
	data string
	lose bool
}

// c2s, s2c and lost write the steps of a table.
func c2s(data string) step  { return step{dir: ClientToServer, data: data} }
func s2c(data string) step  { return step{dir: ServerToClient, data: data} }
func lost(data string) step { return step{dir: ServerToClient, data: data, lose: true} }

// frame runs the steps one nanosecond apart and gives frames in words: seq, direction, data and eol.
func frameAll(steps []step) (frames []Frame, gaps []Gap, last int64) {
	f := Framer{Emit: func(fr Frame) {
		fr.Data = bytes.Clone(fr.Data)
		frames = append(frames, fr)
	}}
	for i, s := range steps {
		at := time.Duration(i + 1)
		if s.lose {
			n := strings.Count(s.data, "\n")
			gaps = append(gaps, f.Lose(s.dir, 0, int64(n), int64(len(s.data)), !strings.HasSuffix(s.data, "\n"), at))
			continue
		}
		f.Add(Chunk{Direction: s.dir, Data: []byte(s.data), At: at})
	}
	f.Flush(time.Duration(len(steps) + 1))
	return frames, gaps, f.Last()
}

func words(frames []Frame) []string {
	var all []string
	for _, f := range frames {
		w := fmt.Sprintf("%d %v %s%q", f.Seq, f.Direction, f.Data, f.EOL)
		if f.Truncated {
			w += " truncated"
		}
		all = append(all, w)
	}
	return all
}

func TestFramer(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
		want  []string
	}{
		{"lines of one chunk", []step{c2s("a\nb\nc\n")},
			[]string{`1 c2s a"\n"`, `2 c2s b"\n"`, `3 c2s c"\n"`}},
		{"line over chunks", []step{c2s("{\"a\""), c2s(":1"), c2s("}\n")},
			[]string{`1 c2s {"a":1}"\n"`}},
		{"crlf is kept", []step{s2c("a\r\n\r\nb\r"), s2c("\n\r\rc\r\r\n")},
			[]string{`1 s2c a"\r\n"`, `2 s2c "\r\n"`, `3 s2c b"\r\n"`, "4 s2c \r\rc\r\"\\r\\n\""}},
		{"blank lines", []step{s2c("\n\n")}, []string{`1 s2c "\n"`, `2 s2c "\n"`}},
		{"no final newline", []step{s2c("{}")}, []string{`1 s2c {}""`}},
		{"bare carriage return at the end", []step{s2c("{}\r")}, []string{"1 s2c {}\r\"\""}},
		{"unicode line ends are no line ends", []step{s2c("\"\u2028\u2029\u0085\v\f\x00\"\n")},
			[]string{"1 s2c \"\u2028\u2029\u0085\v\f\x00\"\"\\n\""}},
		{"bom and bad utf-8", []step{s2c("\ufeff{\"\xff\xfe\"}\n")}, []string{"1 s2c \ufeff{\"\xff\xfe\"}\"\\n\""}},
		{"two objects on a line", []step{s2c("{}{}\n")}, []string{`1 s2c {}{}"\n"`}},
		{"a request is numbered at its brace", []step{c2s(`{"id":1}`), s2c("{\"id\":1,\"result\":{}}\n"), c2s("\n")},
			[]string{`1 c2s {"id":1}"\n"`, `2 s2c {"id":1,"result":{}}"\n"`}},
		{"a batch is numbered at its bracket", []step{c2s(`[{"id":1}`), c2s(`]`), s2c("x\n"), c2s("\n")},
			[]string{`1 c2s [{"id":1}]"\n"`, `2 s2c x"\n"`}},
		{"an object that another follows on its line", []step{c2s(`{"id":1}{"id"`), s2c("x\n"), c2s(":2}\n")},
			[]string{`1 c2s {"id":1}{"id":2}"\n"`, `2 s2c x"\n"`}},
		{"a brace in a string closes nothing", []step{c2s(`{"id":"}`), s2c("x\n"), c2s("\"}\n")},
			[]string{`1 s2c x"\n"`, `2 c2s {"id":"}"}"\n"`}},
		{"an escaped quote ends no string, though cut", []step{c2s(`{"id":"\`), c2s(`"}`), s2c("x\n"), c2s("\"}\n")},
			[]string{`1 s2c x"\n"`, `2 c2s {"id":"\"}"}"\n"`}},
		{"both wait", []step{c2s(`{}`), s2c(`{}`), s2c("\n"), s2c("x\n"), c2s("\n")},
			[]string{`1 c2s {}"\n"`, `2 s2c {}"\n"`, `3 s2c x"\n"`}},
		{"both wait, the lower ends first", []step{c2s(`{}`), s2c(`[]`), s2c("\nx\n{}"), c2s("\n"), s2c("\n")},
			[]string{`1 c2s {}"\n"`, `2 s2c []"\n"`, `3 s2c x"\n"`, `4 s2c {}"\n"`}},
		{"never ends", []step{c2s(`{}`), s2c("x\n")}, []string{`1 c2s {}""`, `2 s2c x"\n"`}},
		{"a gap cuts a line", []step{s2c("a\nb"), lost("c\nd\ne"), s2c("f\ng\n")},
			[]string{`1 s2c a"\n"`, `2 s2c b"" truncated`, `4 s2c f"\n" truncated`, `5 s2c g"\n"`}},
		{"a gap of whole lines", []step{s2c("a\n"), lost("b\nc\n"), s2c("d\n")},
			[]string{`1 s2c a"\n"`, `4 s2c d"\n"`}},
		{"a gap while another line waits", []step{c2s("{}"), s2c("a\n"), lost("b\n"), c2s("\n")},
			[]string{`1 c2s {}""`, `2 s2c a"\n"`, `4 c2s "\n"`}},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			frames, _, _ := frameAll(tt.steps)
			if got := words(frames); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestFramerGaps(t *testing.T) {
	_, gaps, last := frameAll([]step{s2c("a\nb"), lost("c\nd\ne"), lost("f\n"), lost("g"), s2c("h\n")})
	want := []Gap{
		{From: 3, To: 3, Frames: 1, Bytes: 5, At: 2},
		{From: 4, To: 4, Frames: 1, Bytes: 2, At: 3},
		{From: 5, To: 4, Frames: 0, Bytes: 1, At: 4},
	}
	if !slices.Equal(gaps, want) || last != 5 {
		t.Errorf("got %+v, last %d\nwant %+v, last 5", gaps, last, want)
	}
}

// A frame's time is when it could first have been whole.
func TestFramerTime(t *testing.T) {
	frames, _, _ := frameAll([]step{c2s(`{`), c2s(`}`), s2c("x"), c2s("\n"), s2c("y\n")})
	if frames[0].At != 2 || frames[1].At != 5 {
		t.Errorf("got %v and %v, want 2ns and 5ns", frames[0].At, frames[1].At)
	}
}

func TestFramerStreamsAreApart(t *testing.T) {
	var got []string
	f := Framer{Emit: func(fr Frame) { got = append(got, fmt.Sprintf("%d %d %s", fr.Seq, fr.Stream, fr.Data)) }}
	for _, c := range []Chunk{{Stream: 1, Data: []byte("a")}, {Stream: 2, Data: []byte("b\n")}, {Stream: 1, Data: []byte("c\n")}} {
		f.Add(c)
	}
	if want := []string{"1 2 b", "2 1 ac"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A line that could be whole and never ends does not hold the others for ever.
func TestFramerHoldsLittle(t *testing.T) {
	for name, line := range map[string]string{"frames": "x\n", "bytes": strings.Repeat("x", 64<<10) + "\n"} {
		t.Run(name, func(t *testing.T) {
			var seqs []int64
			f := Framer{Emit: func(fr Frame) { seqs = append(seqs, fr.Seq) }}
			f.Add(Chunk{Data: []byte("{}")})
			fed, most := 1, 0
			for fed < 3*holdFrames {
				f.Add(Chunk{Direction: ServerToClient, Data: []byte(line)})
				fed++
				most = max(most, fed-len(seqs))
			}
			if most > holdFrames+1 || most*len(line) > holdBytes+2*len(line) {
				t.Errorf("held %d frames, %d bytes", most, most*len(line))
			}
			if !slices.IsSorted(seqs) || seqs[0] != 1 {
				t.Error("frames came out of order")
			}
		})
	}
}

func TestFramerParts(t *testing.T) {
	for _, size := range []int{PartSize - 1, PartSize, PartSize + 1, 2*PartSize + 5} {
		for _, chunk := range []int{64 << 10, PartSize - 3, 3 * PartSize} {
			t.Run(fmt.Sprint(size, " by ", chunk), func(t *testing.T) {
				line := bytes.Repeat([]byte("x"), size)
				line[size-1] = 'y'
				var got []byte
				var last Frame
				f := Framer{Emit: func(fr Frame) {
					if fr.Seq != 1 || int64(fr.Part)*PartSize != int64(len(got)) || len(fr.Data) > PartSize {
						t.Fatalf("part %d of %d bytes after %d", fr.Part, len(fr.Data), len(got))
					}
					got, last = append(got, fr.Data...), fr
				}}
				for c := range slices.Chunk(append(line, '\r', '\n'), chunk) {
					f.Add(Chunk{Data: c})
				}
				if !bytes.Equal(got, line) || last.EOL != "\r\n" || last.More || last.Size != int64(size) {
					t.Errorf("got %d bytes, last part %d, eol %q, more %v, size %d", len(got), last.Part, last.EOL, last.More, last.Size)
				}
			})
		}
	}
}

// A line that waited and then grew over PartSize lets the frames held for it go, in order.
func TestFramerPartEndsWaiting(t *testing.T) {
	var seqs []int64
	f := Framer{Emit: func(fr Frame) { seqs = append(seqs, fr.Seq) }}
	f.Add(Chunk{Data: []byte("{}")})
	f.Add(Chunk{Direction: ServerToClient, Data: []byte("x\n")})
	f.Add(Chunk{Data: bytes.Repeat([]byte("x"), PartSize)})
	f.Add(Chunk{Direction: ServerToClient, Data: []byte("y\n")})
	if want := []int64{1, 2, 3}; !slices.Equal(seqs, want) {
		t.Errorf("got seqs %v, want %v", seqs, want)
	}
}

// A request in parts that is answered at its closing brace is read to its end before its answer.
func TestFramerLongLineAnsweredEarly(t *testing.T) {
	var got []string
	f := Framer{Emit: func(fr Frame) { got = append(got, fmt.Sprintf("%d.%d%q", fr.Seq, fr.Part, fr.EOL)) }}
	f.Add(Chunk{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"` + strings.Repeat("x", PartSize) + `"}}`)})
	f.Add(Chunk{Direction: ServerToClient, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")})
	f.Add(Chunk{Data: []byte("\n")})
	if want := []string{`1.0""`, `1.1"\n"`, `2.0"\n"`}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// checkFrames proves what holds of the frames of any steps.
func checkFrames(t *testing.T, steps []step) {
	t.Helper()
	frames, gaps, last := frameAll(steps)
	var in, out [2]strings.Builder
	for _, s := range steps {
		if !s.lose {
			in[s.dir].WriteString(s.data)
		}
	}
	var seqs []int64
	for _, f := range frames {
		out[f.Direction].Write(f.Data)
		out[f.Direction].WriteString(f.EOL)
		if bytes.IndexByte(f.Data, '\n') >= 0 || f.EOL != "" && f.EOL != "\n" && f.EOL != "\r\n" {
			t.Fatalf("frame %q with eol %q", f.Data, f.EOL)
		}
		if n := len(seqs); n > 0 && seqs[n-1] >= f.Seq {
			t.Fatalf("seq %d after %d", f.Seq, seqs[n-1])
		}
		if f.Size != int64(len(f.Data)) {
			t.Fatalf("size %d of %d bytes", f.Size, len(f.Data))
		}
		seqs = append(seqs, f.Seq)
	}
	for dir := range in {
		if in[dir].String() != out[dir].String() {
			t.Fatalf("%v: got %q, want %q", Direction(dir), out[dir].String(), in[dir].String())
		}
	}
	for _, g := range gaps {
		if g.To-g.From+1 != g.Frames {
			t.Fatalf("gap %+v", g)
		}
		for seq := g.From; seq <= g.To; seq++ {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	for i, seq := range seqs {
		if seq != int64(i+1) {
			t.Fatalf("seqs of frames and gaps are %v", seqs)
		}
	}
	if last != int64(len(seqs)) {
		t.Fatalf("last is %d, and %d seqs were given", last, len(seqs))
	}
	again, gapsAgain, _ := frameAll(steps)
	if !slices.Equal(words(frames), words(again)) || !slices.Equal(gaps, gapsAgain) {
		t.Fatal("the same chunks gave other frames")
	}
}

// cut makes steps of data: the generator chooses direction, length and loss.
func cut(data []byte, seed uint64, loss bool) []step {
	rng := rand.New(rand.NewPCG(seed, 1))
	var steps []step
	for len(data) > 0 {
		n := min(len(data), 1+rng.IntN(1+rng.IntN(12)))
		steps = append(steps, step{Direction(rng.IntN(2)), string(data[:n]), loss && rng.IntN(4) == 0})
		data = data[n:]
	}
	return steps
}

func FuzzFrames(f *testing.F) {
	for _, s := range []string{
		"{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"ping\"}\n{\"id\":\"\"}\r\n",
		"[{\"id\":1},{\"id\":1}]\n\n{}{}\n\ufeff{}\n{\"a\":\"}\\\"\"}",
		"npm warn\n\x1b[32mok\x1b[0m\n{not json\n\"\u2028\xff\x00\"\n",
		strings.Repeat("{}\n", 40), strings.Repeat("[", 100), strings.Repeat("{}", 60), "\r\r\n\r",
	} {
		f.Add([]byte(s), uint64(1), false)
		f.Add([]byte(s), uint64(2), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, loss bool) {
		checkFrames(t, cut(data, seed, loss))
	})
}

// Many lines that wait at once: the holding limits are met in passing.
func TestFramesAtRandom(t *testing.T) {
	words := []string{"{}", "\n", "{}\n", "[1", "]", "x\n", "\r\n", `{"a":"`, `"}`, "}"}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var steps []step
		for range 4000 {
			dir := Direction(rng.IntN(2))
			n := len(words)
			if dir == ClientToServer && seed%2 == 0 {
				n = 1 // the client hardly ever ends a line
			}
			steps = append(steps, step{dir, words[rng.IntN(n)], rng.IntN(200) == 0 && seed%3 == 0})
		}
		checkFrames(t, steps)
	}
}

func BenchmarkFramer(b *testing.B) {
	message := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`a\"b c `, 1<<13) + "\"}]}}\n"
	for _, bm := range []struct{ line, chunk int }{{200, 200}, {64 << 10, 64 << 10}, {64 << 10, 4096}, {4 << 20, 64 << 10}} {
		b.Run(fmt.Sprintf("%d by %d", bm.line, bm.chunk), func(b *testing.B) {
			line := []byte(strings.Repeat(message, bm.line/len(message)+1)[:bm.line-1] + "\n")
			for i := range line[:bm.line-1] {
				if line[i] == '\n' {
					line[i] = ' '
				}
			}
			f := Framer{Emit: func(Frame) {}}
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				for c := range slices.Chunk(line, bm.chunk) {
					f.Add(Chunk{Data: c})
				}
			}
		})
	}
}
