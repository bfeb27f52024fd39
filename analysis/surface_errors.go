package analysis

import (
	"fmt"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

var protocolErrorForToolError = &Analyzer{
	Name: "protocol-error-for-tool-error",
	Doc: "A call of a listed tool was answered with the JSON-RPC error -32602 for its arguments, in a session of protocol 2025-11-25 or later. There a server " +
		"returns what is wrong with arguments as a result with isError: true, so that the model reads it and corrects itself. Unknown tools and " +
		"malformed requests are protocol errors still, and an error that does not speak of the arguments is left alone. " +
		"Source: SEP-1303 (modelcontextprotocol#1303); the specification of 2025-11-25, tools, error handling.",
	Severity: Medium,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		p.Calls(func(e *Exchange) {
			if e.Status != reprise.StatusError || e.Code == nil || *e.Code != invalidParams || !e.OfClient() || e.Tool() == "" {
				return
			}
			if e.Listing != nil && since(p.Session, "2025-11-25") && wellFormed(e) && aboutArguments(e) {
				p.Report(Finding{
					Tool:        e.Name,
					What:        fmt.Sprintf("Wrong arguments were answered with the protocol error -32602: %s.", quote(errorMessage(e))),
					Consequence: "Many hosts show their model no more than that the call failed, so that it cannot put the arguments right.",
					Suggestion:  "Answer with a result that has isError: true and a text that says which argument is wrong, and what would be right.",
					Evidence:    []int64{e.Seq, e.Response},
				})
			}
		})
	},
}

const invalidParams = -32602

// since says whether a session speaks a protocol version or a later one. Versions are dates; what is none is not known.
func since(s *reprise.Session, version string) bool {
	v := s.ProtocolVersion
	return len(v) == len(version) && v[0] == '2' && v[4] == '-' && v >= version
}

// wellFormed says whether the request keeps to the protocol's own form, so that nothing but the arguments can be wrong.
func wellFormed(e *Exchange) bool {
	arguments := reprise.Member(e.Params, "arguments")
	return (!arguments.Exists() || arguments.IsObject()) && !reprise.Member(e.Params, "task").Exists()
}

func errorMessage(e *Exchange) string { return reprise.Member(e.Error, "message").String() }

// maxMessage is how much of an error's message is read.
const maxMessage = 4096

// aboutArguments says whether an error's message speaks of the arguments: by a word, or by the name of one. One that speaks of the tool's name
// does not: the tool may be gone since it was listed.
func aboutArguments(e *Exchange) bool {
	text := errorMessage(e)
	text = strings.ToLower(text[:min(len(text), maxMessage)])
	text = strings.NewReplacer("invalid params", "", "invalid parameters", "").Replace(text) // what the code says already
	for _, word := range []string{"unknown tool", "tool not found", "no such tool", "_meta", "protocol"} {
		if strings.Contains(text, word) {
			return false
		}
	}
	if strings.Contains(text, "not found") && strings.Contains(text, strings.ToLower(e.Name)) {
		return false
	}
	for _, word := range []string{"argument", "validation", "invalid_type", "property", "properties", "schema"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return namesOne(text, e.Arguments()) || namesOne(text, reprise.Member(reprise.Member(e.Listing.JSON, "inputSchema").Raw, "properties").Raw)
}

// namesOne says whether a text has the name of a member as a word.
func namesOne(text, object string) (found bool) {
	tried := 0
	gjson.Parse(object).ForEach(func(key, _ gjson.Result) bool {
		tried++
		found = len(key.Str) > 2 && hasWord(text, strings.ToLower(key.Str))
		return !found && tried < 200
	})
	return found
}
