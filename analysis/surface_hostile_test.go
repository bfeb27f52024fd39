package analysis

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
)

// TestHostileSurface lists and answers what no server should. Each must come to an end, and find no more than it can hold.
func TestHostileSurface(t *testing.T) {
	long, deep := strings.Repeat("x", 10<<20), strings.Repeat(`{"a":`, 900)+"1"+strings.Repeat("}", 900)
	var many, noise []string
	for i := range 10_000 {
		many = append(many, fmt.Sprintf(`{"name":"tool %d","inputSchema":{"type":"object","properties":{"a":{"type":"text"}}}}`, i))
		noise = append(noise, fmt.Sprintf("< noise %d", i))
	}
	for name, c := range map[string]struct {
		lines []string
		most  int
	}{
		"a long description":  {tools(saying(long)), 1},
		"a long name":         {tools(annotated(long, `{"readOnlyHint":true,"destructiveHint":true}`)), 2},
		"a deep tool":         {tools(gives(deep)), 3},
		"a deep result":       {story(tools(gives(`{"type":"object"}`)), call("get", "{}", structured(deep))), 1},
		"a long result":       {story(tools(gives(`{"type":"object"}`)), call("get", "{}", structured(`{"a":"`+long+`"}`))), 1},
		"a long error":        {story(client("x", "2025-11-25"), tools(plainTool), call("get", "{}", `"error":{"code":-32602,"message":"`+long+`"}`)), 1},
		"many tools":          {tools(many...), 20_000},
		"many of one name":    {tools(slicesOf(plainTool, 10_000)...), 1},
		"much noise":          {noise, 1},
		"a name twice":        {tools(`{"name":"a","name":"b","inputSchema":7,"inputSchema":{"type":"object"},"description":{"a":1}}`), 4},
		"tools of all kinds":  {tools(`1`, `null`, `[]`, `{}`, `{"name":7}`, `{"name":""}`), 3},
		"annotations no hint": {tools(annotated("get", `"yes"`), annotated("put", `{"readOnlyHint":"true"}`)), 0},
		"no UTF-8":            {tools(saying("\xff\xfe" + strings.Repeat("\xff", 3000))), 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := judgeAs(t, &reprise.Session{}, Options{Analyzers: surfaceRules()}, c.lines...)
			if len(r.Findings) > c.most {
				t.Errorf("%d findings, want at most %d", len(r.Findings), c.most)
			}
			for _, f := range r.Findings {
				if n := len(f.What + f.Consequence + f.Suggestion + f.Place); n > 2000 {
					t.Errorf("finding of %s is %d bytes long", f.Rule, n)
				}
			}
		})
	}
}

func slicesOf(text string, n int) []string {
	return slices.Repeat([]string{text}, n)
}

// TestSurfaceUnread has a list and a result of which only the beginning is read: nothing is said of what may stand behind it.
func TestSurfaceUnread(t *testing.T) {
	pad := strings.Repeat("x", reprise.PartSize)
	half := `{"name":"half","_meta":{"a":"` + pad + `"},"description":"Reads.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	schema := gives(`{"type":"object"}`)
	for name, lines := range map[string][]string{
		"list":   tools(plainTool, half),
		"result": story(tools(schema), call("get", "{}", `"result":{"content":[{"type":"text","text":"`+pad+`"}],"structuredContent":{}}`)),
	} {
		for _, f := range judgeAs(t, &reprise.Session{}, Options{Analyzers: surfaceRules()}, lines...).Findings {
			if f.Rule != "large-result" {
				t.Errorf("%s: %s %s %s", name, f.Rule, f.Tool, f.What)
			}
		}
	}
}

// BenchmarkSurface judges 100,000 calls with these rules, and without any. The difference is theirs; kept is what the judge holds on to.
func BenchmarkSurface(b *testing.B) {
	for name, rules := range map[string][]*Analyzer{"none": {}, "all": surfaceRules()} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				benchmarkCalls(b, rules)
			}
		})
	}
}

func benchmarkCalls(b *testing.B, rules []*Analyzer) {
	const calls = 100_000
	frame := func(seq int64, dir reprise.Direction, text string) *reprise.CaptureItem {
		return &reprise.CaptureItem{Frame: &reprise.Frame{Seq: seq, At: time.Duration(seq) * time.Millisecond, Direction: dir,
			Data: []byte(text), EOL: "\n", Size: int64(len(text))}}
	}
	j := NewJudge(&reprise.Session{}, Options{Analyzers: rules})
	seq := int64(0)
	add := func(dir reprise.Direction, text string) {
		seq++
		j.Add(frame(seq, dir, text))
	}
	add(reprise.ClientToServer, `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	add(reprise.ServerToClient, `{"jsonrpc":"2.0","id":"l","result":{"tools":[`+gives(`{"type":"object","properties":{"n":{"type":"number"}}}`)+`]}}`)
	for i := range calls {
		add(reprise.ClientToServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get","arguments":{"id":"ISS-%d"}}}`, i, i%100))
		add(reprise.ServerToClient, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"done"}],"structuredContent":{"n":%d}}}`, i, i%7))
	}
	r := j.End()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-kept")
	runtime.KeepAlive(r)
	runtime.KeepAlive(j)
}
