package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"reprise"
	"reprise/analysis"

	"github.com/tidwall/gjson"
)

// Given is an argument as it was given, with its source (S38).
type Given struct {
	Name, JSON string
	Source     reprise.Source
	// From and Path are the call that gave a harvested value, and its place in the result (S33); "" of others.
	From, Path string
	birth      *analysis.Answer
}

// run is a case on its way, over one connection.
type run struct {
	*Client
	born map[string]called // calls that gave values, by tool and arguments
}

// stop is why a case does not go on.
type stop struct {
	refusal *Refusal
	why     string
}

// maxBirths is how deep a birth may rest on another one.
const maxBirths = 16

// arguments fills the arguments of a call.
func (r *run) arguments(ctx context.Context, args []analysis.Arg, depth int) (given []Given, object string, s *stop) {
	var b strings.Builder
	b.WriteByte('{')
	for i, a := range args {
		g := Given{Name: a.Name, JSON: compact(a.JSON), Source: reprise.Source(a.Source)}
		if a.From != nil {
			if s := r.birth(ctx, &g, a.From, depth); s != nil {
				return nil, "", s
			}
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(a.Name) + ":" + g.JSON)
		given = append(given, g)
	}
	b.WriteByte('}')
	return given, b.String(), nil
}

// compact takes the line ends out of JSON: a message is one line.
func compact(raw string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(raw)) != nil {
		return raw // no JSON, as reading the file has said
	}
	return b.String()
}

// birth takes an argument's value from the live server (S34).
func (r *run) birth(ctx context.Context, g *Given, from *analysis.Birth, depth int) *stop {
	if depth >= maxBirths {
		return &stop{why: g.Name + " rests on too many calls"}
	}
	_, object, s := r.arguments(ctx, from.Args, depth+1)
	if s != nil {
		return s
	}
	key := quote(from.Tool) + object
	made, ok := r.born[key]
	if !ok {
		made = r.call(ctx, from.Tool, object)
		r.born[key] = made
	}
	g.From, g.Path, g.Source, g.birth = rendered(from.Tool, object), from.Path, reprise.SourceHarvested, &made.Answer
	switch {
	case made.refusal != nil:
		return &stop{refusal: made.refusal}
	case made.Trouble != "":
		return &stop{why: fmt.Sprintf("%s can't be harvested: %s", g.Name, made.Trouble)}
	case failed(&made.Answer):
		return &stop{why: fmt.Sprintf("%s can't be harvested: %s failed: %s", g.Name, from.Tool, short(failure(&made.Answer)))}
	}
	if g.JSON = compact(Located(made.Result, from.Path)); g.JSON == "" {
		return &stop{why: fmt.Sprintf("%s can't be harvested: %s gave nothing at %s", g.Name, from.Tool, short(from.Path))}
	}
	return nil
}

// Located is what stands at a place of a tool's result, as provenance names places: in structuredContent, in the JSON of the only
// text, or in the result; "" where nothing does.
func Located(result, path string) string {
	structured := reprise.Member(result, "structuredContent")
	if structured.Exists() && structured.Type != gjson.Null {
		if v := reprise.At(structured.Raw, path); v != "" {
			return v
		}
	} else if text := onlyText(result); text != "" {
		if v := reprise.At(text, path); v != "" {
			return v
		}
	}
	return reprise.At(result, path)
}

// onlyText is the JSON in a result's only text, "" where there is none.
func onlyText(result string) string {
	var texts []string
	reprise.Member(result, "content").ForEach(func(_, block gjson.Result) bool {
		if text := reprise.Member(block.Raw, "text"); text.Type == gjson.String {
			texts = append(texts, text.String())
		}
		return len(texts) < 2
	})
	if len(texts) == 1 && gjson.Valid(texts[0]) {
		return strings.TrimSpace(texts[0])
	}
	return ""
}

// rendered is how a person would write a call.
func rendered(tool, arguments string) string {
	return reprise.Render(&reprise.Message{Kind: reprise.KindRequest, Method: "tools/call", Name: tool, Params: `{"name":` + quote(tool) + `,"arguments":` + arguments + `}`})
}

// failed says whether an answer is a failure, of the protocol or of the tool.
func failed(a *analysis.Answer) bool {
	return a.Error != "" || reprise.Member(a.Result, "isError").Type == gjson.True
}

// failure is what a failure says in words.
func failure(a *analysis.Answer) string {
	if a.Error != "" {
		return said(a.Error)
	}
	text := "isError"
	reprise.Member(a.Result, "content").ForEach(func(_, block gjson.Result) bool {
		if t := reprise.Member(block.Raw, "text"); t.Type == gjson.String {
			text = t.String()
		}
		return text == "isError"
	})
	return text
}
