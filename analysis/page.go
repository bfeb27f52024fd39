package analysis

import (
	"encoding/base64"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"reprise"

	"github.com/tidwall/gjson"
)

const (
	// maxPages is how many pages a report keeps; Unseen counts the rest.
	maxPages = 1000
	// maxAddress is how much of an address or name a page keeps, in bytes.
	maxAddress = 2048
)

// Modes of a page: what it is for. They are never mixed.
const (
	ModeUI     = "ui"     // what a host shows in a frame: a ui:// resource
	ModeResult = "result" // any other HTML that an agent is given
)

// Page is an HTML document in a result, and how it is built (W33–W35). It is a signal, never a gate.
type Page struct {
	Seq  int64  // of the call
	Tool string // that gave it
	URI  string // of the resource, ui://… among them
	Mode string // ui for ui:// resources, else result
	// Semantic and Generic count its elements; Ratio is Semantic ÷ (Semantic + Generic), -1 where it has neither.
	Semantic, Generic int
	Ratio             float64
}

// ModeRatio is of all pages of one mode together.
type ModeRatio struct {
	Mode              string
	Pages             int
	Semantic, Generic int
	Ratio             float64
}

// Ratios combines pages by mode (W34): their elements are added up, so that a large page counts for more than a small one. In order
// of the modes. Ratios of different modes are never combined with each other, nor with anything else.
func Ratios(pages []Page) []ModeRatio {
	var list []ModeRatio
	for _, p := range pages {
		i, known := slices.BinarySearchFunc(list, p.Mode, func(m ModeRatio, mode string) int { return strings.Compare(m.Mode, mode) })
		if !known {
			list = slices.Insert(list, i, ModeRatio{Mode: p.Mode})
		}
		m := &list[i]
		m.Pages++
		m.Semantic += p.Semantic
		m.Generic += p.Generic
		m.Ratio = ratioOf(m.Semantic, m.Generic)
	}
	return list
}

func ratioOf(semantic, generic int) float64 {
	if semantic+generic == 0 {
		return -1
	}
	return float64(semantic) / float64(semantic+generic)
}

// pages are those of one session.
type pages struct {
	list []Page
	more *int64 // beyond maxPages
}

// watchPages looks for HTML in results.
func watchPages(p *Pass) func() []Page {
	found := pages{more: &p.judge.report.Unseen.Pages}
	p.Calls(func(e *Exchange) {
		if e.OfClient() && e.Status == reprise.StatusOK && mayHoldPage(e.Result) {
			found.read(e)
		}
	})
	return func() []Page { return found.list }
}

// mayHoldPage says whether a result can have a page at all: whatever makes one has this word in it, and nearly no other result has.
func mayHoldPage(result string) bool {
	return strings.Contains(result, "html") || strings.Contains(result, "HTML") || strings.Contains(result, "Html")
}

func (p *pages) read(e *Exchange) {
	asked, result := e.asked(), e.Result
	if e.Method == "tasks/get" { // which holds the result of a task that is done
		result = reprise.Member(result, "result").Raw
	}
	switch {
	case asked.Tool() != "":
		reprise.Member(result, "content").ForEach(func(_, block gjson.Result) bool {
			p.block(Page{Seq: asked.Seq, Tool: asked.Name}, block)
			return true
		})
	case asked.Method == "resources/read":
		reprise.Member(result, "contents").ForEach(func(_, content gjson.Result) bool {
			p.resource(Page{Seq: asked.Seq, URI: asked.Name}, content)
			return true
		})
	}
}

// block is one of a tool's result.
func (p *pages) block(at Page, block gjson.Result) {
	switch reprise.Member(block.Raw, "type").Str {
	case "text":
		if text := reprise.Member(block.Raw, "text"); beginsAsPage(text) {
			p.add(at, text.String())
		}
	case "resource":
		p.resource(at, reprise.Member(block.Raw, "resource"))
	}
}

// resource is one of resources/read, or embedded in a tool's result.
func (p *pages) resource(at Page, content gjson.Result) {
	if uri := reprise.Member(content.Raw, "uri"); uri.Type == gjson.String {
		at.URI = uri.Str
	}
	declared := declaresPage(reprise.Member(content.Raw, "mimeType").Str)
	if text := reprise.Member(content.Raw, "text"); text.Type == gjson.String {
		if declared || beginsAsPage(text) {
			p.add(at, text.String())
		}
		return
	}
	if blob := reprise.Member(content.Raw, "blob"); declared && blob.Type == gjson.String {
		p.add(at, decoded(blob.Str))
	}
}

// add counts a page's elements.
func (p *pages) add(page Page, text string) {
	if len(p.list) == maxPages {
		*p.more++
		return
	}
	page.Tool, page.URI = address(page.Tool), address(page.URI)
	page.Mode = ModeResult
	if strings.HasPrefix(page.URI, "ui://") {
		page.Mode = ModeUI
	}
	page.Semantic, page.Generic = countElements(text)
	page.Ratio = ratioOf(page.Semantic, page.Generic)
	p.list = append(p.list, page)
}

// declaresPage says whether a media type is one of HTML: text/html;profile=mcp-app and the older text/html+skybridge are.
func declaresPage(mediaType string) bool {
	base, _, _ := strings.Cut(mediaType, ";")
	base = strings.ToLower(strings.TrimSpace(base))
	return base == "text/html" || base == "text/html+skybridge"
}

// beginsAsPage says whether a text plainly is a page: prose with a few tags in it, or about them, is none.
func beginsAsPage(text gjson.Result) bool {
	if text.Type != gjson.String {
		return false
	}
	begin := strings.TrimLeft(strings.TrimPrefix(text.Str, "\ufeff"), " \t\r\n\f")
	for _, tag := range []string{"<!doctype html", "<html"} {
		if len(begin) > len(tag) && strings.EqualFold(begin[:len(tag)], tag) && strings.ContainsRune("> \t\r\n\f/", rune(begin[len(tag)])) {
			return true
		}
	}
	return false
}

// decoded is the part of a blob that is looked at; what is no base64 ends it.
func decoded(blob string) string {
	read := io.LimitReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(blob)), maxMarkup)
	data, _ := io.ReadAll(read)
	return string(data)
}

// address is an address or name that outlives its message.
func address(text string) string {
	if len(text) <= maxAddress {
		return strings.Clone(text)
	}
	cut := maxAddress
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.Clone(text[:cut])
}
