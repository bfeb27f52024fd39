package analysis

import (
	"fmt"
	"slices"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// What a session exercises is followed within these bounds.
const (
	maxCovered    = 10_000    // tools, and addresses that were read
	maxTemplates  = 200       // resource templates
	maxParameters = 500       // of one tool, those within others among them
	maxInside     = 4         // how deep parameters within parameters are followed, lists counted
	maxWays       = 32        // to fail, of one tool
	maxGiven      = 32        // values of one parameter whose schema is not known
	maxValue      = 256       // bytes of a value that is compared with others
	maxEnum       = 1_000     // values of one parameter
	maxShape      = 256 << 10 // bytes of a schema of which more than the names of its properties is read
)

// covering follows what one session exercises.
type covering struct {
	sum            Coverage
	tools, prompts map[string]*exercise
}

// exercise is what happened to one tool or prompt.
type exercise struct {
	ToolCoverage
	past []ParameterCoverage // under earlier definitions, or before there was one
	root *parameter          // its arguments

	declared bool // there is a schema: only what it names is followed
	count    int  // of parameters under root
	object   int  // counts the objects that were looked at
	lost     bool // something in this call could not be followed
}

// parameter is a place in the arguments.
type parameter struct {
	ParameterCoverage
	depth   int
	shown   bool                  // it is a parameter, and not just on the way to some
	members map[string]*parameter // of an object
	order   []*parameter          // the members, as the schema has them
	element *parameter            // of an array
	values  map[string]*value     // by canonical spelling, and as the schema spells them

	latest  string // value in the object that is being read: the last of duplicates counts
	object  int    // that object
	counted int    // the latest call that gave it
}

type value struct{ calls, counted int }

// watchCoverage follows what a session exercises.
func watchCoverage(p *Pass) func() *Coverage {
	c := &covering{tools: map[string]*exercise{}, prompts: map[string]*exercise{}}
	p.Listed(func(t *Tool) {
		if x := c.of(c.tools, t.Name); x != nil {
			x.declare(reprise.Member(t.JSON, "inputSchema").Raw)
		}
	})
	p.Calls(func(e *Exchange) {
		if e.OfClient() {
			c.call(e)
		}
	})
	return func() *Coverage { return c.end(ServerOf(p.Session)) }
}

func (c *covering) call(e *Exchange) {
	asked := e.asked()
	switch {
	case asked.Tool() != "":
		c.exercised(c.tools, e, asked)
	case asked.Prompt() != "":
		c.exercised(c.prompts, e, asked)
	case e.Method == "resources/read" && e.Name != "":
		c.sum.read(e.Name, 1)
	case e.Method == "prompts/list":
		reprise.Member(e.Result, "prompts").ForEach(func(_, prompt gjson.Result) bool {
			name := reprise.Member(prompt.Raw, "name")
			if x := c.of(c.prompts, name.Str); x != nil && name.Str != "" {
				x.declareArguments(reprise.Member(prompt.Raw, "arguments"))
			}
			return true
		})
	case e.Method == "resources/templates/list":
		reprise.Member(e.Result, "resourceTemplates").ForEach(func(_, template gjson.Result) bool {
			if text := reprise.Member(template.Raw, "uriTemplate").Str; text != "" && len(text) <= maxAddress {
				c.sum.template(text)
			}
			return true
		})
	}
}

// of is what is known of a tool or prompt; nil when there are too many.
func (c *covering) of(all map[string]*exercise, name string) *exercise {
	x := all[name]
	if x == nil && len(all) < maxCovered {
		name = strings.Clone(name)
		x = &exercise{ToolCoverage: ToolCoverage{Tool: name}, root: &parameter{}}
		all[name] = x
	}
	return x
}

// exercised counts a call, and how it ended. The end of a task is the end of the call that made it.
func (c *covering) exercised(all map[string]*exercise, e, asked *Exchange) {
	x := c.of(all, asked.Name)
	if x == nil {
		c.sum.More++
		return
	}
	if e.Status.Failed() {
		x.failed(wayOf(e))
	}
	if e != asked {
		return
	}
	x.Calls++
	x.lost = e.Flags&reprise.FlagCut != 0 && !gjson.Valid(e.Params)
	if arguments := e.Arguments(); strings.HasPrefix(arguments, "{") && !x.lost {
		x.members(x.root, arguments)
	}
	if x.lost {
		x.Unread++
	}
}

func wayOf(e *Exchange) string {
	if e.Status == reprise.StatusError && e.Code != nil {
		return fmt.Sprintf("error %d", *e.Code)
	}
	return string(e.Status)
}

func (x *exercise) failed(way string) {
	if x.Errors == nil {
		x.Errors = map[string]int{}
	}
	if _, known := x.Errors[way]; !known && len(x.Errors) >= maxWays {
		way = "other"
	}
	x.Errors[way]++
}

// members takes an object that was given in.
func (x *exercise) members(of *parameter, raw string) {
	x.object++
	object := x.object
	var room [8]*parameter
	touched := room[:0]
	gjson.Parse(raw).ForEach(func(key, v gjson.Result) bool {
		p := of.members[key.Str]
		if p == nil {
			if p = x.unknown(of, key.Str); p == nil {
				return true
			}
		}
		if p.object != object {
			p.object = object
			touched = append(touched, p)
		}
		p.latest = v.Raw
		return true
	})
	for _, p := range touched {
		x.take(p, p.latest)
	}
	for _, p := range touched {
		p.latest = "" // is of the exchange, and goes with it
	}
}

// unknown is a place for what no schema names, while there is none.
func (x *exercise) unknown(of *parameter, name string) *parameter {
	switch {
	case x.declared || of.depth >= maxInside || len(name) > maxValue: // a schema's would not be followed either
		return nil
	case x.count >= maxParameters:
		x.lost = true
		return nil
	}
	p := x.add(of, strings.Clone(name))
	p.given = map[string]int{}
	return p
}

// add makes a place for a member.
func (x *exercise) add(of *parameter, name string) *parameter {
	x.count++
	p := &parameter{ParameterCoverage: ParameterCoverage{Name: reprise.PathMember(of.Name, name)}, depth: of.depth + 1, shown: true}
	if of.members == nil {
		of.members = map[string]*parameter{}
	}
	if was := of.members[name]; was != nil { // the last of duplicates counts
		of.order[slices.Index(of.order, was)] = p
	} else {
		of.order = append(of.order, p)
	}
	of.members[name] = p
	return p
}

// take counts a value that was given. A call counts once, however often a list has it.
func (x *exercise) take(p *parameter, raw string) {
	if p.counted != x.Calls {
		p.counted = x.Calls
		p.Calls++
	}
	switch {
	case strings.HasPrefix(raw, "{") && (p.members != nil || p.given != nil):
		x.members(p, raw)
	case strings.HasPrefix(raw, "[") && p.element == nil && p.given != nil && p.depth < maxInside:
		p.element = &parameter{ParameterCoverage: ParameterCoverage{Name: p.Name + "[]", given: map[string]int{}}, depth: p.depth + 1, shown: true}
		fallthrough
	case strings.HasPrefix(raw, "[") && p.element != nil:
		gjson.Parse(raw).ForEach(func(_, v gjson.Result) bool {
			x.take(p.element, v.Raw)
			return true
		})
	}
	x.value(p, raw)
}

// value counts one of the values that a schema names, or that may turn out to be one.
func (x *exercise) value(p *parameter, raw string) {
	if p.values == nil && p.given == nil || len(raw) > maxValue {
		return
	}
	v := p.values[raw]
	if v == nil {
		canonical := string(reprise.Canonical(raw))
		if v = p.values[canonical]; v == nil && p.given != nil && len(p.values) < maxGiven {
			v = &value{}
			if p.values == nil {
				p.values = map[string]*value{}
			}
			p.values[canonical] = v
		}
	}
	if v != nil && v.counted != x.Calls {
		v.counted = x.Calls
		v.calls++
	}
}

// end gives what was followed.
func (c *covering) end(server string) *Coverage {
	c.sum.Server, c.sum.Sessions = server, 1
	for _, x := range c.tools {
		c.sum.Tools = append(c.sum.Tools, x.end())
	}
	for _, x := range c.prompts {
		c.sum.Prompts = append(c.sum.Prompts, x.end())
	}
	for _, list := range [][]ToolCoverage{c.sum.Tools, c.sum.Prompts} {
		slices.SortFunc(list, func(a, b ToolCoverage) int { return strings.Compare(a.Tool, b.Tool) })
	}
	c.sum.match()
	return &c.sum
}

func (x *exercise) end() ToolCoverage {
	x.Parameters = addParameters(x.root.coverage(nil), x.past, x.declared)
	return x.ToolCoverage
}

// coverage are the parameters below a place, each before those within it.
func (p *parameter) coverage(list []ParameterCoverage) []ParameterCoverage {
	if p.shown {
		list = append(list, p.counts())
	}
	for _, member := range p.order {
		list = member.coverage(list)
	}
	if p.element != nil {
		list = p.element.coverage(list)
	}
	return list
}

func (p *parameter) counts() ParameterCoverage {
	c := p.ParameterCoverage
	if c.given != nil {
		for canonical, v := range p.values {
			c.given[canonical] = v.calls
		}
		return c
	}
	for _, raw := range c.Values {
		c.Enum[raw] = p.values[raw].calls
	}
	return c
}
