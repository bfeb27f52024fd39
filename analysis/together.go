package analysis

import (
	"fmt"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// apart says which two harvested arguments the session shows not to belong together, "" where it shows none: the comment of one issue
// asked for under another. Each alone is what the server gave, and it rejects the pair rightly.
func (s *suspect) apart() string {
	var given []*reprise.Use
	for _, u := range s.asked.Uses {
		if u.Source == reprise.SourceHarvested && len(given) < maxPairs {
			given = append(given, u)
		}
	}
	for i, a := range given {
		for _, b := range given[:i] {
			if a.ValueEntity == b.ValueEntity && keyOf(a.Path) == keyOf(b.Path) {
				continue // two of a kind
			}
			if s.split(a, b) || s.contradicts(a, b) || s.contradicts(b, a) || !s.joined(a, b) && !s.joined(b, a) && !s.deniesOne() {
				return fmt.Sprintf("%s and %s need not belong together", named(b), named(a))
			}
		}
	}
	return ""
}

// split says whether two values come from different records of one list.
func (s *suspect) split(a, b *reprise.Use) bool {
	if a.ValueSeq != b.ValueSeq || a.ValueIndex != b.ValueIndex {
		return false
	}
	n := 0
	for n < len(a.ValuePath) && n < len(b.ValuePath) && a.ValuePath[n] == b.ValuePath[n] {
		n++
	}
	return inIndex(a.ValuePath, n) && inIndex(b.ValuePath, n)
}

// inIndex says whether a place of a path stands in the number of an element.
func inIndex(path string, at int) bool {
	open := strings.LastIndexByte(path[:min(at, len(path))], '[')
	return open >= 0 && strings.IndexByte(path[open:min(at, len(path))], ']') < 0
}

// joined says whether the session shows that b belongs to a: both stand in one record, or the call that gave b was asked for a's.
func (s *suspect) joined(a, b *reprise.Use) bool {
	if !a.Identifies() || !b.Identifies() || a.ValueEntity == "cursor" || b.ValueEntity == "cursor" {
		return true // it is no question of belonging
	}
	birth := s.judge.ledger.gave(b)
	if birth == nil {
		return false
	}
	return a.ValueSeq == b.ValueSeq && a.ValueIndex == b.ValueIndex || birth.has(a.JSON) || strings.Contains(birth.record(b.ValuePath).Raw, a.JSON)
}

// deniesOne says whether the failure denies a value, and speaks of no other: then it is not about the pair.
func (s *suspect) deniesOne() bool { return s.deniesValue() && strings.Count(s.plain, mark) == 1 }

// contradicts says whether the call or the record that gave b names another a.
func (s *suspect) contradicts(a, b *reprise.Use) bool {
	birth := s.judge.ledger.gave(b)
	if birth == nil {
		return false
	}
	for _, arg := range birth.args {
		if keyOf(arg.path) == keyOf(a.Path) && arg.json != a.JSON {
			return true
		}
	}
	return names(birth.record(b.ValuePath), a)
}

// names says whether a record has a member for what an argument asks for, and another value in it.
func names(record gjson.Result, u *reprise.Use) (other bool) {
	key, entity := keyOf(u.Path), u.ValueEntity
	if !record.IsObject() {
		return false
	}
	record.ForEach(func(k, value gjson.Result) bool {
		name := keyOf(k.Str)
		if (name == key || entity != "" && (name == entity || name == entity+"id")) && !value.IsObject() && !value.IsArray() {
			other = string(reprise.Canonical(value.Raw)) != string(reprise.Canonical(u.JSON))
		}
		return !other
	})
	return other
}

// keyOf is the last member of a path, for comparing: small letters and digits.
func keyOf(path string) string {
	if end := strings.IndexByte(path, '['); end > 0 && strings.HasSuffix(path, "]") {
		path = path[:end]
	}
	path = path[strings.LastIndexByte(path, '.')+1:]
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, path)
}
