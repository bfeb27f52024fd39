package analysis

import (
	"reprise"

	"github.com/tidwall/gjson"
)

// Exchange is a call with everything that the session says of it.
type Exchange struct {
	*reprise.Call
	// Params, Result and Error are raw JSON, "" where there is none; of a frame over reprise.PartSize too.
	Params, Result, Error string
	// Uses are the sources of its arguments.
	Uses []*reprise.Use
	// Listing is the tool as it was listed when the call was made; nil where it was not, or the call is none of a tool.
	Listing *Tool
	// Origin is the call that made the task which this one asks about; nil without one. A failure of the task is a failure of that call.
	Origin *Exchange
	// Assessment is of tools/call, resources/read and prompts/get, and of calls that bring a task's result. Its Kind is "" of others.
	Assessment Assessment

	unsafe   bool // its tool is not declared read-only
	outdated bool // the server had said that its tools have changed, and had not listed them since
}

// OfClient says whether the client asked.
func (e *Exchange) OfClient() bool { return e.Direction == reprise.ClientToServer }

// Arguments are those of a tool or prompt, raw; "" where there are none.
func (e *Exchange) Arguments() string { return reprise.Member(e.Params, "arguments").Raw }

// Texts are the text blocks of a tool's result.
func (e *Exchange) Texts() (texts []string) {
	reprise.Member(e.Result, "content").ForEach(func(_, block gjson.Result) bool {
		if text := reprise.Member(block.Raw, "text"); text.Type == gjson.String {
			texts = append(texts, text.String())
		}
		return true
	})
	return texts
}

// Said is what a failure says in words: the message of a JSON-RPC error, the texts of a tool's.
func (e *Exchange) Said() string { return said(e.Result, e.Error) }
