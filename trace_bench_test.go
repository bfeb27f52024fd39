package reprise

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkHarvest goes through results of several kinds and sizes: what is measured is the Tracer
// alone, without reading the message. Each result has ids of its own.
func BenchmarkHarvest(b *testing.B) {
	for _, kind := range []string{"structured", "text", "prose", "ids"} {
		for _, size := range []int{16 << 10, 256 << 10, 4 << 20} {
			b.Run(fmt.Sprintf("%s/%dKiB", kind, size>>10), func(b *testing.B) { benchmarkHarvest(b, kind, size) })
		}
	}
}

func benchmarkHarvest(b *testing.B, kind string, size int) {
	results := make([]string, 8)
	for i := range results {
		results[i] = resultOf(kind, size, i)
	}
	b.SetBytes(int64(len(results[0])))
	t := &Tracer{Value: func(*Value) {}, Use: func(*Use) {}}
	seq, start := int64(0), cpuTime()
	for i := 0; b.Loop(); i++ {
		c := &Call{Seq: seq + 1, Method: "tools/call", Name: "list_issues", Status: StatusOpen}
		seq += 2
		t.Add(&Frame{Seq: c.Seq}, &Message{Kind: KindRequest, Method: c.Method, Name: c.Name, Params: `{"name":"list_issues","arguments":{}}`}, c)
		c.Status = StatusOK
		t.Add(&Frame{Seq: seq, Direction: ServerToClient}, &Message{Kind: KindResponse, Result: results[i%len(results)]}, c)
	}
	b.ReportMetric(float64(b.N*len(results[0]))/1e6/(cpuTime()-start).Seconds(), "MB/cpu-s")
}

// resultOf makes a result of about the size, the nth of its kind.
func resultOf(kind string, size, nth int) string {
	var issues []string
	for i, length := 0, 0; length < size; i++ {
		id := nth*100_000 + i
		var one string
		switch kind {
		case "prose":
			one = fmt.Sprintf("The build of %d lines went through, and nobody has complained so far about the new parser. See issue PROJ-%d for more. ", i, id)
		case "ids":
			one = fmt.Sprintf(`{"id":"ISS-%d","owner_id":"USR-%d"}`, id, id%977)
		default:
			one = fmt.Sprintf(`{"id":"ISS-%d","title":"Crash when the list number %d is empty","status":"open","priority":"high","assignee":"USR-%d","url":"https://tracker.example/issues/ISS-%d","createdAt":"2026-03-02T09:%02d:%02dZ","body":"It happens on the second click only, and never when the console is open. Seen by several people on phones."}`,
				id, i, id%977, id, i/60%60, i%60)
		}
		issues = append(issues, one)
		length += len(one) + 1
	}
	list := `{"issues":[` + strings.Join(issues, ",") + `]}`
	switch kind {
	case "prose":
		return `{"content":[{"type":"text","text":` + string(appendString(nil, strings.Join(issues, ""))) + `}]}`
	case "text":
		return `{"content":[{"type":"text","text":` + string(appendString(nil, list)) + `}]}`
	}
	return `{"content":[],"structuredContent":` + list + `}`
}
