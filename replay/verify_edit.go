package replay

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// edit replaces one stretch of a message.
type edit struct {
	from, to int
	text     string
}

// edits are the changes to one message. Every other byte of it stays.
type edits struct {
	data []byte
	list []edit
}

// replace puts a text in the place of a token that was read out of the data.
func (e *edits) replace(token, text string) {
	if from, to, ok := reprise.Place(e.data, token); ok && token != text {
		e.list = append(e.list, edit{from, to, text})
	}
}

// renew replaces a token by another value. One that only spells the same value otherwise stays.
func (e *edits) renew(token, text string) {
	if !bytes.Equal(reprise.Canonical(token), reprise.Canonical(text)) {
		e.replace(token, text)
	}
}

// insert puts a member first into an object that was read out of the data.
func (e *edits) insert(object, name, value string) {
	from, _, ok := reprise.Place(e.data, object)
	if !ok || object[0] != '{' {
		return
	}
	text := string(reprise.Quote(name)) + ":" + value
	if strings.TrimSpace(object[1:len(object)-1]) != "" {
		text += ","
	}
	e.list = append(e.list, edit{from + 1, from + 1, text})
}

// remove takes the members of a name out of an object that was read out of the data.
func (e *edits) remove(object, name string) {
	base, _, ok := reprise.Place(e.data, object)
	if !ok {
		return
	}
	start, first := 1, true // the end of the member before
	gjson.Parse(object).ForEach(func(k, v gjson.Result) bool {
		end := v.Index + len(v.Raw)
		switch {
		case k.Str != name:
			first = false
		case first: // the comma behind it goes too
			if rest := strings.TrimLeft(object[end:], " \t\r\n"); rest[0] == ',' {
				end = len(object) - len(rest) + 1
			}
			e.list = append(e.list, edit{base + start, base + end, ""})
		default:
			e.list = append(e.list, edit{base + start, base + end, ""})
		}
		start = end
		return true
	})
}

// deepestName is how deep in the arguments members' names are looked at.
const deepestName = 64

// renewNames gives the members of objects, as deep as they stand, the names that they have today.
func (e *edits) renewNames(raw string, today func(string) string, depth int) {
	value := gjson.Parse(raw)
	if !value.IsObject() && !value.IsArray() || depth > deepestName {
		return
	}
	names, members := map[string]bool{}, 0
	var renamed []edit
	value.ForEach(func(k, v gjson.Result) bool {
		e.renewNames(v.Raw, today, depth+1)
		if value.IsArray() {
			return true
		}
		name := today(k.Str)
		if from, to, ok := reprise.Place(e.data, k.Raw); ok && name != k.Str {
			renamed = append(renamed, edit{from, to, string(reprise.Quote(name))})
		}
		names[name] = true
		members++
		return true
	})
	if len(names) == members { // else two members would have one name
		e.list = append(e.list, renamed...)
	}
}

// bytes is the message with its changes. Of several to one place the first counts.
func (e *edits) bytes() []byte {
	if len(e.list) == 0 {
		return e.data
	}
	slices.SortStableFunc(e.list, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b []byte
	done := 0
	for _, x := range e.list {
		if x.from < done {
			continue
		}
		b = append(append(b, e.data[done:x.from]...), x.text...)
		done = x.to
	}
	return append(b, e.data[done:]...)
}

// span is where a message stands in its frame.
type span struct{ from, to int }
