package replay

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// toolbox is what the live server declares of its tools. What the capture's server declared does not count.
type toolbox struct {
	tools   map[string]reprise.ToolSafety
	known   bool      // tools are all that the server has
	failed  string    // why they can't be known
	asking  *exchange // Verify's own question
	walks   int       // how often Verify has asked in a row
	changes int       // how often the server said that they have changed
}

// walk is one list of tools on its way from page to page.
type walk struct {
	tools   map[string]reprise.ToolSafety
	changes int // toolbox.changes when it began
	pages   int
}

// Bounds for a server whose cursors go round in circles, and for one whose tools change whenever they are listed.
const (
	maxToolPages = 1000
	maxWalks     = 5
)

// knownMethods are the client's requests that change nothing a test may not change (protocol.md §2.1). What they may do to a task,
// and tools/call, are looked at closer. The protocol knows no others: what those do is anybody's guess.
var knownMethods = []string{"initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list",
	"resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get",
	"completion/complete", "logging/setLevel", listen, "tasks/list", "tasks/get", "tasks/result", "tasks/cancel", "tasks/update"}

// forbids says why a request may not be sent; "" when it may.
func (v *verifier) forbids(o *exchange) (Skip, string) {
	switch method := o.rec.Method; {
	case v.AllowWrites:
	case reprise.ReadMessages([]byte(o.text))[0].Flags&(reprise.FlagDuplicate|reprise.FlagCase) != 0:
		return SkipUnknown, "the request may be read in two ways: a member of it stands twice, or in another case"
	case !slices.Contains(knownMethods, method):
		return SkipMethod, "the protocol does not know the method: it may do anything"
	case method == "tasks/cancel" || method == "tasks/update":
		if o.after == nil {
			return SkipTask, "the task is not of this run"
		}
	case method == "tools/call" && reprise.Member(o.params, "name").Type != gjson.String:
		return SkipUnknown, "the call names no tool"
	case method == "tools/call":
		return v.forbidsTool(o.rec.Name)
	}
	return "", ""
}

func (v *verifier) forbidsTool(name string) (Skip, string) {
	if v.allows(name) {
		return "", ""
	}
	safety, listed := v.tools.tools[name]
	switch {
	case !v.tools.known:
		return SkipUnlisted, v.tools.failed
	case !listed:
		return SkipUnlisted, "the server does not list the tool"
	case safety.Safety == reprise.SafetyReadOnly:
		return "", ""
	case safety.Safety == reprise.SafetyDestructive:
		return SkipDestructive, safety.Reason
	}
	return SkipUnknown, safety.Reason
}

func (v *verifier) allows(tool string) bool {
	return slices.ContainsFunc(v.AllowTools, func(name string) bool { return reprise.Pattern{Text: name, Wild: true}.Match(tool) })
}

// needsTools says whether a frame has to wait until the server has listed its tools, and asks it to.
func (v *verifier) needsTools(l *spoken) bool {
	calls := slices.IndexFunc(l.parts, func(p part) bool {
		return p.op != nil && p.op.rec.Method == "tools/call" && !v.allows(p.op.rec.Name)
	})
	if calls < 0 || v.AllowWrites || v.tools.known || v.tools.failed != "" {
		return false
	}
	if v.tools.asking == nil && v.tools.walks == maxWalks {
		v.tools.failed = "the server's tools change as often as they are listed"
		return false
	}
	if v.tools.asking == nil {
		v.tools.walks++
		v.askTools(firstPage(l.parts[calls].op.params), &walk{tools: map[string]reprise.ToolSafety{}, changes: v.tools.changes})
	}
	deadline := v.tools.asking.sentAt + v.Timeout
	if v.now() < deadline {
		v.wakeAt(deadline)
		return true
	}
	v.tools.asking, v.tools.failed = nil, "the server did not list its tools within "+v.Timeout.String()
	return false
}

// firstPage is a request for tools, with the recorded client's _meta in the era that has the protocol's version in it.
func firstPage(params string) []byte {
	meta := reprise.Member(params, "_meta").Raw
	if !reprise.Member(meta, reprise.MetaPrefix+"protocolVersion").Exists() {
		meta = "{}"
	}
	e := &edits{data: []byte(`{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{"_meta":` + meta + `}}`)}
	params = reprise.ReadMessages(e.data)[0].Params
	if meta == "{}" {
		e.remove(params, "_meta")
	} else {
		e.remove(reprise.Member(params, "_meta").Raw, "progressToken")
	}
	return e.bytes()
}

// nextPage is the request for the page behind a cursor.
func nextPage(request, cursor string) []byte {
	e := &edits{data: []byte(request)}
	params := reprise.ReadMessages(e.data)[0].Params
	if old := reprise.Member(params, "cursor"); old.Exists() {
		e.replace(old.Raw, cursor)
	} else {
		e.insert(params, "cursor", cursor)
	}
	return e.bytes()
}

func (v *verifier) askTools(request []byte, w *walk) {
	e := &edits{data: request}
	e.replace(reprise.ReadMessages(request)[0].ID, v.newID())
	text := e.bytes()
	v.tools.asking = &exchange{rec: &reprise.Call{Method: "tools/list"}, own: true, walk: w}
	v.mark(v.tools.asking, string(text))
	v.send(text)
}

// listed takes a page of the live server's tools, whoever has asked for it. odd says that the response may be read in two ways.
func (v *verifier) listed(o *exchange, odd bool) {
	cursor := reprise.Member(o.got, "nextCursor")
	tools := reprise.Member(o.got, "tools")
	w := v.walkOf(o)
	doubtful := odd || readsTwice(o.got, "tools", "nextCursor")
	switch {
	case o.own && doubtful:
		v.tools.asking, v.tools.failed = nil, "the server's list of tools may be read in two ways"
		return
	case o.own && (o.got == "" || !tools.IsArray()):
		v.tools.asking, v.tools.failed = nil, "the server does not list its tools"
		return
	case w == nil || doubtful || !tools.IsArray():
		return
	}
	w.add(tools)
	o.walk, w.pages = w, w.pages+1
	switch last := !cursor.Exists() || cursor.Type == gjson.Null; {
	case last && w.changes == v.tools.changes:
		v.tools = toolbox{tools: w.tools, known: true, changes: w.changes}
	case last && o.own:
		v.tools.asking = nil // they have changed meanwhile: once more
	case o.own && w.pages >= maxToolPages:
		v.tools.asking, v.tools.failed = nil, "the server's list of tools has no end"
	case o.own:
		v.askTools(nextPage(o.sentText, cursor.Raw), w)
	}
}

// walkOf is the list that a page belongs to; nil when its beginning is not known.
func (v *verifier) walkOf(o *exchange) *walk {
	switch {
	case o.own:
		return o.walk
	case o.page != nil:
		return o.page.walk
	case reprise.Member(o.params, "cursor").Exists():
		return nil
	}
	return &walk{tools: map[string]reprise.ToolSafety{}, changes: o.changes}
}

// add judges the tools of a page. Of several with one name the least harmless counts; one with several names, which
// SafetyOf takes for unknown, has all of them; one without a name is none.
func (w *walk) add(tools gjson.Result) {
	tools.ForEach(func(_, tool gjson.Result) bool {
		safety := reprise.SafetyOf(tool.Raw)
		for _, name := range toolNames(tool) {
			if old, twice := w.tools[name]; !twice || old.Safety == reprise.SafetyReadOnly {
				w.tools[strings.Clone(name)] = safety
			}
		}
		return true
	})
}

// toolNames are the names that a server, or a client, may read out of a tool.
func toolNames(tool gjson.Result) (names []string) {
	if tool.IsObject() {
		tool.ForEach(func(k, v gjson.Result) bool {
			if strings.EqualFold(k.Str, "name") && v.Type == gjson.String {
				names = append(names, v.Str)
			}
			return true
		})
	}
	return names
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
		return true
	})
	return twice
}

// changed says that what is known of the tools is known no more.
func (b *toolbox) changed() {
	b.changes++
	b.known, b.failed = false, ""
}
