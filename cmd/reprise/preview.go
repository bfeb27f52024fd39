package main

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// messageIn reads one message of a frame's bytes.
func messageIn(data []byte, index int, size int64) reprise.Message {
	if len(data) == reprise.PartSize && size > reprise.PartSize { // the first part of a long line
		return reprise.ReadLong(data, nil)
	}
	if messages := reprise.ReadMessages(data); index < len(messages) {
		return messages[index]
	}
	return reprise.Message{Kind: reprise.KindNoise}
}

// previewOf says in a few words what a message carries beyond its method and name.
func previewOf(m *reprise.Message) string {
	switch {
	case m.Error != "":
		return reason(m)
	case m.Result != "":
		return resultPreview(m.Result)
	}
	return listed(asked(m))
}

// asked gives the arguments of a request, or the params but for what stands in front.
func asked(m *reprise.Message) iter.Seq2[string, string] {
	if m.Method == "tools/call" || m.Method == "prompts/get" {
		return members(gjson.Get(m.Params, "arguments").Raw)
	}
	return members(m.Params, "name", "uri")
}

// resultPreview is the text of a result where it has one: every tool's result begins with the same 30 bytes.
func resultPreview(result string) string {
	if text := firstText(result); text != "" {
		return text
	}
	return listed(members(result, "ttlMs", "cacheScope"))
}

func firstText(result string) string {
	text := gjson.Get(result, "content.0.text")
	if text.Type != gjson.String {
		return ""
	}
	return strings.TrimSpace(text.Str)
}

// reason is why a call failed, in the server's words.
func reason(m *reprise.Message) string {
	if m.Error == "" {
		return firstText(m.Result)
	}
	if text := gjson.Get(m.Error, "message"); text.Type == gjson.String && text.Str != "" {
		return text.Str
	}
	return m.Error
}

// enough is more than any terminal shows of one message.
const enough = 1 << 10

// members gives the members of an object, but for what repeats in all of them and those named; what is no object, under no name.
func members(object string, but ...string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		if object == "" || object[0] != '{' {
			if object != "" {
				yield("", object)
			}
			return
		}
		gjson.Parse(object).ForEach(func(key, value gjson.Result) bool {
			usual := key.Str == "_meta" || key.Str == "resultType" && value.Str == "complete"
			return usual || slices.Contains(but, key.Str) || yield(cmp.Or(key.Str, unnamed), value.Raw)
		})
	}
}

// unnamed is how a member whose name is empty is written: nothing would be what has none.
const unnamed = `""`

// listed writes members, `key: value, …`.
func listed(members iter.Seq2[string, string]) string {
	var b strings.Builder
	for key, value := range members {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		if key != "" {
			b.WriteString(key + ": ")
		}
		b.WriteString(value[:min(len(value), enough)])
		if b.Len() >= enough {
			break
		}
	}
	return b.String()
}
