package replay

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reprise"
	"reprise/fixtures"
	"reprise/fixtures/shop"
	"reprise/fixtures/tracker"
)

// plan reads a captured session of a real host.
func plan(t *testing.T, name string) *reprise.Capture {
	t.Helper()
	lines, err := fixtures.Capture(name)
	if err != nil {
		t.Fatal(err)
	}
	c := newCapture()
	for _, line := range lines {
		switch line.Dir {
		case "c2s":
			c.add(reprise.ClientToServer, line.Raw)
		case "s2c":
			c.add(reprise.ServerToClient, line.Raw)
		}
	}
	return c.end(reprise.EndedByClient)
}

// TestRealHosts verifies what real hosts did with the tracker and the shop: everything, and what only reads. The descriptions in the
// captures are cut short, and the servers have learned something since.
func TestRealHosts(t *testing.T) {
	ignore := &reprise.Ignore{}
	for _, text := range []string{"**.description", "capabilities", "result.**.description"} {
		rule, err := reprise.ParseIgnore(text)
		if err != nil {
			t.Fatal(err)
		}
		ignore.Add(rule)
	}
	seen := 0
	for _, name := range fixtures.Names() {
		var server func() *mcp.Server
		switch {
		case strings.HasPrefix(name, "plans/") && strings.Contains(name, "-tracker"):
			server = func() *mcp.Server { return tracker.New(always("2026-11-30T10:00:00Z")) }
		case strings.HasPrefix(name, "plans/") && strings.Contains(name, "-shop"):
			server = shop.New
		default:
			continue
		}
		seen++
		for _, all := range []bool{true, false} {
			o := quick()
			o.AllowWrites, o.Ignore = all, ignore
			v := verify(t, plan(t, name), connect(t, server()), o)
			if got := v.Total(); got.Failed() || all && got.Skipped > 0 {
				t.Errorf("%s, writes: %v: %+v\n%s", name, all, got, table(v))
			}
		}
	}
	if seen < 7 {
		t.Errorf("only %d captures", seen)
	}
}
