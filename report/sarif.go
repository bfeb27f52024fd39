package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// WriteSARIF writes every case that failed, is a finding, or could not be looked at, as a result of SARIF 2.1.0, with what GitHub's code scanning
// asks of one: a rule that is described, a message, and a line in a file. A case without a file has no place.
func WriteSARIF(w io.Writer, r *Report) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: cmp.Or(r.Tool.Name, "unnamed"), Version: r.Tool.Version, URL: r.Tool.URL, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{invocation(r)},
		Results:     []sarifResult{},
	}
	rules := sarifRules{known: map[string]int{}}
	for _, rule := range r.Rules {
		if rule.ID != "" {
			rules.add(rule)
		}
	}
	seen := map[string]int{}
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.Outcome == Passed || c.Outcome == Skipped {
			continue
		}
		index := rules.add(Rule{ID: ruleOf(c)})
		run.Results = append(run.Results, result(c, rules.list[index].ID, index, seen))
	}
	run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rules.list...)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	URL     string      `json:"informationUri,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
	Full  sarifText `json:"fullDescription"`
	Help  sarifText `json:"help"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful bool   `json:"executionSuccessful"`
	Started    string `json:"startTimeUtc,omitempty"`
	Ended      string `json:"endTimeUtc,omitempty"`
}

type sarifResult struct {
	Rule         string            `json:"ruleId"`
	Index        int               `json:"ruleIndex"`
	Level        Severity          `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   map[string]string `json:"properties"`
}

type sarifLocation struct {
	Physical sarifPlace `json:"physicalLocation"`
}

type sarifPlace struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	Line int `json:"startLine"`
}

// sarifRules lists every rule once, so that results can point at it.
type sarifRules struct {
	list  []sarifRule
	known map[string]int
}

func (s *sarifRules) add(r Rule) (index int) {
	r.ID = strings.ToValidUTF8(r.ID, "\ufffd") // as the encoder writes it: two are not to become one there
	if index, known := s.known[r.ID]; known {
		return index
	}
	text := cmp.Or(r.Text, r.ID)
	s.known[r.ID] = len(s.list)
	s.list = append(s.list, sarifRule{ID: r.ID, Short: sarifText{text}, Full: sarifText{text}, Help: sarifText{cmp.Or(r.Help, text)}})
	return s.known[r.ID]
}

func ruleOf(c *Case) string {
	if c.Rule == "" && c.Outcome == Errored {
		return "errored"
	}
	return cmp.Or(c.Rule, "failed")
}

func invocation(r *Report) sarifInvocation {
	i := sarifInvocation{Successful: true, Started: timestamp(r.Started)}
	if !r.Started.IsZero() {
		i.Ended = timestamp(r.Started.Add(r.Duration))
	}
	for n := range r.Cases {
		i.Successful = i.Successful && r.Cases[n].Outcome != Errored
	}
	return i
}

func result(c *Case, rule string, index int, seen map[string]int) sarifResult {
	text := cmp.Or(c.Message, c.Name, rule)
	if c.Detail != "" {
		text += "\n\n" + c.Detail
	}
	properties := map[string]string{"suite": c.Suite, "case": c.Name}
	for _, p := range c.Properties {
		properties[p.Name] = p.Value
	}
	prints := map[string]string{"repriseCase/v1": fingerprint(c, rule, seen)}
	if c.Fingerprint != "" {
		prints["repriseFinding/v1"] = c.Fingerprint
	}
	return sarifResult{Rule: rule, Index: index, Level: cmp.Or(c.Severity, SeverityError), Message: sarifText{text}, Locations: location(c),
		Fingerprints: prints, Properties: properties}
}

// fingerprint tells the next run that a result is the same one: by what was looked at and held against
// what, not by a line or a value, which may change. Equal ones are counted.
func fingerprint(c *Case, rule string, seen map[string]int) string {
	about := []string{rule, c.File, c.Suite, c.Name}
	if c.Fingerprint != "" {
		about = []string{rule, c.Fingerprint}
	}
	sum := sha256.Sum256([]byte(strings.Join(about, "\x00")))
	hash := hex.EncodeToString(sum[:16])
	seen[hash]++
	return fmt.Sprintf("%s:%d", hash, seen[hash])
}

func location(c *Case) []sarifLocation {
	if c.File == "" {
		return nil
	}
	return []sarifLocation{{sarifPlace{sarifArtifact{uri(c.File)}, sarifRegion{max(c.Line, 1)}}}}
}

// uri spells a path as a URI reference, a relative one for a relative path.
func uri(file string) string {
	u := url.URL{Path: path.Clean(filepath.ToSlash(file))}
	if volume := filepath.VolumeName(file); volume != "" {
		u.Path = "/" + u.Path
	}
	if path.IsAbs(u.Path) {
		u.Scheme = "file"
	}
	return u.String()
}
