package analysis

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"reprise"
)

// coverageText is what a tool's coverage says in short: "2 calls; status* 1 {open:1 closed:0}; limit 0".
func coverageText(t ToolCoverage) string {
	parts := []string{fmt.Sprintf("%d calls", t.Calls)}
	for _, p := range t.Parameters {
		text := p.Name
		if p.Required {
			text += "*"
		}
		text += fmt.Sprintf(" %d", p.Calls)
		if p.Enum != nil {
			var values []string
			for _, v := range p.Values {
				values = append(values, fmt.Sprintf("%s:%d", v, p.Enum[v]))
			}
			text += " {" + strings.Join(values, " ") + "}"
		}
		parts = append(parts, text)
	}
	for _, way := range []string{"tool_error", "error", "error -32602", "error -1", "other"} {
		if n := t.Errors[way]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", way, n))
		}
	}
	if t.Unread > 0 {
		parts = append(parts, fmt.Sprintf("%d unread", t.Unread))
	}
	return strings.Join(parts, "; ")
}

func covered(t *testing.T, c *Coverage, tool string) string {
	t.Helper()
	for _, one := range c.Tools {
		if one.Tool == tool {
			return coverageText(one)
		}
	}
	return "not there"
}

// toolWith is a tool with the properties of its inputSchema and, behind them, the schema's other members.
func toolWith(name, properties, more string) string {
	return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{` + properties + `}` + more + `}}`
}

const emptyResult = `"result":{"content":[]}`

func TestCoverage(t *testing.T) {
	list := tools(toolWith("list", `"status":{"enum":["open","closed"]},"all":{"type":"boolean"},"limit":{"type":"integer"}`, `,"required":["status"]`))
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"listed only", list, `0 calls; status* 0 {"open":0 "closed":0}; all 0 {true:0 false:0}; limit 0`},
		{"called", story(list, call("list", `{"status":"open","all":false}`, emptyResult), call("list", `{"status":"open"}`, emptyResult)),
			`2 calls; status* 2 {"open":2 "closed":0}; all 1 {true:0 false:1}; limit 0`},
		{"another spelling", story(list, call("list", `{ "sta\u0074us" : "op\u0065n", "limit": null }`, emptyResult)),
			`1 calls; status* 1 {"open":1 "closed":0}; all 0 {true:0 false:0}; limit 1`},
		{"outside of the schema", story(list, call("list", `{"status":"other","Status":"open","x":1}`, emptyResult)),
			`1 calls; status* 1 {"open":0 "closed":0}; all 0 {true:0 false:0}; limit 0`},
		{"twice in one call", story(list, call("list", `{"status":"open","status":"closed"}`, emptyResult)),
			`1 calls; status* 1 {"open":0 "closed":1}; all 0 {true:0 false:0}; limit 0`},
		{"no arguments", story(list, call("list", `[1]`, emptyResult), []string{`> {"id":9,"method":"tools/call","params":{"name":"list"}}`}),
			`2 calls; status* 0 {"open":0 "closed":0}; all 0 {true:0 false:0}; limit 0`},
		{"failing", story(list, call("list", `{}`, `"result":{"isError":true,"content":[]}`), call("list", `{}`, `"error":{"code":-32602,"message":"no"}`), call("list", `{}`, `"error":{}`)),
			`3 calls; status* 0 {"open":0 "closed":0}; all 0 {true:0 false:0}; limit 0; tool_error 1; error 1; error -32602 1`},
		{"called before it is listed", story(call("list", `{"status":"open","all":true,"other":1}`, emptyResult), list, call("list", `{"status":"closed"}`, emptyResult)),
			`2 calls; status* 2 {"open":1 "closed":1}; all 1 {true:1 false:0}; limit 0`},
		{"never listed", call("list", `{"status":"open"}`, emptyResult), `1 calls; status 1`},
		{"listed anew", story(list, call("list", `{"limit":1,"status":"open"}`, emptyResult), tools(toolWith("list", `"state":{},"status":{"enum":["closed"]}`, "")), call("list", `{"status":"closed","limit":1}`, emptyResult)),
			`2 calls; state 0; status 2 {"closed":1 "open":1}; limit 1`},
	} {
		if got := covered(t, judge(t, c.lines...).Coverage, "list"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestCoverageOfParametersInside(t *testing.T) {
	list := tools(toolWith("x", `"filter":{"type":"object","properties":{"status":{"enum":["open","closed"]},"owner":{"$ref":"#/$defs/owner"}},"required":["status"]},
		"labels":{"type":"array","items":{"enum":["bug","idea"]}},"rows":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}}}},
		"mode":{"anyOf":[{"enum":["a",1]},{"type":"null"}]},"on":{"type":["boolean","null"]},"self":{"$ref":"#"}`,
		`,"$defs":{"owner":{"type":"object","properties":{"team":{"const":"core"}}}}`))
	for _, c := range []struct{ name, arguments, want string }{
		{"all", `{"filter":{"status":"closed","owner":{"team":"core"}},"labels":["bug","bug"],"rows":[{},{"id":"1"},{"id":"2"}],"mode":1.0,"on":true}`,
			`filter 1; filter.status* 1 {"open":0 "closed":1}; filter.owner 1; filter.owner.team 1 {"core":1}; labels 1; labels[] 1 {"bug":1 "idea":0}; rows 1; rows[].id 1; mode 1 {"a":0 1:1}; on 1 {true:1 false:0}; self 0`},
		{"nothing in them", `{"filter":{},"labels":[],"rows":"x","mode":{},"on":null,"self":{}}`,
			`filter 1; filter.status* 0 {"open":0 "closed":0}; filter.owner 0; filter.owner.team 0 {"core":0}; labels 1; labels[] 0 {"bug":0 "idea":0}; rows 1; rows[].id 0; mode 1 {"a":0 1:0}; on 1 {true:0 false:0}; self 1`},
	} {
		want := "1 calls; " + c.want
		for order, lines := range map[string][]string{
			"listed before": story(list, call("x", c.arguments, emptyResult)), "listed behind": story(call("x", c.arguments, emptyResult), list),
		} {
			got, _, _ := strings.Cut(covered(t, judge(t, lines...).Coverage, "x"), "; self.")
			if got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", c.name, order, got, want)
			}
		}
	}
}

func TestCoverageAddsUp(t *testing.T) {
	list := tools(toolWith("list", `"status":{"enum":["open","closed"]},"gone":{"type":"string"},"kept":{"type":"string"}`, ""), `{"name":"idle"}`)
	later := tools(toolWith("list", `"state":{"type":"string"},"status":{"enum":["open","done"]}`, ""), `{"name":"more"}`)
	once := call("list", `{"status":"closed","kept":"x"}`, emptyResult)
	again := call("list", `{"status":"open"}`, `"error":{"code":-1}`)
	sessions := [][]string{story(list, once), again, later, again}
	sum := &Coverage{}
	for _, lines := range sessions {
		one := judge(t, lines...).Coverage
		before := fmt.Sprint(*one)
		sum.Add(one)
		sum.Add(nil)
		if fmt.Sprint(*one) != before {
			t.Errorf("adding it has changed %s to %v", before, *one)
		}
	}
	for tool, want := range map[string]string{
		"list": `3 calls; state 0; status 3 {"open":2 "done":0 "closed":1}; kept 1; error -1 2`, "idle": "0 calls", "more": "0 calls",
	} {
		if got := covered(t, sum, tool); got != want {
			t.Errorf("%s:\n got %s\nwant %s", tool, got, want)
		}
	}
	if sum.Server != "tracker" || sum.Sessions != 4 || len(sum.Tools) != 3 {
		t.Errorf("%+v", sum)
	}
	// In one session or in several, it is the same.
	whole := judge(t, story(sessions...)...).Coverage
	whole.Sessions = 4
	for _, tool := range []string{"list", "idle", "more"} {
		if a, b := covered(t, sum, tool), covered(t, whole, tool); a != b {
			t.Errorf("%s:\nseveral %s\nat once %s", tool, a, b)
		}
	}
}

func TestCoverageOfPromptsAndTemplates(t *testing.T) {
	lines := []string{
		`> {"id":1,"method":"resources/read","params":{"uri":"issue://7/notes"}}`, `< {"id":1,"result":{"contents":[]}}`,
		`> {"id":2,"method":"prompts/list"}`, `< {"id":2,"result":{"prompts":[{"name":"plan","arguments":[{"name":"goal","required":true},{"name":"days"}]},{"name":"idle"}]}}`,
		`> {"id":3,"method":"prompts/get","params":{"name":"plan","arguments":{"goal":"x"}}}`, `< {"id":3,"result":{"messages":[]}}`,
		`> {"id":4,"method":"resources/templates/list"}`, `< {"id":4,"result":{"resourceTemplates":[{"uriTemplate":"issue://{id}/notes"},{"uriTemplate":"issue://{id}/files{?n}"},{"uriTemplate":"about:"}]}}`,
		`> {"id":5,"method":"resources/read","params":{"uri":"issue://8/notes"}}`, `< {"id":5,"result":{"contents":[]}}`,
	}
	c := judge(t, lines...).Coverage
	if len(c.Prompts) != 2 || coverageText(c.Prompts[1]) != "1 calls; goal* 1; days 0" || coverageText(c.Prompts[0]) != "0 calls" || !c.Prompts[0].Listed {
		t.Errorf("prompts %+v", c.Prompts)
	}
	want := []TemplateCoverage{{"about:", 0}, {"issue://{id}/files{?n}", 0}, {"issue://{id}/notes", 2}}
	if !reflect.DeepEqual(c.Templates, want) {
		t.Errorf("templates %+v", c.Templates)
	}
	sum := &Coverage{}
	sum.Add(c)
	sum.Add(judge(t, lines[:2]...).Coverage)
	if sum.Templates[2].Reads != 3 || c.Templates[2].Reads != 2 {
		t.Errorf("templates of two sessions %+v", sum.Templates)
	}
}

func TestAddressesOfTemplates(t *testing.T) {
	for _, c := range []struct {
		template, uri string
		want          bool
	}{
		{"a://{x}", "a://1", true}, {"a://{x}", "b://1", false}, {"a://{x}/b", "a://1/b", true}, {"a://{x}/b", "a://1/c", false},
		{"a://{x}/{y}", "a://1/2", true}, {"a://{x}/{y}", "a://1", false}, {"a://b", "a://b", true}, {"a://b", "a://bc", false},
		{"{+x}", "anything", true}, {"a{x", "a", true}, {"a://{x}/b{y}/b", "a://1/b", false},
	} {
		if got := made(literals(c.template), c.uri); got != c.want {
			t.Errorf("%s of %s: %t", c.uri, c.template, got)
		}
	}
}

func TestCoverageIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 3 * maxParameters {
		fmt.Fprintf(&b, `,"p%d":{"enum":[%s1]}`, i, strings.Repeat("1,", 10))
	}
	many := b.String()[1:]
	deep := strings.Repeat(`{"a":[`, 2000) + strings.Repeat(`]}`, 2000)
	r := judge(t, story(tools(toolWith("many", many, "")), call("many", `{"p1":1}`, emptyResult), call("loose", `{`+many+`}`, emptyResult), call("deep", deep, emptyResult),
		call("deep", `{"`+strings.Repeat("k", 1<<20)+`":1}`, emptyResult), call("text", `{"a":"`+strings.Repeat("v", 1<<20)+`"}`, emptyResult))...)
	for _, x := range r.Coverage.Tools {
		if len(x.Parameters) > maxParameters || x.Unread != map[string]int{"loose": 1}[x.Tool] {
			t.Errorf("%s has %d parameters, %d calls unread", x.Tool, len(x.Parameters), x.Unread)
		}
	}
	var lines []string
	for i := range maxWays + 5 {
		lines = append(lines, call("x", `{}`, fmt.Sprintf(`"error":{"code":%d}`, i))...)
	}
	c := judge(t, lines...).Coverage
	if len(c.Tools[0].Errors) != maxWays+1 || c.Tools[0].Errors["other"] != 5 {
		t.Errorf("%d ways to fail, %d other", len(c.Tools[0].Errors), c.Tools[0].Errors["other"])
	}
}

func TestCoverageOfServersOwnCalls(t *testing.T) {
	r := judgeAs(t, &reprise.Session{}, Options{}, `< {"id":1,"method":"tools/call","params":{"name":"x"}}`, `> {"id":1,"result":{}}`)
	if len(r.Coverage.Tools) != 0 {
		t.Errorf("%+v", r.Coverage.Tools)
	}
}
