package main

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"

	"reprise"
	"reprise/analysis"
)

// TestEveryKeyOfAnAnalysisIsDocumented, and every documented key is there.
func TestEveryKeyOfAnAnalysisIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	line := &object{}
	s := &screen{Writer: bufio.NewWriter(&line.Buffer)}
	if err := writeReport(s, &analysis.Report{Session: &reprise.Session{}}); err != nil {
		t.Fatal(err)
	}
	s.Flush()
	line.Truncate(len(bytes.TrimSuffix(line.Bytes(), []byte("}\n"))))
	for heading, row := range map[string]*object{
		"## `reprise analyze S --json`":           line,
		"## A call in it":                         judgedRow(&analysis.Judged{}),
		"## A finding in it":                      findingRow(&analysis.Finding{}),
		"## `reprise analyze … --summary --json`": summaryRow(&analysis.Survey{}, nil),
	} {
		_, section, ok := strings.Cut(string(doc), heading)
		if !ok {
			t.Fatalf("docs/json.md has no %s", heading)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		if got, want := strings.Join(keysOf(t, row), " "), strings.Join(documented(section), " "); got != want {
			t.Errorf("%s\n rows %v\n docs %v", heading, got, want)
		}
	}
}

// TestSurveysHaveTheKeysThatTheDocsName inside of their lists.
func TestSurveysHaveTheKeysThatTheDocsName(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []*object{toolUseRow(&analysis.ToolUse{}), tallyRow(&analysis.CheckTally{}), pageRow(&analysis.Page{}), sourceRow(&analysis.Source{}),
		unseenRow(&analysis.Unseen{}), surveyToolRow(&analysis.SurveyTool{}), clusterRow(&analysis.Cluster{}), caseHeldRow(&analysis.CaseHeld{Case: &analysis.Case{}})} {
		for _, key := range keysOf(t, row) {
			if !strings.Contains(string(doc), "`"+key+"`") {
				t.Errorf("docs/json.md does not name %s", key)
			}
		}
	}
}
