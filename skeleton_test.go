package reprise

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSkeleton(t *testing.T) {
	tests := []struct{ frame, want string }{
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"get","arguments":{"name":"SECRET"},"_meta":{"progressToken":1,"x":"SECRET","claudecode/toolUseId":"toolu_1"}}}`,
			`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"get","_meta":{"progressToken":1,"claudecode/toolUseId":"toolu_1"}}}`},
		{`{"result":{"content":[{"type":"text","text":"SECRET"}],"isError":true},"id":"a","jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":"a","result":{"isError":true}}`},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"SECRET","data":"SECRET"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}`},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":"SECRET"}}`, `{"jsonrpc":"2.0","id":1,"error":{}}`},
		{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"a":"SECRET"},"clientInfo":{"name":"c","version":"1","title":"SECRET"}}}`,
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}}`},
		{`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"instructions":"SECRET"}}`,
			`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"}}}`},
		{`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"},"a":"SECRET"}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}}`},
		{`{"jsonrpc":"2.0","id":1,"result":"SECRET"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"message":"SECRET"}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}`},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0,"reason":"SECRET"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}`},
		{`{"jsonrpc":"2.0","id":{"a":"SECRET"},"method":"x","params":{"progressToken":["SECRET"]}}`, `{"jsonrpc":"2.0","id":null,"method":"x"}`},
		{`{"id":null,"method":"x\u2028","params":["SECRET"]}`, `{"id":null,"method":"x\u2028"}`},
		{`[{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","id":2,"method":"b"}]`,
			`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0"},{"jsonrpc":"2.0","id":2,"method":"b"}]`},
		{`{"jsonrpc":"2.0","id":1,"method":"a"} {"jsonrpc":"2.0","id":2,"result":{"a":"SECRET"}}`, `{"jsonrpc":"2.0","id":1,"method":"a"}{"jsonrpc":"2.0","id":2,"result":{}}`},
		{`{"jsonrpc":"2.0","id":1,"SECRET`, `{"jsonrpc":"2.0"}`},
		{`npm warn SECRET`, ``},
		{`{"SECRET":1}`, ``},
		{``, ``},
	}
	for _, tt := range tests {
		got := string(Skeleton([]byte(tt.frame)))
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.frame, got, tt.want)
		}
		if strings.Contains(got, "SECRET") {
			t.Errorf("%s kept content", got)
		}
	}
}

// kept is what a skeleton promises to keep of a message.
func kept(messages []Message) []string {
	var all []string
	for _, m := range messages {
		if m.Kind == KindNoise && m.Flags&(FlagBatch|FlagJoined) != 0 {
			m.Kind = KindInvalid // an object of no meaning among others keeps its place
		}
		if strings.HasPrefix(m.ID, "{") || strings.HasPrefix(m.ID, "[") || len(m.ID) > longestToken {
			m.ID = "null"
		}
		if m.Kind == KindInvalid {
			m.ID, m.Method, m.Name = "", "", ""
		}
		method, name := strings.ToValidUTF8(m.Method, "\ufffd"), strings.ToValidUTF8(m.Name, "\ufffd")
		all = append(all, fmt.Sprint(m.Index, m.Kind, m.ID, "|", len(method) > 0, "|", len(name) > 0))
	}
	return all
}

func FuzzSkeleton(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, `[{"id":1,"method":"a"},{"id":2,"result":{},"error":null}]`,
		`{"id":1,"method":"completion/complete","params":{"ref":{"uri":"u"}}}{"a":1}`, `{"id":1,"error":{"code":1e5}}`, `[]`, `{"id":{},"result":0}`, "\ufeff{\"id\":1,\"method\":\"\"}", `{} {}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		skeleton := Skeleton(data)
		if before, after := kept(ReadMessages(data)), kept(ReadMessages(skeleton)); !slices.Equal(before, after) {
			t.Fatalf("%q became %q: %q, want %q", data, skeleton, after, before)
		}
		if again := Skeleton(skeleton); !bytes.Equal(again, skeleton) {
			t.Fatalf("the skeleton of %q is %q", skeleton, again)
		}
	})
}
