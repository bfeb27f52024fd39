package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"reprise"
	"reprise/report"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v2"
)

// reportFiles are the files that people and other tools read, each "" where it is not asked for.
type reportFiles struct{ html, markdown, junit, sarif string }

func reportFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "html", Usage: "write a page for people to a `FILE`: it needs no other"},
		&cli.StringFlag{Name: "markdown", Usage: "write Markdown to a `FILE`, for a pull request"},
		&cli.StringFlag{Name: "junit", Usage: "write JUnit XML to a `FILE`"},
		&cli.StringFlag{Name: "sarif", Usage: "write SARIF to a `FILE`"},
	}
}

func reportFilesOf(c *cli.Context) reportFiles {
	return reportFiles{html: c.String("html"), markdown: c.String("markdown"), junit: c.String("junit"), sarif: c.String("sarif")}
}

// asked says whether any file is asked for.
func (f reportFiles) asked() bool { return f != reportFiles{} }

// reportFile is one of them: how its kind is known again, and what it is made of.
type reportFile struct {
	flag, path, kind string
	is               func(head string) bool
	document         func(io.Writer, *report.Document) error
	cases            func(io.Writer, *report.Report) error
}

// list has those that are asked for.
func (f reportFiles) list() []reportFile {
	return slices.DeleteFunc([]reportFile{
		{flag: "--html", path: f.html, kind: "report of ours in HTML", is: isHTML, document: report.WriteHTML},
		{flag: "--markdown", path: f.markdown, kind: "report of ours in Markdown", is: isMarkdown, document: report.WriteMarkdown},
		{flag: "--junit", path: f.junit, kind: "JUnit XML", is: isJUnit, cases: report.WriteJUnit},
		{flag: "--sarif", path: f.sarif, kind: "SARIF", is: isSARIF, cases: report.WriteSARIF},
	}, func(one reportFile) bool { return one.path == "" })
}

// inputFile is a file that is read, and must not be written over.
type inputFile struct{ path, what string }

// check is against, for files without a name of their own.
func (f reportFiles) check(inputs ...string) error {
	var list []inputFile
	for _, path := range inputs {
		list = append(list, inputFile{path, path + ", which is to be read"})
	}
	return f.against(list...)
}

// against refuses to put a report over what is read, over another report of this run, or over anything but a report of its kind.
func (f reportFiles) against(inputs ...inputFile) error {
	list := f.list()
	for i, one := range list {
		for _, input := range inputs {
			if one.path != "-" && leadsTo(one.path, input.path) {
				return hint(usage(fmt.Errorf("%s %s would overwrite %s", one.flag, one.path, input.what)), "name another file")
			}
		}
		for _, other := range list[:i] {
			if leadsTo(one.path, other.path) {
				return usage(fmt.Errorf("%s and %s name the same file", other.flag, one.flag))
			}
		}
		if err := one.replaceable(); err != nil {
			return err
		}
	}
	return nil
}

// replaceable says whether nothing is lost when the file is written.
func (f *reportFile) replaceable() error {
	if there, err := os.Stat(f.path); f.path == "-" || err != nil || !there.Mode().IsRegular() || there.Size() == 0 {
		return nil
	}
	head, err := headOf(f.path)
	if err != nil {
		return err
	}
	if !f.is(head) {
		return hint(usage(fmt.Errorf("%s exists already, and is no %s that could be replaced", f.path, f.kind)), "name another file, or remove that one first")
	}
	return nil
}

func isHTML(head string) bool {
	return strings.HasPrefix(head, "<!doctype html>") && strings.Contains(head[:min(len(head), 200)], report.HTMLMark)
}

func isMarkdown(head string) bool { return strings.HasPrefix(head, report.MarkdownMark) }

func isJUnit(head string) bool {
	return strings.HasPrefix(head, "<") && strings.Contains(head, "<testsuite")
}

func isSARIF(head string) bool {
	return strings.Contains(gjson.Get(head, `\$schema`).Str, "sarif") || gjson.Get(head, "runs.0.tool.driver").Exists()
}

// writeReports masks secrets in all that is said, since files leave the machine, and writes the files that are asked for. A document
// or cases may be nil where no file is made of them.
func (p *program) writeReports(f reportFiles, redactor *reprise.Redactor, d *report.Document, cases *report.Report) error {
	learn := func(text string) string {
		redactor.Learn([]byte(text))
		return text
	}
	mask := func(text string) string { return string(redactor.Mask([]byte(text))) }
	for _, pass := range []func(string) string{learn, mask} { // a secret may stand bare before the place that names it
		if d != nil {
			d.Rewrite(pass)
		}
		if cases != nil {
			cases.Rewrite(pass)
		}
	}
	return p.writeMasked(f, d, cases)
}

func (p *program) writeMasked(f reportFiles, d *report.Document, cases *report.Report) error {
	for _, one := range f.list() {
		write := func(w io.Writer) error {
			if one.document != nil {
				return one.document(w, d)
			}
			return one.cases(w, cases)
		}
		if err := p.writeTo(exportOptions{output: one.path, force: true}, write); err != nil {
			return err
		}
	}
	return nil
}
