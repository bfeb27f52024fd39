package recorder

import (
	"regexp"
	"strings"

	"github.com/mattn/go-sqlite3"

	"reprise"
)

// listing is what a filter chooses rows of, and where its fields stand there.
// Its statement names the tables s(essions), and c(alls) with q and r, the frames of request and
// response, or m(essages) with f, their frames, and c.
type listing struct {
	whole   bool                       // of sessions: only what can be told of them as a whole takes part
	texts   map[reprise.Field][]string // of which one has to be like the pattern; '' is what an entry does not have, never NULL
	numbers map[reprise.Field]string
	data    []string    // raw bytes, or NULL
	values  [][2]string // raw bytes or NULL, and the place of the message in them
	uses    string      // u, the uses of the call's arguments
}

// callsListing is of requests with their responses.
var callsListing = listing{
	texts: ofSession(map[reprise.Field][]string{
		reprise.FieldDirection: {sender("c.direction")},
		reprise.FieldKind:      {"'request'", "CASE WHEN c.response_seq IS NULL THEN '' ELSE 'response' END"},
		reprise.FieldMethod:    {"c.method"},
		reprise.FieldTool:      {named("c.name", "c.method = 'tools/call'")},
		reprise.FieldPrompt:    {named("c.name", "c.method = 'prompts/get'")},
		reprise.FieldURI:       {named("c.name", aboutResource("c.method"))},
		reprise.FieldID:        {"c.rpc_id"},
		reprise.FieldStatus:    {"c.status"},
	}),
	numbers: map[reprise.Field]string{
		reprise.FieldSince: "s.started_at + c.started_ns",
		reprise.FieldUntil: "s.started_at + c.started_ns",
		reprise.FieldCode:  "c.code",
		reprise.FieldDur:   "c.duration_ns",
		reprise.FieldSize:  "max(c.request_size, coalesce(c.response_size, 0))",
		reprise.FieldSeq:   "c.seq",
	},
	data:   []string{"q.data", "r.data"},
	values: [][2]string{{"q.data", "c.idx"}, {"r.data", "c.response_idx"}},
	uses:   usesOfCall,
}

// messagesListing is of the messages of frames, each with the call that it belongs to.
var messagesListing = listing{
	texts: ofSession(map[reprise.Field][]string{
		reprise.FieldDirection: {sender("coalesce(c.direction, CASE m.kind WHEN 'response' THEN 1 - f.direction ELSE f.direction END)")},
		reprise.FieldKind:      {"m.kind"},
		reprise.FieldMethod:    {"CASE m.method WHEN '' THEN coalesce(c.method, '') ELSE m.method END"},
		reprise.FieldTool:      {named("coalesce(c.name, m.name)", "coalesce(c.method, m.method) = 'tools/call'")},
		reprise.FieldPrompt:    {named("coalesce(c.name, m.name)", "coalesce(c.method, m.method) = 'prompts/get'")},
		reprise.FieldURI:       {named("coalesce(c.name, m.name)", aboutResource("coalesce(c.method, m.method)"))},
		reprise.FieldID:        {"CASE m.rpc_id WHEN '' THEN coalesce(c.rpc_id, '') ELSE m.rpc_id END"},
		reprise.FieldStatus:    {"coalesce(c.status, '')"},
	}),
	numbers: map[reprise.Field]string{
		reprise.FieldSince: "s.started_at + f.at_ns",
		reprise.FieldUntil: "s.started_at + f.at_ns",
		reprise.FieldCode:  "c.code",
		reprise.FieldDur:   "c.duration_ns",
		reprise.FieldSize: `CASE WHEN f.size < 16777216 THEN f.size ELSE
      (SELECT max(z.size) FROM frames z WHERE z.session_id = f.session_id AND z.seq = f.seq) END`, // in parts
		reprise.FieldSeq: "m.seq",
	},
	data:   []string{"f.data"},
	values: [][2]string{{"f.data", "m.idx"}},
	uses:   usesOfCall,
}

const usesOfCall = "provenance_uses u WHERE u.session_id = c.session_id AND u.call_seq = c.seq AND u.call_idx = c.idx"

// sessionsListing is of sessions as a whole: see reprise.Filter.OfSession.
var sessionsListing = listing{
	whole: true,
	texts: ofSession(map[reprise.Field][]string{}),
	numbers: map[reprise.Field]string{
		reprise.FieldSince: "coalesce(s.ended_at, 9223372036854775807)",
		reprise.FieldUntil: "s.started_at",
	},
}

// ofSession adds the fields that every listing has from the session.
func ofSession(texts map[reprise.Field][]string) map[reprise.Field][]string {
	texts[reprise.FieldSession] = []string{"s.id"}
	texts[reprise.FieldHost] = []string{"s.host"}
	texts[reprise.FieldServer] = []string{"s.server"}
	texts[reprise.FieldTransport] = []string{"s.transport"}
	texts[reprise.FieldVersion] = []string{"s.protocol_version"}
	return texts
}

func sender(direction string) string {
	return "CASE " + direction + " WHEN 0 THEN 'client' ELSE 'server' END"
}

func named(name, condition string) string {
	return "CASE WHEN " + condition + " THEN " + name + " ELSE '' END"
}

// aboutResource compares bytes: LIKE folds case.
func aboutResource(method string) string {
	return method + " >= 'resources/' AND " + method + " < 'resources0' OR " + method + " = 'notifications/resources/updated'"
}

// compileFilter gives the condition that chooses in SQL what f.Match chooses in memory, and its
// arguments. It is never NULL, so that NOT means the rest. The connection needs register.
func compileFilter(f *reprise.Filter, l listing) (where string, args []any) {
	if f != nil && l.whole {
		f = f.OfSession()
	}
	if f == nil || f.Expr == nil {
		return "1", nil
	}
	c := condition{listing: l}
	c.add(f.Expr)
	return c.sql.String(), c.args
}

// condition grows while it goes down a filter.
type condition struct {
	listing
	sql  strings.Builder
	args []any
}

func (c *condition) add(x reprise.Expr) {
	switch x := x.(type) {
	case reprise.And:
		c.join(x, " AND ")
	case reprise.Or:
		c.join(x, " OR ")
	case reprise.Not:
		c.sql.WriteString("NOT ")
		c.add(x.Expr)
	case reprise.Like:
		c.like(x)
	case reprise.Compare:
		c.write("("+c.numbers[x.Field]+" "+string(x.Op)+" ?) IS TRUE", x.Number)
	case reprise.Contains:
		c.found("reprise_contains(?, %)", c.data, x.Text)
	case reprise.Matches:
		c.found("reprise_matches(?, %)", c.data, x.Regexp.String())
	}
}

func (c *condition) write(sql string, args ...any) {
	c.sql.WriteString("(" + sql + ")")
	c.args = append(c.args, args...)
}

func (c *condition) join(parts []reprise.Expr, by string) {
	c.sql.WriteString("(")
	for i, x := range parts {
		if i > 0 {
			c.sql.WriteString(by)
		}
		c.add(x)
	}
	c.sql.WriteString(")")
}

// any is true when one of the conditions is, which all take the same arguments.
func (c *condition) any(conditions []string, args ...any) {
	if len(conditions) == 0 {
		conditions = []string{"0"}
		args = nil
	}
	var all []any
	for range conditions {
		all = append(all, args...)
	}
	c.write(strings.Join(conditions, " OR "), all...)
}

func (c *condition) like(x reprise.Like) {
	if x.Field == reprise.FieldValue {
		c.value(x.Pattern)
		return
	}
	form := "% = ?"
	args := []any{x.Pattern.Text}
	switch {
	case x.Field == reprise.FieldID:
		form, args = "reprise_token(?, ?, %)", []any{x.Pattern.Text, x.Pattern.Wild}
	case x.Pattern.Wild:
		form = "% <> '' AND reprise_glob(?, %)"
	}
	var conditions []string
	for _, text := range c.texts[x.Field] {
		conditions = append(conditions, strings.ReplaceAll(form, "%", text))
	}
	if x.Field == reprise.FieldSource {
		conditions = append(conditions, "EXISTS (SELECT 1 FROM "+c.uses+" AND "+strings.ReplaceAll(form, "%", "u.source")+")")
	}
	c.any(conditions, args...)
}

func (c *condition) value(p reprise.Pattern) {
	var conditions []string
	for _, v := range c.values {
		conditions = append(conditions, present(v[0], "reprise_value(?, ?, "+v[0]+", "+v[1]+")"))
	}
	c.any(conditions, p.Text, p.Wild)
}

// found looks into raw bytes, which stand for % in the form.
func (c *condition) found(form string, data []string, arg any) {
	var conditions []string
	for _, d := range data {
		conditions = append(conditions, present(d, strings.ReplaceAll(form, "%", d)))
	}
	c.any(conditions, arg)
}

// present keeps NULL from our functions: of SQL's operators only CASE surely does not look at the rest.
func present(data, condition string) string {
	return "CASE WHEN " + data + " IS NULL THEN 0 ELSE " + condition + " END"
}

// register gives a connection the functions that compileFilter uses: those of Filter.Match itself.
func register(conn *sqlite3.SQLiteConn) error {
	compiled := compiler{}
	for _, f := range []struct {
		name string
		impl any
	}{
		{"reprise_glob", func(pattern, text string) bool { return reprise.Pattern{Text: pattern, Wild: true}.Match(text) }},
		{"reprise_token", func(text string, wild bool, raw string) bool {
			return reprise.Pattern{Text: text, Wild: wild}.MatchToken(raw)
		}},
		{"reprise_value", func(text string, wild bool, data []byte, index int) bool {
			return reprise.HasValue(data, index, reprise.Pattern{Text: text, Wild: wild})
		}},
		{"reprise_contains", func(text string, data []byte) bool { return reprise.ContainsFold(data, text) }},
		{"reprise_matches", compiled.match},
	} {
		if err := conn.RegisterFunc(f.name, f.impl, true); err != nil {
			return err
		}
	}
	return nil
}

// compiler keeps the regular expressions of the query that a connection runs. It runs one at a time.
type compiler map[string]*regexp.Regexp

func (c compiler) match(expression string, data []byte) (bool, error) {
	re := c[expression]
	if re == nil {
		var err error
		if re, err = regexp.Compile(expression); err != nil {
			return false, err
		}
		if len(c) > 100 {
			clear(c)
		}
		c[expression] = re
	}
	return re.Match(data), nil
}
