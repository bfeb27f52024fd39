package live

import (
	"context"
	"strings"

	"reprise"
	"reprise/analysis"

	"github.com/tidwall/gjson"
)

// toolbox is what a server lists.
type toolbox struct {
	tools   []*analysis.Tool // in the list's order
	byName  map[string]*analysis.Tool
	safety  map[string]reprise.ToolSafety // of every name that a tool could be read to have
	failed  string                        // why nothing is known of them
	changes int                           // Client.changes when it was asked for
}

// Bounds for a server whose pages have no end, and for one whose tools change whenever they are listed.
const (
	maxToolPages = 1000
	maxWalks     = 5
	maxTimeouts  = 5 // that all pages together may take
)

// safetyOf judges a tool by its name; one that is not listed, or of which nothing is known, is unknown.
func (b *toolbox) safetyOf(name string) reprise.ToolSafety {
	if b.failed != "" {
		unknown := reprise.SafetyOf("")
		unknown.Reason = b.failed
		return unknown
	}
	if safety, ok := b.safety[name]; ok {
		return safety
	}
	return reprise.SafetyOf("")
}

// list gives the server's tools. They are asked for again when the server has said that they changed. The error is trouble.
func (c *Client) list(ctx context.Context) (*toolbox, string) {
	for walks := 0; c.tools == nil || c.tools.changes != c.changes; walks++ {
		if walks == maxWalks {
			return &toolbox{failed: "its server's tools change as often as they are listed"}, ""
		}
		tools, trouble := c.walk(ctx)
		if trouble != "" {
			return nil, trouble
		}
		c.tools = tools
	}
	return c.tools, ""
}

// walk reads all pages of tools/list. What can't be read to its end, or may be read in two ways, is not known at all: the
// next page could say of a tool that it destroys.
func (c *Client) walk(ctx context.Context) (*toolbox, string) {
	b := &toolbox{byName: map[string]*analysis.Tool{}, safety: map[string]reprise.ToolSafety{}, changes: c.changes}
	failed := func(why string) (*toolbox, string) { return &toolbox{failed: why, changes: b.changes}, "" }
	seen, cursor, begin := map[string]bool{}, "", c.Now()
	for n := 0; n < maxToolPages && c.Now().Sub(begin) <= maxTimeouts*c.Timeout; n++ {
		a, _ := c.ask(ctx, "tools/list", c.params(cursor))
		tools, next := reprise.Member(a.Result, "tools"), reprise.Member(a.Result, "nextCursor")
		switch {
		case a.Trouble != "":
			return nil, a.Trouble
		case !tools.IsArray():
			return failed("its server does not list its tools")
		case readsTwice(a.Response, "result", "error", "id") || readsTwice(a.Result, "tools", "nextCursor"):
			return failed("its server's list of tools may be read in two ways")
		}
		b.add(tools)
		if !next.Exists() || next.Type == gjson.Null {
			return b, ""
		}
		if next.Type != gjson.String || seen[next.Raw] {
			return failed("its server's list of tools goes round in circles")
		}
		seen[next.Raw] = true
		cursor = `"cursor":` + next.Raw
	}
	return failed("its server's list of tools has no end")
}

// add takes the tools of a page. Of several with one name the least harmless counts, and one with several names has all of them.
func (b *toolbox) add(tools gjson.Result) {
	tools.ForEach(func(_, item gjson.Result) bool {
		if !item.IsObject() {
			return true
		}
		t := analysis.ReadTool(item.Raw)
		item.ForEach(func(k, v gjson.Result) bool {
			if strings.EqualFold(k.Str, "name") && v.Type == gjson.String {
				if old, twice := b.safety[v.Str]; !twice || old.Safety == reprise.SafetyReadOnly {
					b.safety[v.Str] = t.ToolSafety
				}
			}
			return true
		})
		if t.Name != "" && b.byName[t.Name] == nil {
			b.byName[t.Name] = t
			b.tools = append(b.tools, t)
		}
		return true
	})
}

// readsTwice says whether one of these members stands twice in an object, or in another case too: parsers take one or the other.
func readsTwice(object string, members ...string) (twice bool) {
	o := gjson.Parse(object)
	if !o.IsObject() {
		return false
	}
	seen := map[string]bool{}
	o.ForEach(func(k, _ gjson.Result) bool {
		for _, name := range members {
			if strings.EqualFold(k.Str, name) {
				twice = twice || k.Str != name || seen[name]
				seen[name] = true
			}
		}
		return !twice
	})
	return twice
}

// needsTask says whether a tool can only be called as a task, which this client can't do.
func needsTask(t *analysis.Tool) bool {
	return t != nil && reprise.Member(reprise.Member(t.JSON, "execution").Raw, "taskSupport").String() == "required"
}
