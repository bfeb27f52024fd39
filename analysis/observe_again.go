package analysis

import (
	"crypto/sha256"
	"strings"
	"time"

	"reprise"

	"github.com/tidwall/gjson"
)

// againWatch looks for calls that are made again with the same arguments, nothing that changes something in between. They show that a tool
// is idempotent, and that the read-only calls between them changed nothing they see.
type againWatch struct {
	changes *changers
	tallies *tallies
	latest  map[askedFor]*askedOnce
	order   []askedFor
	passing []passingCall // read-only calls that no witness has stood around yet
	repeats map[string]repeatable
}

// askedFor is a tool with its arguments.
type askedFor [sha256.Size]byte

func askedOf(tool, arguments string) askedFor {
	b := append([]byte(tool), 0)
	if arguments == "" {
		arguments = "{}"
	}
	return sha256.Sum256(append(b, reprise.Canonical(arguments)...))
}

// askedOnce is the latest call of its kind.
type askedOnce struct {
	seq, response int64
	ended         time.Duration
	began         moment
	result        string            // "" where it is long
	sum           [sha256.Size]byte // of a long one
}

// same says whether two calls gave the same. Of long results only the bytes are compared.
func (o *askedOnce) same(other *askedOnce) bool {
	if o.result == "" || other.result == "" {
		return o.result == other.result && o.sum == other.sum
	}
	return sameResult(&Answer{Result: o.result}, &Answer{Result: other.result})
}

type passingCall struct {
	tool          string
	seq, response int64
}

// repeatable is what a listing says of its tool.
type repeatable struct {
	listing *Tool
	yes     bool
}

const (
	maxAsked   = 1024
	maxPassing = 64
	shortKept  = 4 << 10
)

func (w *againWatch) see(e *Exchange, began moment) {
	if !w.repeatable(e.Listing) || e.Status != reprise.StatusOK || unfinished(e.Result) != "" {
		return
	}
	key := askedOf(e.Name, e.Arguments())
	once := &askedOnce{seq: e.Seq, response: e.Response, ended: e.Ended, began: began}
	if len(e.Result) <= shortKept {
		once.result = strings.Clone(e.Result)
	} else {
		once.sum = sha256.Sum256([]byte(e.Result))
	}
	if was := w.latest[key]; was != nil && e.Seq > was.response {
		w.pair(e, was, once)
	} else if was == nil {
		w.order = append(w.order, key)
	}
	w.latest[key] = once
	if len(w.order) > maxAsked {
		delete(w.latest, w.order[0])
		w.order = w.order[1:]
	}
	if e.Listing.Safety == reprise.SafetyReadOnly {
		w.passing = append(w.passing, passingCall{e.Listing.Name, e.Seq, e.Response})
		if len(w.passing) > maxPassing {
			w.passing = append(w.passing[:0], w.passing[1:]...)
		}
	}
}

// repeatable says whether a tool declares that calling it again does nothing more.
func (w *againWatch) repeatable(t *Tool) bool {
	if t == nil {
		return false
	}
	if t.Safety == reprise.SafetyReadOnly {
		return true
	}
	known := w.repeats[t.Name]
	if known.listing != t && len(w.repeats) < maxTallies {
		if w.repeats == nil {
			w.repeats = map[string]repeatable{}
		}
		hint := reprise.Member(reprise.Member(t.JSON, "annotations").Raw, "idempotentHint")
		known = repeatable{t, hint.Type == gjson.True}
		w.repeats[t.Name] = known
	}
	return known.listing == t && known.yes
}

// pair compares a call with the same one before it.
func (w *againWatch) pair(e *Exchange, was, is *askedOnce) {
	own := 0
	if is.began.changes {
		own = 2
	}
	if w.changes.between(was.began, own) {
		return
	}
	h := passed("the same call gave the same result again")
	same := was.same(is)
	if !same {
		h = unsure("the same call gave another result %s later; what lies between is not known", (e.Ended - was.ended).Round(time.Millisecond))
	}
	w.tallies.count(e.Name, "idempotent", h, nil)
	if e.Listing.Safety == reprise.SafetyReadOnly {
		w.witnessed(e, was, same)
	}
}

// witnessed counts the calls of other read-only tools that ran between two of a witness.
func (w *againWatch) witnessed(e *Exchange, was *askedOnce, same bool) {
	h := passed("a witness gave the same before and after")
	if !same {
		h = unsure("%s gave another result after the call than before it; what else lies between is not known", quote(e.Name))
	}
	rest := w.passing[:0]
	for _, c := range w.passing {
		if c.tool != e.Name && c.seq > was.response && c.response < e.Seq {
			w.tallies.count(c.tool, "no_mutation", h, nil)
			continue
		}
		rest = append(rest, c)
	}
	w.passing = rest
}
