package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func sample() *Report {
	return &Report{
		Name: "verify", Tool: Tool{Name: "reprise", Version: "1.2", URL: "https://reprise.example/"},
		Started: time.Date(2026, 7, 28, 12, 0, 0, 5e8, time.FixedZone("", 7200)), Duration: 1500 * time.Millisecond,
		Rules: []Rule{{ID: "changed", Text: "An answer is another one.", Help: "Look at both."}},
		Cases: []Case{
			{Suite: "tracker", Name: "get_issue", Duration: 250 * time.Millisecond, Detail: "all is well"},
			{Suite: "tracker", Name: "list_issues", Outcome: Failed, Message: "[0].title differs", Detail: "was \"a\"\nis \"b\"",
				Rule: "changed", File: "captures/tracker 1.jsonl", Line: 7, Properties: []Property{{"seq", "7"}}},
			{Suite: "files", Name: "read", Outcome: Errored, Message: "the server has exited"},
			{Suite: "tracker", Name: "delete_issue", Outcome: Skipped, Message: "is not read-only"},
			{Suite: "tracker", Name: "list_issues", Outcome: Failed, Message: "[1].title differs",
				Rule: "changed", Severity: SeverityWarning, File: "captures/tracker 1.jsonl", Line: 9},
		},
	}
}

// hostile is what a server may put where a report shows it.
var hostile = []string{
	"", "]]>", "<script>&\"'", "a\x00b\x01\x1b[31m\x7f", "\xff\xfe\xed\xa0\x80", "\ufffe\uffff", "\u2028\u0085\u202e", "tab\tline\r\nnext\rlast\n",
	"<!--", "<![CDATA[x]]>", "&#0;", strings.Repeat("x", 1<<16), "../../etc/passwd", "C:\\x", "a:b/c?d#e%zz", "//host/x", "\U0001F600", "tags",
}

// reports with one hostile string in every place of text at once.
func hostileReports(t *testing.T, try func(t *testing.T, s string, r *Report)) {
	for _, s := range hostile {
		t.Run(fmt.Sprintf("%.20q", s), func(t *testing.T) {
			r := &Report{Name: s, Tool: Tool{Name: s, Version: s}, Rules: []Rule{{ID: s, Text: s, Help: s}}}
			for _, o := range []Outcome{Passed, Failed, Errored, Skipped, Noted} {
				r.Cases = append(r.Cases, Case{Suite: s, Name: s, Outcome: o, Message: s, Detail: s, Rule: s, File: s, Line: -1, Fingerprint: s,
					Properties: []Property{{"value", s}}})
			}
			try(t, s, r)
		})
	}
}

func written(t *testing.T, write func(io.Writer, *Report) error, r *Report) []byte {
	t.Helper()
	var b, again bytes.Buffer
	if err := write(&b, r); err != nil {
		t.Fatal(err)
	}
	if err := write(&again, r); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("written again it is another one, %v", err)
	}
	if !utf8.Valid(b.Bytes()) {
		t.Error("it is not UTF-8")
	}
	return b.Bytes()
}

func TestJUnit(t *testing.T) {
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="verify" timestamp="2026-07-28T10:00:00Z" tests="5" failures="2" errors="1" skipped="1" time="1.500">
  <testsuite name="tracker" timestamp="2026-07-28T10:00:00Z" tests="4" failures="2" errors="0" skipped="1" time="0.250">
    <testcase name="get_issue" classname="tracker" time="0.250">
      <system-out>all is well</system-out>
    </testcase>
    <testcase name="list_issues" classname="tracker" file="captures/tracker 1.jsonl" line="7" time="0.000">
      <properties>
        <property name="seq" value="7"></property>
      </properties>
      <failure message="[0].title differs" type="changed">was &#34;a&#34;
is &#34;b&#34;</failure>
    </testcase>
    <testcase name="delete_issue" classname="tracker" time="0.000">
      <skipped message="is not read-only"></skipped>
    </testcase>
    <testcase name="list_issues" classname="tracker" file="captures/tracker 1.jsonl" line="9" time="0.000">
      <failure message="[1].title differs" type="changed"></failure>
    </testcase>
  </testsuite>
  <testsuite name="files" timestamp="2026-07-28T10:00:00Z" tests="1" failures="0" errors="1" skipped="0" time="0.000">
    <testcase name="read" classname="files" time="0.000">
      <error message="the server has exited"></error>
    </testcase>
  </testsuite>
</testsuites>
`
	if got := string(written(t, WriteJUnit, sample())); got != want {
		t.Errorf("got\n%s", got)
	}
}

// suites is the document as a reader of JUnit sees it.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []struct {
		Name  string `xml:"name,attr"`
		Tests []struct {
			Name    string  `xml:"name,attr"`
			Failure *reason `xml:"failure"`
			Error   *reason `xml:"error"`
			Skipped *reason `xml:"skipped"`
			Output  string  `xml:"system-out"`
			Value   struct {
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type reason struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func TestJUnitHoldsWhateverCrossed(t *testing.T) {
	hostileReports(t, func(t *testing.T, s string, r *Report) {
		var got suites
		if err := xml.Unmarshal(written(t, WriteJUnit, r), &got); err != nil {
			t.Fatal(err)
		}
		want := legible(s)
		if len(got.Suites) != 1 || got.Suites[0].Name != want || len(got.Suites[0].Tests) != 4 {
			t.Fatalf("got %+v", got)
		}
		passed, failed, errored, skipped := got.Suites[0].Tests[0], got.Suites[0].Tests[1], got.Suites[0].Tests[2], got.Suites[0].Tests[3]
		for what, got := range map[string]string{"name": failed.Name, "output": passed.Output, "message": failed.Failure.Message,
			"detail": failed.Failure.Text, "error": errored.Error.Text, "skipped": skipped.Skipped.Message, "property": failed.Value.Value} {
			if got != want {
				t.Errorf("%s: got %.60q, want %.60q", what, got, want)
			}
		}
	})
}

// TestFindingsAreNoTests: in JUnit a finding is neither a test nor a failure, in SARIF it is a result that other runs know again.
func TestFindingsAreNoTests(t *testing.T) {
	r := sample()
	r.Cases = append(r.Cases, Case{Suite: "notes", Name: "get_issue", Outcome: Noted, Rule: "slow", Severity: SeverityNote, Message: "it is slow", Detail: "]]> <b>\n", Fingerprint: "abc"},
		Case{Suite: "tracker", Name: "x", Outcome: Noted, Rule: "slow", Message: "so is it"})
	junit := string(written(t, WriteJUnit, r))
	for _, want := range []string{`tests="5" failures="2" errors="1" skipped="1"`, `<testsuite name="notes" timestamp="2026-07-28T10:00:00Z" tests="0" failures="0"`,
		"<system-out>note: slow: get_issue: it is slow\n]]&gt; &lt;b&gt;\n</system-out>", "<system-out>note: slow: x: so is it\n</system-out>"} {
		if !strings.Contains(junit, want) {
			t.Errorf("no %s in\n%s", want, junit)
		}
	}
	data := written(t, WriteSARIF, r)
	checkSARIF(t, data)
	var log sarifLog
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	if got := log.Runs[0].Results[3]; got.Level != SeverityNote || got.Fingerprints["repriseFinding/v1"] != "abc" {
		t.Errorf("got %+v", got)
	}
}

// legible is a text without what XML cannot hold (XML 1.0, production 2).
func legible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xfffe || r == 0xffff {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}

func TestSARIF(t *testing.T) {
	data := written(t, WriteSARIF, sample())
	checkSARIF(t, data)
	var log sarifLog
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if run.Invocations[0] != (sarifInvocation{false, "2026-07-28T10:00:00Z", "2026-07-28T10:00:02Z"}) {
		t.Errorf("invocation %+v", run.Invocations[0])
	}
	if rules := run.Tool.Driver.Rules; len(rules) != 2 || rules[0].Help.Text != "Look at both." || rules[1].ID != "errored" {
		t.Errorf("rules %+v", rules)
	}
	if len(run.Results) != 3 {
		t.Fatalf("%d results", len(run.Results))
	}
	first, second, third := run.Results[0], run.Results[1], run.Results[2]
	place := sarifPlace{sarifArtifact{"captures/tracker%201.jsonl"}, sarifRegion{7}}
	if first.Message.Text != "[0].title differs\n\nwas \"a\"\nis \"b\"" || first.Level != "error" || first.Locations[0].Physical != place ||
		first.Properties["seq"] != "7" || first.Properties["case"] != "list_issues" {
		t.Errorf("first result %+v", first)
	}
	if second.Rule != "errored" || second.Locations != nil || third.Level != SeverityWarning {
		t.Errorf("results %+v, %+v", second, third)
	}
}

// A result is the same one after its line and its values have changed, and none is taken for another.
func TestFingerprints(t *testing.T) {
	prints := func(r *Report) (all []string) {
		var log sarifLog
		if err := json.Unmarshal(written(t, WriteSARIF, r), &log); err != nil {
			t.Fatal(err)
		}
		for _, result := range log.Runs[0].Results {
			all = append(all, result.Fingerprints["repriseCase/v1"])
		}
		return all
	}
	r := sample()
	before := prints(r)
	for i := range r.Cases {
		r.Cases[i].Line += 100
		r.Cases[i].Message += "!"
	}
	if after := prints(r); !slices.Equal(before, after) {
		t.Errorf("%v have become %v", before, after)
	}
	r.Cases[1].Name += "!"
	if after := prints(r); after[0] == before[0] || after[2] != before[0] {
		t.Errorf("%v have become %v", before, after)
	}
	if slices.Sort(before); len(slices.Compact(before)) != 3 {
		t.Errorf("not all differ: %v", before)
	}
}

func TestSARIFHoldsWhateverCrossed(t *testing.T) {
	hostileReports(t, func(t *testing.T, s string, r *Report) { checkSARIF(t, written(t, WriteSARIF, r)) })
	checkSARIF(t, written(t, WriteSARIF, &Report{}))
}

// checkSARIF holds a document against what the schema of SARIF 2.1.0 requires, and
// GitHub's code scanning beyond that, of the objects that we write.
func checkSARIF(t *testing.T, data []byte) {
	t.Helper()
	type object = map[string]any
	var log object
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	only := func(o object, names string) {
		t.Helper()
		for name := range o {
			if !slices.Contains(strings.Fields(names), name) {
				t.Errorf("the schema has no %s here: %v", name, o)
			}
		}
	}
	text := func(o any) {
		t.Helper()
		if s, ok := o.(object)["text"].(string); !ok || s == "" {
			t.Errorf("no text: %v", o)
		}
	}
	only(log, "$schema version runs")
	run := log["runs"].([]any)[0].(object)
	only(run, "tool invocations results")
	driver := run["tool"].(object)["driver"].(object)
	only(driver, "name version informationUri rules")
	if driver["name"] == "" || log["version"] != "2.1.0" {
		t.Errorf("log %v", log)
	}
	if _, ok := run["invocations"].([]any)[0].(object)["executionSuccessful"].(bool); !ok {
		t.Error("no executionSuccessful")
	}
	rules, ids := driver["rules"].([]any), map[any]bool{}
	for _, r := range rules {
		rule := r.(object)
		only(rule, "id shortDescription fullDescription help")
		if ids[rule["id"]] {
			t.Errorf("two rules %v", rule["id"])
		}
		ids[rule["id"]] = true
		text(rule["shortDescription"])
		text(rule["fullDescription"])
		text(rule["help"])
	}
	for _, r := range run["results"].([]any) {
		result := r.(object)
		only(result, "ruleId ruleIndex level message locations partialFingerprints properties")
		text(result["message"])
		if i := int(result["ruleIndex"].(float64)); rules[i].(object)["id"] != result["ruleId"] {
			t.Errorf("rule %d is not %v", i, result["ruleId"])
		}
		if !slices.Contains([]any{"none", "note", "warning", "error"}, result["level"]) {
			t.Errorf("level %v", result["level"])
		}
		for _, l := range locationsOf(result) {
			place := l.(object)["physicalLocation"].(object)
			ref, err := url.Parse(place["artifactLocation"].(object)["uri"].(string))
			if err != nil || ref.Scheme != "" && ref.Scheme != "file" || ref.Host != "" || ref.RawQuery != "" || ref.Fragment != "" {
				t.Errorf("place %v, %v", place, err)
			}
			if line := place["region"].(object)["startLine"].(float64); line < 1 {
				t.Errorf("line %v", line)
			}
		}
	}
}

func locationsOf(result map[string]any) []any {
	list, _ := result["locations"].([]any)
	return list
}

func TestURIs(t *testing.T) {
	for file, want := range map[string]string{
		"a.jsonl": "a.jsonl", "./x/../a b.jsonl": "a%20b.jsonl", "a:b": "./a:b", "/srv/x": "file:///srv/x", "ä\xff": "%C3%A4%FF", "50%?#": "50%25%3F%23",
	} {
		if got := uri(file); got != want {
			t.Errorf("%q: got %s, want %s", file, got, want)
		}
	}
}

// A writer that fails is told of.
func TestWriteErrors(t *testing.T) {
	for n := range 3 {
		for name, write := range map[string]func(io.Writer, *Report) error{"JUnit": WriteJUnit, "SARIF": WriteSARIF} {
			if n > 0 && name == "SARIF" {
				continue // it is written in one piece
			}
			if err := write(&full{n}, sample()); err == nil || !strings.Contains(err.Error(), "disk full") {
				t.Errorf("%s, after %d: %v", name, n, err)
			}
		}
	}
}

// full takes so many writes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, fmt.Errorf("disk full")
	}
	return len(p), nil
}
