package analysis

import (
	"fmt"
	"time"
)

// Result of a check: what it says of a call.
type Result string

const (
	Passed  Result = "passed"
	Failed  Result = "failed"
	Skipped Result = "skipped" // proves nothing either way, and counts in neither (S23)
	Unsure  Result = "untestable"
)

// Check is one of the nine checks with its parameters, as a checks file has it.
type Check struct {
	Type     string  `yaml:"type"`
	Code     *int64  `yaml:"code"`      // error_code
	Limit    *int    `yaml:"limit"`     // max_items
	Path     string  `yaml:"path"`      // max_items: where the items are, in structuredContent or the only text's JSON
	MS       float64 `yaml:"ms"`        // latency_under
	Cursor   string  `yaml:"cursor"`    // pagination_terminates: where the next cursor stands in a result
	Argument string  `yaml:"argument"`  // and the argument that takes it
	Items    string  `yaml:"items"`     // where its items are
	MaxPages int     `yaml:"max_pages"` // when it is said not to end
	Witness  *Plan   `yaml:"witness"`   // no_mutation
}

// Answer is one call with what came of it.
type Answer struct {
	Request, Response string // the raw messages (S12); Response "" where none came. Of an observed call both are "": Seqs say where they stand
	Result, Error     string // raw members of the response
	Took              time.Duration
	// Trouble says in words why nothing can be said of the call: its connection ended, no answer came in time; "" without one.
	Trouble string
	Seqs    []int64 // in the capture, where there is one
}

// Trial is what a check looks at: a call, and the further ones that it needs. What is nil was not made.
type Trial struct {
	Tool          *Tool // as listed; nil when it is not
	Args          []Arg
	Call          Answer
	Again         *Answer  // idempotent: the same call once more
	Pages         []Answer // pagination_terminates: the first page and all that follow
	More          bool     // the last of them names a further one, and was not followed
	Before, After *Answer  // no_mutation: the witness
	// Observed says that the trial was found in traffic: the arguments' sources are those of Uses, not what a file says.
	Observed bool
	// Weak says in words why a failure proves nothing: an argument is synthesized; "" where all are strong.
	Weak string
}

// Held is what came of one check.
type Held struct {
	Type     string
	Result   Result
	Reason   string // in words
	Evidence []Answer
}

// CheckTally counts what a check says of a tool throughout a session.
type CheckTally struct {
	Tool, Type                          string
	Passed, Failed, Skipped, Untestable int
	Reason                              string  // of the first that failed, else of the first that is untestable
	Evidence                            []int64 // of the first that failed
}

// Needs says which further calls a check looks at.
type Needs struct {
	Again   bool  // the same call once more
	Pages   bool  // the pages that follow
	Witness *Plan // a call before and after
}

// Needs are those of the check's type.
func (c *Check) Needs() Needs {
	switch c.Type {
	case "idempotent":
		return Needs{Again: true}
	case "pagination_terminates":
		return Needs{Pages: true}
	case "no_mutation":
		return Needs{Witness: c.Witness}
	}
	return Needs{}
}

// CheckType is one of the kinds of checks.
type CheckType struct {
	Name string
	// Doc says what passes, and what proves nothing.
	Doc string
	// Requires and Allows are the parameters that it needs and may have besides.
	Requires, Allows []string

	judge func(*Check, *Trial) Held
}

// CheckTypes lists the nine (S13–S21).
func CheckTypes() []CheckType {
	return []CheckType{
		{"succeeds", "the call brings no JSON-RPC error, and its result is no error (S13)", nil, nil, judgeSucceeds},
		{"is_error", "the tool's result says isError; a JSON-RPC error does not count, error_code asks for that (S14)", nil, nil, judgeIsError},
		{"error_code", "the call brings the JSON-RPC error of this code (S15)", []string{"code"}, nil, judgeErrorCode},
		{"output_schema", "the result fits the tool's declared outputSchema; skipped where none is declared, or the call failed (S16, S23)", nil, nil, judgeOutputSchema},
		{"pagination_terminates", "following the cursor ends, and no item comes twice; one page passes (S17)", nil,
			[]string{"cursor", "argument", "items", "max_pages"}, judgePagination},
		{"idempotent", "the same call made again gives the same result (S18)", nil, nil, judgeIdempotent},
		{"no_mutation", "the witness gives the same before and after the call (S19)", []string{"witness"}, nil, judgeNoMutation},
		{"max_items", "the list at path has at most limit items; untestable where no list stands there (S20)", []string{"limit"}, []string{"path"}, judgeMaxItems},
		{"latency_under", "the call took less than ms milliseconds (S21)", []string{"ms"}, nil, judgeLatency},
	}
}

// checkTypeOf is the type of a name, or nil.
func checkTypeOf(name string) *CheckType {
	for _, t := range CheckTypes() {
		if t.Name == name {
			return &t
		}
	}
	return nil
}

// Judge says whether the check holds of a call. A call in trouble proves nothing, and nor does a failure on an argument that somebody made
// up (S35, S36): no check fails because of these.
func (c *Check) Judge(t *Trial) Held {
	kind := checkTypeOf(c.Type)
	if kind == nil {
		return unsure("there is no check of the type %s", quote(c.Type)).as(c.Type)
	}
	if trouble := troubleIn(&t.Call); trouble != "" {
		return unsure("%s", trouble).as(c.Type)
	}
	h := kind.judge(c, t)
	if why := t.weakness(); h.Result == Failed && why != "" {
		h.Result, h.Reason = Unsure, h.Reason+"; but "+why
	}
	return h.as(c.Type)
}

// weakness says why a failure of the trial proves nothing.
func (t *Trial) weakness() string {
	if t.Weak != "" || t.Observed {
		return t.Weak
	}
	for _, a := range t.Args {
		if a.Source == "synthesized" {
			return "the argument " + quote(a.Name) + " is synthesized: the call may be at fault"
		}
	}
	return ""
}

func (h Held) as(name string) Held {
	h.Type = name
	return h
}

func passed(format string, args ...any) Held {
	return Held{Result: Passed, Reason: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) Held {
	return Held{Result: Skipped, Reason: fmt.Sprintf(format, args...)}
}

func unsure(format string, args ...any) Held {
	return Held{Result: Unsure, Reason: fmt.Sprintf(format, args...)}
}

// broken needs the calls that show it (S12).
func broken(evidence []Answer, format string, args ...any) Held {
	return Held{Result: Failed, Reason: fmt.Sprintf(format, args...), Evidence: evidence}
}
