package analysis

import (
	"errors"
	"fmt"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

var badSchema = &Analyzer{
	Name: "bad-schema",
	Doc: "A tool's inputSchema is missing, is no object or is not of type object, or a schema of the tool is no valid JSON Schema, or refers to what stands elsewhere. " +
		"Unknown keywords, formats and drafts are nothing bad (S22), and a schema that is too large to be read here is left alone, as are all " +
		"behind the first 2,000 tools. Source: the specification (Tool.inputSchema); model APIs refuse a request that holds a tool with an invalid schema.",
	Severity: High,
	Sphere:   OfListing,
	Run: func(p *Pass) {
		read := 0
		p.eachTool(func(t *Tool) {
			if read++; read > maxSchemasRead {
				return
			}
			p.badInput(t)
			p.badOutput(t)
		})
	},
}

// maxSchemasRead is of how many tools the schemas are read.
const maxSchemasRead = 2000

func (p *Pass) badInput(t *Tool) {
	schema := reprise.Member(t.JSON, "inputSchema")
	what := ""
	switch {
	case !schema.Exists():
		what = "The tool has no inputSchema."
	case !schema.IsObject():
		what = "The tool's inputSchema is no object."
	case reprise.Member(schema.Raw, "type").Str != "object":
		what = "The tool's inputSchema does not say type: \"object\" at its root."
	default:
		p.uncompiled(t, "inputSchema", schema)
		return
	}
	p.Report(Finding{
		Tool: t.Name, Place: "inputSchema", What: what,
		Consequence: "Clients built on the TypeScript SDK reject the whole list of tools for it, so that the agent has none of the server's tools.",
		Suggestion:  "Declare inputSchema: {\"type\": \"object\", …}, also where the tool takes no arguments.",
		Evidence:    []int64{t.Seq},
	})
}

func (p *Pass) badOutput(t *Tool) {
	schema := reprise.Member(t.JSON, "outputSchema")
	old := since(p.Session, "2025-06-18") && !since(p.Session, "2026-07-28")
	switch {
	case !schema.Exists() || schema.Type == gjson.Null:
	case old && reprise.Member(schema.Raw, "type").Str != "object":
		p.Report(Finding{
			Tool: t.Name, Place: "outputSchema", What: "The tool's outputSchema does not say type: \"object\" at its root.",
			Consequence: "Clients built on the TypeScript SDK reject the whole list of tools for it, so that the agent has none of the server's tools.",
			Suggestion:  "Wrap the result in an object and declare that, or take the outputSchema back for hosts of a protocol before 2026-07-28.",
			Evidence:    []int64{t.Seq},
		})
	default:
		p.uncompiled(t, "outputSchema", schema)
	}
}

// uncompiled reports a schema that cannot be compiled, if that is its own fault.
func (p *Pass) uncompiled(t *Tool, member string, schema gjson.Result) {
	_, err := CompileSchema(schema.Raw) // not kept: a list may hold thousands
	reason, own := ownFault(err)
	if !own {
		return
	}
	f := Finding{
		Tool: t.Name, Place: member + " schema", What: fmt.Sprintf("The tool's %s cannot be used: %s.", member, quote(reason)),
		Consequence: "Model APIs refuse a request with such a tool, and hosts that validate drop the tool or fail its calls.",
		Suggestion:  "Correct the schema, and validate it against the meta-schema of the draft that it names, 2020-12 if none.",
		Evidence:    []int64{t.Seq},
	}
	if errors.Is(err, errOutside) {
		f.Suggestion = "Put what the schema refers to into its own $defs: no client fetches it."
	}
	p.Report(f)
}

// ownFault says whether an error of CompileSchema is the schema's fault, and not one of our bounds, and why.
func ownFault(err error) (reason string, own bool) {
	if err == nil {
		return "", false
	}
	reason = strings.TrimPrefix(err.Error(), "compile schema: ")
	return reason, strings.HasPrefix(reason, "it refers to ") || strings.HasPrefix(reason, "it is no valid schema")
}
