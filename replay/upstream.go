package replay

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"reprise"
)

// Upstream is the real server, asked what the capture does not know. What it says is added to the capture.
type Upstream struct {
	// Dial starts the server, when the first question comes.
	Dial func() (io.ReadWriteCloser, error)
	// Update has a change made to the capture as it is kept, which others may have changed meanwhile, and keeps it.
	Update func(change func(*reprise.Capture)) error

	starting sync.Mutex // held while hands are shaken

	mu      sync.Mutex // of all below
	conn    io.ReadWriteCloser
	failed  error
	pending map[string]*passed
	asked   int
	reading sync.WaitGroup
	writing sync.Mutex
}

// passed is a request that the real server was asked.
type passed struct {
	id      string // the client's, raw
	request []byte
	token   string
	gone    bool // the client has cancelled it
	answer  func(line []byte)
	lines   [][]byte
	done    chan struct{}
}

// ErrStranger says that the command is another server than the recorded one: its answers do not belong into the capture.
var ErrStranger = errors.New("this is not the recorded server")

// ask asks the real server. answer is given every line that it sends because of that, with the client's id in it. It says
// whether nothing more has to be said to the client.
func (u *Upstream) ask(ctx context.Context, s *Server, request []byte, secrets map[string]string, answer func(line []byte)) (answered bool, err error) {
	if err := u.connect(ctx, s); err != nil {
		return false, err
	}
	m := reprise.ReadMessages(request)[0]
	p := &passed{id: m.ID, request: request, answer: answer, done: make(chan struct{}),
		token: reprise.Member(reprise.Member(m.Params, "_meta").Raw, "progressToken").Raw}
	if err := u.send(p); err != nil {
		return false, err
	}
	if err := p.wait(ctx); err != nil {
		return false, err
	}
	if p.gone {
		return true, nil
	}
	return true, u.add(p, secrets)
}

// cancel tells the real server that the client wants no answer any more, and gives it none.
func (u *Upstream) cancel(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for ours, p := range u.pending {
		if p.id == id {
			delete(u.pending, ours)
			p.gone = true
			close(p.done)
			go func() { // it may not read
				_ = u.write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + ours + `}}`))
			}()
			return
		}
	}
}

// wait waits until the server has answered.
func (p *passed) wait(ctx context.Context) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		return errors.New("the real server does not answer")
	}
	if len(p.lines) == 0 && !p.gone {
		return errGone
	}
	return nil
}

var errGone = errors.New("the real server has gone")

// connect starts the server and shakes hands as the recorded client did. Nothing is asked before that is done.
func (u *Upstream) connect(ctx context.Context, s *Server) error {
	u.starting.Lock()
	defer u.starting.Unlock()
	u.mu.Lock()
	if u.conn != nil || u.failed != nil {
		defer u.mu.Unlock()
		return u.failed
	}
	u.pending = map[string]*passed{}
	conn, err := u.Dial()
	if u.failed = err; err == nil {
		u.conn = conn
		u.reading.Go(u.read)
	}
	u.mu.Unlock()
	if err == nil {
		err = u.shake(ctx, s)
	}
	if err != nil {
		u.fail(err)
	}
	return err
}

// fail remembers why nothing more can be asked.
func (u *Upstream) fail(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failed == nil {
		u.failed = err
	}
}

// shake repeats the recorded handshake, and looks who answers.
func (u *Upstream) shake(ctx context.Context, s *Server) error {
	var hello *call
	for _, c := range s.tape.calls {
		if isHandshake(c.Method) && c.answer != "" {
			hello = c
		}
	}
	if hello == nil {
		return nil // of the new era, where every request says all
	}
	p := &passed{id: hello.ID, answer: func([]byte) {}, done: make(chan struct{})}
	p.request = requestOf(&reprise.Message{ID: hello.ID, Method: hello.Method, Params: hello.params})
	if err := u.send(p); err != nil {
		return err
	}
	if err := p.wait(ctx); err != nil {
		return fmt.Errorf("%s: %w", hello.Method, err)
	}
	answer := reprise.ReadMessages(p.lines[len(p.lines)-1])[0]
	then, now := serverName(hello.answer), serverName(answer.Result)
	if then != now {
		return fmt.Errorf("%w: the capture is of %q, this one calls itself %q", ErrStranger, then, now)
	}
	if hello.Method == "initialize" {
		return u.write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	}
	return nil
}

// serverName is what a server calls itself in the answer to a handshake.
func serverName(result string) string {
	info := reprise.Member(result, "serverInfo").Raw
	if info == "" {
		info = reprise.Member(reprise.Member(result, "_meta").Raw, reprise.MetaPrefix+"serverInfo").Raw
	}
	return reprise.Member(info, "name").Str
}

// send sends a request under an id of ours.
func (u *Upstream) send(p *passed) error {
	u.mu.Lock()
	u.asked++
	id := fmt.Sprintf(`"reprise-%d"`, u.asked)
	u.pending[id] = p
	u.mu.Unlock()
	m := reprise.ReadMessages(p.request)[0]
	return u.write(requestOf(&reprise.Message{ID: id, Method: m.Method, Params: m.Params}))
}

func (u *Upstream) write(line []byte) error {
	u.writing.Lock()
	defer u.writing.Unlock()
	if _, err := u.conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("ask the real server: %w", err)
	}
	return nil
}

// read hands on what the server says, until it goes.
func (u *Upstream) read() {
	in := bufio.NewReader(u.conn)
	for {
		line, err := readLine(in)
		for _, m := range reprise.ReadMessages(line) {
			u.heard(line, &m)
		}
		if err != nil {
			break
		}
	}
	u.fail(errGone)
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, p := range u.pending {
		delete(u.pending, id)
		p.lines = nil
		close(p.done)
	}
}

func (u *Upstream) heard(line []byte, m *reprise.Message) {
	switch m.Kind {
	case reprise.KindResponse:
		u.mu.Lock()
		p := u.pending[m.ID]
		delete(u.pending, m.ID)
		u.mu.Unlock()
		if p == nil {
			return
		}
		from, to, _ := reprise.Place(line, m.ID)
		p.take(append(append(append([]byte(nil), line[:from]...), p.id...), line[to:]...))
		close(p.done)
	case reprise.KindNotification:
		if p := u.of(m); p != nil {
			p.take(append([]byte(nil), line...))
		}
	case reprise.KindRequest:
		u.refuse(m)
	}
}

// refuse answers a question of the real server's: it is not put to the client.
func (u *Upstream) refuse(m *reprise.Message) {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...)
	if m.Method == "ping" {
		_ = u.write(append(b, `,"result":{}}`...))
		return
	}
	_ = u.write(fmt.Appendf(b, `,"error":{"code":%d,"message":"reprise: questions are not passed through"}}`, codeMiss))
}

// of is the request that a notification belongs to: by its token, else the only one there is.
func (u *Upstream) of(m *reprise.Message) *passed {
	u.mu.Lock()
	defer u.mu.Unlock()
	token := reprise.Member(m.Params, "progressToken").Raw
	for _, p := range u.pending {
		if token != "" && p.token == token || token == "" && len(u.pending) == 1 {
			return p
		}
	}
	return nil
}

func (p *passed) take(line []byte) {
	p.lines = append(p.lines, line)
	p.answer(append(append([]byte(nil), line...), '\n'))
}

// add adds a request and what came of it to the capture, under an id that nothing else in it has.
func (u *Upstream) add(p *passed, secrets map[string]string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if errors.Is(u.failed, ErrStranger) {
		return u.failed
	}
	return u.Update(func(c *reprise.Capture) {
		seq, at := last(c)
		m := masker{secrets: secrets}
		if c.Header.Redaction != "" {
			m.learn(c)
		}
		id := fmt.Sprintf(`"reprise-%d"`, seq+1)
		add := func(line []byte, d reprise.Direction) {
			seq, at = seq+1, at+time.Millisecond
			insert(c, m.mask(withID(line, p.id, id)), d, seq, at)
		}
		add(p.request, reprise.ClientToServer)
		for _, line := range p.lines {
			add(line, reprise.ServerToClient)
		}
	})
}

// withID gives a line with another id, if it has that of the request.
func withID(line []byte, old, id string) []byte {
	m := reprise.ReadMessages(line)[0]
	from, to, ok := reprise.Place(line, m.ID)
	if !ok || m.ID != old {
		return line
	}
	return slices.Concat(line[:from], []byte(id), line[to:])
}

// masker leaves out secrets as the rest of a redacted capture does.
type masker struct {
	secrets map[string]string // by placeholder
	redact  *reprise.Redactor // nil where the capture is not redacted
}

func (m *masker) learn(c *reprise.Capture) {
	m.redact = &reprise.Redactor{}
	for f := range c.Frames() {
		m.redact.Learn(f.Data)
	}
}

// mask puts placeholders for what they stand for, the longest first, and new ones for new secrets.
func (m *masker) mask(line []byte) []byte {
	if m.redact == nil {
		return line
	}
	names := slices.SortedFunc(maps.Keys(m.secrets), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(m.secrets[b]), len(m.secrets[a])), cmp.Compare(a, b))
	})
	text := string(reprise.Canonical(string(line))) // one spelling of every character
	for _, name := range names {
		value := m.secrets[name]
		if len(value) < shortestSecret {
			continue
		}
		escaped := string(reprise.Canonical(string(reprise.Quote(value))))
		escaped = escaped[1 : len(escaped)-1]
		twice := string(reprise.Canonical(string(reprise.Quote(escaped)))) // JSON in a string
		for _, spelt := range []string{twice[1 : len(twice)-1], escaped} {
			text = strings.ReplaceAll(text, spelt, name+reprise.PlaceholderEnd)
		}
	}
	if text == string(reprise.Canonical(string(line))) {
		text = string(line)
	}
	return m.redact.Mask([]byte(text))
}

// shortestSecret is how long a value is that is masked wherever it occurs: shorter ones are everywhere.
const shortestSecret = 4

// last is the place behind which frames are added.
func last(c *reprise.Capture) (seq int64, at time.Duration) {
	for f := range c.Frames() {
		seq, at = max(seq, f.Seq), max(at, f.At)
	}
	return seq, at
}

// insert adds a frame behind all others, before the end.
func insert(c *reprise.Capture, data []byte, d reprise.Direction, seq int64, at time.Duration) {
	item := reprise.CaptureItem{Frame: &reprise.Frame{Seq: seq, At: at, Direction: d, Data: data, EOL: "\n", Size: int64(len(data))}}
	i := len(c.Items)
	for i > 0 && c.Items[i-1].Frame == nil && c.Items[i-1].Log == nil {
		i--
	}
	c.Items = slices.Insert(c.Items, i, item)
}

// Close ends the server. What it was asked and has not answered fails.
func (u *Upstream) Close() error {
	u.mu.Lock()
	conn := u.conn
	u.mu.Unlock()
	if conn == nil {
		return nil
	}
	err := conn.Close()
	u.reading.Wait()
	return err
}
