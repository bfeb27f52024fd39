package analysis

import (
	"fmt"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

var unannotatedTool = &Analyzer{
	Name: "unannotated-tool",
	Doc: "A tool declares neither that it only reads nor what it may destroy, so that nobody can tell. Of more than five such tools there is one finding for the " +
		"server. A tool's name is no declaration (S68). Source: S64–S66; seen with codex exec 0.171.0, which refuses them where nobody can approve.",
	Severity: Medium,
	Sphere:   OfListing,
	Run: func(p *Pass) {
		var bare []*Tool
		p.eachTool(func(t *Tool) {
			if declaresNothing(t) && forModel(t) {
				bare = append(bare, t)
			}
		})
		p.End(func() {
			if len(bare) > fewTools {
				p.Report(bareServer(bare, len(p.Tools.All())))
				return
			}
			for _, t := range bare {
				p.Report(bareTool(t))
			}
		})
	},
}

// fewTools is up to how many tools each have their own finding.
const fewTools = 5

// declaresNothing says whether a tool's annotations leave open whether it changes anything.
func declaresNothing(t *Tool) bool {
	annotations := reprise.Member(t.JSON, "annotations")
	if !annotations.Exists() || annotations.Type == gjson.Null {
		return true
	}
	return annotations.IsObject() && !reprise.Member(annotations.Raw, "readOnlyHint").Exists() &&
		!reprise.Member(annotations.Raw, "destructiveHint").Exists()
}

const (
	bareConsequence = "Hosts ask before every call, and one that runs unattended (codex exec) refuses the call without a word to the server."
	bareSuggestion  = "Declare readOnlyHint: true on what only reads, and destructiveHint: true or false on what writes."
)

func bareTool(t *Tool) Finding {
	return Finding{
		Tool:        t.Name,
		What:        "The tool's annotations say neither readOnlyHint nor destructiveHint.",
		Consequence: bareConsequence,
		Suggestion:  bareSuggestion,
		Evidence:    []int64{t.Seq},
	}
}

func bareServer(bare []*Tool, all int) Finding {
	f := Finding{Consequence: bareConsequence, Suggestion: bareSuggestion}
	names := make([]string, 0, fewTools)
	for _, t := range bare[:fewTools] {
		names = append(names, quote(t.Name))
	}
	for _, t := range bare {
		f.Evidence = append(f.Evidence, t.Seq)
		if len(f.Evidence) > maxEvidence {
			break
		}
	}
	f.What = fmt.Sprintf("%s of %s tools say neither readOnlyHint nor destructiveHint, among them %s.", thousands(len(bare)), thousands(all),
		strings.Join(names, ", "))
	return f
}

var contradictoryHints = &Analyzer{
	Name: "contradictory-hints",
	Doc: "A tool declares readOnlyHint: true and destructiveHint: true, which cannot both hold. Hints that mean nothing beside readOnlyHint: true " +
		"(idempotentHint, destructiveHint: false) are harmless. Source: the specification's ToolAnnotations.",
	Severity: Medium,
	Sphere:   OfListing,
	Run: func(p *Pass) {
		p.eachTool(func(t *Tool) {
			if t.Contradictory {
				p.Report(Finding{
					Tool:        t.Name,
					What:        "The tool declares readOnlyHint: true and destructiveHint: true.",
					Consequence: "One host calls it without asking because it reads, another holds it back because it destroys.",
					Suggestion:  "Take one of them back: destructiveHint if a call changes nothing, readOnlyHint if it can.",
					Evidence:    []int64{t.Seq},
				})
			}
		})
	},
}
