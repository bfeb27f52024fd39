package analysis

import (
	"reprise"

	"github.com/tidwall/gjson"
)

// What pagination_terminates goes by where its check does not say.
const (
	usualCursor   = "nextCursor"
	usualArgument = "cursor"
	usualPages    = 50
)

// withDefaults is the check with everything that it may leave out.
func (c Check) withDefaults() Check {
	if c.Type != "pagination_terminates" {
		return c
	}
	if c.Cursor == "" {
		c.Cursor = usualCursor
	}
	if c.Argument == "" {
		c.Argument = usualArgument
	}
	if c.MaxPages == 0 {
		c.MaxPages = usualPages
	}
	return c
}

// Next is the cursor of the page that follows an answer, as raw JSON; "" when it is the last one.
func (c *Check) Next(a *Answer) string {
	full := c.withDefaults()
	for _, raw := range []string{a.content(), a.Result} {
		next := gjson.Parse(reprise.At(raw, full.Cursor))
		if next.Exists() && next.Type != gjson.Null && next.Type != gjson.False && next.Raw != `""` {
			return next.Raw
		}
	}
	return ""
}

// pageWalk is how judgePagination goes over the pages.
type pageWalk struct {
	check   Check
	trial   *Trial
	pages   []Answer
	cursors map[string]int // canonical → page that named it
	items   map[string]int // canonical → page that had it
	named   map[string]int // by what identifies it
	blind   bool           // on some page no single list was found
	plain   int            // page on which an item without an identifier came again; 0 for none
}

// judgePagination holds both halves of S17. Where a walk was only observed, a cursor that stays the same is no proof: some servers keep the place themselves.
func judgePagination(c *Check, t *Trial) Held {
	w := pageWalk{check: c.withDefaults(), trial: t, pages: t.Pages, cursors: map[string]int{}, items: map[string]int{}, named: map[string]int{}}
	if len(w.pages) == 0 {
		w.pages = []Answer{t.Call}
	}
	for i := range w.pages {
		if h, ok := w.page(i); ok {
			return h
		}
	}
	return w.end()
}

// page looks at one page, and says what it proves, if anything.
func (w *pageWalk) page(i int) (Held, bool) {
	a := &w.pages[i]
	if trouble := troubleIn(a); trouble != "" {
		return unsure("of page %d nothing can be said: %s", i+1, trouble), true
	}
	if why := a.failure(); why != "" {
		return unsure("page %d failed: %s", i+1, why), true
	}
	if h, ok := w.repeats(i); ok {
		return h, true
	}
	next := w.check.Next(a)
	if next == "" {
		return Held{}, false
	}
	key := string(reprise.Canonical(next))
	if first, again := w.cursors[key]; again && !w.trial.Observed {
		return broken([]Answer{w.pages[first], *a}, "page %d names the cursor %s once more, which page %d named: it goes round",
			i+1, quote(next), first+1), true
	}
	w.cursors[key] = i
	return Held{}, false
}

// repeats looks for items that an earlier page had.
func (w *pageWalk) repeats(i int) (Held, bool) {
	items, _, ok := itemsIn(&w.pages[i], w.check.Items)
	if !ok {
		w.blind = true
		return Held{}, false
	}
	for _, item := range items {
		whole, name := string(reprise.Canonical(item.Raw)), identifierOf(item)
		first, twice := w.items[whole]
		if other, again := w.named[name]; name != "" && again && !twice && !w.trial.Observed {
			first, twice = other, true
		}
		switch {
		case !twice || first == i:
			w.items[whole], w.named[name] = i, i
		case name == "":
			w.plain = i + 1
		default:
			return broken([]Answer{w.pages[first], w.pages[i]}, "page %d has the item %s again, which page %d had", i+1, quote(name), first+1), true
		}
	}
	return Held{}, false
}

// identifierOf is what tells an item from the others: its id, key or uri.
func identifierOf(item gjson.Result) string {
	if !item.IsObject() {
		return ""
	}
	for _, name := range []string{"id", "key", "uri"} {
		if v := reprise.Member(item.Raw, name); v.Type == gjson.String && v.Str != "" || v.Type == gjson.Number {
			return name + " " + string(reprise.Canonical(v.Raw))
		}
	}
	return ""
}

// end says what a walk proves on which nothing came twice.
func (w *pageWalk) end() Held {
	n := len(w.pages)
	last := w.pages[n-1]
	more := w.trial.More || w.check.Next(&last) != ""
	switch {
	case more && n >= w.check.MaxPages && !w.trial.Observed:
		return broken([]Answer{w.pages[0], last}, "it does not end within %d pages", w.check.MaxPages)
	case more:
		return unsure("page %d names a further one, which was not asked for", n)
	case n == 1:
		return passed("it is one page")
	case w.plain != 0:
		return unsure("it ends on page %d; page %d has an item again that has no id, key or uri: it may be another one", n, w.plain)
	case w.blind:
		return unsure("it ends on page %d, but where its items are is not clear: the check needs items", n)
	}
	return passed("it ends on page %d, and no item came twice", n)
}
