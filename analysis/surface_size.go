package analysis

import (
	"fmt"

	"reprise"

	"github.com/tidwall/gjson"
)

var largeResult = &Analyzer{
	Name: "large-result",
	Doc: "A tool's result is longer than the session's host shows to its model; where that host's limit is not known, longer than 100,000 bytes, " +
		"about 25,000 tokens. What counts is the text of its blocks, or structuredContent where it has none; pictures and audio count apart. " +
		"A token is taken for four bytes. Source: W23b; the limits in hosts_limits.go.",
	Severity: Medium,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		p.Calls(func(e *Exchange) {
			tool, listing := e.tool()
			if tool == "" || e.ResponseSize < smallestLimit || e.Status != reprise.StatusOK {
				return
			}
			if e.ResponseSize > reprise.PartSize {
				p.Report(tooLongToRead(e, tool))
				return
			}
			size, limit := sizeOf(e), limitOf(p.Session)
			if limit.alone && (size.texts > 1 || size.blobs > 0) {
				limit = generalLimit()
			}
			limit.raise(listing)
			if size.over(&limit) {
				p.Report(tooLarge(e, tool, size, limit))
			}
		})
	},
}

// tool is the tool whose result an exchange brings, and how it was listed when it was called: of the call itself, or of the task that it
// asks about. It is "" where the exchange brings none.
func (e *Exchange) tool() (name string, listing *Tool) {
	switch {
	case !e.OfClient():
	case e.Tool() != "":
		return e.Tool(), e.Listing
	case e.Method == "tasks/result" && e.Origin != nil:
		return e.Origin.Tool(), e.Origin.Listing
	}
	return "", nil
}

// raise takes in what a tool declares of its results.
func (l *hostLimit) raise(listing *Tool) {
	if listing == nil || !l.raises {
		return
	}
	declared := reprise.Member(reprise.Member(listing.JSON, "_meta").Raw, "anthropic/maxResultSizeChars")
	if n := min(declared.Float(), raisedMost); declared.Type == gjson.Number && n > float64(l.size) {
		l.size = int(n)
	}
}

// resultSize is how much a result holds.
type resultSize struct {
	bytes, chars int // of its text; chars in UTF-16 units
	texts        int
	blobs        int // pictures, audio and other data
}

func sizeOf(e *Exchange) (s resultSize) {
	reprise.Member(e.Result, "content").ForEach(func(_, block gjson.Result) bool {
		s.block(block.Raw)
		if inner := reprise.Member(block.Raw, "resource"); inner.IsObject() {
			s.block(inner.Raw)
		}
		return true
	})
	if s.bytes == 0 {
		s.text(reprise.Member(e.Result, "structuredContent").Raw)
	}
	return s
}

func (s *resultSize) block(raw string) {
	gjson.Parse(raw).ForEach(func(key, value gjson.Result) bool {
		switch {
		case value.Type != gjson.String:
		case key.Str == "text":
			s.text(value.Str)
		case key.Str == "data", key.Str == "blob":
			s.blobs++
		}
		return true
	})
}

func (s *resultSize) text(text string) {
	s.texts++
	s.bytes += len(text)
	s.chars += utf16Length(text)
}

func (s *resultSize) over(l *hostLimit) bool {
	if l.inBytes {
		return s.bytes > l.size
	}
	return s.chars > l.size
}

func tooLarge(e *Exchange, tool string, s resultSize, l hostLimit) Finding {
	held, unit := s.chars, "characters"
	if l.inBytes {
		held, unit = s.bytes, "bytes"
	}
	apart := ""
	if s.blobs > 0 {
		apart = fmt.Sprintf(", beside %s of pictures or other data", plural(s.blobs, "block"))
	}
	return Finding{
		Tool: tool,
		What: fmt.Sprintf("A result held %s %s of text%s, about %s tokens, and %s by default %s %s.", thousands(held), unit, apart,
			thousands(s.bytes/4), l.label, l.shows(), thousands(l.size)),
		Consequence: l.does,
		Suggestion:  "Return less by default, with a page size, a filter or fewer fields, and let the agent ask for the rest.",
		Evidence:    []int64{e.Seq, e.Response},
	}
}

// tooLongToRead is of a response over reprise.PartSize: what is in it is not known, and no host shows that much of anything.
func tooLongToRead(e *Exchange, tool string) Finding {
	return Finding{
		Tool:        tool,
		What:        fmt.Sprintf("A response was %s bytes long.", thousands(int(e.ResponseSize))),
		Consequence: "No host shows that much, and many clients end the connection over it: the TypeScript SDK at 10 MiB, the Go SDK at 16 MiB.",
		Suggestion:  "Return a link to a resource, or a part, and let the agent ask for more.",
		Evidence:    []int64{e.Seq, e.Response},
	}
}

func (l *hostLimit) shows() string {
	if l.label == "hosts" {
		return "show at most"
	}
	return "shows at most"
}
