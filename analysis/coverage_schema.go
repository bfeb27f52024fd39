package analysis

import (
	"slices"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// declare begins to follow what a schema names. What was counted under another one is kept.
func (x *exercise) declare(schema string) {
	x.begin()
	x.properties(x.root, schema, schema)
}

// declareArguments is declare for a prompt.
func (x *exercise) declareArguments(list gjson.Result) {
	x.begin()
	list.ForEach(func(_, argument gjson.Result) bool {
		if name := reprise.Member(argument.Raw, "name"); name.Type == gjson.String && x.count < maxParameters {
			p := x.add(x.root, strings.Clone(name.Str))
			p.Required = reprise.Member(argument.Raw, "required").Type == gjson.True
		}
		return true
	})
}

func (x *exercise) begin() {
	x.past = addParameters(x.root.coverage(nil), x.past, x.declared)
	x.root, x.count, x.declared, x.Listed = &parameter{}, 0, true, true
}

// properties makes places for those of an object's schema.
func (x *exercise) properties(of *parameter, root, schema string) {
	properties := reprise.Member(schema, "properties")
	if !properties.IsObject() {
		return
	}
	required := map[string]bool{}
	reprise.Member(schema, "required").ForEach(func(_, name gjson.Result) bool {
		required[name.Str] = true
		return true
	})
	properties.ForEach(func(key, property gjson.Result) bool {
		if x.count >= maxParameters || len(key.Str) > maxValue {
			return x.count < maxParameters
		}
		p := x.add(of, strings.Clone(key.Str))
		p.Required = required[key.Str]
		if len(root) <= maxShape {
			x.shape(p, root, meant(root, property.Raw))
		}
		return true
	})
}

// shape reads what a schema says of the values of a parameter.
func (x *exercise) shape(p *parameter, root, schema string) {
	for _, raw := range valuesOf(root, schema) {
		p.name(raw)
	}
	if p.depth >= maxInside {
		return
	}
	if items := reprise.Member(schema, "items"); items.IsObject() {
		p.element = &parameter{ParameterCoverage: ParameterCoverage{Name: p.Name + "[]"}, depth: p.depth + 1}
		x.shape(p.element, root, meant(root, items.Raw))
		p.element.shown = p.element.values != nil
		return
	}
	x.properties(p, root, schema)
}

// name adds a value that the schema names.
func (p *parameter) name(raw string) {
	if len(p.Values) >= maxEnum || len(raw) > maxValue {
		return
	}
	canonical := string(reprise.Canonical(raw))
	if p.values == nil {
		p.values, p.Enum = map[string]*value{}, map[string]int{}
	}
	if p.values[canonical] != nil { // twice
		return
	}
	raw = strings.Clone(raw)
	v := &value{}
	p.values[canonical], p.values[raw] = v, v
	p.Values = append(p.Values, raw)
	p.Enum[raw] = 0
}

// valuesOf are the values that a schema names: of an enum or const, and the two of a boolean.
func valuesOf(root, schema string) []string {
	if values := enumOf(root, schema); values != nil {
		return values
	}
	kind := reprise.Member(schema, "type")
	if kind.Str == "boolean" || kind.IsArray() && slices.Equal(typesOf(kind), []string{"boolean"}) {
		return []string{"true", "false"}
	}
	return nil
}

// typesOf are those that a list names beside null.
func typesOf(kind gjson.Result) (types []string) {
	kind.ForEach(func(_, one gjson.Result) bool {
		if one.Str != "null" {
			types = append(types, one.Str)
		}
		return len(types) < 2
	})
	return types
}

// meant is the schema that says something: what a $ref points to, and of a choice between something and null the something.
func meant(root, schema string) string {
	for range 4 {
		next := referred(root, schema)
		for _, choice := range []string{"anyOf", "oneOf"} {
			if next == "" {
				next = onlyOne(reprise.Member(schema, choice))
			}
		}
		if next == "" {
			break
		}
		schema = next
	}
	return schema
}

// onlyOne is the only schema of a choice that is not of null.
func onlyOne(choices gjson.Result) (schema string) {
	n := 0
	choices.ForEach(func(_, one gjson.Result) bool {
		if reprise.Member(one.Raw, "type").Str != "null" {
			schema = one.Raw
			n++
		}
		return n < 2
	})
	if n != 1 {
		return ""
	}
	return schema
}
