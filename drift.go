package reprise

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Tier is how much a change of a server's surface means to those who use it.
type Tier string

const (
	// TierBreaking: what worked may fail now.
	TierBreaking Tier = "breaking"
	// TierDangerous: it still works, and may do something else, or make a model do something else.
	TierDangerous Tier = "dangerous"
	// TierMinor: there is more than before, or it is called otherwise.
	TierMinor Tier = "minor"
	// TierInfo: it says the same in another way.
	TierInfo Tier = "info"
)

// Tiers lists the tiers from the worst down.
func Tiers() []Tier { return []Tier{TierBreaking, TierDangerous, TierMinor, TierInfo} }

// AtLeast says whether a tier is as bad as another one, or worse.
func (t Tier) AtLeast(other Tier) bool { return t.rank() <= other.rank() }

func (t Tier) rank() int { return slices.Index(Tiers(), t) }

// Drifted is one change of a surface.
type Drifted struct {
	Tier    Tier
	Kind    string // tool, prompt, resource, template or server
	Name    string // of the entry; "" of the server
	Path    string // in the entry, as provenance spells places, and through $ref; "" is the whole entry
	Message string
	// Old and New are the raw JSON on both sides; "" where there is none.
	Old, New string
}

// Drift says what has changed from one surface to another, as who uses it sees it: other spellings of the same are no
// change (absent or an explicit default, "string" or ["string"], the order of required, another number of a placeholder), and
// what one of the two does not know is not gone. The changes stand in the order of their tiers, kinds, names and paths.
func Drift(old, new *Surface) []Drifted {
	var d drift
	d.server(old, new)
	for _, k := range listKinds() {
		d.listing(k, k.in(old), k.in(new))
	}
	slices.SortStableFunc(d.found, func(a, b Drifted) int {
		return cmp.Or(cmp.Compare(a.Tier.rank(), b.Tier.rank()), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return d.found
}

// drift collects the changes of a surface.
type drift struct {
	found []Drifted
	read  int // bytes of schemas
}

// listing compares two lists.
func (d *drift) listing(k listKind, old, new *Listing) {
	server := d.entry("server", "")
	if old.Asked != new.Asked {
		server.tell(TierInfo, k.list, cmpSide(old.Asked)+" does not show this list: not compared", "", "")
	}
	if !old.Asked || !new.Asked {
		return
	}
	before, after := old.byName(), new.byName()
	missing := 0
	for _, name := range union(before, after) {
		was, is := before[name], after[name]
		switch e := d.entry(k.kind, name); {
		case was != nil && is != nil:
			e.several(was, is, old.Whole, new.Whole)
		case was != nil && new.Whole:
			e.tell(TierBreaking, "", k.kind+" gone", was[0], "")
		case is != nil && old.Whole:
			e.tell(TierMinor, "", k.kind+" added", "", is[0])
		default:
			missing++
		}
	}
	if missing > 0 {
		server.tell(TierInfo, k.list, fmt.Sprintf("%s shows only a part of this list: %d not compared", cmpSide(old.Whole), missing), "", "")
	}
	if old.Ordered && new.Ordered && !slices.Equal(old.namesIn(after), new.namesIn(before)) {
		server.tell(TierInfo, k.list, "stand in another order", "", "")
	}
}

// cmpSide names the side that does not know something, the old one knowing it or not.
func cmpSide(oldKnows bool) string {
	if oldKnows {
		return "the new side"
	}
	return "the old side"
}

func (l *Listing) byName() map[string][]string {
	m := make(map[string][]string, len(l.Entries))
	for _, e := range l.Entries {
		name := unnumbered(e.Name)
		m[name] = append(m[name], unnumbered(e.JSON))
	}
	return m
}

// namesIn gives the names that are in the other list as well, each where it stands first.
func (l *Listing) namesIn(other map[string][]string) (names []string) {
	seen := map[string]bool{}
	for _, e := range l.Entries {
		if name := unnumbered(e.Name); other[name] != nil && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// unnumbered takes the numbers out of the placeholders of secrets: they say which secret of the file it is, and so
// become others when one stands before it that was not there.
func unnumbered(text string) string {
	if !strings.Contains(text, PlaceholderStart) {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range placeholders(text) {
		b.WriteString(text[at:strings.LastIndexByte(text[:s.to], ':')])
		b.WriteString(PlaceholderEnd)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// server compares what the server says of itself.
func (d *drift) server(old, new *Surface) {
	e := d.entry("server", "")
	if old.Server != "" && new.Server != "" {
		eachMember(unnumbered(old.Server), unnumbered(new.Server), func(key, was, is string) {
			e.tell(TierInfo, PathMember("serverInfo", key), changed("", was, is), was, is)
		})
	}
	if old.Greeted != new.Greeted {
		e.tell(TierInfo, "capabilities", cmpSide(old.Greeted)+" does not show what the server said at its start: not compared", "", "")
	}
	if !old.Greeted || !new.Greeted {
		return
	}
	if !equalJSON(old.Protocol, new.Protocol) {
		e.tell(TierInfo, "protocolVersion", "changed: it depends on what the client asks for", old.Protocol, new.Protocol)
	}
	e.text("instructions", unnumbered(old.Instructions), unnumbered(new.Instructions))
	e.capabilities("capabilities", unnumbered(old.Capabilities), unnumbered(new.Capabilities))
}

// entry is the tool, prompt, resource, template or server that is being compared.
type entry struct {
	d          *drift
	kind, name string
}

func (d *drift) entry(kind, name string) *entry { return &entry{d, kind, name} }

func (e *entry) tell(tier Tier, path, message, old, new string) {
	e.d.found = append(e.d.found, Drifted{tier, e.kind, e.name, path, message, old, new})
}

// text compares a text that a model reads.
func (e *entry) text(path, old, new string) {
	if equalJSON(old, new) {
		return
	}
	what := lastKey(path)
	if isText(old) && isText(new) && slices.Equal(strings.Fields(unquote(old)), strings.Fields(unquote(new))) {
		e.tell(TierInfo, path, what+" changed in its blanks only", old, new)
		return
	}
	e.tell(TierDangerous, path, changed(what, old, new)+": it steers the model", old, new)
}

func isText(raw string) bool { return raw == "" || raw[0] == '"' }

// capabilities compares what the server declares that it can do. False and null are the same as absent.
func (e *entry) capabilities(path, old, new string) {
	eachMember(old, new, func(key, was, is string) {
		place := PathMember(path, key)
		had, has := was != "" && was != "false", is != "" && is != "false"
		switch {
		case had && !has:
			e.tell(TierBreaking, place, "capability gone", was, is)
		case has && !had:
			e.tell(TierMinor, place, "capability added", was, is)
		case had && isObject(was) && isObject(is):
			e.capabilities(place, was, is)
		case had:
			e.tell(TierMinor, place, "capability changed", was, is)
		}
	})
}

// several compares the entries of one name: those that are the same first, then what is left in their order. A client takes one
// of them, and nobody knows which.
func (e *entry) several(was, is []string, allOld, allNew bool) {
	if len(was) > 1 || len(is) > 1 {
		was, is = unlike(was, is), unlike(is, was)
	}
	both := min(len(was), len(is))
	for i := range both {
		e.members(was[i], is[i])
	}
	if allNew {
		for _, old := range was[both:] {
			e.tell(TierDangerous, "", "one of several of this name is gone", old, "")
		}
	}
	if allOld {
		for _, new := range is[both:] {
			e.tell(TierDangerous, "", "one more of this name: which of them is meant is not known", "", new)
		}
	}
}

// unlike gives the entries that have none like them on the other side.
func unlike(mine, others []string) (rest []string) {
	left := make([]string, len(others))
	for i, other := range others {
		left[i] = plainOf(other)
	}
	for _, entry := range mine {
		if i := slices.Index(left, plainOf(entry)); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			rest = append(rest, entry)
		}
	}
	return rest
}

// members compares two entries of one name, member by member.
func (e *entry) members(old, new string) {
	eachMember(old, new, func(key, was, is string) {
		switch key {
		case "description":
			e.text(key, was, is)
		case "inputSchema", "outputSchema":
			e.schema(key, was, is)
		case "annotations":
			e.annotations(was, is)
		case "execution":
			e.execution(was, is)
		case "arguments":
			e.arguments(was, is)
		case "icons", "_meta", "size":
			e.tell(TierInfo, key, changed(key, was, is), was, is)
		default: // title, name, mimeType, and what is not known
			e.tell(TierMinor, key, changed(key, was, is), was, is)
		}
	})
	if e.kind == "tool" {
		e.safety(old, new)
	}
}

// safety compares what the two declarations come to: one that may be read in two ways declares nothing any more, though each hint
// that is read is what it was.
func (e *entry) safety(old, new string) {
	was, is := SafetyOf(old).Safety, SafetyOf(new)
	told := slices.ContainsFunc(e.d.found, func(d Drifted) bool {
		return d.Kind == e.kind && d.Name == e.name && d.Tier == TierDangerous && strings.HasPrefix(d.Path, "annotations")
	})
	if was == SafetyReadOnly && is.Safety != SafetyReadOnly && !told {
		e.tell(TierDangerous, "annotations", "no longer declared read-only: "+is.Reason, old, new)
	}
}

// annotations compares the hints that a tool gives, and what a resource says of its audience.
func (e *entry) annotations(old, new string) {
	eachMember(old, new, func(key, was, is string) {
		path, message := PathMember("annotations", key), changed(key, was, is)
		tier := TierMinor
		switch {
		case key == "readOnlyHint" && was == "true":
			tier, message = TierDangerous, "no longer declared read-only"
		case key == "destructiveHint" && is == "true":
			tier, message = TierDangerous, "declared destructive now"
		case key == "destructiveHint" && was == "false":
			tier, message = TierDangerous, "no longer declared harmless to what is there" // the default is true
		case orDefault(key, was) == orDefault(key, is), key == "lastModified":
			tier = TierInfo
		}
		e.tell(tier, path, message, was, is)
	})
}

// orDefault is a hint, or what it is where it is absent (protocol.md §5.9).
func orDefault(hint, value string) string {
	switch {
	case value != "":
		return value
	case hint == "readOnlyHint", hint == "idempotentHint":
		return "false"
	case hint == "destructiveHint", hint == "openWorldHint":
		return "true"
	}
	return ""
}

// execution compares how a tool may be run: as a task or not, which is forbidden by default (protocol.md §5.5).
func (e *entry) execution(old, new string) {
	eachMember(old, new, func(key, was, is string) {
		path := PathMember("execution", key)
		if key != "taskSupport" {
			e.tell(TierMinor, path, changed(key, was, is), was, is)
			return
		}
		support, before := cmp.Or(unquote(is), "forbidden"), cmp.Or(unquote(was), "forbidden")
		switch {
		case support == before:
			e.tell(TierInfo, path, "spelled out, or left out, and the same", was, is)
		case support == "optional":
			e.tell(TierMinor, path, "tasks may be used or not", was, is)
		default:
			e.tell(TierBreaking, path, fmt.Sprintf("tasks were %s and are %s", before, support), was, is)
		}
	})
}

// eachMember gives the members that differ between two objects. What is null counts as absent.
func eachMember(old, new string, differs func(key, old, new string)) {
	was, is := objectOf(old), objectOf(new)
	for _, m := range []map[string]string{was, is} {
		maps.DeleteFunc(m, func(_, value string) bool { return value == "null" })
	}
	for _, key := range union(was, is) {
		if !equalJSON(was[key], is[key]) {
			differs(key, was[key], is[key])
		}
	}
}

// objectOf gives the members of a JSON object, the last of duplicates; of anything else none.
func objectOf(raw string) map[string]string {
	members := map[string]string{}
	if isObject(raw) {
		gjson.Parse(raw).ForEach(func(key, value gjson.Result) bool {
			members[unquote(key.Raw)] = value.Raw
			return true
		})
	}
	return members
}

func isObject(raw string) bool { return strings.HasPrefix(raw, "{") }

// union is the names in either map, in their order.
func union[V any](a, b map[string]V) []string {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// equalJSON says whether two JSON values are the same, however they are spelt.
func equalJSON(a, b string) bool {
	return a == b || a != "" && b != "" && string(Canonical(a)) == string(Canonical(b))
}

// changed says what became of a member.
func changed(what, old, new string) string {
	how := "changed"
	switch {
	case old == "":
		how = "added"
	case new == "":
		how = "gone"
	}
	return strings.TrimPrefix(what+" "+how, " ")
}
