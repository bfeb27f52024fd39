package live

import (
	"context"
	"fmt"
	"strings"

	"reprise"
	"reprise/analysis"

	"github.com/tidwall/gjson"
)

// called is a call that was made, or not.
type called struct {
	analysis.Answer
	refusal *Refusal // it was not made: the gate is closed
	// wants says in words that the server asked for what this client has not: that the call failed then proves nothing.
	wants string
}

// maxRounds is how often a call that asks for another round is made.
const maxRounds = 8

// call calls a tool, if the gate is open. arguments is a JSON object.
func (c *Client) call(ctx context.Context, tool, arguments string) (done called) {
	tools, trouble := c.list(ctx)
	if trouble != "" {
		done.Trouble = trouble
		return done
	}
	if done.refusal = c.Gate.refuses(tool, tools); done.refusal != nil {
		return done
	}
	members := `"name":` + quote(tool) + `,"arguments":` + arguments
	for range maxRounds {
		a, refused := c.ask(ctx, "tools/call", c.params(members))
		done.Answer = a
		if len(refused) > 0 {
			done.wants = "the server asked for " + refused[0] + ", which this client has not"
		}
		answers, more := c.round(&done)
		if !more {
			return done
		}
		members = `"name":` + quote(tool) + `,"arguments":` + arguments + answers
	}
	done.Trouble = fmt.Sprintf("the server asked for more than %d rounds", maxRounds)
	return done
}

// round looks at what is no final answer (protocol.md §5.3), and gives the members of the next round's params.
func (c *Client) round(done *called) (answers string, more bool) {
	code := reprise.Member(done.Error, "code").Int()
	kind := reprise.Member(done.Result, "resultType").String()
	switch {
	case done.Trouble != "":
	case code == -32021 || code == -32042:
		done.wants = "the call needs a client that can do more: " + short(said(done.Error))
	case c.meta == "":
	case kind == "task":
		done.Trouble = "the call goes on as a task, which this client can't follow"
	case kind == "input_required":
		return c.inputs(done)
	}
	return "", false
}

// inputs answers what a result asks for, as far as this client can.
func (c *Client) inputs(done *called) (string, bool) {
	var answers []string
	reprise.Member(done.Result, "inputRequests").ForEach(func(key, request gjson.Result) bool {
		switch method := reprise.Member(request.Raw, "method").String(); method {
		case "roots/list":
			answers = append(answers, key.Raw+`:{"roots":[]}`)
		case "elicitation/create":
			answers = append(answers, key.Raw+`:{"action":"decline"}`)
			done.wants = "the server asked for elicitation/create, which this client has not"
		default:
			done.Trouble = "the server asked for " + short(method) + ", which this client has not"
		}
		return done.Trouble == ""
	})
	state := reprise.Member(done.Result, "requestState")
	if len(answers) == 0 && !state.Exists() && done.Trouble == "" {
		done.Trouble = "the server wants another round, and does not say what for"
	}
	members := ""
	if len(answers) > 0 {
		members += `,"inputResponses":{` + strings.Join(answers, ",") + `}`
	}
	if state.Exists() {
		members += `,"requestState":` + state.Raw
	}
	return members, done.Trouble == ""
}
