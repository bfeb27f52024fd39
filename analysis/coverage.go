package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"reprise"
)

// Coverage is what captured use exercised of a server, and what it did not (S43): whatever an agent happened to do, and no sweep. Coverages of
// one server add up.
type Coverage struct {
	Server   string
	Sessions int
	Tools    []ToolCoverage // by name: listed or called
	// Prompts are the same of prompts, whose arguments are their parameters.
	Prompts   []ToolCoverage
	Templates []TemplateCoverage // by template
	// More are the calls of tools and prompts beyond the first maxCovered, and reads of so many addresses: what they exercised is not known.
	More int

	reads map[string]int // of every address, for templates that are listed later
}

// ToolCoverage is of one tool.
type ToolCoverage struct {
	Tool   string
	Listed bool
	Calls  int
	// Unread are the calls whose arguments could not be followed: too long, or too many for a tool without a schema.
	Unread     int
	Parameters []ParameterCoverage // in the schema's order; of a tool that was never listed those that it was given
	// Errors are the ways in which it was seen failing: "tool_error", "error -32602", …, each with how often.
	Errors map[string]int
}

// ParameterCoverage is of one parameter, or of one within it.
type ParameterCoverage struct {
	Name     string // filter, filter.status, items[].id
	Required bool
	Calls    int // that gave it
	// Enum are the values that the schema names, those of a boolean too: raw JSON → calls. Values has them in the schema's order.
	Enum   map[string]int
	Values []string

	// given are the values that it got while its schema was not known, in canonical spelling; nil where it was.
	given map[string]int
}

// TemplateCoverage is of one resource template.
type TemplateCoverage struct {
	Template string
	Reads    int // of addresses that could be made of it
}

// Add takes another session of the same server in, a later one: what it lists is what the server offers now. What the server no
// longer offers stays when it was exercised.
func (c *Coverage) Add(other *Coverage) {
	if other == nil {
		return
	}
	c.Server = cmp.Or(c.Server, other.Server)
	c.Sessions += other.Sessions
	c.More += other.More
	c.Tools = addTools(c.Tools, other.Tools)
	c.Prompts = addTools(c.Prompts, other.Prompts)
	for _, t := range other.Templates {
		c.template(t.Template)
	}
	for _, uri := range slices.Sorted(maps.Keys(other.reads)) {
		c.read(uri, other.reads[uri])
	}
	c.match()
}

func addTools(older, newer []ToolCoverage) (sum []ToolCoverage) {
	at := map[string]int{}
	for i, t := range older {
		at[t.Tool] = i
		sum = append(sum, addTool(ToolCoverage{Tool: t.Tool}, t)) // shares nothing with it
	}
	for _, t := range newer {
		if i, known := at[t.Tool]; known {
			sum[i] = addTool(sum[i], t)
			continue
		}
		sum = append(sum, addTool(ToolCoverage{Tool: t.Tool}, t))
	}
	slices.SortFunc(sum, func(a, b ToolCoverage) int { return strings.Compare(a.Tool, b.Tool) })
	return sum
}

func addTool(older, newer ToolCoverage) ToolCoverage {
	sum := ToolCoverage{Tool: older.Tool, Listed: older.Listed || newer.Listed, Calls: older.Calls + newer.Calls, Unread: older.Unread + newer.Unread}
	for _, t := range []ToolCoverage{older, newer} {
		for way, n := range t.Errors {
			if sum.Errors == nil {
				sum.Errors = map[string]int{}
			}
			sum.Errors[way] += n
		}
	}
	if newer.Listed || !older.Listed {
		sum.Parameters = addParameters(newer.Parameters, older.Parameters, newer.Listed)
	} else {
		sum.Parameters = addParameters(older.Parameters, newer.Parameters, true)
	}
	return sum
}

// addParameters adds what is known of parameters to those that are to be shown. Others are shown too when they were given, but not if nothing
// ever declared them while there is a schema.
func addParameters(shown, others []ParameterCoverage, declared bool) (sum []ParameterCoverage) {
	at := map[string]int{}
	for i, p := range shown {
		at[p.Name] = i
		p.Enum, p.given = maps.Clone(p.Enum), maps.Clone(p.given)
		sum = append(sum, p)
	}
	for _, p := range others {
		i, known := at[p.Name]
		switch {
		case known:
			sum[i].add(&p)
		case p.Calls > 0 && !(declared && p.given != nil):
			p.Enum, p.given = maps.Clone(p.Enum), maps.Clone(p.given)
			sum = append(sum, p)
		}
	}
	return sum
}

// add adds what is known of the same parameter from elsewhere.
func (p *ParameterCoverage) add(other *ParameterCoverage) {
	p.Calls += other.Calls
	p.Values = slices.Clip(p.Values)
	for _, value := range other.Values {
		if _, known := p.Enum[value]; known || other.Enum[value] > 0 && p.Enum != nil {
			if !known {
				p.Values = append(p.Values, value)
			}
			p.Enum[value] += other.Enum[value]
		}
	}
	for value, n := range other.given {
		if p.given != nil {
			p.given[value] += n
		}
	}
	if p.given != nil || other.given == nil {
		return
	}
	for _, value := range p.Values {
		p.Enum[value] += other.given[string(reprise.Canonical(value))]
	}
}

// template adds a template that is listed.
func (c *Coverage) template(text string) {
	i, known := slices.BinarySearchFunc(c.Templates, text, func(t TemplateCoverage, text string) int { return strings.Compare(t.Template, text) })
	if !known && len(c.Templates) < maxTemplates {
		c.Templates = slices.Insert(c.Templates, i, TemplateCoverage{Template: strings.Clone(text)})
	}
}

// read counts reads of an address.
func (c *Coverage) read(uri string, n int) {
	if c.reads == nil {
		c.reads = map[string]int{}
	}
	if _, known := c.reads[uri]; !known {
		if len(c.reads) >= maxCovered || len(uri) > maxAddress {
			c.More += n
			return
		}
		uri = strings.Clone(uri)
	}
	c.reads[uri] += n
}

// match counts the reads of each template anew. An address that several could make counts for each.
func (c *Coverage) match() {
	for i := range c.Templates {
		t := &c.Templates[i]
		t.Reads = 0
		parts := literals(t.Template)
		for uri, n := range c.reads {
			if made(parts, uri) {
				t.Reads += n
			}
		}
	}
}

// literals are the parts of a template between its {expressions}; the first and the last may be "".
func literals(template string) (parts []string) {
	for {
		before, rest, ok := strings.Cut(template, "{")
		if !ok {
			return append(parts, template)
		}
		parts = append(parts, before)
		if _, template, ok = strings.Cut(rest, "}"); !ok {
			return append(parts, "")
		}
	}
}

// made says whether an address has the literal parts of a template in their order. What an expression may stand for is not looked at.
func made(parts []string, uri string) bool {
	if len(parts) == 1 {
		return uri == parts[0]
	}
	rest, ok := strings.CutPrefix(uri, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[last])
}
