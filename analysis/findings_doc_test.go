package analysis

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEveryRuleIsDocumented: the table of docs/findings.md has a row for each rule, in order of their names, in the words of the rule.
func TestEveryRuleIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	const head = "| rule | severity | looks at | finds |\n|---|---|---|---|\n"
	_, table, found := strings.Cut(string(doc), head)
	if !found {
		t.Fatalf("docs/findings.md has no table that begins with\n%s", head)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rules := slices.Clone(All())
	slices.SortFunc(rules, func(a, b *Analyzer) int { return strings.Compare(a.Name, b.Name) })
	var want strings.Builder
	for _, rule := range rules {
		want.WriteString(ruleRow(rule))
	}
	if strings.TrimSpace(table) != strings.TrimSpace(want.String()) {
		t.Errorf("docs/findings.md has\n%s\nwhere the rules are\n%s", table, &want)
	}
}

// ruleRow is a rule in a table. Its first sentence says what it finds.
func ruleRow(rule *Analyzer) string {
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", rule.Name, rule.Severity, rule.Sphere, strings.ReplaceAll(firstSentence(rule.Doc), "|", `\|`))
}

func firstSentence(text string) string {
	for i := range text {
		rest := text[i:]
		if strings.HasPrefix(rest, ". ") && !strings.HasSuffix(text[:i], "e.g") && !strings.HasSuffix(text[:i], "i.e") {
			return text[:i+1]
		}
	}
	return text
}

// TestRulesAreWhole: each has what the driver and the table need, under a name of its own.
func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range All() {
		switch {
		case rule.Name == "" || strings.Trim(rule.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			t.Errorf("%q is no name of a rule", rule.Name)
		case seen[rule.Name]:
			t.Errorf("two rules are called %s", rule.Name)
		case firstSentence(rule.Doc) == rule.Doc:
			t.Errorf("%s says what it finds, but not why or from where it is known: %q", rule.Name, rule.Doc)
		case !slices.Contains(Severities(), rule.Severity):
			t.Errorf("%s has no severity: %q", rule.Name, rule.Severity)
		case !slices.Contains([]Sphere{OfCalls, OfListing, OfSession}, rule.Sphere):
			t.Errorf("%s looks nowhere: %q", rule.Name, rule.Sphere)
		case rule.Run == nil:
			t.Errorf("%s does nothing", rule.Name)
		}
		seen[rule.Name] = true
	}
}
