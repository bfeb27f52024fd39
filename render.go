package reprise

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Bounds of a rendered call, in bytes: of the whole, and of one string in it.
const (
	maxRendered = 240
	maxQuoted   = 60
)

// Render writes a request as a person would: list_issues({ status: 'open' }); resources/read({ uri: 'x://y' }).
func Render(m *Message) string {
	r := renderer{b: make([]byte, 0, 64)}
	arguments, name := gjson.Parse(m.Params), m.Method
	if m.Method == "tools/call" {
		arguments, _ = lookUp(m.Params, "arguments")
		name = m.Name
	}
	r.b = append(r.b, cutText(name, maxQuoted)...)
	r.b = append(r.b, '(')
	if arguments.Exists() && m.Params != "" {
		r.value(arguments, 0, m.Method != "tools/call")
	}
	return string(append(r.b, ')'))
}

type renderer struct{ b []byte }

func (r *renderer) full() bool { return len(r.b) > maxRendered }

func (r *renderer) value(v gjson.Result, depth int, params bool) {
	switch {
	case v.Type == gjson.String:
		r.quote(v.Raw)
	case v.Type != gjson.JSON:
		r.b = append(r.b, cutText(v.Raw, maxQuoted)...)
	case depth > 4:
		r.b = append(r.b, "…"...)
	case v.IsObject():
		r.members(v, depth, params, "{ ", " }", "{}")
	default:
		r.members(v, depth, params, "[", "]", "[]")
	}
}

// members writes an object or array, without the params' _meta.
func (r *renderer) members(v gjson.Result, depth int, params bool, begin, end, empty string) {
	n := 0
	v.ForEach(func(key, member gjson.Result) bool {
		if params && key.Str == "_meta" {
			return true
		}
		if n++; n == 1 {
			r.b = append(r.b, begin...)
		} else {
			r.b = append(r.b, ", "...)
		}
		if r.full() {
			r.b = append(r.b, "…"...)
			return false
		}
		if begin[0] == '{' {
			r.key(key)
		}
		r.value(member, depth+1, false)
		return true
	})
	if n == 0 {
		end = empty
	}
	r.b = append(r.b, end...)
}

func (r *renderer) key(key gjson.Result) {
	if isPlain(key.Str) && len(key.Str) <= maxQuoted {
		r.b = append(append(r.b, key.Str...), ": "...)
		return
	}
	r.quote(key.Raw)
	r.b = append(r.b, ": "...)
}

// quote writes a string in single quotes, on one line.
func (r *renderer) quote(raw string) {
	text := unquote(raw[:min(len(raw), 8*maxQuoted)])
	if len(raw) > 8*maxQuoted {
		text, _ = unescape(raw[1:8*maxQuoted], false)
	}
	text = cutText(text, maxQuoted)
	r.b = append(r.b, '\'')
	for _, c := range text {
		switch {
		case c == '\'' || c == '\\':
			r.b = append(r.b, '\\', byte(c))
		case c == '\n':
			r.b = append(r.b, `\n`...)
		case c < ' ' || c == 0x7f:
			r.b = append(r.b, "\ufffd"...)
		default:
			r.b = utf8.AppendRune(r.b, c)
		}
	}
	r.b = append(r.b, '\'')
}

// cutText is a text of at most n bytes, with an ellipsis where something is left out.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n-3], "") + "…"
}
