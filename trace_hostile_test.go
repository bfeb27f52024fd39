package reprise

import (
	"fmt"
	"strings"
	"testing"
)

// answered traces one result, alone.
func answered(result string) (*Tracer, *Call, int) {
	values := 0
	t := &Tracer{Value: func(*Value) { values++ }, Use: func(*Use) {}}
	c := &Call{Seq: 1, Method: "tools/call", Name: "list_issues", Status: StatusOpen}
	t.Add(&Frame{Seq: 1}, &Message{Kind: KindRequest, Method: c.Method, Name: c.Name}, c)
	c.Status = StatusOK
	t.Add(&Frame{Seq: 2, Direction: ServerToClient}, &Message{Kind: KindResponse, Result: result}, c)
	return t, c, values
}

func textResult(text string) string {
	return `{"content":[{"type":"text","text":` + string(appendString(nil, text)) + `}]}`
}

// TestHostileResults neither crash nor stall, and what is left out of them is counted.
func TestHostileResults(t *testing.T) {
	many := func(n int, one string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, one, i, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	deep := strings.Repeat(`{"a":[`, 5000) + `"ISS-1"` + strings.Repeat(`]}`, 5000)
	for _, c := range []struct {
		name, result string
		values       int  // at most
		left         bool // something is left out
	}{
		{"nested 10,000 deep in a text", textResult(deep), 2, false},
		{"as deep as frames are read", `{"structuredContent":` + strings.Repeat(`{"a":[`, 499) + `"ISS-1"` + strings.Repeat(`]}`, 499) + `}`, 0, true},
		{"a million keys", `{"structuredContent":{` + many(1_000_000, `"k%d":%d,`) + `}}`, 0, true},
		{"a million ids", `{"structuredContent":{` + many(1_000_000, `"k%d_id":"ISS-%d",`) + `}}`, MaxHarvest, true},
		{"a million words", textResult(many(1_000_000, "ISS-%d,USR-%d,")), MaxHarvest, true},
		{"a long text", textResult(strings.Repeat("no end in sight. ", 1<<20)), 0, false},
		{"a text that is one word", textResult(strings.Repeat("a1-", 5<<20)), 0, false},
		{"a long key over many ids", `{"structuredContent":{"` + strings.Repeat("k", 1<<20) + `":[` + many(20_000, `{"id":"ISS-%d","n":%d},`) + `]}}`, MaxHarvest, true},
		{"a path of long keys", `{"structuredContent":` + strings.Repeat(`{"`+strings.Repeat("k", 300)+`":`, 60) + `[` + many(20_000, `{"id":"ISS-%d","n":%d},`) + `]` + strings.Repeat(`}`, 60) + `}`, MaxHarvest, true},
		{"types without end", `{"structuredContent":[` + many(100_000, `{"id":"a%d-b","id":"a%d-c","type":"x"},`) + `]}`, MaxHarvest, true},
		{"quotes without end", textResult(strings.Repeat(`\"`, 1<<20)), 0, false},
		{"cut short in a string", `{"content":[{"type":"text","text":"about ISS-12345 and ` + strings.Repeat("more ", 1<<18), 1, false},
		{"cut short in an object", `{"structuredContent":{"issues":[{"id":"ISS-12345","na`, 1, false},
		{"not JSON", `{"structuredContent":{]}`, 0, false},
		{"nothing", ``, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tracer, call, values := answered(c.result)
			if values > c.values || c.values > 0 && values == 0 {
				t.Errorf("%d values, want at most %d, and some", values, c.values)
			}
			if (tracer.LeftOut() > 0) != c.left {
				t.Errorf("%d left out, want some: %v", tracer.LeftOut(), c.left)
			}
			if call.Partial != (len(c.result) > WholeResult) {
				t.Errorf("partial is %v at %d bytes", call.Partial, len(c.result))
			}
		})
	}
}

// TestMemoryIsBounded: the values of a long session are forgotten, the oldest that nobody asked for first, and
// an argument that may have been among them says so.
func TestMemoryIsBounded(t *testing.T) {
	var uses []*Use
	tracer := &Tracer{Value: func(*Value) {}, Use: func(u *Use) { uses = append(uses, u) }}
	seq := int64(0)
	call := func(arguments, result string) {
		c := &Call{Seq: seq + 1, Method: "tools/call", Name: "list_issues", Status: StatusOpen}
		tracer.Add(&Frame{Seq: seq + 1}, &Message{Kind: KindRequest, Method: c.Method, Name: c.Name, Params: `{"name":"list_issues","arguments":` + arguments + `}`}, c)
		c.Status = StatusOK
		tracer.Add(&Frame{Seq: seq + 2, Direction: ServerToClient}, &Message{Kind: KindResponse, Result: result}, c)
		seq += 2
	}
	call(`{}`, `{"structuredContent":{"ids":["KEPT-1","GONE-1"]}}`)
	for i := range 40 {
		var ids []string
		for j := range 5000 {
			ids = append(ids, fmt.Sprintf(`"ISS-%d"`, i*5000+j))
		}
		call(`{"id":"KEPT-1"}`, `{"structuredContent":{"ids":[`+strings.Join(ids, ",")+`]}}`)
		if n := len(tracer.values.young) + len(tracer.values.old); n > 2*MaxValues {
			t.Fatalf("%d values are kept", n)
		}
	}
	call(`{"id":"KEPT-1"}`, `{}`)
	if u := uses[len(uses)-1]; u.Source != SourceHarvested || u.ValueSeq != 2 {
		t.Errorf("what was used all the time is %+v", u)
	}
	call(`{"id":"GONE-1"}`, `{}`)
	if u := uses[len(uses)-1]; u.Source != SourceSynthesized || u.Ground != GroundForgotten {
		t.Errorf("what may have been forgotten is %+v", u)
	}
	if tracer.LeftOut() == 0 {
		t.Error("nothing was counted")
	}
}
