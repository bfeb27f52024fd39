package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteJUnit writes every case as a test, and findings as what a suite has put out: they are none. There is no one JUnit format: this is what GitHub's actions, GitLab
// and Jenkins have in common. GitLab shows a test's file, and finds it by its classname, which is the suite here.
func WriteJUnit(w io.Writer, r *Report) error {
	all := junitSuites{Name: r.Name, Timestamp: timestamp(r.Started)}
	place := map[string]int{}
	for i := range r.Cases {
		c := &r.Cases[i]
		at, known := place[c.Suite]
		if !known {
			at = len(all.Suites)
			place[c.Suite] = at
			all.Suites = append(all.Suites, junitSuite{Name: c.Suite, Timestamp: all.Timestamp})
		}
		suite := &all.Suites[at]
		if c.Outcome == Noted {
			suite.note(c)
			continue
		}
		suite.Tests = append(suite.Tests, junitCase(c))
		suite.add(c)
		all.add(c)
	}
	if r.Duration != 0 {
		all.Time = seconds(r.Duration)
	}
	return writeXML(w, &all)
}

func writeXML(w io.Writer, document any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(document); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	return nil
}

type junitSuites struct {
	XMLName   xml.Name `xml:"testsuites"`
	Name      string   `xml:"name,attr,omitempty"`
	Timestamp string   `xml:"timestamp,attr,omitempty"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string `xml:"name,attr"`
	Timestamp string `xml:"timestamp,attr,omitempty"`
	junitCounts
	Tests  []junitTest `xml:"testcase"`
	Output *junitText  `xml:"system-out"`
}

// note adds a finding to what the suite has put out.
func (s *junitSuite) note(c *Case) {
	if s.Output == nil {
		s.Output = &junitText{}
	}
	s.Output.text += fmt.Sprintf("%s: %s: %s: %s\n", cmp.Or(c.Severity, SeverityNote), ruleOf(c), c.Name, c.Message)
	if c.Detail != "" {
		s.Output.text += strings.TrimRight(c.Detail, "\n") + "\n"
	}
}

type junitCounts struct {
	Count    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Time     seconds `xml:"time,attr"`
}

func (n *junitCounts) add(c *Case) {
	n.Count++
	n.Time += seconds(c.Duration)
	switch c.Outcome {
	case Failed:
		n.Failures++
	case Errored:
		n.Errors++
	case Skipped:
		n.Skipped++
	}
}

type junitTest struct {
	Name       string           `xml:"name,attr"`
	Class      string           `xml:"classname,attr"`
	File       string           `xml:"file,attr,omitempty"`
	Line       int              `xml:"line,attr,omitempty"`
	Time       seconds          `xml:"time,attr"`
	Properties *junitProperties `xml:"properties"`
	Failure    *junitText       `xml:"failure"`
	Error      *junitText       `xml:"error"`
	Skipped    *junitText       `xml:"skipped"`
	Output     *junitText       `xml:"system-out"`
}

// junitProperties may be missing, but not empty: the schemas want one at least.
type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

func junitCase(c *Case) junitTest {
	t := junitTest{Name: c.Name, Class: c.Suite, File: c.File, Line: c.Line, Time: seconds(c.Duration)}
	if len(c.Properties) > 0 {
		t.Properties = &junitProperties{}
	}
	for _, p := range c.Properties {
		t.Properties.List = append(t.Properties.List, junitProperty(p))
	}
	why := &junitText{message: c.Message, kind: c.Rule, text: c.Detail}
	switch c.Outcome {
	case Failed:
		t.Failure = why
		return t
	case Errored:
		t.Error = why
		return t
	case Skipped:
		t.Skipped = &junitText{message: c.Message}
	}
	if c.Detail != "" {
		t.Output = &junitText{text: c.Detail}
	}
	return t
}

// junitText is an element of text with, in some, a message and a type. It stands here for its line ends, which the encoder of
// structs writes as character references; whatever XML cannot hold becomes U+FFFD either way.
type junitText struct{ message, kind, text string }

func (t *junitText) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	for _, a := range []struct{ name, value string }{{"message", t.message}, {"type", t.kind}} {
		if a.value != "" {
			start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: a.name}, Value: a.value})
		}
	}
	for _, token := range []xml.Token{start, xml.CharData(t.text), start.End()} {
		if err := e.EncodeToken(token); err != nil {
			return err
		}
	}
	return nil
}

// seconds is a duration as JUnit has it.
type seconds time.Duration

func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}
