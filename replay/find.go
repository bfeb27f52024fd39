package replay

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"reprise"
)

// Policy says what answers a request whose recorded calls have all been used.
type Policy string

const (
	PolicyError Policy = "error" // nothing: it is a miss
	PolicyLast  Policy = "last"  // the last of them
	PolicyLoop  Policy = "loop"  // the first of them again, and so on
)

// Policies lists them.
func Policies() []Policy { return []Policy{PolicyError, PolicyLast, PolicyLoop} }

// find gives the recorded call that answers a request, and whether it has answered one before.
func (r *run) find(a *asked) (found *call, again bool) {
	if a.method == "tools/call" {
		if c := r.fromQueue(r.index.spelled[a.params]); c != nil {
			return c, false
		}
	}
	a.read()
	r.index.find(a, r.pageOf(a), &r.keys)
	found, exactly := r.take()
	if found == nil {
		if found, again = r.filled(a); found != nil && again {
			return found, true
		}
	}
	if found == nil && len(r.values) > 0 && r.index.level != LevelExact {
		found = r.translated(a)
	}
	if found == nil {
		if found = r.usedUp(a); found == nil && a.method == listen {
			found = r.otherListen()
		}
		return found, found == nil || r.use(found)
	}
	if !exactly {
		r.learn(found.params, a.params)
	}
	return found, false
}

// use marks a call as used, and says whether it was.
func (r *run) use(c *call) (before bool) {
	before, r.used[c.n] = r.used[c.n], true
	return before
}

// otherListen takes a subscription to something else: see listen.go.
func (r *run) otherListen() *call {
	all := r.index.named[nameKey(listen, "")]
	for _, c := range all {
		if !r.used[c.n] {
			return c
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// pageOf is the page of a list that is asked for: where the cursor led to when it was handed out last.
func (r *run) pageOf(a *asked) int {
	if cursor := a.member("cursor"); len(r.walk) > 0 && isList(a.method) && cursor.Exists() {
		if page := r.walk[pageKey(a.method, cursor.Raw)]; page > 0 {
			return page
		}
	}
	return r.index.pageOf(a)
}

// take takes the first call under the keys that was not used, and says whether it is exactly what is asked for.
func (r *run) take() (found *call, exactly bool) {
	for n, k := range r.keys.all {
		if c := r.fromQueue(r.index.calls[string(k)]); c != nil {
			return c, n == 0 && (r.index.level == LevelExact || r.index.level == LevelArguments)
		}
	}
	return nil, false
}

// fromQueue takes the first call of a queue that was not used.
func (r *run) fromQueue(q *queue) *call {
	if q == nil {
		return nil
	}
	i := r.next[q.n]
	for i < len(q.calls) && r.used[q.calls[i].n] {
		i++
	}
	if r.next[q.n] = i; i == len(q.calls) {
		return nil
	}
	r.used[q.calls[i].n] = true
	return q.calls[i]
}

// usedUp takes a call that was used before, where that is allowed.
func (r *run) usedUp(a *asked) *call {
	r.index.find(a, r.pageOf(a), &r.keys)
	for _, k := range slices.Backward(r.keys.all) { // a server may give the same cursor for every page
		if q := r.index.calls[string(k)]; q != nil {
			return r.afterAll(q, q.calls, a.method)
		}
	}
	return nil
}

// filled takes a call of a redacted capture that the request fits, and says whether it was used before.
func (r *run) filled(a *asked) (found *call, again bool) {
	for _, h := range r.index.holes[nameKey(a.method, a.name)] {
		q := r.index.calls[string(h.key(a, r.index.ignore))]
		if q == nil {
			continue
		}
		var fitting []*call
		for _, c := range q.calls {
			if _, fits := h.fill(c.params, a.params, r.secrets); fits {
				fitting = append(fitting, c)
			}
		}
		if found, again = r.fromFitting(q, fitting, a.method); found != nil {
			values, _ := h.fill(found.params, a.params, r.secrets)
			for name, value := range values {
				r.secrets[name] = strings.Clone(value)
			}
			return found, again
		}
	}
	return nil, false
}

// fromFitting takes the first of some calls that was not used, else what the policy gives.
func (r *run) fromFitting(q *queue, fitting []*call, method string) (found *call, again bool) {
	for _, c := range fitting {
		if !r.used[c.n] {
			r.used[c.n] = true
			return c, false
		}
	}
	return r.afterAll(q, fitting, method), true
}

// afterAll takes one of the calls of a queue that all are used, where that is allowed.
func (r *run) afterAll(q *queue, all []*call, method string) *call {
	switch {
	case len(all) == 0:
	case isRepeatable(method) || r.Exhausted == PolicyLast:
		return all[len(all)-1]
	case r.Exhausted == PolicyLoop:
		r.loops[q.n]++
		return all[(r.loops[q.n]-1)%len(all)]
	}
	return nil
}

// translated takes a call that the request is when its values are what they stand for in the capture.
func (r *run) translated(a *asked) *call {
	recorded := r.translate(a.params)
	if recorded == a.params {
		return nil
	}
	b := ask(a.method, a.name, recorded)
	r.index.find(&b, r.pageOf(&b), &r.keys)
	found, _ := r.take()
	return found
}

// translate puts recorded values for the live ones that stand for them.
func (r *run) translate(raw string) string {
	v := gjson.Parse(raw)
	switch {
	case v.IsObject():
		var b []byte
		for _, m := range membersOf(raw) {
			b = append(append(append(b, ','), reprise.Quote(m.name)...), ':')
			b = append(b, r.translate(m.value.Raw)...)
		}
		return "{" + strings.TrimPrefix(string(b), ",") + "}"
	case v.IsArray():
		var parts []string
		for _, e := range v.Array() {
			parts = append(parts, r.translate(e.Raw))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	if recorded := r.values[string(reprise.Canonical(raw))]; recorded != "" {
		return recorded
	}
	return raw
}

// learn remembers which live values stand for which recorded ones. Only what the capture shows to be used, or to
// identify something, can stand for anything.
func (r *run) learn(recorded, live string) {
	if r.index.level == LevelExact {
		return
	}
	at := map[string]string{}
	leaves(recorded, "", func(path string, leaf gjson.Result) { at[path] = leaf.Raw })
	leaves(live, "", func(path string, leaf gjson.Result) {
		old := string(reprise.Canonical(at[path]))
		now := string(reprise.Canonical(leaf.Raw))
		if old != "" && old != now && !strings.HasPrefix(path, "_meta") && r.identifiers()[old] {
			r.values[now] = old
		}
	})
}

// identifiers are the values that the capture shows to be carried from one message into another.
func (s *Server) identifiers() map[string]bool {
	s.once.Do(func() {
		s.carried = map[string]bool{}
		use := func(u *reprise.Use) {
			carried := []reprise.Source{reprise.SourceHarvested, reprise.SourceDerived, reprise.SourceTold}
			if slices.Contains(carried, u.Source) || u.Source == reprise.SourceSynthesized && u.Identifies() {
				s.carried[string(reprise.Canonical(u.JSON))] = true
			}
		}
		d := reprise.Deriver{Session: s.capture.Session(), Message: func(*reprise.Frame, *reprise.Message, *reprise.Call) {},
			Call: func(*reprise.Call) {}, Value: func(*reprise.Value) {}, Use: use}
		for f := range s.capture.Frames() {
			for part := range f.Parts() {
				d.Add(&part)
			}
		}
	})
	return s.carried
}
