package replay

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"reprise"
)

// TestQuickTasks: a task that has come further than it had is no change, and the answers to its questions go by today's keys.
func TestQuickTasks(t *testing.T) {
	c := made(reprise.EndedByClient, `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_issue","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"job-1","status":"working","createdAt":"a","lastUpdatedAt":"a","ttlMs":null}}
> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"job-1"}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","taskId":"job-1","status":"working","createdAt":"a","lastUpdatedAt":"a","ttlMs":null}}
> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"job-1"}}
< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","taskId":"job-1","status":"input_required","createdAt":"a","lastUpdatedAt":"a","ttlMs":null,"inputRequests":{"k1":{"method":"elicitation/create","params":{"message":"go?"}}}}}
> {"jsonrpc":"2.0","id":4,"method":"tasks/update","params":{"taskId":"job-1","inputResponses":{"k1":{"action":"accept"}}}}
< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete"}}`)
	p := &peer{tools: readers, on: func(m gjson.Result) []string {
		const task = `"taskId":"job-9","createdAt":"b","lastUpdatedAt":"b","ttlMs":null`
		switch m.Get("method").Str {
		case "tools/call":
			return []string{result(m, `{"resultType":"task","status":"working",`+task+`}`)}
		case "tasks/get":
			return []string{result(m, `{"resultType":"complete","status":"input_required",`+task+`,"inputRequests":{"z9":{"method":"elicitation/create","params":{"message":"go?"}}}}`)}
		case "tasks/update":
			if !m.Get("params.inputResponses.z9").Exists() {
				return []string{`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"error":{"code":-32602,"message":"no such question"}}`}
			}
			return []string{result(m, `{"resultType":"complete"}`)}
		}
		return nil
	}}
	if v := verify(t, c, p.run(t), quick()); v.Total().Failed() {
		t.Errorf("a healthy server:\n%s", table(v))
	}
}

// TestTaskOutcomesCount: a task may be quicker or slower; how it ends is compared.
func TestTaskOutcomesCount(t *testing.T) {
	const about = `"taskId":"job","createdAt":"a","lastUpdatedAt":"a","ttlMs":null`
	task := func(status string) string { return `{"resultType":"complete",` + about + `,"status":` + status + `}` }
	const done, otherwise, failed, working, asking = `"completed","result":{"n":1}`, `"completed","result":{"n":2}`,
		`"failed","error":{"code":1,"message":"x"}`, `"working"`, `"input_required","inputRequests":{"k":{"method":"elicitation/create"}}`
	for _, c := range []struct {
		name       string
		then, live []string // what the polls find; the first is what the call gives
		fails      bool
	}{
		{"quick", []string{working, working, working, done}, []string{working, done, done, done}, false},
		{"quick at once", []string{working, working, done}, []string{`"completed"`, done, done}, false},
		{"slow", []string{`"completed"`, done}, []string{working, working, working, done}, false},
		{"quick, and another end", []string{working, working, done}, []string{working, otherwise, otherwise}, true},
		{"quick to fail", []string{working, working, done}, []string{working, failed, failed}, true},
		{"fails, and nobody saw the end", []string{working, working}, []string{working, failed}, true},
		{"nobody saw the end", []string{working, working}, []string{working, done}, false},
		{"slow, and another end", []string{working, done}, []string{working, working, otherwise}, true},
		{"asks no more", []string{working, asking, done}, []string{working, done, done}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := `
> {"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"get_issue","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":0,"result":` + strings.Replace(task(c.then[0]), "complete", "task", 1) + `}`
			for i, status := range c.then[1:] {
				id := strconv.Itoa(i + 1)
				text += `
> {"jsonrpc":"2.0","id":` + id + `,"method":"tasks/get","params":{"taskId":"job"}}
< {"jsonrpc":"2.0","id":` + id + `,"result":` + task(status) + `}`
			}
			at := 0
			p := &peer{tools: readers, on: func(m gjson.Result) []string {
				if !strings.Contains("tools/call tasks/get", m.Get("method").Str) {
					return nil
				}
				status := c.live[min(at, len(c.live)-1)]
				at++
				if at == 1 {
					return []string{result(m, strings.Replace(task(status), "complete", "task", 1))}
				}
				return []string{result(m, task(status))}
			}}
			if v := verify(t, made(reprise.EndedByClient, text), p.run(t), quick()); v.Total().Failed() != c.fails {
				t.Errorf("failed: %v, want %v\n%s", !c.fails, c.fails, table(v))
			}
		})
	}
}
