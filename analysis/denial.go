package analysis

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"reprise"
)

// mark stands in a failure's words for a value that the call brought into them, and part for the name of a parameter.
const (
	mark = "·"
	part = "¤"
)

// denials say that what a call names is not there, or no good.
var denials = sync.OnceValue(func() *regexp.Regexp {
	return words(`unknown|not found|no such|no \S+|does not exist|doesn't exist|do not exist|did not exist|not exist|nonexistent|(?:cannot|can't|could not|couldn't|unable to|failed to) (?:find|locate)|unrecogni[sz]ed|not recogni[sz]ed|not registered|not in|vanished|lost|no rows|keyerror|enoent|noent|undefined|invalid|not (?:a )?valid|bad|404|missing|required|validation|expected`)
})

// internals are failures in which a server says itself that it broke.
var internals = sync.OnceValue(func() *regexp.Regexp {
	return words(`internal (?:server )?error|traceback|typeerror|referenceerror|attributeerror|indexerror|nullpointerexception|nil pointer|undefined is not|cannot read propert(?:y|ies) of|is not a function|panic|stack trace|index out of (?:range|bounds)|segmentation fault|unhandled \w+|uncaught \w+|assertion failed|object reference not set|null reference|nullreferenceexception`)
})

// plainWords are those of a failure that has no reason beside the values: a denial, or that something did not work. A failure with any
// other word may have a reason that the session cannot check: a role, a rule of the domain, another language.
var plainWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{mark: true, part: true}
	for _, w := range strings.Fields(`a an the this that such any no not with by of for at in is was are were be does do did doesn t don didn isn wasn t could couldn cannot can unable to has have been
		id ids identifier identifiers key keys number numbers name names value values uri url uuid slug code item items object objects record records entity resource resources entry result results tool call
		found find exist exists existing unknown unrecognized unrecognised recognized nonexistent invalid valid bad wrong missing undefined null nil registered known
		error errors statuscode message failed failure fail fails failing exception boom oops broken broke crashed crash unexpected
		load loading loaded read reading fetch fetching fetched get getting retrieve retrieving retrieved open opening show lookup look up locate resolve resolved
		404 mcp rpc input output argument arguments parameter parameters param params request validation required expected received got string number integer boolean object array
		enoent noent e http status executing while something vanished lost planted defect database db store storage sql index row rows set list collection backend server internal
		keyerror valueerror lookuperror runtimeerror notfounderror notfoundexception mcperror toolerror resourcenotfound please check given provided requested specified supplied you i we it there and cursor sorry`) {
		set[w] = true
	}
	return set
})

// blames says whether a failure denies a value that the server had given, says that the server broke, or, of what only reads, says nothing at
// all.
func (s *suspect) blames() bool {
	switch {
	case internals().MatchString(s.plain):
		return true
	case !s.hasNoReason():
		return false
	case denials().MatchString(s.plain):
		return s.about()
	}
	return s.asked.Listing == nil || s.asked.Listing.Safety == reprise.SafetyReadOnly
}

// hasNoReason says whether all words of a failure are plain, or name what the call's values identify.
func (s *suspect) hasNoReason() bool {
	entities := map[string]bool{}
	for _, u := range s.asked.Uses {
		for _, w := range append(wordsOf(u.ValueEntity), wordsOf(lastOf(u.Path))...) {
			entities[w], entities[w+"s"] = true, true
		}
		for _, w := range wordsOf(s.asked.Name) { // repo, of a repository
			entities[w] = entities[w] || len(w) > 2 && strings.HasPrefix(u.ValueEntity, w)
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(s.plain), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && string(r) != mark && string(r) != part
	}) {
		if !plainWords()[w] && !entities[w] && strings.Trim(w, "0123456789") != "" {
			return false
		}
	}
	return true
}

// about says whether a denial can only be of a value that was given: it names one, its parameter or its entity, or the tool is about its
// entity. That no release was found is no word about the repository.
func (s *suspect) about() bool {
	if strings.Contains(s.plain, mark) || strings.Contains(s.plain, part) || s.asked.Method == "resources/read" {
		return true
	}
	said, tool := wordsOf(s.said), wordsOf(s.asked.Name)
	if i := slices.IndexFunc(tool, func(w string) bool { return strings.Contains(" by for in from of to with on at ", " "+w+" ") }); i > 0 {
		tool = tool[:i] // the readme of a repository
	}
	last := tool[max(len(tool)-1, 0):]
	for _, u := range s.asked.Uses {
		for _, entity := range wordsOf(u.ValueEntity) {
			if u.Source == reprise.SourceHarvested && (hasStem(said, entity) || hasStem(last, entity) || len(last) == 1 && len(last[0]) > 2 && strings.HasPrefix(entity, last[0])) {
				return true
			}
		}
	}
	return false
}

// hasStem says whether one of some words is a word, or more than one of it.
func hasStem(list []string, word string) bool {
	for _, w := range list {
		if w == word || w == word+"s" {
			return true
		}
	}
	return false
}

// deniesValue says whether a failure denies a value or parameter that it names.
func (s *suspect) deniesValue() bool {
	return s.hasNoReason() && denials().MatchString(s.plain) && (strings.Contains(s.plain, mark) || strings.Contains(s.plain, part))
}

// lastOf is the last member of a path.
func lastOf(path string) string {
	path = strings.TrimRight(path, "[]0123456789")
	return path[strings.LastIndexByte(path, '.')+1:]
}
