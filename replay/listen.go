package replay

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// A client may listen for less, or for other things, than the recorded one did. It is told so, and hears what both asked
// for (protocol.md §5.4).

// narrow remembers what the client wants, where it is something else than then.
func (o *op) narrow(a *asked) {
	a.read()
	wants := a.member("notifications").Raw
	if string(reprise.Canonical(wants)) != string(reprise.Canonical(reprise.Member(o.call.params, "notifications").Raw)) {
		if o.filter = strings.Clone(wants); o.filter == "" {
			o.filter = "{}"
		}
	}
}

// hears says whether the client listens for a message.
func (o *op) hears(it *item) bool {
	if o.filter == "" || it.wanted == "" {
		return true
	}
	wants := reprise.Member(o.filter, it.wanted)
	if it.wanted != "resourceSubscriptions" {
		return wants.Bool()
	}
	return slices.ContainsFunc(wants.Array(), func(uri gjson.Result) bool { return uri.Str == it.uri })
}

// wantedBy is the member of a filter that asks for a kind of notification.
func wantedBy(method string) string {
	switch method {
	case "notifications/tools/list_changed":
		return "toolsListChanged"
	case "notifications/prompts/list_changed":
		return "promptsListChanged"
	case "notifications/resources/list_changed":
		return "resourcesListChanged"
	case "notifications/resources/updated":
		return "resourceSubscriptions"
	}
	return ""
}

// accepted is what of a recorded acknowledgement a client is told that asks for something else.
func (o *op) accepted(recorded string) string {
	var kept []string
	for _, m := range membersOf(recorded) {
		wants := reprise.Member(o.filter, m.name)
		switch {
		case m.value.IsArray():
			m.value.Raw = both(m.value, wants)
		case !wants.Bool():
			continue
		}
		kept = append(kept, string(reprise.Quote(m.name))+":"+m.value.Raw)
	}
	return "{" + strings.Join(kept, ",") + "}"
}

// both are the elements of one list that are in another one too.
func both(recorded, wants gjson.Result) string {
	var kept []string
	for _, e := range recorded.Array() {
		if slices.ContainsFunc(wants.Array(), func(w gjson.Result) bool { return w.String() == e.String() }) {
			kept = append(kept, e.Raw)
		}
	}
	return "[" + strings.Join(kept, ",") + "]"
}
