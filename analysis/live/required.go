package live

import (
	"fmt"
	"slices"
	"strings"

	"reprise"
	"reprise/analysis"

	"github.com/tidwall/gjson"
)

// required are the parameters that a tool can't be called without, in its schema's order.
func required(t *analysis.Tool) (names []string) {
	input := reprise.Member(t.JSON, "inputSchema").Raw
	reprise.Member(input, "required").ForEach(func(_, v gjson.Result) bool {
		if v.Type == gjson.String && !slices.Contains(names, v.String()) {
			names = append(names, v.String())
		}
		return true
	})
	return names
}

// property is the schema of a parameter, raw, with what it refers to in the same schema put in its place.
func property(t *analysis.Tool, name string) string {
	input := reprise.Member(t.JSON, "inputSchema").Raw
	raw := reprise.Member(reprise.Member(input, "properties").Raw, name).Raw
	for range 8 {
		path, ok := strings.CutPrefix(reprise.Member(raw, "$ref").String(), "#/")
		if !ok {
			break
		}
		raw = input
		for _, step := range strings.Split(path, "/") {
			raw = reprise.Member(raw, strings.NewReplacer("~1", "/", "~0", "~").Replace(step)).Raw
		}
	}
	return raw
}

// fill gives a value to each required parameter. lacking says in words what there is none for.
func (h *harvester) fill(t *analysis.Tool) (args []Filled, lacking string) {
	for _, name := range required(t) {
		arg, ok := literal(name, property(t, name))
		if !ok {
			arg, ok = h.known(t, name)
		}
		if !ok {
			return nil, name
		}
		args = append(args, arg)
	}
	return args, ""
}

// lacks says why a tool was not ready.
func (h *harvester) lacks(t *analysis.Tool) string {
	_, name := h.fill(t)
	switch entity := h.deriver.Asks(t.Name, name); {
	case name == "":
		return "was not reached"
	case entity == "":
		return "needs " + short(name) + ", and nothing says what would fit"
	case len(h.byFit[entity]) == 0:
		return fmt.Sprintf("needs %s, and no %s was harvested", short(name), short(entity))
	default:
		return fmt.Sprintf("needs %s, and no %s that was harvested fits", short(name), short(entity))
	}
}

// literal is the value that a schema fixes: const, default, or else the first of an enum.
func literal(name, schema string) (Filled, bool) {
	for _, keyword := range []string{"const", "default"} {
		if v := reprise.Member(schema, keyword); v.Exists() && v.Type != gjson.Null {
			return Filled{Name: name, JSON: compact(v.Raw), Ground: reprise.Ground(keyword)}, true
		}
	}
	arg, ok := Filled{Name: name, Ground: reprise.GroundEnum}, false
	reprise.Member(schema, "enum").ForEach(func(_, v gjson.Result) bool {
		arg.JSON, ok = compact(v.Raw), v.Type != gjson.Null
		return !ok
	})
	return arg, ok
}

// known is the harvested value that fits a parameter best: of the entity that it asks for (S25), under the same kind of key, as
// its schema has it. It has to stand where its birth says, or no case could name that.
func (h *harvester) known(t *analysis.Tool, name string) (best Filled, ok bool) {
	schema := property(t, name)
	fit := 0
	for _, v := range h.byFit[h.deriver.Asks(t.Name, name)] {
		made := h.made[v.CallSeq]
		score := reprise.AsksKey(name, v.Key)
		if made == nil || made.depth() > maxDepth || score <= fit || !fits(schema, v.JSON) || compact(Located(made.Result, v.Path)) != v.JSON {
			continue
		}
		best, fit = Filled{Name: name, JSON: v.JSON, Value: v, birth: made}, score
	}
	return best, fit > 0
}

// maxDepth is how many calls a value may come through. A checks file can say no more.
const maxDepth = 6

// depth is how many calls the arguments of a call come through.
func (m *Made) depth() (n int) {
	for _, a := range m.Args {
		if a.birth != nil {
			n = max(n, 1+a.birth.depth())
		}
	}
	return n
}

// fits says whether a schema takes a value. One that can't be read takes what has its type.
func fits(schema, raw string) bool {
	if schema == "" {
		return false
	}
	if kind := reprise.Member(schema, "type"); kind.Exists() && !ofType(kind, gjson.Parse(raw)) {
		return false
	}
	compiled, err := analysis.CompileSchema(schema)
	return err != nil || len(compiled.Check(raw)) == 0
}

// ofType says whether a value is of a type, or of one of several.
func ofType(kind, v gjson.Result) bool {
	if kind.IsArray() {
		return slices.ContainsFunc(kind.Array(), func(one gjson.Result) bool { return ofType(one, v) })
	}
	switch kind.String() {
	case "string":
		return v.Type == gjson.String
	case "integer", "number":
		return v.Type == gjson.Number
	}
	return false // what is harvested is an id, no more
}

// pagination finds how a list goes on, by the names of what takes a cursor and of what gave one; nil when it does not.
func (h *harvester) pagination(t *analysis.Tool, m *Made) *Pagination {
	if !m.OK() {
		return nil
	}
	p := &Pagination{}
	properties := reprise.Member(reprise.Member(t.JSON, "inputSchema").Raw, "properties")
	properties.ForEach(func(k, _ gjson.Result) bool {
		if h.deriver.Asks(t.Name, k.String()) == "cursor" && !strings.Contains(strings.ToLower(k.String()), "prev") {
			p.Argument = k.String()
		}
		return p.Argument == ""
	})
	for _, v := range h.out.Values {
		if v.CallSeq == m.Seq && v.Entity == "cursor" && isNext(v.Key) && compact(Located(m.Result, v.Path)) == v.JSON {
			p.Cursor = v.Path
			break
		}
	}
	if p.Argument == "" || p.Cursor == "" || !fits(property(t, p.Argument), Located(m.Result, p.Cursor)) {
		return nil
	}
	p.Items = itemsBeside(m.Result, p.Cursor)
	return p
}

// isNext says whether a cursor leads forward.
func isNext(key string) bool {
	key = strings.ToLower(key)
	return !strings.Contains(key, "prev") && !strings.Contains(key, "start")
}

// itemsBeside is the place of the only list beside a cursor, "" where there is none or more than one.
func itemsBeside(result, cursor string) string {
	around, where := "", cursor[:max(0, strings.LastIndexByte(cursor, '.'))]
	if where != "" {
		around = Located(result, where)
	} else if around = reprise.Member(result, "structuredContent").Raw; around == "" || around == "null" {
		around = onlyText(result)
	}
	place, lists := "", 0
	gjson.Parse(around).ForEach(func(k, v gjson.Result) bool {
		if v.IsArray() {
			place, lists = reprise.PathMember(where, k.String()), lists+1
		}
		return true
	})
	if lists != 1 {
		return ""
	}
	return place
}

// noCursor says whether a list ends here. A tool's own empty cursor is none.
func noCursor(raw string) bool { return raw == "" || raw == "null" || raw == `""` || raw == "false" }
