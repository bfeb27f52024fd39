package reprise

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestBounds feeds more of everything than is kept.
func TestBounds(t *testing.T) {
	p := play(t, readers)
	tracer := &p.d.trace
	for i := range 3 * maxNouns { // tools, their nouns and schemas
		p.request(ClientToServer, "tools/list", `{}`)
		p.answer(ServerToClient, fmt.Sprintf(`"result":{"tools":[{"name":"list_%dthings","inputSchema":{"x":%q}}]}`, i, strings.Repeat("x", 4000)))
		if i%500 == 0 {
			p.request(ClientToServer, "tools/call", fmt.Sprintf(`{"name":"write_%dthing","arguments":{"a%dId":1}}`, i, i))
			p.answer(ServerToClient, `"result":{}`)
		}
	}
	if n := len(tracer.nouns); n > maxNouns {
		t.Errorf("%d nouns", n)
	}
	if tracer.tools.size > maxSchemaAll {
		t.Errorf("%d bytes of schemas", tracer.tools.size)
	}
	for i := range 40_000 { // what is told
		p.frame(ServerToClient, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%d"}}`, i))
	}
	p.frame(ServerToClient, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`+strings.Repeat("y", 2*maxTold)+`"}}`)
	size := 0
	for _, s := range tracer.told.texts {
		size += len(s.text) + perTelling
		if len(s.text) > maxTold {
			t.Errorf("a text of %d bytes", len(s.text))
		}
	}
	if size > maxToldAll || size != tracer.told.size {
		t.Errorf("%d bytes of texts, counted as %d", size, tracer.told.size)
	}
	for i := range 2 * maxTasks { // calls that made tasks
		p.request(ClientToServer, "tools/call", `{"name":"run","arguments":{}}`)
		p.answer(ServerToClient, fmt.Sprintf(`"result":{"task":{"taskId":"t%d"}}`, i))
	}
	if n := len(tracer.tasks); n > maxTasks {
		t.Errorf("%d tasks", n)
	}
}

// TestBoundsOfOne holds what is kept of one call, value or result.
func TestBoundsOfOne(t *testing.T) {
	p := play(t, readers)
	var ids []string
	for i := range 2 * maxInvented {
		ids = append(ids, fmt.Sprintf(`"INV-%d"`, i))
	}
	p.request(ClientToServer, "tools/call", `{"name":"run","arguments":{"ids":[`+strings.Join(ids, ",")+`]}}`)
	for _, a := range p.d.trace.open {
		if n := len(a.invented); n > maxInvented {
			t.Errorf("%d invented arguments", n)
		}
	}
	var members []string
	for i := range 2 * maxBirths {
		members = append(members, fmt.Sprintf(`"thing%c_id":"SAME-1"`, 'a'+i))
	}
	p.answer(ServerToClient, `"result":{"structuredContent":{`+strings.Join(members, ",")+`}}`)
	k, _ := p.d.trace.values.get([]byte("sSAME-1"))
	if k == nil || len(k.births) != maxBirths {
		t.Errorf("the births are %v", k)
	}
	r := readResult(`{"content":[` + strings.Repeat(`{},`, 2*maxBlocks) + `{}]}`)
	if n := len(r.content); n != maxBlocks {
		t.Errorf("%d blocks", n)
	}
	deep := "/" + strings.Repeat("d/", 4*maxAbove) + "f"
	before := len(p.d.trace.fragments.young)
	p.d.trace.splitPath(&known{text: deep})
	if n := len(p.d.trace.fragments.young) - before; n > maxAbove {
		t.Errorf("%d directories above a path", n)
	}
}

// TestToldIsReadInPart: what many invented arguments cost is bounded, and said.
func TestToldIsReadInPart(t *testing.T) {
	p := play(t, readers)
	for range 80 {
		p.frame(ServerToClient, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`+strings.Repeat("y ", maxTold)+`"}}`)
	}
	var ids []string
	for i := range 2000 {
		ids = append(ids, fmt.Sprintf(`"INV-%d"`, i))
	}
	p.request(ClientToServer, "tools/call", `{"name":"run","arguments":{"ids":[`+strings.Join(ids, ",")+`]}}`)
	if u := p.use("ids[1999]"); u.Source != SourceSynthesized || u.Ground != GroundForgotten || p.s.LeftOut == 0 {
		t.Errorf("the last of many is %+v, %d left out", u, p.s.LeftOut)
	}
}

// TestLongWords are given whole when they are used.
func TestLongWords(t *testing.T) {
	url := "https://example.com/" + strings.Repeat("a/", 80) + "ISS-7"
	p := play(t, readers+`call search {}
		ok {"structuredContent":{"note":"see `+url+` first"}}
		call get {"url":"`+url+`"}`)
	if u := p.use("url"); u.Source != SourceDerived {
		t.Errorf("it is %+v", u)
	}
	if v := p.values[len(p.values)-1]; v.JSON != `"`+url+`"` {
		t.Errorf("the value is %+v", v)
	}
}

// TestLongNamesAreNotKept: of a member's name no more is held than is read of it.
func TestLongNamesAreNotKept(t *testing.T) {
	p := play(t, readers)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range 300 {
		p.request(ClientToServer, "tools/call", `{"name":"run","arguments":{}}`)
		p.answer(ServerToClient, fmt.Sprintf(`"result":{"structuredContent":{"%d%s":{"id":"ISS-%d"}}}`, i, strings.Repeat("k", 100_000), i))
		clear(p.frames)
	}
	if grown := int64(heap()) - int64(before); grown > 10<<20 {
		t.Errorf("%d bytes are held", grown)
	}
	runtime.KeepAlive(p)
}

// TestBrokenRule: a rule that fails takes nothing with it.
func TestBrokenRule(t *testing.T) {
	p := play(t, readers)
	p.d.Use = func(*Use) { panic("a bug") }
	for range 2 {
		p.request(ClientToServer, "tools/call", `{"name":"run","arguments":{"a":"ISS-1"}}`)
		p.answer(ServerToClient, `"result":{}`)
	}
	if p.s.LeftOut != 1 || p.s.Calls != 3 || p.calls[p.seq-1].Status != StatusOK {
		t.Errorf("session = %+v", p.s)
	}
}
