package replay

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"reprise"
	"reprise/fixtures"
)

// TestAgainstItself verifies every capture against its own replay: a server that says the very same can't be found wanting.
func TestAgainstItself(t *testing.T) {
	for _, name := range fixtures.Names() {
		c := captured(t, name)
		if d := Diff(c, c, nil); !d.Same() || d.Count(reprise.ClassVolatile) > 0 || len(d.Handshake) > 0 {
			t.Errorf("%s: differs from itself:\n%s", name, rowsOf(d))
		}
		if name == "made/listen-lost" || name == "made/server-dies" {
			continue // the replay does not die
		}
		ours, its := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = NewServer(c).Serve(context.Background(), its)
		}()
		o := quick()
		o.AllowWrites = true
		v, err := Verify(t.Context(), c, ours, o)
		<-done
		if err != nil {
			t.Fatal(name, err)
		}
		if got := v.Total(); got.Failed() || got.Skipped > 0 {
			t.Errorf("%s: %+v\n%s", name, got, table(v))
		}
	}
}

// TestShortIdentifiersAreOfOnePlace: the id 7 that is 8 today excuses no count, and no id of something else; and whoever gets the
// recorded one gets another entity.
func TestShortIdentifiersAreOfOnePlace(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_issue","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"id":7}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_issue","arguments":{"id":7}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"id":7,"count":7,"project":{"id":7}}}}`)
	for live, want := range map[string]bool{
		`{"id":8,"count":7,"project":{"id":7}}`: false,
		`{"id":8,"count":8,"project":{"id":7}}`: true,
		`{"id":8,"count":7,"project":{"id":8}}`: true,
		`{"id":7,"count":7,"project":{"id":7}}`: true,
	} {
		o := quick()
		o.AllowWrites = true
		p := &peer{on: byTool(map[string]string{"create_issue": `{"id":8}`, "get_issue": live})}
		if v := verify(t, c, p.run(t), o); v.Total().Failed() != want {
			t.Errorf("%s: failed %v, want %v\n%s", live, !want, want, table(v))
		}
	}
}

// TestShortIdentifiersInTexts: an id is bound inside texts and names of members, too.
func TestShortIdentifiersInTexts(t *testing.T) {
	session := func(id string) string {
		return hello + strings.ReplaceAll(`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_issue","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Created issue #ID."}],"structuredContent":{"id":ID}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_issue","arguments":{"id":ID}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Issue #ID is open"}],"structuredContent":{"id":ID,"url":"https://x.example/issues/ID","by":{"ID":1}}}}`, "ID", id)
	}
	today := made(reprise.EndedByClient, session("4116"))
	ours, its := net.Pipe()
	go func() { _, _ = NewServer(today).Serve(context.Background(), its) }()
	o := quick()
	o.AllowWrites = true
	if v := verify(t, made(reprise.EndedByClient, session("4753")), ours, o); v.Total().Failed() {
		t.Errorf("a healthy server:\n%s", table(v))
	}
}

// TestMaskedTail: a masked secret stands for a secret, and not for all that comes behind it.
func TestMaskedTail(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"your token: «redacted:token:1»"}]}}`)
	p := &peer{on: func(m gjson.Result) []string {
		if m.Get("method").Str != "tools/call" {
			return nil
		}
		return []string{result(m, `{"content":[{"type":"text","text":"your token: ghp_x ERROR: it has been revoked"}]}`)}
	}}
	if v := verify(t, c, p.run(t), quick()); !v.Total().Failed() {
		t.Errorf("the end of the text is not reported:\n%s", table(v))
	}
}

// TestNamesOfArguments: an identifier is today's where it is the name of an argument, too.
func TestNamesOfArguments(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_issue","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"id":"ISS-7"}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_issue","arguments":{"id":"ISS-7"}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"id":"ISS-7"}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"update_issue","arguments":{"set":{"ISS-7":"closed"}}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":{"ok":true}}}`)
	o := quick()
	o.AllowWrites = true
	p := &peer{on: byTool(map[string]string{"create_issue": `{"id":"ISS-12"}`, "get_issue": `{"id":"ISS-12"}`, "update_issue": `{"ok":true}`})}
	p.listen()
	verify(t, c, p.run(t), o)
	if stale := p.lines("ISS-7"); len(stale) > 0 {
		t.Errorf("said with the recorded id: %s", stale)
	}
}
