package analysis

import (
	"strings"
	"testing"
)

func saying(description string) string {
	return `{"name":"get","description":"` + description + `","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
}

func TestLongDescription(t *testing.T) {
	greeting := func(instructions string) []string {
		return []string{`> {"id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
			`< {"id":0,"result":{"protocolVersion":"2025-06-18","instructions":"` + instructions + `"}}`}
	}
	discovery := []string{`> {"id":0,"method":"server/discover","params":{}}`, `< {"id":0,"result":{"instructions":"` + strings.Repeat("x", 2049) + `"}}`}
	app := strings.Replace(saying(strings.Repeat("x", 3000)), `{"name"`, `{"_meta":{"ui":{"visibility":["app"]}},"name"`, 1)
	both := strings.Replace(app, `["app"]`, `["app","model"]`, 1)
	runCases(t, "long-description", []ruleCase{
		{"one too many", tools(saying(strings.Repeat("x", 2049))), []string{"get"}},
		{"pairs count twice, as in JavaScript", tools(saying(strings.Repeat("😀", 1025))), []string{"get"}},
		{"instructions", greeting(strings.Repeat("x", 2049)), []string{"instructions"}},
		{"instructions of a discovery", discovery, []string{"instructions"}},
		{"seen by app and model", tools(both), []string{"get"}},
		{"listed twice, told once", story(tools(saying(strings.Repeat("x", 2049))), tools(saying(strings.Repeat("y", 2049)))), []string{"get"}},

		{"as long as is shown", tools(saying(strings.Repeat("x", 2048))), nil},
		{"bytes do not count", tools(saying(strings.Repeat("ä", 2048))), nil},
		{"escapes are one character", tools(saying(strings.Repeat(`\n`, 2000))), nil},
		{"short instructions", greeting("Use it well."), nil},
		{"no text", tools(`{"name":"get","description":7,"inputSchema":{"type":"object"}}`), nil},
		{"an app's own tool", tools(app), nil},
		{"shortened later", story(tools(saying(strings.Repeat("x", 3000))), tools(saying("Gets it."))), nil},
	})
}

func TestUselessDescription(t *testing.T) {
	tool := func(name, rest string) string {
		return `{"name":"` + name + `","inputSchema":{"type":"object"}` + rest + `}`
	}
	takes := func(description, name, schema string) string {
		return `{"name":"fetch_order","description":"` + description + `","inputSchema":{"type":"object","required":["` + name + `"],"properties":{"` + name + `":` + schema + `}}}`
	}
	runCases(t, "useless-description", []ruleCase{
		{"none", tools(tool("get_user", "")), []string{"get_user"}},
		{"empty", tools(tool("get_user", `,"description":"  "`)), []string{"get_user"}},
		{"the name again, with something to explain",
			tools(`{"name":"fetch_order","description":"Fetches the order.","inputSchema":{"type":"object","properties":{"order":{"type":"string"}}}}`), []string{"fetch_order"}},
		{"one word again", tools(tool("status", `,"description":"The status tool."`)), []string{"status"}},
		{"camels", tools(takes("Fetch order", "orderNumber", `{"type":"string"}`)), []string{"fetch_order"}},
		{"a dark parameter", tools(takes("Reads an order with its lines.", "data", `{"type":"string"}`)), []string{"fetch_order inputSchema"}},
		{"a title that repeats the name", tools(takes("Reads an order with its lines.", "id", `{"type":"string","title":"Id"}`)), []string{"fetch_order inputSchema"}},

		{"a description", tools(tool("get_user", `,"description":"Reads a user's profile by email."`)), nil},
		{"nothing to explain", tools(tool("list_warehouses", `,"description":"List the warehouses."`)), nil},
		{"parameters explain", tools(takes("Fetch order", "number", `{"type":"string","description":"Its number, as on the bill."}`)), nil},
		{"described in the schema", tools(`{"name":"get","inputSchema":{"type":"object","description":"Reads the weather of a city."}}`), nil},
		{"cut by the record", tools(tool("get_user", `,"description":"Get the user…"`)), nil},
		{"another language", tools(tool("get_user", `,"description":"ユーザー情報を取得します"`)), nil},
		{"an app's own tool", tools(tool("tick", `,"_meta":{"ui":{"visibility":["app"]}}`)), nil},
		{"a telling name", tools(takes("Reads an order with its lines.", "order_number", `{"type":"string"}`)), nil},
		{"told in the description", tools(takes("Reads an order.\\n\\nArgs:\\n  id: as list_orders gives it", "id", `{"type":"string"}`)), nil},
		{"an enum", tools(takes("Reads an order with its lines.", "value", `{"enum":["a","b"],"type":"string"}`)), nil},
		{"a format", tools(takes("Reads an order with its lines.", "value", `{"type":"string","format":"date"}`)), nil},
		{"a number", tools(takes("Reads an order with its lines.", "value", `{"type":"number"}`)), nil},
		{"optional", tools(`{"name":"get","description":"Reads orders of a day.","inputSchema":{"type":"object","properties":{"data":{"type":"string"}}}}`), nil},
	})
}
