package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"reprise"
	"reprise/recorder"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v2"
)

// traced is a session whose second call takes what the first one gave, and more; its values are what a hostile server may give.
func traced() *capture {
	const from = "list_issues({ project: 'WEB', status: 'open' })"
	s := &reprise.Session{ID: "01a22d37-524b-7321-a9e1-834bf10bd1e8", Frames: 31, Calls: 3}
	c := &capture{session: s}
	for _, call := range []*reprise.Call{
		{Seq: 17, Method: "tools/call", Name: "list_issues", Status: reprise.StatusOK, Response: 18, Partial: true},
		{Seq: 21, Method: "tools/call", Name: "get_issue", Status: reprise.StatusToolError, Response: 22},
		{Seq: 30, Method: "elicitation/create", Direction: reprise.ServerToClient, Status: reprise.StatusOK, Response: 31},
	} {
		c.calls = append(c.calls, &reprise.Entry{Session: s, Call: call})
	}
	c.values = []*reprise.Value{
		{N: 1, Seq: 18, CallSeq: 17, Key: "id", Entity: "issue", JSON: `"ISS-4"`, From: from, Path: "issues[0].id"},
		{N: 2, Seq: 18, CallSeq: 17, Key: "id", Entity: "team", JSON: `7.0`, From: from, Path: "issues[0].team.id"},
		{N: 3, Seq: 18, CallSeq: 17, Key: "title", JSON: `"\u001b[31mred` + "\u202e 読む" + `"`, From: from, Path: "issues[0].title", Echo: true},
	}
	harvested := reprise.Use{Seq: 21, CallSeq: 21, Tool: "get_issue", Source: reprise.SourceHarvested, ValueN: 1, ValueSeq: 18}
	id, team, url := harvested, harvested, harvested
	id.Path, id.JSON, id.Relation, id.ValuePath, id.ValueEntity = "issueId", `"ISS-4"`, reprise.RelationSame, "issues[0].id", "issue"
	team.Path, team.JSON, team.Relation, team.ValuePath, team.ValueEntity, team.Stale = `options.deep["odd key"].projectIds[0]`, `7`, reprise.RelationOther, "issues[0].team.id", "team", true
	team.ValueN = 2
	url.Path, url.JSON, url.Relation, url.ValuePath, url.Source = "url", `"https://issues.example/ISS-4"`, reprise.RelationUnknown, "issues[0].id", reprise.SourceDerived
	c.uses = []*reprise.Use{
		{Seq: 17, CallSeq: 17, Tool: "list_issues", Path: "status", JSON: `"open"`, Source: reprise.SourceLiteral, Ground: reprise.GroundEnum},
		{Seq: 17, CallSeq: 17, Tool: "list_issues", Path: "projectId", JSON: `"WEB"`, Source: reprise.SourceSynthesized, Ground: reprise.GroundForgotten},
		&id, &team, &url,
		{Seq: 21, CallSeq: 21, Tool: "get_issue", Path: "note", JSON: `"\"\\` + "\x1b]0;x\x07\xff&lt;" + strings.Repeat("読む", 99) + `"`, Source: reprise.SourceSynthesized},
		{Seq: 31, CallSeq: 30, Tool: "elicitation/create", Path: "content.confirm", JSON: `true`, Source: reprise.SourceTold, Ground: reprise.GroundElicitation},
	}
	c.complete()
	return c
}

// provenanceOf is what the command writes of a session into so many columns.
func provenanceOf(t *testing.T, c *capture, columns string, args ...string) string {
	t.Helper()
	var out strings.Builder
	p := &program{stdout: &out, stderr: io.Discard, now: time.Now, getenv: func(key string) string { return map[string]string{"COLUMNS": columns}[key] }}
	command := p.provenanceCommand()
	command.Action = func(flags *cli.Context) error {
		o, err := p.provenanceOptions(flags)
		if err != nil {
			return err
		}
		v := view{ctx: t.Context(), src: c, session: c.session, filter: o.calls, screen: p.screen(o.shared)}
		return errors.Join(p.trace(&v, o), v.screen.Flush())
	}
	commands := []*cli.Command{command}
	app := p.app(commands)
	if err := app.Run(append([]string{"reprise"}, arrange(append([]string{"provenance", "last"}, args...), commands)...)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestProvenanceOfEachArgument(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, `
SEQ   ARGUMENT                   SOURCE        FROM
 17 → list_issues                                                   ✓ ok
      status: "open"             = literal     enum in the schema
      projectId: "WEB"           ? synthesized looks like an id, perhaps seen
 21 → get_issue                                                     ✗ tool_error
      issueId: "ISS-4"           ↑ harvested   #18 issues[0].id  list_issues({ …
      …dd key"].projectIds[0]: 7 ↑ harvested   id of a team, stale, #18 issues[…
      url: "https…example/ISS-4" ~ derived     #18 issues[0].id  list_issues({ …
      note: "\"\\\x1b]0;x\x07\xff&lt;読む読む読む読む読む読む読…  ? synthesized
 31 → elicitation/create answer to #30                              ✓ ok
      content.confirm: true      » told        the user's answer
7 of 7 arguments: 2 harvested, 1 derived, 1 literal, 1 told, 2 synthesized
Results harvested in part, for they are long: #17.
`},
		{[]string{"--unsourced", "-q"}, `
 17 → list_issues                                                   ✓ ok
      projectId: "WEB"           ? synthesized looks like an id, perhaps seen
 21 → get_issue                                                     ✗ tool_error
      note: "\"\\\x1b]0;x\x07\xff&lt;読む読む読む読む読む読む読…  ? synthesized
`},
		{[]string{"--tool", "elicit*", "-q"}, `
 31 → elicitation/create answer to #30                              ✓ ok
      content.confirm: true      » told        the user's answer
`},
		{[]string{"--tool", "list_issues", "status:error", "-q"}, "\n"},
		{[]string{"--values", "-q"}, `
 18 "ISS-4"                  issue         issues[0].id  list_issues({ project:…
    └ used twice: #21 get_issue issueId, #21 get_issue url
 18 7.0                      team          issues[0].team.id  list_issues({ pro…
    └ used once: #21 get_issue options.deep["odd key"].projectIds[0]
 18 "\u001b[31mred\u202e 読…               an echo, issues[0].title  list_issue…
`},
		{[]string{"--value", "ISS-4"}, `
SEQ EVENT                                  WHERE
 18 born "ISS-4"             issue         issues[0].id  list_issues({ project:…
 21 get_issue issueId        ↑ harvested   #18 issues[0].id  list_issues({ proj…
 21 get_issue url: "h…ISS-4" ~ derived     #18 issues[0].id  list_issues({ proj…
1 birth, 2 uses
Results harvested in part, for they are long: #17.
`},
	} {
		if got := "\n" + provenanceOf(t, traced(), "80", c.args...); got != c.want {
			t.Errorf("%v\n got %s\nwant %s", c.args, got, c.want)
		}
	}
}

// TestProvenanceKeepsToTheScreen whatever values, paths and names are.
func TestProvenanceKeepsToTheScreen(t *testing.T) {
	c := traced()
	wide := strings.Repeat("読", 200)
	c.uses = append(c.uses, &reprise.Use{Seq: 30, CallSeq: 30, Tool: wide + "\x1b[2J", Path: wide + "\x07." + wide, JSON: `"` + wide + "\u2028\"", Source: reprise.SourceHarvested,
		Relation: reprise.RelationOther, ValueEntity: wide, ValueSeq: 1 << 40, ValuePath: wide, Stale: true},
		&reprise.Use{Seq: 30, CallSeq: 30, Tool: "t", Path: "p", JSON: `"made"`, Source: reprise.SourceSynthesized})
	c.session.MetadataOnly, c.session.Gaps, c.session.LostFrames, c.session.LeftOut = true, 2, 3, 4
	for _, columns := range []string{"60", "61", "80", "120", "200"} {
		for _, args := range [][]string{nil, {"--values"}, {"--value", "ISS-4"}, {"--unsourced"}, {"--value", "nothing"}, {"--value", "made"}, {"--tool", "nothing"}} {
			out := provenanceOf(t, c, columns, args...)
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				if visible(line) != line {
					t.Errorf("%v lets through %q", args, line)
				}
				if _, _, whole := fit(line, atoi(columns)); !whole || strings.HasSuffix(line, " ") {
					t.Errorf("%v in %s columns: %q", args, columns, line)
				}
			}
		}
	}
}

func atoi(s string) int { return int(gjson.Parse(s).Int()) }

// TestProvenanceAsJSON embeds values as they crossed, and stays JSON whatever they are.
func TestProvenanceAsJSON(t *testing.T) {
	out := provenanceOf(t, traced(), "80", "--json")
	if !gjson.Valid(out) || strings.Count(out, "\n") != 1 {
		t.Fatalf("not one line of JSON: %s", out)
	}
	for path, want := range map[string]string{
		"values.#":               `3`,
		"values.1.value":         `7.0`,
		"values.2.echo":          `true`,
		"uses.#.seq":             `[17,17,21,21,21,21,31]`,
		"uses.0.ground":          `"enum"`,
		"uses.0.value_seq":       `null`,
		"uses.0.entity":          `null`,
		"uses.2.value":           `"ISS-4"`,
		"uses.2.entity":          `"same"`,
		"uses.2.value_seq":       `18`,
		"uses.2.value_n":         `1`,
		"uses.0.value_n":         `null`,
		"values.1.n":             `2`,
		"uses.2.value_path":      `"issues[0].id"`,
		"uses.2.value_from":      `"list_issues({ project: 'WEB', status: 'open' })"`,
		"uses.3.value":           `7`,
		"uses.3.stale":           `true`,
		"uses.6.call_seq":        `30`,
		"left_out.partial":       `[17]`,
		"left_out.metadata_only": `false`,
	} {
		if got := gjson.Get(out, path).Raw; got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
	if got := provenanceOf(t, traced(), "80", "--json", "--unsourced"); gjson.Get(got, "values.#").Int() != 0 || gjson.Get(got, "uses.#.path").Raw != `["projectId","note"]` {
		t.Errorf("--unsourced gives %s", got)
	}
}

// TestProvenanceAsGraph is one that Graphviz reads.
func TestProvenanceAsGraph(t *testing.T) {
	c := traced()
	c.calls = append(c.calls, &reprise.Entry{Session: c.session, Call: &reprise.Call{Seq: 25, Method: "resources/read", Name: "x://ISS-4", Status: reprise.StatusOK}})
	c.uses = append(c.uses, &reprise.Use{Seq: 25, CallSeq: 25, Tool: "resources/read", Path: "uri", JSON: `"x://ISS-4"`, Source: reprise.SourceDerived, ValueN: 1, ValueSeq: 18})
	out := provenanceOf(t, c, "80", "--dot")
	attribute := `\w+=("([^"\\]|\\["\\])*"|\w+)`
	statement := regexp.MustCompile(`^(digraph provenance \{|\}|  \w+=\w+|  \w+( -> \w+)? \[` + attribute + `(, ` + attribute + `)*\])$`)
	for line := range strings.Lines(out) {
		if line = strings.TrimSuffix(line, "\n"); !statement.MatchString(line) || visible(line) != line {
			t.Errorf("no statement of Graphviz's: %s", line)
		}
	}
	for _, want := range []string{
		`c17_0 -> c21_0 [label="issueId=\"ISS-4\""]`,
		`nowhere -> c17_0 [label="projectId=\"WEB\"", style=dashed]`,
		`c21_0 [label="#21 get_issue", color=red]`,
		`c25_0 [label="#25 resources/read x://ISS-4"]`,
		`&amp;lt;`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is missing in\n%s", want, out)
		}
	}
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("no dot to read it")
	}
	cmd := exec.Command("dot", "-Tsvg")
	cmd.Stdin = strings.NewReader(out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("dot: %v: %s", err, text)
	}
}

func TestWantedValue(t *testing.T) {
	for _, c := range []struct {
		text, value string
		want        bool
	}{
		{`ISS-4`, `"ISS-4"`, true},
		{`"ISS-4"`, `"ISS-4"`, true},
		{`"ISS-4"`, `"\"ISS-4\""`, true},
		{`ISS-4`, `"ISS-40"`, false},
		{`7`, `7`, true},
		{`7`, `7.0`, true},
		{`7`, `"7"`, true},
		{`"7"`, `7`, false},
		{`12345678901234567891`, `12345678901234567890`, false},
		{`true`, `true`, true},
		{`grüße`, `"gr\u00fc\u00dfe"`, true},
		{`a<b`, `"a<b"`, true},
		{`C:\x`, `"C:\\x"`, true},
	} {
		if got := newWanted(c.text).is(c.value); got != c.want {
			t.Errorf("--value %s is %s: %v", c.text, c.value, got)
		}
	}
}

// TestBirthOfOneOfManyInAText is the one that the argument is linked to, whatever else in the text it holds.
func TestBirthOfOneOfManyInAText(t *testing.T) {
	c := traced()
	for n, value := range []string{`"ISS-4"`, `"WEB"`} {
		c.values = append(c.values, &reprise.Value{N: int64(11 + n), Seq: 18, CallSeq: 17, JSON: value, Path: "content[0].text"})
	}
	c.uses = append(c.uses, &reprise.Use{Seq: 21, CallSeq: 21, Tool: "get_issue", Path: "query", JSON: `"ISS-4 of WEB"`, Source: reprise.SourceDerived,
		ValueN: 12, ValueSeq: 18, ValuePath: "content[0].text"})
	out := provenanceOf(t, c, "80", "--values", "-q")
	if want := " 18 \"WEB\"                                  content[0].text\n    └ used once: #21 get_issue query\n"; !strings.Contains(out, want) {
		t.Errorf("got %s\nwant %s", out, want)
	}
}

// TestValuesThatDifferInTheirKey say it where the path does not.
func TestValuesThatDifferInTheirKey(t *testing.T) {
	c := traced()
	for n, key := range []string{"issue", "parent"} {
		c.values = append(c.values, &reprise.Value{N: int64(11 + n), Seq: 18, CallSeq: 17, JSON: `"ISS-5"`, Key: key, Path: "content[0].text"})
	}
	out := provenanceOf(t, c, "80", "--values", "-q")
	for _, want := range []string{"content[0].text (issue)\n", "content[0].text (parent)\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func TestArticle(t *testing.T) {
	for noun, want := range map[string]string{"issue": "an", "Order": "an", "user": "a", "team": "a", "": "a"} {
		if got := article(noun); got != want {
			t.Errorf("%s %s", got, noun)
		}
	}
}

// growing is a session that goes on while it is read: its last call comes after the first look.
type growing struct {
	*capture
	looks int
}

func (g *growing) Entries(ctx context.Context, q recorder.Query) iter.Seq2[*reprise.Entry, error] {
	if g.looks++; g.looks == 1 {
		q.UpTo = 22
	}
	return g.capture.Entries(ctx, q)
}

// TestProvenanceOfALiveSession lists what was there at one of the looks.
func TestProvenanceOfALiveSession(t *testing.T) {
	for _, filter := range []string{"", "kind:request"} {
		c := traced()
		p := quietProgram()
		calls, err := p.parseFilter(filter)
		if err != nil {
			t.Fatal(err)
		}
		v := view{ctx: t.Context(), src: &growing{capture: c}, session: c.session, filter: calls, screen: p.screen(shared{})}
		for _, o := range []provenanceOptions{{}, {values: true}, {dot: true}} {
			if err := p.trace(&v, o); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestBoundsAreDocumented with the numbers that the constants have.
func TestBoundsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/provenance.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"WholeResult": reprise.WholeResult, "MaxHarvest": reprise.MaxHarvest, "MaxValues": reprise.MaxValues,
		"MaxUses": reprise.MaxUses, "LeafSize": reprise.LeafSize} {
		if row := fmt.Sprintf("| `%s` | %d,%03d |", name, n/1000, n%1000); !strings.Contains(string(doc), row) {
			t.Errorf("docs/provenance.md has no row %s", row)
		}
	}
}

// TestGroundsAreDocumented, and have words.
func TestGroundsAreDocumented(t *testing.T) {
	docs := map[string]string{"../../docs/provenance.md": "", "../../docs/json.md": "", "../../provenance.go": ""}
	for name := range docs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs[name] = string(text)
	}
	grounds := regexp.MustCompile(`(?m)^\tGround\w+ +Ground = "(\w+)"`).FindAllStringSubmatch(docs["../../provenance.go"], -1)
	if len(grounds) < 15 {
		t.Fatalf("only %d grounds are found", len(grounds))
	}
	for _, g := range grounds {
		for _, name := range []string{"../../docs/provenance.md", "../../docs/json.md"} {
			if !strings.Contains(docs[name], "`"+g[1]+"`") {
				t.Errorf("%s has no ground `%s`", name, g[1])
			}
		}
		if ground := reprise.Ground(g[1]); groundText(ground) == g[1] && !doubtful(&reprise.Use{Ground: ground}) {
			t.Errorf("there are no words for the ground %s", g[1])
		}
	}
}

// TestArgumentsThatLookLikePaths show both of their ends.
func TestArgumentsThatLookLikePaths(t *testing.T) {
	for _, c := range []struct {
		columns int
		value   string
		want    string
	}{
		{20, `"/srv/a.md"`, `"/srv/a.md"`},
		{20, `"/srv/notes/very/long/way/to.md"`, `"/srv/…ng/way/to.md"`},
		{20, `"what a/b and c/d are about"`, `"what a/b and c/d a…`},
		{20, `"/srv/\u001b\u001b/読む読む読む.md"`, `"/srv/\…読む読む.md"`},
		{1, `"/srv/notes"`, "…"},
		{0, `"/srv/notes"`, ""},
	} {
		cell := quietProgram().screen(shared{}).cell(c.columns)
		if got := cell.addEnds(plain, c.value).trimmed(); got != c.want {
			t.Errorf("%s in %d columns: %s, want %s", c.value, c.columns, got, c.want)
		}
	}
}

// TestMarksAreDocumented as show writes them.
func TestMarksAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/provenance.md")
	if err != nil {
		t.Fatal(err)
	}
	for source, m := range signs {
		if !regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(m.text) + "[0-9]*` \\| " + string(source)).Match(doc) {
			t.Errorf("docs/provenance.md does not explain %s %s", m.text, source)
		}
	}
}
