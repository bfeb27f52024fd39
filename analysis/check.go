package analysis

import "time"

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
	Request, Response string // the raw messages (S12); Response "" where none came
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
