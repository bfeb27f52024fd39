package reprise

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of what is remembered of tools, in bytes: of one schema, and of all of them.
const (
	maxSchema    = 256 << 10
	maxSchemaAll = 8 << 20
)

// maxNouns is how many entities a session has tools for, as far as they are remembered.
const maxNouns = 4096

// tools is what the server has said of its tools and prompts.
type tools struct {
	byName  map[string]*tool
	prompts map[string]*tool
	size    int
	leftOut int64
	// The word that the names of all tools begin with, as far as all have one and it is no verb.
	first  string
	varied bool
	nouns  map[string]string // of the tools that were asked for, within that first word
	within string
}

// tool is one of them, or a prompt.
type tool struct {
	description string
	schema      string // inputSchema
	readOnly    bool   // declared so
}

// learn reads a page of tools/list, and gives the names in it.
func (t *tools) learn(raw string) (names []string) {
	list, _ := lookUp(raw, "tools")
	list.ForEach(func(_, item gjson.Result) bool {
		name, _ := lookUp(item.Raw, "name")
		t.begins(name.Str)
		annotations, _ := lookUp(item.Raw, "annotations")
		hint, _ := lookUp(annotations.Raw, "readOnlyHint")
		schema, _ := lookUp(item.Raw, "inputSchema")
		t.byName = t.keep(t.byName, name.Str, item.Raw, schema.Raw, hint.Type == gjson.True)
		names = append(names, strings.Clone(name.Str))
		return true
	})
	return names
}

// noun is the entity that a tool is about. It is asked several times for each call.
func (t *tools) noun(name string) string {
	space := t.space()
	if t.nouns == nil || t.within != space || len(t.nouns) >= maxNouns {
		t.nouns, t.within = map[string]string{}, space
	}
	noun, ok := t.nouns[name]
	if ok {
		return noun
	}
	noun = toolNoun(name, space)
	if len(name) <= longKey {
		t.nouns[strings.Clone(name)] = noun
	}
	return noun
}

// begins notes the first word of a tool's name.
func (t *tools) begins(name string) {
	words := splitWords(name)
	switch {
	case len(words) < 2 || verbs[words[0]] || t.first != "" && words[0] != t.first:
		t.varied = true
	case t.first == "":
		t.first = strings.Clone(words[0])
	}
}

// space is the word that the names of all tools begin with, when they are three or more: git_log, git_show, git_commit.
func (t *tools) space() string {
	if t.varied || len(t.byName) < 3 {
		return ""
	}
	return t.first
}

// learnPrompts reads a page of prompts/list. Their arguments have descriptions and no types.
func (t *tools) learnPrompts(raw string) {
	list, _ := lookUp(raw, "prompts")
	list.ForEach(func(_, item gjson.Result) bool {
		name, _ := lookUp(item.Raw, "name")
		var o object
		arguments, _ := lookUp(item.Raw, "arguments")
		arguments.ForEach(func(_, argument gjson.Result) bool {
			name, _ := lookUp(argument.Raw, "name")
			o.raw(name.Str, argument.Raw)
			return true
		})
		var s object
		s.raw("properties", string(o.end()))
		t.prompts = t.keep(t.prompts, name.Str, item.Raw, string(s.end()), false)
		return true
	})
}

func (t *tools) keep(in map[string]*tool, name, item, schema string, readOnly bool) map[string]*tool {
	if in == nil {
		in = map[string]*tool{}
	}
	if was := in[name]; was != nil {
		t.size -= len(was.schema) + len(was.description) + len(name)
	}
	description, _ := lookUp(item, "description")
	one := &tool{description: bounded(unquote(description.Raw)), schema: bounded(schema), readOnly: readOnly}
	size := len(one.schema) + len(one.description) + len(name)
	if t.size+size > maxSchemaAll {
		delete(in, name) // what is not known is not declared read-only
		t.leftOut++
		return in
	}
	if one.schema == "" && schema != "" {
		t.leftOut++
	}
	t.size += size
	in[strings.Clone(name)] = one
	return in
}

// bounded is a copy of a piece of JSON, "" when it is longer than maxSchema.
func bounded(raw string) string {
	if len(raw) > maxSchema {
		return ""
	}
	return strings.Clone(raw)
}

func (t *tools) readOnly(name string) bool {
	one := t.byName[name]
	return one != nil && one.readOnly
}

func (t *tools) schema(name string) schema { return t.byName[name].arguments() }

func (t *tools) promptSchema(name string) schema { return t.prompts[name].arguments() }

func (t *tool) arguments() schema {
	if t == nil {
		return schema{}
	}
	return schema{raw: t.schema, description: t.description}
}
