package reprise

import "github.com/tidwall/gjson"

// Skeleton is what metadata-only recording keeps of a frame: as much as
// pairing, naming and counting need, and no argument, content or message. Its
// messages have the kinds, ids, methods and names of the frame's. Noise leaves nothing.
func Skeleton(frame []byte) []byte {
	messages := ReadMessages(frame)
	var b []byte
	for i := range messages {
		m := &messages[i]
		if i > 0 && m.Flags&FlagJoined == 0 {
			b = append(b, ',')
		}
		b = m.appendSkeleton(b)
	}
	if messages[0].Flags&(FlagBatch|FlagJoined) == FlagBatch {
		b = append(append([]byte("["), b...), ']')
	}
	return b
}

// Skeleton is the skeleton of one message.
func (m *Message) Skeleton() []byte { return m.appendSkeleton(nil) }

func (m *Message) appendSkeleton(b []byte) []byte {
	if m.Kind == KindInvalid || m.Kind == KindNoise && m.Flags&(FlagBatch|FlagJoined) != 0 {
		return append(b, `{"jsonrpc":"2.0"}`...)
	}
	if m.Kind == KindNoise {
		return b
	}
	o := object{b: b}
	if m.Flags&FlagVersion == 0 {
		o.raw("jsonrpc", `"2.0"`)
	}
	if m.ID != "" {
		o.scalar("id", m.ID, "null")
	}
	if m.Kind != KindResponse {
		o.raw("method", string(appendString(nil, m.Method)))
		o.nested("params", m.skeletonParams)
	}
	if m.Result != "" {
		o.raw("result", string(skeletonResult(m.Result)))
	}
	switch {
	case m.Error == "null":
		o.raw("error", "null")
	case m.Error != "":
		var e object
		if code, _ := lookUp(m.Error, "code"); code.Type == gjson.Number {
			e.scalar("code", code.Raw, "")
		}
		o.raw("error", string(e.end()))
	}
	return o.end()
}

// skeletonParams keeps the name of what is asked for, the tokens that pair, and who asks.
func (m *Message) skeletonParams(o *object) {
	switch key := nameKey(m.Method); {
	case m.Name == "" || key == "":
	case key == "ref":
		o.nested(key, func(o *object) { o.raw("name", string(appendString(nil, m.Name))) })
	default:
		o.raw(key, string(appendString(nil, m.Name)))
	}
	for _, key := range []string{"progressToken", "requestId", "protocolVersion"} {
		v, _ := lookUp(m.Params, key)
		o.scalar(key, v.Raw, "")
	}
	o.peer("clientInfo", m.Params)
	meta, _ := lookUp(m.Params, "_meta")
	o.nested("_meta", func(o *object) {
		for _, key := range []string{"progressToken", MetaPrefix + "protocolVersion"} {
			v, _ := lookUp(meta.Raw, key)
			o.scalar(key, v.Raw, "")
		}
		o.peer(MetaPrefix+"clientInfo", meta.Raw)
		gjson.Parse(hostIDs(meta)).ForEach(func(k, v gjson.Result) bool {
			o.scalar(k.Str, v.Raw, "")
			return true
		})
	})
}

// skeletonResult keeps whether the tool failed, and who answers.
func skeletonResult(result string) []byte {
	o := object{}
	if failed, _ := lookUp(result, "isError"); failed.IsBool() {
		o.raw("isError", failed.Raw)
	}
	if version, _ := lookUp(result, "protocolVersion"); version.Type == gjson.String {
		o.scalar("protocolVersion", version.Raw, "")
	}
	o.peer("serverInfo", result)
	meta, _ := lookUp(result, "_meta")
	o.nested("_meta", func(o *object) { o.peer(MetaPrefix+"serverInfo", meta.Raw) })
	return o.end()
}

// object writes a JSON object member by member.
type object struct {
	b    []byte
	open bool
}

func (o *object) raw(key, value string) {
	if o.open {
		o.b = append(o.b, ',')
	} else {
		o.b, o.open = append(o.b, '{'), true
	}
	o.b = append(append(appendString(o.b, key), ':'), value...)
}

// scalar adds a string, number or literal; of anything that may hold more it adds the replacement, or nothing.
func (o *object) scalar(key, value, instead string) {
	if value != "" && (value[0] == '{' || value[0] == '[') || len(value) > longestToken {
		value = instead
	}
	if value != "" {
		o.raw(key, value)
	}
}

// longestToken is how long an id or token is kept: longer ones are content.
const longestToken = 8192

// nested adds an object when something is put into it.
func (o *object) nested(key string, fill func(*object)) {
	var inner object
	if fill(&inner); inner.open {
		o.raw(key, string(inner.end()))
	}
}

// peer adds the name and version of one side.
func (o *object) peer(key, raw string) {
	info, _ := lookUp(raw, key)
	o.nested(key, func(o *object) {
		for _, key := range []string{"name", "version"} {
			v, _ := lookUp(info.Raw, key)
			o.scalar(key, v.Raw, "")
		}
	})
}

func (o *object) end() []byte {
	if !o.open {
		return append(o.b, "{}"...)
	}
	return append(o.b, '}')
}
