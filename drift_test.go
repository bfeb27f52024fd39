package reprise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// found writes what was found in one line each: tier path: message.
func found(list []Drifted) string {
	var lines []string
	for _, d := range list {
		lines = append(lines, fmt.Sprintf("%s %s: %s", d.Tier, d.Path, d.Message))
	}
	return strings.Join(lines, "\n")
}

// TestDriftOfTools has the rows of the tier table, each in both directions. Of a message, the beginning counts.
func TestDriftOfTools(t *testing.T) {
	const hinted = `{"name":"t","annotations":{%s}}`
	annotated := func(hints string) string { return fmt.Sprintf(hinted, hints) }
	for _, c := range []struct{ name, old, new, there, back string }{
		{"description", `{"name":"t","description":"a b"}`, `{"name":"t","description":"a c"}`,
			"dangerous description: description changed", "dangerous description: description changed"},
		{"description there", `{"name":"t"}`, `{"name":"t","description":"a"}`,
			"dangerous description: description added", "dangerous description: description gone"},
		{"blanks", `{"name":"t","description":"a b"}`, `{"name":"t","description":" a\n  b"}`,
			"info description: description changed in its blanks", "info description: description changed in its blanks"},
		{"hidden characters are no blanks", `{"name":"t","description":"ab"}`, `{"name":"t","description":"a\u200bb"}`,
			"dangerous description: ", "dangerous description: "},
		{"spelling", `{"name":"t","description":"\u00e4","n":1}`, `{"n":1.0,"name":"t","description":"ä"}`, "", ""},
		{"title", `{"name":"t","title":"a"}`, `{"name":"t","title":"b"}`, "minor title: title changed", "minor title: title changed"},
		{"null is absent", `{"name":"t","title":null,"outputSchema":null,"annotations":null}`, `{"name":"t"}`, "", ""},
		{"icons", `{"name":"t"}`, `{"name":"t","icons":[]}`, "info icons: icons added", "info icons: icons gone"},
		{"meta", `{"name":"t","_meta":{"a":1}}`, `{"name":"t","_meta":{"a":2}}`, "info _meta: _meta changed", "info _meta: _meta changed"},

		{"read-only", annotated(`"readOnlyHint":true`), annotated(`"readOnlyHint":false`),
			"dangerous annotations.readOnlyHint: no longer", "minor annotations.readOnlyHint: readOnlyHint changed"},
		{"read-only gone", annotated(`"readOnlyHint":true`), `{"name":"t"}`,
			"dangerous annotations.readOnlyHint: no longer", "minor annotations.readOnlyHint: readOnlyHint added"},
		{"read-only no boolean", annotated(`"readOnlyHint":true`), annotated(`"readOnlyHint":"true"`),
			"dangerous annotations.readOnlyHint: no longer", "minor annotations.readOnlyHint: readOnlyHint changed"},
		{"read-only by default", annotated(`"readOnlyHint":false`), annotated(``),
			"info annotations.readOnlyHint: ", "info annotations.readOnlyHint: "},
		{"destructive", annotated(``), annotated(`"destructiveHint":true`),
			"dangerous annotations.destructiveHint: declared", "info annotations.destructiveHint: "},
		{"destructive, said otherwise", annotated(`"destructiveHint":false`), annotated(`"destructiveHint":true`),
			"dangerous annotations.destructiveHint: declared", "minor annotations.destructiveHint: "},
		{"not destructive", annotated(`"destructiveHint":false`), annotated(``),
			"dangerous annotations.destructiveHint: no longer", "minor annotations.destructiveHint: "},
		{"idempotent", annotated(`"idempotentHint":true`), annotated(`"idempotentHint":false`),
			"minor annotations.idempotentHint: ", "minor annotations.idempotentHint: "},
		{"idempotent by default", annotated(`"idempotentHint":false`), annotated(`"title":null`),
			"info annotations.idempotentHint: ", "info annotations.idempotentHint: "},
		{"open world by default", annotated(`"openWorldHint":true`), annotated(``),
			"info annotations.openWorldHint: ", "info annotations.openWorldHint: "},
		{"annotated title", annotated(`"title":"a"`), annotated(`"title":"b"`), "minor annotations.title: ", "minor annotations.title: "},

		{"tasks required", `{"name":"t"}`, `{"name":"t","execution":{"taskSupport":"required"}}`,
			"breaking execution.taskSupport: ", "breaking execution.taskSupport: "},
		{"tasks optional", `{"name":"t"}`, `{"name":"t","execution":{"taskSupport":"optional"}}`,
			"minor execution.taskSupport: ", "breaking execution.taskSupport: "},
		{"tasks forbidden", `{"name":"t","execution":{}}`, `{"name":"t","execution":{"taskSupport":"forbidden"}}`,
			"info execution.taskSupport: ", "info execution.taskSupport: "},

		{"output schema", `{"name":"t"}`, `{"name":"t","outputSchema":{"type":"object"}}`,
			"minor outputSchema: outputSchema added", "breaking outputSchema: outputSchema gone"},
		{"input schema", `{"name":"t"}`, `{"name":"t","inputSchema":{"type":"object"}}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := offering(t, c.old), offering(t, c.new)
			wantBeginnings(t, Drift(old, new), c.there)
			wantBeginnings(t, Drift(new, old), c.back)
			for _, d := range Drift(old, new) {
				if d.Kind != "tool" || d.Name != "t" || d.Old == "" && d.New == "" {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}

// wantBeginnings wants as many findings as there are lines, each beginning as its line does.
func wantBeginnings(t *testing.T, list []Drifted, want string) {
	t.Helper()
	got := strings.Split(found(list), "\n")
	wanted := strings.Split(want, "\n")
	ok := len(got) == len(wanted) && (got[0] == "") == (wanted[0] == "")
	for i := range min(len(got), len(wanted)) {
		ok = ok && strings.HasPrefix(got[i], wanted[i])
	}
	if !ok {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}

func TestDriftOfLists(t *testing.T) {
	a, b := `{"name":"a"}`, `{"name":"b"}`
	for _, c := range []struct {
		name     string
		old, new *Surface
		want     string
	}{
		{"gone", offering(t, a+","+b), offering(t, a), "breaking : tool gone"},
		{"added", offering(t, a), offering(t, a+","+b), "minor : tool added"},
		{"order", offering(t, a+","+b), offering(t, b+","+a), "info tools: stand in another order"},
		{"order of what is in both", offering(t, a+","+b), offering(t, b), "breaking : tool gone"},
		{"not asked now", offering(t, a), &Surface{}, "info tools: the new side does not show this list"},
		{"not asked then", &Surface{}, offering(t, a), "info tools: the old side does not show this list"},
		{"in part now", offering(t, a+","+b), inPart(t, a), "info tools: the new side shows only a part of this list: 1 not"},
		{"in part then", inPart(t, a), offering(t, a+","+b), "info tools: the old side shows only a part of this list: 1 not"},
		{"in part and different", offering(t, a), inPart(t, `{"name":"a","description":"x"}`), "dangerous description: description added"},
	} {
		t.Run(c.name, func(t *testing.T) { wantBeginnings(t, Drift(c.old, c.new), c.want) })
	}
}

func inPart(t *testing.T, tools string) *Surface {
	s := offering(t, tools)
	s.Tools.Whole = false
	return s
}

func TestDriftOfServers(t *testing.T) {
	greeting := func(members string) *Surface {
		return SurfaceOf(captured(t, `>{"id":0,"method":"initialize","params":{}}`, `<{"id":0,"result":{`+members+`}}`))
	}
	for _, c := range []struct{ name, old, new, there, back string }{
		{"version", `"serverInfo":{"name":"a","version":"1"}`, `"serverInfo":{"name":"a","version":"2"}`,
			"info serverInfo.version: changed", "info serverInfo.version: changed"},
		{"protocol", `"protocolVersion":"a"`, `"protocolVersion":"b"`, "info protocolVersion: ", "info protocolVersion: "},
		{"instructions", `"instructions":"a"`, `"instructions":"b"`, "dangerous instructions: ", "dangerous instructions: "},
		{"instructions there", ``, `"instructions":"b"`, "dangerous instructions: instructions added", "dangerous instructions: instructions gone"},
		{"blanks", `"instructions":"a b"`, `"instructions":"a\nb"`, "info instructions: ", "info instructions: "},
		{"capability", `"capabilities":{"tools":{}}`, `"capabilities":{}`,
			"breaking capabilities.tools: capability gone", "minor capabilities.tools: capability added"},
		{"inner capability", `"capabilities":{"resources":{"subscribe":true}}`, `"capabilities":{"resources":{"subscribe":false}}`,
			"breaking capabilities.resources.subscribe: capability gone", "minor capabilities.resources.subscribe: capability added"},
		{"false is absent", `"capabilities":{"tools":{"listChanged":false}}`, `"capabilities":{"tools":{}}`, "", ""},
		{"setting", `"capabilities":{"extensions":{"x/y":{"n":1}}}`, `"capabilities":{"extensions":{"x/y":{"n":2}}}`,
			`minor capabilities.extensions["x/y"].n: capability changed`, `minor capabilities.extensions["x/y"].n: capability changed`},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantBeginnings(t, Drift(greeting(c.old), greeting(c.new)), c.there)
			wantBeginnings(t, Drift(greeting(c.new), greeting(c.old)), c.back)
		})
	}
	t.Run("not greeted", func(t *testing.T) {
		wantBeginnings(t, Drift(greeting(`"capabilities":{"tools":{}}`), &Surface{}), "info capabilities: the new side")
	})
}

func TestDriftOfPromptsAndResources(t *testing.T) {
	for _, c := range []struct{ kind, old, new, there, back string }{
		{"prompt", `{"name":"p"}`, ``, "breaking : prompt gone", "minor : prompt added"},
		{"prompt", `{"name":"p","arguments":[{"name":"a"}]}`, `{"name":"p","arguments":[]}`,
			"breaking arguments.a: argument gone", "minor arguments.a: optional argument added"},
		{"prompt", `{"name":"p"}`, `{"name":"p","arguments":[{"name":"a","required":true}]}`,
			"breaking arguments.a: new required argument", "breaking arguments.a: argument gone"},
		{"prompt", `{"name":"p","arguments":[{"name":"a"}]}`, `{"name":"p","arguments":[{"name":"a","required":true}]}`,
			"breaking arguments.a: argument required now", "minor arguments.a: argument no longer required"},
		{"prompt", `{"name":"p","arguments":[{"name":"a","description":"x"}]}`, `{"name":"p","arguments":[{"name":"b","description":"x"}]}`,
			"breaking arguments.a: argument renamed to b", "breaking arguments.b: argument renamed to a"},
		{"prompt", `{"name":"p","arguments":[{"name":"a","description":"x"}]}`, `{"name":"p","arguments":[{"name":"a","description":"y"}]}`,
			"dangerous arguments.a.description: ", "dangerous arguments.a.description: "},
		{"prompt", `{"name":"p","arguments":[{"name":"a"},{"name":"b"}]}`, `{"name":"p","arguments":[{"name":"b"},{"name":"a","required":false}]}`,
			"info arguments: ", "info arguments: "},
		{"prompt", `{"name":"p","arguments":[{"name":"odd name"}]}`, `{"name":"p"}`,
			`breaking arguments["odd name"]: argument gone`, `minor arguments["odd name"]: optional`},
		{"prompt", `{"name":"p","description":"a"}`, `{"name":"p","description":"b"}`, "dangerous description: ", "dangerous description: "},
		{"resource", `{"uri":"a:b"}`, ``, "breaking : resource gone", "minor : resource added"},
		{"resource", `{"uri":"a:b","mimeType":"text/plain"}`, `{"uri":"a:b","mimeType":"text/html"}`, "minor mimeType: ", "minor mimeType: "},
		{"resource", `{"uri":"a:b","name":"x"}`, `{"uri":"a:b","name":"y"}`, "minor name: ", "minor name: "},
		{"resource", `{"uri":"a:b","size":1}`, `{"uri":"a:b","size":2}`, "info size: ", "info size: "},
		{"resource", `{"uri":"a:b","annotations":{"lastModified":"1"}}`, `{"uri":"a:b","annotations":{"lastModified":"2"}}`,
			"info annotations.lastModified: ", "info annotations.lastModified: "},
		{"resource", `{"uri":"a:b","annotations":{"priority":1}}`, `{"uri":"a:b"}`, "minor annotations.priority: ", "minor annotations.priority: "},
		{"template", `{"uriTemplate":"a:{b}"}`, ``, "breaking : template gone", "minor : template added"},
	} {
		t.Run(c.old+" "+c.new, func(t *testing.T) {
			list := func(entry string) *Surface {
				method, member := "prompts/list", "prompts"
				switch c.kind {
				case "resource":
					method, member = "resources/list", "resources"
				case "template":
					method, member = "resources/templates/list", "resourceTemplates"
				}
				return SurfaceOf(captured(t, asks(1, method, ""), `<{"id":1,"result":{"`+member+`":[`+entry+`]}}`))
			}
			wantBeginnings(t, Drift(list(c.old), list(c.new)), c.there)
			wantBeginnings(t, Drift(list(c.new), list(c.old)), c.back)
		})
	}
}

// TestDriftInOrder: the worst stands first, then by kind, name and path.
func TestDriftInOrder(t *testing.T) {
	got := Drift(offering(t, `{"name":"b"},{"name":"a","title":"x","description":"y"},{"name":"c"}`),
		offering(t, `{"name":"a","title":"z","description":"z"},{"name":"d"}`))
	var lines []string
	for _, d := range got {
		lines = append(lines, fmt.Sprint(d.Tier, " ", d.Name, " ", d.Path))
	}
	want := "breaking b \nbreaking c \ndangerous a description\nminor a title\nminor d "
	if strings.Join(lines, "\n") != want {
		t.Errorf("got:\n%s", strings.Join(lines, "\n"))
	}
}

// TestDriftOfShuffled: a server that lists the same in another order has drifted in nothing but that.
func TestDriftOfShuffled(t *testing.T) {
	tools := []string{`{"name":"a","inputSchema":{"properties":{"x":{"type":["string","null"]}}}}`, `{"name":"b","description":"…"}`,
		`{"name":"c","annotations":{"readOnlyHint":true}}`, `{"name":"d"}`}
	old := offering(t, strings.Join(tools, ","))
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		shuffled := slices.Clone(tools)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for _, d := range Drift(old, offering(t, strings.Join(shuffled, ","))) {
			if d.Tier != TierInfo {
				t.Fatalf("%s: %+v", shuffled, d)
			}
		}
	}
}

func TestTiers(t *testing.T) {
	if !TierBreaking.AtLeast(TierInfo) || TierMinor.AtLeast(TierDangerous) || !TierMinor.AtLeast(TierMinor) {
		t.Error("the tiers are out of order")
	}
}
