package reprise

import (
	"slices"

	"github.com/tidwall/gjson"
)

// Surface is what a server offers: what it calls itself, its instructions, and its tools, prompts, resources and templates.
// What is not known of it is marked so, and is not the same as what is not there.
type Surface struct {
	// Greeted says that the server's answer to initialize or server/discover is known, which the next four are of.
	Greeted      bool
	Protocol     string // the version that was agreed on, raw JSON as all below; "" where absent
	Server       string // serverInfo; known from any answer of the new era
	Instructions string
	Capabilities string

	Tools, Prompts, Resources, Templates Listing
}

// Offers says whether the server may have what a capability is about: it declares it, or nobody knows.
func (s *Surface) Offers(capability string) bool {
	value, _ := lookUp(s.Capabilities, capability)
	return !s.Greeted || value.IsObject()
}

// Listing is what is known of one of the server's lists.
type Listing struct {
	// Asked says that a page of it is known.
	Asked bool
	// Whole says that it was walked to its end: what is not in it is not there.
	Whole bool
	// Ordered says that the entries stand in the server's order.
	Ordered bool
	// Entries are in the order in which they stand first. What is listed twice, and the same, is there once; several of one name
	// that differ are all there: which of them a client takes is not known.
	Entries []Listed
}

// Listed is a tool, prompt, resource or template as it stands in its list.
type Listed struct {
	Name string // or uri, or uriTemplate
	JSON string // raw
}

// listKind is one of the four lists of a server.
type listKind struct {
	kind   string // of its entries
	method string // that asks for it
	list   string // the member of the result
	key    string // the member of an entry that names it
	in     func(*Surface) *Listing
}

// listKinds are the lists that a surface has.
func listKinds() []listKind {
	return []listKind{
		{"tool", "tools/list", "tools", "name", func(s *Surface) *Listing { return &s.Tools }},
		{"prompt", "prompts/list", "prompts", "name", func(s *Surface) *Listing { return &s.Prompts }},
		{"resource", "resources/list", "resources", "uri", func(s *Surface) *Listing { return &s.Resources }},
		{"template", "resources/templates/list", "resourceTemplates", "uriTemplate", func(s *Surface) *Listing { return &s.Templates }},
	}
}

// SurfaceOf reads the surface that a capture shows: the latest greeting, and of each list the latest that was
// walked to its end, its pages joined by their cursors; where none was, as much as is there of the latest.
func SurfaceOf(c *Capture) *Surface {
	r := surfaceReader{asked: map[*Call]string{}, pages: map[string][]page{}}
	r.pairer.Changed = func(*Call) {}
	for f := range c.Frames() {
		for _, m := range ReadMessages(f.Data) {
			r.message(f, &m)
		}
	}
	for _, k := range listKinds() {
		*k.in(&r.surface) = joinPages(r.pages[k.method], k.key)
	}
	return &r.surface
}

// surfaceReader collects the answers that a surface is made of.
type surfaceReader struct {
	surface Surface
	pairer  Pairer
	asked   map[*Call]string // params of the calls that are open
	pages   map[string][]page
}

// page is an answer to one of the list methods.
type page struct {
	cursor, next gjson.Result // that asked for it; that asks for what follows
	entries      []gjson.Result
}

func (r *surfaceReader) message(f *Frame, m *Message) {
	call := r.pairer.Add(f, m)
	switch {
	case call == nil || call.Direction != ClientToServer:
	case m.Kind == KindRequest:
		r.asked[call] = m.Params
	case m.Kind == KindResponse:
		r.answer(call, m, r.asked[call])
		delete(r.asked, call)
	}
}

func (r *surfaceReader) answer(call *Call, m *Message, params string) {
	if m.Result != "" {
		r.greeting(call.Method, m.Result, params)
	}
	for _, k := range listKinds() {
		if k.method != call.Method {
			continue
		}
		cursor, _ := lookUp(params, "cursor")
		list, _ := lookUp(m.Result, k.list)
		next, _ := lookUp(m.Result, "nextCursor")
		switch nobody := call.Code != nil && *call.Code == noSuchMethod; {
		case list.IsArray():
			r.pages[k.method] = append(r.pages[k.method], page{cursor, next, list.Array()})
		case nobody && !goesOn(cursor): // there is no such list, and so nothing in it
			r.pages[k.method] = append(r.pages[k.method], page{})
		}
	}
}

const noSuchMethod = -32601

// greeting reads what the server says of itself (protocol.md §3.1, §3.2).
func (r *surfaceReader) greeting(method, result, params string) {
	s := &r.surface
	meta, _ := lookUp(result, "_meta")
	info, _ := lookUp(meta.Raw, MetaPrefix+"serverInfo")
	version := gjson.Result{}
	switch method {
	case "initialize":
		info, _ = lookUp(result, "serverInfo")
		version, _ = lookUp(result, "protocolVersion")
	case "server/discover":
		meta, _ := lookUp(params, "_meta")
		version, _ = lookUp(meta.Raw, MetaPrefix+"protocolVersion")
	default:
		if s.Server == "" {
			s.Server = info.Raw
		}
		return
	}
	instructions, _ := lookUp(result, "instructions")
	capabilities, _ := lookUp(result, "capabilities")
	s.Greeted, s.Protocol, s.Server = true, version.Raw, info.Raw
	s.Instructions, s.Capabilities = instructions.Raw, capabilities.Raw
}

// goesOn says whether a cursor is there. Null is none.
func goesOn(cursor gjson.Result) bool { return cursor.Exists() && cursor.Type != gjson.Null }

// joinPages joins the pages of the latest walk through a list that came to its end, or else of the latest.
func joinPages(pages []page, key string) Listing {
	var part Listing
	for i := len(pages) - 1; i >= 0; i-- {
		if goesOn(pages[i].cursor) {
			continue
		}
		l := followPages(pages[i:], key)
		if l.Whole {
			return l
		}
		if !part.Asked {
			part = l
		}
	}
	if !part.Asked && len(pages) > 0 { // the walk began before the capture
		part = listing(pages, key)
	}
	return part
}

// followPages walks on from the first page: each cursor is answered by the first page after it that was asked for with
// it. An empty cursor is one like any other to the new era and the end to others (protocol.md §5.10), so it is the end where nobody followed it.
func followPages(pages []page, key string) Listing {
	walk := pages[:1:1]
	for at := 0; goesOn(pages[at].next); {
		next := pages[at].next
		n := slices.IndexFunc(pages[at+1:], func(p page) bool { return goesOn(p.cursor) && p.cursor.String() == next.String() })
		if n < 0 {
			l := listing(walk, key)
			l.Whole = next.String() == ""
			return l
		}
		at += 1 + n
		walk = append(walk, pages[at])
	}
	l := listing(walk, key)
	l.Whole = true
	return l
}

// listing lists the entries of pages.
func listing(pages []page, key string) Listing {
	l := Listing{Asked: true, Ordered: true}
	seen := map[Listed]bool{}
	for _, p := range pages {
		for _, entry := range p.entries {
			if !entry.IsObject() {
				continue
			}
			name, _ := lookUp(entry.Raw, key)
			if same := (Listed{name.Str, plainOf(entry.Raw)}); !seen[same] {
				seen[same] = true
				l.Entries = append(l.Entries, Listed{name.Str, entry.Raw})
			}
		}
	}
	return l
}

// plainOf is an entry in its canonical spelling. One that may be read in two ways stays as it is: that spelling would choose one.
func plainOf(entry string) string {
	plain := string(Canonical(entry))
	if SafetyOf(plain) != SafetyOf(entry) {
		return entry
	}
	return plain
}
