package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reprise"
)

// TestUpdateKeepsWhatOthersHaveDone: a capture file that somebody edits while it is being changed loses neither.
func TestUpdateKeepsWhatOthersHaveDone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.capture.jsonl")
	head := `{"reprise":"capture","version":1,"session":{"id":"x","transport":"stdio","complete":false}}` + "\n"
	line := func(seq, id string) string {
		return `{"seq":` + seq + `,"t":1,"dir":"c2s","frame":{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}}` + "\n"
	}
	if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &program{stderr: io.Discard}
	edited := false
	err := p.updateFile(path, func(c *reprise.Capture) {
		if !edited { // by somebody else, after it was read
			edited = true
			if err := os.WriteFile(path, []byte(head+line("1", `"theirs"`)), 0o600); err != nil {
				t.Fatal(err)
			}
			_ = os.Chtimes(path, time.Now(), time.Now().Add(time.Second))
		}
		c.Items = append(c.Items, reprise.CaptureItem{Frame: &reprise.Frame{Seq: 7, At: 1e9, Data: []byte(`{"jsonrpc":"2.0","id":"ours","method":"ping"}`), EOL: "\n", Size: 44}})
	})
	data, _ := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), "theirs") || !strings.Contains(string(data), "ours") {
		t.Errorf("%v: %s", err, data)
	}
}
