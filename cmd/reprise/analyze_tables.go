package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reprise"
	"reprise/analysis"
	"reprise/report"
)

// columns reads heads of columns; numbers are under those that begin with a plus.
func columns(titles ...string) (list []report.Column) {
	for _, title := range titles {
		name, number := strings.CutPrefix(title, "+")
		list = append(list, report.Column{Title: name, Number: number})
	}
	return list
}

// table makes one of at most mostRows rows, and says what it leaves out.
func table(caption string, heads []report.Column, n int, row func(i int) []report.Cell) []report.Table {
	t := report.Table{Caption: caption, Columns: heads, Rest: rest(n, mostRows)}
	for i := range min(n, mostRows) {
		t.Rows = append(t.Rows, row(i))
	}
	return []report.Table{t}
}

// badIfAny is a count of what should not be.
func badIfAny(n int) report.Cell {
	if n > 0 {
		return report.Number(n).Toned(report.Bad)
	}
	return report.Number(n)
}

// failureSection lists the calls that failed and confirm nothing, with where their arguments came from.
func failureSection(calls []analysis.Judged) report.Section {
	list := keep(calls, func(c analysis.Judged) bool {
		return c.Kind == analysis.RightlyRejected || c.Kind == analysis.Untestable
	})
	if len(list) == 0 {
		return report.Section{}
	}
	heads := columns("Call", "+Seq", "Ended", "Assessment", "Why", "Arguments")
	return report.Section{ID: "failures", Title: "Failures that are no defect",
		Lead: "Rightly rejected: the declared schema excludes the arguments. Untestable: the failure proves nothing, for the reason given.",
		Tables: table(count(int64(len(list)), "failure"), heads, len(list), func(i int) []report.Cell {
			c := &list[i]
			return []report.Cell{report.Code(calledText(c)), report.Number(c.Seq), report.Text(inWords(string(c.Status))), kindBadge(c.Kind),
				report.Text(c.Reason), report.Text(sourcesText(c.Sources))}
		})}
}

func sourcesText(list []analysis.Source) string {
	var texts []string
	for _, x := range list {
		texts = append(texts, sourceText(x))
	}
	return strings.Join(texts, "; ")
}

func callSection(calls []analysis.Judged) report.Section {
	if len(calls) == 0 {
		return report.Section{}
	}
	heads := columns("Call", "+Seq", "Method", "Ended", "Assessment")
	return report.Section{ID: "calls", Title: "Calls", Lead: "Every call that was assessed, in its order.",
		Tables: table(count(int64(len(calls)), "call"), heads, len(calls), func(i int) []report.Cell {
			c := &calls[i]
			return []report.Cell{report.Code(calledText(c)).Link(callID(c, "")), report.Number(c.Seq), report.Text(c.Method),
				report.Text(inWords(string(c.Status))), kindBadge(c.Kind)}
		})}
}

func safetyTone(s reprise.Safety) report.Tone {
	switch s {
	case reprise.SafetyReadOnly:
		return report.Good
	case reprise.SafetyDestructive:
		return report.Bad
	}
	return report.Warning
}

// toolSection is how tools were used; those that nobody called are counted only.
func toolSection(list []analysis.SurveyTool, several bool) report.Section {
	called := keep(list, func(t analysis.SurveyTool) bool { return t.Calls > 0 })
	if len(list) == 0 {
		return report.Section{}
	}
	heads := columns("Tool", "Safety", "+Calls", "+Errors", "+Error rate (95 %)", "+p50", "+p90", "+p99", "+Median size", "+Largest")
	if several {
		heads = slices.Insert(heads, 1, columns("Server", "+Sessions")...)
	}
	s := report.Section{ID: "tools", Title: "Tools",
		Lead: "Of unknown safety is a tool whose server declares nothing of it. The interval is where the true rate of errors may lie: of a few " +
			"calls it is wide. Times and sizes are of answered calls."}
	if len(called) > 0 {
		s.Tables = table(count(int64(len(called)), "tool")+" called", heads, len(called), func(i int) []report.Cell { return toolRow(&called[i], several) })
	}
	if n := len(list) - len(called); n > 0 {
		s.Rest = count(int64(n), "more tool") + " listed and never called."
	}
	return s
}

func toolRow(t *analysis.SurveyTool, several bool) []report.Cell {
	safety := cmp.Or(t.Safety.Safety, reprise.SafetyUnknown)
	row := []report.Cell{report.Code(t.Tool)}
	if several {
		row = append(row, report.Text(t.Server), report.Number(t.Sessions))
	}
	row = append(row, report.Badge(inWords(string(safety)), safetyTone(safety)), report.Number(t.Calls), badIfAny(t.Failed), report.Number(errorRate(*t)))
	if t.Answered == 0 {
		return append(row, make([]report.Cell, 5)...)
	}
	return append(row, report.Number(took(t.P50)), report.Number(took(t.P90)), report.Number(took(t.P99)),
		report.Number(bytesOf(t.SizeP50)), report.Number(bytesOf(t.SizeMost)))
}

// caseSection is what the traffic shows of the cases of a checks file: a row for each check.
func caseSection(list []analysis.CaseHeld) report.Section {
	type row struct {
		of   *analysis.CaseHeld
		held *analysis.Held
	}
	var rows []row
	for i := range list {
		for n := range list[i].Held {
			rows = append(rows, row{&list[i], &list[i].Held[n]})
		}
	}
	if len(rows) == 0 {
		return report.Section{}
	}
	heads := columns("Case", "+Seq", "Check", "Result", "Reason")
	return report.Section{ID: "cases", Title: "Cases", Lead: "The cases of the checks file, as far as the session happens to contain them.",
		Tables: table(count(int64(len(rows)), "check"), heads, len(rows), func(i int) []report.Cell {
			c, h := rows[i].of, rows[i].held
			cells := []report.Cell{report.Code(cmp.Or(c.Case.Name, c.Case.Tool)), {}, report.Code(h.Type), resultBadge(h.Result), report.Text(h.Reason)}
			if c.Seq != 0 {
				cells[1] = report.Number(c.Seq)
			}
			return cells
		})}
}

func resultBadge(r analysis.Result) report.Cell {
	tone := map[analysis.Result]report.Tone{analysis.Passed: report.Good, analysis.Failed: report.Bad}[r]
	return report.Badge(string(r), tone)
}

// checkSection tallies what the checks say of the traffic as it happened, those with failures first.
func checkSection(list []analysis.CheckTally) report.Section {
	if len(list) == 0 {
		return report.Section{}
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b analysis.CheckTally) int { return min(b.Failed, 1) - min(a.Failed, 1) })
	heads := columns("Tool", "Check", "+Passed", "+Failed", "+Skipped", "+Untestable", "Reason", "Seqs")
	return report.Section{ID: "checks", Title: "Checks",
		Lead: "What the checks say of the traffic as it happened. What is skipped or untestable counts for neither side.",
		Tables: table("by tool and check", heads, len(list), func(i int) []report.Cell {
			c := &list[i]
			row := []report.Cell{report.Code(c.Tool), report.Code(c.Type), report.Number(c.Passed), badIfAny(c.Failed), report.Number(c.Skipped),
				report.Number(c.Untestable), report.Text(c.Reason), {}}
			if len(c.Evidence) > 0 {
				row[7] = report.Text(seqsOf(c.Evidence))
			}
			return row
		})}
}

func pageSection(list []analysis.Page) report.Section {
	if len(list) == 0 {
		return report.Section{}
	}
	heads := columns("Page", "+Seq", "Mode", "+Semantic", "+Generic", "+Share")
	return report.Section{ID: "pages", Title: "HTML pages",
		Lead: "The share of semantic elements among them and generic ones (div, span): a signal, never a verdict.",
		Tables: table(count(int64(len(list)), "page"), heads, len(list), func(i int) []report.Cell {
			page, share := &list[i], "no element of either"
			if page.Ratio >= 0 {
				share = fmt.Sprintf("%.2f", page.Ratio)
			}
			return []report.Cell{report.Code(cmp.Or(page.URI, page.Tool)), report.Number(page.Seq), report.Text(page.Mode),
				report.Number(page.Semantic), report.Number(page.Generic), report.Number(share)}
		})}
}

// coverageSection is in short what was exercised of each tool.
func coverageSection(c *analysis.Coverage) report.Section {
	if c == nil || len(c.Tools) == 0 {
		return report.Section{}
	}
	heads := columns("Tool", "+Calls", "+Parameters given", "+Enum values given", "Never given", "Ways it failed")
	return report.Section{ID: "coverage", Title: "Coverage", Lead: "What was exercised of each tool, by whoever used it: no sweep of the server.",
		Tables: table(count(int64(len(c.Tools)), "tool"), heads, len(c.Tools), func(i int) []report.Cell { return coverageRow(&c.Tools[i]) })}
}

func coverageRow(t *analysis.ToolCoverage) []report.Cell {
	given, values, of := 0, 0, 0
	var never, failed []string
	for _, param := range t.Parameters {
		if param.Calls > 0 {
			given++
		} else {
			never = append(never, param.Name)
		}
		for _, n := range param.Enum {
			of++
			values += min(n, 1)
		}
	}
	for _, way := range slices.Sorted(maps.Keys(t.Errors)) {
		failed = append(failed, fmt.Sprintf("%s ×%d", inWords(way), t.Errors[way]))
	}
	return []report.Cell{report.Code(t.Tool), report.Number(t.Calls), partOf(given, len(t.Parameters)), partOf(values, of),
		report.Text(strings.Join(few(never, 8), ", ")), report.Text(strings.Join(failed, ", "))}
}

func partOf(n, of int) report.Cell {
	if of == 0 {
		return report.Cell{}
	}
	return report.Number(fmt.Sprintf("%d of %d", n, of))
}

// unseenSection says what the records lack: a judgment is no better than they are.
func unseenSection(reports []*analysis.Report) report.Section {
	var sum analysis.Unseen
	for _, r := range reports {
		u := &r.Unseen
		sum.Gaps, sum.LostFrames, sum.Truncated = sum.Gaps+u.Gaps, sum.LostFrames+u.LostFrames, sum.Truncated+u.Truncated
		sum.TooLong, sum.LeftOut, sum.Calls = sum.TooLong+u.TooLong, sum.LeftOut+u.LeftOut, sum.Calls+u.Calls
	}
	s := report.Section{ID: "unseen", Title: "Not seen", Lead: "A judgment is no better than the record. This one lacks nothing that is known of."}
	list := nonEmpty(lost(sum.Gaps, "gap in the record"), lost(sum.LostFrames, "frame lost"), lost(sum.Truncated, "frame cut short"),
		lost(sum.TooLong, "message looked at in part"), lost(sum.LeftOut, "value left out of provenance"), lost(sum.Calls, "call not answered by the record's end"))
	if len(list) > 0 {
		s.Lead = "A judgment is no better than the record. This one lacks: " + strings.Join(list, ", ") + "."
	}
	return s
}
