package reprise

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// stored is a session as a database keeps it.
type stored struct {
	header CaptureHeader
	frames []Frame // in parts
	logs   []Chunk
	lines  []CaptureLine
	end    *CaptureEnd
}

func errorless[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (s *stored) items() iter.Seq2[CaptureItem, error] {
	return CaptureItems(errorless(s.frames), errorless(s.logs), errorless(s.lines), s.end)
}

func (s *stored) export(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	if err := WriteCapture(&b, &s.header, s.items()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// importFile stores a capture file.
func importFile(file string) (*stored, error) {
	h, items, err := ReadCapture(strings.NewReader(file))
	if err != nil {
		return nil, err
	}
	s := &stored{header: *h}
	for item, err := range items {
		switch {
		case err != nil:
			return nil, err
		case item.Frame != nil:
			s.frames = slices.AppendSeq(s.frames, item.Frame.Parts())
		case item.Log != nil:
			s.logs = append(s.logs, *item.Log)
		case item.Line != nil:
			s.lines = append(s.lines, *item.Line)
		case item.End != nil:
			s.end = item.End
		}
	}
	slices.SortStableFunc(s.lines, func(a, b CaptureLine) int {
		return int(max(-1, min(1, a.After/2-b.After/2))) // halves: AfterEnd is the highest number there is
	})
	return s, nil
}

func started() time.Time { return time.Date(2026, 11, 30, 10, 0, 0, 123456789, time.UTC) }

func newFrame(seq int64, dir Direction, data, eol string) Frame {
	return Frame{Seq: seq, At: time.Duration(seq) * 1_000_412, Direction: dir, Data: []byte(data), EOL: eol, Size: int64(len(data))}
}

func example() *stored {
	code := 0
	s := &stored{
		header: CaptureHeader{
			Session:   Session{ID: "0193", Host: "cursor", Server: "tracker", Transport: "stdio", StartedAt: started(), Complete: true},
			Redaction: `{"rules":"default","placeholders":2}`,
		},
		frames: []Frame{
			newFrame(1, ClientToServer, `{"jsonrpc":"2.0","id":9007199254740993,"method":"initialize" , "x":1.50}`, "\n"),
			newFrame(2, ServerToClient, "npm \x1b[32mwarn\x1b[0m \"deprecated\"\u2028…", "\n"),
			newFrame(3, ServerToClient, "{\"bad\":\"\xff\xfe\"}", "\r\n"),
			newFrame(5, ServerToClient, "\ufeff{}", "\n"),
			newFrame(6, ServerToClient, " {} ", "\n"),
			newFrame(7, ServerToClient, "{}\r{}", "\n"),
			newFrame(8, ServerToClient, "", "\n"),
			newFrame(9, ServerToClient, "[1,\"\u2028\\u0000\"]", ""),
		},
		logs: []Chunk{{At: 1, Data: []byte("before all\n")}, {At: 4_000_000, Data: []byte("listening\nspl")},
			{At: 4_500_000, Data: []byte("it\n")}, {At: time.Hour, Data: []byte("no line end \xff"), Withheld: true}},
		end: &CaptureEnd{Ended: true, At: 9_100_000_001, ExitCode: &code, Ending: EndedByServer,
			Gaps: []Gap{{From: 4, To: 4, Frames: 1, Bytes: 17, At: 3, Reason: "disk full"}}},
	}
	s.frames[4].Stream = 12
	s.frames[5].Truncated = true
	s.frames[6].Size = 99
	return s
}

func TestWriteCapture(t *testing.T) {
	want := `{"reprise":"capture","version":1,"session":{"id":"0193","host":"cursor","server":"tracker","transport":"stdio","started_at":"2026-11-30T10:00:00.123456789Z","complete":true},"redaction":{"rules":"default","placeholders":2}}
{"stderr":1,"t":0.000000001,"text":"before all\n"}
{"seq":1,"t":0.001000412,"dir":"c2s","frame":{"jsonrpc":"2.0","id":9007199254740993,"method":"initialize" , "x":1.50}}
{"seq":2,"t":0.002000824,"dir":"s2c","text":"npm \u001b[32mwarn\u001b[0m \"deprecated\"\u2028…"}
{"seq":3,"t":0.003001236,"dir":"s2c","base64":"eyJiYWQiOiL//iJ9","eol":"\r\n"}
{"stderr":2,"t":0.004,"text":"listening\n"}
{"stderr":3,"t":0.0045,"text":"split\n"}
{"seq":5,"t":0.00500206,"dir":"s2c","text":"\ufeff{}"}
{"seq":6,"t":0.006002472,"dir":"s2c","stream":12,"text":" {} "}
{"seq":7,"t":0.007002884,"dir":"s2c","text":"{}\r{}","truncated":true}
{"seq":8,"t":0.008003296,"dir":"s2c","text":"","size":99}
{"seq":9,"t":0.009003708,"dir":"s2c","frame":[1,"` + "\u2028" + `\u0000"],"eol":""}
{"stderr":4,"t":3600,"base64":"bm8gbGluZSBlbmQg/w==","withheld":true}
{"end":{"t":9.100000001,"exit_code":0,"ending":"server exited","gaps":[{"from":4,"to":4,"frames":1,"bytes":17,"t":0.000000003,"reason":"disk full"}]}}
`
	if got := example().export(t); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCaptureRoundTrip(t *testing.T) {
	first := example()
	file := first.export(t)
	again, err := importFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.export(t); got != file {
		t.Errorf("export, import, export gave\n%s\nand not\n%s", got, file)
	}
	if !reflect.DeepEqual(again.frames, first.frames) || !reflect.DeepEqual(again.end, first.end) {
		t.Errorf("got %+v\n%+v", again.frames, again.end)
	}
	h := again.header
	if want := first.header.Session; !h.Session.Redacted || h.Session.ID != want.ID || h.Session.Host != want.Host || h.Session.Server != want.Server ||
		h.Session.Transport != want.Transport || !h.Session.StartedAt.Equal(want.StartedAt) || !h.Session.Complete {
		t.Errorf("got the session %+v", h.Session)
	}
}

func TestCaptureOfLongLines(t *testing.T) {
	var s stored
	f := Framer{Emit: func(fr Frame) {
		fr.Data = bytes.Clone(fr.Data)
		s.frames = append(s.frames, fr)
	}}
	for _, line := range []string{`{"a":"` + strings.Repeat("é\\n", 14<<20) + `"}` + "\r\n", strings.Repeat("[", PartSize+1) + "\n", "{}\n", strings.Repeat("\xff", 2*PartSize)} {
		f.Add(Chunk{Data: []byte(line)})
	}
	f.Flush(0)
	if len(s.frames) < 8 {
		t.Fatalf("%d frames are no parts", len(s.frames))
	}
	file := s.export(t)
	if n := strings.Count(file, "\n"); n != 5 {
		t.Errorf("the file has %d lines, want a header and one for each frame", n)
	}
	if !strings.Contains(file, `"frame":{"a":"é\n`) {
		t.Error("a long JSON line was not embedded")
	}
	again, err := importFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.frames, s.frames) {
		t.Error("the parts are not the same")
	}
}

// People edit these files: what we do not know survives, and a second write changes nothing.
func TestCaptureKeepsTheUnknown(t *testing.T) {
	file := `{"version":1,"made_by":{"a":[1, 2]},"reprise":"capture","session":{"team":"x","id":"1","host":"h","complete":false,"server":"s"},"redaction":{"rules":"own","note":"n","placeholders":1.0}}` + "\r\n" + `
{"comment":"first of all"}
{"seq":2,"t":1e-3,"dir":"c2s","frame":{"a":1},"note":"why","flag":null}
  {"http":1,"t":0.02,"method":"POST","request_headers":{"a":"b"}}
{"stderr":1,"t":0.0005,"text":"early"}
{"stderr":2,"t":0.5,"text":"odd\n","colour":"red"}
{"dir":"s2c","seq":7,"text":"\u007b}","eol":"","t":2}
{"future":[{"seq":1}]}
{"end":{"t":9,"mood":"good","gaps":[]},"outer":true}
{"after":"the end"}`
	want := `{"reprise":"capture","version":1,"session":{"id":"1","host":"h","server":"s","transport":"","complete":false,"team":"x"},"redaction":{"rules":"own","note":"n","placeholders":1.0},"made_by":{"a":[1, 2]}}
{"comment":"first of all"}
{"stderr":1,"t":0.0005,"text":"early"}
{"seq":2,"t":0.001,"dir":"c2s","frame":{"a":1},"note":"why","flag":null}
  {"http":1,"t":0.02,"method":"POST","request_headers":{"a":"b"}}
{"stderr":2,"t":0.5,"text":"odd\n","colour":"red"}
{"seq":7,"t":2,"dir":"s2c","frame":{},"eol":""}
{"future":[{"seq":1}]}
{"after":"the end"}
{"end":{"t":9,"gaps":[],"mood":"good","outer":true}}
`
	s, err := importFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.export(t); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s, err = importFile(want); err != nil {
		t.Fatal(err)
	}
	if got := s.export(t); got != want {
		t.Errorf("the second write gave\n%s", got)
	}
}

func TestReadCaptureRefuses(t *testing.T) {
	const head = `{"reprise":"capture","version":1,"session":{"id":"1"}}` + "\n"
	tests := []struct{ file, want string }{
		{"", "the file is empty"},
		{"\n\n", "the file is empty"},
		{"hello\n", "line 1: no capture file"},
		{"{}\n", "line 1: no capture file"},
		{`{"reprise":"capture"`, "line 1: no valid JSON object"},
		{`{"reprise":"capture","session":{}}`, "line 1: no format version"},
		{`{"reprise":"capture","version":1}`, "line 1: session is no object"},
		{`{"reprise":"capture","version":1,"session":{"id":7}}`, "line 1: id is no string"},
		{`{"reprise":"capture","version":1,"session":{"started_at":"monday"}}`, "line 1: started_at is no RFC 3339 time"},
		{`{"reprise":"capture","version":1,"session":{},"redaction":true}`, "line 1: redaction is no object"},
		{`{"reprise":"capture","version":2,"sessions":[]}`, "line 1: format version 2: made by a newer Reprise: please upgrade"},
		{head + head, "line 2: a second header"},
		{head + `{"seq":1,"dir":"c2s","frame":{}`, "line 2: no valid JSON object"},
		{head + "\n\nnoise\n", "line 4: no valid JSON object"},
		{head + "[]\n", "line 2: no valid JSON object"},
		{head + `{"seq":0,"dir":"c2s","frame":{}}`, "line 2: seq 0 after seq 0"},
		{head + `{"seq":-1,"dir":"c2s","frame":{}}`, "line 2: seq -1 after seq 0"},
		{head + `{"seq":1.5,"dir":"c2s","frame":{}}`, "line 2: seq is no whole number"},
		{head + `{"seq":9223372036854775807,"dir":"c2s","frame":{}}`, "too high"},
		{head + `{"seq":2,"dir":"c2s","frame":{}}` + "\n" + `{"seq":2,"dir":"c2s","frame":{}}`, "line 3: seq 2 after seq 2"},
		{head + `{"seq":2,"dir":"c2s","frame":{}}` + "\n" + `{"seq":1,"dir":"c2s","frame":{}}`, "line 3: seq 1 after seq 2"},
		{head + `{"seq":1,"dir":"up","frame":{}}`, "line 2: dir is neither c2s nor s2c"},
		{head + `{"seq":1,"dir":"c2s"}`, "line 2: the line is not of one content"},
		{head + `{"seq":1,"dir":"c2s","frame":{},"text":""}`, "line 2: the line is not of one content"},
		{head + `{"seq":1,"dir":"c2s","text":7}`, "line 2: text is no string"},
		{head + `{"seq":1,"dir":"c2s","text":"a\nb"}`, "line 2: a frame is one line"},
		{head + `{"seq":1,"dir":"c2s","base64":"?"}`, "line 2: base64 is no base64"},
		{head + `{"seq":1,"dir":"c2s","frame":{},"eol":"\r"}`, `line 2: eol "\r" is no line end`},
		{head + `{"seq":1,"dir":"c2s","frame":{},"t":"1"}`, "line 2: t is no number of seconds"},
		{head + `{"seq":1,"dir":"c2s","frame":{},"t":1e999999999}`, "line 2: t is no number of seconds"},
		{head + `{"seq":1,"dir":"c2s","frame":{},"t":1e99}`, "line 2: t is too many seconds"},
		{head + `{"seq":1,"dir":"c2s","frame":{},"truncated":1}`, "line 2: truncated is neither true nor false"},
		{head + `{"stderr":1,"t":0}`, "line 2: the line is not of one content"},
		{head + `{"end":[]}`, "line 2: end is no object"},
		{head + `{"end":{"gaps":{}}}`, "line 2: gaps is no list"},
		{head + `{"end":{"gaps":[1]}}`, "line 2: no valid JSON object"},
		{head + `{"end":{}}` + "\n" + `{"end":{}}`, "line 3: a second end"},
		{head + strings.Repeat("[", 1<<20), "line 2: nested too deep"},
	}
	for _, tt := range tests {
		_, err := importFile(tt.file)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "read capture: ") {
			t.Errorf("%.200s\ngot  %v\nwant %s", tt.file, err, tt.want)
		}
	}
	if _, err := importFile(`{"reprise":"capture","version":99}`); !errors.Is(err, ErrNewerCapture) {
		t.Errorf("a file from the future gave %v", err)
	}
}

func TestReadCaptureBearsEditors(t *testing.T) {
	file := "\ufeff" + `{"reprise":"capture","version":1,"session":{"id":"1"}}` + "\r\n\r\n" +
		`{"seq":1, "dir":"c2s", "frame": {"a": 1} , "seq":4}` + "\r\n"
	s, err := importFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.frames) != 1 || s.frames[0].Seq != 4 || string(s.frames[0].Data) != `{"a": 1}` || s.end != nil {
		t.Errorf("got %+v", s)
	}
}

func TestCaptureErrorsComeThrough(t *testing.T) {
	broken := errors.New("broken")
	fail := func(yield func(Frame, error) bool) { yield(Frame{}, broken) }
	failLogs := func(yield func(Chunk, error) bool) { yield(Chunk{}, broken) }
	failLines := func(yield func(CaptureLine, error) bool) { yield(CaptureLine{}, broken) }
	for name, items := range map[string]iter.Seq2[CaptureItem, error]{
		"frames": CaptureItems(fail, errorless[Chunk](nil), errorless[CaptureLine](nil), nil),
		"logs":   CaptureItems(errorless[Frame](nil), failLogs, errorless[CaptureLine](nil), nil),
		"lines":  CaptureItems(errorless[Frame](nil), errorless[Chunk](nil), failLines, nil),
	} {
		if err := WriteCapture(io.Discard, &CaptureHeader{}, items); !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := WriteCapture(fullDisk{}, &CaptureHeader{}, example().items()); err == nil {
		t.Error("a full disk went unnoticed")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestSecondsAreExact(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", 1: "0.000000001", time.Second: "1", 18_220 * time.Microsecond: "0.01822", -1: "-0.000000001",
		math.MaxInt64: "9223372036.854775807", math.MinInt64: "-9223372036.854775808", -1500 * time.Millisecond: "-1.5",
	} {
		got := string(appendSeconds(nil, d))
		m, err := membersOf([]byte(`{"t":` + got + `}`))
		if err != nil || got != want || m.seconds("t") != d {
			t.Errorf("%d is written as %s, want %s; read as %d", d, got, want, m.seconds("t"))
		}
	}
}

func TestEndOf(t *testing.T) {
	code := 3
	s := Session{StartedAt: started(), EndedAt: started().Add(5 * time.Second), Ending: EndedByServer, ExitCode: &code}
	var again Session
	again.StartedAt = s.StartedAt
	EndOf(&s, nil).Apply(&again)
	if !reflect.DeepEqual(s, again) {
		t.Errorf("got %+v, want %+v", again, s)
	}
	open := Session{StartedAt: started()}
	if EndOf(&open, nil) != nil {
		t.Error("an open session has an end")
	}
	if e := EndOf(&open, []Gap{{Frames: 1}}); e == nil || e.Ended || len(e.Gaps) != 1 {
		t.Errorf("the gaps of an open session are not told: %+v", e)
	}
}

// FuzzCapture has two parts: any frames come back as they were, and any file
// that can be read is written in a form that stays.
func FuzzCapture(f *testing.F) {
	for _, s := range []string{example().export(f), `{"a":1}`, "npm warn", "\xff", " 1", "1 ", "\u2028", "", "[[", "\r", "{\"a\":\"\x7f\"}", "1e5", "tru",
		`{"reprise":"capture","version":1,"session":{"a":"\ud800"},"b":1}` + "\n" + `{"seq":1,"dir":"c2s","t":-0.1,"text":"\ud800","x":{}}` + "\n" + `{"x":1}`} {
		f.Add([]byte(s), "\n", int64(1000))
	}
	f.Fuzz(func(t *testing.T, data []byte, eol string, at int64) {
		if eol != "" && eol != "\r\n" {
			eol = "\n"
		}
		var s stored
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			fr := newFrame(int64(len(s.frames)+1), Direction(len(line)%2), string(line), eol)
			fr.At = time.Duration(at)
			s.frames = append(s.frames, fr)
		}
		s.logs = []Chunk{{At: time.Duration(at), Data: bytes.Clone(data)}}
		checkFile(t, s.export(t), &s)
		if s, err := importFile(string(data)); err == nil {
			checkFile(t, s.export(t), nil)
		}
	})
}

func checkFile(t *testing.T, file string, want *stored) {
	t.Helper()
	for line := range strings.Lines(file) {
		if !json.Valid([]byte(line)) {
			t.Fatalf("a line is no JSON: %q", line)
		}
	}
	again, err := importFile(file)
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	if want != nil {
		if fmt.Sprint(again.frames) != fmt.Sprint(want.frames) {
			t.Fatalf("got %v, want %v", again.frames, want.frames)
		}
		var out []byte
		for _, l := range again.logs {
			out = append(out, l.Data...)
		}
		if !bytes.Equal(out, want.logs[0].Data) {
			t.Fatalf("got the output %q, want %q", out, want.logs[0].Data)
		}
	}
	if got := again.export(t); got != file {
		t.Fatalf("the second write gave\n%s\nand not\n%s", got, file)
	}
}
