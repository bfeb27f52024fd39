package reprise

import "testing"

// A short id is what it is bound to in texts, and no quantity is.
func TestShortInTexts(t *testing.T) {
	for _, c := range []struct{ id, live, recorded, today, want string }{
		{"4753", "4116", "Created issue 4753: first", "Created issue 4116: first", "volatile"},
		{"4753", "4116", "see https://x.example/issues/4753.", "see https://x.example/issues/4116.", "volatile"},
		{"4753", "4116", "no such issue: 4753", "no such issue: 4116", "volatile"},
		{"4753", "4116", "4753 | first | open", "4116 | first | open", "volatile"},
		{"4753", "4116", "Issue 4753 does not exist", "Issue 4116 does not exist", "volatile"},
		{"4753", "4116", "Issue 4753 does not exist", "Issue 4117 does not exist", "changed content[0].text"},
		{"7", "8", "- 7: first\n- 6: other", "- 8: first\n- 6: other", "volatile"},
		{"7", "8", "Deleted 7", "Deleted 8", "volatile"},
		{"7", "8", "issue 7 has 7 votes", "issue 8 has 7 votes", "volatile"},
		{"7", "8", "issue 7 has 7 votes", "issue 8 has 8 votes", "changed content[0].text"},
		{"7", "8", "7 issues", "8 issues", "changed content[0].text"},
		{"7", "8", "Total: 7", "Total: 8", "changed content[0].text"},
		{"7", "8", "comments: 7, issue #7", "comments: 8, issue #8", "changed content[0].text"},
		{"7", "8", "page 7 of 9", "page 8 of 9", "changed content[0].text"},
		{"7", "8", "released 1.7", "released 1.8", "changed content[0].text"},
		{"7", "8", "at 10:7", "at 10:8", "changed content[0].text"},
		{"7", "8", "7% done", "8% done", "changed content[0].text"},
	} {
		r := recorded(t, `create_issue {}`, structured(`{"id":`+c.id+`}`), `get_issue {"id":`+c.id+`}`, says(c.recorded))
		r.answer(2, structured(`{"id":`+c.live+`}`))
		expect(t, c.recorded+" → "+c.today, r.answer(4, says(c.today)), c.want)
	}
}

// It is so at places that name the same, or something unknown, and nowhere else.
func TestShortAtPlaces(t *testing.T) {
	for _, c := range []struct{ recorded, today, want string }{
		{`{"issue":{"id":7}}`, `{"issue":{"id":8}}`, "volatile"},
		{`{"issues":[{"id":7}]}`, `{"issues":[{"id":8}]}`, "volatile"},
		{`{"issueIds":[7]}`, `{"issueIds":[8]}`, "volatile"},
		{`{"issue":7}`, `{"issue":8}`, "volatile"},
		{`{"parent":7}`, `{"parent":8}`, "volatile"},
		{`{"parent":{"id":7}}`, `{"parent":{"id":8}}`, "volatile"},
		{`{"by":{"7":{"n":1}}}`, `{"by":{"8":{"n":1}}}`, "volatile"},
		{`{"by":{"7":1,"8":2}}`, `{"by":{"7":1,"8":2}}`, "equal"},
		{`{"project":{"id":7}}`, `{"project":{"id":8}}`, "changed structuredContent.project.id"},
		{`{"userId":7}`, `{"userId":8}`, "changed structuredContent.userId"},
		{`{"id":7}`, `{"id":7}`, "changed structuredContent.id"},
		{`{"votes":7}`, `{"votes":8}`, "changed structuredContent.votes"},
		{`{"version":7}`, `{"version":8}`, "changed structuredContent.version"},
		{`{"total":"7"}`, `{"total":"8"}`, "changed structuredContent.total"},
		{`[7]`, `[8]`, "changed structuredContent[0]"},
	} {
		r := recorded(t, `create_issue {}`, structured(`{"id":7}`), `get_issue {"id":7}`, structured(c.recorded))
		r.answer(2, structured(`{"id":8}`))
		expect(t, c.recorded+" → "+c.today, classed(CompareMessages(structured(c.recorded), structured(c.today), []string{"tools/call", "get_issue"}, r.b, nil)), c.want)
	}
}

// What only a text has shown before it is used is what stands there today.
func TestShownInTexts(t *testing.T) {
	for _, c := range []struct{ text, use, today, sent string }{
		{"Created issue 4372: first", `get_issue {"id":4372}`, "Created issue 4401: first", `id=4401`},
		{"Created issue 7: first", `get_issue {"id":7}`, "Created issue 8: first", `id=8`},
		{"Created issue 7: first", `get_issue {"limit":7}`, "Created issue 8: first", `limit=7`},
		{"Page 7 of 9", `get_issue {"id":7}`, "Page 8 of 9", `id=7`},
		{"Your key is Zm9v+/8xQ2Fz9w==, keep it", `get_object {"key":"Zm9v+/8xQ2Fz9w=="}`, "Your key is YmFy/+9yV3Bx1Q==, keep it", `key="YmFy/+9yV3Bx1Q=="`},
	} {
		r := recorded(t, `create_issue {}`, says(c.text), c.use, structured(`{}`))
		r.answer(2, says(c.today))
		expect(t, c.text, r.sent(3), c.sent)
	}
	r := recorded(t, `create_issue {}`, structured(`{"issue":{"id":4275}}`), `get_issue {"id":4275}`, structured(`{}`), `open {"what":"repo/4275","title":"4275"}`, structured(`{}`))
	r.answer(2, structured(`{"issue":{"id":4300}}`))
	expect(t, "put together", r.sent(5), `what="repo/4300" title="4275"`)
}

func TestShortNames(t *testing.T) {
	r := recorded(t, `create_project {}`, structured(`{"slug":"fjord-owl"}`), `get_project {"slug":"fjord-owl"}`, structured(`{"by":{"fjord-owl":{"n":1}},"path":"p/fjord-owl"}`))
	r.answer(2, structured(`{"slug":"amber-fox"}`))
	expect(t, "names", r.answer(4, structured(`{"by":{"amber-fox":{"n":1}},"path":"p/amber-fox"}`)), "volatile")
	expect(t, "another one", r.answer(4, structured(`{"by":{"amber-fox":{"n":1}},"path":"p/birch-elk"}`)), "changed structuredContent.path")
	expect(t, "of an argument", r.b.Name("fjord-owl")+" "+r.b.Name("owl"), "amber-fox owl")
}

// A URL may spell an identifier with percents.
func TestBindPercents(t *testing.T) {
	r := recorded(t, `create_issue {}`, structured(`{"id":"urn:issue:a7c31"}`), `get_issue {"id":"urn:issue:a7c31"}`, structured(`{"url":"https://x.example/i/urn%3Aissue%3Aa7c31"}`))
	r.answer(2, structured(`{"id":"urn:issue:b9d42"}`))
	expect(t, "get", r.answer(4, structured(`{"url":"https://x.example/i/urn%3Aissue%3Ab9d42"}`)), "volatile")
	expect(t, "another one", r.answer(4, structured(`{"url":"https://x.example/i/urn%3Aissue%3Ac0e53"}`)), "changed structuredContent.url")
	expect(t, "the recorded one", r.answer(4, structured(`{"url":"https://x.example/i/urn%3Aissue%3Aa7c31"}`)), "changed structuredContent.url")
}

// A masked secret ends where a secret does.
func TestBindMaskedTail(t *testing.T) {
	r := recorded(t, `login {}`, says("token: «redacted:token:1»"))
	expect(t, "login", r.answer(2, says("token: ghp_abc")), "volatile")
	r = recorded(t, `login {}`, says("token: «redacted:token:1»"))
	expect(t, "with more behind it", r.answer(2, says("token: ghp_abc ERROR: revoked")), "changed content[0].text")
}

// What stands in an identifier is one, too.
func TestBindWithin(t *testing.T) {
	r := recorded(t, `read_graph {}`, structured(`{"observations":["ticket GARDEN-17"]}`), `open {"query":"ticket GARDEN-17"}`, structured(`{}`), `find {"name":"GARDEN-17"}`, structured(`{}`))
	r.answer(2, structured(`{"observations":["ticket GARDEN-18"]}`))
	expect(t, "sent", r.sent(3)+" "+r.sent(5), `query="ticket GARDEN-18" name="GARDEN-18"`)
}

// A list in the order of random ids has another order today.
func TestBindSorted(t *testing.T) {
	list := func(a, at, b, bt string) string {
		return structured(`{"items":[{"key":"` + a + `","title":"` + at + `"},{"key":"` + b + `","title":"` + bt + `"}]}`)
	}
	r := recorded(t, `create {}`, structured(`{"key":"3f2a91c0"}`), `create {}`, structured(`{"key":"b1d74e52"}`),
		`get {"key":"3f2a91c0"}`, structured(`{}`), `get {"key":"b1d74e52"}`, structured(`{}`), `list {}`, list("3f2a91c0", "one", "b1d74e52", "two"))
	r.answer(2, structured(`{"key":"e08c5a13"}`))
	r.answer(4, structured(`{"key":"05d9f7b6"}`))
	expect(t, "list", r.answer(10, list("05d9f7b6", "two", "e08c5a13", "one")), "volatile")
	expect(t, "other titles", r.answer(10, list("05d9f7b6", "one", "e08c5a13", "two")), "changed structuredContent.items[0].title structuredContent.items[1].title")
	if got := r.answer(10, list("e08c5a13", "two", "05d9f7b6", "one")); got == "volatile" {
		t.Errorf("in the order of the titles: %s", got)
	}
}
