package reprise

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// Safety is what a server declares of a tool: whether calling it may change something.
type Safety string

const (
	SafetyReadOnly    Safety = "read_only"
	SafetyDestructive Safety = "destructive"
	// SafetyUnknown is everything else: nobody may conclude from it that a call does no harm.
	SafetyUnknown Safety = "unknown"
)

// ToolSafety is the safety of a tool with its grounds.
type ToolSafety struct {
	Safety Safety
	// Reason is what the declaration says, or lacks.
	Reason string
	// Advice is what the tool's owner, or whoever wants it called, can do; "" for a tool that is read-only.
	Advice string
	// Contradictory says that the declaration excludes itself.
	Contradictory bool
}

const (
	adviseOwner = "its owner can declare readOnlyHint: true if it changes nothing"
	adviseUser  = "allow it by name where its effects may happen"
	adviseRight = "its owner should give each hint once, as true or false"
)

// SafetyOf judges a tool, given as it stands in tools/list, "" where it was never listed. Only the presence of annotations
// counts: a decoder's zero value is no declaration, and the specification's defaults
// (protocol.md §5.9) are none either. A tool's name has no authority, ever: there is a
// list_and_purge. What contradicts itself, or may be read in two ways, is unknown.
func SafetyOf(tool string) ToolSafety {
	if tool == "" {
		return unknownSafety("is in no list of tools", adviseUser)
	}
	if depthOf(bytesOf(tool)) > MaxDepth || !gjson.Valid(tool) {
		return unknownSafety("is no valid JSON", adviseRight)
	}
	_, names := lookUp(tool, "name")
	annotations, odd := lookUp(tool, "annotations")
	switch {
	case names != 0:
		return unknownSafety("its name stands twice, or in another case", adviseRight)
	case !annotations.Exists():
		return unknownSafety("declares nothing", adviseOwner)
	case !annotations.IsObject():
		return unknownSafety("its annotations are "+jsonType(annotations)+", no object", adviseRight)
	}
	readOnly, twice := lookUp(annotations.Raw, "readOnlyHint")
	destructive, again := lookUp(annotations.Raw, "destructiveHint")
	return judge(readOnly, destructive, odd|twice|again)
}

// judge weighs the two hints that count.
func judge(readOnly, destructive gjson.Result, odd Flag) ToolSafety {
	switch says := readOnly.Type == gjson.True; {
	case says && destructive.Type == gjson.True:
		s := unknownSafety("declares readOnlyHint: true and destructiveHint: true", "its owner should take one of them back")
		s.Contradictory = true
		return s
	case destructive.Type == gjson.True:
		return ToolSafety{Safety: SafetyDestructive, Reason: "declares destructiveHint: true", Advice: adviseUser}
	case isNoHint(destructive) && destructive.Type != gjson.Null:
		return unknownSafety("its destructiveHint is "+jsonType(destructive)+", neither true nor false", adviseRight)
	case says && odd != 0:
		return unknownSafety("declares readOnlyHint: true, and a hint twice or in another case", adviseRight)
	case says:
		return ToolSafety{Safety: SafetyReadOnly, Reason: "declares readOnlyHint: true"}
	case isNoHint(readOnly):
		return unknownSafety("its readOnlyHint is "+jsonType(readOnly)+", neither true nor false", adviseRight)
	case destructive.Type == gjson.False:
		return unknownSafety("declares destructiveHint: false: it writes, though it destroys nothing", adviseUser)
	case readOnly.Exists():
		return unknownSafety("declares readOnlyHint: false: it writes", adviseUser)
	case isNoHint(destructive):
		return unknownSafety("its destructiveHint is null, neither true nor false", adviseRight)
	}
	return unknownSafety("declares nothing about what it changes", adviseOwner)
}

func unknownSafety(reason, advice string) ToolSafety {
	return ToolSafety{Safety: SafetyUnknown, Reason: reason, Advice: advice}
}

// isNoHint says whether something stands where true or false should.
func isNoHint(v gjson.Result) bool { return v.Exists() && !v.IsBool() }

// jsonType names what a value is, for a sentence.
func jsonType(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "a list"
	case v.Type == gjson.Null:
		return "null"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	}
	return fmt.Sprint(v.Value())
}
