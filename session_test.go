package reprise

import "testing"

// described runs a conversation through a Pairer and a Describer.
func described(lines ...string) Session {
	var s Session
	var d Describer
	p := Pairer{Changed: func(*Call) {}}
	for i, line := range lines {
		f := &Frame{Seq: int64(i + 1)}
		if line[0] == '<' {
			f.Direction = ServerToClient
		}
		data := []byte(line[2:])
		for _, m := range ReadMessages(data) {
			d.Add(&s, f.Direction, &m, p.Add(f, &m))
		}
		clear(data) // the session must keep nothing of the frame
	}
	return s
}

func TestDescriber(t *testing.T) {
	const (
		initialize = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}}`
		modern     = `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"m","version":"2"}}}}`
		discover   = `> {"jsonrpc":"2.0","id":"p","method":"server/discover",` + modern
		toolsList  = `> {"jsonrpc":"2.0","id":1,"method":"tools/list",` + modern
		serverInfo = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"3"}}`
	)
	tests := []struct {
		name           string
		lines          []string
		version        string
		client, server Peer
	}{
		{"asked only", []string{initialize}, "2025-11-25", Peer{"c", "1"}, Peer{}},
		{"negotiated", []string{initialize, `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05","serverInfo":{"name":"s","version":"3"}}}`},
			"2024-11-05", Peer{"c", "1"}, Peer{"s", "3"}},
		{"refused", []string{initialize, `< {"jsonrpc":"2.0","id":0,"error":{"code":-32602}}`}, "2025-11-25", Peer{"c", "1"}, Peer{}},
		{"modern with a probe", []string{discover, `< {"jsonrpc":"2.0","id":"p","result":{"supportedVersions":[],` + serverInfo + `}}`},
			"2026-07-28", Peer{"m", "2"}, Peer{"s", "3"}},
		{"modern without a probe", []string{toolsList, `< {"jsonrpc":"2.0","id":1,"result":{"tools":[],` + serverInfo + `}}`},
			"2026-07-28", Peer{"m", "2"}, Peer{"s", "3"}},
		{"probe, then legacy", []string{discover, `< {"jsonrpc":"2.0","id":"p","error":{"code":-32601}}`, initialize,
			`< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`}, "2025-11-25", Peer{"c", "1"}, Peer{}},
		{"probe late", []string{discover, initialize, `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`, discover},
			"2025-06-18", Peer{"c", "1"}, Peer{}},
		{"any version", []string{`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2099-01-01"}}`}, "2099-01-01", Peer{}, Peer{}},
		{"a version that is no string", []string{`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":2}}}`}, "", Peer{}, Peer{}},
		{"none at all", []string{`> {"jsonrpc":"2.0","id":0,"method":"ping"}`, `< {"jsonrpc":"2.0","id":0,"result":{}}`}, "", Peer{}, Peer{}},
		{"the server's own initialize is not the client's", []string{"< " + initialize[2:]}, "", Peer{}, Peer{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := described(tt.lines...)
			if s.ProtocolVersion != tt.version || s.Client != tt.client || s.Peer != tt.server {
				t.Errorf("got %q %v %v, want %q %v %v", s.ProtocolVersion, s.Client, s.Peer, tt.version, tt.client, tt.server)
			}
		})
	}
}

func TestEndingDecidesWhatOpenCallsBecome(t *testing.T) {
	for ending, want := range map[Ending]Status{
		EndedByClient: StatusUnanswered, EndedBySignal: StatusUnanswered, "": StatusUnanswered,
		EndedByServer: StatusLost, EndedByKill: StatusLost, NeverStarted: StatusLost,
	} {
		if got := ending.Unanswered(); got != want {
			t.Errorf("%q: got %s, want %s", ending, got, want)
		}
	}
}
