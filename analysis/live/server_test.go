package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"reprise"
	"reprise/analysis"
)

// server is a scripted server at the far end of a pipe.
type server struct {
	tools string                                    // the members of the list
	call  func(s *server, name, args string) string // the members of the response
	on    map[string]func(s *server, m *reprise.Message) string

	mu     sync.Mutex
	heard  []string // method, or tool with arguments
	conn   net.Conn
	closed chan struct{}
}

const readOnly = `"annotations":{"readOnlyHint":true}`

// start serves one connection, until it is closed.
func (s *server) start(t *testing.T) io.ReadWriteCloser {
	t.Helper()
	near, far := net.Pipe()
	s.conn, s.closed = far, make(chan struct{})
	go s.serve()
	t.Cleanup(func() {
		near.Close()
		far.Close()
		<-s.closed
	})
	return near
}

func (s *server) serve() {
	defer close(s.closed)
	in := bufio.NewReader(s.conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		for _, m := range reprise.ReadMessages([]byte(line)) {
			s.take(&m)
		}
	}
}

func (s *server) take(m *reprise.Message) {
	note := m.Method
	if m.Method == "tools/call" {
		note = m.Name + reprise.Member(m.Params, "arguments").Raw
	}
	if m.Kind == reprise.KindResponse {
		note = "answer " + m.Raw
	}
	s.mu.Lock()
	s.heard = append(s.heard, note)
	s.mu.Unlock()
	if m.Kind != reprise.KindRequest {
		return
	}
	members := ""
	switch {
	case s.on[m.Method] != nil:
		members = s.on[m.Method](s, m)
	case m.Method == "initialize":
		members = `"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"scripted","version":"1"}}`
	case m.Method == "tools/list":
		members = `"result":{"tools":[` + s.tools + `]}`
	case m.Method == "tools/call":
		members = s.call(s, m.Name, reprise.Member(m.Params, "arguments").Raw)
	default:
		members = `"error":{"code":-32601,"message":"no such method"}`
	}
	if members != "" {
		s.say(`{"jsonrpc":"2.0","id":` + m.ID + `,` + members + "}\n")
	}
}

func (s *server) say(text string) { io.WriteString(s.conn, text) }

// calls are the calls of tools that came.
func (s *server) calls() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, note := range s.heard {
		if strings.Contains(note, "{") && !strings.HasPrefix(note, "answer ") {
			list = append(list, note)
		}
	}
	return list
}

func (s *server) has(note string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.heard {
		if strings.HasPrefix(one, note) {
			return true
		}
	}
	return false
}

// options are those of a client with time enough, unless a test is about the lack of it.
func options() Options {
	return Options{Client: reprise.Peer{Name: "test", Version: "1"}, Timeout: 20 * time.Second, Now: time.Now, After: time.After}
}

// soon is a client that gives up at once.
func soon() Options {
	o := options()
	o.Timeout = 50 * time.Millisecond
	return o
}

func text(format string, args ...any) string {
	return `"result":{"content":[{"type":"text","text":` + quote(fmt.Sprintf(format, args...)) + `}]}`
}

func structured(raw string) string { return `"result":{"content":[],"structuredContent":` + raw + `}` }

func tool(name, more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"name":"` + name + `","inputSchema":{"type":"object"}` + more + `}`
}

func opened(t *testing.T, s *server, o Options) *Client {
	t.Helper()
	c, err := Open(context.Background(), s.start(t), o)
	t.Cleanup(c.Close)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return c
}

func directCase(toolName string, checks ...string) *analysis.Case {
	c := &analysis.Case{Kind: "direct", Plan: analysis.Plan{Tool: toolName}}
	for _, check := range checks {
		c.Checks = append(c.Checks, analysis.Check{Type: check})
	}
	return c
}
