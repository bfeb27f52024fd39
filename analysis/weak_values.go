package analysis

import (
	"regexp"
	"strings"
	"sync"

	"reprise"

	"github.com/tidwall/gjson"
)

// nothing are the values that stand where there is none.
var nothing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:null|-?[01]?|"(?:|-|none|null|nil|n/?a|unknown|undefined|unassigned|nobody|default|-1|0|[0-]*)")$`)
})

// isNothing says whether a value stands where there is none: an assignee called none. 1 is no such value, and 0 and -1 are.
func isNothing(u *reprise.Use) bool { return u.JSON != "1" && nothing().MatchString(u.JSON) }

// pending says whether a record tells of itself that it is not there yet, or was not made at all. In a list, an order that is pending is there.
func pending(record gjson.Result, listed bool) (is bool) {
	if !record.IsObject() {
		return false
	}
	record.ForEach(func(key, value gjson.Result) bool {
		switch keyOf(key.Str) {
		case "dryrun", "preview", "simulated", "simulation", "pending", "queued", "draft":
			is = value.Type == gjson.True
		case "committed", "saved", "created", "persisted", "published":
			is = value.Type == gjson.False
		case "status", "state", "phase":
			is = value.Type == gjson.String && !listed && notYet().MatchString(value.Str)
		}
		return !is
	})
	return is
}

var notYet = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:pending|queued|scheduled|accepted|submitted|processing|creating|provisioning|initiali[sz]ing|draft|await|waiting)`)
})

// refers says whether a record has an id of its own besides the value: what it refers to may be gone since, and the record may not know it.
func refers(u *reprise.Use, record gjson.Result) bool {
	used := keyOf(u.ValuePath)
	if used == "id" || used == "uri" || strings.HasPrefix(u.ValuePath, "content") || !record.IsObject() {
		return false
	}
	own := reprise.Member(record.Raw, "id")
	return own.Exists() && own.Raw != u.JSON
}

// scoped says whether a record tells where the thing is, the tool can be told it, and the call does not tell it: then a name or a number
// need not be enough.
func (s *suspect) scoped(u *reprise.Use, record gjson.Result) (is bool) {
	if s.asked.Listing == nil || !record.IsObject() || !isLocal(u) {
		return false
	}
	for _, p := range s.asked.Listing.Parameters() {
		member := reprise.Member(record.Raw, p.Name)
		if p.Required || !member.Exists() || member.Type == gjson.Null || reprise.Member(s.asked.Arguments(), p.Name).Exists() {
			continue
		}
		return true
	}
	return false
}

// isLocal says whether a value is good in some place only: a name, or a number.
func isLocal(u *reprise.Use) bool {
	return lastWord(lastOf(u.Path)) == "name" || strings.Trim(u.JSON, `"0123456789`) == ""
}
