package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise"
)

// answers are made of what a response holds.
func result(raw string) Answer {
	return Answer{Request: `{"id":1}`, Response: `{"id":1,"result":` + raw + `}`, Result: raw, Took: 10 * time.Millisecond}
}

func failure(code int, message string) Answer {
	raw := fmt.Sprintf(`{"code":%d,"message":"%s"}`, code, message)
	return Answer{Request: `{"id":1}`, Response: `{"id":1,"error":` + raw + `}`, Error: raw}
}

func troubled() Answer { return Answer{Request: `{"id":1}`, Trouble: "no answer came in 30 s"} }

const (
	fine     = `{"content":[{"type":"text","text":"fine"}]}`
	notFound = `{"content":[{"type":"text","text":"no issue of that name"}],"isError":true}`
)

func listingOf(tool string) *Tool {
	t := &Tool{Name: "t", JSON: tool, ToolSafety: reprise.SafetyOf(tool)}
	t.input, t.output = &lazySchema{raw: reprise.Member(tool, "inputSchema").Raw}, &lazySchema{raw: reprise.Member(tool, "outputSchema").Raw}
	return t
}

func at[T any](v T) *T { return &v }

type checkCase struct {
	name  string
	check Check
	trial Trial
	want  Result
	says  string // a part of the reason
}

func holds(t *testing.T, cases []checkCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := c.check.Judge(&c.trial)
			if h.Result != c.want || !strings.Contains(h.Reason, c.says) || h.Type != c.check.Type {
				t.Errorf("%+v, want %s: %s", h, c.want, c.says)
			}
			if h.Result == Failed && len(h.Evidence) == 0 {
				t.Error("it failed without evidence")
			}
			if h.Reason == "" {
				t.Error("it gives no reason")
			}
		})
	}
}

func TestS11_CheckTypesWithTheirParameters(t *testing.T) {
	want := []string{"succeeds", "is_error", "error_code", "output_schema", "pagination_terminates", "idempotent", "no_mutation", "max_items", "latency_under"}
	var got []string
	for _, c := range CheckTypes() {
		got = append(got, c.Name)
		if c.Doc == "" {
			t.Errorf("%s has no doc", c.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	witness := &Plan{Tool: "w"}
	for typ, want := range map[string]Needs{"idempotent": {Again: true}, "pagination_terminates": {Pages: true}, "no_mutation": {Witness: witness}, "succeeds": {}} {
		if got := (&Check{Type: typ, Witness: witness}).Needs(); got != want {
			t.Errorf("%s needs %+v, want %+v", typ, got, want)
		}
	}
	holds(t, []checkCase{{"no such check", Check{Type: "works"}, Trial{Call: result(fine)}, Unsure, "no check of the type"}})
}

func TestS12_FailureKeepsTheExactCalls(t *testing.T) {
	call, again := result(fine), result(notFound)
	h := (&Check{Type: "idempotent"}).Judge(&Trial{Call: call, Again: &again})
	if len(h.Evidence) != 2 || h.Evidence[0].Request != call.Request || h.Evidence[1].Response != again.Response {
		t.Errorf("%+v", h)
	}
}

func TestS13_Succeeds(t *testing.T) {
	check := Check{Type: "succeeds"}
	holds(t, []checkCase{
		{"a result", check, Trial{Call: result(fine)}, Passed, ""},
		{"isError: false", check, Trial{Call: result(`{"content":[],"isError":false}`)}, Passed, ""},
		{"an error of the tool", check, Trial{Call: result(notFound)}, Failed, "no issue of that name"},
		{"a JSON-RPC error", check, Trial{Call: failure(-32602, "bad id")}, Failed, "-32602: “bad id”"},
		{"a limit on how often", check, Trial{Call: failure(-32000, "rate limit exceeded")}, Unsure, "how often"},
		{"no answer", check, Trial{Call: troubled()}, Unsure, "no answer came in 30 s"},
		{"nothing at all", check, Trial{}, Unsure, "no answer came"},
		{"a question to the client", check, Trial{Call: result(`{"resultType":"input_required"}`)}, Unsure, "not over"},
		{"a task", check, Trial{Call: result(`{"task":{"taskId":"1"}}`)}, Unsure, "made a task"},
	})
}

func TestS14_IsError(t *testing.T) {
	check := Check{Type: "is_error"}
	holds(t, []checkCase{
		{"an error of the tool", check, Trial{Call: result(notFound)}, Passed, ""},
		{"a JSON-RPC error", check, Trial{Call: failure(-32602, "bad id")}, Failed, "error_code asks for that"},
		{"a result", check, Trial{Call: result(fine)}, Failed, "did not fail"},
		{"isError is a text", check, Trial{Call: result(`{"isError":"true"}`)}, Failed, ""},
	})
}

func TestS15_ErrorCode(t *testing.T) {
	check := Check{Type: "error_code", Code: at(int64(-32602))}
	holds(t, []checkCase{
		{"the code", check, Trial{Call: failure(-32602, "bad id")}, Passed, ""},
		{"spelt otherwise", check, Trial{Call: Answer{Error: `{"code":-32602.0}`}}, Passed, ""},
		{"another code", check, Trial{Call: failure(-32601, "no method")}, Failed, "not -32602"},
		{"no code", check, Trial{Call: Answer{Error: `{"message":"x"}`}}, Failed, "without a code"},
		{"an error of the tool", check, Trial{Call: result(notFound)}, Failed, "no JSON-RPC error"},
		{"a result", check, Trial{Call: result(fine)}, Failed, "did not fail"},
	})
}

func TestS16_OutputSchema(t *testing.T) {
	check := Check{Type: "output_schema"}
	tool := listingOf(`{"name":"t","outputSchema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}}}`)
	holds(t, []checkCase{
		{"it fits", check, Trial{Tool: tool, Call: result(`{"structuredContent":{"id":"a"}}`)}, Passed, ""},
		{"it does not", check, Trial{Tool: tool, Call: result(`{"structuredContent":{"id":1}}`)}, Failed, "id is a number (1), not a string"},
		{"it is missing", check, Trial{Tool: tool, Call: result(fine)}, Failed, "has none"},
		{"the schema is broken", check, Trial{Tool: listingOf(`{"outputSchema":{"$ref":"https://example.com/x"}}`), Call: result(fine)}, Unsure, "https://example.com/x"},
	})
}

func TestS23_SkippedProvesNothing(t *testing.T) {
	check := Check{Type: "output_schema"}
	holds(t, []checkCase{
		{"no schema", check, Trial{Tool: listingOf(`{"name":"t"}`), Call: result(fine)}, Skipped, "declares no outputSchema"},
		{"no listing", check, Trial{Call: result(fine)}, Skipped, "in no list"},
		{"the call failed", check, Trial{Tool: listingOf(`{"outputSchema":{"type":"object"}}`), Call: result(notFound)}, Skipped, "failed"},
	})
}

// bodies makes a trial of the structuredContent of pages.
func bodies(list ...string) Trial {
	var t Trial
	for _, body := range list {
		t.Pages = append(t.Pages, result(`{"structuredContent":`+body+`}`))
	}
	t.Call = t.Pages[0]
	return t
}

func TestS17_PaginationTerminates(t *testing.T) {
	check := Check{Type: "pagination_terminates"}
	inText := result(`{"content":[{"type":"text","text":"{\"items\":[],\"nextCursor\":null}"}]}`)
	troubledWalk := bodies(`{"items":[1],"nextCursor":"b"}`)
	troubledWalk.Pages = append(troubledWalk.Pages, troubled())
	failedWalk := bodies(`{"items":[1],"nextCursor":"b"}`)
	failedWalk.Pages = append(failedWalk.Pages, failure(-32602, "bad cursor"))
	observed := bodies(`{"items":[{"id":1}],"nextCursor":"b"}`, `{"items":[{"id":2}],"nextCursor":"b"}`, `{"items":[{"id":3}]}`)
	observed.Observed = true
	holds(t, []checkCase{
		{"one page", check, bodies(`{"items":[{"id":1}]}`), Passed, "one page"},
		{"one page in a text", check, Trial{Call: inText}, Passed, "one page"},
		{"two pages", check, bodies(`{"items":[{"id":1}],"nextCursor":"b"}`, `{"items":[{"id":2}],"nextCursor":""}`), Passed, "page 2"},
		{"the cursor goes round", check, bodies(`{"items":[{"id":1}],"nextCursor":"b"}`, `{"items":[{"id":2}],"nextCursor":"b"}`), Failed, "goes round"},
		{"the server keeps the place", check, observed, Passed, "page 3"},
		{"an item twice", check, bodies(`{"items":[{"id":1}],"nextCursor":"b"}`, `{"items":[{"id":1.0}]}`), Failed, "page 2 has the item"},
		{"an item twice by its id", check, bodies(`{"items":[{"id":1,"n":1}],"nextCursor":"b"}`, `{"items":[{"id":1,"n":2}]}`), Failed, "page 2 has the item"},
		{"twice on one page", check, bodies(`{"items":[{"id":1},{"id":1}],"nextCursor":"b"}`, `{"items":[{"id":2}]}`), Passed, ""},
		{"the same text twice", check, bodies(`{"items":["ok"],"nextCursor":"b"}`, `{"items":["ok"]}`), Unsure, "may be another one"},
		{"it does not end", Check{Type: "pagination_terminates", MaxPages: 2},
			bodies(`{"items":[{"id":1}],"nextCursor":"b"}`, `{"items":[{"id":2}],"nextCursor":"c"}`), Failed, "within 2 pages"},
		{"it was not followed", check, bodies(`{"items":[{"id":1}],"nextCursor":"b"}`), Unsure, "not asked for"},
		{"a page in trouble", check, troubledWalk, Unsure, "of page 2"},
		{"a page that failed", check, failedWalk, Unsure, "page 2 failed"},
		{"two lists", check, bodies(`{"a":[1],"b":[2],"nextCursor":"b"}`, `{"a":[2],"b":[3]}`), Unsure, "needs items"},
		{"two lists and a path", Check{Type: "pagination_terminates", Items: "a"}, bodies(`{"a":[1],"b":[2],"nextCursor":"b"}`, `{"a":[2],"b":[2]}`), Passed, ""},
		{"another cursor", Check{Type: "pagination_terminates", Cursor: "page.next"},
			bodies(`{"items":[{"id":1}],"page":{"next":2}}`, `{"items":[{"id":1}],"page":{"next":null}}`), Failed, "again"},
	})
}

func TestS18_Idempotent(t *testing.T) {
	check := Check{Type: "idempotent"}
	with := func(a, b Answer) Trial { return Trial{Call: a, Again: &b} }
	holds(t, []checkCase{
		{"the same", check, with(result(fine), result(fine)), Passed, ""},
		{"the same as JSON", check, with(result(`{"structuredContent":{"a":1,"b":2},"_meta":{"n":1}}`), result(`{"_meta":{"n":2},"structuredContent":{"b":2.0,"a":1}}`)), Passed, ""},
		{"the same text as JSON", check, with(result(`{"content":[{"type":"text","text":"{\"a\":1,\"b\":2}","_meta":{"n":1}}]}`),
			result(`{"content":[{"type":"text","text":"{\"b\":2,\"a\":1}"}]}`)), Passed, ""},
		{"another time", check, with(result(`{"structuredContent":{"at":"10:00"}}`), result(`{"structuredContent":{"at":"10:01"}}`)), Failed, "another result"},
		{"another text", check, with(result(fine), result(`{"content":[{"type":"text","text":"bad"}]}`)), Failed, "another result"},
		{"then an error", check, with(result(fine), result(notFound)), Failed, "made again, the call failed"},
		{"an error first", check, with(result(notFound), result(notFound)), Unsure, "nothing to compare"},
		{"then trouble", check, with(result(fine), troubled()), Unsure, "made again"},
		{"not made", check, Trial{Call: result(fine)}, Unsure, "not made again"},
	})
}

func TestS19_NoMutation(t *testing.T) {
	check := Check{Type: "no_mutation", Witness: &Plan{Tool: "list"}}
	with := func(a, b Answer) Trial { return Trial{Call: result(fine), Before: &a, After: &b} }
	other := result(`{"content":[{"type":"text","text":"other"}]}`)
	holds(t, []checkCase{
		{"the same", check, with(result(fine), result(fine)), Passed, ""},
		{"another", check, with(result(fine), other), Failed, "another result"},
		{"the witness failed", check, with(result(fine), result(notFound)), Unsure, "the witness failed"},
		{"the witness in trouble", check, with(troubled(), result(fine)), Unsure, "of the witness"},
		{"no witness", check, Trial{Call: result(fine)}, Unsure, "not called"},
	})
	h := check.Judge(&Trial{Call: result(fine), Before: at(result(fine)), After: &other})
	if len(h.Evidence) != 3 {
		t.Errorf("%d calls are shown", len(h.Evidence))
	}
}

func TestS20_MaxItems(t *testing.T) {
	check := Check{Type: "max_items", Path: "data.items", Limit: at(2)}
	guess := Check{Type: "max_items", Limit: at(2)}
	holds(t, []checkCase{
		{"as many", check, Trial{Call: result(`{"structuredContent":{"data":{"items":[1,2]}}}`)}, Passed, "2 items"},
		{"one too many", check, Trial{Call: result(`{"structuredContent":{"data":{"items":[1,2,3]}}}`)}, Failed, "3 items, more than 2"},
		{"in a text", check, Trial{Call: result(`{"content":[{"type":"text","text":"{\"data\":{\"items\":[1,2,3]}}"}]}`)}, Failed, "3 items"},
		{"nothing there", check, Trial{Call: result(`{"structuredContent":{"data":[]}}`)}, Unsure, "no list at"},
		{"the only list", guess, Trial{Call: result(`{"structuredContent":{"n":1,"items":[1,2,3]}}`)}, Failed, "“items” has 3"},
		{"the whole", guess, Trial{Call: result(`{"structuredContent":[1]}`)}, Passed, ""},
		{"two lists", guess, Trial{Call: result(`{"structuredContent":{"a":[],"b":[]}}`)}, Unsure, "needs a path"},
		{"a failure", check, Trial{Call: result(notFound)}, Skipped, "failed"},
	})
}

func TestS21_LatencyUnder(t *testing.T) {
	trial := Trial{Call: result(fine)} // 10 ms
	holds(t, []checkCase{
		{"less", Check{Type: "latency_under", MS: 10.5}, trial, Passed, "10 ms"},
		{"as long", Check{Type: "latency_under", MS: 10}, trial, Failed, "not less than 10"},
		{"longer", Check{Type: "latency_under", MS: 9}, trial, Failed, "not less than 9"},
		{"never", Check{Type: "latency_under", MS: 9}, Trial{Call: troubled()}, Unsure, ""},
	})
}

// On a server whose data is known, every failed check is a real finding: so a failure needs arguments that somebody vouches for.
func TestS24_FailedIsReal(t *testing.T) {
	made := []Arg{{Name: "id", JSON: `"nope"`, Source: "synthesized"}}
	known := []Arg{{Name: "id", JSON: `"ISS-1"`, Source: "harvested"}, {Name: "n", JSON: `1`, Source: "literal"}}
	holds(t, []checkCase{
		{"known", Check{Type: "succeeds"}, Trial{Args: known, Call: result(notFound)}, Failed, ""},
		{"made up", Check{Type: "succeeds"}, Trial{Args: made, Call: result(notFound)}, Unsure, "“id” is synthesized"},
		{"mixed", Check{Type: "succeeds"}, Trial{Args: append(known, made...), Call: result(notFound)}, Unsure, "synthesized"},
		{"made up, and it worked", Check{Type: "succeeds"}, Trial{Args: made, Call: result(fine)}, Passed, ""},
		{"the failure is asked for", Check{Type: "is_error"}, Trial{Args: made, Call: result(notFound)}, Passed, ""},
		{"and does not come", Check{Type: "is_error"}, Trial{Args: made, Call: result(fine)}, Unsure, "synthesized"},
		{"the code is asked for", Check{Type: "error_code", Code: at(int64(-32602))}, Trial{Args: made, Call: failure(-32602, "x")}, Passed, ""},
		{"weak otherwise", Check{Type: "succeeds"}, Trial{Call: result(notFound), Weak: "the agent guessed"}, Unsure, "the agent guessed"},
	})
}

func TestS10_EverySourceIsRead(t *testing.T) {
	for source, ok := range map[string]bool{"harvested": true, "synthesized": true, "literal": true, "told": false, "''": false} {
		_, err := ReadCases(strings.NewReader(wrap("tool: t\nargs: [{name: a, json: '1', source: " + source + "}]\nchecks: [{type: succeeds}]")))
		if (err == nil) != ok {
			t.Errorf("%s: %v", source, err)
		}
	}
}
