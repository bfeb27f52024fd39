package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"reprise"
	"reprise/analysis"
)

// analyzed is what came of an analysis.
type analyzed struct {
	reports []*analysis.Report // of several sessions without the calls that are ok, unless a file wants them
	survey  *analysis.Survey
	files   map[*analysis.Report]string // the capture files that they are of
	claims  map[string]analysis.Claim
}

// analysisMemory is about how much memory an analysis takes before it clears up more often.
const analysisMemory = 400 << 20

// takeMemory lets the garbage grow as far as that: a million calls make a lot of it.
func takeMemory() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(analysisMemory)
	}
}

func (p *program) analyze(ctx context.Context, o analyzeOptions) error {
	takeMemory()
	options, err := o.options()
	if err != nil {
		return err
	}
	list, done, err := p.subjects(ctx, o)
	defer done()
	if err != nil {
		return err
	}
	screen := p.screen(o.shared)
	if len(list) == 0 {
		return errors.Join(screen.noSubject(o), screen.Flush())
	}
	a, err := p.judgeAll(ctx, o, list, options, func(r *analysis.Report) error {
		if !o.json || o.summary {
			return nil
		}
		return writeReport(screen, r)
	})
	if err != nil {
		return errors.Join(err, screen.Flush())
	}
	if o.summary || len(list) > 1 {
		if a.claims, err = p.claims(ctx, o.shared); err != nil {
			p.warn(o.shared, fmt.Sprintf("which findings are claimed is not known: %v", err))
		}
	}
	if err := showAnalyzed(o, screen, a); err != nil {
		return err
	}
	if err := screen.Flush(); err != nil {
		return err
	}
	if err := p.writeAnalysis(o, a); err != nil {
		return err
	}
	if o.failOn.met(a.reports) {
		return exitStatus(exitWanting)
	}
	return nil
}

// options reads what the files say that the analysis is to know.
func (o *analyzeOptions) options() (analysis.Options, error) {
	options := analysis.Options{History: &analysis.History{}}
	if o.task != "" {
		f, err := openText(o.task)
		if err != nil {
			return options, err
		}
		defer f.Close()
		if options.Task, err = analysis.ReadTask(f); err != nil {
			return options, hint(usage(fmt.Errorf("%s: %w", o.task, err)), "docs/eval-rules.md shows a task file")
		}
	}
	if len(o.checks) > 0 {
		cases, _, err := readChecks(o.checks)
		if err != nil {
			return options, err
		}
		options.Cases = &analysis.Cases{Version: 1, Cases: cases}
	}
	return options, nil
}

// judgeAll judges sessions one by one, oldest first, and shows each when it is done.
func (p *program) judgeAll(ctx context.Context, o analyzeOptions, list []subject, options analysis.Options, show func(*analysis.Report) error) (*analyzed, error) {
	a := &analyzed{survey: &analysis.Survey{}, files: map[*analysis.Report]string{}}
	progress := p.progress(o.shared)
	defer progress.clear()
	for i, one := range list {
		if len(list) > 1 {
			progress.show("analysing session %d of %d", i+1, len(list))
		}
		if o.files.asked() {
			redactor, err := newRedactor(o.rules)
			if err != nil {
				return nil, err
			}
			one = one.masked(redactor)
		}
		r, err := judgeOne(one, options)
		if err != nil {
			return nil, fmt.Errorf("analyse session %.13s: %w", one.session.ID, err)
		}
		o.narrow(r)
		if err := errors.Join(show(r), ctx.Err()); err != nil {
			return nil, err
		}
		a.survey.Add(r)
		if len(list) > 1 && o.files.junit == "" {
			r.Calls = withoutOK(r.Calls)
		}
		a.reports = append(a.reports, r)
		a.files[r] = one.file
	}
	return a, nil
}

func judgeOne(one subject, options analysis.Options) (*analysis.Report, error) {
	items, done, err := one.items()
	if err != nil {
		return nil, err
	}
	r, err := analysis.Analyze(one.session, items, options)
	return r, errors.Join(err, done())
}

// masked is the session as it may leave the machine: so that no secret can be quoted from it in a file.
func (s subject) masked(redactor *reprise.Redactor) subject {
	session, plain := *s.session, s.items
	session.Redacted = true
	s.session, s.items = &session, func() (captureItems, func() error, error) {
		items, done, err := plain()
		if err != nil {
			return nil, nil, err
		}
		_, masked, err := redactor.Capture(&reprise.CaptureHeader{Session: session}, items)
		return captureItems(masked), done, err
	}
	return s
}

// withoutOK keeps of many sessions what there is something to say about.
func withoutOK(calls []analysis.Judged) (kept []analysis.Judged) {
	for _, c := range calls {
		if c.Kind != analysis.OK {
			kept = append(kept, c)
		}
	}
	return kept
}

// narrow keeps of a report what is about the tool that was asked for.
func (o *analyzeOptions) narrow(r *analysis.Report) {
	if o.tool == "" {
		return
	}
	is := func(tool string) bool { return reprise.Pattern{Text: o.tool, Wild: true}.Match(tool) }
	r.Calls = keep(r.Calls, func(c analysis.Judged) bool { return is(c.Tool()) })
	r.Findings = keep(r.Findings, func(f analysis.Finding) bool { return is(f.Tool) })
	r.Tools = keep(r.Tools, func(t analysis.ToolUse) bool { return is(t.Name) })
	r.Checks = keep(r.Checks, func(c analysis.CheckTally) bool { return is(c.Tool) })
	r.Pages = keep(r.Pages, func(page analysis.Page) bool { return is(page.Tool) })
}

func keep[T any](list []T, is func(T) bool) (kept []T) {
	for _, one := range list {
		if is(one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// failOn is what makes the exit code 1.
type failOn struct {
	defect  bool
	finding analysis.Severity // this one and the worse; "" for none
}

// severityWords are the names that severities have here and elsewhere.
func severityWords() map[string]analysis.Severity {
	return map[string]analysis.Severity{"high": analysis.High, "error": analysis.High, "medium": analysis.Medium,
		"warning": analysis.Medium, "low": analysis.Low, "note": analysis.Low, "info": analysis.Low}
}

func parseFailOn(words []string) (f failOn, err error) {
	for _, word := range words {
		severity, isFinding := strings.CutPrefix(word, "finding:")
		switch s := severityWords()[severity]; {
		case word == "defect":
			f.defect = true
		case isFinding && s != "":
			if f.finding == "" || f.finding.Worse(s) {
				f.finding = s
			}
		default:
			return f, hint(usage(fmt.Errorf("--fail-on can't be %q", word)), "it is defect, finding:high, finding:medium or finding:low")
		}
	}
	return f, nil
}

// met says whether what was asked for was found.
func (f failOn) met(reports []*analysis.Report) bool {
	for _, r := range reports {
		if f.defect && r.Defects() > 0 {
			return true
		}
		for _, found := range r.Findings {
			if f.finding != "" && !f.finding.Worse(found.Severity) {
				return true
			}
		}
	}
	return false
}

// openText opens a file that a person wrote.
func openText(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usage(fmt.Errorf("no such file: %s", path))
	}
	return f, nil
}
