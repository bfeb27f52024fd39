package analysis

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"reprise"

	"github.com/tidwall/gjson"
)

var changedEcho = &Analyzer{
	Name: "changed-echo",
	Doc: "A tool that writes was given a name, took another one (hero became hero-1-2-3, or Hero), and its result does not say so. It counts where the result has the argument's " +
		"key with the changed value: a number added, or of a name the case folded. Addresses, paths and versions, which are put into a normal form, are left " +
		"alone, and so is a result in which a text has both values or speaks of a warning. Source: W23c.",
	Severity: Medium,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		room := placeRoom{}
		p.Calls(func(e *Exchange) {
			if !plainCall(e) || e.Listing == nil || readsOnly(e) || !hasResult(e) || e.ResponseSize > maxResult {
				return
			}
			if given := givenTexts(e); len(given) > 0 && meansToWrite(e.Listing) {
				compareEcho(p, e, given, room)
			}
		})
	},
}

// meansToWrite says whether a tool declares that it writes, or has a name that says so. A search may well give a longer name than the one
// that it was asked for.
func meansToWrite(t *Tool) bool {
	hint := reprise.Member(reprise.Member(t.JSON, "annotations").Raw, "readOnlyHint")
	return t.Safety == reprise.SafetyDestructive || hint.Type == gjson.False && hint.Exists() || writeVerbs().MatchString(t.Name)
}

var writeVerbs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)create|add|insert|new|make|write|put|save|store|upload|rename|update|set|edit|build|register|define|publish|post|copy|duplicate`)
})

// givenText is a text that a call gave for a key.
type givenText struct{ path, key, text string }

// maxGivenText is how long what is taken for a name may be.
const maxGivenText = 200

// givenTexts are the arguments that may be names.
func givenTexts(e *Exchange) (list []givenText) {
	for i, u := range e.Uses {
		if i == maxPairs {
			break
		}
		text := plainText(u.JSON)
		if u.JSON == "" || u.JSON[0] != '"' || len(text) < 2 || len(text) > maxGivenText || strings.ContainsAny(text, "/\\\n<{:@") {
			continue
		}
		if key := keyOf(u.Path); key != "" && !madeExact(key) && strings.IndexFunc(text, isLetter) >= 0 {
			list = append(list, givenText{u.Path, key, text})
		}
	}
	return list
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f }

// madeExact says whether what stands under a key is made exact by a server as a matter of course.
func madeExact(key string) bool {
	for _, word := range []string{"version", "model", "ref", "sha", "commit", "revision", "url", "uri", "path", "email", "host", "domain", "image", "date", "time", "id", "status", "color", "locale", "query", "range"} {
		if strings.HasSuffix(key, word) {
			return true
		}
	}
	return false
}

// echoedTexts are the texts in a result by their key, at most maxEchoes.
type echoedTexts struct {
	byKey map[string][]string
	texts []string
	warns bool
}

const maxEchoes = 256

// read walks a result, as far as names reach: three levels.
func (s *echoedTexts) read(key string, value gjson.Result, depth int) {
	switch {
	case len(s.texts) >= maxEchoes:
	case value.Type == gjson.String:
		s.byKey[key] = append(s.byKey[key], value.Str)
		s.texts = append(s.texts, value.Str)
	case value.IsArray() && depth > 0:
		value.ForEach(func(_, item gjson.Result) bool {
			s.read(key, item, depth-1)
			return len(s.texts) < maxEchoes
		})
	case value.IsObject() && depth > 0:
		value.ForEach(func(k, item gjson.Result) bool {
			name := keyOf(k.Str)
			s.warns = s.warns || changeWords().MatchString(k.Str)
			s.read(name, item, depth-1)
			return len(s.texts) < maxEchoes
		})
	}
}

// changeWords are the words of a result that tells of a change.
var changeWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)warn|renam|adjust|normali[sz]|collision|collid|conflict|already|duplicate|taken|unique|original|requested|instead|previous|changed`)
})

func compareEcho(p *Pass, e *Exchange, all []givenText, room placeRoom) {
	found := echoedTexts{byKey: map[string][]string{}}
	found.read("", jsonOf(e.Result), 4)
	if len(found.texts) == 0 || len(found.texts) >= maxEchoes || found.warns {
		return
	}
	var said []string
	for _, text := range e.Texts() {
		if !gjson.Valid(text) {
			said = append(said, text)
		}
	}
	said = append(said, found.texts...)
	for _, g := range all {
		echo := found.of(g, all)
		if place := withoutIndices(g.path); echo != "" && !tellsOf(said, g.text, echo) && room.room(e.Name, place) {
			p.Report(echoFinding(e, g, echo, place))
		}
	}
}

// of is the changed value that stands for a given one, "" where none does, or it is not clear which.
func (s *echoedTexts) of(g givenText, all []givenText) (echo string) {
	under := s.byKey[g.key]
	asked := 0
	for _, other := range all {
		if other.key == g.key {
			asked++
		}
	}
	if len(under) > asked || slices.Contains(s.texts, g.text) {
		return ""
	}
	for _, text := range under {
		if numbered(g.text, text) || recased(g.key, g.text, text) {
			if echo != "" || slices.ContainsFunc(all, func(o givenText) bool { return o.text == text }) {
				return ""
			}
			echo = text
		}
	}
	return echo
}

// numbered says whether a text is a given one with a number added, at its end or before the ending of a file: hero-1-2-3, hero_2, hero (1).
func numbered(given, text string) bool {
	if ext := path.Ext(given); len(ext) > 1 && len(ext) < 7 && strings.HasSuffix(text, ext) && numbered(strings.TrimSuffix(given, ext), strings.TrimSuffix(text, ext)) {
		return true
	}
	rest, ok := strings.CutPrefix(text, given)
	return ok && addedNumber().MatchString(rest)
}

var addedNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[-_ ]\d{1,3}|[-_ ]?\(\d{1,3}\))+$`)
})

// tellsOf says whether a text of the result speaks of a change: it has both values, or a word for it.
func tellsOf(said []string, given, echo string) bool {
	for _, text := range said {
		if text == echo {
			continue
		}
		if changeWords().MatchString(text) || strings.Contains(text, echo) && strings.Contains(strings.ReplaceAll(text, echo, ""), given) {
			return true
		}
	}
	return false
}

func echoFinding(e *Exchange, g givenText, echo, place string) Finding {
	f := Finding{
		Tool:        e.Name,
		Place:       place,
		What:        fmt.Sprintf("%s was given %s %s, made it %s, and its result has no word about it.", quote(e.Name), shownPath(place), quote(g.text), quote(echo)),
		Consequence: fmt.Sprintf("The agent goes on with %s, which is not there, or is another one.", quote(g.text)),
		Suggestion:  "Say in the result, in words, that the name was taken and what it has become, or refuse the call and let the agent choose another.",
		Evidence:    []int64{e.Seq, e.Response},
	}
	if strings.EqualFold(g.text, echo) {
		f.Severity = Low
		f.Suggestion = "Say in the description which form names take, or keep them as they were given."
	}
	return f
}

// recased says whether a name came back in another case.
func recased(key, given, text string) bool {
	return given != text && strings.EqualFold(given, text) && (strings.HasSuffix(key, "name") || strings.HasSuffix(key, "title") ||
		strings.Contains(key, "class") || strings.HasSuffix(key, "slug") || strings.HasSuffix(key, "tag") || strings.HasSuffix(key, "label")) &&
		!strings.HasSuffix(key, "username")
}
