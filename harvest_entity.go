package reprise

import "slices"

// What a harvest of a live server asks of the names that it meets. They rank, and say which values fit; they say nothing
// of whether a call does harm (see SafetyOf).

// Asks is the entity that a parameter of a tool asks for, as far as the session knows: issueId asks for an issue. It is "" when
// that is unknown.
func (d *Deriver) Asks(tool, parameter string) string {
	return d.trace.entity(d.trace.keys.named(parameter), "", d.trace.tools.noun(tool))
}

// ListShaped says whether the name of a tool sounds as if it lists or searches.
func ListShaped(tool string) bool {
	return slices.ContainsFunc(splitWords(tool), func(word string) bool {
		switch word {
		case "list", "search", "find", "query", "browse", "all":
			return true
		}
		return false
	})
}

// AsksKey says how well a value that stood under a key fits a parameter of the same entity: 0 does not (a name is no id),
// more is better. A parameter that is no more than the entity itself takes whatever identifies it, an id before a name.
func AsksKey(parameter, key string) int {
	asks, has := readKey(parameter), readKey(key)
	switch {
	case asks.norm == has.norm:
		return 6
	case asks.bare != "":
		return 1 + slices.Index([]string{"name", "key", "id"}, kindOfKey(key))
	case kindOfKey(parameter) == kindOfKey(key):
		return 5
	}
	return 0
}

// kindOfKey is the word that a key ends in: id of issueIds.
func kindOfKey(key string) string {
	words := splitWords(cutText(key, longKey))
	if len(words) == 0 {
		return ""
	}
	return singular(words[len(words)-1])
}
