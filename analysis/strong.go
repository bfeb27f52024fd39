package analysis

import (
	"fmt"
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

// fresh is how long what a server has said is held against it: others may change things too.
const fresh = 15 * time.Minute

// weak says why an argument proves nothing, "" where it is strong: fixed by the schema, or given by the server for just this
// and good since. birth is the call that gave it, nil of a literal.
func (s *suspect) weak(u *reprise.Use) (reason string, birth *entry) {
	switch u.Source {
	case reprise.SourceLiteral:
		return weakLiteral(u), nil
	case reprise.SourceHarvested:
		if u.Cut {
			return named(u) + " is too long to be compared", nil
		}
		if reason := weakUse(u); reason != "" {
			return reason, nil
		}
		birth = s.judge.ledger.gave(u)
		return s.weakBirth(u, birth), birth
	case reprise.SourceDerived:
		return named(u) + " is derived: the agent made it from what it was given", nil
	case reprise.SourceTold:
		return named(u) + " was told, not given by a result", nil
	}
	return named(u) + " is synthesized: it comes from nowhere that the session shows", nil
}

func named(u *reprise.Use) string {
	if u.Path == "" {
		return "its argument"
	}
	return u.Path
}

// weakLiteral: an example may be no more than one, and so may a default that names something.
func weakLiteral(u *reprise.Use) string {
	switch u.Ground {
	case reprise.GroundEnum, reprise.GroundConst, reprise.GroundType:
		return ""
	case reprise.GroundDescription:
		return named(u) + " is quoted in a description only"
	}
	if u.Identifies() {
		return named(u) + " is an example of an identifier, which need not be there"
	}
	return ""
}

// weakUse reads what provenance itself says of a harvested argument.
func weakUse(u *reprise.Use) string {
	switch {
	case u.Ground == reprise.GroundEcho:
		return named(u) + " was only ever said back to a call that had made it up"
	case u.Relation == reprise.RelationOther:
		return fmt.Sprintf("%s was given as that of another entity (%s)", named(u), u.ValueEntity)
	case u.Relation != reprise.RelationSame:
		return named(u) + " was given, but what it identifies is not known"
	case u.ValueEntity == "" && !u.Identifies():
		return named(u) + " is an attribute that a result shows, which nobody has promised to take"
	case u.Stale:
		return named(u) + " may be stale: a call to a tool that is not declared read-only came in between"
	}
	return ""
}

// weakBirth asks the call that gave a value.
func (s *suspect) weakBirth(u *reprise.Use, b *entry) string {
	switch {
	case b == nil:
		return named(u) + " was given too long ago to look it up"
	case s.asked.Started-b.ended > fresh:
		return fmt.Sprintf("%s was given more than %d minutes before", named(u), int(fresh.Minutes()))
	case !b.readOnly && b.has(u.JSON):
		return named(u) + " was last said by a call that may itself have changed what it stands for"
	case b.destructive || removes(b.tool) || removes(u.ValuePath):
		return named(u) + " was given as something that is gone"
	case s.judge.reshuffled > u.ValueSeq && s.asked.Method == "resources/read":
		return named(u) + " may be stale: the server has said that its resources have changed"
	case u.ValueEntity == "cursor":
		return s.weakCursor(u, b)
	case b.result == "":
		return named(u) + " stands in a result that is too long to look it up"
	case gone(b.record(u.ValuePath)):
		return named(u) + " was given as something that is gone"
	}
	return ""
}

// removes says whether a name speaks of what is no longer there. It only ever takes a proof away.
func removes(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"delet", "remov", "destroy", "purge", "archiv", "revoke", "expire", "cancel", "drop", "trash", "unlink", "previous", "old"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// gone says whether a record tells of itself that it is no longer there, or not for everybody.
func gone(record gjson.Result) (is bool) {
	if !record.IsObject() {
		return false
	}
	record.ForEach(func(key, value gjson.Result) bool {
		switch name := strings.ToLower(key.Str); {
		case removes(name) || name == "hidden" || name == "private" || name == "disabled" || name == "locked":
			is = value.Type == gjson.True || value.Type == gjson.String && value.Str != "" || value.Type == gjson.Number && value.Num != 0
		case name == "status" || name == "state" || name == "type" || name == "kind":
			is = value.Type == gjson.String && removes(value.Str)
		case name == "exists" || name == "available" || name == "active" || name == "accessible":
			is = value.Type == gjson.False
		}
		return !is
	})
	return is
}

// weakCursor: a cursor is good for the call that it came from, with the same other arguments.
func (s *suspect) weakCursor(u *reprise.Use, b *entry) string {
	if b.tool != s.asked.Tool() || b.cut {
		return named(u) + " continues the list of another call"
	}
	others := map[string]string{}
	for _, a := range b.args {
		others[a.path] = a.json
	}
	delete(others, u.Path)
	for _, other := range s.asked.Uses {
		if other.Path == u.Path {
			continue
		}
		if others[other.Path] != other.JSON {
			return named(u) + " continues a list that was asked for with other arguments"
		}
		delete(others, other.Path)
	}
	if len(others) > 0 {
		return named(u) + " continues a list that was asked for with other arguments"
	}
	return ""
}
