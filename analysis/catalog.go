package analysis

import (
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// Tool is a tool as its server lists it.
type Tool struct {
	Name string
	JSON string // raw, as it stands in the list
	Seq  int64  // of the list's response
	reprise.ToolSafety
	// Twice says that one page of the list has it more than once, and differently.
	Twice bool

	input, output *lazySchema
	read          bool // parameters are
	parameters    []Parameter
}

// Description is the tool's.
func (t *Tool) Description() string { return reprise.Member(t.JSON, "description").String() }

// Input is the compiled inputSchema, nil where there is none; err says why one could not be read.
func (t *Tool) Input() (s *Schema, err error) { return t.input.get() }

// Output is the compiled outputSchema, nil where there is none.
func (t *Tool) Output() (s *Schema, err error) { return t.output.get() }

// Parameters are the tool's, as its inputSchema's properties name them, in the schema's order.
func (t *Tool) Parameters() []Parameter {
	if !t.read {
		t.read, t.parameters = true, parametersOf(t.JSON)
	}
	return t.parameters
}

// Parameter is one property of an inputSchema.
type Parameter struct {
	Name        string
	JSON        string // its schema, raw
	Description string
	Required    bool
	Enum        []string // raw JSON values; const is an enum of one
}

// Catalog is what a server has listed, as far as the session has come.
type Catalog struct {
	byName map[string]*Tool
	order  []string
	// Pages says how many pages of tools/list were read; Changed that the list was said to have changed since.
	Pages   int
	Changed bool

	prompts map[string]prompt
}

// prompt is what the list says of a prompt.
type prompt struct {
	seq      int64
	required []string
}

// maxListed is how many tools or prompts of a server are looked at.
const maxListed = 10_000

// Tool is the tool of a name as it was last listed, or nil.
func (c *Catalog) Tool(name string) *Tool { return c.byName[name] }

// All are the tools in the order in which they were first listed.
func (c *Catalog) All() []*Tool {
	list := make([]*Tool, 0, len(c.order))
	for _, name := range c.order {
		list = append(list, c.byName[name])
	}
	return list
}

// heard is told of every message: a list that is said to have changed may no longer be what it was.
func (c *Catalog) heard(f *reprise.Frame, m *reprise.Message) {
	if m.Kind == reprise.KindNotification && f.Direction == reprise.ServerToClient && m.Method == "notifications/tools/list_changed" {
		c.Changed = true
	}
}

// learn reads a page of tools/list, and gives the tools that are new or have changed.
func (c *Catalog) learn(seq int64, params, result string) (fresh []*Tool) {
	c.Pages++
	if c.byName == nil {
		c.byName = map[string]*Tool{}
	}
	if cursor := reprise.Member(params, "cursor"); !cursor.Exists() || cursor.Type == gjson.Null {
		c.Changed = false
	}
	reprise.Member(result, "tools").ForEach(func(_, item gjson.Result) bool {
		if t := c.take(seq, item); t != nil {
			fresh = append(fresh, t)
		}
		return len(c.order) < maxListed
	})
	return fresh
}

// take remembers a tool, unless it is known like this.
func (c *Catalog) take(seq int64, item gjson.Result) *Tool {
	name := reprise.Member(item.Raw, "name")
	if !item.IsObject() || name.Type != gjson.String {
		return nil
	}
	was := c.byName[name.Str]
	if was != nil && was.JSON == item.Raw {
		was.Seq = seq
		return nil
	}
	raw := strings.Clone(item.Raw)
	t := &Tool{Name: reprise.Member(raw, "name").String(), JSON: raw, Seq: seq, ToolSafety: reprise.SafetyOf(raw)}
	t.input, t.output = &lazySchema{raw: reprise.Member(raw, "inputSchema").Raw}, &lazySchema{raw: reprise.Member(raw, "outputSchema").Raw}
	if was == nil {
		c.order = append(c.order, t.Name)
	}
	t.Twice = was != nil && was.Seq == seq
	c.byName[t.Name] = t
	return t
}

// learnPrompts reads a page of prompts/list.
func (c *Catalog) learnPrompts(seq int64, result string) {
	if c.prompts == nil {
		c.prompts = map[string]prompt{}
	}
	reprise.Member(result, "prompts").ForEach(func(_, item gjson.Result) bool {
		p := prompt{seq: seq}
		reprise.Member(item.Raw, "arguments").ForEach(func(_, argument gjson.Result) bool {
			if reprise.Member(argument.Raw, "required").Bool() {
				p.required = append(p.required, reprise.Member(argument.Raw, "name").String())
			}
			return true
		})
		c.prompts[strings.Clone(reprise.Member(item.Raw, "name").String())] = p
		return len(c.prompts) < maxListed
	})
}
