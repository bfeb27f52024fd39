// Package report writes results in the forms that others read: JUnit XML for what shows tests, SARIF for
// what shows findings in files, a page and Markdown for people.
//
//	Report ─┬─ WriteJUnit ─▶ every case, as a test
//	        └─ WriteSARIF ─▶ every case that failed or is a finding, as a result at its line
//
//	Document ─┬─ WriteHTML ─────▶ one file that needs no other, and no script
//	          └─ WriteMarkdown ─▶ for a pull request, or a job's summary
//
// It promises valid documents whatever stands in the strings, the same bytes for the
// same report, and no time that the report does not have. What crossed between strangers is shown so that all of it is seen and
// none of it obeyed: it is no markup, fetches nothing, links to nothing and notifies nobody.
//
// It does not judge: whoever makes a report says what passed. Nor does it redact:
// that must be done to what is put in (see Document.Rewrite).
package report

import "time"

// Report is what one run found.
type Report struct {
	Name     string // of the run, such as "verify"
	Tool     Tool
	Started  time.Time // zero: not said
	Duration time.Duration
	Rules    []Rule // describes rules that cases name; others stand for themselves
	Cases    []Case // in the order in which they are written
}

// Tool is the program that made the report.
type Tool struct{ Name, Version, URL string }

// Rule describes what a case was held against.
type Rule struct {
	ID   string
	Text string // one sentence
	Help string // what to do about it; Text where it is empty
}

// Case is one thing that was looked at.
type Case struct {
	Suite, Name string
	Outcome     Outcome
	Message     string // one line: why it failed, or was skipped
	Detail      string // all there is to say
	Duration    time.Duration

	Rule     string // the ID of what it was held against
	Severity Severity
	File     string // where it stands: a path, relative to the repository where it can be
	Line     int    // counted from 1; 0 when it is not known

	// Fingerprint is the same for the same problem in other runs, wherever it stands; "" lets the case's names tell.
	Fingerprint string

	// Properties are named by our code, not by what was looked at; SARIF keeps the name "tags" for itself.
	Properties []Property
}

// Rewrite puts every text of the cases through a function, such as one that masks secrets. It leaves what tells cases and places apart.
func (r *Report) Rewrite(f func(string) string) {
	for i := range r.Cases {
		c := &r.Cases[i]
		each(f, &c.Suite, &c.Name, &c.Message, &c.Detail)
		for n := range c.Properties {
			each(f, &c.Properties[n].Value)
		}
	}
}

// Property is one more fact.
type Property struct{ Name, Value string }

// Outcome is what came of a case. The zero value is Passed.
type Outcome int

// The outcomes.
const (
	Passed  Outcome = iota
	Failed          // it was found wanting
	Errored         // it could not be looked at
	Skipped
	Noted // a finding: nothing was tested, nothing has failed
)

// Severity is how bad a failure is, in the words of SARIF.
type Severity string

// The severities. A failure without one is an error.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityNote    Severity = "note"
)
