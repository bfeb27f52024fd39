package analysis

import (
	"fmt"
	"strconv"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

var outputSchema = &Analyzer{
	Name: "output-schema",
	Doc: "A tool declares an outputSchema, and a successful result has no structuredContent, or one that breaks the schema. The first 1,000 results of each tool are " +
		"looked at, and every 16th of those behind. Source: the specification (a server MUST give structured results that conform to the schema).",
	Severity: High,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		c := conformance{pass: p, seen: map[string]int{}, places: map[string]map[string]bool{}}
		p.Calls(c.result)
	},
}

// Bounds of output-schema.
const (
	allResults   = 1000 // of each tool are looked at, then every sampled-th
	sampled      = 16
	fewProblems  = 4 // of one result are told
	mostProblems = 8 // places of one tool are told
)

// conformance holds results against what their tools declare.
type conformance struct {
	pass   *Pass
	seen   map[string]int             // results of each listed tool
	places map[string]map[string]bool // of problems that were told, by tool
}

func (c *conformance) result(e *Exchange) {
	name, listing := e.tool()
	if listing == nil || e.Status != reprise.StatusOK || e.Result == "" || e.Flags&reprise.FlagCut != 0 {
		return
	}
	// What is said to have changed may have another schema by now; and to versions before, the schema means nothing.
	if c.pass.Tools.Changed || c.pass.Session.ProtocolVersion != "" && !since(c.pass.Session, "2025-06-18") {
		return
	}
	schema, err := listing.Output()
	if schema == nil || err != nil || !c.due(name) || !isFinal(e.Result) {
		return
	}
	content := reprise.Member(e.Result, "structuredContent")
	if !content.Exists() || content.Type == gjson.Null && len(schema.Check("null")) > 0 {
		c.report(e, name, Finding{Place: "structuredContent", What: "The tool declares an outputSchema, and a successful result has no structuredContent.",
			Suggestion: "Give structuredContent with every result that is no error, or take the outputSchema back."})
		return
	}
	if c.pass.Session.Redacted {
		return // what was blanked need not fit any more
	}
	for i, problem := range schema.Check(content.Raw) {
		if i == fewProblems {
			break
		}
		c.report(e, name, breach(listing, problem))
	}
}

// isFinal says whether a result is a tool's whole answer: no task that was made, and no question to the client.
func isFinal(result string) bool {
	kind := reprise.Member(result, "resultType")
	return (!kind.Exists() || kind.Str == "complete") && !reprise.Member(result, "task").IsObject()
}

// due says whether the next result of a tool is looked at.
func (c *conformance) due(tool string) bool {
	n := c.seen[tool]
	c.seen[tool] = n + 1
	return n < allResults || n%sampled == 0
}

func (c *conformance) report(e *Exchange, tool string, f Finding) {
	told := c.places[tool]
	if told == nil {
		told = map[string]bool{}
		c.places[tool] = told
	}
	if !told[f.Place] && len(told) == mostProblems {
		return
	}
	told[f.Place] = true
	f.Tool, f.Evidence = tool, []int64{e.Seq, e.Response}
	f.Consequence = "A client that validates (the TypeScript and Python SDKs do) turns the call into an error, and the agent loses the result."
	c.pass.Report(f)
}

func breach(listing *Tool, problem Problem) Finding {
	place := normalPlace(problem.Path, reprise.Member(listing.JSON, "outputSchema").Raw)
	where := "structuredContent"
	if problem.Path != "" {
		where = quote("structuredContent." + problem.Path)
	}
	return Finding{
		Place: strings.TrimLeft(place+" "+problem.Keyword, " "),
		What:  fmt.Sprintf("A result breaks the tool's own outputSchema at %s: %s.", where, quote(problem.Message)),
		Suggestion: fmt.Sprintf("Give what the schema declares there (%s), or let the schema say what the tool gives: null, optional and further members among it.",
			problem.Keyword),
	}
}

// maxPlace is how long a place gets.
const maxPlace = 200

// normalPlace is a path without what changes from one result to the next: indices, and the names of members that the schema does not name.
func normalPlace(path, schema string) string {
	var b strings.Builder
	for rest := path; rest != "" && b.Len() < maxPlace; {
		var step string
		step, rest = nextStep(rest)
		switch {
		case strings.HasPrefix(step, `["`):
			b.WriteString(`[*]`)
		case strings.HasPrefix(step, "["):
			b.WriteString("[]")
		case strings.Contains(schema, strconv.Quote(strings.TrimPrefix(step, "."))):
			b.WriteString(step)
		default:
			b.WriteString(".*")
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// nextStep cuts the first step off a path: .name, [0] or ["odd name"].
func nextStep(path string) (step, rest string) {
	if strings.HasPrefix(path, `["`) {
		for i := 2; i < len(path); i++ {
			if path[i] == '\\' {
				i++
			} else if strings.HasPrefix(path[i:], `"]`) {
				return path[:i+2], path[i+2:]
			}
		}
		return path, ""
	}
	if end := strings.IndexAny(path[1:], ".["); end >= 0 {
		return path[:end+1], path[end+1:]
	}
	return path, ""
}
