//go:build unix

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/fixtures/fixturetest"
)

// odd is what must cross unchanged whatever it means, each also as the whole of a session.
var odd = map[string]string{
	"ids": `{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}` + "\n" + `{"jsonrpc":"2.0","id":1.5,"method":"a"}` + "\n" +
		`{"jsonrpc":"2.0","id":null,"method":"a"}` + "\n" + `{"jsonrpc":"2.0","id":"","method":"a"}` + "\n" +
		`{"jsonrpc":"2.0","id":0,"method":"a"}` + "\n" + `{"jsonrpc":"2.0","id":"1","method":"a"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"a"}` + "\n",
	"duplicate and case-folded keys": `{"method":"ping","method":"tools/call","Method":"x","ID":1,"id":1,"jsonrpc":"2.0"}` + "\n",
	"numbers":                        `{"jsonrpc":"2.0","id":1,"result":[1e400,-0,1.0,` + strings.Repeat("9", 400) + `]}` + "\n",
	"batch":                          `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]` + "\n[]\n",
	"two on a line":                  `{"jsonrpc":"2.0","id":1,"method":"a"}{"jsonrpc":"2.0","id":2,"method":"b"}` + "\n",
	"CRLF":                           `{"jsonrpc":"2.0","id":1,"method":"a"}` + "\r\n\r\n",
	"BOM":                            "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"a"}` + "\n",
	"bad UTF-8":                      `{"jsonrpc":"2.0","id":1,"method":"` + "\xff\xfe\xc3" + `"}` + "\n",
	"line separators in a string":    `{"jsonrpc":"2.0","id":1,"method":"` + "\u2028\u2029\u0085\v\f" + `"}` + "\n",
	"NUL":                            "\x00\n{\"a\":\"\x00\"}\n",
	"noise":                          "npm warn deprecated\n\n\x1b[31mred\x1b[0m\n{not json\n\"str\"\n42\n{}\n",
	"no final newline":               `{"jsonrpc":"2.0","id":1,"method":"a"}`,
	"pretty-printed":                 "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1\n}\n",
	"line end split":                 "a\r",
	"nothing":                        "",
}

// TestWireIdentity sends odd bytes through a server that sends them back. What comes out, and what is
// recorded in both directions, is what went in.
func TestWireIdentity(t *testing.T) {
	path := newDB(t)
	for name, text := range odd {
		t.Run(name, func(t *testing.T) {
			p := startRecord(t, path, "cat")
			io.WriteString(p.in, text)
			sameOnWire(t, path, p, []byte(text))
		})
	}
	t.Run("one byte at a time", func(t *testing.T) {
		p := startRecord(t, path, "cat")
		text := "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"— 読 🎉"}` + "\r\n"
		for i := range len(text) {
			p.in.Write([]byte{text[i]})
			time.Sleep(time.Millisecond)
		}
		sameOnWire(t, path, p, []byte(text))
	})
	for name, long := range map[string][]byte{
		"64 MiB line":  append(bytes.Repeat([]byte("x"), 64<<20), '\n'),
		"64 MiB of [":  append(bytes.Repeat([]byte("["), 64<<20), '\n'),
		"around parts": append(bytes.Repeat([]byte("y"), reprise.PartSize), "\r\n"+strings.Repeat("z", reprise.PartSize+1)...),
	} {
		t.Run(name, func(t *testing.T) {
			p := startRecord(t, path, "cat")
			go func() {
				p.in.Write(long)
				p.in.Close()
			}()
			sameOnWire(t, path, p, long)
		})
	}
}

// sameOnWire ends the session and compares. The host reads while the server still writes.
func sameOnWire(t *testing.T, path string, p *proxied, want []byte) {
	t.Helper()
	done := make(chan []byte)
	go func() {
		got, _ := io.ReadAll(p.out)
		done <- got
	}()
	if len(want) < 1<<20 {
		p.in.Close()
	}
	got := <-done
	p.Wait()
	if !bytes.Equal(got, want) {
		t.Errorf("the host received %d other bytes than the %d sent", len(got), len(want))
	}
	if p.stderr.Len() > 0 {
		t.Errorf("stderr = %q", &p.stderr)
	}
	db := openDB(t, path)
	defer db.Close()
	s := lastSession(t, db)
	for _, dir := range []reprise.Direction{reprise.ClientToServer, reprise.ServerToClient} {
		if kept := onWire(t, db, s.ID, dir); !bytes.Equal(kept, want) {
			t.Errorf("%s: recorded %d other bytes than the %d sent", dir, len(kept), len(want))
		}
	}
	if !s.Complete || s.Gaps != 0 {
		t.Errorf("session = %+v", s)
	}
}

// TestMetadataOnly records no content, and still which calls there were.
func TestMetadataOnly(t *testing.T) {
	path := newDB(t)
	p := startRecordWith(t, path, []string{"--metadata-only"}, fixturetest.Bin(t, "fixture"), "echo")
	io.WriteString(p.in, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get","arguments":{"key":"very secret"}}}`+"\n")
	p.finish(t)
	db := openDB(t, path)
	s := lastSession(t, db)
	call, err := onlyCall(db, s.ID)
	if err != nil || call.Tool() != "get" || call.Status != reprise.StatusOK || call.RequestSize != 104 {
		t.Errorf("call = %+v, %v", call, err)
	}
	for _, dir := range []reprise.Direction{reprise.ClientToServer, reprise.ServerToClient} {
		if kept := onWire(t, db, s.ID, dir); bytes.Contains(kept, []byte("secret")) {
			t.Errorf("%s: recorded %s", dir, kept)
		}
	}
	grepFiles(t, path, "very secret")
}
