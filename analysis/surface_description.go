package analysis

import (
	"fmt"

	"reprise"

	"github.com/tidwall/gjson"
)

var longDescription = &Analyzer{
	Name: "long-description",
	Doc: "A tool's description, or the server's instructions, is longer than 2,048 characters, counted in UTF-16 units: Claude Code cuts both there, " +
		"and tells nobody. It is said of every session, for a server meets all hosts. Source: https://code.claude.com/docs/en/mcp; anthropics/claude-code#81268, #87650.",
	Severity: Medium,
	Sphere:   OfListing,
	Run: func(p *Pass) {
		p.Calls(func(e *Exchange) {
			if e.OfClient() && (e.Method == "initialize" || e.Method == "server/discover") {
				instructions := reprise.Member(e.Result, "instructions")
				if n := lengthOf(instructions); n > shownDescription {
					p.Report(cutInstructions(n, e.Response))
				}
			}
		})
		p.eachTool(func(t *Tool) {
			if n := lengthOf(reprise.Member(t.JSON, "description")); n > shownDescription && forModel(t) {
				p.Report(cutDescription(t, n))
			}
		})
	},
}

// eachTool goes through the tools, as they were listed last, at the session's end: what is said of a listing is said once, whatever the
// server lists on the way. The last tool of a list that is too long to be read may be half a tool: it is left out.
func (p *Pass) eachTool(f func(*Tool)) {
	p.End(func() {
		for _, t := range p.Tools.All() {
			if gjson.Valid(t.JSON) {
				f(t)
			}
		}
	})
}

// forModel says whether a tool is one that models see: an app may have some to itself (SEP-1865, MCP Apps).
func forModel(t *Tool) bool {
	visibility := reprise.Member(reprise.Member(reprise.Member(t.JSON, "_meta").Raw, "ui").Raw, "visibility")
	if !visibility.IsArray() {
		return true
	}
	seen := false
	visibility.ForEach(func(_, who gjson.Result) bool {
		seen = seen || who.Str == "model"
		return !seen
	})
	return seen
}

// lengthOf is the length of a string, in UTF-16 units; 0 where it is short enough, or none.
func lengthOf(v gjson.Result) int {
	if v.Type != gjson.String || len(v.Raw) <= shownDescription { // what it stands for is never longer
		return 0
	}
	return utf16Length(v.Str)
}

func cutDescription(t *Tool, n int) Finding {
	return Finding{
		Tool:        t.Name,
		What:        fmt.Sprintf("The description is %s characters long, and Claude Code shows the first %s.", thousands(n), thousands(shownDescription)),
		Consequence: "The agent chooses and calls the tool without what stands behind them, and nobody is told.",
		Suggestion:  "Put what an agent must know first, and move the rest into the descriptions of parameters, or into a resource.",
		Evidence:    []int64{t.Seq},
	}
}

func cutInstructions(n int, seq int64) Finding {
	return Finding{
		Place:       "instructions",
		What:        fmt.Sprintf("The server's instructions are %s characters long, and Claude Code shows the first %s.", thousands(n), thousands(shownDescription)),
		Consequence: "The agent works without what stands behind them, and nobody is told.",
		Suggestion:  "Say first what the server is for and when to look for its tools, and move the rest into descriptions, or into a resource.",
		Evidence:    []int64{seq},
	}
}
