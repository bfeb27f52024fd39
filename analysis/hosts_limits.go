package analysis

import (
	"cmp"
	"slices"
	"strings"

	"reprise"
)

// hostLimit is how much of a tool's result a host shows to its model by default.
type hostLimit struct {
	label string
	names []string // its clientInfo.name, and its name in configs
	// size is the longest text that is shown whole, in UTF-16 units; in bytes where it says so.
	size    int
	inBytes bool
	// raises says that a tool's _meta["anthropic/maxResultSizeChars"] counts.
	raises bool
	// alone says that it holds for a result of a single text only; of others the general limit does.
	alone bool
	// does is what became of a longer text, for the agent.
	does string
	// source is where the limit is documented, or was seen.
	source string
}

// hostLimits are the limits that are known. Where they differ from model to model, the largest stands here. People can raise most of them.
func hostLimits() []hostLimit {
	return []hostLimit{
		{
			label: "Claude Code", names: []string{"claude-code"}, size: 50_000, raises: true, alone: true,
			does:   "The agent saw a preview of about 2 KB and the path of a file, and had to search that with other tools, if it has any.",
			source: "https://code.claude.com/docs/en/mcp (October 2026); anthropics/claude-agent-sdk-python#756; the preview was seen with 2.1.197",
		},
		{
			// Its models' default of 10,000 tokens, counted as four bytes each; older ones take 10 KiB, and about 12 KB were seen.
			label: "Codex", names: []string{"codex-mcp-client", "codex", "codex-cli"}, size: 40_000, inBytes: true,
			does:   "The agent saw the beginning and the end, and lost what stood between them.",
			source: "openai/codex#6544, #14466; about 12 KB were seen with 0.171.0",
		},
		{
			label: "Gemini CLI", names: []string{"gemini-cli-mcp-client", "gemini-cli", "gemini"}, size: 40_000, alone: true,
			does:   "The agent saw the beginning and the end, and has to read a file for what stood between them.",
			source: "google-gemini/gemini-cli#18446, #22880 (tools.truncateToolOutputThreshold)",
		},
		{
			label: "opencode", names: []string{"opencode", "open-code"}, size: 50 << 10, inBytes: true,
			does:   "The agent saw the beginning, and has to read a file for the rest.",
			source: "anomalyco/opencode#23770 (tool_output.max_bytes)",
		},
	}
}

// generalLimit is of hosts that document none: the highest default that one of them does document, 25,000 tokens of four bytes.
func generalLimit() hostLimit {
	return hostLimit{
		label: "hosts", size: 100_000, inBytes: true, raises: true,
		does:   "Hosts cut a result of this size, put it into a file or refuse it, and where one does not, it fills the agent's context.",
		source: "https://code.claude.com/docs/en/mcp (MAX_MCP_OUTPUT_TOKENS)",
	}
}

// smallestLimit is a size that no host cuts, in bytes.
const smallestLimit = 40_000

// limitOf is the limit of a session's host: as it calls itself, else as it is configured.
func limitOf(s *reprise.Session) hostLimit {
	name, _, _ := strings.Cut(cmp.Or(s.Client.Name, s.Host), " (") // claude-code (via mcp-remote 0.1)
	for _, l := range hostLimits() {
		if slices.Contains(l.names, name) {
			return l
		}
	}
	return generalLimit()
}

const (
	// shownDescription is how much of a tool's description, and of a server's instructions, Claude Code shows, in UTF-16 units
	// (https://code.claude.com/docs/en/mcp; anthropics/claude-code#81268, #87650). No other host is known to cut at less.
	shownDescription = 2048
	// raisedMost is the most that a tool can raise the limit on its results to (https://code.claude.com/docs/en/mcp).
	raisedMost = 500_000
)

// utf16Length is the length of a text as JavaScript counts it.
func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}
