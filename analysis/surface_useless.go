package analysis

import (
	"fmt"
	"strings"
	"unicode"

	"reprise"

	"github.com/tidwall/gjson"
)

var uselessDescription = &Analyzer{
	Name: "useless-description",
	Doc: "A tool has no description, or one that only repeats its name; or nothing says what a required parameter is. The first counts where something is left to " +
		"explain: the name is one word, or a parameter has no description. The second counts for strings whose name tells nothing (id, data, input, value, q, …), where " +
		"neither their schema nor the tool's description has a word on them. Source: W17, W25.",
	Severity: Medium,
	Sphere:   OfListing,
	Run: func(p *Pass) {
		p.eachTool(func(t *Tool) {
			described := describedBy(t)
			switch {
			case !forModel(t):
				return
			case described == "":
				p.Report(undescribed(t, "The tool has no description."))
				return
			case repeats(t.Name, described) && !plainEnough(t):
				p.Report(undescribed(t, fmt.Sprintf("The tool's description only repeats its name: %s.", quote(described))))
			}
			if dark := darkParameters(t, described); len(dark) > 0 {
				p.Report(darkFinding(t, dark))
			}
		})
	},
}

// describedBy is what describes a tool as a whole; in its inputSchema too, which models see.
func describedBy(t *Tool) string {
	inner := reprise.Member(reprise.Member(t.JSON, "inputSchema").Raw, "description")
	return strings.TrimSpace(t.Description() + " " + inner.String())
}

func undescribed(t *Tool, what string) Finding {
	return Finding{
		Tool:        t.Name,
		What:        what,
		Consequence: "The agent guesses from the name what the tool does and when to use it, and calls it in vain or not at all.",
		Suggestion:  "Say in a sentence or two what the tool does, when to use it, and what it returns.",
		Evidence:    []int64{t.Seq},
	}
}

// plainEnough says whether there is nothing to explain: list_warehouses, with no parameter that is not described.
func plainEnough(t *Tool) bool {
	if len(wordsOf(t.Name)) < 2 {
		return false
	}
	for _, one := range t.Parameters() {
		if strings.TrimSpace(one.Description) == "" && len(one.Enum) == 0 {
			return false
		}
	}
	return true
}

// repeats says whether a description has no word that the tool's name has not. One that ends in dots has been cut.
func repeats(name, description string) bool {
	if len(description) > 500 || strings.HasSuffix(description, "…") || strings.HasSuffix(description, "...") {
		return false
	}
	known := map[string]bool{}
	for _, word := range wordsOf(name) {
		known[stem(word)] = true
	}
	for _, word := range wordsOf(description) {
		if !known[stem(word)] && !fillers(word) {
			return false
		}
	}
	return true
}

// fillers are words that add nothing to a name.
func fillers(word string) bool {
	switch word {
	case "a", "an", "the", "this", "tool", "function", "to", "of", "for":
		return true
	}
	return false
}

// stem takes the endings off that a verb has in a sentence: Gets users, Listing, Closed.
func stem(word string) string {
	for _, ending := range []string{"ing", "es", "ed", "s", "e"} {
		if cut, ok := strings.CutSuffix(word, ending); ok && len(cut) > 2 {
			return strings.TrimSuffix(cut, "e")
		}
	}
	return word
}

// wordsOf splits a name or a sentence into its words, in lower case: getUser_by-id → get user by id.
func wordsOf(text string) (words []string) {
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	lower := false
	for _, r := range text {
		if unicode.IsUpper(r) && lower || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, r)
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return words
}

// telling says whether the name of a parameter says by itself what is wanted. Only those that are known not to are held against a tool.
func telling(name string) bool {
	switch strings.ToLower(name) {
	case "id", "data", "input", "value", "val", "q", "params", "param", "payload", "arg", "args", "body", "object", "obj", "item", "ref",
		"x", "s", "str", "string":
		return false
	}
	return true
}

// darkParameters are the parameters that nothing explains.
func darkParameters(t *Tool, described string) (names []string) {
	text := ""
	for _, one := range t.Parameters() {
		if !one.Required || telling(one.Name) || strings.TrimSpace(one.Description) != "" || len(one.Enum) > 0 || explains(one.JSON, one.Name) {
			continue
		}
		if text == "" {
			text = strings.ToLower(described)
		}
		if !hasWord(text, strings.ToLower(one.Name)) {
			names = append(names, one.Name)
		}
	}
	return names
}

// explains says whether a parameter's schema says anything but that it is a string. A title that repeats the name, as libraries
// write it, says nothing.
func explains(schema, name string) (more bool) {
	if reprise.Member(schema, "type").Str != "string" {
		return true
	}
	gjson.Parse(schema).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type", "description", "minLength", "maxLength":
		case "title":
			more = more || !repeats(name, value.String())
		default:
			more = true
		}
		return !more
	})
	return more
}

// fewNames is how many parameters a finding names.
const fewNames = 8

func darkFinding(t *Tool, dark []string) Finding {
	quoted := make([]string, 0, fewNames)
	for _, name := range dark[:min(len(dark), fewNames)] {
		quoted = append(quoted, quote(name))
	}
	return Finding{
		Tool: t.Name, Place: "inputSchema", Severity: Low,
		What:        fmt.Sprintf("%s without a description: %s.", counted(len(dark)), strings.Join(quoted, ", ")),
		Consequence: "The agent guesses what to pass, and learns what is wanted from failures.",
		Suggestion:  "Say what each is: of what, in which form, and which tool gives it; or give it a name that says so.",
		Evidence:    []int64{t.Seq},
	}
}

func counted(n int) string {
	if n == 1 {
		return "A required parameter is"
	}
	return thousands(n) + " required parameters are"
}
