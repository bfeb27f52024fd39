package replay

import (
	"testing"

	"reprise"
)

// TestSkipsExcuseNoFailure: what was only to be changed has to be there, whatever kind of error says that it is not, and whether or
// not the skipped call's result repeats what it was given.
func TestSkipsExcuseNoFailure(t *testing.T) {
	for _, echo := range []string{`{"ok":true}`, `{"id":"ISS-12"}`} {
		c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"update_issue","arguments":{"id":"ISS-12","s":1}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":`+echo+`}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_issue","arguments":{"id":"ISS-12"}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"id":"ISS-12","title":"t"}}}`)
		for _, answer := range []string{"error", "fails"} {
			p := &peer{tools: readers, on: byTool(map[string]string{"get_issue": answer})}
			if v := verify(t, c, p.run(t), quick()); !v.Total().Failed() {
				t.Errorf("%s, %s: nothing is reported\n%s", echo, answer, table(v))
			}
		}
	}
}

// TestSkipsExcuseNothingKnown: what was there before was not made by the call that was skipped.
func TestSkipsExcuseNothingKnown(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_issues","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"regions":["eu-west-1"]}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_issue","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"id":"ISS-900","region":"eu-west-1"}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_issue","arguments":{"name":"web"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":{"region":"eu-west-1","price":5}}}`)
	p := &peer{tools: readers, on: byTool(map[string]string{"list_issues": `{"regions":["eu-west-1"]}`, "get_issue": `{"region":"eu-west-1","price":9}`})}
	if v := verify(t, c, p.run(t), quick()); !v.Total().Failed() {
		t.Errorf("the price is not reported:\n%s", table(v))
	}
}

// TestSkipsExcuseShortIdentifiers: a list without the entity that a skipped call would have made, though its id is short.
func TestSkipsExcuseShortIdentifiers(t *testing.T) {
	c := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_issue","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"id":42}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_issues","arguments":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"items":[{"id":42}]}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_issue","arguments":{"id":42}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":{"id":42}}}`)
	p := &peer{tools: readers, on: byTool(map[string]string{"list_issues": `{"items":[]}`})}
	if v := verify(t, c, p.run(t), quick()); v.Total().Failed() {
		t.Errorf("a healthy server:\n%s", table(v))
	}
}

// TestSkipsExcuseWhatTheyWereFor: what a healthy server shows without the skipped call is no defect of it, and what has nothing to do
// with that call is one.
func TestSkipsExcuseWhatTheyWereFor(t *testing.T) {
	const issue = `{"id":"ISS-12","title":"t"}`
	for _, c := range []struct {
		name, skipped, made, read, then, now string
		excused                              bool
	}{
		{"a file that was not written", `"write_file","arguments":{"path":"/a/b.txt"}`, `{"ok":true}`,
			`"get_issue","arguments":{"path":"/a/b.txt"}`, `{"text":"x"}`, "fails", true},
		{"one that was only to be moved on", `"update_issue","arguments":{"id":"ISS-12"}`, `{"ok":true}`,
			`"get_issue","arguments":{"id":"ISS-12"}`, issue, "fails", false},
		{"still in a list, for it was not closed", `"update_issue","arguments":{"id":"ISS-12"}`, `{"ok":true}`,
			`"list_issues","arguments":{"open":true}`, `{"items":[]}`, `{"items":[` + issue + `]}`, true},
		{"still there, with a short id", `"update_issue","arguments":{"id":7}`, `{"ok":true}`,
			`"list_issues","arguments":{"open":true}`, `{"items":[]}`, `{"items":[{"id":7}]}`, true},
		{"a text about a short id", `"create_issue","arguments":{}`, `{"id":42}`,
			`"list_issues","arguments":{}`, `{"text":"open: issue #42"}`, `{"text":"nothing is open"}`, true},
		{"a number that is no id", `"create_issue","arguments":{}`, `{"id":42}`,
			`"list_issues","arguments":{}`, `{"count":42}`, `{"count":41}`, false},
		{"a word that it gave", `"create_issue","arguments":{}`, `{"id":"ISS-900","status":"open"}`,
			`"list_issues","arguments":{"status":"open"}`, `{"status":"open","price":5}`, `{"status":"open","price":9}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			capture := made(reprise.EndedByClient, hello+`
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+c.skipped+`}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":`+c.made+`}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":`+c.read+`}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":`+c.then+`}}`)
			p := &peer{tools: readers, on: byTool(map[string]string{"get_issue": c.now, "list_issues": c.now})}
			if v := verify(t, capture, p.run(t), quick()); v.Total().Failed() == c.excused {
				t.Errorf("excused: %v, want %v\n%s", !c.excused, c.excused, table(v))
			}
		})
	}
}
