package reprise

import (
	"slices"
	"strings"
)

// A common identifier (7, 4753, fjord-owl) is written as much else is. Whether it stands for what it is bound to, the names
// around it say in JSON, and the words around it in a text.

// standing is what the names around a place say of what stands there.
type standing struct {
	key    *keyInfo // of the member, or that holds its array; nil in plain text
	inside string   // see keyInfo.inside
	noun   string   // what the call is about
}

// standingOf reads the names on the way to a place. names are the call's: its method, and its tool or prompt.
func standingOf(steps []segment, names []string) standing {
	s := standing{noun: nounOf(names)}
	for _, step := range withinMessage(steps) {
		if step.index >= 0 {
			continue
		}
		if s.key != nil && s.key.inside != "" {
			s.inside = s.key.inside
		}
		s.key = readKey(step.key)
	}
	return s
}

func nounOf(names []string) string {
	switch {
	case len(names) < 2:
		return ""
	case names[0] == "tools/call":
		return toolNoun(names[1], "")
	case names[0] == "resources/read":
		return uriNoun(names[1])
	}
	return ""
}

// withinMessage drops the protocol's own names from the beginning of a place.
func withinMessage(steps []segment) []segment {
	if len(steps) == 0 || steps[0].key == "structuredContent" || steps[0].key == "result" {
		return steps[min(1, len(steps)):]
	}
	if steps[0].key == "content" || steps[0].key == "contents" || steps[0].key == "messages" {
		if i := slices.IndexFunc(steps, func(s segment) bool { return s.key == "text" }); i >= 0 {
			return steps[i+1:]
		}
	}
	return steps
}

// entity is what an identifier names at a place, "" where that is unknown.
func (s *standing) entity(id *identifier) string {
	switch k := s.key; {
	case k == nil:
		return ""
	case k.entity != "":
		return k.entity
	case k.plain:
		return holder(s.inside, s.noun)
	case k.bare != "" && id.entities[k.bare]:
		return k.bare
	}
	return ""
}

// names says whether a value at a place names something, and is no quantity: by its key (id, issueId), by the entity that
// is its key (issue), or by the role that this is (parent).
func (s *standing) names(id *identifier) bool {
	return s.key != nil && (s.key.identifies || s.key.inside == nobody || s.key.bare != "" && id.entities[s.key.bare])
}

// asks is the entity that an argument asks for, as far as names say.
func (u *Use) asks() string {
	k := readKey(lastKey(u.Path))
	if k.plain {
		return toolNoun(u.Tool, "")
	}
	return k.entity
}

// is says whether a live text stands for a common identifier at a place: that is a name, of the same entity or an unknown one.
func (id *identifier) is(live string, at standing) bool {
	for entity, bound := range id.live {
		if bound != live {
			continue
		}
		there := at.entity(id)
		if id.isSlug() || at.names(id) && (entity == "" || there == "" || entity == there || id.asked[tied{entity, there}]) {
			return true
		}
	}
	return false
}

// strays says whether a common identifier should have become another one at a place that says what it identifies.
func (id *identifier) strays(at standing) bool {
	entity := at.entity(id)
	live, ok := id.live[entity]
	return ok && entity != "" && live != id.text && at.key.identifies
}

// isSlug says whether it is more than a number or a word of the language: fjord-owl.
func (id *identifier) isSlug() bool {
	all := classes(id.text)
	return all&(isLower|isUpper) != 0 && all&^(isLower|isUpper) != 0
}

func (id *identifier) isNumber() bool { return classes(id.text) == isDigit }

// longNumber is how many digits a number has at least that hardly means two things in one session.
const longNumber = 4

// isRare says whether it hardly means anything else in its session.
func (id *identifier) isRare() bool {
	return id.isSlug() || id.isNumber() && len(id.text) >= longNumber
}

// mayBe says whether an occurrence in a text may be the common identifier, and no quantity.
func (id *identifier) mayBe(text string, o occurrence) bool {
	return id.isSlug() || id.isCalled(text, o, false) || id.isNumber() && !isQuantity(text, o)
}

// isCalled says whether what stands before an occurrence says that it names something: issue 7, id: 7, #7, issues/7. Strictly, it
// says that it is what the identifier names.
func (id *identifier) isCalled(text string, o occurrence, strictly bool) bool {
	context := contextOf(text, o.from)
	word := firstWord(context)
	if word == "" || !hasWord(word) {
		return !strictly && strings.HasSuffix(context, "#")
	}
	one := noun([]string{word})
	if id.entities[one] || id.hints[one] {
		return true
	}
	between := context[len(word):]
	return !strictly && (strings.HasSuffix(between, "#") || strings.HasSuffix(between, "/") || word == "id" || word == "ids" || word == "key" || word == "ref")
}

// inArgument gives what a common identifier in a longer argument is today.
func (id *identifier) inArgument(text string, o occurrence) (string, bool) {
	if len(id.live) != 1 || len(text) == len(id.text) {
		return "", false
	}
	called := id.isCalled(text, o, true) || id.isRare() && !strings.ContainsAny(text, " \n") && !isQuantity(text, o)
	for _, live := range id.live {
		return live, called
	}
	return "", false
}

// quantities are words before a number that is none.
var quantities = set("amount at attempt column count length level limit line offset order page port position priority rank retry revision row score size step sum total version")

// isQuantity says whether a number in a text counts or measures, or is a figure of a date, a time or a version.
func isQuantity(text string, o occurrence) bool {
	before, after := text[:o.from], text[o.to:]
	if n := len(before); n > 1 && classOf[before[n-2]]&isDigit != 0 && strings.IndexByte(".:-", before[n-1]) >= 0 {
		return true
	}
	if len(after) > 1 && classOf[after[1]]&isDigit != 0 && strings.IndexByte(".:-", after[0]) >= 0 {
		return true
	}
	context := contextOf(text, o.from)
	label := firstWord(context)
	if one := singular(label); quantities[one] || one != label && strings.ContainsAny(context[len(label):], ":=") {
		return true
	}
	if strings.HasPrefix(after, "%") {
		return true
	}
	counted, ok := strings.CutPrefix(after, " ")
	counted = strings.ToLower(firstWord(counted))
	return ok && (counted == "of" || singular(counted) != counted)
}
