package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"reprise"
	"reprise/analysis"
)

// Options are how a client behaves. Now and After must be set.
type Options struct {
	Client  reprise.Peer  // what it calls itself
	Timeout time.Duration // of one request
	// MaxBytes is how much a server may say on one connection: 256 MiB where it is 0.
	MaxBytes int64
	Gate     Gate
	Now      func() time.Time
	After    func(time.Duration) <-chan time.Time
	// Observe, if set, sees each line as it crosses, with its line end.
	Observe func(reprise.Direction, []byte)
}

const maxBytes = 256 << 20

// Client is a client of one server, over one connection. It is used by one goroutine.
type Client struct {
	Options
	Peer         reprise.Peer // what the server calls itself
	Version      string       // of the protocol
	Instructions string
	// Heard says that the server has said something that is a message; Noise and Invalid count what is none.
	Heard          bool
	Noise, Invalid int
	Gone           bool // it ended, or reads no more

	wire    *wire
	out     [][]byte // not written yet
	deaf    bool     // the server reads no more
	meta    string   // what every request of the modern era has in its _meta; "" in the other one
	last    int      // id
	trouble string   // the connection can't be used any more
	waiting *waiting
	tools   *toolbox
	changes int // how often the server said that its tools have changed
}

// waiting is the request that an answer is waited for.
type waiting struct {
	id       string
	answer   *analysis.Answer
	done     bool
	nameless string   // an error that names no request
	refused  []string // what the server asked meanwhile, and this client has not
}

// grace is how long an answer is waited for when it has become unlikely: an error came that names no request, or the server
// reads no more.
const grace = 2 * time.Second

// Open takes a connection and shakes hands. The error is trouble in words: there is nothing to call. A client must be closed.
func Open(ctx context.Context, conn io.ReadWriteCloser, o Options) (*Client, error) {
	c := &Client{Options: o, wire: connect(conn, cmp.Or(o.MaxBytes, maxBytes))}
	return c, c.shake(ctx)
}

// Close ends the connection, and waits for all that serves it.
func (c *Client) Close() { c.wire.close() }

// ask sends a request and waits for its answer, which has trouble where none came. refused is what the server asked for meanwhile.
func (c *Client) ask(ctx context.Context, method, params string) (a analysis.Answer, refused []string) {
	c.last++
	id := strconv.Itoa(c.last)
	a.Request = `{"jsonrpc":"2.0","id":` + id + `,"method":` + quote(method) + `,"params":` + params + `}`
	if c.trouble != "" {
		a.Trouble = c.trouble
		return a, nil
	}
	c.waiting = &waiting{id: id, answer: &a}
	begin := c.Now()
	c.send(a.Request)
	a.Trouble = c.wait(ctx)
	a.Took = c.Now().Sub(begin)
	refused, c.waiting = c.waiting.refused, nil
	if a.Trouble != "" && c.trouble == "" && method != "initialize" {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	return a, refused
}

// send lets a line be written when the server reads it.
func (c *Client) send(text string) { c.out = append(c.out, []byte(text+"\n")) }

// wait goes on until the answer is there, and says what was in its way.
func (c *Client) wait(ctx context.Context) string {
	w := c.waiting
	late, failed := c.After(c.Timeout), c.wire.failed
	if c.deaf {
		failed = nil
	}
	hasty := false
	for {
		next, to := c.next()
		select {
		case line, ok := <-c.wire.lines:
			if !ok {
				c.trouble, c.Gone = c.wire.ended(), !errors.Is(c.wire.err, errFlood)
				return c.trouble
			}
			if c.hear(line); w.done {
				return ""
			}
			if w.nameless != "" && !hasty {
				late, hasty = c.After(min(grace, c.Timeout)), true
			}
		case to <- next:
			c.said()
		case <-failed: // what it has said before is still read
			c.deaf, c.Gone, c.out, failed = true, true, nil, nil
			late = c.After(min(grace, c.Timeout))
		case <-late:
			return c.silent(w)
		case <-ctx.Done():
			c.trouble = "it was stopped"
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				c.trouble = "the time for all of it was over"
			}
			return c.trouble
		}
	}
}

// next is the line to be written next, and where to; nothing when there is none.
func (c *Client) next() ([]byte, chan []byte) {
	if len(c.out) == 0 || c.deaf {
		return nil, nil
	}
	return c.out[0], c.wire.written
}

// said takes a line that is on its way. What observes sees a request before its answer: that is not read in between.
func (c *Client) said() {
	if c.Observe != nil {
		c.Observe(reprise.ClientToServer, c.out[0])
	}
	c.out = c.out[1:]
}

func (c *Client) silent(w *waiting) string {
	switch {
	case w.nameless != "":
		return "no answer came, only an error that names no request: " + short(said(w.nameless))
	case c.deaf:
		c.trouble = "the server reads no more"
		return c.trouble
	}
	return fmt.Sprintf("no answer came within %s", c.Timeout)
}

// hear takes one line of the server's.
func (c *Client) hear(line []byte) {
	if c.Observe != nil {
		c.Observe(reprise.ServerToClient, line)
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	for _, m := range reprise.ReadMessages(line) {
		switch m.Kind {
		case reprise.KindNoise:
			c.Noise++
			continue
		case reprise.KindInvalid:
			c.Invalid++
			continue
		case reprise.KindRequest:
			c.reply(&m)
		case reprise.KindNotification:
			if m.Method == "notifications/tools/list_changed" {
				c.changes++
			}
		case reprise.KindResponse:
			c.answered(&m)
		}
		c.Heard = true
	}
}

// answered takes a response. One that nobody waits for comes late, and is none of ours any more.
func (c *Client) answered(m *reprise.Message) {
	w := c.waiting
	switch {
	case w == nil || w.done:
	case m.ID == w.id || isNumber(m.ID) && reprise.CanonicalNumber(m.ID) == w.id:
		w.answer.Response, w.answer.Result, w.answer.Error = m.Raw, m.Result, m.Error
		w.done = true
	case (m.ID == "" || m.ID == "null") && m.Error != "":
		w.nameless = m.Error
	}
}

// reply answers a request of the server's. This client has announced nothing, but what costs nothing it does.
func (c *Client) reply(m *reprise.Message) {
	if m.ID == "null" {
		return
	}
	body := `"error":{"code":-32601,"message":"this client has no such method"}`
	switch m.Method {
	case "ping":
		body = `"result":{}`
	case "roots/list":
		body = `"result":{"roots":[]}`
	case "elicitation/create":
		body = `"result":{"action":"decline"}`
	}
	if c.waiting != nil && m.Method != "ping" {
		c.waiting.refused = append(c.waiting.refused, m.Method)
	}
	c.send(`{"jsonrpc":"2.0","id":` + m.ID + `,` + body + `}`)
}

func isNumber(token string) bool { return token != "" && token[0] >= '0' && token[0] <= '9' }

// said is the message of a JSON-RPC error.
func said(raw string) string {
	return cmp.Or(reprise.Member(raw, "message").String(), raw)
}

// quote spells a text as JSON.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a string never fails
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// short is a text in one short line, to be part of a sentence.
func short(text string) string {
	const most = 80
	var b []rune
	for _, r := range text {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			r = ' '
		}
		if b = append(b, r); len(b) > most {
			return string(b[:most-1]) + "…"
		}
	}
	return string(b)
}
