package analysis

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"reprise"
)

var inventedIdentifier = &Analyzer{
	Name: "invented-identifier",
	Doc: "A call failed because of an identifier that nothing in the session had given: no result, description, instruction or error. The agent guessed it, or had it from its " +
		"user or another server. Calls that succeed are left alone, and so is a failure that does not speak of the identifier, or speaks of trouble of another kind. " +
		"Source: S3, S35.",
	Severity: Medium,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		kept, room := holdBack(p), placeRoom{}
		p.Calls(func(e *Exchange) {
			if !plainCall(e) || !e.Status.Failed() {
				return
			}
			for _, u := range e.Uses {
				if place := withoutIndices(u.Path); inventedUse(u) && faultOf(e, u) && room.room(e.Name, place) {
					kept.add(inventedFinding(e, u, place))
				}
			}
		})
	},
}

// inventedUse says whether an argument identifies something that the session never showed.
func inventedUse(u *reprise.Use) bool {
	return u.Source == reprise.SourceSynthesized && u.Ground == "" && pinpoints(u) && (idKey(u.Path) || strings.HasSuffix(keyOf(u.Path), "name") || coined(u.JSON))
}

// idKey says whether what stands at a path identifies something by its key alone.
func idKey(path string) bool { return (&reprise.Use{Path: path, JSON: "1"}).Identifies() }

// coined says whether a value's form is that of an identifier and of nothing else: us-west-3 may be a region.
func coined(json string) bool {
	return strings.Contains(json, "_") || strings.ToLower(json) != json || len(json) > 30
}

// pinpoints says whether an argument identifies one thing. An address on the web is the user's as a rule; of a masked value nothing is known.
func pinpoints(u *reprise.Use) bool {
	return !u.Cut && u.Identifies() && !strings.HasPrefix(u.JSON, `"http`) && !strings.Contains(u.JSON, placeholder)
}

// faultOf says whether a failure is due to an argument's value: it says that something is not there or wrong, and names the value,
// or there is no other that it can mean.
func faultOf(e *Exchange, u *reprise.Use) bool {
	text := e.Said()
	wrong := absences().MatchString(text) || u.JSON[0] == '"' && invalidWords().MatchString(text) // a number may be out of bounds
	if !wrong || !blamesCall(e, text) {
		return false
	}
	low, toolDenied := strings.ToLower(text), false
	if e.Listing == nil {
		toolDenied = hasWord(low, strings.ToLower(e.Name)) || strings.Contains(low, "unknown tool")
	}
	return !toolDenied && (hasWord(low, strings.ToLower(plainText(u.JSON))) || onlyPointer(e, u))
}

// onlyPointer says whether no other argument of a call identifies anything, nor holds a path, an address or words.
func onlyPointer(e *Exchange, u *reprise.Use) bool {
	for i, other := range e.Uses {
		if i == maxPairs || other != u && (other.Identifies() || strings.HasPrefix(other.JSON, `"`)) {
			return false
		}
	}
	return true
}

// absences say that something is not there.
var absences = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:unknown|not found|no such|(?:does|do|did) not exist|doesn't exist|not exist|no \w+ (?:named|called|with|matching)|nobody has|not registered|enoent)\b|\bno \w+ ['"“]`)
})

// invalidWords say that a value is of a wrong form.
var invalidWords = sync.OnceValue(func() *regexp.Regexp {
	return words(`invalid|malformed|not (?:a )?valid|404`)
})

func inventedFinding(e *Exchange, u *reprise.Use, place string) Finding {
	return Finding{
		Tool:  e.Name,
		Place: place,
		What: fmt.Sprintf("%s failed on %s %s, a value that nothing in the session had given: %s.",
			quote(e.Name), shownPath(place), shownValue(u.JSON), quote(strings.TrimSpace(e.Said()))),
		Consequence: "Where the agent guessed the value, it spent a call on something that is not there, and the next guess may hit the wrong thing.",
		Suggestion:  fmt.Sprintf("Say in the description of %s which tool gives its values, and say so again in the error.", shownPath(place)),
		Evidence:    []int64{e.Seq, e.Response},
	}
}
