package hosts

import (
	"strings"
	"testing"
)

func shapeOf(t *testing.T, host string) Shape {
	t.Helper()
	h, ok := Find(host)
	if !ok {
		t.Fatalf("no host %q", host)
	}
	return h.Shape
}

func TestTOMLRoundTrip(t *testing.T) {
	for name, src := range map[string]string{
		"usual":             "model = \"m\" # mine\n\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"server-files\"]\nenv = { K = \"v\" }\nstartup_timeout_sec = 20\n\n[mcp_servers.files.tools.x]\napproval_mode = \"approve\"\n",
		"no args":           "[mcp_servers.a]\ncommand = \"x\" # run this\ncwd = \"/tmp\"",
		"crlf":              "\ufeff[mcp_servers.a]\r\ncommand = 'C:\\Users\\A B\\x.exe'\r\nargs = [\r\n  'one', # first\r\n  'two',\r\n]\r\n",
		"inline":            "mcp_servers = { a = { command = \"x\" }, b = { command = \"y\", args = [] } }\n",
		"dotted":            "mcp_servers.a.command = \"x\"\nmcp_servers.a.env.K = \"v\"\nmcp_servers.b.args = [\"1\"]\nmcp_servers.b.command = \"y\"\n",
		"dotted in a table": "[mcp_servers]\na.command = \"x\"\n  b.command = \"y\"\n",
		"quoted names":      "[mcp_servers.\"my server\"]\ncommand = \"x\"\n[mcp_servers.'a.b']\ncommand = \"y\"\n[mcp_servers.\"\\u00e9\"]\ncommand = \"z\"\n",
		"comments":          "[mcp_servers.a]\ncommand = \"x\"\nargs = [ # all of them, [here]\n  # the first\n  \"1\", # one\n  \"2\" # two\n  , # a comma\n]\n",
		"empty":             "[mcp_servers.a]\ncommand = \"x\"\nargs = [ # none\n]\n[mcp_servers.b]\ncommand = \"x\"\nargs=[]",
		"several lines":     "[mcp_servers.a]\ncommand = \"\"\"\nx\"\"\"\nargs = ['''a'b''', \"\"\"c\\\n  d\"\"\"]\n",
		"scattered":         "[mcp_servers.a.env]\nK = \"v\"\n[other]\nx = 1\n[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.b]\ncommand = \"y\"\n",
		"dates and numbers": "d = 1979-05-27T07:32:00-08:00\nt = 07:32:00\nf = 1e3\nh = 0xff\nn = inf\n[mcp_servers.a]\ncommand = \"x\"\n",
	} {
		t.Run(name, func(t *testing.T) { t.Log("\n" + roundTrip(t, shapeOf(t, "codex"), src)) })
	}
	const vibe = "[[mcp_servers]]\nname = \"a\"\ntransport = \"stdio\"\ncommand = \"uvx\"\nargs = [\"x\"]\n\n[[mcp_servers]]\nname = \"web\"\ntransport = \"http\"\nurl = \"https://example.com\"\n\n[[mcp_servers]]\nname = \"c\"\ncommand = \"y\"\n"
	t.Run("array of tables", func(t *testing.T) { t.Log("\n" + roundTrip(t, shapeOf(t, "mistral-vibe"), vibe)) })
}

func TestYAMLRoundTrip(t *testing.T) {
	for name, src := range map[string]string{
		"block":          "GOOSE_MODEL: m # mine\nextensions:\n  files:\n    type: stdio\n    cmd: npx   # run this\n    args:\n      - -y\n      # the server\n      - 'server-files'\n    envs:\n      K: v\n    enabled: true\n    timeout: 300\n  developer:\n    type: builtin\n    enabled: true\n",
		"flow":           "extensions: {files: {type: stdio, cmd: npx, args: [-y, \"x\"]}, b: {type: stdio, cmd: \"y\"}}\n",
		"no args":        "extensions:\n  a:\n    cmd: npx # this\n    type: stdio\n  b:\n    type: stdio\n    cmd: \"x y\"",
		"empty args":     "extensions:\n  a:\n    cmd: npx\n    args: []\n",
		"crlf":           "\ufeffextensions:\r\n  a:\r\n    cmd: C:\\Users\\A B\\x.exe\r\n    args:\r\n    - one\r\n    - 'two three'\r\n",
		"document start": "---\n# Ümläut: ä\nextensions:\n  \"my server\":\n    cmd: 'it''s'\n    args: [ 'ü', \"\\u00e9\" ]\n",
		"flush list":     "extensions:\n  a:\n    cmd: x\n    args:\n    - a: not a text\n    - 8080\n    - b\n",
	} {
		t.Run(name, func(t *testing.T) { t.Log("\n" + roundTrip(t, shapeOf(t, "goose"), src)) })
	}
	t.Run("nothing is left of the list", func(t *testing.T) {
		src := "extensions:\n  a:\n    cmd: /x/reprise\n    args: # mine\n    - record\n    - --\n    - y\n"
		got, _, err := Plan{Unwrap: true}.Do(shapeOf(t, "goose"), []byte(src), &Memo{})
		if want := "extensions:\n  a:\n    cmd: \"y\"\n    args: # mine\n      []\n"; err != nil || string(got) != want {
			t.Errorf("%v\n%s", err, got)
		}
	})
	const list = "name: mine\nmcpServers:\n  - name: a\n    command: npx\n    args:\n      - -y\n      - x\n    env:\n      K: ${{ secrets.K }}\n  # next\n  - command: y\n    name: b\n  - name: c\n    url: https://example.com/mcp\n"
	t.Run("list of servers", func(t *testing.T) { t.Log("\n" + roundTrip(t, shapeOf(t, "continue"), list)) })
	t.Run("anchors", func(t *testing.T) {
		src := "base: &b\n  args: [x]\nextensions:\n  a:\n    <<: *b\n    cmd: y\n  c:\n    cmd: z\n"
		wrapped := roundTrip(t, shapeOf(t, "goose"), src)
		t.Log("\n" + wrapped)
		if !strings.Contains(wrapped, "cmd: y\n") || strings.Contains(wrapped, "cmd: z\n") {
			t.Errorf("a merge is touched, or what has none is not:\n%s", wrapped)
		}
	})
}

func TestOpencodeRoundTrip(t *testing.T) {
	const src = "{\n  // mine\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"files\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"npx\",\n        \"-y\", // yes\n      ],\n      \"environment\": {\"K\": \"v\"},\n    },\n    \"web\": {\"type\": \"remote\", \"url\": \"https://example.com\"},\n  },\n}\n"
	t.Log("\n" + roundTrip(t, shapeOf(t, "opencode"), src))
}

func TestAmpKeyHasADot(t *testing.T) {
	const src = `{"amp.mcpServers": {"a": {"command": "x"}}, "amp": {"mcpServers": {"b": {"command": "y"}}}}`
	wrapped := roundTrip(t, shapeOf(t, "amp"), src)
	if !strings.Contains(wrapped, `"b": {"command": "y"}`) || strings.Contains(wrapped, `"a": {"command": "x"}`) {
		t.Errorf("the wrong key: %s", wrapped)
	}
}
