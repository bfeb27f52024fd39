package analysis

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"reprise"

	"github.com/tidwall/gjson"
)

// maxSaid is how much of a failure's words is read.
const maxSaid = 8 << 10

// said is what a failure says in words.
func said(result, failure string) string {
	var b strings.Builder
	add := func(text string) {
		if room := maxSaid - b.Len(); room > 0 && text != "" {
			b.WriteString(strings.ToValidUTF8(text[:min(len(text), room)], "�"))
			b.WriteByte('\n')
		}
	}
	if failure != "" {
		add(reprise.Member(failure, "message").String())
		if data := reprise.Member(failure, "data"); data.Exists() {
			add(data.String())
		}
	}
	reprise.Member(result, "content").ForEach(func(_, block gjson.Result) bool {
		add(reprise.Member(block.Raw, "text").String())
		return b.Len() < maxSaid
	})
	if b.Len() == 0 && result != "" {
		add(reprise.Member(result, "structuredContent").Raw)
	}
	return b.String()
}

// excuse is a reason for a failure that lies outside of the call's arguments.
type excuse struct {
	reason string
	words  *regexp.Regexp
}

// troubles are the failures of everything but the tool: of the way to the server or from it to what it stands for, of the harness, of
// rights and of time (S3, S49). Their words are those of the servers and libraries that are in use.
var troubles = sync.OnceValue(func() []excuse {
	return []excuse{
		{"the server speaks of a limit on how often it may be asked", words(`rate.?limit|too many requests|429|quota|throttl\w*|overloaded|slow down`)},
		{"the server speaks of a permission that is missing", words(`permissions?|not permitted|forbidden|unauthori[sz]ed|not authori[sz]ed|authori[sz]ation|authenticat\w+|access (?:is )?denied|40[137]|eacces|eperm|credentials?|log(?:ged)? ?in|sign(?:ed)? ?in|(?:invalid|expired|missing|bad) (?:api.?key|token)|token (?:has |is )?(?:expired|invalid|revoked)|api.?key|insufficient \w+|outside (?:of )?(?:the )?allowed\b.*|not allowed|consent|approval|payment required|licen[cs]e|subscription`)},
		{"the server speaks of a time that ran out", words(`time[ds]?.?out|deadline exceeded|etimedout|took too long`)},
		{"the server speaks of a connection that failed", words(`econn\w+|enotfound|epipe|eai_again|enetunreach|connection (?:was |is )?(?:refused|reset|closed|lost|aborted|error|failed)|cannot connect|could not connect|failed to connect|unable to connect|network|socket|fetch failed|(?:service|temporarily|currently) unavailable|bad gateway|50[234]|no such host|getaddrinfo|unreachable|offline|dns|certificate|tls handshake`)},
		{"the server does not say what went wrong", words(`(?:unknown|unspecified) (?:error|failure|exception)|unexpected (?:error|exception|failure) (?:has )?occurred|something went wrong|an error (?:has )?occurred|no valid session|session (?:id|not found|expired)`)},
		{"the server speaks of its surroundings", words(`enospc|no space left|disk (?:is )?full|out of memory|enomem|emfile|too many open files|(?:is|are) (?:locked|busy)|ebusy|resource busy|try again|maintenance|environment variables?|not configured|missing (?:configuration|config)|not installed|command not found`)},
		{"the call was cancelled or refused by the user or the client", words(`cancell?ed|cancell?ation|abort(?:ed)?|declined?|(?:denied|rejected|refused) by (?:the )?(?:user|client)|user (?:has )?(?:denied|rejected|refused|declined)|client (?:does not|doesn't|cannot) support|not supported by (?:the )?client|elicitation|sampling (?:is )?not`)},
	}
})

// states are failures that speak of a state or of a relation which the session need not show: the arguments may be right, and the
// server too.
var states = sync.OnceValue(func() []excuse {
	return []excuse{
		{"the server speaks of a state that the session does not show", words(`already|no longer|no (?:active|open|opened|current|selected|running|pending|matching)|not (?:yet|open|opened|ready|running|started|connected|initiali[sz]ed|loaded|enabled|available|active|mounted|attached|selected|logged|published|complete|completed|finished)|uninitiali[sz]ed|(?:call|use|run|open|create|start|connect|navigate|select|initiali[sz]e|load|set|add|do)\b.{0,60}\bfirst|before (?:you|calling|using|this|it|the)|still|in progress|conflicts?|nothing to|is empty|disabled|(?:is|was|been|were|are) (?:closed|archived|deleted|removed|expired|locked|resolved|merged|completed|revoked)|archived|expired|read.?only|invalid state|wrong state|state|40[259]|41[0-8]|42[2-8]|451`)},
		{"the server says that it is a thing of another kind", words(`is a directory|eisdir|not a directory|enotdir|not a file|not a regular file|wrong type|is not an? (?:file|directory|folder|document|page|image)`)},
		{"the server says that the values do not belong together", words(`(?:does not|doesn't|do not|don't) belong|belongs to|not (?:part|a member|associated|assigned)|mismatch\w*|different (?:project|owner|parent|\w+)`)},
	}
})

func words(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

// find gives the reason of the first excuse that a text has the words of.
func find(excuses []excuse, text string) string {
	for _, x := range excuses {
		if x.words.MatchString(text) {
			return x.reason
		}
	}
	return ""
}

// outside gives the reason of the first excuse whose words stand in a text, and not within what the call brought into it: a rate limit, and no
// parameter called limit; no issue called network-timeout.
func outside(excuses []excuse, text string, brought []span) string {
	for _, x := range excuses {
		for _, m := range x.words.FindAllStringIndex(text, maxPairs) {
			within := func(s span) bool { return s.from <= m[0] && m[1] <= s.to }
			if !slices.ContainsFunc(brought, within) {
				return x.reason
			}
		}
	}
	return ""
}

// troubleOf says what else than the tool a call's end may be due to, "" where nothing says so. asked is the call whose arguments count.
func troubleOf(e, asked *Exchange, text string) string {
	switch e.Status {
	case reprise.StatusCancelled:
		return "it was cancelled before an answer came"
	case reprise.StatusLost:
		return "the server went away before it answered"
	case reprise.StatusUnanswered, reprise.StatusOpen:
		return "the session ended before an answer came"
	}
	if e.Code != nil {
		if reason := codes[*e.Code]; reason != "" {
			return reason
		}
	}
	return outside(troubles(), text, brought(text, asked))
}

// codes are JSON-RPC errors that are not about what a tool does (protocol.md §1, §3.2).
var codes = map[int64]string{
	-32700: "the server could not read the message",
	-32600: "the server found the message to be no request",
	-32020: "the transport's headers did not fit the request",
	-32021: "the client lacks a capability that the tool needs",
	-32022: "the server does not speak this version of the protocol",
	-32042: "the user has to visit an address first",
	-32800: "it was cancelled before an answer came",
	-1:     "the user refused",
}

// span is a stretch of a text that a call brought into it: a value of its arguments, or the name of a parameter or of its tool.
type span struct {
	from, to int
	by       string // what apart puts there
}

// brought finds what a call brought into the words of its failure, in order. Of what overlaps the longest counts.
func brought(text string, e *Exchange) (list []span) {
	add := func(word, by string) {
		if len(word) < 3 || len(word) > 256 {
			return
		}
		for at := 0; len(list) < 4*maxPairs; {
			i := strings.Index(text[at:], word)
			if i < 0 {
				return
			}
			list = append(list, span{at + i, at + i + len(word), by})
			at += i + len(word)
		}
	}
	for _, u := range e.Uses[:min(len(e.Uses), maxPairs)] {
		if value := gjson.Parse(u.JSON); value.Type == gjson.String {
			add(value.Str, mark)
		} else {
			add(u.JSON, mark)
		}
	}
	add(e.Name, " ")
	if e.Listing != nil {
		for _, p := range e.Listing.Parameters() {
			add(p.Name, part)
		}
	}
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	return list
}

// apart is what a failure says without what the call brought into it: an issue called Timeout is no time that ran out.
func apart(text string, e *Exchange) string {
	var b strings.Builder
	at := 0
	for _, s := range brought(text, e) {
		if s.from < at {
			continue
		}
		b.WriteString(text[at:s.from])
		b.WriteString(s.by)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// maxPairs is how many arguments of a call are looked at one by one.
const maxPairs = 64
