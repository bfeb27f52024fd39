package reprise

import (
	"slices"
	"strings"
	"unicode"
)

// What names say: the key of a member, the name of a container, the name of a tool. All of it is a
// reading of English words, so it only ever weighs in where a name is all there is.

// keyInfo is what the name of a member says about its value.
type keyInfo struct {
	name string // the key itself
	raw  string // its token, where it stood in JSON
	norm string // for comparing keys: lower case, no separators, singular
	// entity is what a value under this key identifies: issueId, issue_id, issueKey → issue.
	entity string
	// identifies says that a value under this key names something: id, key, uuid, issueId.
	identifies bool
	// plain says that the key is no more than that (id, name), so that its surroundings say what it identifies.
	plain bool
	// bare is the noun of a key that is no more than that: project, projects → project.
	// It counts where the session knows it as an entity.
	bare string
	// inside is what the members of a container of this name belong to: issues → issue. It is "" where
	// the name says nothing (items, data) and nobody where it says a role (assignee, parent).
	inside string
	// shaped says that the key itself is an identifier: {"ISS-1": {…}}.
	shaped bool

	follow *keyInfo // the member that stood behind it last time
	noun   bool     // bare was an entity when nouns entities were known
	nouns  int
}

// nobody is the inside of a container whose name is a role: its members belong to an entity that is not known.
const nobody = "-"

var (
	// idWords end the keys that identify.
	idWords = set("id ids uid uids oid eid pk uuid uuids guid guids key keys slug slugs number numbers no num code codes sha hash ref uri uris url urls name names identifier identifiers handle")
	// looks say how a name or address looks, not whose it is.
	looks = set("display full first last short long middle given family nick avatar html web api self next previous prev default base external internal public private icon image logo title status error exit http line page zip postal phone")
	// wrappers hold what a tool gives and do not say what it is.
	wrappers = set("item result response data value entry record row list node edge hit object content payload body page output match element found all attribute field property info detail summary meta metadata collection resultset set batch")
	// roles are played by an entity that has another name.
	roles = set("assignee author owner creator reporter lead reviewer member participant contact parent child sibling source target origin destination sender recipient from to previous next current root self subject related linked created updated by actor manager maintainer committer requester approver watcher follower editor admin head base primary secondary default other")
	// cursors continue a list.
	cursors = set("cursor pagetoken nexttoken continuationtoken nextpagetoken nextcursor endcursor startcursor pagecursor")
	// verbs stand in the names of tools, before or behind the noun.
	verbs = set("list get read search find create update delete remove add set fetch query show describe count open close assign unassign move copy start stop run execute exec send post put patch cancel archive unarchive restore lookup browse export import sync check validate edit write save load rename upload download insert upsert merge submit approve reject publish unpublish enable disable retrieve view make new destroy drop clear reset toggle subscribe unsubscribe wait watch call invoke")
	// fillers say how much or what of a noun.
	fillers = set("all detail details info data item items result results status batch bulk many one recent current my full raw single multiple list page paged by id ids name names content contents")
	// joints begin the part of a tool's name that is about something else.
	joints = set("by for in from of to with on at into as via and or")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// longKey is how much of a member's name is read.
const longKey = 256

// readKey reads the name of a member.
func readKey(key string) *keyInfo {
	k := &keyInfo{name: cutText(key, maxPath), shaped: len(key) <= 64 && shapeOf(key).identifies()}
	if len(key) > longKey {
		key = strings.Clone(key[:longKey]) // the words are parts of it, and would hold all of it
	}
	words := splitWords(key)
	k.norm = normal(words)
	if i := slices.Index(words, "or"); i > 0 {
		words = words[:i] // issueIdOrKey
	}
	if k.shaped || len(words) == 0 {
		return k
	}
	last := words[len(words)-1]
	if !idWords[last] { // in ids the elements are, nothing stands in them
		k.inside = insideOf(words)
	}
	switch {
	case cursors[k.norm] || last == "cursor":
		k.entity, k.identifies = "cursor", true
	case idWords[last] && len(words) == 1:
		k.identifies, k.plain = true, true
	case idWords[last]:
		before := noun(words[:len(words)-1])
		if looks[before] {
			break // displayName, html_url, page_number
		}
		k.identifies = true
		if !roles[before] && !wrappers[before] {
			k.entity = before
		}
	case !roles[singular(last)] && !wrappers[singular(last)]:
		k.bare = noun(words)
	}
	return k
}

// noun is the entity that words end in, by the name that its short forms share.
func noun(words []string) string {
	last := singular(words[len(words)-1])
	if n := len(words); last == "request" && n > 1 && (words[n-2] == "pull" || words[n-2] == "merge") {
		return words[n-2] + " request"
	}
	if long, ok := shortForms[last]; ok {
		return long
	}
	return last
}

// shortForms are what names call an entity for short, or otherwise.
var shortForms = map[string]string{"repo": "repository", "org": "organization", "organisation": "organization", "proj": "project", "doc": "document",
	"env": "environment", "app": "application", "db": "database", "msg": "message", "pr": "pull request", "pull": "pull request", "mr": "merge request",
	"conv": "conversation", "acct": "account", "cat": "category", "img": "image", "config": "configuration", "dir": "directory", "folder": "directory",
	"ns": "namespace", "svc": "service", "tx": "transaction", "txn": "transaction", "usr": "user", "cust": "customer", "emp": "employee", "inv": "invoice",
	"sub": "subscription", "ws": "workspace", "wf": "workflow", "state": "status", "col": "column", "tbl": "table", "lib": "library", "pkg": "package"}

func insideOf(words []string) string {
	switch last := singular(words[len(words)-1]); {
	case wrappers[last]:
		return ""
	case roles[last]:
		return nobody
	}
	return noun(words)
}

// toolNoun is the entity that a tool's name is about: list_issues, getIssue, issues.search → issue. It is
// "" when the name has none: run, move_to, wait_for_change. space is the word that all tools of the server begin with, if any:
// git_show is not about a git.
func toolNoun(name, space string) string {
	words := splitWords(name)
	alone := len(words) == 1
	if space != "" && len(words) > 1 && words[0] == space {
		words = words[1:]
	}
	if i := slices.IndexFunc(words, func(w string) bool { return joints[w] }); i >= 0 {
		words, alone = words[:i], alone || i == 1
	}
	for len(words) > 0 && (verbs[words[len(words)-1]] || fillers[words[len(words)-1]]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return ""
	}
	last := words[len(words)-1]
	one := singular(last)
	haystack := words[0] == "search" || words[0] == "query" // search_gmail is about what stands there
	if (alone || haystack) && one == last || wrappers[one] || roles[one] {
		return "" // one word in the singular is more often a verb: echo, summarize
	}
	return strings.Clone(noun(words))
}

// normal spells a key so that ids and id, issueId and issue_id are the same.
func normal(words []string) string {
	if len(words) == 0 {
		return ""
	}
	last := len(words) - 1
	return strings.Join(words[:last], "") + singular(words[last])
}

// splitWords cuts a name where its style does: at separators and before capitals.
func splitWords(name string) []string {
	var words []string
	begin := -1
	end := func(i int) {
		if begin >= 0 {
			words = append(words, strings.ToLower(name[begin:i]))
		}
		begin = -1
	}
	var before rune
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case begin < 0:
			begin = i
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsDigit(before) || startsWord(name[i:])):
			end(i)
			begin = i
		}
		before = r
	}
	end(len(name))
	return words
}

// startsWord says whether a capital begins a word in the middle of capitals: the P of HTTPPath, not the D of issueIDs.
func startsWord(rest string) bool {
	return len(rest) > 2 && unicode.IsLower(rune(rest[1])) && rest[1:] != "s" && !strings.HasPrefix(rest[1:], "s_")
}

var irregular = map[string]string{"analyses": "analysis", "axes": "axis", "crises": "crisis", "heroes": "hero", "children": "child", "people": "person", "indices": "index", "vertices": "vertex",
	"matrices": "matrix", "statuses": "status", "aliases": "alias", "buses": "bus", "ids": "id", "series": "series", "news": "news", "lens": "lens",
	"movies": "movie", "cookies": "cookie", "caches": "cache"}

// singular is the English singular of a lower-case noun, as far as endings tell.
func singular(word string) string {
	if s, ok := irregular[word]; ok {
		return s
	}
	n := len(word)
	switch {
	case n < 4 || word[n-1] != 's':
		return word
	case strings.HasSuffix(word, "ies"):
		return word[:n-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "shes"), strings.HasSuffix(word, "ches"),
		strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "zes"):
		return word[:n-2]
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
		return word
	}
	return word[:n-1]
}

// relate compares the entity that an argument asks for with a value's.
func relate(argument, value string) Relation {
	switch {
	case argument == "" || value == "":
		return RelationUnknown
	case argument == value:
		return RelationSame
	case argument == "cursor" || value == "cursor":
		return RelationUnknown // the last id of a page continues many a list
	}
	return RelationOther
}

// keys remembers what names say. It forgets all when it is full: what a name says does not change.
type keys struct {
	known map[string]*keyInfo
}

const maxKeys = 4096

// of reads a member's name from its token, quotes and all.
func (k *keys) of(raw string) *keyInfo {
	if info := k.known[raw]; info != nil {
		return info
	}
	info := readKey(strings.Clone(unquote(raw)))
	if len(raw) > longKey {
		return info
	}
	info.raw = strings.Clone(raw)
	return k.add(info.raw, info)
}

// named reads a name that is no token.
func (k *keys) named(name string) *keyInfo {
	if info := k.known[name]; info != nil {
		return info
	}
	name = strings.Clone(name)
	return k.add(name, readKey(name))
}

func (k *keys) add(name string, info *keyInfo) *keyInfo {
	if len(name) > 256 {
		return info
	}
	if k.known == nil || len(k.known) >= maxKeys {
		k.known = map[string]*keyInfo{}
	}
	k.known[name] = info
	return info
}
