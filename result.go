package reprise

// resultMembers are the members of a result that are looked into, as they stand. Results are long: they are
// found in one pass.
type resultMembers struct {
	kind        string // resultType
	structured  string // structuredContent
	content     []block
	contentKey  string // where the blocks stand: content, contents or messages
	questions   string // inputRequests
	cursor      string
	status      string // of a task
	task, inner string // taskId, and that of the task inside
}

// block is a content block, or the contents of a resource. Its members are tokens; those that are no strings are left out.
type block struct {
	text, uri, name string
	resource        *block
}

// maxBlocks is how many blocks of a result are looked into.
const maxBlocks = 10_000

func readResult(raw string) (r resultMembers) {
	w := walker{text: raw}
	w.members(func(key string) {
		switch key {
		case "resultType":
			r.kind = unquote(w.skipped())
		case "structuredContent":
			r.structured = w.skipped()
		case "content":
			r.content, r.contentKey = w.blocks(false), "content"
		case "contents":
			r.content, r.contentKey = w.blocks(false), "contents"
		case "messages":
			r.content, r.contentKey = w.blocks(true), "messages"
		case "inputRequests":
			r.questions = w.skipped()
		case "nextCursor":
			r.cursor = w.skipped()
		case "status":
			r.status = unquote(w.skipped())
		case "taskId":
			r.task = w.skipped()
		case "task":
			w.members(func(key string) {
				if value := w.skipped(); key == "taskId" {
					r.inner = value
				}
			})
		default:
			w.skipped()
		}
	})
	return r
}

// blocks reads a list of content blocks, or of messages with one each.
func (w *walker) blocks(messages bool) (list []block) {
	w.elements(func(int) {
		var b block
		if messages {
			w.members(func(key string) {
				if key == "content" {
					b = w.block()
				} else {
					w.skipped()
				}
			})
		} else {
			b = w.block()
		}
		if len(list) < maxBlocks {
			list = append(list, b)
		}
	})
	return list
}

func (w *walker) block() (b block) {
	w.members(func(key string) {
		switch key {
		case "text":
			b.text = w.quoted()
		case "uri":
			b.uri = w.quoted()
		case "name":
			b.name = w.quoted()
		case "resource":
			inner := w.block()
			b.resource = &inner
		default:
			w.skipped()
		}
	})
	return b
}

// quoted is a value that is a string, else "".
func (w *walker) quoted() string {
	if value := w.skipped(); value != "" && value[0] == '"' {
		return value
	}
	return ""
}

// texts counts the texts of a block.
func (b *block) texts() int {
	n := 0
	if b.text != "" {
		n++
	}
	if b.resource != nil {
		n += b.resource.texts()
	}
	return n
}
