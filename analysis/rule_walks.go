package analysis

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"reprise"

	"github.com/tidwall/gjson"
)

// listWalks follows lists from page to page.
type listWalks struct {
	pass  *Pass
	world *worldChanges
	next  map[cursorOf]*followedList
	order []cursorOf
	room  placeRoom
}

// followedList is a list of which one page after the other was fetched.
type followedList struct {
	world    int
	rest     callDigest // the arguments without the cursor
	last     int64      // seq of the latest page's response
	previous []callDigest
	seen     map[callDigest]int64 // items, and the response that has them
}

// Bounds of what is remembered: walks, and items of each.
const (
	maxFollowed      = 32
	maxFollowedItems = 5000
)

func (w *listWalks) see(e *Exchange) {
	if !plainCall(e) || !hasResult(e) {
		return
	}
	walked, via := w.followed(e)
	cursor := nextCursor(e)
	if walked == nil && cursor == "" {
		return
	}
	if walked == nil || walked.world != w.world.before(e) {
		walked = &followedList{rest: askedWithout(e, ""), seen: map[callDigest]int64{}}
	} else {
		w.compare(e, walked)
	}
	walked.world = w.world.n
	walked.take(e)
	delete(w.next, via)
	if cursor != "" {
		w.remember(cursorOf{e.Name, strings.Clone(cursor)}, walked)
	}
}

// followed is the walk that a call goes on with.
func (w *listWalks) followed(e *Exchange) (*followedList, cursorOf) {
	for i, u := range e.Uses {
		if len(w.next) == 0 || i == maxPairs {
			break
		}
		at := cursorOf{e.Name, u.JSON}
		if found := w.next[at]; found != nil && pagesBy(keyOf(u.Path)) && e.Seq > found.last && found.rest == askedWithout(e, u.Path) {
			return found, at
		}
	}
	return nil, cursorOf{}
}

// askedWithout is a call without one of its arguments, and without others that walk.
func askedWithout(e *Exchange, path string) callDigest {
	var list []string
	for _, u := range e.Uses {
		if u.Path != path && !walksBy(keyOf(u.Path)) {
			list = append(list, u.Path+"="+u.JSON)
		}
	}
	slices.Sort(list)
	return sha256.Sum256([]byte(strings.Join(list, "\n")))
}

// walksBy says whether an argument of this name says where a page begins.
func walksBy(key string) bool {
	return strings.Contains(key, "cursor") || strings.Contains(key, "token") || slices.Contains([]string{"page", "offset", "after", "continuation", "start", "skip"}, key)
}

func (w *listWalks) remember(at cursorOf, walked *followedList) {
	if w.next[at] == nil {
		w.order = append(w.order, at)
	}
	w.next[at] = walked
	for len(w.order) > maxFollowed {
		delete(w.next, w.order[0])
		w.order = w.order[1:]
	}
}

// take remembers the items of a page.
func (k *followedList) take(e *Exchange) {
	k.last, k.previous = e.Response, nil
	for _, raw := range rowsOf(e.Result) {
		id := rowDigest(raw)
		k.previous = append(k.previous, id)
		if _, known := k.seen[id]; !known && len(k.seen) < maxFollowedItems {
			k.seen[id] = e.Response
		}
	}
}

func rowDigest(raw string) callDigest { return sha256.Sum256(reprise.Canonical(raw)) }

// compare looks for the items of a page on those before.
func (w *listWalks) compare(e *Exchange, walked *followedList) {
	items := rowsOf(e.Result)
	var page []callDigest
	twice, at, name := 0, int64(0), ""
	for _, raw := range items {
		id := rowDigest(raw)
		if seen, known := walked.seen[id]; known && rowName(raw) != "" {
			if twice++; twice == 1 {
				at, name = seen, rowName(raw)
			}
		}
		page = append(page, id)
	}
	whole := len(page) > 1 && slices.Equal(page, walked.previous)
	if twice == 0 && !whole || !w.room.room(e.Name, "") {
		return
	}
	if at == 0 {
		at = walked.last
	}
	w.pass.Report(duplicatesFinding(e, at, twice, name, whole))
}

// rowName is what identifies an item.
func rowName(raw string) string {
	item := gjson.Parse(raw)
	for _, key := range []string{"id", "uuid", "key", "uri", "_id", "ID"} {
		if name := reprise.Member(item.Raw, key); name.Type == gjson.String && name.Str != "" || name.Type == gjson.Number {
			return name.String()
		}
	}
	return ""
}

func duplicatesFinding(e *Exchange, earlier int64, twice int, name string, whole bool) Finding {
	what := fmt.Sprintf("%s of a page of %s stood on an earlier page of the same list already, %s among them.", plural(twice, "item"), quote(e.Name), quote(name))
	if whole {
		what = fmt.Sprintf("%s answered the next page's cursor with the page that the agent had just read.", quote(e.Name))
	}
	return Finding{
		Tool:        e.Name,
		What:        what,
		Consequence: "The agent counts and works on the same items twice, and those that they stand in for may be missing.",
		Suggestion:  "Begin each page behind the last item of the one before, in an order that is the same for every page.",
		Evidence:    []int64{earlier, e.Seq, e.Response},
	}
}

// before counts the changes before a call that has just come to its end.
func (c *worldChanges) before(e *Exchange) int {
	if e.Tool() != "" && !readsOnly(e) {
		return c.n - 1
	}
	return c.n
}
