package analysis

import (
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// parametersOf reads the parameters of a tool, as it stands in its list.
func parametersOf(tool string) []Parameter {
	schema := reprise.Member(tool, "inputSchema").Raw
	required := map[string]bool{}
	reprise.Member(schema, "required").ForEach(func(_, name gjson.Result) bool {
		if name.Type == gjson.String {
			required[name.Str] = true
		}
		return true
	})
	var list []Parameter
	at := map[string]int{}
	properties := reprise.Member(schema, "properties")
	if !properties.IsObject() {
		return nil
	}
	properties.ForEach(func(key, property gjson.Result) bool {
		one := Parameter{Name: key.Str, JSON: property.Raw, Description: describedAs(schema, property.Raw),
			Required: required[key.Str], Enum: enumOf(schema, property.Raw)}
		if i, twice := at[key.Str]; twice {
			list[i] = one // the last of duplicates counts
			return true
		}
		at[key.Str] = len(list)
		list = append(list, one)
		return true
	})
	return list
}

// describedAs is a property's description, or that of what it refers to.
func describedAs(schema, property string) string {
	if own := reprise.Member(property, "description"); own.Type == gjson.String {
		return own.Str
	}
	if text := reprise.Member(referred(schema, property), "description"); text.Type == gjson.String {
		return text.Str
	}
	return ""
}

// enumOf are the values that a property is fixed to: by itself, by what it refers to, or by one of its allOf.
func enumOf(schema, property string) []string {
	candidates := []string{property, referred(schema, property)}
	reprise.Member(property, "allOf").ForEach(func(_, part gjson.Result) bool {
		candidates = append(candidates, part.Raw, referred(schema, part.Raw))
		return len(candidates) < 16
	})
	for _, c := range candidates {
		if values := ownEnum(c); values != nil {
			return values
		}
	}
	return nil
}

func ownEnum(schema string) (values []string) {
	if c := reprise.Member(schema, "const"); c.Exists() {
		return []string{c.Raw}
	}
	if enum := reprise.Member(schema, "enum"); enum.IsArray() {
		enum.ForEach(func(_, v gjson.Result) bool {
			values = append(values, v.Raw)
			return true
		})
	}
	return values
}

// referred is what a $ref to a place in the same schema points to; "" where there is none.
func referred(schema, property string) string {
	ref := reprise.Member(property, "$ref").String()
	if !strings.HasPrefix(ref, "#/") {
		return ""
	}
	for _, step := range strings.Split(ref[2:], "/") {
		if strings.ContainsAny(step, "%") {
			return ""
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if schema = reprise.Member(schema, step).Raw; schema == "" {
			return ""
		}
	}
	return schema
}
