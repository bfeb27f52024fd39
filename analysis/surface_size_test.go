package analysis

import (
	"slices"
	"strings"
	"testing"

	"reprise"
)

// ruleCase is a session, and the findings of one rule that it must show: "tool place", in order.
type ruleCase struct {
	name  string
	lines []string
	want  []string
}

func runCases(t *testing.T, rule string, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			checkPlaces(t, found(judge(t, c.lines...), rule), c.want)
		})
	}
}

func checkPlaces(t *testing.T, list []Finding, want []string) {
	t.Helper()
	var got []string
	for _, f := range list {
		got = append(got, strings.TrimSpace(f.Tool+" "+f.Place))
		if f.What == "" || f.Consequence == "" || f.Suggestion == "" || len(f.Evidence) == 0 {
			t.Errorf("finding says too little: %+v", f)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got findings at %q, want %q", got, want)
	}
}

// client is the handshake of a host at a protocol version.
func client(name, version string) []string {
	return []string{
		`> {"id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","clientInfo":{"name":"` + name + `","version":"1"}}}`,
		`< {"id":0,"result":{"protocolVersion":"` + version + `","serverInfo":{"name":"tracker","version":"1"}}}`,
	}
}

const plainTool = `{"name":"get","description":"Reads.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`

func textResult(text string) string {
	return `"result":{"content":[{"type":"text","text":"` + text + `"}]}`
}

func TestLargeResult(t *testing.T) {
	claude, codex := client("claude-code", "2025-11-25"), client("codex-mcp-client", "2025-06-18")
	kb := func(n int) string { return strings.Repeat("x", n*1000) }
	raised := strings.Replace(plainTool, `{"name"`, `{"_meta":{"anthropic/maxResultSizeChars":200000},"name"`, 1)
	beyond := strings.Replace(plainTool, `{"name"`, `{"_meta":{"anthropic/maxResultSizeChars":9e99},"name"`, 1)
	image := `"result":{"content":[{"type":"text","text":"here"},{"type":"image","mimeType":"image/png","data":"` + kb(400) + `"}]}`
	structured := `"result":{"content":[],"structuredContent":{"text":"` + kb(71) + `"}}`
	embedded := `"result":{"content":[{"type":"resource","resource":{"uri":"a:b","text":"` + kb(71) + `"}}]}`
	runCases(t, "large-result", []ruleCase{
		{"71 KB in Claude Code (W23b)", story(claude, call("get", "{}", textResult(kb(71)))), []string{"get"}},
		{"structured content alone", story(claude, call("get", "{}", structured)), []string{"get"}},
		{"an embedded resource", story(claude, call("get", "{}", embedded)), []string{"get"}},
		{"codex", story(codex, call("get", "{}", textResult(kb(41)))), []string{"get"}},
		{"bytes of many-byte characters", story(codex, call("get", "{}", textResult(strings.Repeat("ä", 20_001)))), []string{"get"}},
		{"any host", story(call("get", "{}", textResult(kb(101)))), []string{"get"}},
		{"over the raised limit", story(claude, tools(raised), call("get", "{}", textResult(kb(201)))), []string{"get"}},
		{"raised over what can be raised", story(claude, tools(beyond), call("get", "{}", textResult(kb(501)))), []string{"get"}},
		{"through mcp-remote", story(client("claude-code (via mcp-remote 0.1.37)", "2025-11-25"), call("get", "{}", textResult(kb(51)))), []string{"get"}},
		{"beside a picture", story(claude, call("get", "{}", strings.Replace(image, "here", kb(101), 1))), []string{"get"}},

		{"some text beside a picture", story(claude, call("get", "{}", strings.Replace(image, "here", kb(71), 1))), nil},
		{"two texts in Gemini CLI", story(client("gemini-cli-mcp-client", "2025-06-18"), call("get", "{}", `"result":{"content":[{"type":"text","text":"`+kb(30)+
			`"},{"type":"text","text":"`+kb(30)+`"}]}`)), nil},
		{"at the limit", story(claude, call("get", "{}", textResult(kb(50)))), nil},
		{"characters, not bytes", story(claude, call("get", "{}", textResult(strings.Repeat("ä", 49_000)))), nil},
		{"escapes are one character", story(claude, call("get", "{}", textResult(strings.Repeat(`\u00e4`, 20_000)))), nil},
		{"a picture", story(claude, call("get", "{}", image)), nil},
		{"71 KB in a host that shows it", story(call("get", "{}", textResult(kb(71)))), nil},
		{"raised limit", story(claude, tools(raised), call("get", "{}", textResult(kb(71)))), nil},
		{"an error", story(claude, call("get", "{}", `"error":{"code":1,"message":"`+kb(71)+`"}`)), nil},
		{"no tool's", story(claude, []string{`> {"id":3,"method":"resources/read","params":{"uri":"a:b"}}`,
			`< {"id":3,"result":{"contents":[{"uri":"a:b","text":"` + kb(200) + `"}]}}`}), nil},
	})
}

func TestLargeResultSaysHowLarge(t *testing.T) {
	r := judge(t, story(client("claude-code", "2025-11-25"), call("get", "{}", textResult(strings.Repeat("x", 71_234))))...)
	got := found(r, "large-result")[0]
	for _, part := range []string{"71,234 characters", "17,808 tokens", "Claude Code", "50,000"} {
		if !strings.Contains(got.What, part) {
			t.Errorf("%q does not say %q", got.What, part)
		}
	}
}

// TestLargeResultUnread has a response of which only the ends are read.
func TestLargeResultUnread(t *testing.T) {
	r := judge(t, call("get", "{}", textResult(strings.Repeat("x", reprise.PartSize)))...)
	if list := found(r, "large-result"); len(list) != 1 || !strings.Contains(list[0].What, "16,777,") {
		t.Errorf("found %+v", list)
	}
}

func TestLimitsNameTheirSource(t *testing.T) {
	for _, l := range append(hostLimits(), generalLimit()) {
		if l.source == "" || l.does == "" || l.size < smallestLimit {
			t.Errorf("limit of %s: source %q, size %d", l.label, l.source, l.size)
		}
	}
}

// TestHostOfTheConfig takes the host's name in the config where the client has not said its own.
func TestHostOfTheConfig(t *testing.T) {
	for host, want := range map[string]string{"claude-code": "Claude Code", "codex": "Codex", "gemini-cli": "Gemini CLI", "opencode": "opencode", "cursor": "hosts", "": "hosts"} {
		if got := limitOf(&reprise.Session{Host: host}).label; got != want {
			t.Errorf("limit of host %q is that of %s, want %s", host, got, want)
		}
	}
}
