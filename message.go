package reprise

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// Kind is what a message is.
type Kind string

const (
	KindRequest      Kind = "request"
	KindNotification Kind = "notification"
	KindResponse     Kind = "response"
	// KindInvalid was meant as JSON-RPC and is not: cut JSON, an empty batch, nesting over MaxDepth, a member of a wrong type.
	KindInvalid Kind = "invalid"
	// KindNoise was not meant as JSON-RPC: banners, npm notices, blank lines, `42`.
	KindNoise Kind = "noise"
)

// Flag marks what is odd about a message.
type Flag uint16

const (
	FlagNullID     Flag = 1 << iota // "id": null on a request or response
	FlagDuplicate                   // a member that was read stands more than once; the last one counts
	FlagCase                        // a member differs in case only from one that is read, and was not read
	FlagBOM                         // a byte order mark stood in front
	FlagBatch                       // a member of a batch
	FlagJoined                      // shares its line with another message
	FlagTooDeep                     // nested deeper than MaxDepth
	FlagBoth                        // has a result and an error, or a method and a result
	FlagCut                         // longer than PartSize: read from its ends only
	FlagVersion                     // "jsonrpc" is not "2.0"
	FlagNullMethod                  // "method": null, read as absent
	FlagMany                        // more than MaxMessages on one line: none of them was read
)

var flagNames = []string{"null id", "duplicate key", "case-folded key", "byte order mark", "batch member",
	"joined", "too deep", "result and error", "cut", "version", "null method", "too many"}

// MaxMessages is how many messages of one frame are read. A line of "{}{}{}…"
// holds eight million in 16 MiB.
const MaxMessages = 10_000

// Names lists the flags in words.
func (f Flag) Names() []string {
	var names []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Message is the reading of a frame, or of one member of it. The strings are
// parts of the frame's data: valid as long as that is.
type Message struct {
	Index  int    // its place in the frame
	Raw    string // its own text; "" when it was read from its ends only, and of what is nested too deep
	Kind   Kind
	ID     string // the raw token: `1`, `"1"`, `1.0`, `null` and "" (absent) are five ids
	Method string
	Name   string // tool or prompt name, or uri, or the task's id
	Params string // raw JSON, "" when absent
	Result string
	Error  string
	Flags  Flag
}

// ReadMessages reads the messages of one frame: one for most lines, several for a
// batch or for objects that share a line, and one of KindNoise or KindInvalid
// for what is not JSON-RPC. It follows protocol.md §1: exact-case keys, the last of duplicates.
func ReadMessages(data []byte) []Message {
	var flags Flag
	if rest, ok := strings.CutPrefix(view(data), "\ufeff"); ok {
		data, flags = data[len(data)-len(rest):], FlagBOM
	}
	text := strings.Trim(view(data), " \t\r\n")
	if text == "" || text[0] != '{' && text[0] != '[' {
		return []Message{unread(text, flags)}
	}
	if tooDeep(data) {
		return []Message{{Kind: KindInvalid, Flags: flags | FlagTooDeep}}
	}
	if !gjson.Valid(text) {
		return readJoined(text, flags)
	}
	return readValue(text, flags)
}

// ReadLong reads a message longer than PartSize from its first and its last
// bytes: TypeScript servers write the id behind the result.
func ReadLong(head, tail []byte) Message {
	flags := FlagCut
	text, bom := strings.CutPrefix(view(head), "\ufeff")
	if bom {
		flags |= FlagBOM
	}
	text = strings.TrimLeft(text, " \t\r\n")
	if tooDeep(head) {
		return Message{Kind: KindInvalid, Flags: flags | FlagTooDeep}
	}
	if text == "" || text[0] != '{' {
		return unread(text, flags)
	}
	var e envelope
	e.read(text)
	e.read(lastMembers(view(tail)))
	m := e.message()
	m.Flags |= flags
	return m
}

// lastMembers finds the envelope's scalar members at the end of an object whose
// beginning is not known, and gives them as an object.
func lastMembers(tail string) string {
	tail = strings.TrimRight(tail, " \t\r\n")
	tail = tail[max(0, len(tail)-4096):]
	for i := range len(tail) {
		if tail[i] != ',' {
			continue
		}
		object := "{" + tail[i+1:]
		if depthOf(bytesOf(object)) == 1 && gjson.Valid(object) {
			return object
		}
	}
	return "{}"
}

// view sees bytes as a string without copying them.
func view(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

// bytesOf sees a string as bytes without copying it. They must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// unread classes text that is no JSON object or array.
func unread(text string, flags Flag) Message {
	if strings.Contains(text, `"jsonrpc"`) {
		return Message{Kind: KindInvalid, Raw: text, Flags: flags}
	}
	return Message{Kind: KindNoise, Raw: text, Flags: flags}
}

// readJoined reads several objects on one line, or gives up on the line.
func readJoined(text string, flags Flag) []Message {
	var messages []Message
	for rest := text; rest != ""; rest = strings.TrimLeft(rest, " \t\r") {
		if len(messages) >= MaxMessages {
			return []Message{{Kind: KindInvalid, Flags: flags | FlagJoined | FlagMany}}
		}
		var s scanner
		n := s.feed(bytesOf(rest), true)
		if !s.closed || !gjson.Valid(rest[:n]) {
			return []Message{unread(text, flags)}
		}
		messages = append(messages, readValue(rest[:n], flags|FlagJoined)...)
		rest = rest[n:]
	}
	return indexed(messages)
}

func readValue(text string, flags Flag) []Message {
	if text[0] == '{' {
		return []Message{readObject(text, flags)}
	}
	var messages []Message
	gjson.Parse(text).ForEach(func(_, member gjson.Result) bool {
		if member.IsObject() {
			messages = append(messages, readObject(member.Raw, flags|FlagBatch))
		} else {
			messages = append(messages, Message{Kind: KindInvalid, Raw: member.Raw, Flags: flags | FlagBatch})
		}
		return len(messages) <= MaxMessages
	})
	switch {
	case messages == nil:
		return []Message{{Kind: KindInvalid, Flags: flags | FlagBatch}}
	case len(messages) > MaxMessages:
		return []Message{{Kind: KindInvalid, Flags: flags | FlagBatch | FlagMany}}
	}
	return indexed(messages)
}

func indexed(messages []Message) []Message {
	for i := range messages {
		messages[i].Index = i
	}
	return messages
}

func readObject(text string, flags Flag) Message {
	var e envelope
	e.read(text)
	m := e.message()
	m.Raw = text
	m.Flags |= flags
	return m
}

// envelope collects the members of a JSON-RPC object.
type envelope struct {
	version, id, method, params, result, err gjson.Result
	flags                                    Flag
}

func (e *envelope) member(key string) *gjson.Result {
	switch key {
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.err
	}
	return nil
}

func (e *envelope) read(text string) {
	gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
		place := e.member(key.Str)
		switch {
		case place == nil && folded(key.Str, "jsonrpc", "id", "method", "params", "result", "error"):
			e.flags |= FlagCase
		case place == nil:
		case place.Exists():
			e.flags |= FlagDuplicate
			*place = value
		default:
			*place = value
		}
		return true
	})
}

// folded says whether the key is one of the names but for case, as parsers that
// fold case would read it: the Kelvin sign and the long s included (go-sdk#805).
func folded(key string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return key != name && strings.EqualFold(key, name) })
}

func (e *envelope) message() Message {
	m := Message{ID: e.id.Raw, Params: e.params.Raw, Result: e.result.Raw, Error: e.err.Raw, Flags: e.flags}
	if e.id.Raw == "null" {
		m.Flags |= FlagNullID
	}
	if e.version.Str != "2.0" {
		m.Flags |= FlagVersion
	}
	if e.method.Exists() && e.method.Type == gjson.Null {
		m.Flags |= FlagNullMethod
	}
	answer := e.result.Exists() || e.err.Exists()
	hasMethod := e.method.Exists() && e.method.Type != gjson.Null
	if e.result.Exists() && e.err.Exists() || hasMethod && answer {
		m.Flags |= FlagBoth
	}
	switch {
	case hasMethod && e.method.Type != gjson.String:
		m.Kind = KindInvalid
	case hasMethod && e.id.Exists():
		m.Kind = KindRequest
	case hasMethod:
		m.Kind = KindNotification
	case answer:
		m.Kind = KindResponse
	case e.id.Exists() || e.version.Exists() || e.method.Exists():
		m.Kind = KindInvalid
	default:
		m.Kind = KindNoise
	}
	if hasMethod {
		m.Method = e.method.Str
		m.readName()
	}
	return m
}

// readName finds what the message is about: the tool, prompt, uri or task in its params.
func (m *Message) readName() {
	switch key := nameKey(m.Method); key {
	case "":
	case "ref":
		ref := m.lookUp(m.Params, key).Raw
		if m.Name = m.lookUp(ref, "name").Str; m.Name == "" {
			m.Name = m.lookUp(ref, "uri").Str
		}
	default:
		m.Name = m.lookUp(m.Params, key).Str
	}
}

// nameKey is the member of a method's params that says what it is about.
func nameKey(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read", "resources/subscribe", "resources/unsubscribe", "notifications/resources/updated":
		return "uri"
	case "completion/complete":
		return "ref"
	}
	if strings.HasPrefix(method, "tasks/") {
		return "taskId"
	}
	return ""
}

// lookUp is lookUp with a flag for what other parsers may read otherwise.
func (m *Message) lookUp(raw, key string) gjson.Result {
	value, flags := lookUp(raw, key)
	m.Flags |= flags
	return value
}

// Member finds a member of a JSON object by its exact name, the last of duplicates: see lookUp.
func Member(object, name string) gjson.Result {
	value, _ := lookUp(object, name)
	return value
}

// Place says where in data a token stands that was read out of it, such as Message.ID or the Raw of what
// Member gave; false for any other string.
func Place(data []byte, token string) (from, to int, ok bool) {
	if token == "" || len(data) == 0 {
		return 0, 0, false
	}
	base, at := uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(unsafe.Pointer(unsafe.StringData(token)))
	if at < base || at+uintptr(len(token)) > base+uintptr(len(data)) {
		return 0, 0, false
	}
	return int(at - base), int(at-base) + len(token), true
}

// lookUp finds a member of an object by its exact name. The last of duplicates
// counts, as in every parser at either end; gjson.Get takes the first.
func lookUp(raw, key string) (value gjson.Result, flags Flag) {
	object := gjson.Parse(raw)
	if !object.IsObject() {
		return value, 0
	}
	object.ForEach(func(k, v gjson.Result) bool {
		switch {
		case k.Str != key && folded(k.Str, key):
			flags |= FlagCase
		case k.Str == key:
			if value.Exists() {
				flags |= FlagDuplicate
			}
			value = v
		}
		return true
	})
	return value, flags
}
