package reprise

import "strings"

// Source says where an argument's value came from. When several hold, the first of
// these does: literal by enum or const, harvested, derived, literal otherwise, told, synthesized.
type Source string

const (
	// SourceHarvested is the same JSON value in an earlier successful result.
	SourceHarvested Source = "harvested"
	// SourceDerived is composed of harvested values, cut out of one, or one of another JSON type.
	SourceDerived Source = "derived"
	// SourceLiteral is fixed by the tool's own schema, or quoted in its description.
	SourceLiteral Source = "literal"
	// SourceTold was said outside of a result: see the grounds.
	SourceTold Source = "told"
	// SourceSynthesized is from nowhere that the session shows: the agent made it up, or its user said it.
	SourceSynthesized Source = "synthesized"
)

// Ground says what a source rests on.
type Ground string

const (
	// Of literals.
	GroundEnum        Ground = "enum"
	GroundConst       Ground = "const"
	GroundDefault     Ground = "default"
	GroundExamples    Ground = "examples"
	GroundType        Ground = "type" // a boolean or null, of a parameter that can be nothing else
	GroundDescription Ground = "description"

	// Of what was told.
	GroundElicitation  Ground = "elicitation" // the user's answer to the server's question
	GroundRoots        Ground = "roots"
	GroundInstructions Ground = "instructions"
	GroundError        Ground = "error"        // the text of an earlier failure
	GroundNotification Ground = "notification" // the server's, such as a log message
	GroundQuestion     Ground = "question"     // a request of the server's

	// Of the harvested and derived: the value was only ever said back to a call that had made it up.
	GroundEcho Ground = "echo"

	// Of the synthesized: an earlier result has the value under another key, but it is too common to mean the same thing.
	GroundCommon Ground = "common"
	// Of the synthesized: the bounds on harvesting had left values out before, and this may have been one of them.
	GroundForgotten Ground = "forgotten"
)

// Value is a value that a successful result generated. One is given when the value is first seen under its key and
// entity, if its key or its shape says that it identifies something; and one for each generation that a use is linked to.
type Value struct {
	N     int64 // counts the values of a session from 1, as they are given
	Seq   int64 // of the frame with the result
	Index int   // of the response in its frame
	// CallSeq and CallIndex are the call that produced it: the one that made the task, where a task did.
	CallSeq   int64
	CallIndex int
	Key       string // the member that holds it, or that holds its array; "" in plain text
	Entity    string // what it identifies: "issue"; "" when that is unknown
	JSON      string // the value itself
	From      string // the producing call: list_issues({ status: 'open' })
	// Path is its place in structuredContent or in the only text block's JSON, as items[0].id; else in the result, as content[1].text.
	Path string
	// Echo says that the result repeats an argument of its own call that came from nowhere.
	Echo bool
}

// Relation of a used value's entity to the one that its argument asks for.
type Relation string

const (
	RelationSame    Relation = "same"
	RelationOther   Relation = "other"
	RelationUnknown Relation = "unknown"
)

// Use is one leaf of a call's arguments, or of the client's answer to a request of the server's.
type Use struct {
	Seq   int64 // of the request, or of the answer
	Index int
	// CallSeq and CallIndex are the call that it belongs to: for an answer, the server's request.
	CallSeq   int64
	CallIndex int
	Tool      string // its name; of other calls the method
	Path      string // in the arguments, as filter.ids[0]; in the params or the result of other methods
	JSON      string
	Source    Source
	Ground    Ground
	// What follows is of the harvested and the derived: the latest generation, of the same entity if there is one.
	Relation    Relation
	ValueN      int64 // the Value's; 0 when there is none
	ValueSeq    int64
	ValueIndex  int
	ValuePath   string
	ValueEntity string // what the value identifies, as far as any of its generations says
	// Stale says that a call to a tool not declared read-only ran since, and could have touched the same or an unknown entity.
	Stale bool
	// Cut says that JSON is the beginning of a value longer than LeafSize.
	Cut bool
}

// Identifies says whether the argument looks like an identifier, by its key or by its value: one that is synthesized may
// be a hallucination.
func (u *Use) Identifies() bool {
	if u.JSON == "" || u.JSON == `""` {
		return false
	}
	text, number := u.JSON[0] == '"', u.JSON[0] >= '0' && u.JSON[0] <= '9'
	k := readKey(lastKey(u.Path))
	if (text || number) && k.identifies && !strings.HasSuffix(k.norm, "name") {
		return true
	}
	shape := shapeNone
	if text {
		shape = shapeOf(unquote(u.JSON))
	}
	return shape.identifies() || shape == shapeURL
}

// LeafSize is how much of a leaf Value.JSON and Use.JSON hold.
const LeafSize = 64 << 10
