package main

import (
	"cmp"
	"fmt"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// A mark says where an argument's value came from, in front of the value:
//
//	get_issue issueId: ↑18 "ISS-4", status: ="open", title: ?"Receipt has…
type mark struct {
	style style
	text  string
}

// signs are the marks of the sources, which the legend explains.
var signs = map[reprise.Source]mark{
	reprise.SourceHarvested:   {green, "↑"},
	reprise.SourceDerived:     {cyan, "~"},
	reprise.SourceLiteral:     {dim, "="},
	reprise.SourceTold:        {purple, "»"},
	reprise.SourceSynthesized: {yellow, "?"},
}

// linkLegend explains the mark of a call that continues another.
const linkLegend = "↳N continues #N: its next round, about its task, or one attempt to connect"

const legend = "↑N from seq N  ~N made of that  = schema  » told  ? from nowhere  ! doubtful"

// markOf is the mark of one argument, with the seq of its birth where it has one.
func markOf(u *reprise.Use) mark {
	m, ok := signs[u.Source]
	if !ok {
		return mark{}
	}
	if u.ValueSeq != 0 {
		m.text += fmt.Sprint(u.ValueSeq)
		if doubtful(u) {
			m = mark{yellow, m.text + "!"}
		}
		m.text += " "
	}
	return m
}

// doubtful says that an argument has a birth that may not be its own, or that may be true no more.
func doubtful(u *reprise.Use) bool { return len(doubts(u)) > 0 }

// weakness orders the sources, and the doubtful between the sound ones and the told.
func weakness(u *reprise.Use) int {
	switch u.Source {
	case reprise.SourceSynthesized:
		return 5
	case reprise.SourceTold:
		return 4
	case reprise.SourceHarvested, reprise.SourceDerived:
		if doubtful(u) {
			return 3
		}
		if u.Source == reprise.SourceDerived {
			return 2
		}
		return 1
	}
	return 0
}

// markOfMember is the mark of an argument that may be an object or a list: the weakest in it decides.
func markOfMember(uses []*reprise.Use, key string) mark {
	var weakest *reprise.Use
	for _, u := range uses {
		if memberIn(u.Path) == key && (weakest == nil || weakness(u) > weakness(weakest)) {
			weakest = u
		}
	}
	if weakest == nil {
		return mark{}
	}
	return markOf(weakest)
}

// memberIn is the name of the outermost member on a path: filter of filter.ids[0], odd key of ["odd key"].size.
func memberIn(path string) string {
	if strings.HasPrefix(path, `["`) {
		return cmp.Or(gjson.Parse(path[1:]).Str, unnamed)
	}
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end]
	}
	return path
}

// ofRequest are the uses in a call's request: those in the answer to a request of the server's are not.
func ofRequest(e *reprise.Entry) (uses []*reprise.Use) {
	for _, u := range e.Uses {
		if u.Seq == e.Call.Seq && u.Index == e.Call.Index {
			uses = append(uses, u)
		}
	}
	return uses
}
