package reprise

import (
	"math"
	"slices"
	"strings"
)

func (x And) match(e *Entry) bool {
	for _, part := range x {
		if !part.match(e) {
			return false
		}
	}
	return true
}

func (x Or) match(e *Entry) bool {
	for _, part := range x {
		if part.match(e) {
			return true
		}
	}
	return false
}

func (x Not) match(e *Entry) bool { return !x.Expr.match(e) }

func (x Contains) match(e *Entry) bool {
	return e.anyData(func(data []byte) bool { return ContainsFold(data, x.Text) })
}

func (x Matches) match(e *Entry) bool { return e.anyData(x.Regexp.Match) }

// anyData says whether the bytes of the message's frame, or of one of the call's two, are found.
func (e *Entry) anyData(found func([]byte) bool) bool {
	if e.Frame != nil {
		return found(e.Frame.Data)
	}
	return e.Request != nil && found(e.Request) || e.Response != nil && found(e.Response)
}

func (x Compare) match(e *Entry) bool {
	n, ok := e.number(x.Field)
	return ok && x.Op.holds(n, x.Number)
}

func (x Like) match(e *Entry) bool {
	switch x.Field {
	case FieldValue:
		return e.hasValue(x.Pattern)
	case FieldSource:
		return e.hasSource(x.Pattern)
	case FieldID:
		return x.Pattern.MatchToken(e.id())
	case FieldKind:
		if e.Message == nil && e.answered() && x.Pattern.Match(string(KindResponse)) {
			return true
		}
	}
	text := e.text(x.Field)
	return text != "" && x.Pattern.Match(text)
}

func (e *Entry) answered() bool { return e.Call != nil && e.Call.Response != 0 }

func (e *Entry) hasValue(p Pattern) bool {
	if e.Message != nil {
		return HasValue(e.Frame.Data, e.Message.Index, p)
	}
	return HasValue(e.Request, e.Call.Index, p) || e.answered() && HasValue(e.Response, e.Call.ResponseIndex, p)
}

// hasSource says whether an argument of the call came from there.
func (e *Entry) hasSource(p Pattern) bool {
	return slices.ContainsFunc(e.Uses, func(u *Use) bool { return u.Source != "" && p.Match(string(u.Source)) })
}

// text is the value of a field of text, "" when the entry has none.
func (e *Entry) text(f Field) string {
	switch f {
	case FieldSession:
		return e.Session.ID
	case FieldHost:
		return e.Session.Host
	case FieldServer:
		return e.Session.Server
	case FieldTransport:
		return e.Session.Transport
	case FieldVersion:
		return e.Session.ProtocolVersion
	case FieldDirection:
		return e.sender()
	case FieldKind:
		return e.kind()
	case FieldMethod:
		return e.method()
	case FieldStatus:
		return e.status()
	}
	return e.name(f)
}

// sender is who sent the request, or else the message.
func (e *Entry) sender() string {
	var dir Direction
	switch {
	case e.Call != nil:
		dir = e.Call.Direction
	case e.Message.Kind == KindResponse: // without its request
		dir = e.Frame.Direction.Opposite()
	default:
		dir = e.Frame.Direction
	}
	if dir == ClientToServer {
		return "client"
	}
	return "server"
}

func (e *Entry) kind() string {
	if e.Message != nil {
		return string(e.Message.Kind)
	}
	return string(KindRequest)
}

func (e *Entry) status() string {
	if e.Call == nil {
		return ""
	}
	return string(e.Call.Status)
}

// method is the message's own, or else its call's.
func (e *Entry) method() string {
	if e.Message != nil && e.Message.Method != "" {
		return e.Message.Method
	}
	if e.Call != nil {
		return e.Call.Method
	}
	return ""
}

// id is the message's own, or else its call's.
func (e *Entry) id() string {
	if e.Message != nil && e.Message.ID != "" {
		return e.Message.ID
	}
	if e.Call != nil {
		return e.Call.ID
	}
	return ""
}

// name is the tool, prompt or uri of the call, or of a message without one.
func (e *Entry) name(f Field) string {
	var method, name string
	if e.Call != nil {
		method, name = e.Call.Method, e.Call.Name
	} else {
		method, name = e.Message.Method, e.Message.Name
	}
	switch {
	case f == FieldTool && method == "tools/call", f == FieldPrompt && method == "prompts/get",
		f == FieldURI && (strings.HasPrefix(method, "resources/") || method == "notifications/resources/updated"):
		return name
	}
	return ""
}

// number is the value of a field that is compared, if the entry has one.
func (e *Entry) number(f Field) (int64, bool) {
	switch f {
	case FieldSince:
		_, last := e.moments()
		return last, true
	case FieldUntil:
		first, _ := e.moments()
		return first, true
	case FieldSeq:
		return e.Seq(), true
	case FieldSize:
		if e.Frame != nil {
			return e.Frame.Size, true
		}
		return max(e.Call.RequestSize, e.Call.ResponseSize), true
	case FieldCode:
		if e.Call != nil && e.Call.Code != nil {
			return *e.Call.Code, true
		}
	case FieldDur:
		if e.answered() {
			return int64(e.Call.Duration()), true
		}
	}
	return 0, false
}

// moments are the time of an entry in Unix nanoseconds: one moment, or the first and the last of a session.
func (e *Entry) moments() (first, last int64) {
	start := e.Session.StartedAt.UnixNano()
	switch {
	case e.Call != nil || e.Frame != nil:
		at := start + int64(e.At())
		return at, at
	case e.Session.EndedAt.IsZero():
		return start, math.MaxInt64
	}
	return start, e.Session.EndedAt.UnixNano()
}
