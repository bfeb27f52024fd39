package analysis

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
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
		if u.ValueEntity == "" && !u.Identifies() && !s.accompanied(u) {
			return named(u) + " is an attribute that a result shows, which nobody has promised to take", nil
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
	case isNothing(u):
		return named(u) + " is empty, or stands for nothing"
	case u.Stale:
		return named(u) + " may be stale: a call to a tool that is not declared read-only came in between"
	}
	return ""
}

// accompanied says whether the call takes an identifier out of the same record too: owner and name of a repository.
func (s *suspect) accompanied(u *reprise.Use) bool {
	within := func(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }
	for _, other := range s.asked.Uses[:min(len(s.asked.Uses), maxPairs)] {
		if other != u && other.Source == reprise.SourceHarvested && other.ValueEntity != "" && other.Relation == reprise.RelationSame &&
			other.ValueSeq == u.ValueSeq && other.ValueIndex == u.ValueIndex && within(other.ValuePath) == within(u.ValuePath) && within(u.ValuePath) != "" {
			return true
		}
	}
	return false
}

// weakBirth asks the call that gave a value.
func (s *suspect) weakBirth(u *reprise.Use, b *entry) string {
	switch {
	case b == nil:
		return named(u) + " was given too long ago to look it up"
	case s.asked.Started-b.ended > fresh:
		return fmt.Sprintf("%s was given more than %d minutes before", named(u), int(fresh.Minutes()))
	case !b.readOnly && !b.harmless && (b.has(u.JSON) || ends(b.tool)):
		return named(u) + " was last said by a call that may itself have changed what it stands for"
	case s.judge.wild > u.ValueSeq:
		return named(u) + " may be stale: a call to a tool that nobody has described came in between"
	case s.judge.wrote > u.ValueSeq && s.asked.Method == "resources/read":
		return named(u) + " may be stale: a call to a tool that is not declared read-only came in between"
	case b.destructive || u.ValueEntity != "cursor" && (removes(b.tool) || removes(u.ValuePath)):
		return named(u) + " was given as something that is gone, or is not there yet"
	case s.judge.reshuffled > u.ValueSeq && s.asked.Method == "resources/read":
		return named(u) + " may be stale: the server has said that its resources have changed"
	case u.ValueEntity == "cursor":
		return s.weakCursor(u, b)
	case b.result == "":
		return named(u) + " stands in a result that is too long to look it up"
	case s.misnamed(u, b):
		return named(u) + " was given as another name than the one that is asked for"
	case gone(b.record(u.ValuePath)):
		return named(u) + " was given as something that is gone"
	case pending(b.record(u.ValuePath), b.readOnly):
		return named(u) + " was given as something that is not there yet"
	case refers(u, b.record(u.ValuePath)) && !s.deniesAnother(u):
		return named(u) + " was given as a reference, which may outlive what it names"
	case s.scoped(u, b.record(u.ValuePath)):
		return named(u) + " was given with the place where it is, and the call leaves that out"
	}
	return ""
}

// namings are the words that end the keys of what something may be called by: an argument that asks for one of them takes no other, where the
// record has both.
var namings = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields("id key slug number no uuid guid url uri link href name title label code sha handle email login username path") {
		set[w] = true
	}
	return set
})

// misnamed says whether an argument asks for one way of naming something, and got another: the name or the address where the id is
// asked for.
func (s *suspect) misnamed(u *reprise.Use, b *entry) bool {
	if strings.HasPrefix(u.ValuePath, "content") {
		return false // it stood in a text
	}
	asked, got := lastWord(lastOf(u.Path)), lastWord(lastOf(u.ValuePath))
	if asked == got || !namings()[got] {
		return false
	}
	if !namings()[asked] { // project: whatever is usual for it, but hardly its title
		return got == "title" || got == "label" || got == "url" || got == "href" || got == "link"
	}
	if got == "name" || got == "title" || got == "label" {
		return true
	}
	has := false
	b.record(u.ValuePath).ForEach(func(key, value gjson.Result) bool {
		has = has || lastWord(key.Str) == asked && !value.IsObject() && !value.IsArray()
		return !has
	})
	return has
}

func lastWord(name string) string {
	list := wordsOf(name)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// departed are the beginnings of words that speak of what is no longer there, or never was.
var departed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:delet|remov|destroy|purg|archiv|revok|expir|cancel|dropped|trash|unlink|obsolete|moved|merged|replaced|supersed|duplicate|redirect|fail|error|reject|skip|invalid|missing|unknown|example|sample|suggest|placeholder|template|reserved?$|reserve|generat|preview|draft|next$|old$|former|previous|upcoming|help$)`)
})

// removes says whether a name speaks of what is not there. It only ever takes a proof away.
func removes(name string) bool {
	for _, word := range wordsOf(name) {
		if departed().MatchString(word) {
			return true
		}
	}
	return false
}

// ends says whether the name of a tool that may write speaks of bringing something to an end.
func ends(tool string) bool {
	for _, word := range wordsOf(tool) {
		switch {
		case departed().MatchString(word), strings.HasPrefix(word, "merg"), strings.HasPrefix(word, "clear"), strings.HasPrefix(word, "clean"), strings.HasPrefix(word, "prun"),
			strings.HasPrefix(word, "dedup"), strings.HasPrefix(word, "consolidat"), strings.HasPrefix(word, "clos"), strings.HasPrefix(word, "reset"), strings.HasPrefix(word, "flush"),
			strings.HasPrefix(word, "drop"), strings.HasPrefix(word, "evict"), strings.HasPrefix(word, "finish"), strings.HasPrefix(word, "complet"), strings.HasPrefix(word, "rename"):
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
		case removes(key.Str) || name == "hidden" || name == "private" || name == "disabled" || name == "locked":
			is = value.Type == gjson.True || value.Type == gjson.String && value.Str != "" || value.Type == gjson.Number && value.Num != 0
		case name == "status" || name == "state" || name == "type" || name == "kind" || name == "action" || name == "event" || name == "operation" || name == "change" || name == "op":
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
	switch {
	case b.tool != s.asked.Tool() || b.cut:
		return named(u) + " continues the list of another call"
	case s.judge.ledger.spent[u.JSON] || len(s.judge.ledger.spent) >= maxSpent:
		return named(u) + " was used before, and a cursor may be good for one time"
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

// deniesAnother says whether the failure names another value of the call, and not this one.
func (s *suspect) deniesAnother(u *reprise.Use) bool {
	value := strings.Trim(u.JSON, `"`)
	if strings.Contains(s.said, value) || !s.deniesValue() {
		return false
	}
	for _, other := range s.asked.Uses[:min(len(s.asked.Uses), maxPairs)] {
		if other := strings.Trim(other.JSON, `"`); other != value && len(other) > 1 && strings.Contains(s.said, other) {
			return true
		}
	}
	return false
}
