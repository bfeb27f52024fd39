package live

import (
	"reprise"
	"reprise/analysis"
)

// Cases makes a checks file of a harvest: a case for each first page that succeeded. Harvested arguments name their births, so
// that the file holds no value that is not the server's own to fix.
func (h *Harvest) Cases() *analysis.Cases {
	file := &analysis.Cases{Version: 1}
	for _, m := range h.Calls {
		if m.Page != 1 || !m.OK() {
			continue
		}
		c := analysis.Case{Kind: "direct", Plan: m.plan(), Checks: []analysis.Check{{Type: "succeeds"}}}
		if schema := reprise.Member(m.Tool.JSON, "outputSchema"); schema.IsObject() {
			c.Checks = append(c.Checks, analysis.Check{Type: "output_schema"})
		}
		if p := m.Pages; p != nil && p.Items != "" {
			c.Checks = append(c.Checks, analysis.Check{Type: "pagination_terminates", Cursor: p.Cursor, Argument: p.Argument, Items: p.Items})
		}
		file.Cases = append(file.Cases, c)
	}
	return file
}

// plan is a call as it can be made again, its arguments by their births.
func (m *Made) plan() analysis.Plan {
	p := analysis.Plan{Tool: m.Tool.Name}
	for _, a := range m.Args {
		arg := analysis.Arg{Name: a.Name, JSON: a.JSON, Source: string(reprise.SourceLiteral)}
		if a.birth != nil {
			arg = analysis.Arg{Name: a.Name, Source: string(reprise.SourceHarvested), From: &analysis.Birth{Plan: a.birth.plan(), Path: a.Value.Path}}
		}
		p.Args = append(p.Args, arg)
	}
	return p
}
