package replay

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"reprise"
)

// loss is an identifier that a skipped call would have made, or was given: then it may have changed what that identifies.
type loss struct {
	text    string
	today   string // what it is today, as far as that is known
	entity  string
	by      *exchange
	changed bool
}

// excuse looks for the reason of a change among the calls that were not made. What one of them would have made, or was to
// change, can't be judged without it; but what is only to be changed has to be there.
func (v *verifier) excuse(o *exchange, c *Verified) {
	if len(c.Changed) == 0 {
		return
	}
	fails := o.fails()
	for i := range v.lost {
		lost := &v.lost[i]
		switch {
		case lost.by.rec.Seq > o.rec.Response || lost.changed && fails || !v.shows(o, lost):
			continue
		case lost.changed:
			c.dependOn(lost.by, "shows what seq %d may have changed")
		default:
			c.dependOn(lost.by, "shows what seq %d made")
		}
		return
	}
}

func (c *Verified) dependOn(o *exchange, reason string) {
	c.Class, c.Skip, c.Reason = "", SkipDepends, fmt.Sprintf(reason, o.rec.Seq)
}

// fails says whether a call fails today that did not: with an error, or a result that says so.
func (o *exchange) fails() bool {
	failed := func(result, err string) bool {
		return err != "" || reprise.Member(result, "isError").Type == gjson.True
	}
	return failed(o.got, o.gotErr) && !failed(o.result, o.err)
}

// losses are those of all skipped calls, what they would have made first.
func (v *verifier) losses() (made []loss) {
	if !slices.ContainsFunc(v.s.ops, func(o *exchange) bool { return o.state == opSkipped }) {
		return nil
	}
	k := v.knowledge()
	for _, value := range v.s.made {
		maker := v.s.byPlace[place{value.CallSeq, value.CallIndex}]
		if maker == nil || maker.state != opSkipped || value.Echo || isWordOnly(value.Key, value.JSON) || k.knew(maker, value) {
			continue
		}
		made = append(made, v.loss(maker, value.JSON, value.Entity, false))
	}
	var changed []loss
	for _, o := range v.s.ops {
		if o.state != opSkipped || o.rec.Method != "tools/call" {
			continue
		}
		for _, u := range v.s.uses[place{o.rec.Seq, o.rec.Index}] {
			switch l := v.loss(o, u.JSON, u.ValueEntity, true); {
			case !names(u):
			case makes(o.rec.Name) && u.ValueN == 0 && !k.showed(l.text, o.rec.Seq):
				l.changed = false
				made = append(made, l)
			default:
				changed = append(changed, l)
			}
		}
	}
	return append(made, changed...)
}

// names says whether an argument names what a call is about: an identifier, or the path of a file.
func names(u *reprise.Use) bool {
	path := strings.Contains(u.JSON, "/") || strings.Contains(u.JSON, `\\`)
	return u.Identifies() || path && u.JSON[0] == '"' && !strings.Contains(u.JSON, " ")
}

func (v *verifier) loss(by *exchange, json, entity string, changed bool) loss {
	text := strings.Trim(json, `"`)
	return loss{text, v.s.bindings.Translate(text), entity, by, changed}
}

// makes says whether a tool seems to make what its arguments name, as write_file does. Only the blame for an error depends on it:
// what may be called, no name ever says.
func makes(tool string) bool {
	words := strings.FieldsFunc(strings.ToLower(tool), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(makingVerbs, word) }) ||
		slices.ContainsFunc(makingVerbs, func(verb string) bool { return len(verb) > 3 && strings.HasPrefix(strings.ToLower(tool), verb) })
}

var makingVerbs = []string{"add", "clone", "copy", "create", "generate", "import", "init", "insert", "make", "mkdir", "move", "new", "open",
	"put", "register", "rename", "save", "store", "upload", "write"}

// isWordOnly says whether a value is a mere word or number that identifies nothing: the status open, a count of 3.
func isWordOnly(key, json string) bool {
	u := reprise.Use{Path: reprise.PathMember("", key), JSON: json}
	return !u.Identifies() && !strings.ContainsFunc(strings.Trim(json, `"`), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || json[0] != '"')
	})
}

// knowledge is what the calls that were made today show, and what the client brought with it: nobody had to make that.
type knowledge struct {
	v     *verifier
	first map[string]int64            // where a text stands first
	rows  map[string][]*reprise.Value // of calls that were made, by JSON
	own   map[string]int64            // JSON that the client did not have from the server
}

func (v *verifier) knowledge() *knowledge {
	k := &knowledge{v, map[string]int64{}, map[string][]*reprise.Value{}, map[string]int64{}}
	for _, value := range v.s.made {
		switch o := v.s.byPlace[place{value.CallSeq, value.CallIndex}]; {
		case o == nil:
		case o.state == opAnswered:
			k.rows[value.JSON] = append(k.rows[value.JSON], value)
		case o.state == opSkipped && len(value.JSON) > shortest && value.JSON[0] == '"':
			k.first[strings.Trim(value.JSON, `"`)] = never64
		}
	}
	for _, o := range v.s.ops {
		for _, u := range v.s.uses[place{o.rec.Seq, o.rec.Index}] {
			if o.state == opSkipped && names(u) {
				k.first[strings.Trim(u.JSON, `"`)] = never64
			}
			if _, twice := k.own[u.JSON]; !twice && u.ValueN == 0 && means(u) {
				k.own[u.JSON] = u.Seq
			}
		}
	}
	k.look()
	return k
}

const never64 = 1<<63 - 1

// means says whether an argument means itself wherever it stands.
func means(u *reprise.Use) bool { return u.JSON != "" && u.JSON[0] == '"' || u.Identifies() }

// knew says whether a value was there before the call that shows it.
func (k *knowledge) knew(maker *exchange, made *reprise.Value) bool {
	given := slices.ContainsFunc(k.v.s.uses[place{maker.rec.Seq, maker.rec.Index}], func(u *reprise.Use) bool {
		return u.JSON == made.JSON && means(u)
	})
	if seq, own := k.own[made.JSON]; given || own && seq < made.Seq {
		return true
	}
	if made.JSON[0] == '"' && k.showed(strings.Trim(made.JSON, `"`), maker.rec.Seq) {
		return true
	}
	return slices.ContainsFunc(k.rows[made.JSON], func(row *reprise.Value) bool {
		same := row.Entity == made.Entity || (row.Entity == "" || made.Entity == "") && row.Key == made.Key
		return row.Seq < made.Seq && same
	})
}

// showed says whether a call that was made today shows a text before a place.
func (k *knowledge) showed(text string, seq int64) bool {
	at, looked := k.first[text]
	return looked && at < seq
}

// look finds where the texts stand first, in one pass.
func (k *knowledge) look() {
	byWord := map[string][]string{}
	for text := range k.first {
		if at := strings.IndexFunc(text, isWordRune); at >= 0 {
			word := text[at:wordEnd(text, at)]
			byWord[word] = append(byWord[word], text)
		}
	}
	for _, o := range k.v.s.ops {
		if o.state == opAnswered {
			k.read(byWord, o.params, o.rec.Seq)
			k.read(byWord, o.reply, o.rec.Response)
		}
	}
}

func (k *knowledge) read(byWord map[string][]string, message string, seq int64) {
	for at := 0; at < len(message); {
		if !isWord(message[at]) {
			at++
			continue
		}
		end := wordEnd(message, at)
		for _, text := range byWord[message[at:end]] {
			from := at - strings.IndexFunc(text, isWordRune)
			if from >= 0 && k.first[text] > seq && standsAt(message, text, from) {
				k.first[text] = seq
			}
		}
		at = end
	}
}

func wordEnd(text string, at int) int {
	for at < len(text) && isWord(text[at]) {
		at++
	}
	return at
}

func isWordRune(r rune) bool { return r >= utf8.RuneSelf || isWord(byte(r)) }

// standsAt says whether a text stands at a place in a message, not as a part of a longer word.
func standsAt(message, text string, from int) bool {
	end := from + len(text)
	return strings.HasPrefix(message[from:], text) &&
		(from == 0 || !isWord(message[from-1]) || !isWord(text[0])) && (end == len(message) || !isWord(message[end]) || !isWord(text[len(text)-1]))
}

// shortest is how long a value has to be to mean itself wherever it stands.
const shortest = 3

// shows says whether a lost value stands in a call, as it was recorded or as it is today. Short ones stand
// anywhere: they count where the place says what they are.
func (v *verifier) shows(o *exchange, l *loss) bool {
	if len(l.text) >= shortest {
		return holdsWord(o.reply, l.text) || holdsWord(o.params, l.text) || holdsWord(o.gotText, l.today)
	}
	for _, u := range v.s.uses[place{o.rec.Seq, o.rec.Index}] {
		if strings.Trim(u.JSON, `"`) == l.text && u.Identifies() && sameEntity(u.ValueEntity, l.entity) {
			return true
		}
	}
	for _, value := range v.s.born[place{o.rec.Response, o.rec.ResponseIndex}] {
		if strings.Trim(value.JSON, `"`) == l.text && !sameEntity(value.Entity, l.entity) {
			return false
		}
	}
	return l.standsIn("", gjson.Parse(o.result), 0) || l.standsIn("", gjson.Parse(o.got), 0)
}

func sameEntity(a, b string) bool { return a == b || a == "" || b == "" }

// maxEmbedded is how often JSON in a string in JSON is followed.
const maxEmbedded = 3

// standsIn says whether a short value stands in JSON under a key of an identifier, or in a text behind a word that says
// what it is: issue #42.
func (l *loss) standsIn(key string, value gjson.Result, embedded int) (stands bool) {
	if value.IsObject() || value.IsArray() {
		value.ForEach(func(k, inside gjson.Result) bool {
			if value.IsArray() {
				k.Str = key
			}
			stands = l.standsIn(k.Str, inside, embedded)
			return !stands
		})
		return stands
	}
	if text := strings.TrimSpace(value.Str); embedded < maxEmbedded && text != "" && (text[0] == '{' || text[0] == '[') && gjson.Valid(text) {
		return l.standsIn(key, gjson.Parse(text), embedded+1)
	}
	if text := value.String(); text == l.text || text == l.today {
		u := reprise.Use{Path: reprise.PathMember("", key), JSON: value.Raw}
		return u.Identifies()
	}
	return value.Type == gjson.String && l.isNamedIn(value.Str)
}

func (l *loss) isNamedIn(text string) bool {
	for at := strings.Index(text, l.text); at >= 0; {
		if standsAt(text, l.text, at) {
			before := strings.TrimRight(text[:at], " #:=/\"'([")
			word := strings.TrimSuffix(strings.ToLower(before[strings.LastIndexFunc(before, func(r rune) bool { return !isWordRune(r) })+1:]), "s")
			if at > 0 && text[at-1] == '#' || word == "id" || word != "" && word == l.entity {
				return true
			}
		}
		next := strings.Index(text[at+1:], l.text)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// holdsWord says whether a word stands in a text, not as a part of a longer one.
func holdsWord(text, word string) bool {
	for {
		i := strings.Index(text, word)
		if i < 0 {
			return false
		}
		end := i + len(word)
		if (i == 0 || !isWord(text[i-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
		text = text[end:]
	}
}

func isWord(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b >= utf8.RuneSelf
}
