package analysis

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNoRuleIsLaterThanItsTest: a row of docs/eval-rules.md stands there once, and says "later" just of those rules that no test is named after;
// each test that is named after a rule has a row.
func TestNoRuleIsLaterThanItsTest(t *testing.T) {
	doc, err := os.ReadFile("../docs/eval-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	tests, seen := namedAfterRules(t), map[string]bool{}
	row := regexp.MustCompile(`(?m)^\| ([SW]\d+) \| (.+) \| (.+) \| (\w+) \|$`)
	for _, cells := range row.FindAllStringSubmatch(string(doc), -1) {
		rule, tested := cells[1], cells[4]
		switch {
		case seen[rule]:
			t.Errorf("%s has two rows", rule)
		case tested == "later" && tests[rule] != "":
			t.Errorf("%s says later, and there is %s", rule, tests[rule])
		case tested == "yes" && tests[rule] == "":
			t.Errorf("%s says yes, and no test is named after it", rule)
		}
		seen[rule] = true
	}
	if len(seen) != 81+54 {
		t.Errorf("the table has %d rules", len(seen))
	}
	for rule, test := range tests {
		if !seen[rule] {
			t.Errorf("%s is named after %s, which has no row", test, rule)
		}
	}
}

// namedAfterRules are the tests of the module by the rule in their names.
func namedAfterRules(t *testing.T) map[string]string {
	t.Helper()
	named := regexp.MustCompile(`^Test([SW]\d+)_`)
	tests := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || elsewhere(d.Name())):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				if m := named.FindStringSubmatch(f.Name.Name); m != nil {
					tests[m[1]] = f.Name.Name
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// elsewhere says whether a directory has no tests of ours.
func elsewhere(dir string) bool { return dir == "build" || dir == "third_party" || dir == "testdata" }
