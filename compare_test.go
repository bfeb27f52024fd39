package reprise

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// same classes what the spelling and the protocol leave open.
func TestCompareMessages(t *testing.T) {
	for _, c := range []struct {
		name, recorded, live string
		names                []string
		want                 string // class, then the paths that changed
	}{
		{name: "spelling", recorded: `{"a":1.0,"b":"é"}`, live: ` {"b" : "\u00e9", "a":10e-1}`, want: "equal"},
		{name: "big numbers", recorded: `{"id":9007199254740993}`, live: `{"id":9007199254740992}`, want: "changed id"},
		{name: "an id that nothing used", recorded: `{"id":7}`, live: `{"id":8}`, want: "changed id"},
		{name: "absent is not null", recorded: `{"a":1}`, live: `{"a":1,"b":null}`, want: "changed b"},
		{name: "null is not absent", recorded: `{"a":1,"b":null}`, live: `{"a":1}`, want: "changed b"},
		{name: "a number is no string", recorded: `{"a":1}`, live: `{"a":"1"}`, want: "changed a"},
		{name: "the last of duplicates", recorded: `{"a":1,"a":2}`, live: `{"a":2}`, want: "equal"},
		{name: "an odd name", recorded: `{"a b":[{"c":1}]}`, live: `{"a b":[{"c":2}]}`, want: `changed ["a b"][0].c`},
		{name: "JSON in a text", recorded: `{"content":[{"type":"text","text":"{\"items\":[{\"id\":1}], \"n\":1}"}]}`,
			live: `{"content":[{"type":"text","text":"{\"n\":1.0,\"items\":[{\"id\":2}]}"}]}`, want: "changed content[0].text.items[0].id"},
		{name: "JSON in a text, spelled otherwise", recorded: `{"content":[{"type":"text","text":"{\"a\":1}"}]}`,
			live: `{"content":[{"type":"text","text":"{ \"a\": 1 }"}]}`, want: "equal"},
		{name: "the order of tools", recorded: `{"tools":[{"name":"a"},{"name":"b","title":"B"}]}`,
			live: `{"tools":[{"name":"b","title":"C"},{"name":"a"}]}`, want: "changed tools[1].title"},
		{name: "the order of items", recorded: `{"items":[{"id":1},{"id":2}]}`, live: `{"items":[{"id":2},{"id":1}]}`, want: "changed items[0].id items[1].id"},
		{name: "one element more", recorded: `{"items":[{"id":1,"t":1},{"id":3,"t":3}]}`,
			live: `{"items":[{"id":1,"t":1},{"id":2,"t":2},{"id":3,"t":4}]}`, want: "changed items[1] items[1].t"},
		{name: "one element less", recorded: `[1,2,3,4]`, live: `[1,3,4]`, want: "changed [1]"},
		{name: "an empty list", recorded: `{"a":[]}`, live: `{"a":{}}`, want: "changed a"},
		{name: "a cursor", names: []string{"tools/list"}, recorded: `{"tools":[],"nextCursor":"a"}`, live: `{"tools":[],"nextCursor":"b"}`, want: "volatile"},
		{name: "a cursor that is gone", names: []string{"tools/list"}, recorded: `{"tools":[],"nextCursor":"a"}`, live: `{"tools":[]}`, want: "changed nextCursor"},
		{name: "a tool's own cursor", names: []string{"tools/call", "x"}, recorded: `{"structuredContent":{"nextCursor":"a"}}`,
			live: `{"structuredContent":{"nextCursor":"b"}}`, want: "changed structuredContent.nextCursor"},
		{name: "a round", recorded: `{"resultType":"input_required","requestState":"a","inputRequests":{"k1":{"method":"roots/list"}}}`,
			live: `{"resultType":"input_required","requestState":"b","inputRequests":{"k2":{"method":"roots/list"}}}`, want: "volatile"},
		{name: "a round that asks for something else", recorded: `{"inputRequests":{"k1":{"method":"roots/list"}}}`,
			live: `{"inputRequests":{"k2":{"method":"sampling/createMessage"}}}`, want: "changed inputRequests.k1.method"},
		{name: "a task", names: []string{"tools/call", "x"}, recorded: `{"task":{"taskId":"1","status":"working","createdAt":"a","ttl":null}}`,
			live: `{"task":{"taskId":"2","status":"working","createdAt":"b","ttl":60}}`, want: "volatile"},
		{name: "its status", names: []string{"tasks/get"}, recorded: `{"taskId":"1","status":"working"}`, live: `{"taskId":"2","status":"failed"}`, want: "changed status"},
		{name: "what is no task", names: []string{"tools/call", "x"}, recorded: `{"structuredContent":{"taskId":"1"},"task":{"createdAt":"a"}}`,
			live: `{"structuredContent":{"taskId":"2"},"task":{"createdAt":"b"}}`, want: "changed structuredContent.taskId task.createdAt"},
		{name: "a handshake", names: []string{"initialize"}, recorded: `{"serverInfo":{"name":"a","version":"1"}}`, live: `{"serverInfo":{"name":"a","version":"2"}}`, want: "volatile"},
		{name: "a tool's serverInfo", names: []string{"tools/call", "x"}, recorded: `{"serverInfo":{"version":"1"}}`, live: `{"serverInfo":{"version":"2"}}`, want: "changed serverInfo.version"},
		{name: "a trace", recorded: `{"_meta":{"traceparent":"a","x":1}}`, live: `{"_meta":{"traceparent":"b","x":2}}`, want: "changed _meta.x"},
		{name: "an address to ask at", names: []string{"elicitation/create"}, recorded: `{"elicitationId":"a","url":"https://h/x?e=a"}`,
			live: `{"elicitationId":"b","url":"https://h/x?e=b"}`, want: "volatile"},
		{name: "no JSON", recorded: `{"a":`, live: `{"a"`, want: "changed "},
		{name: "nothing there", recorded: `{}`, live: "", want: "missing"},
		{name: "nothing recorded", recorded: "", live: `{}`, want: "extra"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := CompareMessages(c.recorded, c.live, c.names, nil, nil)
			if text := classed(got); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

func classed(c Comparison) string {
	words := []string{string(c.Class)}
	for _, d := range c.Changed {
		words = append(words, d.Path)
	}
	return strings.Join(words, " ")
}

// What costs more the longer it is must not cost its square: a list with every other element gone, and one all different.
func TestCompareLong(t *testing.T) {
	var long, half, other strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&long, `,{"id":%d,"title":"an issue %d"}`, i, i)
		fmt.Fprintf(&other, `,{"id":%d,"title":"an issue %d"}`, i+1_000_000, i)
		if i%2 == 0 {
			fmt.Fprintf(&half, `,{"id":%d,"title":"an issue %d"}`, i, i)
		}
	}
	began := time.Now()
	for _, live := range []string{half.String(), other.String()} {
		got := CompareMessages("["+long.String()[1:]+"]", "["+live[1:]+"]", nil, NewBindings(), nil)
		if len(got.Changed) != MaxDifferences || got.Class != ClassChanged {
			t.Errorf("%d differences, class %s", len(got.Changed), got.Class)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

// So must not texts with an identifier on each line, and lists in lists.
func TestBindLong(t *testing.T) {
	var then, now strings.Builder
	b := NewBindings()
	for i := range 20_000 {
		id := fmt.Sprintf("ISS-%d", i)
		b.Learn(nil, &Use{Source: SourceHarvested, JSON: `"` + id + `"`, Path: "issueId"})
		fmt.Fprintf(&then, "- %s and ISS-%d at %d\n", id, 20_000-i, i)
		fmt.Fprintf(&now, "* NEW-%d and more at %d\n", i, i+1)
	}
	deep := strings.Repeat("[1,", MaxDepth-10) + `"` + strings.Repeat("x", 500_000) + `"` + strings.Repeat("]", MaxDepth-10)
	began := time.Now()
	b.Result(1, 0, says(then.String()), says(now.String()))
	CompareMessages(says(then.String()), says(now.String()), nil, b, nil)
	CompareMessages(deep, strings.ReplaceAll(deep, "[1,", "[1,2,"), nil, b, nil)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestCompareDeep(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 100_000)
	if got := CompareMessages(deep, deep+" ", nil, NewBindings(), nil); got.Class != ClassChanged {
		t.Errorf("class %s", got.Class)
	}
	nested := strings.Repeat(`{"a":`, MaxDepth) + "1" + strings.Repeat("}", MaxDepth)
	if got := CompareMessages(nested, strings.Replace(nested, "1", "2", 1), nil, nil, nil); got.Class != ClassChanged || !strings.HasPrefix(got.Changed[0].Path, "a.a.a") {
		t.Errorf("got %.100v", got)
	}
}

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ recorded, live, want string }{
		{`{"b":1,"a":2}`, `{"a":3,"b":4}`, `b 1 4`},
		{`{"a":[1,2]}`, `{"a":[1]}`, `a[1] 2 `},
		{`{"a":1}`, `{"a":1,"b":2}`, `b  2`},
		{`{"a":1.0}`, `{"a":1}`, ``},
		{`{"a":{}}`, `{"a":{"b":1}}`, `a.b  1`},
		{`1`, `"1"`, ` 1 "1"`},
	} {
		d, differ := FirstDifference(c.recorded, c.live)
		got := ""
		if differ {
			got = d.Path + " " + d.Recorded + " " + d.Live
		}
		if got != c.want {
			t.Errorf("%s and %s: got %q, want %q", c.recorded, c.live, got, c.want)
		}
	}
}

func FuzzCompare(f *testing.F) {
	for _, seed := range []string{`{"id":"ISS-7","content":[{"type":"text","text":"Created ISS-7\nissue #42"}]}`, `[1,[2,{"a":"«redacted:token:1»"}]]`,
		`{"tools":[{"name":"a"},{"name":"a"},{}]}`, `{"content":[{"text":"{\"id\":7}"}]}`, `"\ud800"`, `{"a":1,"a":{"a":`, ``, `{"":[]}`} {
		f.Add(seed, seed)
		f.Add(seed, `{"id":"ISS-8"}`)
	}
	f.Fuzz(func(t *testing.T, recorded, live string) {
		b := NewBindings()
		b.Learn(&Value{N: 1, Seq: 2, JSON: `"ISS-7"`, Path: "id", Entity: "issue"}, nil)
		b.Learn(nil, &Use{Source: SourceHarvested, JSON: `"ISS-7"`, Path: "issueId", ValueN: 1, ValueEntity: "issue"})
		b.Learn(&Value{N: 2, Seq: 2, JSON: `"42"`, Path: "content[0].text", Entity: "issue"}, nil)
		b.Learn(nil, &Use{Source: SourceDerived, JSON: `42`, Path: "issueId", ValueN: 2, ValueEntity: "issue"})
		if got := CompareMessages(recorded, recorded, nil, b, nil); got.Class != ClassEqual {
			t.Errorf("%q is not itself: %+v", recorded, got)
		}
		b.Result(2, 0, recorded, live)
		CompareMessages(recorded, live, []string{"tools/call", "x"}, b, &Ignore{})
		FirstDifference(recorded, live)
		var g Ignore
		if rule, err := ParseIgnore(recorded); err == nil {
			g.Add(rule)
			g.Has([]string{"x"}, live)
		}
	})
}
