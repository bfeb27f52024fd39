package replay

import (
	"testing"

	"github.com/tidwall/gjson"

	"reprise"
)

// TestNamelessTools: a tool that the server lists without a name allows no call whose name can't be read.
func TestNamelessTools(t *testing.T) {
	for _, params := range []string{`["rw"]`, `{"name":["rw"]}`, `{}`} {
		c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
		p := &peer{tools: `{"name":"rw"},{"annotations":{"readOnlyHint":true}}`}
		p.listen()
		verify(t, c, p.run(t), quick())
		if called := p.lines("tools/call"); len(called) > 0 {
			t.Errorf("called: %s", called)
		}
	}
}

// TestDoubtfulTools: a tool that may be read in two ways is not called, nor one whose list may be.
func TestDoubtfulTools(t *testing.T) {
	const ro = `"annotations":{"readOnlyHint":true}`
	for _, answer := range []string{
		`"result":{"tools":[{"name":"other","name":"rw",` + ro + `}]}`,
		`"result":{"tools":[{"name":"rw","Name":"other",` + ro + `}]}`,
		`"result":{"tools":[{"name":"rw","Name":"other"},{"name":"rw",` + ro + `}]}`,
		`"result":{"tools":[{"name":"rw"}],"tools":[{"name":"rw",` + ro + `}]}`,
		`"result":{"Tools":[{"name":"rw"}],"tools":[{"name":"rw",` + ro + `}]}`,
		`"result":{"tools":[{"name":"rw",` + ro + `}],"nextCursor":"2","nextCursor":null}`,
		`"result":{"tools":[{"name":"rw"}]},"result":{"tools":[{"name":"rw",` + ro + `}]}`,
		`"result":{"tools":[{"name":"rw",` + ro + `}]},"Result":{"tools":[{"name":"rw"}]}`,
		`"result":{"tools":[{"name":"rw",` + ro + `}]},"error":{"code":-32603,"message":"no"}`,
	} {
		c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rw"}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
		p := &peer{on: func(m gjson.Result) []string {
			if m.Get("method").Str != "tools/list" {
				return nil
			}
			return []string{`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,` + answer + `}`}
		}}
		p.listen()
		v := verify(t, c, p.run(t), quick())
		if called := p.lines("tools/call"); len(called) > 0 {
			t.Errorf("%s\ncalled: %s", answer, called)
		}
		if got := find(t, v, 4); got.Skip == "" || got.Reason == "" {
			t.Errorf("%s\n%s", answer, table(v))
		}
	}
}
