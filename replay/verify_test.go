package replay

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reprise"
	"reprise/fixtures/tracker"
)

// tour records a whole session with a tracker.
func tour(t *testing.T, version string, o tracker.Options) *reprise.Capture {
	t.Helper()
	return recorded(t, o, func(transport mcp.Transport) error { return tracker.Tour(t.Context(), transport, version) })
}

// recorded records what a client does with a tracker.
func recorded(t *testing.T, o tracker.Options, visit func(mcp.Transport) error) *reprise.Capture {
	t.Helper()
	c := newCapture()
	client, toClient := net.Pipe()
	toServer := serve(t, o)
	done := make(chan struct{}, 2)
	pass := func(d reprise.Direction, from io.Reader, to io.WriteCloser) {
		in := bufio.NewReader(from)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				break
			}
			c.add(d, strings.TrimSuffix(string(line), "\n"))
			if _, err := to.Write(line); err != nil {
				break
			}
		}
		to.Close()
		done <- struct{}{}
	}
	go pass(reprise.ClientToServer, toClient, toServer)
	go pass(reprise.ServerToClient, toServer, toClient)
	if err := visit(&mcp.IOTransport{Reader: client, Writer: client}); err != nil {
		t.Fatal(err)
	}
	client.Close()
	<-done
	<-done
	return c.end(reprise.EndedByClient)
}

// serve gives the client's end of a connection to a new tracker.
func serve(t *testing.T, o tracker.Options) net.Conn { return connect(t, tracker.New(o)) }

func connect(t *testing.T, s *mcp.Server) net.Conn {
	t.Helper()
	ours, its := net.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Run(ctx, &mcp.IOTransport{Reader: its, Writer: its})
		its.Close()
	}()
	t.Cleanup(func() {
		ours.Close()
		stop()
		<-done
	})
	return ours
}

// taping collects frames from several goroutines.
type taping struct {
	lock chan struct{}
	c    *reprise.Capture
}

func newCapture() *taping {
	c := &reprise.Capture{Header: &reprise.CaptureHeader{Session: reprise.Session{ID: "01a22d37-524b-7321-a9e1-834bf10bd1e8",
		Server: "made", Transport: "stdio", Complete: true}}}
	return &taping{make(chan struct{}, 1), c}
}

func (c *taping) add(d reprise.Direction, text string) {
	c.lock <- struct{}{}
	n := int64(len(c.c.Items) + 1)
	c.c.Items = append(c.c.Items, reprise.CaptureItem{Frame: &reprise.Frame{Seq: n, At: time.Duration(n) * time.Millisecond,
		Direction: d, Data: []byte(text), EOL: "\n", Size: int64(len(text))}})
	<-c.lock
}

func (c *taping) end(how reprise.Ending) *reprise.Capture {
	c.lock <- struct{}{}
	defer func() { <-c.lock }()
	c.c.Items = append(c.c.Items, reprise.CaptureItem{End: &reprise.CaptureEnd{Ended: true, At: time.Minute, Ending: how}})
	return c.c
}

// quick are options for tests: short waits.
func quick() VerifyOptions {
	return VerifyOptions{Timeout: 10 * time.Second, Settle: 200 * time.Millisecond}
}

func verify(t *testing.T, c *reprise.Capture, conn io.ReadWriteCloser, o VerifyOptions) *Verification {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	v, err := Verify(ctx, c, conn, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// table writes a verification as a few lines, for messages and for comparing.
func table(v *Verification) string {
	var b strings.Builder
	for _, c := range v.Calls {
		what := string(c.Class)
		if c.Skip != "" {
			what = "skipped " + string(c.Skip)
		}
		fmt.Fprintf(&b, "%d %s %s: %s", c.Seq, c.Method, c.Name, what)
		if c.Reason != "" {
			fmt.Fprintf(&b, " (%s)", c.Reason)
		}
		for _, d := range c.Changed {
			fmt.Fprintf(&b, "\n    %s: %.200s -> %.200s", d.Path, d.Recorded, d.Live)
		}
		b.WriteByte('\n')
	}
	if v.Ended != "" {
		fmt.Fprintf(&b, "ended: %s\n", v.Ended)
	}
	return b.String()
}

var eras = []string{tracker.Legacy, tracker.Modern}

func always(now string) tracker.Options {
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		panic(err) // the argument is constant
	}
	return tracker.Options{Now: func() time.Time { return at }}
}

func TestHealthyServerIsEqual(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			o := quick()
			o.AllowWrites = true
			v := verify(t, tour(t, version, always("2026-05-01T10:00:00Z")), serve(t, always("2026-05-01T10:00:00Z")), o)
			if got := v.Total(); got.Failed() || got.Skipped > 0 || got.Volatile > 1 || got.Equal < 25 { // a late answer is a race
				t.Errorf("%+v\n%s", got, table(v))
			}
			if v.Now.Peer.Name != "tracker" || v.Then.Peer != v.Now.Peer {
				t.Errorf("then %+v, now %+v", v.Then.Peer, v.Now.Peer)
			}
		})
	}
}

func TestTimesAreChangedUntilIgnored(t *testing.T) {
	c := tour(t, tracker.Legacy, always("2026-05-01T10:00:00Z"))
	o := quick()
	o.AllowWrites = true
	v := verify(t, c, serve(t, always("2026-06-02T11:00:00Z")), o)
	if got := changed(v); got != "create_issue assign_issue assign_issue" {
		t.Errorf("changed: %s\n%s", got, table(v))
	}
	o.Ignore = &reprise.Ignore{}
	for _, rule := range []string{"**.createdAt", "**.updatedAt"} {
		r, err := reprise.ParseIgnore(rule)
		if err != nil {
			t.Fatal(err)
		}
		o.Ignore.Add(r)
	}
	v = verify(t, c, serve(t, always("2026-06-02T11:00:00Z")), o)
	if v.Total().Failed() {
		t.Errorf("in spite of rules:\n%s", table(v))
	}
}

// changed names the tools or methods whose calls are not as they were.
func changed(v *Verification) string {
	var names []string
	for _, c := range v.Calls {
		if c.Skip == "" && c.Class != reprise.ClassEqual && c.Class != reprise.ClassVolatile {
			names = append(names, cmp.Or(c.Name, c.Method))
		}
	}
	return strings.Join(names, " ")
}

func TestDefectIsReportedAlone(t *testing.T) {
	for _, version := range eras {
		c := recordCalls(t, version, `list_issues {"limit":10}`, `get_issue {"issueId":"ISS-3"}`, `get_issue {"issueId":"ISS-4"}`)
		defective := always("2026-05-01T10:00:00Z")
		defective.Defect = true
		v := verify(t, c, serve(t, defective), quick())
		if got := v.Total(); got.Changed != 1 || got.Missing+got.Extra+got.Skipped > 0 {
			t.Errorf("%s: %+v\n%s", version, got, table(v))
		}
		for _, call := range v.Calls {
			if call.Class != reprise.ClassChanged {
				continue
			}
			if call.Text != "get_issue({ issueId: 'ISS-3' })" || !strings.Contains(call.Recorded.Response, "Crash when") ||
				!strings.Contains(call.Live.Response, `no issue \"ISS-3\"`) || !strings.Contains(call.Live.Request, "ISS-3") {
				t.Errorf("%s: evidence: %+v", version, call)
			}
		}
	}
}

// recordCalls records a session with a tracker: a tool and its arguments in each call.
func recordCalls(t *testing.T, version string, calls ...string) *reprise.Capture {
	t.Helper()
	return recorded(t, always("2026-05-01T10:00:00Z"), func(transport mcp.Transport) error {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			return err
		}
		for _, call := range calls {
			name, arguments, _ := strings.Cut(call, " ")
			if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)}); err != nil {
				return err
			}
		}
		return session.Close()
	})
}

// TestOtherIdentifiers verifies against a tracker that has made issues before. The id that the capture uses later is
// bound wherever it stands; those that it never uses are reported.
func TestOtherIdentifiers(t *testing.T) {
	for _, version := range eras {
		s := tracker.New(always("2026-05-01T10:00:00Z"))
		before := connect(t, s)
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: before, Writer: before}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_issue",
				Arguments: json.RawMessage(`{"project":"APP","title":"older"}`)}); err != nil {
				t.Fatal(err)
			}
		}
		session.Close()
		o := quick()
		o.AllowWrites = true
		v := verify(t, tour(t, version, always("2026-05-01T10:00:00Z")), connect(t, s), o)
		if got := changed(v); got != "import_issues" {
			t.Errorf("%s: changed: %s\n%s", version, got, table(v))
		}
		for _, c := range v.Calls {
			if c.Name == "delete_issue" && !strings.Contains(c.Live.Request, `"ISS-12"`) {
				t.Errorf("%s: deleted with %s", version, c.Live.Request)
			}
		}
	}
}

func TestNothingIsWrittenUnasked(t *testing.T) {
	for _, version := range eras {
		c := tour(t, version, always("2026-05-01T10:00:00Z"))
		v := verify(t, c, serve(t, always("2026-05-01T10:00:00Z")), quick())
		var skipped []string
		for _, call := range v.Calls {
			if call.Skip != "" {
				skipped = append(skipped, cmp.Or(call.Name, call.Method)+":"+string(call.Skip))
			}
		}
		slices.Sort(skipped)
		want := "assign_issue:unknown close_issue:unlisted create_issue:unknown delete_issue:destructive get_issue:depends " +
			"get_user:unknown import_issues:unknown search_issues:unknown summarize_issue:depends"
		got := strings.Join(slices.DeleteFunc(slices.Compact(skipped), func(s string) bool {
			return strings.HasPrefix(s, "elicitation") || strings.HasPrefix(s, "sampling")
		}), " ")
		if got != want || v.Total().Failed() {
			t.Errorf("%s: skipped\n%s\nwant\n%s\n%s", version, got, want, table(v))
		}
		o := quick()
		o.AllowTools = []string{"get_*"}
		v = verify(t, c, serve(t, always("2026-05-01T10:00:00Z")), o)
		if strings.Contains(table(v), "get_user: skipped") || !strings.Contains(table(v), "search_issues: skipped") {
			t.Errorf("%s: with get_* allowed:\n%s", version, table(v))
		}
	}
}
