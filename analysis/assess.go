package analysis

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

// assess says what the end of a call proves. Trouble that is none of the tool's comes first, then what its schema says, then
// where the arguments came from: the weakest of them decides (S34–S37).
func (j *Judge) assess(e *Exchange) Assessment {
	asked := e.asked()
	switch {
	case !assessed(asked.Method) || e.Method != asked.Method && !failed(e):
		return Assessment{}
	case e.Status == reprise.StatusOK:
		return Assessment{Kind: OK}
	}
	s := suspect{judge: j, call: e, asked: asked}
	return s.assess()
}

// assessed are the methods by which a client uses what a server offers.
func assessed(method string) bool {
	return method == "tools/call" || method == "resources/read" || method == "prompts/get"
}

func failed(e *Exchange) bool { return e.Status != reprise.StatusOK }

// suspect is a failing call under assessment.
type suspect struct {
	judge *Judge
	call  *Exchange // that failed
	asked *Exchange // whose arguments count
	said  string    // the failure's own words
	plain string    // without what the call brought into them
}

func (s *suspect) assess() Assessment {
	s.said = s.call.Said()
	s.plain = apart(s.said, s.asked)
	if reason := troubleOf(s.call, s.asked, s.said); reason != "" {
		return s.untestable(reason)
	}
	if reason := s.unread(); reason != "" {
		return s.untestable(reason)
	}
	if s.disowned() {
		return s.confirmed("the server has listed it, and denies that it is there", s.listed())
	}
	switch reason, seen := s.unknown(); {
	case !seen:
		return s.untestable(reason)
	case reason != "":
		return s.rejected(reason)
	}
	a := s.weigh()
	if reason := s.excused(); reason != "" && a.Kind == ConfirmedDefect {
		return s.untestable(reason)
	}
	return a
}

// unread says why the call can't be looked at, "" where it can.
func (s *suspect) unread() string {
	switch {
	case s.judge.report.Session.MetadataOnly:
		return "the session holds methods and times only"
	case (s.call.Flags|s.asked.Flags)&(reprise.FlagCut|reprise.FlagTooDeep) != 0:
		return "only the beginning of its message was looked at"
	case s.asked.Flags&(reprise.FlagDuplicate|reprise.FlagCase) != 0:
		return "its request may be read in two ways"
	}
	return ""
}

// disowned says whether the server does not know a tool or prompt by the name that it has listed itself.
func (s *suspect) disowned() bool {
	if s.call.Status != reprise.StatusError && s.asked.Method == "prompts/get" || s.listed() == 0 || s.asked.outdated {
		return false
	}
	if !strings.Contains(s.said, s.asked.Name) {
		return false
	}
	name := regexp.QuoteMeta(s.asked.Name)
	pattern, err := regexp.Compile(`(?i)^\W*(?:\w+ ?error\W+)?(?:(?:unknown|no such|unrecogni[sz]ed|invalid) (?:tool|prompt)(?: name)?\W*` + name +
		`|(?:tool|prompt)\W*` + name + `\W*(?:was |is |does |do )?(?:not found|not exist|not registered|not recogni[sz]ed|unknown)|` + name + `\W*(?:is )?not a (?:known|valid) (?:tool|prompt)|(?:tool|prompt) not found\W*` + name + `)\W*$`)
	return err == nil && pattern.MatchString(strings.TrimSpace(s.said))
}

// listed is the seq of the list that the call's name comes from, 0 without one.
func (s *suspect) listed() int64 {
	switch {
	case s.asked.Listing != nil:
		return s.asked.Listing.Seq
	case s.asked.Method == "prompts/get":
		return s.judge.catalog.prompts[s.asked.Name].seq
	}
	return 0
}

// unknown says why the declared schema excludes the arguments, or, when it was not seen, why.
func (s *suspect) unknown() (reason string, seen bool) {
	switch s.asked.Method {
	case "resources/read":
		return "", true
	case "prompts/get":
		return s.prompt()
	}
	t := s.asked.Listing
	switch {
	case t == nil:
		return "its schema was not seen: the tool is in no list that the session shows", false
	case s.asked.outdated:
		return "its schema may be another one: the server has said that its tools have changed, and they were not listed since", false
	case t.Twice:
		return "its schema is not known: the tool is listed twice, and differently", false
	}
	input, err := t.Input()
	switch {
	case err != nil:
		return "its inputSchema can't be read", false
	case input == nil:
		return "it declares no inputSchema", false
	}
	problems := input.CheckStrictly(s.asked.Arguments())
	switch {
	case len(problems) == 0:
		return "", true
	case strings.Contains(s.asked.Params, placeholder):
		return "its arguments are masked", false
	}
	return excludes(problems[0]), true
}

// placeholder begins what the redactor puts in a secret's place.
const placeholder = "«redacted:"

// excludes says in words what the schema has against the arguments.
func excludes(p Problem) string {
	if p.Path == "" {
		return "the declared schema excludes its arguments: " + p.Message
	}
	return fmt.Sprintf("the declared schema excludes its %s: %s", p.Path, p.Message)
}

// prompt says what a prompt's declaration has against the arguments.
func (s *suspect) prompt() (reason string, seen bool) {
	p, ok := s.judge.catalog.prompts[s.asked.Name]
	if !ok {
		return "what it takes was not seen: the prompt is in no list that the session shows", false
	}
	given := gjson.Parse(s.asked.Arguments())
	for _, name := range p.required {
		if !reprise.Member(given.Raw, name).Exists() {
			return "its declaration asks for the argument " + name, true
		}
	}
	return "", true
}

// excused says which state or relation the server speaks of that the session need not show.
func (s *suspect) excused() string {
	if reason := find(states(), s.plain); reason != "" {
		return reason
	}
	switch {
	case s.judge.unsafe > s.asked.Seq || s.judge.writing > 0:
		return "a call that may write ran at the same time, or may still run"
	case s.judge.declined > s.asked.Seq || declines(s.asked.Params):
		return "the user declined what the server asked in between"
	case !s.blames():
		return "the failure gives a reason that the session cannot check"
	}
	return ""
}

// weigh weighs the arguments' sources.
func (s *suspect) weigh() Assessment {
	if reason := s.unsourced(); reason != "" {
		return s.untestable(reason)
	}
	var births []*entry
	promised := false
	for _, u := range s.asked.Uses {
		reason, birth := s.weak(u)
		if reason != "" {
			return s.untestable(reason)
		}
		if birth != nil {
			births = append(births, birth)
		}
		promised = promised || u.Ground == reprise.GroundEnum || u.Ground == reprise.GroundConst
	}
	if reason := s.apart(); reason != "" {
		return s.untestable(reason)
	}
	if len(births) > 0 {
		return s.given(births)
	}
	return s.unborn(promised)
}

// given is the assessment of a call that was given back what the server itself had said.
func (s *suspect) given(births []*entry) Assessment {
	last := slices.MaxFunc(births, func(a, b *entry) int { return int(a.response - b.response) })
	since := max(s.asked.Started-last.ended, 0).Round(time.Millisecond)
	return s.confirmed(fmt.Sprintf("it failed on what %s had given %s before", last.tool, since), last.seq, last.response)
}

// unborn is the assessment of a call of which no argument comes from a result. Then it is the schema alone that promises anything: a value that it lists.
func (s *suspect) unborn(promised bool) Assessment {
	switch {
	case internals().MatchString(s.plain):
		return s.confirmed("it broke on arguments that its schema allows", s.listed())
	case !promised:
		return s.untestable("it has no argument whose origin could prove anything")
	case s.speaksOfArguments():
		return s.confirmed("it failed on values that its schema lists", s.listed())
	}
	return s.untestable("it has no argument from a result, and the failure does not speak of those that its schema lists")
}

// speaksOfArguments says whether a failure denies one of the arguments: its value, or the parameter by its name.
func (s *suspect) speaksOfArguments() bool { return s.deniesValue() }

// declines says whether a further round of a call brings the user's no.
func declines(params string) (no bool) {
	reprise.Member(params, "inputResponses").ForEach(func(_, answer gjson.Result) bool {
		action := reprise.Member(answer.Raw, "action")
		no = no || action.Exists() && action.String() != "accept"
		return true
	})
	return no
}

// unsourced says whether the source of an argument is missing: each member of the arguments has one at least.
func (s *suspect) unsourced() (reason string) {
	if s.asked.Method == "resources/read" {
		if len(s.asked.Uses) == 0 {
			return "where its arguments came from is not known"
		}
		return ""
	}
	gjson.Parse(s.asked.Arguments()).ForEach(func(key, _ gjson.Result) bool {
		path := reprise.PathMember("", key.Str)
		has := func(u *reprise.Use) bool { return strings.HasPrefix(u.Path, path) }
		if !slices.ContainsFunc(s.asked.Uses, has) || len(s.asked.Uses) >= reprise.MaxUses {
			reason = "where its arguments came from is not known"
		}
		return reason == ""
	})
	return reason
}

func (s *suspect) untestable(reason string) Assessment {
	return Assessment{Kind: Untestable, Reason: reason, Evidence: s.evidence()}
}

func (s *suspect) rejected(reason string) Assessment {
	return Assessment{Kind: RightlyRejected, Reason: reason, Evidence: s.evidence(s.listed())}
}

func (s *suspect) confirmed(reason string, seqs ...int64) Assessment {
	return Assessment{Kind: ConfirmedDefect, Reason: reason, Evidence: s.evidence(seqs...)}
}

// evidence are seqs and those of the call, in order.
func (s *suspect) evidence(seqs ...int64) []int64 {
	return merged(nil, append(seqs, s.asked.Seq, s.call.Seq, s.call.Response))
}
