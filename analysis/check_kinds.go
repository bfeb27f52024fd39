package analysis

import (
	"strconv"
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

// troubleIn says why nothing can be said of a call, "" where something can.
func troubleIn(a *Answer) string {
	switch {
	case a.Trouble != "":
		return a.Trouble
	case a.Result == "" && a.Error == "":
		return "no answer came"
	}
	return unfinished(a.Result)
}

// unfinished says that a result is not the tool's last word: a task, or a question to the client.
func unfinished(result string) string {
	if kind := reprise.Member(result, "resultType"); kind.Type == gjson.String && kind.Str != "complete" {
		return "the call is not over: its result is of the type " + quote(kind.Str)
	}
	if reprise.Member(result, "task").IsObject() {
		return "the call is not over: it made a task"
	}
	return ""
}

func (a *Answer) isError() bool { return reprise.Member(a.Result, "isError").Type == gjson.True }

// failure says how a call failed, "" where it did not.
func (a *Answer) failure() string {
	switch {
	case a.Error != "":
		return "it brought the JSON-RPC error " + errorCode(a.Error) + ": " + quote(strings.TrimSpace(said("", a.Error)))
	case a.isError():
		return "its result is an error: " + quote(strings.TrimSpace(said(a.Result, "")))
	}
	return ""
}

func errorCode(failure string) string {
	code := reprise.Member(failure, "code")
	if code.Type != gjson.Number {
		return "without a code"
	}
	return cut(reprise.CanonicalNumber(code.Raw), 40)
}

// cut shortens a text that is plain ASCII.
func cut(text string, length int) string {
	if len(text) > length {
		return text[:length] + "…"
	}
	return text
}

// content is what a tool gives as JSON: its structuredContent, else the JSON of its only block of text; "" where there is neither.
func (a *Answer) content() string {
	if structured := reprise.Member(a.Result, "structuredContent"); structured.Exists() && structured.Type != gjson.Null {
		return structured.Raw
	}
	var only gjson.Result
	n := 0
	reprise.Member(a.Result, "content").ForEach(func(_, block gjson.Result) bool {
		only = reprise.Member(block.Raw, "text")
		n++
		return n < 2
	})
	if n != 1 || only.Type != gjson.String {
		return ""
	}
	text := strings.TrimSpace(only.Str)
	if text == "" || text[0] != '{' && text[0] != '[' || nesting(text) > reprise.MaxDepth || !gjson.Valid(text) {
		return ""
	}
	return text
}

func judgeSucceeds(_ *Check, t *Trial) Held {
	why := t.Call.failure()
	if why == "" {
		return passed("it brought a result that is no error")
	}
	h := broken([]Answer{t.Call}, "%s", why)
	if excuse := find(troubles(), said(t.Call.Result, t.Call.Error)); excuse != "" {
		h.Result, h.Reason = Unsure, why+"; "+excuse
	}
	return h
}

func judgeIsError(_ *Check, t *Trial) Held {
	switch {
	case t.Call.Error != "":
		return broken([]Answer{t.Call}, "%s, which is no error of the tool: error_code asks for that", t.Call.failure())
	case t.Call.isError():
		return passed("%s", t.Call.failure())
	}
	return broken([]Answer{t.Call}, "it did not fail")
}

func judgeErrorCode(c *Check, t *Trial) Held {
	if c.Code == nil {
		return unsure("the check names no code")
	}
	want := strconv.FormatInt(*c.Code, 10)
	switch {
	case t.Call.Error == "" && t.Call.isError():
		return broken([]Answer{t.Call}, "%s, and no JSON-RPC error %s", t.Call.failure(), want)
	case t.Call.Error == "":
		return broken([]Answer{t.Call}, "it did not fail")
	case errorCode(t.Call.Error) == want:
		return passed("%s", t.Call.failure())
	}
	return broken([]Answer{t.Call}, "%s, not %s", t.Call.failure(), want)
}

// judgeOutputSchema follows the specification: who declares an outputSchema gives structuredContent with every result that is no error.
func judgeOutputSchema(_ *Check, t *Trial) Held {
	switch {
	case t.Tool == nil:
		return skipped("the tool is in no list, and declares no outputSchema")
	case t.Call.failure() != "":
		return skipped("the call failed, and a failure has no structuredContent")
	}
	schema, err := t.Tool.Output()
	switch structured := reprise.Member(t.Call.Result, "structuredContent"); {
	case err != nil:
		return unsure("its outputSchema cannot be used: %s", err)
	case schema == nil:
		return skipped("the tool declares no outputSchema")
	case !structured.Exists():
		return broken([]Answer{t.Call}, "its outputSchema asks for structuredContent, and the result has none")
	default:
		return fits(schema, structured.Raw, t)
	}
}

func fits(schema *Schema, raw string, t *Trial) Held {
	problems, err := schema.Try(raw)
	switch {
	case err != nil:
		return unsure("its structuredContent cannot be held against the outputSchema: %s", err)
	case len(problems) == 0:
		return passed("its structuredContent fits the outputSchema")
	}
	var words []string
	for _, p := range problems[:min(len(problems), 3)] {
		words = append(words, p.String())
	}
	if more := len(problems) - len(words); more > 0 {
		words = append(words, "and more")
	}
	return broken([]Answer{t.Call}, "its structuredContent breaks the outputSchema: %s", strings.Join(words, "; "))
}

func judgeIdempotent(_ *Check, t *Trial) Held {
	switch {
	case t.Again == nil:
		return unsure("the call was not made again")
	case troubleIn(t.Again) != "":
		return unsure("of the same call made again nothing can be said: %s", troubleIn(t.Again))
	case t.Call.failure() != "":
		return unsure("the call failed, and there is nothing to compare: %s", t.Call.failure())
	case t.Again.failure() != "":
		return broken([]Answer{t.Call, *t.Again}, "made again, the call failed: %s", t.Again.failure())
	case sameResult(&t.Call, t.Again):
		return passed("the same call gave the same result again")
	}
	return broken([]Answer{t.Call, *t.Again}, "made again, the call gave another result")
}

// sameResult compares two results as JSON, without what is said about the conversation.
func sameResult(a, b *Answer) bool {
	if a.Result == b.Result {
		return true
	}
	for _, member := range []string{"structuredContent", "content", "isError"} {
		x, y := reprise.Member(a.Result, member), reprise.Member(b.Result, member)
		if member == "isError" {
			if x.Bool() != y.Bool() {
				return false
			}
			continue
		}
		if !sameJSON(x.Raw, y.Raw) && !(member == "content" && sameBlocks(x, y)) {
			return false
		}
	}
	return true
}

func sameJSON(a, b string) bool {
	return a == b || string(reprise.Canonical(a)) == string(reprise.Canonical(b))
}

// sameBlocks compares blocks of content one by one: without _meta, and texts that are JSON as JSON.
func sameBlocks(a, b gjson.Result) bool {
	x, y := a.Array(), b.Array()
	if !a.IsArray() || !b.IsArray() || len(x) != len(y) {
		return false
	}
	for i := range x {
		if !sameMembers(x[i], y[i]) {
			return false
		}
	}
	return true
}

func sameMembers(a, b gjson.Result) bool {
	if !a.IsObject() || !b.IsObject() {
		return sameJSON(a.Raw, b.Raw)
	}
	x, y := a.Map(), b.Map()
	delete(x, "_meta")
	delete(y, "_meta")
	if len(x) != len(y) {
		return false
	}
	for name, v := range x {
		w, ok := y[name]
		if !ok || !sameJSON(v.Raw, w.Raw) && !(name == "text" && sameText(v.Str, w.Str)) {
			return false
		}
	}
	return true
}

func sameText(a, b string) bool { return gjson.Valid(a) && gjson.Valid(b) && sameJSON(a, b) }

func judgeNoMutation(_ *Check, t *Trial) Held {
	if t.Before == nil || t.After == nil {
		return unsure("the witness was not called before and after")
	}
	for _, w := range []*Answer{t.Before, t.After} {
		if trouble := troubleIn(w); trouble != "" {
			return unsure("of the witness nothing can be said: %s", trouble)
		}
		if why := w.failure(); why != "" {
			return unsure("the witness failed: %s", why)
		}
	}
	if sameResult(t.Before, t.After) {
		return passed("the witness gave the same before and after")
	}
	return broken([]Answer{*t.Before, t.Call, *t.After}, "the witness gave another result after the call than before it")
}

func judgeMaxItems(c *Check, t *Trial) Held {
	if c.Limit == nil {
		return unsure("the check names no limit")
	}
	if t.Call.failure() != "" {
		return skipped("the call failed, and has no items")
	}
	items, at, ok := itemsIn(&t.Call, c.Path)
	switch {
	case !ok && c.Path == "":
		return unsure("the result has no single list: the check needs a path")
	case !ok:
		return unsure("the result has no list at %s", quote(c.Path))
	case len(items) > *c.Limit:
		return broken([]Answer{t.Call}, "%s has %d items, more than %d", at, len(items), *c.Limit)
	}
	return passed("%s has %d items", at, len(items))
}

// itemsIn are the items of a result: at a path, else of its only list.
func itemsIn(a *Answer, path string) (items []gjson.Result, at string, ok bool) {
	body := gjson.Parse(a.content())
	switch {
	case path != "":
		list := gjson.Parse(reprise.At(body.Raw, path))
		return list.Array(), quote(path), list.IsArray()
	case body.IsArray():
		return body.Array(), "the result", true
	}
	var only gjson.Result
	lists := 0
	body.ForEach(func(key, v gjson.Result) bool {
		if v.IsArray() {
			only, at = v, quote(key.Str)
			lists++
		}
		return lists < 2
	})
	if lists != 1 {
		return nil, "", false
	}
	return only.Array(), at, true
}

func judgeLatency(c *Check, t *Trial) Held {
	took := float64(t.Call.Took) / float64(time.Millisecond)
	if took < c.MS {
		return passed("it took %s ms", milliseconds(took))
	}
	return broken([]Answer{t.Call}, "it took %s ms, not less than %s", milliseconds(took), milliseconds(c.MS))
}

func milliseconds(ms float64) string { return strconv.FormatFloat(ms, 'f', -1, 64) }
